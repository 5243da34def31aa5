//! The sums on aarch64.

use std::arch::asm;

#[inline(never)]
pub(super) fn empty(times: u64) {
    // SAFETY: touches registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            "mov {x:w}, #2",
            "3:",
            "add {x:w}, {x:w}, #1",
            "cmp {x:w}, #102",
            "b.ne 3b",
            "subs {times}, {times}, #1",
            "b.ne 2b",
            x = out(reg) _,
            times = inout(reg) times => _,
            options(nomem, nostack),
        );
    }
}

/// A sum in x11 (of integers) or v3 (of others): `$term` adds the term of w9 to it by way of x10, x12
/// and v0 to v2, where v2 holds 1; `$clear` makes it 0.
macro_rules! sum {
    ($name:ident, $type:ty, $class:tt, $clear:literal, [$($term:literal),* $(,)?]) => {
        #[inline(never)]
        pub(super) fn $name(times: u64) -> $type {
            let mut sum: $type = 0 as $type;
            // SAFETY: touches registers only.
            unsafe {
                asm!(
                    "fmov d2, #1.0",
                    ".p2align 6",
                    "2:",
                    $clear,
                    "mov w9, #2",
                    "3:",
                    $($term,)*
                    "add w9, w9, #1",
                    "cmp w9, #102",
                    "b.ne 3b",
                    "subs {times}, {times}, #1",
                    "b.ne 2b",
                    times = inout(reg) times => _,
                    inout($class) sum,
                    out("x9") _,
                    out("x10") _,
                    out("x12") _,
                    out("v0") _,
                    out("v1") _,
                    out("v2") _,
                    options(nomem, nostack),
                );
            }
            sum
        }
    };
}

sum!(
    short,
    i16,
    "x11",
    "mov w11, #0",
    [
        "sxth w10, w9",
        "mul w10, w10, w10",
        "sxth w10, w10",
        "sub w12, w10, #1",
        "sdiv w10, w10, w12",
        "add w11, w11, w10",
    ]
);
sum!(
    int,
    i32,
    "x11",
    "mov w11, #0",
    [
        "mul w10, w9, w9",
        "sub w12, w10, #1",
        "sdiv w10, w10, w12",
        "add w11, w11, w10",
    ]
);
sum!(
    long,
    i64,
    "x11",
    "mov x11, #0",
    [
        "sxtw x10, w9",
        "mul x10, x10, x10",
        "sub x12, x10, #1",
        "sdiv x10, x10, x12",
        "add x11, x11, x10",
    ]
);
sum!(
    float,
    f32,
    "v3",
    // The 1 of single precision, in place of the double one.
    "movi v3.2d, #0\nfmov s2, #1.0",
    [
        "scvtf s0, w9",
        "fmul s0, s0, s0",
        "fsub s1, s0, s2",
        "fdiv s0, s0, s1",
        "fadd s3, s3, s0",
    ]
);
sum!(
    double,
    f64,
    "v3",
    "movi v3.2d, #0",
    [
        "scvtf d0, w9",
        "fmul d0, d0, d0",
        "fsub d1, d0, d2",
        "fdiv d0, d0, d1",
        "fadd d3, d3, d0",
    ]
);
