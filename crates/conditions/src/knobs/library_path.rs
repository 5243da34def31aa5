//! Directories searched by the loader for libraries.

use std::fmt::Write;

use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "library-path",
    value: "folders",
    what: "Makes the loader search this many directories without the library, for every library (LD_LIBRARY_PATH).",
    enter: |value, under| {
        let folders: usize = number(value, "folders")?;
        let mut path = String::new();
        for folder in 0..folders {
            let end = if folder == 0 { "" } else { ":" };
            // Writing to a string cannot fail.
            let _ = write!(path, "{end}/usr/share/whyslow-has-no-library-{folder}");
        }
        if folders > 0 {
            under.set("LD_LIBRARY_PATH", path);
        }
        Ok(())
    },
};
