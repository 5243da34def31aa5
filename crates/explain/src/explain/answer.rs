//! The answer in a few sentences.

use whyslow_compare::Counts;
use whyslow_model::comparison::{Side, Verdict};
use whyslow_model::explanation::{CauseVerdict, Finding, MovedTogether};
use whyslow_model::text::time;

use crate::case::{Case, Moved};
use crate::cause::by_fact;
use crate::cost::Costs;
use crate::published;
use crate::words;

/// An operation does what a mechanism prices so often at most, beyond what its counts say.
const TOO_MANY: f64 = 50.0;

/// Causes and groups that a sentence names before it counts.
const NAMED: usize = 4;

/// From this share on a cause is an answer to the whole.
const MOST: f64 = 0.5;

/// Logarithms of what is far apart: an undecided difference, and a single value's.
const HALF_AND_MORE: f64 = 0.405;
const TWICE: f64 = 0.693;

/// A cause that covers less than this of the difference is no answer to it.
const MINOR: f64 = 0.02;

pub(crate) fn sentence(
    case: &Case<'_>,
    moved: &[MovedTogether],
    causes: &[Finding],
    costs: &Costs,
) -> String {
    if moved.is_empty() {
        let told = causes
            .iter()
            .filter(|c| c.verdict <= CauseVerdict::Consistent && c.cause != "nothing");
        let told: Vec<&str> = told.map(|c| c.title.as_str()).take(NAMED).collect();
        return match told.is_empty() {
            true => nothing(case),
            false => format!(
                "{} Other evidence points to {}.",
                nothing(case),
                words::list(&told)
            ),
        };
    }
    let mut text = format!("{}: {}. ", sides(case), what_moved(moved));
    let likely: Vec<&Finding> = causes
        .iter()
        .filter(|c| c.verdict <= CauseVerdict::Consistent)
        .filter(|c| c.share.is_none_or(|s| s.value >= MINOR))
        .collect();
    let titles: Vec<String> = likely.iter().take(NAMED).map(|c| with_share(c)).collect();
    // Shares of several causes may overlap, so none is summed up.
    let left = likely
        .iter()
        .all(|c| c.share.is_some_and(|s| s.value < MOST));
    let suspected = causes.iter().find(|c| c.verdict == CauseVerdict::Suspected);
    let nothing_told = likely.iter().any(|c| c.cause == "nothing");
    let confirmed = likely
        .first()
        .is_some_and(|c| c.verdict == CauseVerdict::Confirmed);
    text += &match titles.len() {
        _ if confirmed => format!("By experiment: {}.", titles.join("; ")),
        _ if nothing_told => "That is no more than chance and drift do.".to_owned(),
        0 => match suspected {
            Some(cause) => format!(
                "One value a side confirms no cause; what is said of the two sides points to {}.",
                brief(&cause.title)
            ),
            None => "These records cannot tell why.".to_owned(),
        },
        1 if left => format!("One part is told: {}; the rest is not.", titles[0]),
        1 => format!("The likeliest cause: {}.", titles[0]),
        _ => format!("Consistent with: {}.", titles.join("; ")),
    };
    if left {
        let open: Vec<&str> = causes
            .iter()
            .filter(|c| c.verdict == CauseVerdict::CannotTell)
            .filter(|c| !c.covers.is_empty() || is_spoken_of(c))
            .map(|c| brief(&c.title))
            .take(NAMED)
            .collect();
        if !open.is_empty() {
            let also = if suspected.is_some() { " also" } else { "" };
            text += &format!(
                " It could{also} be {}.",
                words::list(&open).replace(" and ", " or ")
            );
        }
    }
    text + &priced(costs) + &often(causes).unwrap_or_default()
}

/// What is often behind such rows, where nothing else makes it a candidate.
fn often(causes: &[Finding]) -> Option<String> {
    let own = causes.iter().filter(|cause| cause.is_by_rate());
    let titles: Vec<&str> = own.map(|cause| brief(&cause.title)).collect();
    let how = match titles.len() {
        0 => return None,
        published::CANDIDATES => "Most often",
        _ => "Also often",
    };
    Some(format!(
        " {how} behind such differences in published results: {}.",
        words::list(&titles).replace(" and ", " or ")
    ))
}

/// From this weight on a cause that is spoken of is a candidate, whatever the work is that moved.
const SPOKEN_OF: f64 = 0.6;

/// Does what is said of the two sides make it a candidate?
fn is_spoken_of(cause: &Finding) -> bool {
    cause.weight >= SPOKEN_OF && by_fact(&cause.evidence)
}

/// Longest name of a system in a sentence, characters.
const LONGEST_NAME: usize = 24;

/// `B (Digital Unix) against A (Linux 2.2.1)`, where a source names one system a side.
fn sides(case: &Case<'_>) -> String {
    let name = |side: &Side| match side.systems.as_slice() {
        [one] if (1..=LONGEST_NAME).contains(&one.chars().count()) => Some(one.clone()),
        _ => None,
    };
    match (name(&case.comparison.a), name(&case.comparison.b)) {
        (Some(a), Some(b)) if a != b => format!("B ({b}) against A ({a})"),
        _ => "B against A".to_owned(),
    }
}

