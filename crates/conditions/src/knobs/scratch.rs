//! The directory of temporary files.

use std::path::Path;

use crate::condition::Knob;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "scratch",
    value: "a folder",
    what: "Has programs put their temporary files into this directory (TMPDIR).",
    enter: |value, under| {
        if !Path::new(value).is_dir() {
            return Err("no such directory".to_owned());
        }
        under.set("TMPDIR", value);
        Ok(())
    },
};
