//! Language settings.

use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "locale",
    value: "name, such as C or C.UTF-8",
    what: "Sets the locale of programs (LC_ALL).",
    enter: |value, under| {
        under.set("LC_ALL", value);
        Ok(())
    },
};
