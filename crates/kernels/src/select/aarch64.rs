//! The selections on aarch64.

use super::{CONDITIONS_A_WORD, Form, Kernel};
use std::arch::asm;

/// Declares the loop `$name`, made of `$line` once for each condition of a word.
macro_rules! select_loop {
    ($name:ident, $($line:literal)*) => {
        #[inline(never)]
        unsafe fn $name(
            conditions: *const u64,
            words: usize,
            passes: u64,
            value: u64,
            step: u64,
        ) -> u64 {
            let mut value = value;
            // SAFETY: reads the words of `conditions`, for which the caller vouches. All registers are declared.
            unsafe {
                asm!(
                    "2:",
                    "mov {at}, {conditions}",
                    ".p2align 6",
                    "3:",
                    "ldr {word}, [{at}], #8",
                    ".rept {unroll}",
                    // The highest bit of the word into the carry flag.
                    "adds {word}, {word}, {word}",
                    $($line,)*
                    ".endr",
                    "cmp {at}, {end}",
                    "b.ne 3b",
                    "subs {passes}, {passes}, #1",
                    "b.ne 2b",
                    unroll = const CONDITIONS_A_WORD,
                    at = out(reg) _,
                    word = out(reg) _,
                    spare = out(reg) _,
                    conditions = in(reg) conditions,
                    end = in(reg) conditions.wrapping_add(words),
                    passes = inout(reg) passes => _,
                    value = inout(reg) value,
                    step = in(reg) step,
                    options(nostack, readonly),
                );
            }
            value
        }
    };
}

// Every operand has to be named: `spare` is in a comment of the assembler where it is not used.
select_loop!(branch, "b.cc 4f" "add {value}, {value}, {step}" "4: // {spare}");
select_loop!(conditional_move, "add {spare}, {value}, {step}" "csel {value}, {spare}, {value}, cs");

/// The loop of a form.
pub(super) fn kernel(form: Form) -> Kernel {
    match form {
        Form::Branch => branch,
        Form::Move => conditional_move,
    }
}
