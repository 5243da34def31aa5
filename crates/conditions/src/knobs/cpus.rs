//! The allowed CPUs.

use whyslow_linux::affinity::allowed;

use crate::beside::only;
use crate::condition::{Knob, number};

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "cpus",
    value: "first, or numbers joined by +",
    what: "Restricts the program to these CPUs.",
    enter: |value, _| match value {
        "first" => only(&mask()?[..1]),
        list => {
            let cpus: Result<Vec<u32>, String> =
                list.split('+').map(|c| number(c, "a CPU")).collect();
            only(&cpus?)
        }
    },
};

/// The CPUs that this process may use, ascending; one at least.
pub(crate) fn mask() -> Result<Vec<u32>, String> {
    let cpus = allowed().map_err(|e| format!("reading the allowed CPUs: {e}"))?;
    if cpus.is_empty() {
        return Err("the kernel reports no allowed CPU".to_owned());
    }
    Ok(cpus)
}
