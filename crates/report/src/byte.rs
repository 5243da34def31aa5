//! The report that users of BYTE and UnixBench know: rows by their classic names, rates in their classic
//! units, and on demand the index against the SPARCstation.

mod rows;

use std::collections::BTreeSet;

use whyslow_model::id;
use whyslow_model::record::Record;
use whyslow_model::summary::{Interval, PointSummary, Summary};

use self::rows::{INDEX, IndexRow, OTHERS};
use crate::Look;
use crate::figure::{copies_of, exact, is_foreign};
use crate::grid::{Cell, Grid};
use crate::numbers::{Scale, counted, number, parts, percent, relative};
use crate::page::Screen;
use crate::text::{Style, TIE, Text};
use crate::view::View;

/// What the baseline machine has in every row.
const BASELINE_INDEX: f64 = 10.0;

pub(crate) fn page(record: &Record, summary: &Summary, look: Look) -> String {
    let view = View::new(record, summary);
    let mut page = Screen::new(look);
    page.line(
        Text::strong("BYTE UNIX Benchmarks").and(Style::Plain, format!(": {}", system(&view))),
    );
    let remark = "Measured by whyslow unless it was imported: rates from its times, 95 % intervals over processes.";
    page.flow(0, 0, Text::dim(remark));
    let copies: BTreeSet<u32> = summary.points.iter().map(copies_of).collect();
    let copies: Vec<u32> = copies
        .into_iter()
        .filter(|&n| n == 1 || all().any(|row| row.value(summary, n).is_some()))
        .collect();
    results(&view, &mut page, &copies);
    for &n in &copies {
        index(&view, &mut page, n);
    }
    missing(&view, &mut page);
    page.finish()
}

/// Host and system, or what the source calls them.
pub(crate) fn system(view: &View<'_>) -> String {
    if let Some(origin) = &view.record.origin {
        return match origin.system.as_str() {
            "" => origin.file.clone(),
            system => system.to_owned(),
        };
    }
    let name = view.host().and_then(|h| h.name.value().cloned());
    let release = view.state().and_then(|s| s.kernel.release.value().cloned());
    let release = release.map(|r| format!("Linux {r}"));
    let known: Vec<String> = [name, release].into_iter().flatten().collect();
    match known.is_empty() {
        true => "a host that is not known".into(),
        false => known.join(", "),
    }
}

/// Every row, those of the index first.
fn all() -> impl Iterator<Item = &'static IndexRow> {
    INDEX.iter().chain(OTHERS)
}

impl IndexRow {
    fn point<'a>(&self, summary: &'a Summary, copies: u32) -> Option<&'a PointSummary> {
        let foreign = |p: &&PointSummary| {
            is_foreign(p)
                && copies_of(p) == copies
                && self.is_called(p.title.as_deref().unwrap_or_default())
        };
        exact(summary, self.probe, self.params, copies)
            .or_else(|| summary.points.iter().find(foreign))
    }

    /// Its rate in the classic unit.
    fn value(&self, summary: &Summary, copies: u32) -> Option<Interval> {
        let point = self.point(summary, copies)?;
        let value = point.value.as_ref()?;
        Some(match is_foreign(point) {
            true => *value,
            false => self.turn.apply(value),
        })
    }
}

/// Every whole number in `text` with its thousands apart.
fn grouped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let same = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest.find(|c: char| c.is_ascii_digit() != same);
        let (part, next) = rest.split_at(end.unwrap_or(rest.len()));
        match part.parse() {
            Ok(n) if same && !out.ends_with('.') => out += &crate::numbers::count(n),
            _ => out += part,
        }
        rest = next;
    }
    out
}

/// A value without its interval, by the digits that this supports.
fn plain(value: &Interval) -> String {
    grouped(&parts(value, Scale { by: 1.0, name: "" }).0)
}

/// Texts of one column, right-aligned.
fn right(texts: &[String]) -> Vec<String> {
    let wide = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let tie = |t: &String| TIE.to_string().repeat(wide - t.chars().count()) + t;
    texts.iter().map(tie).collect()
}

