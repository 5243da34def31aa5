//! Input checks, and the single error type of the crate.

use std::fmt;

/// Why an input cannot be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputError {
    /// The input is empty.
    Empty,
    /// A value that must be a positive finite number is not.
    NotPositive(f64),
    /// A logarithm of a latency is not a number, or is implausible (beyond ±50).
    NotALogLatency(f64),
    /// A latency curve has too few sizes: `found` of at least `needed`.
    TooFewSizes {
        /// Sizes in the input.
        found: usize,
        /// Sizes needed.
        needed: usize,
    },
    /// A size of a latency curve occurs twice, or is zero.
    BadSize(u64),
    /// A setting (a ratio, a coverage) is outside its range.
    BadSetting(f64),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "no values"),
            Self::NotPositive(v) => write!(f, "{v} is not a positive finite number"),
            Self::NotALogLatency(v) => write!(f, "{v} is not the logarithm of a latency"),
            Self::TooFewSizes { found, needed } => {
                write!(
                    f,
                    "the curve has {found} sizes, at least {needed} are needed"
                )
            }
            Self::BadSize(size) => write!(f, "size {size} is zero or occurs twice"),
            Self::BadSetting(v) => write!(f, "setting {v} is outside its range"),
        }
    }
}

impl std::error::Error for InputError {}

/// The logarithms of `values`, if all are positive and finite and there is at least one.
pub(crate) fn logs(values: &[f64]) -> Result<Vec<f64>, InputError> {
    if values.is_empty() {
        return Err(InputError::Empty);
    }
    values.iter().map(|&v| log(v)).collect()
}

/// The logarithm of one positive finite value.
pub(crate) fn log(value: f64) -> Result<f64, InputError> {
    if value.is_finite() && value > 0.0 {
        Ok(value.ln())
    } else {
        Err(InputError::NotPositive(value))
    }
}
