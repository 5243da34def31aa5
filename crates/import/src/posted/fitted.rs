//! Headers that fit rows which are not quite as wide, or of which a column says what the rest was measured at.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::names::{Kind, is_size};
use super::{Group, Header, PostedRow, cells_of_label};
use crate::aligned;
use crate::amount::{Cell, SPREAD_SIGNS, cell};
use crate::direction::{is_bytes, of_unit, unit_in};
use crate::sides::names_side;

impl Group<'_> {
    /// Takes the size at which a row was measured into its label, where the names above are of the columns behind it:
    /// `READ  4k   100k   410` below `IOPS   BW(MB/s)`.
    pub(super) fn fold(&mut self) {
        let width = self.width();
        let names = |cells: usize| self.has_names(cells);
        let size = |text: &str| {
            let digits = text.trim_end_matches(['k', 'K', 'M', 'G', 'B']);
            let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            whole && digits.len() < text.len()
        };
        // One space in front of the size makes it a part of the label already.
        let within = |row: &PostedRow| {
            let last = row.label.split_whitespace().next_back();
            row.cells.len() + 1 == width && last.is_some_and(size)
        };
        let apart = |row: &PostedRow| {
            row.cells.len() == width && row.cells.first().is_some_and(|text| size(text))
        };
        let sized = self
            .rows
            .iter()
            .all(|(line, row)| (apart(row) || within(row)) && !self.raw(*line).contains('|'));
        let fits = names(width.saturating_sub(1)) && !names(width) && !names(width + 1);
        if width < 3 || self.rows.len() < 2 || !sized || !fits {
            return;
        }
        for (_, row) in self
            .rows
            .iter_mut()
            .filter(|(_, row)| row.cells.len() == width)
        {
            row.label = format!("{} {}", row.label, row.cells.remove(0));
        }
    }
}

impl Group<'_> {
    /// Takes the first figure out of the label that one space parts from it, where it stands below those of the other rows:
    /// `SLUB (dynamic) 22.74    23.54` below `SLUB           22.80    25.78`.
    pub(super) fn unglue(&mut self) {
        let width = self.width();
        let place = |line: usize, cell: &str| self.place(line, cell);
        let whole = self.rows.iter().filter(|(_, row)| row.cells.len() == width);
        let spans: Option<Vec<(usize, usize)>> = whole
            .map(|(line, row)| {
                let first = row.cells.first()?;
                let at = place(*line, first)?;
                Some((at, at + first.len()))
            })
            .collect();
        let Some(spans) = spans.filter(|spans| !spans.is_empty() && width > 1) else {
            return;
        };
        let glued = |(line, row): &(usize, PostedRow)| {
            let figure = row.first.rsplit_once(' ')?.1;
            let is = row.cells.len() + 1 == width && cells_of_label(row.first).is_some();
            let at = place(*line, figure).filter(|_| is)?;
            let below = |(from, to): &(usize, usize)| at < *to && *from < at + figure.len();
            spans.iter().any(below).then_some(())
        };
        let found: Vec<usize> = (0..self.rows.len())
            .filter(|at| glued(&self.rows[*at]).is_some())
            .collect();
        for at in found {
            let row = &mut self.rows[at].1;
            if let Some((label, figure)) = cells_of_label(row.first) {
                row.label = label;
                row.cells.insert(0, figure);
            }
        }
    }
}

