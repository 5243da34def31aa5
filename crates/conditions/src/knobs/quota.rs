//! A limit on CPU time.

use crate::error::ConditionError;
use crate::group::Group;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "quota",
    value: "percent of one CPU, or none",
    what: "Runs the program in its own control group with this quota of CPU time per period of 100 ms; none: without a limit.",
    enter: |value, under| {
        let percent = match value {
            "none" => None,
            percent => Some(number(percent, "percent")?),
        };
        if percent == Some(0) {
            return Err(ConditionError::bad_value(
                "with a quota of zero the program never runs",
            ));
        }
        let group = Group::enter(percent)?;
        under.guard(group);
        Ok(())
    },
};
