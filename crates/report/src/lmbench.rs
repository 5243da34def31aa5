//! The summary tables that users of lmbench know, one row for each record.

mod tables;

use whyslow_model::id;
use whyslow_model::record::Record;
use whyslow_model::summary::{Interval, PointSummary, Summary};

use self::tables::{Column, SECTIONS, Section, Source};
use crate::Look;
use crate::byte::system;
use crate::figure::{Turn, copies_of, is_foreign};
use crate::grid::Grid;
use crate::numbers::{Scale, parts, percent, relative};
use crate::page::Screen;
use crate::text::{TIE, Text};
use crate::view::{View, has};

/// Where two processes run, in tables that have such: as lmbench does it first.
const PLACES: [&str; 2] = ["free", "same-cpu"];

pub(crate) fn page(records: &[(&Record, &Summary)], look: Look) -> String {
    let views: Vec<View<'_>> = records.iter().map(|(r, s)| View::new(r, s)).collect();
    let mut page = Screen::new(look);
    page.line(Text::strong("L M B E N C H   S U M M A R Y"));
    page.flow(
        0,
        0,
        Text::dim(
            "The rows of lmbench's summary, measured by whyslow unless they were imported; below each value half of its 95 % interval. A dash: not measured.",
        ),
    );
    for section in SECTIONS {
        table(&views, section, &mut page, look.width);
    }
    page.finish()
}

/// A table of the rows that have a value.
fn table(views: &[View<'_>], section: &Section, page: &mut Screen, width: usize) {
    let places: &[&str] = match section.columns.iter().any(Column::is_placed) {
        true => &PLACES,
        false => &[""],
    };
    let mut rows: Vec<(String, Vec<Option<Interval>>)> = Vec::new();
    for place in places {
        for view in views {
            // What does not depend on the place is shown once, and so is what says no place.
            let again = *place == PLACES[1];
            if again && view.record.origin.is_some() {
                continue;
            }
            let columns = section.columns.iter();
            let cell = |c: &Column| value(view, c, place).filter(|_| !again || c.is_placed());
            let cells: Vec<Option<Interval>> = columns.map(cell).collect();
            if cells.iter().any(Option::is_some) {
                rows.push((label(view, place), cells));
            }
        }
    }
    page.heading(section.title, section.remark);
    if rows.is_empty() {
        page.flow(
            0,
            0,
            Text::dim("not measured; `whyslow run --suite lmbench` does"),
        );
        return;
    }
    let mut grid = Grid::new(section.columns.iter().map(|c| c.head.to_owned()));
    let columns: Vec<Vec<[String; 2]>> = section
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().map(|(_, cells)| texts(cells[at].as_ref()));
            right(cells.collect(), column.head)
        })
        .collect();
    for (line, (name, _)) in rows.iter().enumerate() {
        let cells = columns.iter().map(|column| {
            let [value, share] = &column[line];
            vec![Text::plain(value), Text::dim(share)]
        });
        grid.row(name, cells.collect());
    }
    // Tables as wide as the terminal: running text is not.
    for line in grid.lines(width) {
        page.line(line);
    }
}

/// The record's row: its system, and where the processes ran.
fn label(view: &View<'_>, place: &str) -> String {
    let system = system(view);
    match (place, &view.record.origin) {
        ("", _) | (_, Some(_)) => system,
        ("free", _) => format!("{system}, free"),
        _ => format!("{system}, one CPU"),
    }
}

/// Value and half-width of a cell.
fn texts(value: Option<&Interval>) -> [String; 2] {
    let Some(value) = value else {
        return ["-".into(), String::new()];
    };
    let share = match (relative(value), value.range) {
        (Some(share), _) => format!("±{}", percent(share)),
        (None, Some(_)) => format!("±100{TIE}%+"),
        (None, None) => String::new(),
    };
    let text = match value.range {
        // Counted and not measured.
        None if value.value.fract() == 0.0 => format!("{:.0}", value.value),
        _ => parts(value, Scale { by: 1.0, name: "" }).0,
    };
    [text, share]
}

