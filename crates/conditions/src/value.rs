//! Values of conditions, as typed.

use std::str::FromStr;

use crate::error::ConditionError;

/// A value as a number.
///
/// # Errors
/// When it is not a number.
pub(crate) fn number<T: FromStr>(value: &str, means: &str) -> Result<T, ConditionError> {
    let number = value.parse();
    number.map_err(|_| ConditionError::bad_value(format!("'{value}' is not a number of {means}")))
}
