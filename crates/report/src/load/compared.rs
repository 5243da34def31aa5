//! Levels against the first level, round by round.

use std::collections::BTreeMap;

use whyslow_model::summary::{Interval, PointSummary};
use whyslow_stats::Interval as StatsInterval;
use whyslow_stats::paired::{Block, Ratio, ratio};
use whyslow_stats::summary::COVERAGE;

use super::runs;
use crate::numbers::{Scale, parts};
use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::View;

/// What each level gains over the first of its kind.
pub(super) fn levels(view: &View<'_>, page: &mut Screen, rows: &[&PointSummary]) {
    let mut told = false;
    for row in rows {
        let Some(first) = first_with_other(rows, row, "j") else {
            continue;
        };
        // Rounds are the blocks: in each, every level was run once.
        let Some(found) = compare(view, row, first) else {
            continue;
        };
        // The same command at both levels: the level is how many of it ran at once.
        let copies = row.title == first.title;
        if !told {
            let (title, remark) = match copies {
                true => (
                    "THROUGHPUT",
                    "work a second, over that of the first level, round by round",
                ),
                false => (
                    "SPEED-UP",
                    "real time of the first level over that of this one, round by round",
                ),
            };
            page.heading(title, remark);
            told = true;
        }
        let work = if copies {
            level(row) / level(first)
        } else {
            1.0
        };
        let found = Ratio {
            value: found.value * work,
            interval: found.interval.map(|i| StatsInterval {
                lo: i.lo * work,
                hi: i.hi * work,
            }),
            ..found
        };
        page.field(
            0,
            wide(rows),
            &super::name(row, rows),
            said(&found, "times"),
        );
    }
}

/// The answer of several levels in a sentence for each command: what the best gains, and whether the CPUs limit it.
pub(super) fn best(view: &View<'_>, rows: &[&PointSummary]) -> Vec<String> {
    let mut said = Vec::new();
    for first in rows
        .iter()
        .filter(|row| first_with_other(rows, row, "j").is_none())
    {
        let others = rows
            .iter()
            .filter(|row| first_with_other(rows, row, "j").is_some_and(|f| f.point == first.point));
        let mut all: Vec<&PointSummary> = std::iter::once(first).chain(others).copied().collect();
        if all.len() < 2 || first.point.get("j").is_none() {
            continue;
        }
        all.sort_by(|a, b| level(a).total_cmp(&level(b)));
        said.extend(sentence(view, &all, rows));
    }
    said
}

/// Of levels in their order: the lowest that none is shown to be faster than, over the first.
fn sentence(view: &View<'_>, levels: &[&PointSummary], rows: &[&PointSummary]) -> Option<String> {
    let (first, copies) = (
        levels.first()?,
        levels.first()?.title == levels.last()?.title,
    );
    let gain = |from: &PointSummary, to: &PointSummary| {
        let work = if copies { level(to) / level(from) } else { 1.0 };
        let found = compare(view, to, from)?;
        let range = found.interval.map(|i| [i.lo * work, i.hi * work]);
        Some(Interval {
            value: found.value * work,
            range,
        })
    };
    let is_beaten = |row: &&&PointSummary| {
        let mut others = levels.iter().filter(|other| other.point != row.point);
        others.any(|other| {
            let range = gain(row, other).and_then(|gain| gain.range);
            range.is_some_and(|[low, _]| low > 1.0)
        })
    };
    let best = levels.iter().find(|row| !is_beaten(row))?;
    let of = match levels.len() == rows.len() {
        true => String::new(),
        false => format!(" ({})", super::name(first, rows)),
    };
    let limit = limit(view, best).map_or(String::new(), |limit| format!("; {limit}"));
    let low = level(first);
    if best.point == first.point {
        return Some(format!(
            "No level is shown to be faster than -j {low}{of}{limit}."
        ));
    }
    let found = gain(first, best)?;
    let (value, ends) = parts(&found, Scale { by: 1.0, name: "" });
    let ends = ends.map_or(String::new(), |ends| format!(" {ends}"));
    let high = level(best);
    Some(match copies {
        true => format!(
            "{high} at once do {value} times the work of {low}{ends}; -j {high} is best{of}{limit}."
        ),
        false => format!(
            "{high} jobs are {value} times as fast as {low}{ends}; -j {high} is best{of}{limit}."
        ),
    })
}

/// A share of the CPUs from which on they are what limits a command: the rest is spent on starting and ending it.
const ALL: f64 = 0.9;

/// What the CPUs have to do with it, as far as that was measured.
fn limit(view: &View<'_>, best: &PointSummary) -> Option<String> {
    let cpus = view.cpus()? as f64;
    let same = |p: &&PointSummary| p.point.params == best.point.params;
    let busy = view
        .probe(whyslow_model::id::LOAD_CPU)
        .find(same)?
        .value?
        .value;
    let said = format!("{} of {cpus} CPUs are busy", crate::numbers::rough(busy));
    Some(match busy >= ALL * cpus {
        true => format!("the CPUs limit it: {said}"),
        false => format!("the CPUs are not what limits it: {said}"),
    })
}

/// The level of a row; 1 where it has none.
fn level(row: &PointSummary) -> f64 {
    let level = row.point.get("j").and_then(|j| j.parse().ok());
    level.filter(|j| *j > 0.0).unwrap_or(1.0)
}

/// Columns that the longest name takes, within reason.
fn wide(rows: &[&PointSummary]) -> usize {
    // Half of 80 columns: the rest is for what is said.
    let names = rows.iter().map(|r| super::name(r, rows).chars().count());
    names.max().unwrap_or(0).min(40)
}

/// The first row that has the same parameters but for `name`; none if that is the row itself.
fn first_with_other<'a>(
    rows: &[&'a PointSummary],
    row: &PointSummary,
    name: &str,
) -> Option<&'a PointSummary> {
    let others = |p: &PointSummary| -> Vec<(String, String)> {
        p.point
            .params
            .iter()
            .filter(|(n, _)| n != name)
            .cloned()
            .collect()
    };
    let first = rows.iter().find(|r| others(r) == others(row))?;
    (first.point != row.point).then_some(first)
}

/// How many times as large `second` is as `first`, by rounds.
fn compare(view: &View<'_>, first: &PointSummary, second: &PointSummary) -> Option<Ratio> {
    let mut rounds: BTreeMap<u32, Block> = BTreeMap::new();
    for (round, ns) in runs(view.record, first) {
        rounds.entry(round).or_default().0.push(ns);
    }
    for (round, ns) in runs(view.record, second) {
        rounds.entry(round).or_default().1.push(ns);
    }
    let rounds: Vec<Block> = rounds.into_values().collect();
    ratio(&rounds, COVERAGE).ok()
}

/// `1.86 times [1.80, 1.93]  5 blocks`.
fn said(found: &Ratio, unit: &'static str) -> Text {
    let interval = Interval {
        value: found.value,
        range: found.interval.map(|i| [i.lo, i.hi]),
    };
    let (value, ends) = parts(&interval, Scale { by: 1.0, name: "" });
    let ends = ends.unwrap_or_else(|| "(one round, no interval)".into());
    Text::plain(format!("{value} {unit} ")).and(Style::Dim, ends)
}
