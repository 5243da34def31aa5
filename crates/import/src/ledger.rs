//! The account of an input's lines: no row leaves without a word.
//!
//! A format says of a line that it kept its figures, that it refuses it, or that it knows it for no
//! row. What it says nothing of is looked at here: a line that could be a row is refused, so that the
//! rows that are there are always those kept and those refused.

use std::collections::BTreeMap;

use whyslow_model::text::visible;

use crate::error::quote;
use crate::grid::{self, Separator};
use crate::{Format, Refused, Text};

/// Most refused rows that are kept with their reason; the count has them all.
const MOST_NAMED: usize = 10_000;

/// How the reason of a row begins that its format does not know.
pub(crate) const NO_ROW: &str = "not a row as";

/// What became of a line.
#[derive(Debug, Clone, PartialEq)]
enum Fate {
    Kept,
    Aside,
    /// A row without a figure that counts, so far.
    Empty(&'static str),
    Refused(String),
}

/// What became of each line that a format spoke of.
#[derive(Debug, Default, Clone)]
pub(crate) struct Ledger {
    fates: BTreeMap<usize, Fate>,
    /// Rows of inputs that are not read by lines.
    entries: usize,
}

/// How many rows an input has.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) kept: usize,
    pub(crate) refused: usize,
    pub(crate) named: Vec<Refused>,
}

impl Ledger {
    pub(crate) fn keep(&mut self, line: usize) {
        if line > 0 && !self.is_refused(line) {
            self.fates.insert(line, Fate::Kept);
        }
    }

    /// Refuses the row in `line`, also where some of its figures were kept.
    pub(crate) fn refuse(&mut self, line: usize, why: String) {
        if !self.is_refused(line) {
            self.fates.insert(line, Fate::Refused(why));
        }
    }

    /// The line is known for no row: a heading, a condition, a mean of rows that are there.
    pub(crate) fn aside(&mut self, line: usize) {
        self.fates.entry(line).or_insert(Fate::Aside);
    }

    /// The row has a figure that is no measured amount; it is refused unless it has another.
    pub(crate) fn empty(&mut self, line: usize, why: &'static str) {
        if line > 0 && !matches!(self.fates.get(&line), Some(Fate::Kept | Fate::Refused(_))) {
            self.fates.insert(line, Fate::Empty(why));
        }
    }

    /// One row of an input that is not read by lines.
    pub(crate) fn entry(&mut self) {
        self.entries += 1;
    }

    pub(crate) fn is_refused(&self, line: usize) -> bool {
        matches!(self.fates.get(&line), Some(Fate::Refused(_)))
    }

    /// Has nothing been said of the line?
    fn is_open(&self, line: usize) -> bool {
        !self.fates.contains_key(&line)
    }

    /// Are all rows that are refused rows of another format?
    pub(crate) fn is_foreign(&self) -> bool {
        let foreign = |fate: &Fate| match fate {
            Fate::Refused(why) => why.starts_with(NO_ROW),
            Fate::Aside => true,
            Fate::Kept | Fate::Empty(_) => false,
        };
        self.entries == 0 && self.fates.values().all(foreign)
    }

    /// Lines with rows that their format does not know.
    pub(crate) fn foreign(&self) -> Vec<usize> {
        let is = |fate: &Fate| matches!(fate, Fate::Refused(why) if why.starts_with(NO_ROW));
        let lines = self.fates.iter().filter(|(_, fate)| is(fate));
        lines.map(|(line, _)| *line).collect()
    }

    /// Says nothing of the line any more.
    pub(crate) fn take_back(&mut self, line: usize) {
        self.fates.remove(&line);
    }

    /// Settles all lines of `text`, which were read as `format`.
    pub(crate) fn settle(&mut self, text: &Text, format: Format) {
        if self.entries > 0 {
            return;
        }
        for row in grid::rows(text) {
            let line = text.line(row.line);
            let known = || format.knows(line);
            // Of a row with a cell a line, the first line is a sign alone.
            let could_be =
                || line_could_be_row(line) || (line.trim() == "|" && could_be_row(&row.cells));
            if self.is_open(row.line) && could_be() && !known() {
                let why = format!("{NO_ROW} {} has them", format.name());
                self.fates.insert(row.line, Fate::Refused(why));
            }
        }
    }

    /// Settles the lines of a page of several sides that are on none: there each of them is empty, whatever was made of it.
    pub(crate) fn settle_rest(&mut self, text: &Text, on_a_side: impl Fn(usize) -> bool) {
        for (number, line) in text.lines() {
            let counted = matches!(self.fates.get(&number), Some(fate) if *fate != Fate::Aside);
            let lost = !counted && !on_a_side(number);
            if self.entries == 0 && lost && line_could_be_row(line) {
                let why = format!("{NO_ROW} the sides of this page have them");
                self.fates.insert(number, Fate::Refused(why));
            }
        }
    }

