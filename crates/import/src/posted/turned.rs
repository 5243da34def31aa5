//! Tables with the names of their rows in the last columns, `pass 1.187e+06 9.007e+05 10 +31 Suite Test`: the same with
//! the names in front, and bars between the cells.

use std::borrow::Cow;
use std::collections::BTreeSet;

use whyslow_model::Better::{self, Higher, Lower};

use crate::Text;
use crate::amount::{Cell, cell};

/// Larger inputs are logs, lines.
const MOST_LINES: usize = 5_000;

/// Such a table in its text.
pub(crate) struct Turned {
    pub(crate) text: Text<'static>,
    /// The direction that its verdicts say, with the sentence that says so.
    pub(crate) better: Option<(Better, &'static str)>,
}

/// The text with its first such table turned; none where it has none.
pub(crate) fn turned(text: &Text) -> Option<Turned> {
    if text.count() > MOST_LINES {
        return None;
    }
    let full = |number: &usize| !text.line(*number).trim().is_empty();
    let mut start = 1;
    while start < text.count() {
        let numbers: Vec<usize> = (start..=text.count()).take_while(full).collect();
        let lines: Vec<&str> = numbers.iter().map(|number| text.line(*number)).collect();
        if let Some(table) = table(&lines) {
            let own = |number: usize| number.checked_sub(start).filter(|at| *at < table.len());
            let all = text.lines().map(|(number, line)| match own(number) {
                Some(at) => Cow::Owned(table.line(at)),
                None => Cow::Borrowed(line),
            });
            let text = Text::of_lines(&all.collect::<Vec<_>>()).ok()?;
            let better = table.better();
            return Some(Turned { text, better });
        }
        start += numbers.len().max(1);
    }
    None
}

/// Cells of a header and its rows, and how many of the last columns are names.
struct Table<'a> {
    cells: Vec<Vec<&'a str>>,
    names: usize,
}

/// The lines as a table, where its names are its last columns and nothing in front tells the rows apart.
fn table<'a>(lines: &[&'a str]) -> Option<Table<'a>> {
    // Places are bytes.
    if lines.len() < 3 || !lines.iter().all(|line| line.is_ascii()) {
        return None;
    }
    let width = lines.iter().map(|line| line.len()).max()?;
    let blank = |at: usize| {
        let is = |line: &&str| line.as_bytes().get(at).is_none_or(|b| *b == b' ');
        lines.iter().all(is)
    };
    let starts: Vec<usize> = (0..width)
        .filter(|at| !blank(*at) && (*at == 0 || blank(at - 1)))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([width]);
    let spans: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    let of = |line: &&'a str| -> Vec<&'a str> {
        let part = |(start, end): &(usize, usize)| {
            line.get(*start.min(&line.len())..*end.min(&line.len()))
        };
        spans
            .iter()
            .map(|span| part(span).unwrap_or_default().trim())
            .collect()
    };
    let cells: Vec<Vec<&str>> = lines.iter().map(of).collect();
    let (header, rows) = cells.split_first()?;
    let is = |text: &str| match cell(text) {
        Cell::Words(_) => true,
        Cell::Amount(..) | Cell::Change | Cell::Broken | Cell::Nothing => false,
    };
    let column = |at: usize, of: &dyn Fn(&str) -> bool| rows.iter().all(|row| of(row[at]));
    let amount = |text: &str| matches!(cell(text), Cell::Amount(..));
    let count = header.len();
    let names = (0..count).rev().take_while(|at| column(*at, &is)).count();
    let front = count - names;
    let figures = (0..front).filter(|at| column(*at, &amount)).count();
    let apart = |from: usize, to: usize| {
        let keys: BTreeSet<&[&str]> = rows.iter().map(|row| &row[from..to]).collect();
        keys.len() == rows.len()
    };
    let named = header.iter().all(|name| !name.is_empty() && !amount(name));
    // A label in front is the name of a usual table.
    let usual = apart(0, 1) && column(0, &is);
    (names > 0 && figures > 1 && named && !usual && apart(front, count))
        .then_some(Table { cells, names })
}

impl Table<'_> {
    /// How many lines it has.
    fn len(&self) -> usize {
        self.cells.len()
    }

    /// A line of it, the names in front.
    fn line(&self, at: usize) -> String {
        let mut cells = self.cells[at].clone();
        if at == 0 {
            // Of a name cut short; a sentence ends so too.
            for name in &mut cells {
                *name = name.trim_end_matches('.');
            }
        }
        let (front, names) = cells.split_at(cells.len() - self.names);
        format!("| {} | {} |", names.join(" "), front.join(" | "))
    }

    /// The direction in which a change beyond the tolerance passes, where all rows with such a change agree.
    fn better(&self) -> Option<(Better, &'static str)> {
        let (header, rows) = self.cells.split_first()?;
        let all = |of: &dyn Fn(&str) -> bool| {
            (0..header.len()).find(|at| rows.iter().all(|row| of(row[*at])))
        };
        let verdict = all(&|text| matches!(text, "pass" | "fail"))?;
        let change = all(&|text| text.starts_with(['+', '-']) && text.len() > 1)?;
        let tolerance = header.iter().position(|name| name.contains("tol"))?;
        let said = rows.iter().filter_map(|row| {
            let changed: f64 = row[change].parse().ok()?;
            let allowed: f64 = row[tolerance].parse().ok()?;
            let rise = changed > 0.0;
            let passed = row[verdict] == "pass";
            (changed.abs() > allowed).then_some(if rise == passed { Higher } else { Lower })
        });
        let said: Vec<Better> = said.collect();
        let first = *said.first()?;
        let why = if first == Higher {
            "which direction is good is not said; as a rise beyond the tolerance passes, more is taken for better"
        } else {
            "which direction is good is not said; as a fall beyond the tolerance passes, less is taken for better"
        };
        said.iter()
            .all(|other| *other == first)
            .then_some((first, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_behind_figures_come_in_front() {
        let text = "RES. value     ref % tol. p_diff suite test\n\
                    pass 1.187e+06 9.5 10     +31    Some  A b\n\
                    pass 6.5       6.4 10     +1     Some  B\n\
                    fail 5.5       3.5 10     -72    Some  C\n";
        let text = Text::read(text.as_bytes()).unwrap();
        let found = turned(&text).unwrap();
        assert_eq!(
            found.text.line(2),
            "| Some A b | pass | 1.187e+06 | 9.5 | 10 | +31 |"
        );
        assert_eq!(
            found.text.line(1),
            "| suite test | RES | value | ref | % tol | p_diff |"
        );
        assert_eq!(found.better.map(|(better, _)| better), Some(Higher));
    }

    #[test]
    fn usual_tables_stay() {
        for text in [
            "test  a    b    unit\nPipe  1.5  2.5  us\nFork  3.5  4.5  us\n",
            "a b c\n1 2 x\n",
            "some words of a page\nthat go on here\nand there\n",
        ] {
            let text = Text::read(text.as_bytes()).unwrap();
            assert!(turned(&text).is_none(), "{}", text.whole());
        }
    }
}
