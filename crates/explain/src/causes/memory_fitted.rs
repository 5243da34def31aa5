//! The memory that is fitted (channels, modules, their clock).

use crate::cause::Cause;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-fitted",
    title: "the memory that is fitted (channels, modules, their clock)",
    said: include_str!("memory_fitted.txt"),
    reaches: Role::MEMORY,
    what: "Bandwidth is that of the channels that are fitted, at the clock that the modules allow; latency hardly follows.",
    advice: &["Compare `dmidecode -t memory` of both: modules, channels, configured speed."],
    judge: |_| None,
    switch: None,
    plants: &[],
};
