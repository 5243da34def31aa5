//! Commands under load: a table of what each run took and used, level by level.

mod arms;
mod compared;

use whyslow_model::Unit;
use whyslow_model::id;
use whyslow_model::record::Record;
use whyslow_model::summary::{Interval, PointSummary, Summary};
use whyslow_stats::record::run_value;

use crate::Look;
use crate::grid::{Cell, Grid};
use crate::numbers::{self, Scale, parts};
use crate::page::Screen;
use crate::summary::notes;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

pub(crate) use arms::{markdown, section as before_and_after};

/// The probe that stands for a run.
const REAL: &str = id::LOAD_REAL;

/// The probe of a column, and its head.
type Column = (&'static str, &'static str);

/// Tables: heading, remark, columns.
const TABLES: [(&str, &str, &[Column]); 2] = [
    (
        "TIME",
        "[95 % interval over runs]",
        &[
            (REAL, "real"),
            (id::LOAD_USER, "user"),
            (id::LOAD_SYSTEM, "system"),
            (id::LOAD_CPU, "CPUs busy"),
        ],
    ),
    (
        "MEMORY AND EVENTS",
        "a run [95 % interval over runs]",
        &[
            (id::LOAD_MAX_RSS, "peak memory"),
            (id::LOAD_MINOR_FAULTS, "minor faults"),
            (id::LOAD_MAJOR_FAULTS, "major faults"),
            (id::LOAD_VOLUNTARY_SWITCHES, "waits"),
            (id::LOAD_INVOLUNTARY_SWITCHES, "preemptions"),
        ],
    ),
];

/// The first run is called slow when it took so many times as long as the slowest of the others:
/// what caches do to a first run is more, what noise does to any run is mostly less.
const SLOW_START: f64 = 1.25;

/// Fewer runs do not tell whether the first is an odd one.
const ENOUGH_RUNS: usize = 4;

/// The page that a load ends with.
pub(crate) fn page(record: &Record, summary: &Summary, look: Look) -> String {
    let view = View::new(record, summary);
    let mut page = Screen::new(look);
    section(&view, &mut page, &mut Shown::new());
    notes::section(&view, &mut page);
    page.finish()
}

/// The tables, as part of any page; nothing where no command was measured.
pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let rows: Vec<&PointSummary> = view.probe(REAL).collect();
    if rows.is_empty() {
        return;
    }
    page.heading("LOAD", "");
    for text in answers(view) {
        page.flow(0, 2, Text::strong(text));
    }
    commands(&rows, page);
    for (title, remark, columns) in TABLES {
        table(view, page, shown, &rows, (title, remark), columns);
    }
    spread(view, page, &rows);
    if let Some(shell) = view.probe(id::LOAD_SHELL).next() {
        shown.insert(&shell.point);
        page.line(Text::default());
        page.field(
            0,
            17,
            "the shell's start",
            crate::summary::value(view, shell),
        );
    }
    compared::levels(view, page, &rows);
    for table in whyslow_compare::load::arms(view.record) {
        arms::section(&table, page);
    }
    for point in &rows {
        if let Some(text) = slow_start(view, point) {
            page.flow(0, 2, text);
        }
    }
}

/// What a load comes to, a sentence each: what one arm gains over another, which level is best; else the time alone.
pub(crate) fn answers(view: &View<'_>) -> Vec<String> {
    let rows: Vec<&PointSummary> = view.probe(REAL).collect();
    let arms = whyslow_compare::load::arms(view.record);
    let mut said: Vec<String> = arms.iter().map(arms::short).collect();
    said.extend(compared::best(view, &rows));
    if said.is_empty() {
        said.extend(rows.iter().take(ENOUGH_RUNS).filter_map(|row| {
            let (value, ends) = in_parts(row, row.value.as_ref()?);
            let ends = ends.map_or(String::new(), |ends| format!(" {ends}"));
            Some(format!("{} takes {value}{ends}.", name(row, &rows)))
        }));
    }
    said
}

/// Was the record made by `whyslow load`?
pub(crate) fn is_load(record: &Record) -> bool {
    let mut points = record.plan.points.iter();
    !record.plan.points.is_empty() && points.all(|p| p.point.probe.starts_with("load."))
}

/// What was run: commands that differ by more than their parameters, each with its name.
fn commands(rows: &[&PointSummary], page: &mut Screen) {
    let mut told: Vec<&str> = Vec::new();
    for row in rows {
        let name = row.point.get("cmd").unwrap_or_default();
        if !told.contains(&name) {
            told.push(name);
            let title = row.title.as_deref().unwrap_or_default();
            let of = rows
                .iter()
                .filter(|r| r.point.get("cmd") == Some(name))
                .count();
            let more = match of {
                1 => String::new(),
                n => format!(" ... ({n} variants)"),
            };
            page.field(0, 5, name, Text::plain(title).and(Style::Dim, more));
        }
    }
}