/// Right-aligned, no narrower than the heading.
fn right(cells: Vec<[String; 2]>, head: &str) -> Vec<[String; 2]> {
    let long = |text: &String| text.chars().count();
    let widest = cells.iter().flatten().map(long).max().unwrap_or(0);
    let wide = widest.max(head.chars().count());
    let pad = |text: String| match long(&text) {
        0 => text,
        n => TIE.to_string().repeat(wide - n) + &text,
    };
    cells.into_iter().map(|cell| cell.map(pad)).collect()
}

/// What a record has for a column, in the table's unit.
fn value(view: &View<'_>, column: &Column, place: &str) -> Option<Interval> {
    let foreign = |p: &&PointSummary| {
        let id = p.point.to_string();
        is_foreign(p) && id.strip_prefix("lmbench.") == Some(column.imported)
    };
    if let Some(point) = view.summary.points.iter().find(foreign) {
        return point.value;
    }
    match column.source {
        Source::Point(probe, params, turn) => single(view, probe, params, place, turn),
        Source::Mean(probes, turn) => {
            let values: Option<Vec<Interval>> = probes
                .iter()
                .map(|probe| single(view, probe, &[], place, turn))
                .collect();
            mean(&values?)
        }
        Source::Level(name) => {
            let level = view.summary.levels.iter().find(|l| l.name == name);
            level.map(|l| l.latency_ns)
        }
        Source::LineBytes => {
            let caches = view.host()?.caches.value()?;
            let line = caches.iter().find_map(|c| c.line_bytes.value().copied())?;
            Some(known(f64::from(line)))
        }
        Source::Parallelism => {
            let memory = view.find(id::MEM_PARALLELISM, &[("level", "DRAM")])?;
            let of = |name: &str| {
                memory
                    .series
                    .iter()
                    .find(|s| s.name == name)
                    .map(|s| s.value.value)
            };
            let best = memory
                .series
                .iter()
                .map(|s| s.value.value)
                .fold(f64::INFINITY, f64::min);
            Some(known(of("1")? / best))
        }
    }
}

/// A figure that is not repeated.
fn known(value: f64) -> Interval {
    Interval { value, range: None }
}

/// The value of the largest point of a probe that has these parameters; `{cpus}` is the place.
fn single(
    view: &View<'_>,
    probe: &str,
    params: &[(&'static str, &'static str)],
    place: &str,
    turn: Turn,
) -> Option<Interval> {
    let params: Vec<(&str, &str)> = params
        .iter()
        .map(|&(name, value)| (name, if value == tables::PLACE { place } else { value }))
        .collect();
    let points = view.summary.points.iter();
    let found = points
        .filter(|p| p.point.probe == probe && copies_of(p) == 1 && has(p, &params))
        // What holds zeros, and what is of a level, are other rows unless they are asked for.
        .filter(|p| p.point.get("content").is_none())
        .filter(|p| {
            p.point.get("level").is_none() || params.iter().any(|(name, _)| *name == "level")
        })
        // lmbench's programs call through the C library.
        .max_by_key(|p| {
            (
                p.size_bytes,
                p.value.is_some() && p.point.get("via") == Some("libc"),
            )
        })?;
    Some(turn.apply(found.value.as_ref()?))
}

/// The mean of two or more figures of one record, whose errors are taken as independent.
fn mean(of: &[Interval]) -> Option<Interval> {
    let count = of.len() as f64;
    let value = of.iter().map(|i| i.value).sum::<f64>() / count;
    let halves: Option<Vec<f64>> = of
        .iter()
        .map(|i| i.range.map(|[lo, hi]| (hi - lo) / 2.0))
        .collect();
    let half = halves.map(|h| h.iter().map(|x| x * x).sum::<f64>().sqrt() / count);
    (!of.is_empty()).then_some(Interval {
        value,
        range: half.map(|h| [value - h, value + h]),
    })
}
