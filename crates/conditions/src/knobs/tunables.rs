//! Tunables of the C library.

use crate::condition::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "tunables",
    value: "NAME=VALUE, joined by colons",
    what: "Hands programs these tunables of the GNU C library (GLIBC_TUNABLES).",
    enter: |value, under| {
        under.set("GLIBC_TUNABLES", value);
        Ok(())
    },
};
