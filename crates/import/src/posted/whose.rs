//! Whose the labels of rows are: tests, or sides.

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

pub(crate) fn whose(rows: &[(usize, PostedRow)], header: Option<&Header>, headed: bool) -> Whose {
    let sides = rows
        .iter()
        .filter(|(_, row)| names_side(&row.label))
        .count();
    let tests = rows.iter().filter(|(_, row)| is_work(&row.label)).count();
    let by_column = header.is_some_and(|h| h.quantities);
    let named_columns = header.is_some_and(|h| h.names().any(|name| names_side(name)));
    let wide = header.is_some_and(|h| h.names().count() > 1);
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
        (by_column || !wide) && sides == rows.len() && rows.len() > 1 && !named_columns
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
