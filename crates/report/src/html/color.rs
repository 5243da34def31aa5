//! Pages of page colors: what placing pages by them gains and where it loses; which there are; a program on them.

mod map;
mod run;

use maud::{Markup, html};
use whyslow_model::Unit;
use whyslow_model::color::{ColorBench, ColorGain};

use super::figure::{Ids, figure, hero};
use super::words::text;
use super::{Section, whole};
use crate::charts::{Cell, Figure, Table};
use crate::compare::words::{range, ratio};
use crate::drawing::{ChartRow, Drawing, Line, Lines, Mark, RowScale, Rows, Spot, XAxis};
use crate::numbers;

pub(crate) use map::page as map;
pub(crate) use run::page as run;

/// Kinds of pages, in the order of their colors.
const KINDS: [&str; 3] = ["ordinary", "colored", "huge"];

/// How many pages each color has.
fn by_color(
    counts: impl Iterator<Item = u64>,
    name: &str,
    reading: String,
    reference: Option<f64>,
) -> Figure {
    let mut table = Table::new(&["#color", "#pages"]);
    let mut spots = Vec::new();
    for (color, pages) in counts.enumerate() {
        let words = numbers::counted(pages, "page", "pages");
        table.row(vec![
            Cell::number(color as f64, color.to_string()),
            Cell::number(pages as f64, numbers::count(pages)),
        ]);
        // The axis is logarithmic, and a color without pages has no place on it.
        if pages > 0 {
            spots.push(Spot {
                x: color as f64,
                y: pages as f64,
                band: None,
                tip: format!("color {color}\n{words}").into(),
            });
        }
    }
    Figure {
        title: "Pages of each color".into(),
        reading,
        table,
        drawing: Drawing::Lines(Lines {
            x: XAxis::Number,
            x_name: "color".into(),
            y_name: name.to_owned(),
            lines: vec![Line {
                name: name.to_owned(),
                color: 0,
                dash: 0,
                spots,
            }],
            lanes: Vec::new(),
            reference,
        }),
    }
}

/// The page.
pub(crate) fn page(bench: &ColorBench, version: &str) -> String {
    let title = "Page colors: what placing pages by them gains";
    let header = html! {
        h1 { (title) }
        p.dim {
            (bench.colors) " colors, " (bench.ways) " ways, " (numbers::size(bench.cache_bytes))
            " of second-level cache, CPU " (bench.cpu) "; " (bench.draws) " draws of fresh pages, moved by "
            (text(&bench.mechanism))
        }
    };
    let mut ids = Ids::starting("t", &[]);
    // What the answer speaks of.
    let curves = bench.points.iter().any(|p| p.work == "latency");
    let mut sections = vec![Section {
        anchor: "answer",
        name: "Answer",
        content: html! {
            p.answer { (text(&bench.verdict)) }
            div.hero {
                @if curves { (hero(&latency(bench), &mut ids)) } @else { (hero(&gains(bench), &mut ids)) }
            }
        },
    }];
    if curves {
        sections.push(Section {
            anchor: "gains",
            name: "Gains",
            content: figure(&gains(bench), &mut ids),
        });
    }
    if !bench.partitions.is_empty() {
        sections.push(Section {
            anchor: "few",
            name: "A few colors",
            content: few(bench),
        });
    }
    if !bench.notes.is_empty() {
        sections.push(Section {
            anchor: "notes",
            name: "Notes",
            content: html! { ul { @for note in &bench.notes { li { (text(note)) } } } },
        });
    }
    whole(title, &header, &sections, version)
}

