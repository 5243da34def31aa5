//! Another compiler or another version of a library: programs differ, the machine does not.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::{Signature, told};
use whyslow_model::role::Role;

/// What programs do by themselves or through the library; a load's latency is the machine's.
const REACHES: &[Role] = &[
    Role::Compute,
    Role::L1,
    Role::L2,
    Role::MemoryBandwidth,
    Role::MemoryRoutines,
    Role::SystemCall,
    Role::Fork,
    Role::ProgramStart,
    Role::Programs,
    Role::ReadClock,
    Role::ScalingCompute,
    Role::ScalingMemory,
    Role::UserTime,
    Role::SystemTime,
    Role::RealTime,
    Role::Application,
];

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "compiler-or-library",
    title: "another compiler or library",
    said: include_str!("compiler_or_library.txt"),
    reaches: REACHES,
    what: "Programs built otherwise, or against another library, do other work: some rows move and others of the same kind stay.",
    advice: &[
        "Build both sides with one compiler and the same flags, or run the same static binaries.",
    ],
    judge,
    switch: None,
    plants: &[],
};

const SIGNATURE: Signature = Signature {
    must: &[Role::Programs],
    may: &[Role::Application, Role::MemoryRoutines, Role::UserTime],
    spares: &[
        Role::Compute,
        Role::Clock,
        Role::SystemCall,
        Role::MemoryBandwidth,
        Role::SwitchAnyCpu,
    ],
    facts: &["libc"],
    shown: false,
};

/// Weight on one host whose library is the same: a program may have been replaced in between.
const HERE: f64 = 0.05;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut judgement = SIGNATURE.judge(case);
    // Arithmetic that moved unevenly was compiled otherwise: a clock moves all of it alike.
    if let Some(compute) = case.group(&[Role::Compute]) {
        let uneven = compute.moved > 0 && compute.moved < compute.points;
        if uneven {
            let text = format!(
                "{}; a clock would move all of it alike",
                told(Role::Compute, &compute)
            );
            judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
            if judgement.verdict == CauseVerdict::Contradicted {
                judgement.verdict = CauseVerdict::CannotTell;
                judgement.weight = 0.2;
            }
        }
    }
    if judgement.verdict == CauseVerdict::Consistent
        && case.one_host()
        && case.changes(SIGNATURE.facts).next().is_none()
    {
        let text = "one host with one library on both sides".to_owned();
        judgement = judgement.with(Speaks::Against, EvidenceKind::Fact, text);
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = HERE;
    }
    Some(judgement.then(
        "whether the binaries are it: these loops are the same everywhere; on both hosts",
        "whyslow run --standard",
    ))
}
