//! The memory that is fitted (channels, modules, their clock).

use crate::cause::Cause;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-fitted",
    title: "the memory that is fitted (channels, modules, their clock)",
    said: &[
        "channel",
        "dimm",
        "module",
        "memory.total_bytes",
        "rank",
        "mt/s",
        "ddr",
        "lpddr",
        "dual channel",
        "single channel",
        "dual-channel",
        "single-channel",
        "xmp",
        "sodimm",
        "memory speed",
    ],
    reaches: Role::MEMORY,
    what: "Bandwidth is that of the channels that are fitted, at the clock that the modules allow; latency hardly follows.",
    advice: &["Compare `dmidecode -t memory` of both: modules, channels, configured speed."],
    judge: |_| None,
    switch: None,
    plants: &[],
};
