//! Comparisons on x86-64. Nothing is read beyond either block: small ones by words that overlap, or by a mask.

use core::arch::naked_asm;

/// Fewer than 16 bytes, by words that overlap; then, at the label 66, two words that differ, of which the lower address
/// counts most.
macro_rules! below_16 {
    () => {
        concat!(
            "cmp edx, 8\n",
            "jb 62f\n",
            "mov rax, qword ptr [rdi]\n",
            "mov rcx, qword ptr [rsi]\n",
            "cmp rax, rcx\n",
            "jne 66f\n",
            "mov rax, qword ptr [rdi + rdx - 8]\n",
            "mov rcx, qword ptr [rsi + rdx - 8]\n",
            "cmp rax, rcx\n",
            "jne 66f\n",
            "xor eax, eax\n",
            "ret\n",
            ".p2align 4\n",
            "62:\n",
            "cmp edx, 4\n",
            "jb 63f\n",
            "mov eax, dword ptr [rdi]\n",
            "mov ecx, dword ptr [rsi]\n",
            "mov r8d, dword ptr [rdi + rdx - 4]\n",
            "mov r9d, dword ptr [rsi + rdx - 4]\n",
            "shl r8, 32\n",
            "shl r9, 32\n",
            "or rax, r8\n",
            "or rcx, r9\n",
            "cmp rax, rcx\n",
            "jne 66f\n",
            "xor eax, eax\n",
            "ret\n",
            // One to three bytes: the first, the middle one and the last.
            ".p2align 4\n",
            "63:\n",
            "test edx, edx\n",
            "jz 64f\n",
            "movzx eax, byte ptr [rdi]\n",
            "movzx ecx, byte ptr [rsi]\n",
            "sub eax, ecx\n",
            "jne 65f\n",
            "mov r8d, edx\n",
            "shr r8d, 1\n",
            "movzx eax, byte ptr [rdi + r8]\n",
            "movzx ecx, byte ptr [rsi + r8]\n",
            "sub eax, ecx\n",
            "jne 65f\n",
            "movzx eax, byte ptr [rdi + rdx - 1]\n",
            "movzx ecx, byte ptr [rsi + rdx - 1]\n",
            "sub eax, ecx\n",
            "ret\n",
            "64:\n",
            "xor eax, eax\n",
            "65:\n",
            "ret\n",
            ".p2align 4\n",
            "66:\n",
            "bswap rax\n",
            "bswap rcx\n",
            "xor edx, edx\n",
            "cmp rax, rcx\n",
            "sbb eax, eax\n",
            "or eax, 1\n",
            "ret\n",
        )
    };
}

/// Without AVX-512: fewer than a vector by halves and words.
macro_rules! small {
    (16) => {
        below_16!()
    };
    (32) => {
        concat!(
            "cmp edx, 16\n",
            "jb 61f\n",
            "vmovdqu xmm0, [rdi]\n",
            "vpcmpeqb xmm0, xmm0, [rsi]\n",
            "vpmovmskb ecx, xmm0\n",
            "xor ecx, 0xffff\n",
            "jnz 91f\n",
            "lea rdi, [rdi + rdx - 16]\n",
            "lea rsi, [rsi + rdx - 16]\n",
            "vmovdqu xmm0, [rdi]\n",
            "vpcmpeqb xmm0, xmm0, [rsi]\n",
            "vpmovmskb ecx, xmm0\n",
            "xor ecx, 0xffff\n",
            "jnz 91f\n",
            "xor eax, eax\n",
            "vzeroupper\n",
            "ret\n",
            ".p2align 4\n",
            "61:\n",
            below_16!(),
        )
    };
    // By halves and words, in the upper registers.
    (64 words) => {
        concat!(
            "cmp edx, 16\n",
            "jb 61f\n",
            "cmp edx, 32\n",
            "jae 60f\n",
            "vmovdqu64 xmm20, [rdi]\n",
            "vpcmpub k1, xmm20, [rsi], 4\n",
            "lea rdi, [rdi + rdx - 16]\n",
            "lea rsi, [rsi + rdx - 16]\n",
            "kmovd ecx, k1\n",
            "test ecx, ecx\n",
            "jnz 94f\n",
            "vmovdqu64 xmm20, [rdi]\n",
            "vpcmpub k1, xmm20, [rsi], 4\n",
            "kmovd ecx, k1\n",
            "xor eax, eax\n",
            "test ecx, ecx\n",
            "jnz 91f\n",
            "ret\n",
            ".p2align 4\n",
            "60:\n",
            "vmovdqu64 ymm20, [rdi]\n",
            "vpcmpub k1, ymm20, [rsi], 4\n",
            "kmovd ecx, k1\n",
            "test ecx, ecx\n",
            "jnz 91f\n",
            "lea rdi, [rdi + rdx - 32]\n",
            "lea rsi, [rsi + rdx - 32]\n",
            "vmovdqu64 ymm20, [rdi]\n",
            "vpcmpub k1, ymm20, [rsi], 4\n",
            "kmovd ecx, k1\n",
            "xor eax, eax\n",
            "test ecx, ecx\n",
            "jnz 91f\n",
            "ret\n",
            ".p2align 4\n",
            "94:\n",
            "sub rdi, rdx\n",
            "sub rsi, rdx\n",
            "add rdi, 16\n",
            "add rsi, 16\n",
            "jmp 91f\n",
            ".p2align 4\n",
            "61:\n",
            below_16!(),
        )
    };
    (64 then 32) => {
        small!(64)
    };
    (64) => {
        concat!(
            "mov rcx, -1\n",
            "bzhi rcx, rcx, rdx\n",
            "kmovq k2, rcx\n",
            "vmovdqu8 zmm20{{k2}}{{z}}, [rdi]\n",
            "vpcmpub k1{{k2}}, zmm20, [rsi], 4\n",
            "kmovq rcx, k1\n",
            "xor eax, eax\n",
            "test rcx, rcx\n",
            "jnz 91f\n",
            "ret\n",
        )
    };
}

