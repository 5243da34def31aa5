//! How often a cause was behind published differences of the same kind: what to look at first where two results of other
//! tools do not tell.
//!
//! The rates are of the open half of the published cases, by the group of rows that moved farthest, and by the cause that is
//! named first where one is. They say nothing of the two sides at hand, and so are named as candidates alone, below all
//! that anything speaks for.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, MovedTogether, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::causes::{CAUSES, nothing};

/// Lines of a group or of the cause named first, a cause, in how many cases it was that one, and of how many, made by
/// `--example base_rates`.
const RATES: &str = include_str!("published.txt");

/// Candidates that are made up to: more would be a list of everything.
pub(crate) const CANDIDATES: usize = 2;

/// A difference that is as likely chance as not tells nothing of causes: a tenth, as a logarithm.
const SIZABLE: f64 = 0.095;

/// Cases from which on a rate is one, and those that a cause had at least.
const CASES: u32 = 10;
const OF_CAUSE: u32 = 2;

/// Weight of the first and the second: above the doubt that single runs leave, below all that anything speaks for.
const WEIGHTS: [f64; CANDIDATES] = [0.056, 0.053];

/// How often a cause was behind differences of a group of rows.
struct Rate {
    cause: &'static str,
    count: u32,
    of: u32,
}

/// The rates of `group`, the highest first.
fn rates(group: &str) -> Vec<Rate> {
    let lines = RATES.lines().filter(|line| !line.starts_with('#'));
    let own = lines.filter_map(|line| {
        let mut cells = line.split('\t');
        let (name, cause) = (cells.next()?, cells.next()?);
        let (count, of) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        (name == group).then_some(Rate { cause, count, of })
    });
    let mut own: Vec<Rate> = own.collect();
    own.sort_by_key(|rate| std::cmp::Reverse(rate.count));
    own
}

/// The group of rows that moved farthest, where that is more than chance does by itself.
pub(crate) fn moved_most(moved: &[MovedTogether]) -> Option<&str> {
    let first = moved.first()?;
    let far = first.times_worse.map(|times| times.ln().abs());
    (far[0].max(far[1]) >= SIZABLE).then_some(first.name.as_str())
}

/// Causes by how likely they are, the likeliest first: by what moved most, and by what is named first beside it.
fn likeliest(group: &str, first: Option<&str>) -> Vec<Rate> {
    let mut found = rates(group);
    found.retain(|rate| rate.of >= CASES);
    let Some(first) = first else {
        found.retain(|rate| rate.count >= OF_CAUSE);
        return found;
    };
    // As if both were independent; a cause that was never it beside the first one is not excluded by that.
    let beside = rates(&format!("first {first}"));
    let share = |rate: &Rate| {
        let own = beside.iter().find(|other| other.cause == rate.cause);
        let beside = own.map_or(0.0, |other| f64::from(other.count)) + NEVER_SEEN;
        f64::from(rate.count) * beside
    };
    found.sort_by(|x, y| share(y).total_cmp(&share(x)));
    found
}

/// Cases that a cause counts as where it was not seen once.
const NEVER_SEEN: f64 = 0.3;

/// Adds causes that are often behind such rows to those that are judged, where these have fewer than two candidates.
pub(crate) fn fill(
    case: &Case<'_>,
    moved: &[MovedTogether],
    judged: &mut Vec<(&'static Cause, Judgement)>,
) {
    // Records of our own have facts and experiments to tell by; and an answer needs no guess beside it.
    let own = case.a.origin.is_none() || case.b.origin.is_none();
    let answered =
        |(_, judgement): &(&Cause, Judgement)| judgement.verdict <= CauseVerdict::Consistent;
    if own || judged.iter().any(answered) {
        return;
    }
    let Some(group) = moved_most(moved) else {
        return;
    };
    let is_named = |judgement: &Judgement| {
        judgement.verdict < CauseVerdict::Contradicted && judgement.weight > 0.0
    };
    let mut named: Vec<&(&Cause, Judgement)> = judged
        .iter()
        .filter(|(cause, judgement)| cause.id != nothing::CAUSE.id && is_named(judgement))
        .collect();
    named.sort_by(|(_, x), (_, y)| y.weight.total_cmp(&x.weight));
    let room = CANDIDATES.saturating_sub(named.len());
    let open = |rate: &Rate| {
        let known = judged.iter().find(|(cause, _)| cause.id == rate.cause);
        known.is_none_or(|(_, own)| own.verdict != CauseVerdict::Contradicted && !is_named(own))
    };
    let first = named.first().map(|(cause, _)| cause.id);
    let often: Vec<Rate> = likeliest(group, first)
        .into_iter()
        .filter(|rate| rate.cause != nothing::CAUSE.id && open(rate))
        .take(room)
        .collect();
    for (rate, weight) in often.into_iter().zip(WEIGHTS) {
        let Some(cause) = CAUSES.iter().find(|cause| cause.id == rate.cause) else {
            continue;
        };
        let text = format!(
            "behind {} of {} published differences in which {group} moved most",
            rate.count, rate.of
        );
        let at = judged.iter().position(|(known, _)| known.id == cause.id);
        let at = at.unwrap_or_else(|| {
            judged.push((cause, Judgement::new(CauseVerdict::CannotTell, 0.0)));
            judged.len() - 1
        });
        let own = &mut judged[at].1;
        own.weight = weight;
        own.verdict = CauseVerdict::CannotTell;
        *own = own
            .clone()
            .with(Speaks::Neither, EvidenceKind::Published, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_causes_that_there_are() {
        let lines = RATES.lines().filter(|line| !line.starts_with('#'));
        let mut all = 0;
        for line in lines {
            let [group, cause, count, of] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            let (count, of): (u32, u32) = (count.parse().unwrap(), of.parse().unwrap());
            assert!(CAUSES.iter().any(|c| c.id == cause), "{line}");
            assert!(!group.is_empty() && count <= of && of > 0, "{line}");
            all += count;
        }
        assert!(all > 500, "{all}");
        let of_files = rates("writing files");
        assert!(of_files.windows(2).all(|two| two[0].count >= two[1].count));
        assert_eq!(of_files[0].cause, "file-system");
        assert!(rates("no such group").is_empty());
    }
}
