//! The two loops as the compiler makes them.

use super::{DEPENDENT_UNROLL, NO_OPS_UNROLL};

pub(super) fn count(turns: u64, step: u64) -> u64 {
    let mut sum = 0_u64;
    for _ in 0..turns {
        for _ in 0..DEPENDENT_UNROLL {
            sum = opaque(sum.wrapping_add(step));
        }
    }
    sum
}

pub(super) fn nothing(turns: u64) {
    turn(turns * NO_OPS_UNROLL);
}

pub(super) fn turn(turns: u64) {
    for i in 0..turns {
        opaque(i);
    }
}

/// The value, through an empty piece of assembly: the compiler must have it in a register here and
/// knows nothing about it afterwards. `black_box` would send it through memory.
#[cfg(target_arch = "riscv64")]
fn opaque(mut value: u64) -> u64 {
    // SAFETY: no instruction.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags));
    }
    value
}

#[cfg(not(target_arch = "riscv64"))]
fn opaque(value: u64) -> u64 {
    std::hint::black_box(value)
}
