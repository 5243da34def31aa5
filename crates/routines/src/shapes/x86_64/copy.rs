//! Copies on x86-64, each right for overlapping blocks, so that it is memcpy and memmove in one.
//!
//! Up to eight vectors everything is loaded before anything is stored. Beyond, a loop goes away from what it would
//! overwrite; the vectors at both ends are loaded before it and stored after it, so that the loop stores whole aligned
//! vectors. Registers are those that need no cleaning up where the CPU has them.

use core::arch::naked_asm;

use super::LIMITS;

/// One turn of a loop upward: four vectors, of which the first is in its register, and the next turn's first.
macro_rules! turn {
    ($w:literal, $p:literal, $r:literal) => {
        concat!(
            $p,
            "movups ",
            $r,
            "1, [rsi + ",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "2, [rsi + 2*",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "3, [rsi + 3*",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "9, [rsi + 4*",
            $w,
            "]\n",
            "add rsi, 4*",
            $w,
            "\n",
            $p,
            "movaps [rdi], ",
            $r,
            "0\n",
            $p,
            "movaps [rdi + ",
            $w,
            "], ",
            $r,
            "1\n",
            $p,
            "movaps [rdi + 2*",
            $w,
            "], ",
            $r,
            "2\n",
            $p,
            "movaps [rdi + 3*",
            $w,
            "], ",
            $r,
            "3\n",
            $p,
            "movaps ",
            $r,
            "0, ",
            $r,
            "9\n",
            "add rdi, 4*",
            $w,
            "\n",
            "cmp rdi, r8\n",
        )
    };
}

/// Asks for the lines of a turn of four vectors, ten to sixteen lines ahead.
macro_rules! ahead {
    (16) => {
        "prefetcht0 [rsi + 1024]\n"
    };
    (32) => {
        concat!(ahead!(16), "prefetcht0 [rsi + 1024 + 64]\n")
    };
    (64) => {
        concat!(
            ahead!(32),
            "prefetcht0 [rsi + 1024 + 128]\n",
            "prefetcht0 [rsi + 1024 + 192]\n"
        )
    };
}

