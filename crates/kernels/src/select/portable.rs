//! The selections as the compiler makes them: opaque values keep it from turning one form into the other.

use std::hint::black_box;

use super::{CONDITIONS_A_WORD, Form, Kernel};

unsafe fn run<const MOVE: bool>(
    conditions: *const u64,
    words: usize,
    passes: u64,
    mut value: u64,
    step: u64,
) -> u64 {
    for _ in 0..passes {
        for at in 0..words {
            // SAFETY: within the words that the caller vouches for.
            let mut word = unsafe { conditions.add(at).read_volatile() };
            for _ in 0..CONDITIONS_A_WORD {
                let set = word >> 63;
                word <<= 1;
                if MOVE {
                    // All ones or none.
                    let mask = black_box(set).wrapping_neg();
                    value = black_box(value.wrapping_add(step) & mask | value & !mask);
                } else if black_box(set) == 1 {
                    value = black_box(value.wrapping_add(step));
                }
            }
        }
    }
    value
}

/// The loop of a form.
pub(super) fn kernel(form: Form) -> Kernel {
    match form {
        Form::Branch => run::<false>,
        Form::Move => run::<true>,
    }
}