impl Group<'_> {
    /// Takes a figure into the label that stands where the labels of the other rows do, `12t   1G   77000  18300` below
    /// `256c2t(4 node) 1G   4745   2024`.
    pub(super) fn relabel(&mut self) {
        /// Fewer rows do not say where labels stand.
        const FEWEST: usize = 2;
        let width = self.width();
        if !self
            .rows
            .iter()
            .any(|(_, row)| row.cells.len() == width + 1)
        {
            return;
        }
        let place = |line: usize, cell: &str| self.place(line, cell);
        let whole = self.rows.iter().filter(|(_, row)| row.cells.len() == width);
        let starts: Option<Vec<usize>> = whole
            .map(|(line, row)| place(*line, row.cells.first()?))
            .collect();
        let Some(starts) = starts.filter(|starts| starts.len() >= FEWEST) else {
            return;
        };
        let first = starts.into_iter().min().unwrap_or(0);
        let within = |(line, row): &(usize, PostedRow)| {
            let end = row
                .cells
                .first()
                .and_then(|cell| Some(place(*line, cell)? + cell.len()));
            row.cells.len() == width + 1
                && !row.label.is_empty()
                && end.is_some_and(|end| end < first)
        };
        let found: Vec<usize> = (0..self.rows.len())
            .filter(|at| within(&self.rows[*at]))
            .collect();
        for at in found {
            let row = &mut self.rows[at].1;
            row.label = format!("{} {}", row.label, row.cells.remove(0));
        }
    }
}