fn table<'a>(
    view: &View<'a>,
    page: &mut Screen,
    shown: &mut Shown<'a>,
    rows: &[&PointSummary],
    (title, remark): (&str, &str),
    columns: &[Column],
) {
    let mut grid = Grid::new(columns.iter().map(|(_, head)| (*head).to_owned()));
    for row in rows {
        let mut cells = Vec::new();
        for (probe, _) in columns {
            let point = view
                .probe(probe)
                .find(|p| p.point.params == row.point.params);
            cells.push(point.map_or_else(Cell::new, |p| cell(view, p)));
            shown.extend(point.map(|p| &p.point));
        }
        grid.row(name(row, rows), cells);
    }
    page.heading(title, remark);
    page.grid(&grid);
}

/// How far apart the real times of the runs are, where there are several.
fn spread(view: &View<'_>, page: &mut Screen, rows: &[&PointSummary]) {
    let heads = ["fastest", "slowest", "deviation", "runs"];
    let mut grid = Grid::new(heads.map(str::to_owned));
    for row in rows {
        let times: Vec<f64> = runs(view.record, row).map(|(_, ns)| ns).collect();
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let squares: f64 = times.iter().map(|ns| (ns - mean).powi(2)).sum();
        let [fastest, slowest] = [f64::min, f64::max].map(|of| times.iter().copied().reduce(of));
        let (Some(fastest), Some(slowest), true) = (fastest, slowest, times.len() > 1) else {
            continue;
        };
        let deviation = (squares / (count - 1.0)).sqrt();
        let told = |ns: f64| -> Cell {
            let scale = Scale::of(Unit::Ns, ns);
            let text = format!("{} {}", numbers::number(ns / scale.by), scale.name);
            vec![Text::plain(text)]
        };
        let mut cells: Vec<Cell> = [fastest, slowest, deviation].map(told).into();
        cells.push(vec![Text::plain(times.len().to_string())]);
        grid.row(name(row, rows), cells);
    }
    if !grid.is_empty() {
        page.heading(
            "SPREAD",
            "real time of the runs; deviation: standard deviation",
        );
        page.grid(&grid);
    }
}

/// A value with its interval below.
fn cell(view: &View<'_>, point: &PointSummary) -> Cell {
    let Some(value) = &point.value else {
        // A reason may be long: a cell is no place for all of it.
        return Text::dim(format!("none: {}", view.why_missing(point))).wrap(14);
    };
    if value.value == 0.0 {
        return vec![Text::plain("0")];
    }
    let (value, ends) = in_parts(point, value);
    let ends = ends.unwrap_or_else(|| "(one run)".into());
    vec![Text::plain(value), Text::dim(ends)]
}

fn in_parts(point: &PointSummary, value: &Interval) -> (String, Option<String>) {
    let scale = match point.unit {
        Unit::Bytes => Scale::bytes(value.value),
        unit => Scale::of(unit, value.value),
    };
    let (text, ends) = parts(value, scale);
    (format!("{text} {}", scale.name).trim_end().to_owned(), ends)
}

/// What tells a row from the others: its parameters, without the command where there is one only.
fn name(row: &PointSummary, rows: &[&PointSummary]) -> String {
    let several = rows
        .iter()
        .any(|r| r.point.get("cmd") != row.point.get("cmd"));
    let params = row
        .point
        .params
        .iter()
        .filter(|(n, _)| n != "cmd" || several);
    let params: Vec<String> = params.map(|(n, v)| format!("{n}={v}")).collect();
    match params.is_empty() {
        true => "the command".into(),
        false => params.join(" "),
    }
}

/// Says when the first run was far slower than all others: it found cold caches.
fn slow_start(view: &View<'_>, point: &PointSummary) -> Option<Text> {
    let warm = view
        .record
        .processes
        .iter()
        .any(|p| p.round == 0 && p.point == point.point);
    let runs: Vec<f64> = runs(view.record, point).map(|(_, ns)| ns).collect();
    let (first, rest) = runs.split_first()?;
    let most = rest.iter().copied().fold(0.0, f64::max);
    if warm || runs.len() < ENOUGH_RUNS || *first < SLOW_START * most {
        return None;
    }
    let scaled = |ns| {
        let scale = Scale::of(Unit::Ns, ns);
        format!("{} {}", numbers::number(ns / scale.by), scale.name)
    };
    Some(Text::plain(format!(
        "The first run of {} took {}, no other more than {}: it found cold caches. Warm up with \
         --warmup 1, or chill every run with --prepare.",
        point.title.as_deref().unwrap_or("the command"),
        scaled(*first),
        scaled(most),
    )))
}

/// Real time of each run that counts, with its round, in the order in which they were run.
fn runs<'a>(record: &'a Record, point: &'a PointSummary) -> impl Iterator<Item = (u32, f64)> + 'a {
    let processes = record.processes.iter();
    processes
        .filter(|p| p.round > 0 && p.point == point.point)
        .filter_map(|p| Some((p.round, run_value(p)?)))
}
