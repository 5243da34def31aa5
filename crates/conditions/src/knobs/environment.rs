//! The size of the environment.

use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "environment",
    value: "bytes",
    what: "Adds variables of the given total size to the program's environment, which every program it starts inherits.",
    enter: |value, under| {
        let mut left: usize = number(value, "bytes")?;
        let mut number = 0;
        while left > 0 {
            let bytes = left.min(MOST);
            under.set(&format!("WHYSLOW_FILL_{number}"), "x".repeat(bytes));
            left -= bytes;
            number += 1;
        }
        Ok(())
    },
};

/// Bytes of one variable: the kernel rejects strings of 128 KiB or more.
const MOST: usize = 64 << 10;
