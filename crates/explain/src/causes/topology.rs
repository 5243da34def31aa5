//! CPUs that a hypervisor moves between cache complexes, or that lie otherwise than said.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::{Case, say};
use crate::cause::{Cause, Judgement};
use crate::signature::told;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "topology",
    title: "where the CPUs really lie (moved between cache complexes)",
    said: include_str!("topology.txt"),
    reaches: &[
        Role::CoreToCore,
        Role::Numa,
        Role::SwitchAnyCpu,
        Role::Llc,
        Role::MemoryBandwidth,
        Role::MemoryLatency,
    ],
    what: "In a guest two CPUs may be threads of one core or share a cache at one moment, and lie in different complexes at the next: everything that passes lines between them then falls into two classes.",
    advice: &[
        "Ask for pinned virtual CPUs, or compare within a class: whyslow labels each sample by the measured way between its CPUs.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Roles that pass lines between CPUs.
const PASSES: [Role; 4] = [
    Role::CoreToCore,
    Role::SwitchAnyCpu,
    Role::LocalLatency,
    Role::LocalBandwidth,
];

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let lines = case.group(&[Role::CoreToCore]);
    let changes: Vec<_> = case.changes(&["topology"]).collect();
    let one_class: Vec<&str> = case
        .comparison
        .missing
        .iter()
        .filter(|m| !m.unknown)
        .filter_map(|m| m.title.as_deref().or(m.why.as_deref()))
        .filter(|text| text.contains("class"))
        .collect();
    let modes = case
        .of(Role::CoreToCore)
        .filter(|p| !p.point.modes.is_empty())
        .count();
    if lines.is_none() && changes.is_empty() {
        return None;
    }
    let mut judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
    for change in changes.iter().take(2) {
        judgement = judgement.with(Speaks::For, EvidenceKind::Fact, say(change));
    }
    let moved = lines.is_some_and(|g| g.moved > 0) || !one_class.is_empty() || modes > 0;
    if let Some(group) = &lines {
        let speaks = if moved { Speaks::For } else { Speaks::Against };
        judgement = judgement.with(
            speaks,
            EvidenceKind::Signature,
            told(Role::CoreToCore, group),
        );
    }
    if let Some(text) = one_class.first() {
        judgement = judgement.with(Speaks::For, EvidenceKind::Spread, (*text).to_owned());
    }
    if let Some(group) = case.group(&[Role::SwitchSameCpu]) {
        let speaks = if group.moved == 0 {
            Speaks::For
        } else {
            Speaks::Neither
        };
        let text = format!(
            "{}, where no line travels",
            told(Role::SwitchSameCpu, &group)
        );
        judgement = judgement.with(speaks, EvidenceKind::Signature, text);
    }
    if moved {
        let worse = lines.map_or(0.0, |g| g.worse);
        judgement.verdict = CauseVerdict::Consistent;
        judgement.fits = true;
        judgement.covers = PASSES
            .iter()
            .filter(|r| {
                case.group(&[**r])
                    .is_some_and(|g| g.moved > 0 && g.worse * worse > 0.0)
            })
            .map(|r| (*r, None))
            .collect();
        let share = case.share(&judgement.covers).map_or(0.0, |s| s.value);
        judgement.weight = if changes.is_empty() { 0.4 } else { 0.7 } + 0.3 * share;
    } else if !changes.is_empty() {
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = 0.15;
    }
    Some(judgement.then(
        "where the CPUs are, and whether they move",
        "whyslow run --only 'cpu.core_to_core,mem.transfer{*}' --rounds 30",
    ))
}
