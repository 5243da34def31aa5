//! A settable property of a process.

use crate::error::ConditionError;
use crate::setup::Under;

/// A settable property of a process or its environment.
#[derive(Debug)]
pub struct Knob {
    /// Its name in a condition.
    pub name: &'static str,
    /// The meaning of its value; empty if it takes none.
    pub value: &'static str,
    /// Its effect, in one sentence.
    pub what: &'static str,
    /// Applies it to the calling process, or returns what is missing and what to do.
    pub enter: fn(&str, &mut Under) -> Result<(), ConditionError>,
}
