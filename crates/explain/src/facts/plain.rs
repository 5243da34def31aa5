//! Did anything move, and so plainly that a cause may be claimed?

use whyslow_model::comparison::Verdict;

use crate::case::{Case, Moved};

/// Without repetitions a difference of less than this, as a logarithm of 1.3, makes no cause sure.
pub(super) const PLAIN_TO_SEE: f64 = 0.26;

/// Half of the rows differ by less than this: nothing did, as single runs repeat to it. Of 75 published pairs without a
/// cause of which no row moved the median of 65 is below, of 33 with one that of 10.
const STILL: f64 = 0.02;

/// And by less than this where some went one way and some the other.
const STILL_BOTH_WAYS: f64 = 0.1;

/// Of the rows that differ, this share goes one way where there is a cause.
const LEANS: f64 = 0.8;

/// Did no row move, and do they neither differ together, by little, all one way?
pub(super) fn stands_still(case: &Case<'_>) -> bool {
    if case.moved().next().is_some() {
        return false;
    }
    // What has no direction goes one way with its like alone.
    let directed = case.points.iter().any(Moved::is_directed);
    let own = |p: &&Moved<'_>| !p.role.is_stated() && p.is_directed() == directed;
    let all: Vec<f64> = case.points.iter().filter(own).map(|p| p.worse).collect();
    let mut off: Vec<f64> = all.iter().map(|w| w.abs()).collect();
    off.sort_by(f64::total_cmp);
    let median = off.get(off.len() / 2).copied().unwrap_or(0.0);
    let worse = all.iter().filter(|w| **w > 0.0).count() as f64;
    let better = all.iter().filter(|w| **w < 0.0).count() as f64;
    let leans = worse.max(better) >= LEANS * (worse + better);
    median < STILL || (!leans && median < STILL_BOTH_WAYS)
}

/// Are there but a few single figures, of which some went one way and some the other? Then each may have a reason of its
/// own, or one of them may be wrong.
pub(super) fn is_thin(case: &Case<'_>) -> bool {
    const FEW: usize = 5;
    let single = |p: &Moved<'_>| matches!(p.point.verdict, Verdict::Untested { .. });
    let goes = |way: f64| case.moved().any(|p| p.worse * way >= PLAIN_TO_SEE);
    if case.moved().count() >= FEW || !case.moved().all(single) {
        return false;
    }
    goes(1.0) && goes(-1.0) || leaps_alone(case)
}

/// Does one figure go several times as far as all others, which hardly move or go the other way?
fn leaps_alone(case: &Case<'_>) -> bool {
    /// Four times, as a logarithm.
    const LEAP: f64 = 1.386;
    let mut all: Vec<f64> = case
        .points
        .iter()
        .filter(|p| !p.role.is_stated())
        .map(|p| p.worse)
        .collect();
    all.sort_by(|x, y| y.abs().total_cmp(&x.abs()));
    let Some((first, rest)) = all.split_first() else {
        return false;
    };
    let along = |w: &f64| w * first.signum() >= UNTESTED;
    rest.len() > 1 && first.abs() >= LEAP && !rest.iter().any(along)
}

/// A single figure that moved by less than this, a logarithm, did not.
const UNTESTED: f64 = 0.095;

/// Was the difference shown, or is it too large to be doubted?
pub(super) fn is_plain(case: &Case<'_>) -> bool {
    let moved: Vec<&Moved<'_>> = case.moved().collect();
    let far = |p: &&&Moved<'_>| p.worse.abs() >= PLAIN_TO_SEE;
    let all = case.points.iter().filter(|p| !p.role.is_stated()).count();
    // Of two measures of one thing that disagree neither is shown.
    let shown = case.is_repeated() && (moved.len() > 1 || all != 2);
    // A few that leap among many that stand still are no pattern.
    let large = moved.iter().filter(far).count() * 2 >= moved.len() && moved.len() * 2 >= all;
    !moved.is_empty() && (shown || large)
}