impl Header {
    /// The columns of one row: as the header has them, or none but one.
    pub(crate) fn of_row<'h>(
        row: &PostedRow,
        header: Option<&'h Header>,
    ) -> Result<Cow<'h, Header>, String> {
        if let Some(header) = header
            && header.columns.len() == row.cells.len()
        {
            return Ok(Cow::Borrowed(header));
        }
        // A change behind the last column needs no name.
        if let Some(header) = header
            && header.columns.len() + 1 == row.cells.len()
            && row
                .cells
                .last()
                .is_some_and(|last| cell(last) == Cell::Change)
        {
            let mut wider = header.clone();
            wider.columns.push(Kind::Derived);
            return Ok(Cow::Owned(wider));
        }
        // Nothing follows from the figures of the first row.
        if let Some(header) = header
            && let Some(behind) = header.columns.get(row.cells.len()..)
            && !row.cells.is_empty()
            && behind.iter().all(|kind| *kind == Kind::Derived)
            && header.names().count() == row.amounts()
        {
            let mut shorter = header.clone();
            shorter.columns.truncate(row.cells.len());
            return Ok(Cow::Owned(shorter));
        }
        if let Some(header) = header
            && let Some(narrower) = header.narrower(row)
        {
            return Ok(Cow::Owned(narrower));
        }
        let own = Header::none(&row.cells).map(Cow::Owned);
        match (header, own) {
            (Some(header), Some(own)) if header.names().count() < 2 => Ok(own),
            (None, Some(own)) => Ok(own),
            (Some(header), _) => Err(format!(
                "{} cells under a header of {}; fill the row up or take it out",
                row.cells.len(),
                header.columns.len()
            )),
            (None, None) => Err("several figures, not as many as in the rows beside it, and no header says what they are".into()),
        }
    }

    /// The rows with an empty cell for each name of the header that they have none below, and how many they are: where
    /// spaces fill the table up, by where the cells stand; between bars the last are missing. None where no row lacks one.
    pub(crate) fn filled<'a>(
        &self,
        group: &Group<'a>,
        rows: &[(usize, PostedRow<'a>)],
    ) -> Option<(Vec<(usize, PostedRow<'a>)>, usize)> {
        let of_line = group.raw(self.line);
        // A header of the table before says nothing of what a row lacks.
        if of_line.is_empty() || self.unlabelled {
            return None;
        }
        let short = |row: &PostedRow| row.cells.len() < self.columns.len() && row.more.is_empty();
        let mut moved = 0;
        let made = rows.iter().map(|(line, row)| {
            let own = || {
                if Header::of_row(row, Some(self)).is_ok() {
                    return None;
                }
                let raw = group.raw(*line);
                let cells = match raw.trim_start().starts_with('|') && raw.trim_end().ends_with('|')
                {
                    true => {
                        let missing = self.columns.len() - row.cells.len();
                        Some([&row.cells[..], &vec![""; missing]].concat())
                    }
                    false => aligned::filled(of_line, raw).map(|cells| cells[1..].to_vec()),
                };
                cells.filter(|cells| cells.len() == self.columns.len())
            };
            match short(row).then(own).flatten() {
                Some(cells) => {
                    moved += 1;
                    (
                        *line,
                        PostedRow {
                            cells,
                            ..row.clone()
                        },
                    )
                }
                None => (*line, row.clone()),
            }
        });
        let made: Vec<(usize, PostedRow)> = made.collect();
        (moved > 0).then_some((made, moved))
    }

    /// The header with the first column that tells rows of one label apart as what they were measured at: `gcc | 1`, `gcc | 2`
    /// below `Build | Level | Before | After`. Its figures are whole, and the same for each label.
    pub(crate) fn with_key(&self, rows: &[(usize, PostedRow)]) -> Option<Header> {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let mut sets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let (at, name) = self
            .columns
            .iter()
            .enumerate()
            .find_map(|(at, kind)| match kind {
                Kind::Values(name) => Some((at, name)),
                _ => None,
            })?;
        // A size may have its unit beside it, `1 MiB`, `256b`.
        let whole = |text: &str| {
            let text = text.trim();
            let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
            let unit = text[number.len()..].trim();
            digits(text) || ((is_size(name) || is_bytes(unit)) && digits(number))
        };
        for (_, row) in rows {
            let cell = row.cells.get(at).filter(|text| whole(text))?;
            if row.cells.len() != self.columns.len() {
                return None;
            }
            sets.entry(row.label.as_str())
                .or_default()
                .push(cell.trim());
        }
        // Sizes with their units need not be the same for each label.
        let sized = sets.values().flatten().all(|text| !digits(text));
        let mut all = sets.values();
        let first = all.clone().next()?;
        let apart = |set: &Vec<&str>| {
            let distinct: BTreeSet<&&str> = set.iter().collect();
            distinct.len() == set.len() && set.len() > 1
        };
        let alike = all.all(|set| apart(set) && (sized || set == first));
        let labelled = sets
            .keys()
            .all(|label| label.chars().any(char::is_alphabetic));
        // Below one label alone the column has to be that of a size.
        let fewest = if sets.len() < 2 && is_size(name) {
            2
        } else {
            3
        };
        let more = self.names().count() >= fewest;
        let several = sets.len() > 1 || is_size(name);
        if !alike || !several || !(labelled || sets.len() > 1) || !more || self.unlabelled {
            return None;
        }
        let mut keyed = self.clone();
        keyed.columns[at] = Kind::Key(name.clone());
        Some(keyed)
    }

    /// The header and the rows with the columns in front of several of sides or with units in the labels, where these columns
    /// tell rows of one label apart: `Threads | Kind | Before (ops/s) | After (ops/s)`.
    pub(crate) fn with_keys<'a>(
        &self,
        rows: &[(usize, PostedRow<'a>)],
    ) -> Option<(Header, Vec<(usize, PostedRow<'a>)>)> {
        let result = |kind: &Kind| match kind {
            Kind::Values(name) => names_side(name) || unit_in(name).is_some(),
            _ => false,
        };
        let first = self.columns.iter().position(result)?;
        let several = self.columns.iter().filter(|kind| result(kind)).count() > 1;
        let plain = |text: &str| {
            let whole = text.trim().bytes().all(|b| b.is_ascii_digit());
            whole || matches!(cell(text), Cell::Words(_))
        };
        let front = |row: &PostedRow<'a>| {
            row.cells.len() == self.columns.len()
                && row.cells[..first].iter().all(|text| plain(text))
        };
        let values = self.columns[..first]
            .iter()
            .all(|kind| matches!(kind, Kind::Values(_) | Kind::Key(_)));
        if first == 0
            || !several
            || !values
            || self.unlabelled
            || !rows.iter().all(|(_, row)| front(row))
        {
            return None;
        }
        let labels: BTreeSet<&str> = rows.iter().map(|(_, row)| row.label.as_str()).collect();
        let named = rows.iter().map(|(line, row)| {
            let mut row = row.clone();
            let keys: Vec<&str> = row.cells.drain(..first).map(str::trim).collect();
            row.label = format!("{} {}", row.label, keys.join(" "));
            (*line, row)
        });
        let named: Vec<(usize, PostedRow)> = named.collect();
        let apart: BTreeSet<&str> = named.iter().map(|(_, row)| row.label.as_str()).collect();
        if labels.len() == rows.len() || apart.len() != rows.len() {
            return None;
        }
        let mut header = self.clone();
        header.columns.drain(..first);
        Some((header, named))
    }

    /// The header for a row with one cell less: its unit was in a column of its own, or its spread stands in the cell of the
    /// figure, `4.096 ± 0.012`.
    pub(crate) fn narrower(&self, row: &PostedRow) -> Option<Header> {
        if self.columns.len() != row.cells.len() + 1 {
            return None;
        }
        let mut narrower = self.clone();
        let spread = |at: usize| {
            let text = row.cells.get(at.checked_sub(1)?)?;
            SPREAD_SIGNS
                .iter()
                .any(|sign| text.contains(sign))
                .then_some(at)
        };
        let derived = |at: &usize| self.columns[*at] == Kind::Derived;
        let mut of_spread = (0..self.columns.len()).filter(derived).filter_map(spread);
        match of_spread.next() {
            Some(at) => {
                narrower.columns.remove(at);
                // The unit behind all of them has a column as well.
                if row.unit.is_some() && narrower.columns.last() == Some(&Kind::Unit) {
                    narrower.columns.pop();
                }
            }
            None if row.unit.is_some() => {
                narrower.columns.pop();
            }
            None => return None,
        }
        (narrower.columns.len() == row.cells.len()).then_some(narrower)
    }
}

/// A header in single spaces over rows whose labels have as many words each as names are left for them.
pub(super) fn of_words_each(cells: &[&str], width: usize, group: &Group) -> Option<Vec<String>> {
    let [one] = cells else { return None };
    let words: Vec<&str> = one
        .trim_start_matches(['#', ' '])
        .split_whitespace()
        .collect();
    let mut counts = group
        .rows
        .iter()
        .map(|(_, row)| row.label.split_whitespace().count());
    let count = counts.next()?;
    let same = count > 1 && group.rows.len() > 1 && counts.all(|other| other == count);
    let units = words.iter().any(|word| of_unit(word).is_some());
    if let (1, false, Some((label, names))) = (count, units, words.split_first()) {
        let names = of_as_many(names, width).filter(|_| group.rows.len() > 1)?;
        return Some(std::iter::once((*label).to_owned()).chain(names).collect());
    }
    if !same || units || width < 2 || words.len() != width + count {
        return None;
    }
    let label = words[..count].join(" ");
    let names = words[count..].iter().map(|word| (*word).to_owned());
    Some(std::iter::once(label).chain(names).collect())
}

/// Names of as many words each for `width` columns, where a word of each is written alike: `Box v9 Board v1 Box v2`.
fn of_as_many(words: &[&str], width: usize) -> Option<Vec<String>> {
    let each = words.len().checked_div(width)?;
    if each < 2 || width < 2 || each * width != words.len() {
        return None;
    }
    let names: Vec<&[&str]> = words.chunks(each).collect();
    let alike = |place: usize| {
        let mut shapes = names.iter().map(|name| shape(name[place]));
        let first = shapes.next();
        shapes.all(|other| Some(other) == first)
    };
    let own = |place: usize| {
        names
            .windows(2)
            .any(|pair| pair[0][place] != pair[1][place])
    };
    let parted = (0..each).any(alike) && (0..each).any(own);
    parted.then(|| names.iter().map(|name| name.join(" ")).collect())
}

/// A word with one sign for each run of digits.
fn shape(word: &str) -> String {
    let mut shape = String::new();
    for c in word.chars() {
        match c.is_ascii_digit() {
            true if shape.ends_with('#') => {}
            true => shape.push('#'),
            false => shape.push(c),
        }
    }
    shape
}
