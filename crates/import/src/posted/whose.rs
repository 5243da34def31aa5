//! Whose the labels of rows are: tests, or sides.

use std::collections::BTreeMap;

use super::{Header, PostedRow, is_size, is_work};
use crate::sides::names_side;

/// Whose the labels of a group's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Tests: the columns are the sides.
    Tests,
    /// Sides: the columns, if any, are what was measured of them.
    Sides,
}

/// Are the labels those of runs of several sides, `old-0 old-1 new-0 new-1`: as many of each?
fn are_runs(rows: &[(usize, PostedRow)]) -> bool {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, row) in rows {
        let stem = row
            .label
            .trim_end_matches(|c: char| c.is_ascii_digit() || "-_#. ".contains(c));
        let stem = stem.strip_suffix("run").map_or(stem, str::trim_end);
        if stem.len() == row.label.len() || stem.is_empty() {
            return false;
        }
        *counts.entry(stem).or_default() += 1;
    }
    let mut all = counts.values();
    let first = all.next().copied().unwrap_or(0);
    counts.len() > 1 && first > 1 && all.all(|count| *count == first)
}

pub(crate) fn whose(rows: &[(usize, PostedRow)], header: Option<&Header>, headed: bool) -> Whose {
    let sides = rows
        .iter()
        .filter(|(_, row)| names_side(&row.label))
        .count();
    let tests = rows.iter().filter(|(_, row)| is_work(&row.label)).count();
    let by_column = header.is_some_and(|h| h.quantities);
    let named_columns = header.is_some_and(|h| h.names().any(|name| names_side(name)));
    let wide = header.is_some_and(|h| h.names().count() > 1 && !h.runs);
    let by_key = header.is_some_and(|h| h.keyed);
    // One named figure a row, below the name of the test.
    let one = headed && by_key && !wide;
    let by_name = header.is_some_and(|h| h.quantities && h.labels_sides());
    // `32 threads`, `48 threads`, each with several named figures.
    let number = |label: &str| label.starts_with(|c: char| c.is_ascii_digit()) && is_size(label);
    let by_size = by_key && wide && rows.iter().all(|(_, row)| number(&row.label));
    let are_sides = if by_name || by_size {
        true
    } else if one || (by_column && wide && !by_key) {
        tests * 2 < rows.len()
    } else {
        let runs = headed && sides > 0 && are_runs(rows);
        (by_column || !wide) && (runs || sides == rows.len()) && rows.len() > 1 && !named_columns
    };
    // Whole numbers are sizes or settings: `EF 60`.
    let whole = |label: &str| {
        let sized = label
            .bytes()
            .all(|b| b.is_ascii_digit() || b"xKMGB".contains(&b));
        label.starts_with(|c: char| c.is_ascii_digit()) && sized
    };
    let sizes = rows.iter().all(|(_, row)| whole(&row.label));
    if are_sides && !sizes {
        Whose::Sides
    } else {
        Whose::Tests
    }
}
