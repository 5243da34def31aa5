//! One selection after the other, each waiting for the result of the one before, by a branch or by a conditional move.
//!
//! A selection adds a constant to a value where a condition holds and leaves the value as it is where it does not. The
//! conditions are bits that were decided before: each addition of a word to itself moves the next one into the carry
//! flag, so both forms get theirs alike and without a load.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
// Tested on all architectures, so that it does not go stale.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "aarch64")]
use aarch64::kernel;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable::kernel;
#[cfg(target_arch = "x86_64")]
use x86_64::kernel;

/// Conditions in a word; the loop is unrolled over one.
pub const CONDITIONS_A_WORD: u64 = 64;

/// How a selection is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A branch around the addition: free while it is predicted, and many cycles where it is not.
    Branch,
    /// The addition always, and a conditional move of its result: two operations that wait for each other, and nothing
    /// to predict.
    Move,
}

impl Form {
    /// Both.
    pub const ALL: [Form; 2] = [Form::Branch, Form::Move];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Form::Branch => "branch",
            Form::Move => "cmov",
        }
    }
}

/// A loop: conditions, how many words of them, passes, the value, what is added; to the value.
type Kernel = unsafe fn(*const u64, usize, u64, u64, u64) -> u64;

/// Goes `passes` times (at least once) through `conditions`, the highest bit of each word first, and adds `step` to
/// `value` for each that is set.
///
/// # Panics
/// Without conditions.
pub fn select(form: Form, conditions: &[u64], passes: u64, value: u64, step: u64) -> u64 {
    assert!(!conditions.is_empty(), "no conditions");
    // SAFETY: the loop reads the words of the slice and nothing else.
    unsafe {
        kernel(form)(
            conditions.as_ptr(),
            conditions.len(),
            passes.max(1),
            value,
            step,
        )
    }
}

/// The function of a loop, for the test that decodes it.
#[cfg(all(test, any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) fn entry(form: Form) -> *const () {
    kernel(form) as *const ()
}
