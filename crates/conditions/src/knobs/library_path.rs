//! Folders in which the loader looks for libraries.

use std::fmt::Write;

use crate::condition::{Knob, number};

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "library-path",
    value: "folders",
    what: "Has the loader look for every library in so many folders that do not have it (LD_LIBRARY_PATH).",
    enter: |value, under| {
        let folders: usize = number(value, "folders")?;
        let mut path = String::new();
        for folder in 0..folders {
            let end = if folder == 0 { "" } else { ":" };
            // Writing to a text cannot fail.
            let _ = write!(path, "{end}/usr/share/whyslow-has-no-library-{folder}");
        }
        if folders > 0 {
            under.set("LD_LIBRARY_PATH", path);
        }
        Ok(())
    },
};
