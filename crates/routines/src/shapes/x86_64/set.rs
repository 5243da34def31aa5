//! Fills on x86-64: stores that overlap up to eight vectors, and beyond a loop of aligned ones between two ends.

use core::arch::naked_asm;

use super::LIMITS;

/// The byte of `esi` in all bytes of a vector.
macro_rules! spread {
    (16) => {
        "movd xmm0, esi\npunpcklbw xmm0, xmm0\npunpcklwd xmm0, xmm0\npshufd xmm0, xmm0, 0"
    };
    (32 vex) => {
        "vmovd xmm0, esi\nvpbroadcastb ymm0, xmm0"
    };
    (32 evex) => {
        "vpbroadcastb ymm20, esi"
    };
    (64 evex) => {
        "vpbroadcastb zmm20, esi"
    };
    (64 twice) => {
        "vpbroadcastb zmm20, esi"
    };
}

/// Fewer than 16 bytes, from the vector whose instruction for a word is `$word` and whose register is `$x`.
macro_rules! below_16 {
    ($word:literal, $x:literal) => {
        concat!(
            $word,
            " rcx, ",
            $x,
            "\n",
            "cmp edx, 8\n",
            "jae 62f\n",
            "cmp edx, 4\n",
            "jae 63f\n",
            "cmp edx, 1\n",
            "ja 64f\n",
            "jb 65f\n",
            "mov byte ptr [rdi], cl\n",
            "65:\n",
            "ret\n",
            ".p2align 4\n",
            "62:\n",
            "mov qword ptr [rdi], rcx\n",
            "mov qword ptr [rdi + rdx - 8], rcx\n",
            "ret\n",
            ".p2align 4\n",
            "63:\n",
            "mov dword ptr [rdi], ecx\n",
            "mov dword ptr [rdi + rdx - 4], ecx\n",
            "ret\n",
            ".p2align 4\n",
            "64:\n",
            "mov word ptr [rdi], cx\n",
            "mov word ptr [rdi + rdx - 2], cx\n",
            "ret\n",
        )
    };
}

/// At least `$w` bytes and fewer than twice as many; fewer go on.
macro_rules! pair_of {
    ($w:literal, $r:literal, $end:literal, $label:literal) => {
        concat!(
            "cmp edx, ",
            $w,
            "\n",
            "jb ",
            $label,
            "f\n",
            "vmovups [rdi], ",
            $r,
            "\n",
            "vmovups [rdi + rdx - ",
            $w,
            "], ",
            $r,
            "\n",
            $end,
            "\n",
            "ret\n",
            ".p2align 4\n",
            $label,
            ":\n",
        )
    };
}

/// Fewer bytes than one vector.
macro_rules! small {
    (16) => {
        below_16!("movq", "xmm0")
    };
    (32 vex) => {
        concat!(
            pair_of!(16, "xmm0", "vzeroupper", "61"),
            "vzeroupper\n",
            below_16!("vmovq", "xmm0")
        )
    };
    (32 evex) => {
        concat!(pair_of!(16, "xmm20", "", "61"), below_16!("vmovq", "xmm20"))
    };
    (64 evex) => {
        concat!(
            pair_of!(32, "ymm20", "", "60"),
            pair_of!(16, "xmm20", "", "61"),
            below_16!("vmovq", "xmm20")
        )
    };
}

/// Up to two vectors; more go on at the label 30.
macro_rules! entry {
    // Two stores whose masks leave out what lies behind the block, the second of which ends where it ends: no branch.
    ($w:literal, $p:literal, $r:literal, $end:literal, 64 twice) => {
        concat!(
            "cmp rdx, 128\n",
            "ja 30f\n",
            "mov rcx, -1\n",
            "xor r8d, r8d\n",
            "bzhi rcx, rcx, rdx\n",
            "sub rdx, 64\n",
            "cmovb rdx, r8\n",
            "kmovq k1, rcx\n",
            "vmovdqu8 [rdi]{{k1}}, zmm20\n",
            "vmovdqu8 [rdi + rdx]{{k1}}, zmm20\n",
            "ret\n",
            ".p2align 6\n",
            "30:\n",
        )
    };
    ($w:literal, $p:literal, $r:literal, $end:literal, $($kind:tt)+) => {
        concat!(
            "cmp rdx, ", $w, "\n",
            "jb 20f\n",
            "cmp rdx, 2*", $w, "\n",
            "ja 30f\n",
            $p, "movups [rdi], ", $r, "\n",
            $p, "movups [rdi + rdx - ", $w, "], ", $r, "\n",
            $end, "\n",
            "ret\n",
            ".p2align 6\n",
            "20:\n",
            small!($($kind)+),
            ".p2align 4\n",
            "30:\n",
        )
    };
}

