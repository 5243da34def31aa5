//! Tunables of the C library.

use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "tunables",
    value: "NAME=VALUE, joined by colons",
    what: "Sets these tunables of the GNU C library for programs (GLIBC_TUNABLES).",
    enter: |value, under| {
        under.set("GLIBC_TUNABLES", value);
        Ok(())
    },
};
