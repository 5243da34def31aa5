//! Every point of a record.

use comfy_table::{CellAlignment, Table, presets};
use whyslow_model::Unit;
use whyslow_model::record::Record;
use whyslow_model::summary::{Interval, PointSummary, Summary};

use crate::Look;
use crate::numbers::{Scale, parts};
use crate::page::Screen;
use crate::text::{TIE, Text, cleaned};
use crate::view::View;

/// The columns.
const HEADS: [&str; 6] = ["", "value", "95 %", "n", "out", "from"];

/// The column that gives way after the first.
const LAST: usize = HEADS.len() - 1;

/// Names are not broken into shorter pieces: one parameter is about as long.
const SHORTEST: usize = 12;

/// The table, with the reason below where a point has no value.
pub(crate) fn page(record: &Record, summary: &Summary, look: Look) -> String {
    let view = View::new(record, summary);
    let mut page = Screen::new(look);
    if summary.points.is_empty() {
        page.flow(
            0,
            0,
            Text::plain("The record has no points: the run ended before they were planned."),
        );
        return page.finish();
    }
    page.flow(0, 0, Text::dim("n: processes; out: samples left out because of their marks, of all; from: the series that gave the value"));
    let mut missing = Vec::new();
    // In the order planned, in which probes may take turns.
    let mut probes: Vec<&str> = Vec::new();
    for point in &summary.points {
        if !probes.contains(&point.point.probe.as_str()) {
            probes.push(&point.point.probe);
        }
    }
    for probe in probes {
        page.heading(&cleaned(probe), "");
        let mut rows = Vec::new();
        for point in summary.points.iter().filter(|p| p.point.probe == probe) {
            rows.extend(lines(&view, point));
            let of_its_own = point.value.is_none() && point.classes.is_empty();
            if of_its_own && (point.series.is_empty() || !view.is_each(&point.point)) {
                missing.push((point.point.to_string(), view.why_missing(point)));
            }
        }
        for line in laid_out(rows, look.width) {
            page.line(Text::plain(line));
        }
    }
    if !missing.is_empty() {
        page.heading("WITHOUT A VALUE", "");
        for (point, why) in missing {
            page.flow(0, 2, Text::plain(format!("{point}: ")).then(Text::dim(why)));
        }
    }
    page.finish()
}

/// A line of the table.
type Line = [String; HEADS.len()];

/// The lines of a point: itself, and its classes or series where it has no single value.
fn lines(view: &View<'_>, point: &PointSummary) -> Vec<Line> {
    let several = point.value.is_none() && !point.classes.is_empty();
    let each = point.value.is_none() && point.classes.is_empty();
    let params: Vec<String> = point
        .point
        .params
        .iter()
        .map(|(k, v)| format!("{k}={v}"))
        .collect();
    let name = if params.is_empty() {
        "itself".to_owned()
    } else {
        params.join(",")
    };
    let from = match (several, each && !point.series.is_empty()) {
        (true, _) => "by class",
        (_, true) => "each",
        _ => point.from.as_deref().unwrap_or_default(),
    };
    let n = view.processes(&point.point).to_string();
    let out = format!("{}/{}", point.left_out, point.samples);
    let mut lines = vec![line(
        name,
        point.unit,
        point.value.as_ref(),
        [&n, &out, from],
    )];
    for class in point
        .classes
        .iter()
        .filter(|_| several || point.classes.len() > 1)
    {
        let name = match class.handover_ns > 0.0 {
            true => format!("- {} ({:.0} ns)", class.class, class.handover_ns),
            false => format!("- {}", class.class),
        };
        let (all, from) = (
            format!("-/{}", class.samples),
            class.from.as_deref().unwrap_or_default(),
        );
        lines.push(line(name, point.unit, Some(&class.value), ["", &all, from]));
    }
    for series in point.series.iter().filter(|_| each) {
        lines.push(line(
            format!("- {}", series.name),
            point.unit,
            Some(&series.value),
            ["", "", ""],
        ));
    }
    lines
}

/// Cleaned here already: the table must measure what is shown.
fn line(name: String, unit: Unit, value: Option<&Interval>, [n, out, from]: [&str; 3]) -> Line {
    let (value, ends) = value.map_or_else(Default::default, |v| {
        let scale = Scale::of(unit, v.value);
        let (value, ends) = parts(v, scale);
        (format!("{value} {}", scale.name), ends.unwrap_or_default())
    });
    [
        name,
        value,
        ends,
        n.to_owned(),
        out.to_owned(),
        from.to_owned(),
    ]
    .map(|cell| cleaned(&cell).replace(TIE, " "))
}

/// The lines as a table; names are broken at their commas where the width asks for it.
fn laid_out(mut rows: Vec<Line>, width: usize) -> Vec<String> {
    let wide = |rows: &[Line], column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    // A column is two columns apart from the next.
    let others: usize = (1..HEADS.len())
        .map(|c| wide(&rows, c).max(HEADS[c].len()) + 2)
        .sum();
    let room = width.saturating_sub(others).max(SHORTEST);
    // Where even short names leave too little, the last column gives way too.
    let from = wide(&rows, LAST).saturating_sub((others + room).saturating_sub(width));
    for row in &mut rows {
        row[0] = broken(&row[0], ',', room);
        row[LAST] = broken(&row[LAST], '-', from);
    }
    let empty = wide(&rows, LAST) == 0;
    let columns = if empty { HEADS.len() - 1 } else { HEADS.len() };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(&HEADS[..columns]);
    for row in &rows {
        table.add_row(&row[..columns]);
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if matches!(i, 1 | 3 | 4) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().collect()
}

/// `name` with line ends behind the characters `at`, so that the pieces are at most `room` long where they can.
fn broken(name: &str, at: char, room: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for piece in name.split_inclusive(at) {
        let long = piece.chars().count();
        if used > 0 && used + long > room {
            out.push('\n');
            used = 0;
        }
        out.push_str(piece);
        used += long;
    }
    out
}
