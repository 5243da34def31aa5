//! A chart in the page: drawn for desks and for phones, with its legend and the table behind it.

use maud::{Markup, PreEscaped, html};

use super::words::{anchor, cell, shown, text};
use crate::charts::{Figure, Side, Table};
use crate::drawing::{Drawing, Place, glyph, sign};

/// Rows up to which a table needs no filter.
const FEW: usize = 12;

/// Rows of a table that are printed; the style has the same number.
const PAPER: usize = 80;

/// Numbers for what needs a name of its own in the page, and where all rows of long tables are.
#[derive(Debug)]
pub(super) struct Ids {
    prefix: &'static str,
    last: u32,
    all: Markup,
}

impl Ids {
    /// Names that begin with `prefix`, in a page of `sides`.
    pub(super) fn starting(prefix: &'static str, sides: &[Side<'_>]) -> Ids {
        Ids {
            prefix,
            last: 0,
            all: shown(sides, "csv"),
        }
    }

    fn next(&mut self) -> String {
        self.last += 1;
        format!("{}{}", self.prefix, self.last)
    }
}

/// The chart that stands beside the answer: on a phone of no more rows than leave it in the first screen.
pub(super) fn hero(figure: &Figure, ids: &mut Ids) -> Markup {
    drawn(figure, &figure.drawing.shortened(), ids)
}

/// The chart.
pub(super) fn figure(figure: &Figure, ids: &mut Ids) -> Markup {
    drawn(figure, &figure.drawing, ids)
}

fn drawn(figure: &Figure, narrow: &Drawing, ids: &mut Ids) -> Markup {
    let legend = figure.drawing.legend();
    html! {
        figure {
            figcaption { h3 { (text(&figure.title)) } p { (text(&figure.reading)) } }
            @if !legend.is_empty() {
                div.legend role="group" aria-label="Legend" {
                    @for (i, key) in legend.iter().enumerate() {
                        @let stroke = html! {
                            svg viewBox="0 0 26 8" aria-hidden="true" {
                                line class={ "l c" (key.color) " d" (key.dash) } x1="0" y1="4" x2="26" y2="4" {}
                                (PreEscaped(sign(glyph(key.color), &format!("f{}", key.color), (13.0, 4.0), 3.2, "")))
                            }
                        };
                        @if key.switch {
                            button type="button" aria-pressed="true" data-k=(i) { (stroke) (cell(&key.name)) }
                        } @else {
                            span.key { (stroke) (cell(&key.name)) }
                        }
                    }
                }
            }
            (PreEscaped(figure.drawing.svg(&figure.title, Place::Wide)))
            (PreEscaped(narrow.svg(&figure.title, Place::Narrow)))
            @if !figure.table.rows.is_empty() {
                details {
                    summary { "The numbers behind it (" (figure.table.rows.len()) " rows)" }
                    (table(&figure.table, &figure.title, &[], ids))
                }
            }
        }
    }
}

/// A table that sorts and, where it is long, filters; `picks` are classes of the first column that a
/// reader may pick, each with its name.
pub(super) fn table(table: &Table, name: &str, picks: &[(&str, &str)], ids: &mut Ids) -> Markup {
    let id = ids.next();
    html! {
        @if table.rows.len() > FEW {
            div.tools data-for=(id) hidden {
                label { "Filter " input type="search" placeholder="words, such as latency thp"; }
                @if !picks.is_empty() {
                    label { "Verdict " select {
                        option value="" { "all" }
                        @for (class, name) in picks { option value=(class) { (name) } }
                    } }
                }
                output {}
            }
        }
        @if table.rows.len() > PAPER {
            p.onpaper { "On paper: the first " (PAPER) " of " (table.rows.len()) " rows, as they were sorted." }
        }
        div.scroll tabindex="0" role="group" aria-label=(cell(name)) {
            table.sort.long[table.rows.len() > PAPER] #(id) {
                @if table.left_out > 0 {
                    caption { (table.left_out) " more rows are left out; all are in " (ids.all) "." }
                }
                thead { tr {
                    @for head in &table.heads {
                        th scope="col" class=[head.number.then_some("n")] { (cell(&head.name)) }
                    }
                } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for one in row {
                                td class=[(!one.class.is_empty()).then_some(one.class)] data-v=[one.sort.map(digits)] {
                                    @if one.point.is_empty() { (cell(&one.text)) }
                                    @else { a href={ "#" (anchor(&one.point)) } { (cell(&one.text)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A number to sort by: six digits tell rows apart.
fn digits(value: f64) -> String {
    let text = format!("{value:.5e}");
    // Shorter where it is a plain number.
    match text.parse::<f64>() {
        Ok(rounded) if (1e-4..1e15).contains(&rounded.abs()) || rounded == 0.0 => {
            rounded.to_string()
        }
        _ => text,
    }
}
