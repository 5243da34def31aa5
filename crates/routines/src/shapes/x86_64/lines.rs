//! Copies line by line of the destination, the last line by a mask, and what a loop upward leaves.

/// The last line, up to `r10`, by a mask.
macro_rules! last_line {
    () => {
        concat!(
            "sub r10, rdi\n",
            "mov r8, -1\n",
            "bzhi r8, r8, r10\n",
            "kmovq k1, r8\n",
            "vmovdqu8 zmm20{{k1}}{{z}}, [rsi]\n",
            "vmovdqu8 [rdi]{{k1}}, zmm20\n",
            "ret\n",
        )
    };
}

/// What a loop upward leaves, up to five vectors that end with the blocks: as `$tail` does, or all five whatever is left.
macro_rules! left {
    ($w:literal, $p:literal, $r:literal, $end:literal, $tail:ident) => {
        $tail!()
    };
    ($w:literal, $p:literal, $r:literal, $end:literal) => {
        concat!(
            $p,
            "movups ",
            $r,
            "0, [r10 - 5*",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "1, [r10 - 4*",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "2, [r10 - 3*",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "3, [r10 - 2*",
            $w,
            "]\n",
            $p,
            "movups ",
            $r,
            "4, [r10 - ",
            $w,
            "]\n",
            $p,
            "movups [r8], ",
            $r,
            "0\n",
            $p,
            "movups [r8 + ",
            $w,
            "], ",
            $r,
            "1\n",
            $p,
            "movups [r8 + 2*",
            $w,
            "], ",
            $r,
            "2\n",
            $p,
            "movups [r8 + 3*",
            $w,
            "], ",
            $r,
            "3\n",
            $p,
            "movups [r8 + 4*",
            $w,
            "], ",
            $r,
            "4\n",
            $end,
            "\n",
            "ret\n",
        )
    };
}

/// What a loop upward leaves, one to five lines of which `r8` is five before the end: none is stored twice.
macro_rules! last_lines {
    () => {
        concat!(
            "lea r9, [r8 + 4*64]\n",
            "lea r10, [r8 + 5*64]\n",
            "86:\n",
            "vmovups zmm20, [rsi]\n",
            "add rsi, 64\n",
            "vmovaps [rdi], zmm20\n",
            "add rdi, 64\n",
            "cmp rdi, r9\n",
            "jb 86b\n",
            last_line!(),
        )
    };
}

/// From eight to sixteen vectors of 64 bytes, one line of the destination at a time and the last by a mask: a straight copy
/// stores its last vectors to two lines each, and all of them where no line begins. Blocks that overlap go on at the label 82.
macro_rules! line_by_line {
    () => {
        concat!(
            "mov rcx, rdi\n",
            "sub rcx, rsi\n",
            "cmp rcx, rdx\n",
            "jb 82f\n",
            "mov r8, rcx\n",
            "neg r8\n",
            "cmp r8, rdx\n",
            "jb 82f\n",
            "vmovups zmm20, [rsi]\n",
            "lea r10, [rdi + rdx]\n",
            "vmovups [rdi], zmm20\n",
            "add rdi, 64\n",
            "and rdi, -64\n",
            "mov rsi, rdi\n",
            "sub rsi, rcx\n",
            // So many whole lines there are at least.
            "vmovups zmm20, [rsi]\n",
            "vmovups zmm21, [rsi + 64]\n",
            "vmovups zmm22, [rsi + 2*64]\n",
            "vmovups zmm23, [rsi + 3*64]\n",
            "vmovups zmm24, [rsi + 4*64]\n",
            "vmovups zmm25, [rsi + 5*64]\n",
            "vmovups zmm26, [rsi + 6*64]\n",
            "vmovaps [rdi], zmm20\n",
            "vmovaps [rdi + 64], zmm21\n",
            "vmovaps [rdi + 2*64], zmm22\n",
            "vmovaps [rdi + 3*64], zmm23\n",
            "vmovaps [rdi + 4*64], zmm24\n",
            "vmovaps [rdi + 5*64], zmm25\n",
            "vmovaps [rdi + 6*64], zmm26\n",
            "add rsi, 7*64\n",
            "add rdi, 7*64\n",
            // The last line has a byte at least, as a mask of none makes the store slow.
            "lea r8, [r10 - 64]\n",
            "lea r9, [r10 - 5*64]\n",
            "cmp rdi, r9\n",
            "ja 85f\n",
            "vmovups zmm20, [rsi]\n",
            "vmovups zmm21, [rsi + 64]\n",
            "vmovups zmm22, [rsi + 2*64]\n",
            "vmovups zmm23, [rsi + 3*64]\n",
            "vmovaps [rdi], zmm20\n",
            "vmovaps [rdi + 64], zmm21\n",
            "vmovaps [rdi + 2*64], zmm22\n",
            "vmovaps [rdi + 3*64], zmm23\n",
            "add rsi, 4*64\n",
            "add rdi, 4*64\n",
            "85:\n",
            "cmp rdi, r8\n",
            "jae 84f\n",
            ".p2align 4\n",
            "83:\n",
            "vmovups zmm20, [rsi]\n",
            "add rsi, 64\n",
            "vmovaps [rdi], zmm20\n",
            "add rdi, 64\n",
            "cmp rdi, r8\n",
            "jb 83b\n",
            "84:\n",
            last_line!(),
            ".p2align 4\n",
            "82:\n",
        )
    };
}
