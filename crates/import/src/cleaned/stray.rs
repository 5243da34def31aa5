//! A column that one row of a table has alone, a remark below a name of its own: it is taken off, name and all.

use std::borrow::Cow;

use crate::amount::{Cell, cell};

/// Fewer rows say nothing of what is usual.
const FEWEST: usize = 4;

/// `whole` without such columns of tables whose cells are parted by tabs.
pub(crate) fn untailed(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains('\t') {
        return whole;
    }
    let lines: Vec<&str> = whole.split('\n').collect();
    let mut cut = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let rows = lines[at + 1..]
            .iter()
            .take_while(|line| !line.trim().is_empty())
            .count();
        if let Some(row) = stray(lines[at], &lines[at + 1..at + 1 + rows]) {
            cut[at] = true;
            cut[at + 1 + row] = true;
            at += rows;
        }
        at += 1;
    }
    if !cut.contains(&true) {
        return whole;
    }
    let made = lines
        .iter()
        .zip(cut)
        .map(|(line, cut)| match line.trim_end().rsplit_once('\t') {
            Some((front, _)) if cut => front.trim_end(),
            _ => line,
        });
    Cow::Owned(made.collect::<Vec<_>>().join("\n"))
}

fn cells(line: &str) -> Vec<&str> {
    line.split('\t')
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

/// The one of the rows that has a cell below the last name of the header, which all others lack.
fn stray(header: &str, rows: &[&str]) -> Option<usize> {
    let names = cells(header);
    let is_name = |text: &&str| matches!(cell(text), Cell::Words(_));
    if rows.len() < FEWEST || names.len() < 3 || !names.iter().all(is_name) {
        return None;
    }
    let widths: Vec<usize> = rows.iter().map(|row| cells(row).len()).collect();
    let short = widths
        .iter()
        .filter(|width| **width + 1 == names.len())
        .count();
    let longer = widths.iter().position(|width| *width == names.len())?;
    (short + 1 == rows.len()).then_some(longer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_row_has_alone_is_taken_off() {
        let table = "min\tp99\trate\t\tsize\n1\t2\t3\n1\t2\t3\n1\t2\t3\t\t64K\n1\t2\t3\n";
        let made = "min\tp99\trate\n1\t2\t3\n1\t2\t3\n1\t2\t3\n1\t2\t3\n";
        assert_eq!(untailed(Cow::Borrowed(table)), made);
        let whole = made.replace("rate", "rate\tsize");
        assert_eq!(untailed(Cow::Borrowed(&whole)), whole);
    }
}