/// Goes on at the label 30 where a size is no small one.
macro_rules! beyond {
    // A mask has all of a vector, too.
    ($w:tt, 64) => {
        "cmp rdx, 64\nja 30f"
    };
    ($w:tt, 64 then 32) => {
        beyond!($w, 64)
    };
    ($w:tt, $($small:tt)+) => {
        concat!("cmp rdx, ", $w, "\njae 30f")
    };
}

/// From the label 30 on: up to four vectors of `$w` bytes; more go on at the label 50.
macro_rules! few {
    ($w:tt, $step:ident, $end:literal, 64 then 32) => {
        concat!(
            "cmp rdx, 128\n",
            "ja 50f\n",
            step_64!("0", "91"),
            "lea rdi, [rdi + rdx - 64]\n",
            "lea rsi, [rsi + rdx - 64]\n",
            step_64!("0", "91"),
            "xor eax, eax\n",
            "ret\n",
        )
    };
    ($w:tt, $step:ident, $end:literal, $($small:tt)+) => {
        concat!(
            "cmp rdx, 4*",
            $w,
            "\n",
            "ja 50f\n",
            $step!("0", "91"),
            "cmp rdx, 2*",
            $w,
            "\n",
            "ja 40f\n",
            // What is left of up to two vectors: the last one.
            "lea rdi, [rdi + rdx - ",
            $w,
            "]\n",
            "lea rsi, [rsi + rdx - ",
            $w,
            "]\n",
            $step!("0", "91"),
            "xor eax, eax\n",
            $end,
            "\n",
            "ret\n",
            ".p2align 4\n",
            "40:\n",
            $step!($w, "92"),
            "lea rdi, [rdi + rdx - 2*",
            $w,
            "]\n",
            "lea rsi, [rsi + rdx - 2*",
            $w,
            "]\n",
            $step!("0", "91"),
            $step!($w, "92"),
            "xor eax, eax\n",
            $end,
            "\n",
            "ret\n",
        )
    };
}

