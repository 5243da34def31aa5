//! Where the time comes from.

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::role::Role;
use crate::signature::Signature;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "clocksource",
    title: "the clock source",
    what: "A clock that is read by the vDSO costs tens of cycles, one that needs the kernel or a device hundreds to thousands.",
    advice: &["Use tsc or the hypervisor's paravirtual clock; see clocksource in whyslow host."],
    judge,
};

const SIGNATURE: Signature = Signature {
    must: &[Role::ReadClock],
    may: &[Role::Sleep],
    spares: &[Role::Compute, Role::SystemCall, Role::MemoryLatency],
    facts: &["clocksource"],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    Some(SIGNATURE.judge(case).then(
        "what reading each clock costs",
        "whyslow run --only 'os.clock{*}' on both",
    ))
}
