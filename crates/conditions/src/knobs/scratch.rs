//! The directory of temporary files.

use std::path::Path;

use crate::error::ConditionError;
use crate::knob::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "scratch",
    value: "a folder",
    what: "Has programs put their temporary files into this directory (TMPDIR).",
    enter: |value, under| {
        if !Path::new(value).is_dir() {
            return Err(ConditionError::bad_value("no such directory"));
        }
        under.set("TMPDIR", value);
        Ok(())
    },
};