/// Declares the copy `$name` by vectors of `$w` bytes: registers `$r` with a digit and `$s` with a zero, instructions with the prefix `$p`, and
/// `$end` before each return that follows the use of a vector register.
macro_rules! copy {
    ($(#[$doc:meta])* $name:ident, $w:tt, $p:literal, $r:literal, $s:literal, [$q0:literal, $q1:literal, $q2:literal, $q3:literal], $end:literal, ($($small:tt)+) $(, $aside:ident, $tail:ident)?) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `bytes` bytes can be read at `from` and written at `to`; the CPU has the instructions.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
            naked_asm!(
                entry!($w, $p, $r, $end, $($small)+),
                concat!("cmp rdx, 4*", $w),
                "ja 40f",
                up_to_four!($w, $p, $r, $($small)+),
                $end,
                "ret",
                ".p2align 4",
                "40:",
                concat!("cmp rdx, 8*", $w),
                "ja 50f",
                straight!($p, (4 + 4) $w, $r),
                $end,
                "ret",
                // Up to sixteen likewise, upward, as prefetchers follow that.
                ".p2align 4",
                "50:",
                concat!("cmp rdx, 16*", $w),
                "ja 54f",
                $($aside!(),)?
                concat!("cmp rdx, 12*", $w),
                "ja 51f",
                concat!("cmp rdx, 10*", $w),
                "ja 52f",
                straight!($p, (8 + 2) $w, $r, $s),
                $end,
                "ret",
                ".p2align 4",
                "52:",
                straight!($p, (8 + 4) $w, $r, $s),
                $end,
                "ret",
                ".p2align 4",
                "51:",
                concat!("cmp rdx, 14*", $w),
                "ja 53f",
                straight!($p, (12 + 2) $w, $r, $s, $q0, $q1),
                $end,
                "ret",
                ".p2align 4",
                "53:",
                straight!($p, (12 + 4) $w, $r, $s, $q0, $q1, $q2, $q3),
                $end,
                "ret",
                // Long: the distance in rcx says the direction.
                ".p2align 4",
                "54:",
                "mov rcx, rdi",
                "sub rcx, rsi",
                "cmp rcx, rdx",
                "jb 70f",
                "cmp rdx, qword ptr [rip + {limits} + 16]",
                "jae 80f",
                // Apart: upward throughout, as prefetchers follow that. The next turn's first vector is loaded before this
                // turn's stores, which it can look like by the address within a page.
                "55:",
                "mov r8, rcx",
                "neg r8",
                "cmp r8, rdx",
                "jb 47f",
                "56:",
                concat!($p, "movups ", $r, "0, [rsi]"),
                "lea r10, [rsi + rdx]",
                concat!($p, "movups [rdi], ", $r, "0"),
                concat!("lea r8, [rdi + rdx - 5*", $w, "]"),
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                "mov rsi, rdi",
                "sub rsi, rcx",
                concat!($p, "movups ", $r, "0, [rsi]"),
                ".p2align 6",
                "57:",
                turn!($w, $p, $r),
                "jb 57b",
                "58:",
                left!($w, $p, $r, $end $(, $tail)?),
                // The destination is below the source and overlaps it: both ends are loaded first.
                ".p2align 4",
                "47:",
                concat!($p, "movups ", $s, "0, [rsi]"),
                concat!($p, "movups ", $r, "4, [rsi + rdx - ", $w, "]"),
                concat!($p, "movups ", $r, "5, [rsi + rdx - 2*", $w, "]"),
                concat!($p, "movups ", $r, "6, [rsi + rdx - 3*", $w, "]"),
                concat!($p, "movups ", $r, "7, [rsi + rdx - 4*", $w, "]"),
                concat!($p, "movups ", $r, "8, [rsi + rdx - 5*", $w, "]"),
                concat!("lea r8, [rdi + rdx - 5*", $w, "]"),
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                "mov rsi, rdi",
                "sub rsi, rcx",
                concat!($p, "movups ", $r, "0, [rsi]"),
                ".p2align 6",
                "48:",
                turn!($w, $p, $r),
                "jb 48b",
                concat!($p, "movups [r8 + 4*", $w, "], ", $r, "4"),
                concat!($p, "movups [r8 + 3*", $w, "], ", $r, "5"),
                concat!($p, "movups [r8 + 2*", $w, "], ", $r, "6"),
                concat!($p, "movups [r8 + ", $w, "], ", $r, "7"),
                concat!($p, "movups [r8], ", $r, "8"),
                concat!($p, "movups [rax], ", $s, "0"),
                $end,
                "ret",
                // Downward, from the last aligned vector to where the first four end.
                ".p2align 4",
                "70:",
                concat!($p, "movups ", $r, "4, [rsi]"),
                concat!($p, "movups ", $r, "5, [rsi + ", $w, "]"),
                concat!($p, "movups ", $r, "6, [rsi + 2*", $w, "]"),
                concat!($p, "movups ", $r, "7, [rsi + 3*", $w, "]"),
                concat!($p, "movups ", $r, "8, [rsi + rdx - ", $w, "]"),
                "lea r8, [rdi + rdx]",
                "lea r9, [r8 - 1]",
                concat!("and r9, -", $w),
                "mov rsi, r9",
                "sub rsi, rcx",
                concat!("lea r10, [rdi + 4*", $w, "]"),
                ".p2align 6",
                "72:",
                concat!($p, "movups ", $r, "0, [rsi - ", $w, "]"),
                concat!($p, "movups ", $r, "1, [rsi - 2*", $w, "]"),
                concat!($p, "movups ", $r, "2, [rsi - 3*", $w, "]"),
                concat!($p, "movups ", $r, "3, [rsi - 4*", $w, "]"),
                concat!("sub rsi, 4*", $w),
                concat!($p, "movaps [r9 - ", $w, "], ", $r, "0"),
                concat!($p, "movaps [r9 - 2*", $w, "], ", $r, "1"),
                concat!($p, "movaps [r9 - 3*", $w, "], ", $r, "2"),
                concat!($p, "movaps [r9 - 4*", $w, "], ", $r, "3"),
                concat!("sub r9, 4*", $w),
                "cmp r9, r10",
                "ja 72b",
                concat!($p, "movups [rdi], ", $r, "4"),
                concat!($p, "movups [rdi + ", $w, "], ", $r, "5"),
                concat!($p, "movups [rdi + 2*", $w, "], ", $r, "6"),
                concat!($p, "movups [rdi + 3*", $w, "], ", $r, "7"),
                concat!($p, "movups [r8 - ", $w, "], ", $r, "8"),
                $end,
                "ret",
                // By the table, unless the blocks overlap.
                ".p2align 4",
                "80:",
                "mov r8, rcx",
                "neg r8",
                "cmp r8, rdx",
                "jb 47b",
                "cmp rdx, qword ptr [rip + {limits} + 40]",
                "jae 90f",
                "cmp rdx, qword ptr [rip + {limits} + 24]",
                "jb 56b",
                "cmp rdx, qword ptr [rip + {limits} + 32]",
                "jae 56b",
                // Distances at which string instructions of some CPUs go byte by byte.
                "lea r8d, [rcx - 1]",
                "and r8d, 4095",
                "cmp r8d, 63",
                "jb 56b",
                // The destination is aligned by a vector in front.
                concat!($p, "movups ", $r, "0, [rsi]"),
                "mov r8, rcx",
                "lea rcx, [rdi + rdx]",
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                "mov rsi, rdi",
                "sub rsi, r8",
                "sub rcx, rdi",
                "rep movsb",
                concat!($p, "movups [rax], ", $r, "0"),
                $end,
                "ret",
                // Non-temporal stores, whole lines at a time.
                ".p2align 4",
                "90:",
                concat!($p, "movups ", $r, "0, [rsi]"),
                "lea r10, [rsi + rdx]",
                concat!("lea r8, [rdi + rdx - 5*", $w, "]"),
                concat!($p, "movups [rdi], ", $r, "0"),
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                "mov rsi, rdi",
                "sub rsi, rcx",
                ".p2align 6",
                "92:",
                ahead!($w),
                concat!($p, "movups ", $r, "0, [rsi]"),
                concat!($p, "movups ", $r, "1, [rsi + ", $w, "]"),
                concat!($p, "movups ", $r, "2, [rsi + 2*", $w, "]"),
                concat!($p, "movups ", $r, "3, [rsi + 3*", $w, "]"),
                concat!("add rsi, 4*", $w),
                concat!($p, "movntps [rdi], ", $r, "0"),
                concat!($p, "movntps [rdi + ", $w, "], ", $r, "1"),
                concat!($p, "movntps [rdi + 2*", $w, "], ", $r, "2"),
                concat!($p, "movntps [rdi + 3*", $w, "], ", $r, "3"),
                concat!("add rdi, 4*", $w),
                "cmp rdi, r8",
                "jb 92b",
                "sfence",
                "jmp 58b",
                limits = sym LIMITS,
            )
        }
    };
}

