//! Rows of several figures above which no header stands: named by their units where these differ, or by their place.

use super::header::Header;
use super::names::Kind;
use super::row::PostedRow;
use crate::amount::{Cell, cell};
use crate::direction::of_unit;

/// More figures in a line are no table.
const MOST: usize = 64;

/// Words that lead on to the next figure, `253792 NOPM from 767954 TPM`.
const LEADING: [&str; 12] = [
    "from", "in", "at", "of", "to", "and", "with", "for", "on", "by", "over", "out",
];

/// A unit without the words behind it that lead on.
pub(crate) fn bare_unit(unit: &str) -> &str {
    let mut unit = unit.trim();
    while let Some((front, last)) = unit.rsplit_once(' ') {
        if !LEADING.contains(&last.to_lowercase().as_str()) {
            break;
        }
        unit = front.trim_end();
    }
    match LEADING.contains(&unit.to_lowercase().as_str()) {
        true => "",
        false => unit,
    }
}

impl Header {
    /// The header of a row that has none, and the row with what it says beside its figures in its label; none where it has
    /// one figure or more than can be told apart.
    pub(crate) fn unheaded<'a>(row: &PostedRow<'a>) -> Option<(Header, PostedRow<'a>)> {
        // What stands on the two sides of an arrow was measured before and behind something.
        let arrow = ["->", "=>", "→"];
        let turned = row
            .cells
            .iter()
            .any(|text| arrow.iter().any(|sign| text.contains(sign)));
        if turned || !(2..=MOST).contains(&row.amounts()) {
            return None;
        }
        let mut labelled = row.clone();
        let says = |text: &&&str| match cell(text) {
            Cell::Words(word) => of_unit(word).is_none() && word.chars().any(char::is_alphanumeric),
            _ => false,
        };
        for word in row.cells.iter().filter(says) {
            labelled.label = format!("{} {}", labelled.label, word.trim())
                .trim()
                .to_owned();
        }
        let header = Header::of_units(&row.cells).unwrap_or_else(|| Header::of_places(&row.cells));
        Some((header, labelled))
    }

    /// Figures with a unit each, no two the same: what was measured is the unit.
    fn of_units(cells: &[&str]) -> Option<Header> {
        let mut units: Vec<&str> = Vec::new();
        let columns = cells.iter().map(|text| match cell(text) {
            Cell::Amount(_, unit) => {
                let unit = bare_unit(unit);
                units.push(unit);
                Kind::Values(unit.to_owned())
            }
            _ => Kind::Derived,
        });
        let columns: Vec<Kind> = columns.collect();
        let known = units.iter().any(|unit| of_unit(unit).is_some());
        let mut distinct = units.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let apart = distinct.len() == units.len() && units.iter().all(|unit| !unit.is_empty());
        (apart && (known || units.len() == 2)).then(|| Header::plain(columns, true))
    }

    /// Figures that only their place tells apart.
    fn of_places(cells: &[&str]) -> Header {
        let mut place = 0;
        let columns = cells.iter().map(|text| match cell(text) {
            Cell::Amount(..) | Cell::Broken => {
                place += 1;
                Kind::Values(format!("column {place}"))
            }
            Cell::Nothing => {
                place += 1;
                Kind::Derived
            }
            Cell::Words(unit) if of_unit(unit).is_some() => Kind::Unit,
            _ => Kind::Derived,
        });
        Header::plain(columns.collect(), false)
    }
}