/// Every rate that was measured, a column for each number of copies.
fn results(view: &View<'_>, page: &mut Screen, copies: &[u32]) {
    let values = |row: &IndexRow| -> Vec<Option<Interval>> {
        let of = |&n| row.value(view.summary, n);
        copies.iter().map(of).collect()
    };
    let rows: Vec<(&IndexRow, Vec<Option<Interval>>)> = all()
        .map(|row| (row, values(row)))
        .filter(|(_, values)| values.iter().any(Option::is_some))
        .collect();
    page.heading("RESULTS", "larger is better");
    if rows.is_empty() {
        page.flow(
            0,
            0,
            Text::plain(
                "The record has none of BYTE's rows; `whyslow run --suite byte` measures them.",
            ),
        );
        return;
    }
    let heads = copies
        .iter()
        .map(|&n| counted(u64::from(n), "copy", "copies"));
    let mut grid = Grid::new(heads);
    let columns: Vec<Vec<String>> = (0..copies.len())
        .map(|at| {
            let text =
                |values: &Vec<Option<Interval>>| values[at].as_ref().map_or("-".to_owned(), plain);
            right(
                &rows
                    .iter()
                    .map(|(_, values)| text(values))
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    for (line, (row, values)) in rows.iter().enumerate() {
        let cell = |at: usize| -> Cell {
            let text = Text::plain(&columns[at][line]);
            let Some(value) = &values[at] else {
                return vec![text];
            };
            let share = match (relative(value), value.range) {
                (Some(share), _) => format!("±{}", percent(share)),
                (None, Some(_)) => "±100 % or more".to_owned(),
                (None, None) => "no interval".to_owned(),
            };
            let unit = format!("{TIE}{:<6}", row.unit).replace(' ', &TIE.to_string());
            vec![text.and(Style::Plain, unit).and(Style::Dim, share)]
        };
        grid.row(row.name, (0..copies.len()).map(cell).collect());
    }
    page.grid(&grid);
}

/// The index of `copies` copies: ten times the rate over the SPARCstation's.
fn index(view: &View<'_>, page: &mut Screen, copies: u32) {
    let rows: Vec<(&IndexRow, f64, Option<Interval>)> = INDEX
        .iter()
        .filter_map(|row| Some((row, row.baseline?, row.value(view.summary, copies))))
        .collect();
    let title = match copies {
        1 => "SYSTEM BENCHMARKS INDEX, 1 copy".to_owned(),
        n => format!("SYSTEM BENCHMARKS INDEX, {n} copies"),
    };
    page.heading(&title, "SPARCstation 20-61 of 1995 = 10.0");
    let indices: Vec<Option<Interval>> = rows
        .iter()
        .map(|(_, baseline, value)| value.map(|v| scaled(&v, BASELINE_INDEX / baseline)))
        .collect();
    let text = |value: &Option<Interval>| value.as_ref().map_or("-".to_owned(), plain);
    let baselines = right(
        &rows
            .iter()
            .map(|(_, b, _)| grouped(&format!("{b:.1}")))
            .collect::<Vec<_>>(),
    );
    let results = right(&rows.iter().map(|(_, _, v)| text(v)).collect::<Vec<_>>());
    let values = right(&indices.iter().map(text).collect::<Vec<_>>());
    let mut grid = Grid::new(["BASELINE", "RESULT", "INDEX", "95 %"].map(str::to_owned));
    for (line, (row, ..)) in rows.iter().enumerate() {
        let ends = indices[line]
            .as_ref()
            .and_then(|i| parts(i, Scale { by: 1.0, name: "" }).1);
        let cells = [
            &baselines[line],
            &results[line],
            &values[line],
            &ends.map(|e| grouped(&e)).unwrap_or_default(),
        ];
        grid.row(row.name, cells.map(|c| vec![Text::plain(c)]).into());
    }
    page.grid(&grid);
    let found: Vec<Interval> = indices
        .into_iter()
        .flatten()
        .filter(|i| i.value > 0.0)
        .collect();
    let partial = match found.len() == INDEX.len() {
        true => String::new(),
        false => format!(" (Partial Only): {} of {} rows", found.len(), INDEX.len()),
    };
    let score = match geometric_mean(&found) {
        Some(mean) => {
            let (value, ends) = parts(&mean, Scale { by: 1.0, name: "" });
            let ends = ends.map(|e| grouped(&e)).unwrap_or_default();
            format!("{} {ends}", grouped(&value))
        }
        None => "-".to_owned(),
    };
    page.flow(
        0,
        2,
        Text::strong("System Benchmarks Index Score")
            .and(Style::Strong, format!("{partial}  {score}")),
    );
}

fn scaled(interval: &Interval, by: f64) -> Interval {
    crate::figure::Turn::Times(by).apply(interval)
}

/// The geometric mean with an interval as if the rows erred independently of each other.
fn geometric_mean(of: &[Interval]) -> Option<Interval> {
    let count = of.len() as f64;
    if of.is_empty() {
        return None;
    }
    let mean = of.iter().map(|i| i.value.ln()).sum::<f64>() / count;
    let halves: Option<Vec<f64>> = of
        .iter()
        .map(|i| {
            i.range
                .filter(|[lo, _]| *lo > 0.0)
                .map(|[lo, hi]| (hi / lo).ln() / 2.0)
        })
        .collect();
    let half = halves.map(|h| h.iter().map(|x| x * x).sum::<f64>().sqrt() / count);
    Some(Interval {
        value: mean.exp(),
        range: half.map(|half| [(mean - half).exp(), (mean + half).exp()]),
    })
}

/// What the numbers are not, and why rows are missing.
fn missing(view: &View<'_>, page: &mut Screen) {
    page.heading("NOTES", "");
    let note = |page: &mut Screen, text: String| page.flow(0, 2, Text::plain(format!("- {text}")));
    let free = exact(view.summary, id::IPC_PIPE, &[("cpus", "free")], 1).and_then(|p| p.value);
    let same = exact(view.summary, id::IPC_PIPE, &[("cpus", "same-cpu")], 1).and_then(|p| p.value);
    if let (Some(free), Some(same)) = (free, same) {
        let ratio = number(free.value / same.value);
        note(
            page,
            format!(
                "Pipe-based Context Switching is left to the scheduler, as in UnixBench: a loop then takes {ratio} times as long as on one CPU, which says more about the placement than about the switch."
            ),
        );
    }
    note(
        page,
        "One row stands for Dhrystone 2 with and without register variables, which no compiler of today tells apart; as for type = register and int.".into(),
    );
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in INDEX.iter().filter(|r| r.value(view.summary, 1).is_none()) {
        let why = match row.point(view.summary, 1) {
            Some(point) if !point.classes.is_empty() => {
                "differs by class of CPUs; see --format table".to_owned()
            }
            Some(point) => view.why_missing(point),
            None => "not asked for".to_owned(),
        };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(row.name),
            None => reasons.push((why, vec![row.name])),
        }
    }
    for (why, names) in reasons {
        note(page, format!("Missing: {} ({why}).", names.join(", ")));
    }
}
