//! The chains of operations as the compiler makes them.
//!
//! Every result goes through an opaque place, so that none can be folded into the next; what the
//! compiler adds around it is its own affair.

use std::hint::black_box;

use super::{Kernel, Op, Type, steps};

/// The compiler finds places for any number.
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(super) const INTEGER_CHAINS: usize = super::CHAINS_MAX;

/// One operation of `op` on `ty` with the given operand, values as bits.
fn apply(op: Op, ty: Type, value: u64, operand: u64) -> u64 {
    let (x, c) = (value, operand);
    let (x32, c32) = (value as i32, operand as i32);
    let (x64, c64) = (value as i64, operand as i64);
    let (xf, cf) = (f32::from_bits(x as u32), f32::from_bits(c as u32));
    let (xd, cd) = (f64::from_bits(x), f64::from_bits(c));
    let int = |v: i32| u64::from(v as u32);
    let float = |v: f32| u64::from(v.to_bits());
    match (op, ty) {
        (Op::Bit, Type::Int) => int(x32 ^ c32),
        (Op::Bit, _) => x ^ c,
        (Op::Add, Type::Int) => int(x32.wrapping_add(c32)),
        (Op::Add, Type::Int64) => x.wrapping_add(c),
        (Op::Add, Type::Float) => float(xf + cf),
        (Op::Add, Type::Double) => (xd + cd).to_bits(),
        (Op::Mul, Type::Int) => int(x32.wrapping_mul(c32)),
        (Op::Mul, Type::Int64) => x.wrapping_mul(c),
        (Op::Mul, Type::Float) => float(xf * cf),
        (Op::Mul, Type::Double) => (xd * cd).to_bits(),
        (Op::Div, Type::Int) => int(c32.wrapping_div(x32)),
        (Op::Div, Type::Int64) => c64.wrapping_div(x64) as u64,
        (Op::Div, Type::Float) => float(xf / cf),
        (Op::Div, Type::Double) => (xd / cd).to_bits(),
        (Op::Mod, Type::Int) => int(x32.wrapping_rem(c32).wrapping_add(c32)),
        (Op::Mod, _) => x64.wrapping_rem(c64).wrapping_add(c64) as u64,
    }
}

unsafe fn run<const OP: usize, const TY: usize, const N: usize>(
    values: *mut u64,
    operands: *const u64,
    turns: u64,
) {
    let (op, ty) = (Op::ALL[OP], Type::ALL[TY]);
    // SAFETY: the caller hands N values and two operands.
    let values = unsafe { std::slice::from_raw_parts_mut(values, N) };
    // SAFETY: as above.
    let operands = unsafe { std::slice::from_raw_parts(operands, 2) };
    let float = matches!(ty, Type::Float | Type::Double);
    for _ in 0..turns {
        for step in 0..steps(N) as usize {
            let operand = black_box(operands[if float { step % 2 } else { 0 }]);
            for value in values.iter_mut() {
                *value = black_box(apply(op, ty, *value, operand));
            }
        }
    }
}

/// The loops of one operation: n chains at n - 1.
pub(super) fn kernels(op: Op, ty: Type) -> Option<&'static [Kernel]> {
    macro_rules! counts {
        ($op:literal $ty:literal: $($n:literal)*) => {{
            static LOOPS: &[Kernel] = &[$(run::<$op, $ty, $n>),*];
            LOOPS
        }};
    }
    macro_rules! table {
        ($($op:literal $ty:literal),*) => {
            match (op as usize, ty as usize) {
                $(($op, $ty) => Some(counts!($op $ty: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)),)*
                _ => None,
            }
        };
    }
    table!(
        0 0, 0 1, 1 0, 1 1, 1 2, 1 3, 2 0, 2 1, 2 2, 2 3, 3 0, 3 1, 3 2, 3 3, 4 0, 4 1
    )
}

/// `passes` times through 1,000 values of `ty`.
pub(super) unsafe fn flops(ty: Type, values: *mut u64, passes: u64) {
    for _ in 0..passes {
        for i in 0..super::FLOPS_VALUES {
            // SAFETY: the caller hands 1,000 values of the type.
            unsafe {
                match ty {
                    Type::Float => {
                        let at = values.cast::<f32>().add(i);
                        let x = at.read_volatile();
                        at.write_volatile((1.0 + x) * (1.5 - x) / x);
                    }
                    _ => {
                        let at = values.cast::<f64>().add(i);
                        let x = at.read_volatile();
                        at.write_volatile((1.0 + x) * (1.5 - x) / x);
                    }
                }
            }
        }
    }
}
