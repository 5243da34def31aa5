//! The table behind a chart.

use whyslow_model::summary::Interval;
use whyslow_model::{Point, Unit};

use crate::numbers::{self, Scale};
use crate::text::TIE;

/// Rows of a table in a page; further ones are counted. Enough for the largest suites, and a bound
/// on the page for records that no run makes.
const MOST_ROWS: usize = 1_200;

/// A table with its head.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub(crate) heads: Vec<Head>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Rows that there was no room for.
    pub(crate) left_out: usize,
}

/// The head of a column.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) name: String,
    /// Are its values numbers?
    pub(crate) number: bool,
}

/// A cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// What it is sorted by, where that is not its text.
    pub(crate) sort: Option<f64>,
    /// Its class in the page.
    pub(crate) class: &'static str,
    /// The point whose samples it leads to; empty where it leads nowhere.
    pub(crate) point: String,
}

impl Table {
    /// With columns of texts and of numbers; the names of the latter begin with `#`.
    pub(crate) fn new(heads: &[&str]) -> Table {
        let heads = heads.iter().map(|name| Head {
            name: name.trim_start_matches('#').to_owned(),
            number: name.starts_with('#'),
        });
        Table {
            heads: heads.collect(),
            ..Table::default()
        }
    }

    /// One more column.
    pub(crate) fn head(&mut self, name: impl Into<String>, number: bool) {
        self.heads.push(Head {
            name: name.into(),
            number,
        });
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        if self.rows.len() < MOST_ROWS {
            self.rows.push(cells);
        } else {
            self.left_out += 1;
        }
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            ..Cell::default()
        }
    }

    /// A number with the words that show it.
    pub(crate) fn number(value: f64, text: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            sort: value.is_finite().then_some(value),
            class: "n",
            ..Cell::default()
        }
    }

    /// The name of a point, which leads to its samples.
    pub(crate) fn of(point: &Point, text: impl Into<String>) -> Cell {
        Cell::text(text).to(point)
    }

    /// What leads to the samples of `point`.
    pub(crate) fn to(self, point: &Point) -> Cell {
        Cell {
            point: point.to_string(),
            ..self
        }
    }

    pub(crate) fn with(self, class: &'static str) -> Cell {
        Cell { class, ..self }
    }

    /// A value with its interval, in the scale that reads best.
    pub(crate) fn interval(unit: Unit, symbol: Option<&str>, interval: &Interval) -> Cell {
        Cell::number(interval.value, said(unit, symbol, interval))
    }
}

/// `1.80 µs [1.65, 1.95]`, or without an interval the value alone.
pub(crate) fn said(unit: Unit, symbol: Option<&str>, interval: &Interval) -> String {
    let scale = Scale::of(unit, interval.value);
    let (value, ends) = numbers::parts(interval, scale);
    let name = match symbol {
        Some(symbol) if unit == Unit::Count => symbol,
        _ => scale.name,
    };
    let ends = ends.map_or(String::new(), |ends| format!(" {ends}"));
    format!("{value}{TIE}{name}{ends}").replace(&format!("{TIE} "), " ")
}