    /// The sum of it.
    pub(crate) fn account(self, text: &Text) -> Account {
        let mut account = Account {
            kept: self.entries,
            ..Account::default()
        };
        for (line, fate) in self.fates {
            let why = match fate {
                Fate::Kept => {
                    account.kept += 1;
                    continue;
                }
                Fate::Aside => continue,
                Fate::Empty(why) => why.to_owned(),
                Fate::Refused(why) => why,
            };
            account.refused += 1;
            if account.named.len() < MOST_NAMED {
                account.named.push(Refused {
                    line,
                    text: quote(&grid::row_text(text, line)),
                    why: visible(&why).into_owned(),
                });
            }
        }
        account
    }
}

/// Does a line look like a row, at whichever separator it has? Comments, commands that were typed, and
/// headings that are drawn do not.
pub(crate) fn line_could_be_row(line: &str) -> bool {
    if ["#", "$ ", "===", "***"]
        .iter()
        .any(|sign| line.trim_start().starts_with(sign))
    {
        return false;
    }
    let signs = ['\t', ';', ',', '|']
        .into_iter()
        .filter(|s| line.contains(*s));
    let mut separators = signs.map(|sign| match sign {
        '|' => Separator::Bar,
        sign => Separator::Sign(sign),
    });
    separators.any(|by| could_be_row(&grid::cells_at(line, by)))
        || could_be_row(&grid::cells_at(line, Separator::Gap))
}

/// Does a line of these cells look like a row: a name with a figure, or figures? A sentence goes on
/// behind its numbers.
pub(crate) fn could_be_row(cells: &[&str]) -> bool {
    /// Words of a name: more are a sentence.
    const NAME: usize = 12;
    /// Words behind the last figure: a unit such as `MB/s`, or `per second`.
    const UNIT: usize = 2;
    if cells.len() >= 2 {
        let is = |cell: &&str| {
            let mut words = cell.split_whitespace();
            words.next().is_some_and(is_figure) && words.count() <= UNIT
        };
        let short = cells.iter().all(|c| c.split_whitespace().count() <= NAME);
        return short && cells.iter().any(is);
    }
    let words: Vec<&str> = cells.iter().flat_map(|c| c.split_whitespace()).collect();
    let Some(first) = words.iter().position(|w| is_figure(w)) else {
        return false;
    };
    let figures = words.iter().filter(|w| is_figure(w)).count();
    let last = words.iter().rposition(|w| is_figure(w)).unwrap_or(first);
    let others = words.len() - first - figures;
    words.len() > 1 && first <= NAME && words.len() - 1 - last <= UNIT && others <= UNIT * figures
}

/// Is the word a figure, in any way in which tools print one: also with commas, a unit that sticks to
/// it, minutes before the seconds, or a spread?
fn is_figure(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '[', '"', '\'', '-', '+', '~', '.']);
    let word = word.trim_end_matches([')', ']', '"', '\'', ',', ';', '.', '%']);
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    // Two points are a version.
    let version = word.matches('.').count() > 1 && !word.contains([',', ':']);
    // The name of a commit.
    let hash = word.len() >= 7 && letters > 0 && word.bytes().all(|b| b.is_ascii_hexdigit());
    word.starts_with(|c: char| c.is_ascii_digit())
        && !version
        && !hash
        && !word.ends_with('+')
        && letters <= 2
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || ".,:±+-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_sentences() {
        for row in [
            "Pipe 1.5 lps",
            "x,1,s",
            "| a | 1 |",
            "=cmd|x!A0,5,s",
            "Copy: 1.5 MB/s",
            "  1024 :   0.0 ns   /   0.1 ns",
            "0  89.2  139.5",
            "real 0m1.5s",
            "a b,1.8e308,s",
            "| n/a | 1,5 MB/s |",
            "2   52±1   26±0",
        ] {
            assert!(line_could_be_row(row), "{row}");
        }
        for other in [
            "",
            "Benchmark",
            "about 4% of it is left with small blocks (64KB) and without.",
            "the 2 machines were idle when this was run",
            "# the 3rd of 4",
            "=== run 1",
            "$ stream 4",
            "Linux 2.4.23",
            "About 4 % of it, as was to be expected of such a machine.",
            "|------|-----|",
        ] {
            assert!(!line_could_be_row(other), "{other}");
        }
    }
}