copy! {
    /// By vectors of 16 bytes: every CPU of the architecture.
    whyslow_copy_16, 16, "", "xmm", "xmm1", ["xmm12", "xmm13", "xmm14", "xmm15"], "", (16)
}
copy! {
    /// By vectors of 32 bytes: AVX.
    whyslow_copy_32, 32, "v", "ymm", "ymm1", ["ymm12", "ymm13", "ymm14", "ymm15"], "vzeroupper", (32 vex)
}
copy! {
    /// By vectors of 32 bytes of the upper registers: AVX-512VL.
    whyslow_copy_32_upper, 32, "v", "ymm2", "ymm3", ["ymm16", "ymm17", "ymm18", "ymm19"], "", (32 evex)
}
copy! {
    /// By vectors of 64 bytes: AVX-512VL.
    whyslow_copy_64, 64, "v", "zmm2", "zmm3", ["zmm16", "zmm17", "zmm18", "zmm19"], "", (64 evex)
}
copy! {
    /// By vectors of 64 bytes, and small blocks in few classes: AVX-512VL.
    whyslow_copy_64_few,
    64,
    "v",
    "zmm2",
    "zmm3",
    ["zmm16", "zmm17", "zmm18", "zmm19"],
    "",
    (64 few)
}
copy! {
    /// By vectors of 32 bytes of the upper registers, and smaller blocks by a mask: AVX-512VL and BW, BMI2.
    whyslow_copy_32_masked,
    32,
    "v",
    "ymm2",
    "ymm3",
    ["ymm16", "ymm17", "ymm18", "ymm19"],
    "",
    ("kmovd" "ecx" "ymm20" masked)
}
copy! {
    /// By vectors of 64 bytes, and smaller blocks by a mask: AVX-512BW, BMI2.
    whyslow_copy_64_masked,
    64,
    "v",
    "zmm2",
    "zmm3",
    ["zmm16", "zmm17", "zmm18", "zmm19"],
    "",
    ("kmovq" "rcx" "zmm20" masked),
    line_by_line,
    last_lines
}
