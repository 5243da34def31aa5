//! Bandwidth by level, operation and number of CPUs.

use whyslow_model::id;
use whyslow_model::summary::{Interval, PointSummary};

use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

/// What is measured, in the order of the rows.
const OPERATIONS: [&str; 3] = ["read", "write", "copy"];

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    // By level; where sizes were asked for in place of levels, by size.
    for key in ["level", "size"] {
        let points: Vec<&PointSummary> = view
            .probe(id::MEM_BANDWIDTH)
            .filter(|p| p.point.get(key).is_some())
            .collect();
        if points.is_empty() {
            if key == "level" {
                super::absent(page, "BANDWIDTH", without_levels(view));
            }
            continue;
        }
        let title = if key == "level" {
            "BANDWIDTH"
        } else {
            "BANDWIDTH BY SIZE"
        };
        page.heading(title, &remark(view, &points));
        block(view, page, key, &points);
        shown.extend(points.iter().map(|p| &p.point));
    }
}

/// Why there are no points by level where the run was to have them.
fn without_levels(view: &View<'_>) -> Option<String> {
    let skipped = view.record.plan.skipped.iter();
    let why = skipped.filter(|s| s.what.starts_with("mem.bandwidth{") && s.what.contains("level="));
    let why = why.map(|s| s.why.as_str()).next()?;
    Some(format!("not measured: {why}"))
}

fn remark(view: &View<'_>, points: &[&PointSummary]) -> String {
    let mut text = "GB/s (10^9 B/s), best shape; a copy counts bytes read plus written, write-allocate is not counted".to_owned();
    if let Some(cpus) = view
        .cpus()
        .filter(|_| points.iter().any(|p| p.point.get("cpus") == Some("all")))
    {
        text += &format!("; all = {cpus} CPUs, sizes are of each");
    }
    text
}

fn block(view: &View<'_>, page: &mut Screen, key: &str, points: &[&PointSummary]) {
    let mut columns: Vec<(&str, Option<u64>)> = Vec::new();
    for point in points {
        let name = point.point.get(key).unwrap_or_default();
        if !columns.iter().any(|(n, _)| *n == name) {
            columns.push((name, point.size_bytes));
        }
    }
    let mut grid = Grid::new(columns.iter().map(|(name, bytes)| match bytes {
        Some(bytes) if key == "level" => format!("{name}, {}", numbers::size(*bytes)),
        _ => (*name).to_owned(),
    }));
    let mut missing: Vec<(String, Vec<String>)> = Vec::new();
    for op in OPERATIONS {
        for cpus in ["1", "all"] {
            let row = format!("{op:5} {cpus:>3}");
            let mut cells = Vec::new();
            for (name, bytes) in &columns {
                let here = |p: &&&PointSummary| {
                    let get = |name| p.point.get(name);
                    get("op") == Some(op) && get("cpus") == Some(cpus) && get(key) == Some(name)
                };
                let Some(point) = points.iter().find(here) else {
                    cells.push(Cell::new());
                    continue;
                };
                cells.push(cell(point, *bytes));
                if point.value.is_none() && settled(point).next().is_none() {
                    let (what, why) = (format!("{op} {cpus} {name}"), view.why_missing(point));
                    match missing.iter_mut().find(|(w, _)| *w == why) {
                        Some((_, whats)) => whats.push(what),
                        None => missing.push((why, vec![what])),
                    }
                }
            }
            if cells.iter().any(|cell| !cell.is_empty()) {
                grid.row(row, cells);
            }
        }
    }
    page.grid(&grid);
    for (why, whats) in missing {
        page.flow(
            0,
            2,
            Text::dim(format!("no value for {}: {why}", whats.join(", "))),
        );
    }
}

/// Classes in which the CPUs stayed.
fn settled(point: &PointSummary) -> impl Iterator<Item = &whyslow_model::summary::ClassSummary> {
    point.classes.iter().filter(|c| c.class != "moved")
}

/// Value and winning shape, or one of each for every class, never an average over them.
fn cell(point: &PointSummary, usual: Option<u64>) -> Cell {
    let mut lines = Cell::new();
    let mut add = |class: Option<&str>, value: &Interval, from: Option<&String>| {
        let class = class.map_or(String::new(), |c| format!("{c} "));
        lines.push(Text::plain(class).then(numbers::plus_minus(value)));
        let mut shape = Text::dim(from.map_or("", String::as_str));
        if let Some(bytes) = point.size_bytes.filter(|b| Some(*b) != usual) {
            shape = shape.and(Style::Dim, format!(" {}", numbers::size(bytes)));
        }
        if !shape.is_empty() {
            lines.push(shape);
        }
    };
    match &point.value {
        Some(value) => add(None, value, point.from.as_ref()),
        None => {
            for class in settled(point) {
                add(Some(&class.class), &class.value, class.from.as_ref());
            }
        }
    }
    if lines.is_empty() {
        lines.push(Text::dim("no value"));
    }
    lines
}
