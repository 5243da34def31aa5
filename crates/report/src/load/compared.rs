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
