//! Tables that fell apart into a line a cell, as text copied from a web page does: their rows are put together again.

use std::borrow::Cow;

use crate::amount::{Cell, cell};

/// Fewer columns are a list of names with their figures, which is read as such.
const COLUMNS: std::ops::RangeInclusive<usize> = 3..=10;

/// Fewer rows do not show where a row ends.
const FEWEST: usize = 2;

/// Longer lines are no cells, bytes.
const LONGEST: usize = 60;

/// Lines in front of the names of the columns.
const ABOVE: usize = 6;

/// Larger pages are logs, lines.
const MOST_LINES: usize = 2_000;

/// `whole` with a line for each row of such a table; what stands in front of it stays.
pub(crate) fn rejoined(whole: Cow<'_, str>) -> Cow<'_, str> {
    let all: Vec<&str> = whole.lines().collect();
    if all.len() > MOST_LINES {
        return whole;
    }
    let lines: Vec<(usize, &str)> = all
        .iter()
        .enumerate()
        .map(|(at, line)| (at, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let cells: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
    let Some((start, columns)) = table(&cells) else {
        return whole;
    };
    let mut made: Vec<String> = all.iter().map(|line| (*line).to_owned()).collect();
    for row in lines[start..].chunks(columns) {
        let own: Vec<&str> = row.iter().map(|(_, line)| *line).collect();
        for (at, _) in row {
            made[*at].clear();
        }
        made[row[0].0] = format!("| {} |", own.join(" | "));
    }
    Cow::Owned(made.join("\n"))
}

/// Where the names of the columns begin, and how many there are: from there to the end each row has a label and as many
/// figures, of which those of a column are figures in all rows.
fn table(cells: &[&str]) -> Option<(usize, usize)> {
    let words = |text: &&str| matches!(cell(text), Cell::Words(_));
    let short = |text: &&str| {
        text.len() <= LONGEST && !text.contains(['|', '\t', '=']) && !text.contains("  ")
    };
    for start in 0..cells.len().min(ABOVE) {
        let rest = &cells[start..];
        if !rest.iter().all(short) {
            continue;
        }
        for columns in COLUMNS {
            if !rest.len().is_multiple_of(columns) || rest.len() / columns <= FEWEST {
                continue;
            }
            let (names, rows) = rest.split_at(columns);
            // The names of sides are versions at times, `5.10`; the first is that of the labels.
            let named =
                names.iter().filter(|name| words(name)).count() * 2 > columns && words(&names[0]);
            let of_names = |text: &&str| !text.ends_with(':') && !text.contains(": ");
            if named && names.iter().all(of_names) && are_rows(rows, columns) {
                return Some((start, columns));
            }
        }
    }
    None
}

/// Has each row a label of its own and behind it figures, at least two, in the same columns?
fn are_rows(cells: &[&str], columns: usize) -> bool {
    let figures = |row: &[&str]| -> Vec<bool> {
        let is = |text: &&str| !matches!(cell(text), Cell::Words(_));
        row.iter().map(is).collect()
    };
    let amounts = |row: &[&str]| {
        let amount = |text: &&&str| matches!(cell(text), Cell::Amount(..));
        row[1..].iter().filter(amount).count()
    };
    let first = figures(&cells[..columns]);
    let mut labels: Vec<&str> = cells.iter().step_by(columns).copied().collect();
    let rows = labels.len();
    labels.sort_unstable();
    labels.dedup();
    !first[0]
        && labels.len() == rows
        && cells
            .chunks(columns)
            .all(|row| figures(row) == first && amounts(row) > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_rows() {
        let text = "Results\n\nTest\nDebian 11\nDebian 12\nChange\nredis SET\n101,234 req/s\n112,001 req/s\n+10.6%\nnginx\n35,120 req/s\n36,020 req/s\n+2.6%\n";
        let made = rejoined(Cow::Borrowed(text)).into_owned();
        let rows: Vec<&str> = made.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            rows,
            [
                "Results",
                "| Test | Debian 11 | Debian 12 | Change |",
                "| redis SET | 101,234 req/s | 112,001 req/s | +10.6% |",
                "| nginx | 35,120 req/s | 36,020 req/s | +2.6% |",
            ]
        );
        for other in [
            "host\n12.3 s\nguest\n14.1 s\n",
            "a\nb\nc\n1\n2\n3\n4\n5\n6\n",
            "real 5s\nuser 4s\nsys 1s\nreal 5s\nuser 4s\nsys 1s\nreal 5s\nuser 4s\nsys 1s\n",
        ] {
            assert_eq!(rejoined(Cow::Borrowed(other)), other);
        }
    }
}
