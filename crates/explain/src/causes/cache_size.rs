//! A cache of another size, or in another mode.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::{Case, say};
use crate::cause::{Cause, Judgement};
use crate::curve::Rise;
use crate::words;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "cache-size",
    title: "the size or mode of a cache",
    said: include_str!("cache_size.txt"),
    reaches: Role::MEMORY_AND_CACHES,
    what: "A cache that holds less, by design, by a mode, or because a hypervisor or a partition gives less of it, moves the step of the latency curve to smaller sizes and leaves its shape alone.",
    advice: &[
        "Check cache modes and partitions (firmware, resctrl), and what a guest is given of a shared cache.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Sizes of which one is read off a shoulder are told apart from this ratio on: a doubling, the least
/// by which caches of one machine differ.
const SHOULDER_SAME: f64 = 2.0;

/// Ends of a cache that differ by less than this are the same: sizes are measured that far apart.
const SAME: f64 = 1.3;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let stated = case.group(&[Role::FirstStep]);
    let changes: Vec<_> = case.changes(&["caches"]).collect();
    if stated.is_none() && case.rises.is_empty() && changes.is_empty() {
        return None;
    }
    let mut judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
    for change in changes.iter().take(2) {
        judgement = judgement.with(Speaks::For, EvidenceKind::Fact, say(change));
    }
    let (mut found, mut roles) = (false, Vec::new());
    for rise in &case.rises {
        let (other, text) = rise_in_words(rise)?;
        let speaks = if other { Speaks::For } else { Speaks::Against };
        judgement = judgement.with(speaks, EvidenceKind::Curve, text);
        found |= other;
        if other {
            roles.push(level_role(rise.level, case.rises.len()));
        }
    }
    for point in case.of(Role::FirstStep) {
        let side = |s: &whyslow_model::comparison::SideValue| {
            words::value(
                s.value.value,
                point.point.symbol.as_deref().unwrap_or_default(),
            )
        };
        let text = format!(
            "the first step lies at {} in A and at {} in B: a first-level cache of another size, or in another mode",
            side(&point.point.a),
            side(&point.point.b)
        );
        let speaks = if point.moved {
            Speaks::For
        } else {
            Speaks::Against
        };
        judgement = judgement.with(speaks, EvidenceKind::Curve, text);
        found |= point.moved;
        roles.push(Role::FirstStep);
    }
    judgement.evidence.sort_by_key(|e| e.speaks != Speaks::For);
    if found {
        judgement.verdict = CauseVerdict::Consistent;
        judgement.weight = if changes.is_empty() { 0.65 } else { 0.9 };
        judgement.fits = true;
        roles.retain(|r| case.group(&[*r]).is_some_and(|g| g.moved > 0));
        judgement.covers = roles.into_iter().map(|r| (r, None)).collect();
    } else if !changes.is_empty() {
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = 0.2;
    }
    Some(judgement.then(
        "where each cache ends, with pages that cannot collide; on both hosts",
        "whyslow run --only 'mem.latency{*pages=thp},mem.latency{*pages=4k}'",
    ))
}

/// What a level's data are to the roles.
fn level_role(level: usize, levels: usize) -> Role {
    match level {
        1 => Role::L1,
        2 if levels > 2 => Role::L2,
        _ => Role::Llc,
    }
}

/// Does the cache end elsewhere; and how that reads.
fn rise_in_words(rise: &Rise) -> Option<(bool, String)> {
    let [a, b] = &rise.fits[..] else {
        return None;
    };
    let level = format!("level {}", rise.level);
    let (Ok(a), Ok(b)) = (a, b) else {
        let starts: Vec<String> = rise
            .from_to
            .iter()
            .map(|[from, _]| words::bytes(*from))
            .collect();
        let text = format!(
            "{level}: too few sizes to fit; it rises beyond {}",
            starts.join(" in A and ")
        );
        return Some((false, text + " in B"));
    };
    let apart = a.bytes_range[1] < b.bytes_range[0] || b.bytes_range[1] < a.bytes_range[0];
    let ratio = (a.bytes / b.bytes).max(b.bytes / a.bytes);
    // A shoulder gives the size and the ways together: without knowing the ways, a cache of half the
    // size and twice the ways fits nearly as well.
    let shoulder = [a.placement, b.placement].contains(&crate::curve::Placement::Arbitrary);
    let other = apart && ratio >= if shoulder { SHOULDER_SAME } else { SAME };
    let text = format!(
        "{level} ends at {} in A and {} in B{}",
        words::bytes(a.bytes),
        words::bytes(b.bytes),
        if other {
            ""
        } else {
            ": the same size, so no smaller cache"
        }
    );
    Some((other, text))
}
