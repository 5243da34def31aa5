//! The allowed CPUs.

use whyslow_linux::affinity::allowed;

use crate::beside::only;
use crate::error::ConditionError;
use crate::knob::Knob;
use crate::value::number;

/// The declaration.
pub const KNOB: Knob = Knob {
    name: "cpus",
    value: "first, or numbers joined by +",
    what: "Restricts the program to these CPUs.",
    enter: |value, _| match value {
        "first" => only(&mask()?[..1]),
        list => {
            let cpus: Result<Vec<u32>, ConditionError> =
                list.split('+').map(|c| number(c, "a CPU")).collect();
            only(&cpus?)
        }
    },
};

/// The CPUs that this process may use, ascending; one at least.
pub(crate) fn mask() -> Result<Vec<u32>, ConditionError> {
    let cpus = allowed().map_err(|e| ConditionError::call("reading the allowed CPUs", e))?;
    if cpus.is_empty() {
        return Err(ConditionError::unavailable(
            "the kernel reports no allowed CPU",
        ));
    }
    Ok(cpus)
}
