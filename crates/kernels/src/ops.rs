//! Arithmetic: one repeated operation, in one to sixteen parallel chains.
//!
//! In a chain each operation depends on the previous result, so one chain shows the latency of the
//! operation; several independent chains show how many the core keeps in flight.
//!
//! What is computed never becomes trivial: see [`Op`]. Floating-point operands alternate between two
//! constants that cancel, so that no value grows out of range or turns subnormal, which some cores
//! handle a hundred times slower.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "aarch64")]
use aarch64::{INTEGER_CHAINS, flops, kernels};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::{INTEGER_CHAINS, flops, kernels};
#[cfg(target_arch = "x86_64")]
use x86_64::{INTEGER_CHAINS, flops, kernels};

/// Most chains of any type.
pub const CHAINS_MAX: usize = 16;

/// What is computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// 32-bit integers.
    Int,
    /// 64-bit integers.
    Int64,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
}

impl Type {
    /// All types.
    pub const ALL: [Type; 4] = [Type::Int, Type::Int64, Type::Float, Type::Double];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Int64 => "int64",
            Type::Float => "float",
            Type::Double => "double",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Exclusive or with a constant. Integers only.
    Bit,
    /// Addition of a constant.
    Add,
    /// Multiplication by a constant.
    Mul,
    /// Integers: a constant divided by the value, so that divisor and quotient change places each
    /// time (the long quotient has 21 bits, of 64-bit integers 39). Floating point: division of the
    /// value by a constant.
    Div,
    /// The remainder of a division by a constant, plus that constant: without the addition every
    /// further remainder would be the same small number. One quotient bit. Integers only.
    Mod,
}

impl Op {
    /// All operations.
    pub const ALL: [Op; 5] = [Op::Bit, Op::Add, Op::Mul, Op::Div, Op::Mod];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Op::Bit => "bit",
            Op::Add => "add",
            Op::Mul => "mul",
            Op::Div => "div",
            Op::Mod => "mod",
        }
    }

    /// Does `ty` have it?
    pub fn exists_for(self, ty: Type) -> bool {
        !(ty.is_float() && matches!(self, Op::Bit | Op::Mod))
    }
}

/// A loop: the chains' values, the operands, turns. Each turn makes [`steps`] operations a chain.
type Kernel = unsafe fn(*mut u64, *const u64, u64);

/// Operations of each chain in one turn of the loop with `chains` of them: 64 in all, so that counting
/// turns does not show, but an even number of them, because operands come in pairs, and no fewer than
/// four, so that the counter's own chain (some six cycles) stays shorter.
pub const fn steps(chains: usize) -> u64 {
    let even = (64 / chains as u64) & !1;
    if even < 4 { 4 } else { even }
}

/// Some chains of one operation, ready to run.
#[derive(Debug, Clone)]
pub struct Chains {
    kernel: Kernel,
    values: [u64; CHAINS_MAX],
    operands: [u64; 2],
    chains: usize,
}

impl Chains {
    /// `chains` chains of `op` on `ty`; None if the type has no such operation, or the architecture
    /// no registers for so many.
    pub fn of(op: Op, ty: Type, chains: usize) -> Option<Chains> {
        let kernel = *kernels(op, ty)?.get(chains.checked_sub(1)?)?;
        let mut values = [0; CHAINS_MAX];
        for (i, value) in values.iter_mut().enumerate() {
            *value = start(op, ty, i as u64);
        }
        Some(Chains {
            kernel,
            values,
            operands: operands(op, ty),
            chains,
        })
    }

    /// Operations in one turn.
    pub fn ops_a_turn(&self) -> u64 {
        steps(self.chains) * self.chains as u64
    }

    /// Runs `turns` turns (at least one).
    pub fn run(&mut self, turns: u64) {
        // SAFETY: the loop reads and writes 16 values and reads two operands; division meets no zero,
        // as `start` and `operands` see to and a test holds.
        unsafe {
            (self.kernel)(
                self.values.as_mut_ptr(),
                self.operands.as_ptr(),
                turns.max(1),
            )
        }
    }

    /// The values as they are, as bits.
    pub fn values(&self) -> &[u64] {
        &self.values[..self.chains]
    }
}

