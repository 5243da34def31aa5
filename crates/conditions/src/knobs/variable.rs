//! A variable of the environment.

use crate::error::ConditionError;
use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "variable",
    value: "NAME=VALUE",
    what: "Sets this variable in the program's environment.",
    enter: |value, under| match value.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            under.set(name, value);
            Ok(())
        }
        _ => Err(ConditionError::bad_value(format!(
            "'{value}' is not NAME=VALUE"
        ))),
    },
};
