//! Steps of comparisons: one vector of each block, and what is said where they differ.

/// Compares the vectors of 16 bytes at `$at` of both blocks; where they differ goes on at `$label`, with a bit for each
/// differing byte in `ecx`.
macro_rules! step_16 {
    ($at:literal, $label:literal) => {
        concat!(
            "movdqu xmm0, [rdi + ",
            $at,
            "]\n",
            "movdqu xmm1, [rsi + ",
            $at,
            "]\n",
            "pcmpeqb xmm0, xmm1\n",
            "pmovmskb ecx, xmm0\n",
            "xor ecx, 0xffff\n",
            "jnz ",
            $label,
            "f\n",
        )
    };
}

/// Likewise of 32 bytes.
macro_rules! step_32 {
    ($at:literal, $label:literal) => {
        concat!(
            "vmovdqu ymm0, [rdi + ",
            $at,
            "]\n",
            "vpcmpeqb ymm0, ymm0, [rsi + ",
            $at,
            "]\n",
            "vpmovmskb ecx, ymm0\n",
            "xor ecx, -1\n",
            "jnz ",
            $label,
            "f\n",
        )
    };
}

/// Likewise of 64 bytes, with the bits in `rcx`.
macro_rules! step_64 {
    ($at:literal, $label:literal) => {
        concat!(
            "vmovdqu64 zmm20, [rdi + ",
            $at,
            "]\n",
            "vpcmpub k1, zmm20, [rsi + ",
            $at,
            "], 4\n",
            "kmovq rcx, k1\n",
            "test rcx, rcx\n",
            "jnz ",
            $label,
            "f\n",
        )
    };
}

/// Likewise of 32 bytes, in the upper registers.
macro_rules! step_32_upper {
    ($at:literal, $label:literal) => {
        concat!(
            "vmovdqu64 ymm20, [rdi + ",
            $at,
            "]\n",
            "vpcmpub k1, ymm20, [rsi + ",
            $at,
            "], 4\n",
            "kmovd ecx, k1\n",
            "test ecx, ecx\n",
            "jnz ",
            $label,
            "f\n",
        )
    };
}

/// The difference of the first bytes that differ, of the vectors at `$at`.
macro_rules! differ {
    ($label:literal, $at:literal, $end:literal) => {
        concat!(
            ".p2align 4\n",
            $label,
            ":\n",
            "tzcnt rcx, rcx\n",
            "movzx eax, byte ptr [rdi + rcx + ",
            $at,
            "]\n",
            "movzx edx, byte ptr [rsi + rcx + ",
            $at,
            "]\n",
            "sub eax, edx\n",
            $end,
            "\n",
            "ret\n",
        )
    };
}
