//! Every point with its value, a row each: where links to a point lead.

use std::collections::HashSet;

use maud::{Markup, html};
use whyslow_model::summary::PointSummary;
use whyslow_model::{Point, Unit};

use super::words::{PLACE, anchor, cell, cut, shown};
use crate::charts::{Cell, Side};

/// Rows; the largest suites have fewer.
const MOST: usize = 1_200;

/// Rows up to which no filter is needed.
const FEW: usize = 12;

/// Longest name by which the samples of a point are found, as they are packed.
const NAME: usize = 300;

/// The table of all points; none where there is no point.
pub(super) fn section(sides: &[Side<'_>]) -> Option<Markup> {
    let mut points: Vec<&Point> = Vec::new();
    let mut seen = HashSet::new();
    let mut anchors = HashSet::new();
    for point in sides.iter().flat_map(|side| &side.summary.points) {
        // Names that differ in blanks alone would have one place.
        if seen.insert(&point.point) && anchors.insert(anchor(&point.point.to_string())) {
            points.push(&point.point);
        }
    }
    let left_out = points.len().saturating_sub(MOST);
    points.truncate(MOST);
    if points.is_empty() {
        return None;
    }
    let several = sides.len() > 1;
    Some(html! {
        p { "A row a point; its name is a link that can be kept and sent. Where the page has samples, it leads to those of \
             the point." }
        @if points.len() > FEW {
            div.tools data-for="every" hidden {
                label { "Filter " input type="search" placeholder="words, such as latency thp"; }
                output {}
            }
        }
        div.scroll tabindex="0" role="group" aria-label="Table of every point" {
            table.sort #every {
                @if left_out > 0 {
                    caption { (left_out) " more rows are left out; all are in " (shown(sides, "csv")) "." }
                }
                thead { tr {
                    th scope="col" { "point" }
                    @for side in sides {
                        th.n scope="col" { @if several { (side.letter) } @else { "value [95 % interval]" } }
                    }
                    th.n scope="col" { "processes" }
                    th.n scope="col" { "samples left out" }
                } }
                tbody { @for point in &points { (row(point, sides)) } }
            }
        }
    })
}

fn row(point: &Point, sides: &[Side<'_>]) -> Markup {
    let found: Vec<Option<&PointSummary>> = sides.iter().map(|side| side.point(point)).collect();
    let name = point.to_string();
    let id = anchor(&name);
    // Said where the id does not say it.
    let own = id.strip_prefix(PLACE) != Some(&name);
    let processes = found.iter().flatten().map(|p| p.processes.len());
    let processes: Vec<String> = processes.map(|n| n.to_string()).collect();
    let [samples, left_out] = [|p: &PointSummary| p.samples, |p: &PointSummary| p.left_out]
        .map(|of| found.iter().flatten().map(|p| of(p)).sum::<u32>());
    let named = sides.iter().zip(&found).find_map(|(side, found)| {
        let found = (*found)?;
        Some(side.called(&found.point, found.title.as_deref()))
    });
    html! {
        tr id=(id) data-p=[own.then(|| cut(&name, NAME))] {
            th scope="row" { a href={ "#" (id) } { (cell(&named.unwrap_or_else(|| name.clone()))) } }
            @for found in &found {
                @let value = found.map_or_else(Cell::default, value);
                td.n data-v=[value.sort.map(|v| format!("{v:.5e}"))] { (cell(&value.text)) }
            }
            td.n { (processes.join(" | ")) }
            td.n data-v=(left_out) { (left_out) " of " (samples) }
        }
    }
}

/// The value, or why there is none.
fn value(point: &PointSummary) -> Cell {
    let symbol = point
        .symbol
        .as_deref()
        .filter(|_| point.unit == Unit::Count);
    let parts = point.series.len() + point.classes.len();
    match &point.value {
        Some(value) => Cell::interval(point.unit, symbol, value),
        None if parts > 0 => Cell::text(format!("{parts} values, each for itself")),
        None => Cell::text("no value"),
    }
}
