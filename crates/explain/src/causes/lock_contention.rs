//! Contention for a lock.

use std::collections::BTreeMap;

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::text::{AT_ONCE, words};

use crate::case::{Case, Moved};
use crate::cause::{Cause, Judgement};
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "lock-contention",
    title: "contention for a lock",
    said: include_str!("lock_contention.txt"),
    reaches: Role::CALLS,
    what: "Several CPUs that take one lock wait for each other: work on one CPU stays as it is, and each further CPU adds less, or takes away.",
    advice: &[
        "Compare one copy with several (`--copies`), and look at `perf lock contention` or lock_stat.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// One alone differs by less than this, a logarithm: it waits for none.
const ALONE: f64 = 0.1;

/// The most at once differ by this at least.
const TOGETHER: f64 = 0.22;

/// One alone differs by less than such a part of what the most at once differ by.
const PART: f64 = 4.0;

/// Numbers of what works at once that show by themselves how a difference grows.
const STEPS: usize = 3;

/// Rows that show it where there are but two numbers.
const ROWS: usize = 3;

/// Weight of what rows tell by themselves: the same is seen of a line that travels.
const BY_ROWS: f64 = 0.3;

/// How many work at once, where a row says it: `16 threads`, `threads=16`, `mutex_16`, `Pool-8`; and the row without it.
fn at_once(point: &Moved<'_>) -> Option<(u32, String)> {
    let own = words(&point.name.replace(['_', '-'], " "));
    let number = |word: &String| word.parse::<u32>().ok().filter(|n| (1..=4096).contains(n));
    let beside = |at: usize| {
        let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        near.filter_map(|at| own.get(at))
            .any(|word| AT_ONCE.contains(&word.as_str()))
    };
    // `Read/1/threads:72` says which of the two.
    let set = set_at_once(&point.name);
    let set = set.and_then(|digits| own.iter().rposition(|word| word == digits));
    let named = || (0..own.len()).find(|at| number(&own[*at]).is_some() && beside(*at));
    let named = set.or_else(named);
    let at = named.or_else(|| {
        own.len()
            .checked_sub(1)
            .filter(|at| *at > 0 && number(&own[*at]).is_some())
    })?;
    let count = number(&own[at])?;
    let rest: Vec<String> = own
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != at)
        .map(|(_, w)| w.clone())
        .collect();
    Some((count, rest.join(" ")))
}

/// The digits of `threads:72`, `threads=72`.
fn set_at_once(name: &str) -> Option<&str> {
    let set = |(at, _): (usize, &str)| {
        let before = name[..at].rsplit(|c: char| !c.is_alphabetic()).next()?;
        let known = AT_ONCE.iter().any(|word| word.eq_ignore_ascii_case(before));
        let rest = &name[at + 1..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        (known && end > 0).then(|| &rest[..end])
    };
    let mut signs = name.match_indices([':', '=']);
    signs.find_map(set)
}

/// By how a difference grows with how many work at once: what waits for a lock does not wait alone.
fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut rows: BTreeMap<String, Vec<(u32, &Moved<'_>)>> = BTreeMap::new();
    for point in case.points.iter().filter(|p| !p.role.is_stated()) {
        if let Some((count, rest)) = at_once(point) {
            rows.entry(rest).or_default().push((count, point));
        }
    }
    let mut grown: Vec<(&Moved<'_>, &Moved<'_>)> = Vec::new();
    let mut others = 0;
    let mut several = false;
    for own in rows.values_mut() {
        own.sort_by_key(|(count, _)| *count);
        let (Some((least, first)), Some((most, last))) = (own.first(), own.last()) else {
            continue;
        };
        if own.len() < 2 || *least > 2 || most < &(least * 4) {
            continue;
        }
        let further = last.worse.abs() - first.worse.abs();
        let alone = first.worse.abs() < ALONE.max(last.worse.abs() / PART)
            || first.worse * last.worse < 0.0;
        match alone && further >= TOGETHER {
            true => grown.push((*first, *last)),
            false => others += 1,
        }
        several |= own.len() >= STEPS;
    }
    // Two steps may be two works; the same between them in several rows is no chance.
    let shown = several || grown.len() >= ROWS;
    if grown.is_empty() || others > grown.len() || !shown {
        return None;
    }
    let mut judgement = Judgement::new(CauseVerdict::CannotTell, BY_ROWS);
    for (first, last) in grown.iter().take(3) {
        let text = format!(
            "{} is {}, and {} is {}: the more at once, the more it differs",
            first.name,
            first.said(),
            last.name,
            last.said()
        );
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
    }
    let mut roles: Vec<Role> = grown.iter().map(|(_, last)| last.role).collect();
    roles.sort_unstable();
    roles.dedup();
    judgement.covers = roles.into_iter().map(|role| (role, None)).collect();
    judgement.fits = true;
    Some(judgement)
}

#[cfg(test)]
mod tests {
    use super::set_at_once;

    #[test]
    fn how_many_work_at_once_is_set_in_a_name() {
        for (name, digits) in [
            ("Read/1/threads:72", Some("72")),
            ("mutex clients=8 size=4096", Some("8")),
            ("size:4096", None),
            ("threads: 8", None),
        ] {
            assert_eq!(set_at_once(name), digits, "{name}");
        }
    }
}
