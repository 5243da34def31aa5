//! Open files, which every fork inherits.

use std::fs::File;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::ConditionError;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "open-files",
    value: "files",
    what: "Opens /dev/null this many times, inherited by the program and its descendants.",
    enter: |value, _| {
        let files: u64 = number(value, "files")?;
        let limit = getrlimit(Resource::Nofile);
        // In addition to those that the program itself opens.
        let wanted = files + 1_000;
        if limit.current.is_some_and(|now| now < wanted) {
            let raised = Rlimit {
                current: Some(wanted),
                maximum: limit.maximum.map(|most| most.max(wanted)),
            };
            setrlimit(Resource::Nofile, raised).map_err(|e| {
                ConditionError::call(format!("raising the limit of open files to {wanted}"), e)
            })?;
        }
        for _ in 0..files {
            let file = File::open("/dev/null").map_err(|e| ConditionError::call("/dev/null", e))?;
            fcntl_setfd(&file, FdFlags::empty())
                .map_err(|e| ConditionError::call("/dev/null", e))?;
            // Intentionally open until the program exits.
            std::mem::forget(file);
        }
        Ok(())
    },
};
