//! A limit on CPU time, and throttling.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "cpu-quota",
    title: "a limit on CPU time (quota)",
    what: "A group that used its quota waits for the next period: short work is not slower, long work stands still in between.",
    advice: &[
        "Raise cpu.max of the cgroup, or spread the work; nr_throttled in cpu.stat counts the waits.",
    ],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Compute],
    may: &[
        Role::RealTime,
        Role::UserTime,
        Role::SystemCall,
        Role::MemoryBandwidth,
        Role::MemoryLatency,
        Role::L1,
        Role::L2,
        Role::Llc,
        Role::Programs,
        Role::ProgramStart,
        Role::Fork,
        Role::Application,
        Role::ScalingCompute,
        Role::ScalingMemory,
        Role::SwitchAnyCpu,
        Role::SwitchSameCpu,
        Role::FileMetadata,
        Role::FileCreate,
        Role::FileCached,
        Role::FileDevice,
    ],
    spares: &[],
    facts: &["cgroup.cpu_quota"],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "whether a quota is it",
        "whyslow explain A --experiment cpu-quota",
    ))
}
