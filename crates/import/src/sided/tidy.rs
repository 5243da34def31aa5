//! A table of one measurement a row, of which one column says the side and others what was measured, whatever their
//! order: `depth  engine  option  IOPS`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::names::is_same;
use super::{Found, Names, Text, amount, cells};
use crate::grid::is_ruler;
use crate::number::plain;

/// Fewest things that both sides were measured at: a side a row with nothing else that tells rows apart is told by its name.
const FEWEST: usize = 2;

/// A table: the names of its columns, and its rows with their lines.
struct Table<'a> {
    header: Vec<&'a str>,
    rows: Vec<(usize, Vec<&'a str>)>,
}

/// The figures of such tables.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let tables = tables(text);
    tables.iter().flat_map(|table| of(table, names)).collect()
}

/// Lines of as many cells below one of as many words. Empty lines may part groups of rows.
fn tables<'a>(text: &'a Text<'_>) -> Vec<Table<'a>> {
    let mut tables: Vec<Table> = Vec::new();
    for (number, line) in text.lines() {
        let own = cells(line.trim());
        if is_ruler(&own) {
            continue;
        }
        let figures = own.iter().any(|cell| amount(cell).is_some());
        match tables.last_mut() {
            Some(table) if figures && table.header.len() == own.len() => {
                table.rows.push((number, own));
            }
            // What stands between the rows ends the table.
            _ if own.len() > 2 => tables.push(Table {
                header: if figures { Vec::new() } else { own },
                rows: Vec::new(),
            }),
            _ => {}
        }
    }
    tables
}

/// What one column is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Key,
    Figure,
    /// That of the sides, or the same in all rows, or blank in some.
    Idle,
}

/// The figures of a table, if one of its columns is that of the sides and all rows of both pair.
fn of<'a>(table: &Table<'a>, names: &Names) -> Vec<Found<'a>> {
    let width = table.header.len();
    let side =
        |row: &[&str], column: usize| (0..2).find(|&side| is_same(row[column], &names.0[side]));
    let count = |column: usize| {
        let mut counts = [0; 2];
        for (_, row) in &table.rows {
            if let Some(side) = side(row, column) {
                counts[side] += 1;
            }
        }
        counts
    };
    let best = (0..width).max_by_key(|&column| count(column).iter().sum::<usize>());
    let Some(of_side) = best.filter(|&column| count(column).iter().all(|n| *n >= FEWEST)) else {
        return Vec::new();
    };
    let rows: Vec<(usize, usize, &[&str])> = table
        .rows
        .iter()
        .filter_map(|(line, row)| Some((side(row, of_side)?, *line, &row[..])))
        .collect();
    let columns: Vec<Column> = (0..width)
        .map(|column| match column == of_side {
            true => Column::Idle,
            false => kind(&rows, column),
        })
        .collect();
    let key = |row: &[&'a str]| -> Vec<(usize, &'a str)> {
        let keys = (0..width).filter(|column| columns[*column] == Column::Key);
        keys.map(|column| (column, row[column].trim())).collect()
    };
    let mut paired: BTreeMap<Vec<(usize, &str)>, [usize; 2]> = BTreeMap::new();
    for (side, _, row) in &rows {
        paired.entry(key(row)).or_default()[*side] += 1;
    }
    if paired.len() < FEWEST || paired.values().any(|count| *count != [1; 2]) {
        return Vec::new();
    }
    let measured: Vec<usize> = (0..width)
        .filter(|column| columns[*column] == Column::Figure)
        .collect();
    let mut found = Vec::new();
    for (side, line, row) in &rows {
        for &column in &measured {
            let Some((value, unit)) = amount(row[column]) else {
                continue;
            };
            let name = table.header[column].trim();
            let title = title(&key(row), &table.header, name);
            found.push(Found {
                side: *side,
                title,
                own: Cow::Borrowed(name),
                near: vec![name],
                value,
                unit,
                line: *line,
            });
        }
    }
    found
}

/// What a column is by its cells: figures differ between the sides, and keys are the same.
fn kind(rows: &[(usize, usize, &[&str])], column: usize) -> Column {
    let of = |wanted: usize| -> Vec<&str> {
        let own = rows.iter().filter(|(side, ..)| *side == wanted);
        let mut own: Vec<&str> = own.map(|(_, _, row)| row[column].trim()).collect();
        own.sort_unstable();
        own
    };
    let [a, b] = [of(0), of(1)];
    let all: BTreeSet<&str> = a.iter().chain(&b).copied().collect();
    if all.len() == 1 || all.contains("") {
        return Column::Idle;
    }
    if a == b {
        return Column::Key;
    }
    match all.iter().all(|cell| amount(cell).is_some()) {
        true => Column::Figure,
        // Rows that differ in their words pair nothing.
        false => Column::Key,
    }
}

/// What was measured, and at what: numbers stand behind their names.
fn title(keys: &[(usize, &str)], header: &[&str], name: &str) -> String {
    let is_number = |key: &&(usize, &str)| plain(key.1).is_some();
    let words = keys.iter().filter(|key| !is_number(key)).map(|key| key.1);
    let words: Vec<&str> = words.chain([name]).collect();
    let numbers = keys.iter().filter(is_number);
    let numbers = numbers.map(|(at, number)| format!(", {} {number}", header[*at].trim()));
    words.join(" ") + &numbers.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, names: [&str; 2]) -> Vec<(usize, String, f64)> {
        let text = Text::read(text.as_bytes()).unwrap();
        let names = Names(names.map(str::to_owned));
        let found = find(&text, &names);
        let row = |f: &Found<'_>| (f.side, f.title.clone(), f.value);
        found.iter().map(row).collect()
    }

    #[test]
    fn a_column_says_the_side() {
        let table = "\
IOPS    depth  mode     engine  reduce

126K    16     inline   uring   0
301K    16     inline   uring   1

190K    1      offline  psync   0
380K    1      offline  psync   1
";
        let row = |side, title: &str, value| (side, title.to_owned(), value);
        assert_eq!(
            read(table, ["0", "1"]),
            [
                row(0, "inline uring IOPS, depth 16", 126e3),
                row(1, "inline uring IOPS, depth 16", 301e3),
                row(0, "offline psync IOPS, depth 1", 190e3),
                row(1, "offline psync IOPS, depth 1", 380e3),
            ]
        );
        // The column in which all rows name a side, where another has the same numbers.
        let cores = "\
kind | depth | cores | MB/s
-- | -- | -- | --
read | 1 | 32 | 164066.3
read | 1 | 64 | 102222.4
read | 32 | 32 | 163827.9
read | 32 | 64 | 138179.5
";
        assert_eq!(
            read(cores, ["32", "64"])[2..],
            [
                row(0, "MB/s, depth 32", 163827.9),
                row(1, "MB/s, depth 32", 138179.5)
            ]
        );
    }

    #[test]
    fn rows_that_do_not_pair_are_none() {
        for table in [
            "op | system | s\nread | a | 1.0\nwrite | b | 2.0\nopen | a | 3.0\nstat | b | 1.0\n",
            "system | op | s\na | read | 1.0\nb | read | 2.0\n",
            "op | system | s\nread | a | 1.0\nread | a | 1.5\nread | b | 2.0\nstat | a | 1.0\nstat | b | 3.0\n",
        ] {
            assert_eq!(read(table, ["a", "b"]), []);
        }
    }
}
