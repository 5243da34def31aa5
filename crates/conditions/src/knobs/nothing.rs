//! Nothing: the same steps as for any condition, without one. The placebo for inherited conditions.

use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "nothing",
    value: "",
    what: "Starts the program through this one, and changes nothing.",
    enter: |_, _| Ok(()),
};
