//! Tables that tabs part, one tab a cell, with empty cells among them: they get bars, so that each figure stays below its name.

use std::borrow::Cow;

use crate::amount::{Cell, cell};

/// `whole` with bars in such tables.
pub(crate) fn barred(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains("\t\t") {
        return whole;
    }
    let lines: Vec<&str> = whole.split('\n').collect();
    let mut made: Vec<Cow<str>> = Vec::with_capacity(lines.len());
    let mut changed = false;
    while made.len() < lines.len() {
        let at = made.len();
        let rows = rows(&lines[at..]);
        if rows == 0 {
            made.push(Cow::Borrowed(lines[at]));
            continue;
        }
        changed = true;
        let table = lines[at..=at + rows].iter();
        made.extend(table.map(|line| {
            let cells: Vec<&str> = cells(line).collect();
            Cow::Owned(format!("| {} |", cells.join(" | ")))
        }));
    }
    match changed {
        true => Cow::Owned(made.join("\n")),
        false => whole,
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim_end_matches('\r').split('\t').map(str::trim)
}

/// How many rows follow a header that has a name in each cell: as many cells in each, of which some are empty; 0 where the
/// first line is none.
fn rows(lines: &[&str]) -> usize {
    /// Fewer cells, and fewer rows, may be so by chance.
    const FEWEST: usize = 3;
    let Some((header, below)) = lines.split_first() else {
        return 0;
    };
    let names: Vec<&str> = cells(header).collect();
    let named = |text: &&str| matches!(cell(text), Cell::Words(_)) && !text.contains('|');
    if names.len() < FEWEST || !names.iter().all(named) {
        return 0;
    }
    let whole = |line: &&&str| {
        let figure = |text: &str| matches!(cell(text), Cell::Amount(..));
        cells(line).count() == names.len() && cells(line).any(figure)
    };
    let rows = below.iter().take_while(whole).count();
    let empty = below[..rows]
        .iter()
        .any(|line| cells(line).any(str::is_empty));
    match rows >= FEWEST && empty {
        true => rows,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_cells_keep_their_place() {
        let table =
            "Cipher\tOption\tMiB/s\naes\t\t552.5\nchacha\t\t209.7\naes\t-C\t35.5\n\nend\t\tx\n";
        let made = "| Cipher | Option | MiB/s |\n| aes |  | 552.5 |\n| chacha |  | 209.7 |\n| aes | -C | 35.5 |\n\nend\t\tx\n";
        assert_eq!(barred(Cow::Borrowed(table)), made);
        for other in [
            "a\t\tb\n1\t\t2\n1\t\t2\n1\t\t2\n",
            "a\tb\tc\n1\t2\t3\n1\t2\t3\n4\t5\t\t6\n",
        ] {
            assert_eq!(barred(Cow::Borrowed(other)), other);
        }
    }
}