/// What prices say: what one mechanism takes, how much that explains, and what it cannot.
fn priced(costs: &Costs) -> String {
    let Some(first) = costs.prices.first() else {
        return String::new();
    };
    let way = if first.each_ns > 0.0 { "more" } else { "less" };
    let mut text = format!(
        " {} takes {} {way}, which explains {} of {} rows",
        capital(&first.mechanism),
        time(first.each_ns.abs()),
        first.explains,
        first.rows
    );
    // That many of one thing in one operation is no reading of its row; the shortest operation says it most plainly.
    let left = costs.unpriced.iter();
    let times = left.filter_map(|row| Some((row.would_be.filter(|n| *n >= TOO_MANY)?, row)));
    if let Some((times, row)) = times.min_by(|(x, _), (y, _)| x.total_cmp(y)) {
        text += &format!(
            "; {} has {} left, which would be {times:.0} times that: one cause cannot do both",
            row.row,
            time(row.left_ns.abs())
        );
    }
    text + "."
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn nothing(case: &Case<'_>) -> String {
    let points = case.comparison.points.len();
    let counts = Counts::of(case.comparison);
    let (open, untested) = (counts.undecided, counts.untested);
    if 2 * untested > points {
        return format!("Nothing can be said: {untested} of {points} points could not be tested.");
    }
    let mut text = format!("Nothing to explain: none of {points} points was shown to differ");
    if open > 0 {
        let verb = if open == 1 { "is" } else { "are" };
        text += &format!(", and {open} {verb} undecided");
    }
    text + "." + &apart(case).unwrap_or_default() + &beside(case).unwrap_or_default()
}

/// The point of our own that is farthest apart without being shown to differ, where that is by half and more: an interval
/// that does not hold "no difference" is wide for want of processes; single values count from twice on.
fn apart(case: &Case<'_>) -> Option<String> {
    let far = |p: &&Moved<'_>| match &p.point.verdict {
        Verdict::Undecided { .. } => p.is_apart() && p.worse.abs() >= HALF_AND_MORE,
        Verdict::Untested { .. } => p.worse.abs() >= TWICE,
        _ => false,
    };
    let own = case.a.origin.is_none() && case.b.origin.is_none();
    let mut far: Vec<&Moved<'_>> = case
        .points
        .iter()
        .filter(|p| own && !p.is_free() && far(p))
        .collect();
    far.sort_by(|x, y| y.worse.abs().total_cmp(&x.worse.abs()));
    let first = far.first()?;
    let more = match far.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more are far apart"),
    };
    Some(format!(
        " But {} is {}{more}: too few processes to tell; `whyslow run --standard` takes more.",
        first.point.point,
        first.said()
    ))
}

/// Other work beside one side, whose batches are left out of what is compared.
fn beside(case: &Case<'_>) -> Option<String> {
    let [a, b] = case.somebody_came()?;
    let mut text = format!(" But others used {a:.2} CPUs in A and {b:.2} in B");
    if let Some([a, b]) = case.waited() {
        text += &format!(
            "; {:.0} % of the batches on one CPU waited for it in A and {:.0} % in B, and such batches are left out",
            a * 100.0,
            b * 100.0
        );
    }
    Some(text + ".")
}

fn what_moved(moved: &[MovedTogether]) -> String {
    let mut parts: Vec<String> = moved
        .iter()
        .take(NAMED)
        .map(|m| format!("{} {}", m.name, m.quantity.span(m.times.map(f64::ln))))
        .collect();
    if moved.len() > NAMED {
        parts.push(match moved.len() - NAMED {
            1 => "1 more group".to_owned(),
            more => format!("{more} more groups"),
        });
    }
    words::list(&parts)
}

/// A title without what it has in parentheses, which stands with the evidence.
fn brief(title: &str) -> &str {
    title.split(" (").next().unwrap_or(title)
}

/// A cause with the share of the difference that it covers: as switching it showed, or at most, as a
/// signature reaches whole groups and cannot tell how much of them it is.
fn with_share(cause: &Finding) -> String {
    let Some(share) = cause.share else {
        return brief(&cause.title).to_owned();
    };
    let percent = |v: f64| format!("{:.0}", v * 100.0);
    let verb = if cause.verdict == CauseVerdict::Confirmed {
        "covers"
    } else {
        "would cover up to"
    };
    let ends = share.range.map(|[lo, hi]| (percent(lo), percent(hi)));
    let range = match ends {
        Some((lo, hi)) if lo != hi => format!(" [{lo}, {hi}]"),
        _ => String::new(),
    };
    format!(
        "{} ({verb} {} % of the difference{range})",
        brief(&cause.title),
        percent(share.value)
    )
}