/// Facts by name, as a table of two columns.
fn facts(facts: &[(&'static str, String)]) -> Markup {
    html! {
        table.facts {
            tbody { @for (name, said) in facts {
                tr { th scope="row" { (name) } td { (text(said)) } }
            } }
        }
    }
}

/// Work on colored pages against the same on ordinary ones.
fn gains(bench: &ColorBench) -> Figure {
    let name = |gain: &ColorGain| format!("{}, {}", gain.work, numbers::size(gain.bytes));
    let mut table = Table::new(&["work", "#size", "#time, colored over ordinary", "interval"]);
    let mut rows = Vec::new();
    for gain in &bench.gains {
        let (value, ends) = (gain.time_ratio.value, gain.time_ratio.range);
        let interval = ends.map_or(String::new(), |ends| range(value, ends));
        table.row(vec![
            Cell::text(gain.work.clone()),
            Cell::number(gain.bytes as f64, numbers::size(gain.bytes)),
            Cell::number(value, ratio(value)),
            Cell::text(interval.clone()),
        ]);
        let color = match (gain.apart, value > 1.0) {
            (false, _) => "open",
            (true, true) => "bad",
            (true, false) => "good",
        };
        rows.push(ChartRow {
            name: name(gain),
            marks: vec![Mark {
                color: color.to_owned(),
                value: 1.0 / value,
                range: ends.map(|[lo, hi]| [1.0 / hi, 1.0 / lo]),
                open: !gain.apart,
                others: Vec::new(),
                tip: format!(
                    "{}\ntime on colored pages: {} {interval}",
                    name(gain),
                    ratio(value)
                )
                .into(),
            }],
            text: format!("{} {interval}", ratio(value)).trim().to_owned(),
        });
    }
    Figure {
        title: "Time on colored pages against ordinary ones".into(),
        reading: "Filled marks: the values of both are apart (right, green: colored pages take less time); open marks: \
                  they are not. Bars are 95 % intervals over draws of fresh pages."
            .into(),
        table,
        drawing: Drawing::Rows(Rows {
            scale: RowScale::Ratio,
            axis: "time on colored pages, logarithmic:  ← longer · shorter →".into(),
            band: None,
            rows,
            whole: false,
            legend: Vec::new(),
        }),
    }
}

/// Latency by working set on each kind of pages.
fn latency(bench: &ColorBench) -> Figure {
    let mut table = Table::new(&["pages", "#working set", "#latency"]);
    let mut lines = Vec::new();
    for (color, kind) in KINDS.iter().enumerate() {
        let points = bench.points.iter();
        let points = points.filter(|p| p.work == "latency" && p.pages == *kind);
        let mut spots = Vec::new();
        for point in points {
            let cell = Cell::interval(Unit::Ns, None, &point.value);
            spots.push(Spot {
                x: point.bytes as f64,
                y: point.value.value,
                band: point.value.range,
                tip: format!("{kind}, {}\n{}", numbers::size(point.bytes), cell.text).into(),
            });
            table.row(vec![
                Cell::text(*kind),
                Cell::number(point.bytes as f64, numbers::size(point.bytes)),
                cell,
            ]);
        }
        if !spots.is_empty() {
            lines.push(Line {
                name: format!("{kind} pages"),
                color,
                dash: 0,
                spots,
            });
        }
    }
    Figure {
        title: "Latency by working set".into(),
        reading: "Each load waits for the one before it; bands are 95 % intervals over draws of fresh pages.".into(),
        table,
        drawing: Drawing::Lines(Lines {
            x: XAxis::Bytes,
            x_name: "working set".into(),
            y_name: "ns a load".into(),
            lines,
            lanes: Vec::new(),
            reference: None,
        }),
    }
}

/// What memory of a few colors has of the cache.
fn few(bench: &ColorBench) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Effective size with a few colors" { table {
            thead { tr {
                th.n scope="col" { "colors" } th.n scope="col" { "their part" } th.n scope="col" { "effective size" }
            } }
            tbody { @for part in &bench.partitions { tr {
                td.n { (part.colors) }
                td.n { (numbers::size(part.part_bytes)) }
                td.n { @match part.acts_as_bytes {
                    Some(bytes) => (numbers::size(bytes.round() as u64)),
                    None => "no edge was seen",
                } }
            } } }
        } }
    }
}