/// Most chains of `ty` that this architecture's registers hold.
pub const fn chains_max(ty: Type) -> usize {
    match ty {
        Type::Int | Type::Int64 => INTEGER_CHAINS,
        Type::Float | Type::Double => CHAINS_MAX,
    }
}

/// What each chain begins with: all different, so that no core can tell them to be the same.
fn start(op: Op, ty: Type, chain: u64) -> u64 {
    // Near 1, of no few bits: 1.1, 1.2, ...
    let near_one = 1.1 + chain as f64 / 10.0;
    match (ty, op) {
        (Type::Float, _) => u64::from((near_one as f32).to_bits()),
        (Type::Double, _) => near_one.to_bits(),
        (Type::Int, Op::Div) => 37 + chain,
        (Type::Int64, Op::Div) => 8_333 + chain,
        (_, Op::Mod) => operands(op, ty)[0] + 1_000 * (chain + 1),
        _ => 2 * chain + 1,
    }
}

/// The constants: the second is what undoes the first in floating point, and not used by integers.
fn operands(op: Op, ty: Type) -> [u64; 2] {
    // Of no few bits, so that no divider ends early.
    let c = 1.7_f64;
    let pair = |a: f64, b: f64| match ty {
        Type::Float => [a as f32, b as f32].map(|v| u64::from(v.to_bits())),
        _ => [a, b].map(f64::to_bits),
    };
    match (ty, op) {
        (Type::Float | Type::Double, Op::Add) => pair(c, -c),
        // Exact, or rounding would carry the product away in time. Multipliers take no shorter for it.
        (Type::Float | Type::Double, Op::Mul) => pair(2.0, 0.5),
        // The reciprocal of what the type makes of it: one unit off, and the value would wander away.
        (Type::Float, _) => pair(c, f64::from(1.0 / c as f32)),
        (Type::Double, _) => pair(c, 1.0 / c),
        (Type::Int, Op::Div) => [40_000_000, 0],
        (Type::Int64, Op::Div) => [2_500_000_000_000_000, 0],
        (Type::Int, Op::Mod) => [1_000_003, 0],
        (Type::Int64, Op::Mod) => [100_000_000_000_000_003, 0],
        // Odd, so that a product never loses its last bit.
        (Type::Int, _) => [0x1e37_79b9, 0],
        (Type::Int64, _) => [0x1e37_79b9_7f4a_7c15, 0],
    }
}

/// Values that [`Flops`] goes through. They lie in the first-level cache: 8 KiB at most.
pub const FLOPS_VALUES: usize = 1_000;

/// A little of everything, as in the row `bogomflops` of lmbench: x = (1 + x) (1.5 - x) / x over an
/// array, so that the values do not wait for each other. Four operations a value.
#[derive(Debug)]
pub struct Flops {
    ty: Type,
    values: Vec<u64>,
}

impl Flops {
    /// An array of `ty`; None for integers.
    pub fn of(ty: Type) -> Option<Flops> {
        // At 1 the result is 1 again; anything else would leave the range in a few passes.
        let one = match ty {
            Type::Float => (u64::from(1f32.to_bits()) << 32) | u64::from(1f32.to_bits()),
            Type::Double => 1f64.to_bits(),
            Type::Int | Type::Int64 => return None,
        };
        let words = match ty {
            Type::Float => FLOPS_VALUES / 2,
            _ => FLOPS_VALUES,
        };
        Some(Flops {
            ty,
            values: vec![one; words],
        })
    }

    /// Goes through all values `passes` times (at least once).
    pub fn run(&mut self, passes: u64) {
        // SAFETY: the loop reads and writes 1,000 values of the type, which the vector holds.
        unsafe { flops(self.ty, self.values.as_mut_ptr(), passes.max(1)) }
    }

    /// The words of the array.
    pub fn words(&mut self) -> &mut [u64] {
        &mut self.values
    }
}

/// The function of a loop, for the test that decodes it.
#[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) fn entry(op: Op, ty: Type, chains: usize) -> Option<*const ()> {
    Some(*kernels(op, ty)?.get(chains - 1)? as *const ())
}
