//! A limit of memory: a control group that gives a process less than the host has.

use whyslow_model::comparison::Missing;
use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::host::Limit;

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::told;
use whyslow_model::role::Role;

/// Work that makes the kernel find memory, or read again what it had given up.
const REACHES: &[Role] = &[
    Role::Fault,
    Role::Fork,
    Role::FileCached,
    Role::FileMapped,
    Role::FileCreate,
    Role::FileDevice,
    Role::MemoryBandwidth,
    Role::MemoryLatency,
    Role::SystemTime,
    Role::RealTime,
    Role::Application,
];

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "memory-limit",
    title: "a limit of memory (control group)",
    said: include_str!("memory_limit.txt"),
    reaches: REACHES,
    what: "Below its limit a control group gives up cached files and swaps to stay there, and what does not fit is not measured at all.",
    advice: &[
        "Raise memory.max of the control group, or work in smaller pieces; memory.events counts how often the limit was met.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Weights: what did not fit or moved beside the limit that changed, and a limit that nothing met.
const MET: f64 = 0.65;
const NOT_MET: f64 = 0.15;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let limit = |record: &whyslow_model::Record| {
        let known = record.states.first()?.state.cgroup.memory_bytes.value()?;
        Some(match known {
            Limit::At(bytes) => *bytes,
            Limit::None(_) => u64::MAX,
        })
    };
    let (a, b) = (limit(case.a)?, limit(case.b)?);
    if a == b {
        return None;
    }
    let words = [a, b].map(|bytes| match bytes {
        u64::MAX => "without limit".to_owned(),
        bytes => format!("{} MiB", bytes >> 20),
    });
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, NOT_MET).with(
        Speaks::For,
        EvidenceKind::Fact,
        format!("memory is {} in A, {} in B", words[0], words[1]),
    );
    let (less, worse) = if b < a { ("B", 1.0) } else { ("A", -1.0) };
    let unfit = |m: &&Missing| !m.unknown && m.lacks == less && m.why.is_some();
    let mut unfit = case.comparison.missing.iter().filter(unfit);
    let first = unfit.next();
    if let Some(first) = first {
        let why = first.why.as_deref().unwrap_or_default();
        let text = format!(
            "{} and {} more were not measured in {less}: {why}",
            first.point,
            unfit.count()
        );
        judgement = judgement.with(Speaks::For, EvidenceKind::Counter, text);
    }
    for role in case.moved_roles() {
        if let Some(group) = case.group(&[role])
            && REACHES.contains(&role)
            && group.worse * worse > 0.0
        {
            let text = told(role, &group);
            judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
            judgement.covers.push((role, None));
        }
    }
    if first.is_some() || !judgement.covers.is_empty() {
        judgement.verdict = CauseVerdict::Consistent;
        judgement.weight = MET;
        judgement.fits = true;
    }
    Some(judgement.then(
        "whether the limit is it: the same with more memory",
        "whyslow run",
    ))
}
