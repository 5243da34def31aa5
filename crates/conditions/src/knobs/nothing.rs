//! Nothing: the same steps as for any condition, without one. The placebo of those that are inherited.

use crate::condition::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "nothing",
    value: "",
    what: "Starts the program by way of this one, and changes nothing.",
    enter: |_, _| Ok(()),
};
