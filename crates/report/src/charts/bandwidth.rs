//! Bandwidth by level and shape.

use std::collections::HashSet;

use whyslow_model::Point;
use whyslow_model::id;
use whyslow_model::summary::PointSummary;

use super::table::said;
use super::values::{legend, prefix};
use super::{Cell, Figure, Side, Table};
use crate::drawing::{ChartRow, Drawing, Mark, RowScale, Rows, Tip};
use crate::numbers;

/// Rows; a run has a few dozen.
const MOST: usize = 120;

/// The probe.
pub(super) const PROBE: &str = id::MEM_BANDWIDTH;

/// The best shape of each operation in each level, with all other shapes as ticks.
pub(super) fn figure(sides: &[Side<'_>]) -> Option<Figure> {
    let mut points: Vec<&Point> = Vec::new();
    let mut seen = HashSet::new();
    for side in sides {
        for point in side.summary.points.iter().filter(|p| is(p)) {
            if seen.insert(&point.point) && points.len() < MOST {
                points.push(&point.point);
            }
        }
    }
    if points.is_empty() {
        return None;
    }
    // Levels stay in the order planned, nearest first.
    let mut groups: Vec<(usize, String)> = points.iter().map(|p| (rank(p), group(p))).collect();
    groups.sort();
    groups.dedup();
    let mut rows = Vec::new();
    for (_, wanted) in groups {
        rows.push(ChartRow {
            name: wanted.clone(),
            marks: Vec::new(),
            text: String::new(),
        });
        for point in points.iter().filter(|p| group(p) == wanted) {
            rows.push(row(point, sides));
        }
    }
    Some(Figure {
        title: "Bandwidth by level and shape".into(),
        reading:
            "The best shape of the loop is the value, with its 95 % interval; ticks are the other \
                  shapes, measured side by side on the same pages; open marks are values of CPUs that lay \
                  near or far. A copy counts bytes read plus \
                  bytes written; write-allocate traffic is not counted."
                .into(),
        table: table(&points, sides),
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Value,
            axis: "GB/s, logarithmic".into(),
            band: None,
            rows,
            whole: false,
            legend: legend(sides),
        }),
    })
}

/// Does the chart show the point?
pub(super) fn is(point: &PointSummary) -> bool {
    let measured = point.value.is_some() || !point.classes.is_empty();
    point.point.probe == PROBE && point.point.get("level").is_some() && measured
}

/// Where an operation stands: one CPU before all, reads before writes before copies.
fn rank(point: &Point) -> usize {
    let ops = ["read", "write", "copy"];
    let op = ops.iter().position(|op| point.get("op") == Some(op));
    let all = usize::from(point.get("cpus").is_some_and(|c| c != "1"));
    all * (ops.len() + 1) + op.unwrap_or(ops.len())
}

/// What stands above the rows of an operation.
fn group(point: &Point) -> String {
    let op = point.get("op").unwrap_or("access");
    match point.get("cpus") {
        Some("1") | None => format!("{op}, one CPU"),
        Some("all") => format!("{op}, all CPUs"),
        Some(other) => format!("{op}, {other} CPUs"),
    }
}

/// The rest of the name.
fn name(point: &Point) -> String {
    let others = ["op", "level", "cpus"];
    let more = point
        .params
        .iter()
        .filter(|(n, _)| !others.contains(&n.as_str()));
    let mut name = point.get("level").unwrap_or_default().to_owned();
    for (param, value) in more {
        name += &format!(", {param}={value}");
    }
    name
}

fn row(point: &Point, sides: &[Side<'_>]) -> ChartRow {
    let mut text = Vec::new();
    let mut marks = Vec::new();
    for side in sides {
        let Some(found) = side.point(point) else {
            continue;
        };
        let of = prefix(side, sides);
        let Some(value) = &found.value else {
            // Batches on CPUs that lay now near, now far have a value for each way.
            marks.extend(found.classes.iter().map(|class| Mark {
                color: side.color.to_string(),
                value: class.value.value,
                range: class.value.range,
                open: true,
                others: Vec::new(),
                tip: Tip::of(
                    point,
                    format!(
                        "{of}{point}\n{}: {}",
                        class.class,
                        said(found.unit, None, &class.value)
                    ),
                ),
            }));
            continue;
        };
        let from = found.from.clone().unwrap_or_default();
        text.push(numbers::number(value.value));
        let others = found.series.iter().filter(|s| s.name != from);
        marks.push(Mark {
            color: side.color.to_string(),
            value: value.value,
            range: value.range,
            open: false,
            others: others
                .map(|s| {
                    let tip = format!("{of}{}: {}", s.name, said(found.unit, None, &s.value));
                    (s.value.value, Tip::of(point, tip))
                })
                .collect(),
            tip: Tip::of(
                point,
                format!("{of}{point}\n{from} {}", said(found.unit, None, value)),
            ),
        });
    }
    ChartRow {
        name: name(point),
        marks,
        text: text.join(" | "),
    }
}

/// Every shape, with its value on each side.
fn table(points: &[&Point], sides: &[Side<'_>]) -> Table {
    let mut table = Table::new(&["point", "shape"]);
    for side in sides {
        table.head(format!("{}GB/s", prefix(side, sides)), true);
    }
    for point in points {
        let mut shapes: Vec<&str> = Vec::new();
        for series in sides
            .iter()
            .filter_map(|s| s.point(point))
            .flat_map(|p| &p.series)
        {
            if !shapes.contains(&series.name.as_str()) {
                shapes.push(&series.name);
            }
        }
        for shape in shapes {
            let mut row = vec![Cell::of(point, point.to_string()), Cell::text(shape)];
            for side in sides {
                let found = side.point(point);
                let series = found.and_then(|p| p.series.iter().find(|s| s.name == shape));
                let best = found.is_some_and(|p| p.from.as_deref() == Some(shape));
                row.push(series.zip(found).map_or_else(Cell::default, |(s, p)| {
                    let cell = Cell::interval(p.unit, None, &s.value);
                    if best { cell.with("n best") } else { cell }
                }));
            }
            table.row(row);
        }
    }
    table
}
