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
    (64 few) => {
        "vpbroadcastb zmm20, esi"
    };
    ($mask:literal $word:literal masked) => {
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

/// Stores a vector at each of these places in the destination.
macro_rules! stores {
    ($p:literal, $r:literal, $($at:expr),+) => {
        concat!($($p, "movups [rdi", $at, "], ", $r, "\n",)+)
    };
}

/// From one to two vectors of `$w` bytes: the first one and the last.
macro_rules! pair {
    ($p:literal, $w:literal, $r:literal) => {
        stores!($p, $r, "", concat!(" + rdx - ", $w))
    };
}

/// At `$label`: at least `$w` bytes and fewer than twice as many, by two vectors of `$w` bytes.
macro_rules! pair_of {
    ($w:literal, $r:literal, $end:literal, $label:literal) => {
        concat!(
            ".p2align 4\n",
            $label,
            ":\n",
            pair!("v", $w, $r),
            $end,
            "\n",
            "ret\n",
        )
    };
}

/// Fewer bytes than one vector. Tests come first, so that a size takes one jump.
macro_rules! small {
    (16) => {
        below_16!("movq", "xmm0")
    };
    (32 vex) => {
        concat!(
            "cmp edx, 16\n",
            "jae 61f\n",
            "vzeroupper\n",
            below_16!("vmovq", "xmm0"),
            pair_of!(16, "xmm0", "vzeroupper", "61"),
        )
    };
    (32 evex) => {
        concat!(
            "cmp edx, 16\n",
            "jae 61f\n",
            below_16!("vmovq", "xmm20"),
            pair_of!(16, "xmm20", "", "61"),
        )
    };
    (64 evex) => {
        concat!(
            "cmp edx, 32\n",
            "jae 60f\n",
            "cmp edx, 16\n",
            "jae 61f\n",
            below_16!("vmovq", "xmm20"),
            pair_of!(16, "xmm20", "", "61"),
            pair_of!(32, "ymm20", "", "60"),
        )
    };
}

/// From one to four times `$w` bytes, not as many, where `$bit` is twice that: two stores from the front on and two up to
/// the end.
macro_rules! four {
    ($bit:literal, $move:literal, $w:literal, $r:literal) => {
        concat!(
            "mov ecx, edx\n",
            "and ecx, ",
            $bit,
            "\n",
            "shr ecx, 1\n",
            "mov r8, rdx\n",
            "sub r8, rcx\n",
            $move,
            " [rdi], ",
            $r,
            "\n",
            $move,
            " [rdi + rcx], ",
            $r,
            "\n",
            $move,
            " [rdi + r8 - ",
            $w,
            "], ",
            $r,
            "\n",
            $move,
            " [rdi + rdx - ",
            $w,
            "], ",
            $r,
            "\n",
            "ret\n",
        )
    };
}

/// Up to two vectors; more go on at the label 30.
macro_rules! entry {
    // Few classes of sizes, each by four stores at places that a bit of the size shifts: sizes that vary are hard to foresee.
    ($w:literal, $p:literal, $r:literal, $end:literal, 64 few) => {
        concat!(
            "cmp rdx, 64\n",
            "jae 22f\n",
            "cmp edx, 16\n",
            "jb 61f\n",
            four!(32, "vmovups", 16, "xmm20"),
            ".p2align 4\n",
            "61:\n",
            "vmovd esi, xmm20\n",
            "cmp edx, 4\n",
            "jb 62f\n",
            four!(8, "mov", 4, "esi"),
            ".p2align 4\n",
            "62:\n",
            "test edx, edx\n",
            "jz 65f\n",
            "mov ecx, edx\n",
            "shr ecx, 1\n",
            "mov byte ptr [rdi], sil\n",
            "mov byte ptr [rdi + rcx], sil\n",
            "mov byte ptr [rdi + rdx - 1], sil\n",
            "65:\n",
            "ret\n",
            ".p2align 6\n",
            "22:\n",
            "cmp rdx, 128\n",
            "ja 30f\n",
            pair!("v", 64, "zmm20"),
            "ret\n",
            ".p2align 4\n",
            "30:\n",
        )
    };
    // One class below a vector, by a mask.
    ($w:literal, $p:literal, $r:literal, $end:literal, $mask:literal $word:literal masked) => {
        concat!(
            "cmp rdx, ", $w, "\n",
            "jae 22f\n",
            "mov rcx, -1\n",
            "bzhi rcx, rcx, rdx\n",
            $mask, " k1, ", $word, "\n",
            "vmovdqu8 [rdi]{{k1}}, ", $r, "\n",
            "ret\n",
            ".p2align 5\n",
            "22:\n",
            "cmp rdx, 2*", $w, "\n",
            "ja 30f\n",
            pair!($p, $w, $r),
            "ret\n",
            ".p2align 4\n",
            "30:\n",
        )
    };
    ($w:literal, $p:literal, $r:literal, $end:literal, $($kind:tt)+) => {
        concat!(
            "cmp rdx, ", $w, "\n",
            "jb 20f\n",
            "cmp rdx, 2*", $w, "\n",
            "ja 30f\n",
            pair!($p, $w, $r),
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

/// Up to four vectors of `$w` bytes.
macro_rules! up_to_four {
    // Two that are twice as wide.
    (32, $p:literal, $r:literal, $mask:literal $word:literal masked) => {
        pair!("v", 64, "zmm20")
    };
    ($w:tt, $p:literal, $r:literal, $($kind:tt)+) => {
        stores!(
            $p,
            $r,
            "",
            concat!(" + ", $w),
            concat!(" + rdx - 2*", $w),
            concat!(" + rdx - ", $w)
        )
    };
}

/// Declares the fill `$name` by vectors of `$w` bytes in the register `$r`.
macro_rules! set {
    ($(#[$doc:meta])* $name:ident, $w:tt, $p:literal, $r:literal, $end:literal, ($($kind:tt)+)) => {
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
                up_to_four!($w, $p, $r, $($kind)+),
                $end,
                "ret",
                ".p2align 4",
                "40:",
                concat!("cmp rdx, 8*", $w),
                "ja 50f",
                stores!(
                    $p,
                    $r,
                    "",
                    concat!(" + ", $w),
                    concat!(" + 2*", $w),
                    concat!(" + 3*", $w),
                    concat!(" + rdx - 4*", $w),
                    concat!(" + rdx - 3*", $w),
                    concat!(" + rdx - 2*", $w),
                    concat!(" + rdx - ", $w)
                ),
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
    /// By vectors of 64 bytes, and small blocks in few classes: AVX-512VL and BW.
    whyslow_set_64_few, 64, "v", "zmm20", "", (64 few)
}
set! {
    /// By vectors of 32 bytes of the upper registers, and smaller blocks by a mask: AVX-512VL and BW, BMI2.
    whyslow_set_32_masked, 32, "v", "ymm20", "", ("kmovd" "ecx" masked)
}
set! {
    /// By vectors of 64 bytes, and smaller blocks by a mask: AVX-512BW, BMI2.
    whyslow_set_64_masked, 64, "v", "zmm20", "", ("kmovq" "rcx" masked)
}
