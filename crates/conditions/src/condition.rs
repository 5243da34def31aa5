//! A knob with a value, parsed and printed.

use std::fmt;
use std::str::FromStr;

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::knobs::KNOBS;

/// A knob with a value, such as `seccomp=200`.
#[derive(Debug, Clone)]
pub struct Condition {
    /// The knob.
    pub knob: &'static Knob,
    /// Its value; empty if there is none.
    pub value: String,
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let knob = KNOBS.iter().find(|k| k.name == name).ok_or_else(|| {
            let names: Vec<&str> = KNOBS.iter().map(|k| k.name).collect();
            ConditionError::bad_value(format!(
                "'{name}' is not a condition; conditions are {}",
                names.join(", ")
            ))
        })?;
        Ok(Condition {
            knob,
            value: value.to_owned(),
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.knob.name)?;
        if self.value.is_empty() {
            return Ok(());
        }
        write!(f, "={}", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_text_and_back() {
        for text in ["seccomp=200", "trace", "environment=65536", "cpus=first"] {
            let condition: Condition = text.parse().unwrap();
            assert_eq!(condition.to_string(), text);
        }
        let error = "warp=9".parse::<Condition>().unwrap_err().to_string();
        assert!(
            error.starts_with("'warp' is not a condition; conditions are "),
            "{error}"
        );
    }

    #[test]
    fn every_knob_has_a_name_of_its_own_and_says_what_it_does() {
        for (i, knob) in KNOBS.iter().enumerate() {
            assert!(
                KNOBS[..i].iter().all(|k| k.name != knob.name),
                "{}",
                knob.name
            );
            assert!(knob.what.ends_with('.'), "{}", knob.name);
        }
    }
}
