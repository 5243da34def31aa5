//! A command under load: what it took by level.

use std::collections::HashSet;

use whyslow_model::summary::PointSummary;
use whyslow_model::{Point, Unit, id};

use super::table::said;
use super::values::prefix;
use super::{Cell, Figure, Side, Table};
use crate::drawing::{ChartRow, Drawing, Line, Lines, Mark, RowScale, Rows, Spot, Tip, XAxis};
use crate::numbers::Scale;

/// The parameter that is the level.
const LEVEL: &str = "j";

/// The parameter that names the command.
const COMMAND: &str = "cmd";

/// Curves of a chart: more cannot be told apart.
const MOST: usize = crate::drawing::SERIES;

/// A curve: a command with all of its parameters but the level.
struct Curve<'a> {
    side: usize,
    name: String,
    points: Vec<(f64, &'a PointSummary)>,
}

/// Elapsed time and CPU time by level, and the points that they show; none where no command ran at two levels.
pub(super) fn figures<'a>(sides: &'a [Side<'a>]) -> (Vec<Figure>, HashSet<&'a Point>) {
    let real = curves(sides, id::LOAD_REAL);
    if real.is_empty() {
        return times(sides);
    }
    let (user, system) = (curves(sides, id::LOAD_USER), curves(sides, id::LOAD_SYSTEM));
    let of = |curves: &[Curve<'a>]| -> Vec<&'a Point> {
        let points = curves.iter().flat_map(|c| &c.points);
        points.map(|(_, point)| &point.point).collect()
    };
    let shown = [&real, &user, &system];
    let shown = shown.iter().flat_map(|curves| of(curves)).collect();
    let elapsed = figure(
        "Elapsed time by level",
        "Real time of a run at each level of -j, with its 95 % interval over runs. Less is better.",
        sides,
        &[("", &real)],
    );
    let cpu = figure(
        "CPU time by level",
        "User and system time of a run, over all of its processes and threads: what rises with the level is what running \
         side by side costs.",
        sides,
        &[("user", &user), ("system", &system)],
    );
    (vec![elapsed, cpu], shown)
}

/// The times of commands that ran at one level, and the points that they are of; none where no command ran.
fn times<'a>(sides: &'a [Side<'a>]) -> (Vec<Figure>, HashSet<&'a Point>) {
    const KINDS: [(&str, &str); 3] = [
        (id::LOAD_REAL, "real"),
        (id::LOAD_USER, "user"),
        (id::LOAD_SYSTEM, "system"),
    ];
    let mut table = Table::new(&["command", "kind", "#time", "#runs"]);
    let (mut rows, mut shown) = (Vec::new(), HashSet::new());
    for (probe, kind) in KINDS {
        for side in sides {
            let points = side
                .summary
                .points
                .iter()
                .filter(|p| p.point.probe == probe);
            for (point, value) in points.filter_map(|p| Some((p, p.value.as_ref()?))) {
                let command = point.point.get(COMMAND).unwrap_or_default();
                let name = format!("{}{command}: {kind}", prefix(side, sides));
                let words = said(point.unit, None, value);
                table.row(vec![
                    Cell::text(format!("{}{command}", prefix(side, sides))),
                    Cell::text(kind),
                    Cell::number(value.value, words.clone()).to(&point.point),
                    Cell::number(f64::from(point.samples), point.samples.to_string()),
                ]);
                shown.insert(&point.point);
                // Nothing at all has no place on a logarithmic axis.
                if value.value > 0.0 {
                    rows.push(ChartRow {
                        marks: vec![Mark {
                            color: side.color.to_string(),
                            value: value.value,
                            range: value.range.filter(|[lo, _]| *lo > 0.0),
                            open: false,
                            others: Vec::new(),
                            tip: Tip::of(&point.point, format!("{name}\n{words}")),
                        }],
                        text: words.split(" [").next().unwrap_or_default().to_owned(),
                        name,
                    });
                }
            }
        }
    }
    let figure = (!rows.is_empty()).then(|| Figure {
        title: "Time of a run".into(),
        reading: "Real, user and system time of each command, with its 95 % interval over runs. Less is better.".into(),
        table,
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Time,
            axis: "time, logarithmic".into(),
            band: None,
            rows,
            whole: false,
            legend: super::values::legend(sides),
        }),
    });
    (figure.into_iter().collect(), shown)
}

