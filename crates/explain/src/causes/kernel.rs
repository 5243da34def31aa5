//! Another kernel, or another configuration of it: longer or shorter paths for the same call.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::{Case, scaling};
use crate::cause::{Cause, Judgement};
use crate::signature::{Signature, told};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "kernel",
    title: "the kernel (longer or shorter paths, such as for allocation)",
    said: include_str!("kernel.txt"),
    reaches: Role::CALLS,
    what: "Another kernel or configuration takes longer or shorter paths for the same call: allocation of pages and inodes, locks, accounting. Work in user space does not follow.",
    advice: &[
        "Compare the kernels' configurations (`whyslow host`), and boot one side with the other's kernel.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Work of the kernel that begins with a call and ends with it.
const CALLS: [Role; 9] = [
    Role::FileMetadata,
    Role::FileCreate,
    Role::SystemCall,
    Role::Fork,
    Role::Fault,
    Role::Signal,
    Role::Descriptors,
    Role::SwitchSameCpu,
    Role::LocalLatency,
];

const SIGNATURE: Signature = Signature {
    must: &[],
    may: &[],
    spares: &[Role::Compute, Role::L1, Role::MemoryBandwidth],
    facts: &[
        "kernel",
        "scheduler.features",
        "scheduler.settings",
        "scheduler.sched_ext",
        "scheduler.preemption",
    ],
    shown: true,
};

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let named = case.kernels();
    let changed = case.changes(SIGNATURE.facts).next().is_some();
    if named.is_none() && !changed {
        return unchanged(case);
    }
    // Of the kernel's work, those that moved to the same side most roles went to.
    let moved: Vec<(Role, f64)> = CALLS
        .iter()
        .filter_map(|&r| Some((r, case.group(&[r]).filter(|g| g.moved > 0)?.worse)))
        .collect();
    let worse = moved.iter().filter(|(_, w)| *w > 0.0).count() * 2 >= moved.len();
    let roles: Vec<Role> = moved
        .iter()
        .filter(|(_, w)| (*w > 0.0) == worse)
        .map(|(r, _)| *r)
        .collect();
    let mut judgement = SIGNATURE.judge(case);
    judgement.evidence.retain(|e| e.from == EvidenceKind::Fact);
    // Where the release is a fact, it stands there already.
    let release = case.changes(&["kernel.release"]).next();
    if let Some([a, b]) = named.filter(|_| release.is_none()) {
        let text = format!("kernel {a} in A, {b} in B");
        judgement = judgement.with(Speaks::For, EvidenceKind::Fact, text);
    }
    for role in &roles {
        if let Some(group) = case.group(&[*role]) {
            judgement = judgement.with(Speaks::For, EvidenceKind::Signature, told(*role, &group));
        }
    }
    for role in SIGNATURE.spares {
        if let Some(group) = case.group(&[*role]) {
            let speaks = if group.moved == 0 {
                Speaks::For
            } else {
                Speaks::Neither
            };
            let text = format!(
                "{}, which a kernel's paths do not touch",
                told(*role, &group)
            );
            judgement = judgement.with(speaks, EvidenceKind::Signature, text);
        }
    }
    let single = single_process(case, &mut judgement);
    judgement.covers = roles.into_iter().map(|r| (r, None)).collect();
    judgement.fits = !judgement.covers.is_empty() || single;
    let share = case.share(&judgement.covers).map_or(0.0, |s| s.value);
    (judgement.verdict, judgement.weight) = if judgement.fits {
        (CauseVerdict::Consistent, 0.55 + 0.3 * share)
    } else {
        (CauseVerdict::CannotTell, 0.15)
    };
    Some(judgement.then(
        "whether the kernel is it, once one side runs the other's kernel",
        "whyslow run --standard",
    ))
}

/// Weight where nothing says which kernels they are: below all that rows tell apart.
const NOT_SAID: f64 = 0.2;

/// Did system time move, and user time by less than half as far?
fn is_in_kernel(case: &Case<'_>) -> bool {
    let of = |role: Role| case.group(&[role]).map_or(0.0, |group| group.worse.abs());
    of(Role::UserTime) * 2.0 < of(Role::SystemTime)
}

/// No kernel is known to differ: it is one and the same, or the source does not say.
fn unchanged(case: &Case<'_>) -> Option<Judgement> {
    // A patch makes two kernels of one release.
    let patched = case.changes(&["patch", "other"]).next().is_some();
    if let Some([kernel, _]) = case.known_kernels().filter(|_| !patched) {
        let text = format!("one and the same kernel on both sides: {kernel}");
        let judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
        return Some(judgement.with(Speaks::Against, EvidenceKind::Fact, text));
    }
    let moved = case
        .moved_roles()
        .into_iter()
        .filter(|role| CALLS.contains(role) || (*role == Role::SystemTime && is_in_kernel(case)));
    let covers: Vec<(Role, Option<f64>)> = moved.map(|role| (role, None)).collect();
    if covers.is_empty() || case.knows_hosts() {
        return None;
    }
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, NOT_SAID).with(
        Speaks::Neither,
        EvidenceKind::Fact,
        "which kernels they are is not said".to_owned(),
    );
    judgement.fits = true;
    judgement.covers = covers;
    Some(judgement)
}

/// One process of a kind that also ran several times: what the kernel costs without any company.
fn single_process(case: &Case<'_>, judgement: &mut Judgement) -> bool {
    let mut shown = false;
    for role in [Role::ScalingMemory, Role::ScalingCompute] {
        let alone = case
            .of(role)
            .find(|p| scaling::count(&p.point.point) == Some(1.0));
        let Some(alone) = alone else { continue };
        let factor = alone.worse.exp();
        let text = format!(
            "a single {} takes {factor:.2} times as long in B",
            scaling::work_of(alone)
        );
        let speaks = if alone.moved {
            Speaks::For
        } else {
            Speaks::Neither
        };
        *judgement = judgement
            .clone()
            .with(speaks, EvidenceKind::Signature, text);
        shown |= alone.moved;
    }
    shown
}
