//! Small copies: how a shape begins.

/// Fewer bytes than one vector. Tests come first, so that a size takes one jump.
macro_rules! small {
    (16) => {
        below_16!()
    };
    (32 vex) => {
        concat!(
            "cmp edx, 16\n",
            "jae 61f\n",
            below_16!(),
            pair_of!(16, "v", "xmm", "61"),
        )
    };
    (32 evex) => {
        concat!(
            "cmp edx, 16\n",
            "jae 61f\n",
            below_16!(),
            pair_of!(16, "v", "xmm2", "61"),
        )
    };
    (64 evex) => {
        concat!(
            "cmp edx, 32\n",
            "jae 60f\n",
            "cmp edx, 16\n",
            "jae 61f\n",
            below_16!(),
            pair_of!(16, "v", "xmm2", "61"),
            pair_of!(32, "v", "ymm2", "60"),
        )
    };
}

/// Fewer than 16 bytes: two words that overlap.
macro_rules! below_16 {
    () => {
        concat!(
            "cmp edx, 8\n",
            "jae 62f\n",
            "cmp edx, 4\n",
            "jae 63f\n",
            "cmp edx, 1\n",
            "ja 64f\n",
            "jb 65f\n",
            "movzx ecx, byte ptr [rsi]\n",
            "mov byte ptr [rdi], cl\n",
            "65:\n",
            "ret\n",
            ".p2align 4\n",
            "62:\n",
            "mov rcx, qword ptr [rsi]\n",
            "mov rsi, qword ptr [rsi + rdx - 8]\n",
            "mov qword ptr [rdi], rcx\n",
            "mov qword ptr [rdi + rdx - 8], rsi\n",
            "ret\n",
            ".p2align 4\n",
            "63:\n",
            "mov ecx, dword ptr [rsi]\n",
            "mov esi, dword ptr [rsi + rdx - 4]\n",
            "mov dword ptr [rdi], ecx\n",
            "mov dword ptr [rdi + rdx - 4], esi\n",
            "ret\n",
            ".p2align 4\n",
            "64:\n",
            "movzx ecx, word ptr [rsi]\n",
            "movzx esi, word ptr [rsi + rdx - 2]\n",
            "mov word ptr [rdi], cx\n",
            "mov word ptr [rdi + rdx - 2], si\n",
            "ret\n",
        )
    };
}

/// At `$label`: at least `$w` bytes and fewer than twice as many, by two vectors of `$w` bytes.
macro_rules! pair_of {
    ($w:literal, $p:literal, $r:literal, $label:literal) => {
        concat!(
            ".p2align 4\n",
            $label,
            ":\n",
            straight!($p, (1 + 1) $w, $r),
            "ret\n",
        )
    };
}

/// In `rcx` half of the bit `$bit` of the size, and in `r8` what is left of the size without that.
macro_rules! shifted {
    ($bit:literal) => {
        concat!(
            "mov ecx, edx\n",
            "and ecx, ",
            $bit,
            "\n",
            "shr ecx, 1\n",
            "mov r8, rdx\n",
            "sub r8, rcx\n",
        )
    };
}

/// From one to four times `$w` bytes, not as many: two moves from the front on and two up to the end.
macro_rules! four {
    ($move:literal, $w:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
        concat!(
            $move,
            " ",
            $a,
            ", [rsi]\n",
            $move,
            " ",
            $b,
            ", [rsi + rcx]\n",
            $move,
            " ",
            $c,
            ", [rsi + r8 - ",
            $w,
            "]\n",
            $move,
            " ",
            $d,
            ", [rsi + rdx - ",
            $w,
            "]\n",
            $move,
            " [rdi], ",
            $a,
            "\n",
            $move,
            " [rdi + rcx], ",
            $b,
            "\n",
            $move,
            " [rdi + r8 - ",
            $w,
            "], ",
            $c,
            "\n",
            $move,
            " [rdi + rdx - ",
            $w,
            "], ",
            $d,
            "\n",
            "ret\n",
        )
    };
}

/// Up to four vectors of `$w` bytes.
macro_rules! up_to_four {
    // Two that are twice as wide.
    (32, $p:literal, $r:literal, $mask:literal $word:literal $whole:literal masked) => {
        straight!("v", (1 + 1) 64, "zmm2")
    };
    ($w:tt, $p:literal, $r:literal, $($small:tt)+) => {
        straight!($p, (2 + 2) $w, $r)
    };
}

/// Up to two vectors; more go on at the label 30.
macro_rules! entry {
    // Few classes of sizes, each by four moves at places that a bit of the size shifts: sizes that vary are hard to foresee.
    ($w:literal, $p:literal, $r:literal, $end:literal, 64 few) => {
        concat!(
            "mov rax, rdi\n",
            "cmp rdx, 64\n",
            "jae 22f\n",
            "cmp edx, 16\n",
            "jb 61f\n",
            shifted!(32),
            four!("vmovups", 16, "xmm20", "xmm21", "xmm22", "xmm23"),
            ".p2align 4\n",
            "61:\n",
            "cmp edx, 4\n",
            "jb 62f\n",
            shifted!(8),
            four!("mov", 4, "r9d", "r10d", "r11d", "esi"),
            ".p2align 4\n",
            "62:\n",
            "test edx, edx\n",
            "jz 65f\n",
            "mov ecx, edx\n",
            "shr ecx, 1\n",
            "movzx r8d, byte ptr [rsi]\n",
            "movzx r9d, byte ptr [rsi + rcx]\n",
            "movzx esi, byte ptr [rsi + rdx - 1]\n",
            "mov byte ptr [rdi], r8b\n",
            "mov byte ptr [rdi + rcx], r9b\n",
            "mov byte ptr [rdi + rdx - 1], sil\n",
            "65:\n",
            "ret\n",
            ".p2align 6\n",
            "22:\n",
            "cmp rdx, 128\n",
            "ja 30f\n",
            straight!("v", (1 + 1) 64, "zmm2"),
            "ret\n",
            ".p2align 4\n",
            "30:\n",
        )
    };
    // One class below a vector, by a mask.
    ($w:literal, $p:literal, $r:literal, $end:literal, $mask:literal $word:literal $whole:literal masked) => {
        concat!(
            "mov rax, rdi\n",
            "cmp rdx, ", $w, "\n",
            "jae 22f\n",
            "mov rcx, -1\n",
            "bzhi rcx, rcx, rdx\n",
            $mask, " k1, ", $word, "\n",
            "vmovdqu8 ", $whole, "{{k1}}{{z}}, [rsi]\n",
            "vmovdqu8 [rdi]{{k1}}, ", $whole, "\n",
            "ret\n",
            ".p2align 5\n",
            "22:\n",
            "cmp rdx, 2*", $w, "\n",
            "ja 30f\n",
            straight!($p, (1 + 1) $w, $r),
            "ret\n",
            ".p2align 4\n",
            "30:\n",
        )
    };
    ($w:literal, $p:literal, $r:literal, $end:literal, $($small:tt)+) => {
        concat!(
            "mov rax, rdi\n",
            "cmp rdx, ", $w, "\n",
            "jb 20f\n",
            "cmp rdx, 2*", $w, "\n",
            "ja 30f\n",
            straight!($p, (1 + 1) $w, $r),
            $end, "\n",
            "ret\n",
            ".p2align 6\n",
            "20:\n",
            small!($($small)+),
            ".p2align 4\n",
            "30:\n",
        )
    };
}
