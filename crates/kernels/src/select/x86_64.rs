//! The selections on x86-64.

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
                    "mov {word}, qword ptr [{at}]",
                    // Eight bytes a selection from here on: no branch crosses or ends at a boundary of 32 bytes, which
                    // makes branches slow on some cores.
                    ".p2align 3",
                    ".rept {unroll}",
                    // The highest bit of the word into the carry flag.
                    "add {word}, {word}",
                    $($line,)*
                    ".endr",
                    "add {at}, 8",
                    "cmp {at}, {end}",
                    "jne 3b",
                    "dec {passes}",
                    "jnz 2b",
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
select_loop!(branch, "jnc 4f" "add {value}, {step}" "4: # {spare}");
// `lea` leaves the flags as they are.
select_loop!(conditional_move, "lea {spare}, [{value} + {step}]" "cmovc {value}, {spare}");

/// The loop of a form.
pub(super) fn kernel(form: Form) -> Kernel {
    match form {
        Form::Branch => branch,
        Form::Move => conditional_move,
    }
}