/// The curves of a probe with two levels at least.
fn curves<'a>(sides: &'a [Side<'a>], probe: &str) -> Vec<Curve<'a>> {
    let mut found: Vec<Curve<'a>> = Vec::new();
    let points = || sides.iter().flat_map(|side| &side.summary.points);
    let mut commands = points().filter(|p| p.point.probe == probe);
    let first = commands.next().and_then(|p| p.point.get(COMMAND));
    let several = commands.any(|p| p.point.get(COMMAND) != first);
    for (at, side) in sides.iter().enumerate() {
        let points = side.summary.points.iter();
        for point in points.filter(|p| p.point.probe == probe && p.value.is_some()) {
            let level = point.point.get(LEVEL).and_then(|j| j.parse::<f64>().ok());
            let Some(level) = level.filter(|j| *j > 0.0) else {
                continue;
            };
            // The name of the only command says nothing.
            let others = point.point.params.iter();
            let others = others.filter(|(n, _)| n != LEVEL && (n != COMMAND || several));
            let others: Vec<String> = others
                .map(|(n, v)| match n.as_str() {
                    COMMAND => v.clone(),
                    _ => format!("{n}={v}"),
                })
                .collect();
            let name = match others.is_empty() {
                true => "the command".to_owned(),
                false => others.join(" "),
            };
            let name = format!("{}{name}", prefix(side, sides));
            match found.iter_mut().find(|c| (c.side, &c.name) == (at, &name)) {
                Some(curve) => curve.points.push((level, point)),
                None => found.push(Curve {
                    side: at,
                    name,
                    points: vec![(level, point)],
                }),
            }
        }
    }
    found.retain(|curve| curve.points.len() > 1);
    for curve in &mut found {
        curve.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    found
}

fn figure(
    title: &str,
    reading: &str,
    sides: &[Side<'_>],
    kinds: &[(&str, &Vec<Curve<'_>>)],
) -> Figure {
    let mut table = Table::new(&["command", "kind", "#-j", "#time", "#runs"]);
    let mut lines = Vec::new();
    let Scale { by, name: unit } = scale(kinds);
    for (dash, (kind, curves)) in kinds.iter().enumerate() {
        for (at, curve) in curves.iter().enumerate() {
            let mut spots = Vec::new();
            for (level, point) in &curve.points {
                let Some(value) = &point.value else { continue };
                let words = said(point.unit, None, value);
                table.row(vec![
                    Cell::text(curve.name.clone()),
                    Cell::text(*kind),
                    Cell::number(*level, level.to_string()),
                    Cell::number(value.value, words.clone()).to(&point.point),
                    Cell::number(f64::from(point.samples), point.samples.to_string()),
                ]);
                spots.push(Spot {
                    x: *level,
                    y: value.value / by,
                    band: value.range.map(|range| range.map(|ns| ns / by)),
                    tip: Tip::of(
                        &point.point,
                        format!("{} -j {level}\n{kind} {words}", curve.name),
                    ),
                });
            }
            if at < MOST {
                let color = match sides.len() {
                    1 => at,
                    _ => sides.get(curve.side).map_or(at, |side| side.color),
                };
                lines.push(Line {
                    name: format!("{} {kind}", curve.name).trim().to_owned(),
                    color,
                    dash,
                    spots,
                });
            }
        }
    }
    Figure {
        title: title.to_owned(),
        reading: reading.to_owned(),
        table,
        drawing: Drawing::Lines(Lines {
            x: XAxis::Number,
            x_name: "jobs at once (-j)".into(),
            y_name: unit.into(),
            lines,
            lanes: Vec::new(),
            reference: None,
        }),
    }
}

/// The scale in which the longest time reads as a number of one to three digits.
fn scale(kinds: &[(&str, &Vec<Curve<'_>>)]) -> Scale {
    let points = kinds
        .iter()
        .flat_map(|(_, curves)| curves.iter())
        .flat_map(|curve| &curve.points);
    let values = points.filter_map(|(_, point)| Some(point.value.as_ref()?.value));
    Scale::of(Unit::Ns, values.fold(0.0, f64::max))
}