/// Declares the fill `$name` by vectors of `$w` bytes in the register `$r`.
macro_rules! set {
    ($(#[$doc:meta])* $name:ident, $w:literal, $p:literal, $r:literal, $end:literal, ($($kind:tt)+)) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `bytes` bytes can be written at `to`; the CPU has the instructions.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(to: *mut u8, value: i32, bytes: usize) -> *mut u8 {
            naked_asm!(
                spread!($($kind)+),
                "mov rax, rdi",
                entry!($w, $p, $r, $end, $($kind)+),
                concat!("cmp rdx, 4*", $w),
                "ja 40f",
                concat!($p, "movups [rdi], ", $r),
                concat!($p, "movups [rdi + ", $w, "], ", $r),
                concat!($p, "movups [rdi + rdx - 2*", $w, "], ", $r),
                concat!($p, "movups [rdi + rdx - ", $w, "], ", $r),
                $end,
                "ret",
                ".p2align 4",
                "40:",
                concat!("cmp rdx, 8*", $w),
                "ja 50f",
                concat!($p, "movups [rdi], ", $r),
                concat!($p, "movups [rdi + ", $w, "], ", $r),
                concat!($p, "movups [rdi + 2*", $w, "], ", $r),
                concat!($p, "movups [rdi + 3*", $w, "], ", $r),
                concat!($p, "movups [rdi + rdx - 4*", $w, "], ", $r),
                concat!($p, "movups [rdi + rdx - 3*", $w, "], ", $r),
                concat!($p, "movups [rdi + rdx - 2*", $w, "], ", $r),
                concat!($p, "movups [rdi + rdx - ", $w, "], ", $r),
                $end,
                "ret",
                ".p2align 4",
                "50:",
                "cmp rdx, qword ptr [rip + {limits} + 48]",
                "jae 80f",
                "55:",
                concat!($p, "movups [rdi], ", $r),
                concat!("lea r8, [rdi + rdx - 4*", $w, "]"),
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                ".p2align 6",
                "57:",
                concat!($p, "movaps [rdi], ", $r),
                concat!($p, "movaps [rdi + ", $w, "], ", $r),
                concat!($p, "movaps [rdi + 2*", $w, "], ", $r),
                concat!($p, "movaps [rdi + 3*", $w, "], ", $r),
                concat!("add rdi, 4*", $w),
                "cmp rdi, r8",
                "jb 57b",
                "58:",
                concat!($p, "movups [r8], ", $r),
                concat!($p, "movups [r8 + ", $w, "], ", $r),
                concat!($p, "movups [r8 + 2*", $w, "], ", $r),
                concat!($p, "movups [r8 + 3*", $w, "], ", $r),
                $end,
                "ret",
                ".p2align 4",
                "80:",
                "cmp rdx, qword ptr [rip + {limits} + 72]",
                "jae 90f",
                "cmp rdx, qword ptr [rip + {limits} + 56]",
                "jb 55b",
                "cmp rdx, qword ptr [rip + {limits} + 64]",
                "jae 55b",
                // The string instruction begins at a whole vector.
                concat!($p, "movups [rdi], ", $r),
                "mov r8, rdi",
                "lea rcx, [rdi + rdx]",
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                "sub rcx, rdi",
                "mov eax, esi",
                "rep stosb",
                "mov rax, r8",
                $end,
                "ret",
                ".p2align 4",
                "90:",
                concat!($p, "movups [rdi], ", $r),
                concat!("lea r8, [rdi + rdx - 4*", $w, "]"),
                concat!("add rdi, ", $w),
                concat!("and rdi, -", $w),
                ".p2align 6",
                "92:",
                concat!($p, "movntps [rdi], ", $r),
                concat!($p, "movntps [rdi + ", $w, "], ", $r),
                concat!($p, "movntps [rdi + 2*", $w, "], ", $r),
                concat!($p, "movntps [rdi + 3*", $w, "], ", $r),
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

set! {
    /// By vectors of 16 bytes: every CPU of the architecture.
    whyslow_set_16, 16, "", "xmm0", "", (16)
}
set! {
    /// By vectors of 32 bytes: AVX2.
    whyslow_set_32, 32, "v", "ymm0", "vzeroupper", (32 vex)
}
set! {
    /// By vectors of 32 bytes of the upper registers: AVX-512VL and BW.
    whyslow_set_32_upper, 32, "v", "ymm20", "", (32 evex)
}
set! {
    /// By vectors of 64 bytes: AVX-512VL and BW.
    whyslow_set_64, 64, "v", "zmm20", "", (64 evex)
}
set! {
    /// By vectors of 64 bytes, and blocks of up to two by masks: AVX-512BW, BMI2.
    whyslow_set_64_twice, 64, "v", "zmm20", "", (64 twice)
}
