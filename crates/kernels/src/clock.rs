//! The core's clock, by counting: work that takes a known number of cycles.
#![allow(unsafe_code)]

/// Operations in one turn of [`dependent_ops`].
pub const DEPENDENT_UNROLL: u64 = 64;

/// Runs `n` additions (rounded up to a multiple of [`DEPENDENT_UNROLL`]), each of which needs the
/// result of the one before, and returns their sum: the number of additions that were done.
///
/// On x86-64 this is the addition of one register to another, which every core since the 486
/// completes in one cycle, so the time for one is the time of a cycle. Neither operand is a
/// constant: recent cores (Golden Cove onwards) fold additions of small constants, and moves, into
/// the renaming of registers, where they take no time at all.
///
/// On other architectures the compiler places the addition; a cycle each is likely, not certain.
pub fn dependent_ops(n: u64) -> u64 {
    count(n.div_ceil(DEPENDENT_UNROLL).max(1), 1)
}

/// Runs an empty loop of `n` turns (at least one): what counting costs.
pub fn empty_loop(n: u64) {
    turn(n.max(1));
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn count(turns: u64, step: u64) -> u64 {
    let mut sum = 0;
    // SAFETY: touches registers only.
    unsafe {
        std::arch::asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "add {sum}, {step}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            sum = inout(reg) sum,
            step = in(reg) step,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    sum
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn turn(turns: u64) {
    // SAFETY: touches registers only.
    unsafe {
        std::arch::asm!(
            ".p2align 6",
            "2:",
            "dec {turns}",
            "jnz 2b",
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn count(turns: u64, step: u64) -> u64 {
    let mut sum = 0_u64;
    for _ in 0..turns {
        for _ in 0..DEPENDENT_UNROLL {
            sum = opaque(sum.wrapping_add(step));
        }
    }
    sum
}

#[cfg(not(target_arch = "x86_64"))]
fn turn(turns: u64) {
    for i in 0..turns {
        opaque(i);
    }
}

/// The value, through an empty piece of assembly: the compiler must have it in a register here and
/// knows nothing about it afterwards. `black_box` would send it through memory.
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
fn opaque(mut value: u64) -> u64 {
    // SAFETY: no instruction.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags));
    }
    value
}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
fn opaque(value: u64) -> u64 {
    std::hint::black_box(value)
}

/// The functions of the two loops, dependent additions first.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) fn entries() -> [*const (); 2] {
    [count as *const (), turn as *const ()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn counts_what_it_did() {
        assert_eq!(dependent_ops(0), DEPENDENT_UNROLL);
        assert_eq!(dependent_ops(65), 2 * DEPENDENT_UNROLL);
        assert_eq!(dependent_ops(1 << 20), 1 << 20);
    }

    /// Ten times the work in at least three times the time: a folded loop takes none.
    #[test]
    fn takes_time_in_proportion() {
        let best = |n| {
            (0..20)
                .map(|_| {
                    let start = Instant::now();
                    dependent_ops(n);
                    start.elapsed()
                })
                .min()
        };
        assert!(best(10_000_000) > best(1_000_000).map(|t| 3 * t));
    }
}
