//! Figures that cannot be right, and are no evidence of a cause.

use super::Moved;

/// A row that moved by more than this stands out where the rows of its role did not, as a logarithm of 5.
const APART: f64 = 1.6;

/// The rest of a role stands still within this: published single runs repeat to it.
const STILL: f64 = 0.1;

/// Rows of a role beside the one that stands out.
const OTHERS: usize = 3;

/// Operations a second that no core does of anything that is worth counting: an operation of a fifth of a nanosecond
/// would take less than a cycle.
const MOST_PER_SECOND: f64 = 5e9;

/// Events of sysbench's CPU test a second that no machine reaches: each tries the divisors of 10,000 numbers, which takes a
/// fast core of today 0.1 ms, and 256 of them make 2.5 million. Versions that leave the loop out count far more.
const MOST_PRIMES: f64 = 5e6;

/// What a counter of 64 bits with a sign holds at most: more is one that went below zero.
const MOST_COUNTED: f64 = 9.2e18;

/// Rows of published results alone: our own probes have guards.
fn is_published(point: &Moved<'_>) -> bool {
    point.point.title.is_some()
}

/// Marks what cannot be right as not moved, and says why.
pub(super) fn set_aside(points: &mut [Moved<'_>]) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        if !is_published(point) || !point.moved {
            continue;
        }
        if let Some(text) = impossible(point) {
            found.push((at, text));
            continue;
        }
        // What is the same to the last digit may be what was asked for, and not measured.
        let told = |p: &Moved| p.worse == 0.0;
        let others: Vec<f64> = points
            .iter()
            .enumerate()
            .filter(|(i, p)| *i != at && p.role == point.role && !told(p))
            .map(|(_, p)| p.worse.abs())
            .collect();
        let still = others.iter().filter(|w| **w <= STILL).count();
        if point.worse.abs() > APART && others.len() >= OTHERS && still * 10 >= others.len() * 9 {
            let text = format!(
                "{}: {}, and {still} of {} other rows of {} are the same",
                point.name,
                point.said(),
                others.len(),
                point.role.name()
            );
            found.push((at, text));
        }
    }
    found
        .into_iter()
        .map(|(at, text)| {
            points[at].moved = false;
            format!("{text}: set aside")
        })
        .collect()
}

/// What no machine does.
fn impossible(point: &Moved<'_>) -> Option<String> {
    let symbol = point
        .point
        .symbol
        .as_deref()
        .unwrap_or_default()
        .to_lowercase();
    let sides = [&point.point.a, &point.point.b].map(|s| s.value.value);
    let per_second = ["lps", "ops/s", "/s", "/sec", "per second", "iterations/s"];
    let counted = per_second.iter().any(|unit| symbol.ends_with(unit)) && !symbol.contains('b');
    // Tables of sysbench's results keep its words.
    let title = point.point.title.as_deref().unwrap_or_default();
    let of_sysbench = point.point.point.probe.starts_with("sysbench.events")
        || [title.to_lowercase(), symbol.clone()]
            .iter()
            .any(|text| text.contains("events per second"));
    if of_sysbench && let Some(most) = sides.into_iter().find(|value| *value > MOST_PRIMES) {
        return Some(format!(
            "{}: {most:.2e} events a second, each of which is to find the primes up to 10,000",
            point.name
        ));
    }
    if let Some(most) = sides.into_iter().find(|value| *value > MOST_COUNTED) {
        return Some(format!(
            "{}: {most:.2e} is more than a counter of 64 bits counts to",
            point.name
        ));
    }
    sides
        .into_iter()
        .find(|value| counted && *value > MOST_PER_SECOND)
        .map(|value| {
            format!(
                "{}: {value:.2e} {symbol} is less than a cycle each",
                point.name
            )
        })
}
