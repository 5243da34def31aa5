//! The sums on x86-64.

use std::arch::asm;

#[inline(never)]
pub(super) fn empty(times: u64) {
    // SAFETY: touches registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            "mov {x:e}, 2",
            "3:",
            "inc {x:e}",
            "cmp {x:e}, 102",
            "jne 3b",
            "dec {times}",
            "jnz 2b",
            x = out(reg) _,
            times = inout(reg) times => _,
            options(nomem, nostack),
        );
    }
}

/// A sum of integers: `$extend` makes the x and cuts y off where the type is narrower than what is
/// computed in, `$divide` divides, `$r` is the letter of the registers' width.
macro_rules! integers {
    ($name:ident, $type:ty, $sum:literal, [$($term:literal),* $(,)?]) => {
        #[inline(never)]
        pub(super) fn $name(times: u64) -> $type {
            let mut sum: $type = 0;
            // SAFETY: touches registers only.
            unsafe {
                asm!(
                    ".p2align 6",
                    "2:",
                    concat!("xor ", $sum, ", ", $sum),
                    "mov ecx, 2",
                    "3:",
                    $($term,)*
                    "inc ecx",
                    "cmp ecx, 102",
                    "jne 3b",
                    "dec {times}",
                    "jnz 2b",
                    times = inout(reg) times => _,
                    inout("r8") sum,
                    out("rax") _,
                    out("rcx") _,
                    out("rdx") _,
                    out("r9") _,
                    options(nomem, nostack),
                );
            }
            sum
        }
    };
}

integers!(
    short,
    i16,
    "r8d",
    [
        "movsx eax, cx",
        "imul eax, eax",
        "cwde",
        "lea r9d, [rax - 1]",
        "cdq",
        "idiv r9d",
        "add r8d, eax",
    ]
);
integers!(
    int,
    i32,
    "r8d",
    [
        "mov eax, ecx",
        "imul eax, eax",
        "lea r9d, [rax - 1]",
        "cdq",
        "idiv r9d",
        "add r8d, eax",
    ]
);
integers!(
    long,
    i64,
    "r8d",
    [
        "movsxd rax, ecx",
        "imul rax, rax",
        "lea r9, [rax - 1]",
        "cqo",
        "idiv r9",
        "add r8, rax",
    ]
);

/// A sum of numbers with a point; `$p` is the letter of the precision.
macro_rules! floats {
    ($name:ident, $type:ty, $p:literal) => {
        #[inline(never)]
        pub(super) fn $name(times: u64) -> $type {
            let mut sum: $type;
            // SAFETY: touches registers only.
            unsafe {
                asm!(
                    ".p2align 6",
                    "2:",
                    "xorps {sum}, {sum}",
                    "mov {x:e}, 2",
                    "3:",
                    // Zeroed first, or the conversion would wait for the last value of the register.
                    "xorps {y}, {y}",
                    concat!("cvtsi2s", $p, " {y}, {x:e}"),
                    concat!("muls", $p, " {y}, {y}"),
                    "movaps {less}, {y}",
                    concat!("subs", $p, " {less}, {one}"),
                    concat!("divs", $p, " {y}, {less}"),
                    concat!("adds", $p, " {sum}, {y}"),
                    "inc {x:e}",
                    "cmp {x:e}, 102",
                    "jne 3b",
                    "dec {times}",
                    "jnz 2b",
                    x = out(reg) _,
                    times = inout(reg) times => _,
                    one = in(xmm_reg) 1.0 as $type,
                    y = out(xmm_reg) _,
                    less = out(xmm_reg) _,
                    sum = out(xmm_reg) sum,
                    options(nomem, nostack),
                );
            }
            sum
        }
    };
}

floats!(float, f32, "s");
floats!(double, f64, "d");
