//! Huge pages for this process.

use crate::error::ConditionError;
use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "thp",
    value: "off or on",
    what: "Denies the program transparent huge pages, or allows them again (prctl).",
    enter: |value, _| {
        let deny = match value {
            "off" => true,
            "on" => false,
            other => {
                return Err(ConditionError::bad_value(format!(
                    "'{other}' is neither off nor on"
                )));
            }
        };
        rustix::thread::disable_transparent_huge_pages(deny)
            .map_err(|e| ConditionError::call("huge pages", e))
    },
};