/// The test of four vectors at once, at both of the blocks' addresses: jumps to 96 where one differs.
macro_rules! four {
    (16) => {
        concat!(
            "movdqu xmm0, [rdi]\n",
            "movdqu xmm1, [rdi + 16]\n",
            "movdqu xmm2, [rdi + 2*16]\n",
            "movdqu xmm3, [rdi + 3*16]\n",
            "movdqu xmm4, [rsi]\n",
            "movdqu xmm5, [rsi + 16]\n",
            "movdqu xmm6, [rsi + 2*16]\n",
            "movdqu xmm7, [rsi + 3*16]\n",
            "pcmpeqb xmm0, xmm4\n",
            "pcmpeqb xmm1, xmm5\n",
            "pcmpeqb xmm2, xmm6\n",
            "pcmpeqb xmm3, xmm7\n",
            "pand xmm0, xmm1\n",
            "pand xmm2, xmm3\n",
            "pand xmm0, xmm2\n",
            "pmovmskb ecx, xmm0\n",
            "xor ecx, 0xffff\n",
            "jnz 96f\n",
        )
    };
    (32) => {
        concat!(
            "vmovdqu ymm0, [rdi]\n",
            "vmovdqu ymm1, [rdi + 32]\n",
            "vmovdqu ymm2, [rdi + 2*32]\n",
            "vmovdqu ymm3, [rdi + 3*32]\n",
            "vpcmpeqb ymm0, ymm0, [rsi]\n",
            "vpcmpeqb ymm1, ymm1, [rsi + 32]\n",
            "vpcmpeqb ymm2, ymm2, [rsi + 2*32]\n",
            "vpcmpeqb ymm3, ymm3, [rsi + 3*32]\n",
            "vpand ymm0, ymm0, ymm1\n",
            "vpand ymm2, ymm2, ymm3\n",
            "vpand ymm0, ymm0, ymm2\n",
            "vpmovmskb ecx, ymm0\n",
            "xor ecx, -1\n",
            "jnz 96f\n",
        )
    };
    (upper $r:literal $w:literal) => {
        concat!(
            "vmovdqu64 ",
            $r,
            "0, [rdi]\n",
            "vmovdqu64 ",
            $r,
            "1, [rdi + ",
            $w,
            "]\n",
            "vmovdqu64 ",
            $r,
            "2, [rdi + 2*",
            $w,
            "]\n",
            "vmovdqu64 ",
            $r,
            "3, [rdi + 3*",
            $w,
            "]\n",
            "vpxorq ",
            $r,
            "0, ",
            $r,
            "0, [rsi]\n",
            "vpxorq ",
            $r,
            "1, ",
            $r,
            "1, [rsi + ",
            $w,
            "]\n",
            "vpxorq ",
            $r,
            "2, ",
            $r,
            "2, [rsi + 2*",
            $w,
            "]\n",
            "vpxorq ",
            $r,
            "3, ",
            $r,
            "3, [rsi + 3*",
            $w,
            "]\n",
            "vpternlogd ",
            $r,
            "0, ",
            $r,
            "1, ",
            $r,
            "2, 0xfe\n",
            "vporq ",
            $r,
            "0, ",
            $r,
            "0, ",
            $r,
            "3\n",
            "vptestmb k1, ",
            $r,
            "0, ",
            $r,
            "0\n",
            "kortestq k1, k1\n",
            "jnz 96f\n",
        )
    };
}

/// Declares the comparison `$name` by vectors of `$w` bytes, one of which `$step` compares.
macro_rules! compare {
    ($(#[$doc:meta])* $name:ident, $w:tt, $step:ident, $end:literal, ($($four:tt)+), ($($small:tt)+)) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `bytes` bytes can be read at both; the CPU has the instructions.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(one: *const u8, other: *const u8, bytes: usize) -> i32 {
            naked_asm!(
                beyond!($w, $($small)+),
                small!($($small)+),
                ".p2align 4",
                "30:",
                few!($w, $step, $end, $($small)+),
                // Four at a time. Up to eight: the first and the last four.
                ".p2align 4",
                "50:",
                four!($($four)+),
                concat!("lea r8, [rdi + rdx - 4*", $w, "]"),
                "mov r9, rsi",
                "sub r9, rdi",
                concat!("cmp rdx, 8*", $w),
                "jbe 58f",
                // Beyond, the first block is aligned.
                concat!("add rdi, 4*", $w),
                concat!("and rdi, -", $w),
                ".p2align 6",
                "57:",
                "lea rsi, [rdi + r9]",
                four!($($four)+),
                concat!("add rdi, 4*", $w),
                "cmp rdi, r8",
                "jb 57b",
                "58:",
                "mov rdi, r8",
                "lea rsi, [rdi + r9]",
                four!($($four)+),
                "xor eax, eax",
                $end,
                "ret",
                // One of four vectors differs.
                ".p2align 4",
                "96:",
                $step!("0", "91"),
                $step!($w, "92"),
                concat!("add rdi, 2*", $w),
                concat!("add rsi, 2*", $w),
                $step!("0", "91"),
                $step!($w, "92"),
                "ud2",
                differ!("91", "0", $end),
                differ!("92", $w, $end),
            )
        }
    };
}

compare! {
    /// By vectors of 16 bytes: every CPU of the architecture.
    whyslow_compare_16, 16, step_16, "", (16), (16)
}
compare! {
    /// By vectors of 32 bytes: AVX2.
    whyslow_compare_32, 32, step_32, "vzeroupper", (32), (32)
}
compare! {
    /// By vectors of 64 bytes: AVX-512VL and BW.
    whyslow_compare_64, 64, step_64, "", (upper "zmm2" 64), (64 words)
}
compare! {
    /// By vectors of 64 bytes, and small blocks by a mask: AVX-512BW, BMI2.
    whyslow_compare_64_masked, 64, step_64, "", (upper "zmm2" 64), (64)
}
compare! {
    /// Up to 128 bytes by masks and vectors of 64, beyond by vectors of 32 of the upper registers, as wider ones gain nothing on
    /// some CPUs and lose where they cross lines: AVX-512VL and BW, BMI2.
    whyslow_compare_64_then_32, 32, step_32_upper, "", (upper "ymm2" 32), (64 then 32)
}
