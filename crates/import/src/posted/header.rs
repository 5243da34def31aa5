//! Headers of posted tables: which column is a side, a measured quantity, or none of them.

use std::collections::{BTreeMap, BTreeSet};

use super::fitted::of_words_each;
use super::names::{
    COMPARED, Kind, TESTS, find_keys, is_bracketed, is_quantity, is_size, is_statistic, kind,
    name_diffs, take_runs,
};
use super::segmented;
use super::stacked::{self, Crossing};
use super::worded::words_or_units;
use crate::aligned;
use crate::amount::{Cell, cell};
use crate::commands::is_prompt;
use crate::direction::{is_bytes, names_stamps, of_unit};
use crate::posted::{Group, Line, PostedRow, is_heading};
use crate::sides::names_side;

/// Lines above the rows among which the header is looked for.
const ABOVE: usize = 6;

/// The columns behind the label.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// The name of the labels, where it has one.
    pub(crate) label: String,
    pub(crate) columns: Vec<Kind>,
    /// The columns are quantities, and rows the sides or tests that they were measured for.
    pub(crate) quantities: bool,
    /// Each figure has its name in front of it, in its own row.
    pub(crate) keyed: bool,
    /// The first column is a quantity too: rows have no labels.
    pub(crate) unlabelled: bool,
    /// The columns are runs of one thing, `run1 run2 run3`.
    pub(crate) runs: bool,
    /// Columns that are told by a line of names over them.
    crossing: Crossing,
    /// Its line; 0 where it is none of its own.
    pub(crate) line: usize,
}

impl Header {
    /// The header of a group's rows, if there is one above them.
    pub(crate) fn above(group: &Group) -> Option<Header> {
        let width = group.width();
        let near = group.above.iter().rev().take(ABOVE);
        let first = group.rows.first().map_or(0, |(line, _)| *line);
        near.filter_map(|(line, words)| match words {
            // Two words some lines above rows of one figure are no header.
            Line::Words(cells) if cells.len() == 1 && width == 1 && first > line + 2 => None,
            Line::Words(cells) if is_heading(cells) => None,
            // What was typed names nothing below it.
            Line::Words(cells) if matches!(cells[..], [line, ..] if is_typed(line)) => None,
            Line::Words(cells) if matches!(cells[..], [line] if line.ends_with(':')) => None,
            Line::Words(cells) => {
                let cells = stacked::continued(group, *line, cells);
                let mut cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
                // Labels of several words may have a name for each: `benchmark allocator elapsed rss`.
                let split = of_words_each(&cells, width, group);
                if let Some(split) = &split {
                    cells = split.iter().map(String::as_str).collect();
                }
                if group.rows.iter().all(|(_, row)| row.behind) {
                    // Where a row has a figure for each name, the labels behind have none, and shorter rows lack a figure.
                    let most = group.rows.iter().map(|(_, row)| row.cells.len()).max();
                    if most.is_some_and(|most| most > width && most == cells.len()) {
                        return Header::over(&cells, cells.len(), *line, group);
                    }
                    // The name of labels that stand behind their figures.
                    if cells.len() == width + 1 {
                        cells.rotate_right(1);
                    }
                }
                if let Some(words) = stacked::one_more(group, *line, &cells, width) {
                    return Header::over(&words, width, *line, group);
                }
                if let Some(names) = segmented::names(group.raw(*line), group) {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    return Header::of(&names, width, *line);
                }
                // Words that stand over a figure each are its names, whatever gaps part them.
                let names = aligned::names(group.raw(*line), group.raw(first), width);
                let of_words = names.and_then(|names| Header::over(&names, width, *line, group));
                of_words.or_else(|| Header::over(&cells, width, *line, group))
            }
            Line::Row(_) => None,
        })
        .next()
        .map(|header| header.without_trials(group).below(group))
    }

    /// The header with the names of the lines above in front of its own, where its own do not tell the columns apart.
    fn below(mut self, group: &Group) -> Header {
        let alike = |header: &Header| {
            let names: BTreeSet<&String> = header.names().collect();
            names.len() < header.names().count()
        };
        let own: Vec<&String> = self.names().collect();
        let whole = match alike(&self) {
            true => stacked::beneath(group, self.line, &own),
            false => match stacked::tabbed(group, self.line, &own) {
                None => return self,
                names => names,
            },
        };
        if let Some(names) = whole {
            let mut names = names.into_iter();
            for kind in &mut self.columns {
                if let Kind::Values(own) = kind
                    && let Some(name) = names.next()
                {
                    *own = name;
                }
            }
            return self;
        }
        let own: Vec<&String> = self.names().collect();
        let distinct: BTreeSet<&String> = own.iter().copied().collect();
        let Some(over) = stacked::over(group, self.line, &own) else {
            return self;
        };
        let crossing = stacked::crossing(&over, &own);
        let one = distinct.len() == 1;
        // `Mean` below the name of each side says nothing more of it.
        let plain = one && is_statistic(own[0]);
        let mut names = over.into_iter();
        for kind in &mut self.columns {
            if let Kind::Values(own) = kind
                && let Some(name) = names.next()
            {
                *own = if plain { name } else { format!("{name} {own}") };
            }
        }
        // What is measured of sides makes no row a side, and columns of one quantity differ in something else.
        self.quantities &= crossing.is_empty() && !one;
        self.crossing = crossing;
        self
    }

    /// The header in a line of words, for rows with so many cells behind their label.
    pub(super) fn of(cells: &[&str], width: usize, line: usize) -> Option<Header> {
        let cells: Vec<&str> = match cells {
            [one] => words_or_units(one, width),
            // The labels of `before | after | |` have no name, and what is behind the last has none of its own.
            [first, rest @ .., ""] if !first.is_empty() && rest.len() + 2 == width + 1 => {
                [&[*first], rest].concat()
            }
            // A unit behind the names, `bs  without  with  (MB/s)`, is of all.
            [names @ .., last] if names.len() >= width && width > 1 && is_bracketed(last) => {
                names.to_vec()
            }
            cells => cells.to_vec(),
        };
        let single = width == 1 && cells.len() == 1;
        if cells.len() < width || cells.len() > width + 1 || cells.len() > 60 || single {
            return None;
        }
        // A cell beside others may be the name of a machine with all that is in it.
        let longest = if cells.len() > 2 { 14 } else { 8 };
        let sentence = cells.iter().any(|c| {
            (c.ends_with('.') && c.contains(' '))
                || (c.contains(": ") && !names_commit(c))
                || c.split_whitespace().count() > longest
        });
        // A row whose figures are missing is no header.
        let empty = cells.iter().filter(|cell| cell.is_empty()).count();
        if sentence || width == 0 || empty * 2 > cells.len() {
            return None;
        }
        let (label, names) = cells.split_at(cells.len() - width);
        let label = label.first().copied().unwrap_or_default();
        let mut columns: Vec<Kind> = names.iter().map(|name| kind(name)).collect();
        name_diffs(names, &mut columns);
        find_keys(&mut columns);
        let runs = take_runs(&mut columns);
        let values = columns.iter().filter(|k| matches!(k, Kind::Values(_)));
        let quantities = values
            .clone()
            .filter(|k| matches!(k, Kind::Values(name) if is_quantity(name)));
        let (values, quantities) = (values.count(), quantities.count());
        let label = label.trim_matches([':', '#', ' ']);
        // When a row was written says nothing of what it measured.
        let label = if names_stamps(label) { "" } else { label };
        // Where the labels are figures of a quantity, no column is a side.
        let unlabelled = quantities > 0 && values > 1 && is_quantity(label);
        let unlabelled = unlabelled && !names.iter().any(|name| names_side(name));
        let quantities = unlabelled || (quantities > 0 && quantities == values);
        // So it is where they are figures of a side.
        let unlabelled = unlabelled || (names_side(label) && !is_size(label));
        (values > 0).then(|| Header {
            label: label.to_owned(),
            columns,
            quantities,
            keyed: false,
            unlabelled,
            runs,
            crossing: Crossing::new(),
            line,
        })
    }

    /// Rows without a header: one figure each, whatever is derived beside it.
    pub(crate) fn none(cells: &[&str]) -> Option<Header> {
        // Of how many bytes a rate or a time is is no result beside it.
        let results = cells.iter().filter(|c| is_result(c)).count();
        let columns = cells.iter().map(|c| match cell(c) {
            Cell::Amount(_, unit) if results == 1 && is_bytes(unit) => Kind::Derived,
            Cell::Amount(..) | Cell::Broken => Kind::Values(String::new()),
            Cell::Words(unit) if of_unit(unit).is_some() => Kind::Unit,
            _ => Kind::Derived,
        });
        let columns: Vec<Kind> = columns.collect();
        let values = columns
            .iter()
            .filter(|k| matches!(k, Kind::Values(_)))
            .count();
        (values == 1).then(|| Header::plain(columns, false))
    }

    /// The header of rows in which a name stands in front of each figure, the same ones in all: `b/w  1.5 GB/s`.
    pub(crate) fn of_keys(rows: &[(usize, PostedRow)]) -> Option<Header> {
        let keys = |row: &PostedRow| -> Option<Vec<String>> {
            let amount = |at: usize| matches!(cell(row.cells[at]), Cell::Amount(..));
            let figures = (0..row.cells.len()).filter(|at| amount(*at));
            let key = |at: usize| {
                let key = row.cells.get(at.checked_sub(1)?)?;
                let before = key.trim_end_matches(':');
                let named = before.starts_with(char::is_alphabetic) || key.ends_with(':');
                named.then(|| before.to_owned())
            };
            figures.map(key).collect()
        };
        let ((_, first), more) = rows.split_first()?;
        let own = keys(first)?;
        let same = !more.is_empty() && more.iter().all(|(_, row)| keys(row).as_ref() == Some(&own));
        if !same {
            return None;
        }
        let mut own = own.into_iter();
        let columns = first.cells.iter().map(|text| match cell(text) {
            Cell::Amount(..) => own.next().map_or(Kind::Derived, Kind::Values),
            _ => Kind::Derived,
        });
        Some(Header {
            keyed: true,
            ..Header::plain(columns.collect(), true)
        })
    }

    /// A header of these columns that no line has.
    pub(super) fn plain(columns: Vec<Kind>, quantities: bool) -> Header {
        Header {
            label: String::new(),
            columns,
            quantities,
            keyed: false,
            unlabelled: false,
            runs: false,
            crossing: Crossing::new(),
            line: 0,
        }
    }

    /// A row of numbers that is the header of those below it: `threads 1 2 4 8`, or versions.
    pub(crate) fn of_numbers(
        row: &PostedRow,
        rest: &[(usize, PostedRow)],
        line: usize,
    ) -> Option<Header> {
        let below = rest.first()?.1.cells.len();
        let bare = |text: &&str| matches!(cell(text), Cell::Amount(_, ""));
        if !row.cells.iter().all(bare) || row.cells.is_empty() {
            return None;
        }
        let is = |names: &[&str]| {
            let mut words = row.label.split(|c: char| !c.is_alphanumeric());
            words.any(|w| names.iter().any(|n| n.eq_ignore_ascii_case(w)))
        };
        let numeric =
            cell(&row.label) != Cell::Nothing && !row.label.chars().any(char::is_alphabetic);
        let (label, names): (&str, Vec<String>) = if numeric && row.cells.len() + 1 == below {
            let first = std::iter::once(row.label.clone());
            let all = first.chain(row.cells.iter().map(|c| (*c).to_owned()));
            ("", all.collect())
        } else if row.cells.len() == below
            && row.cells.len() >= 2
            && (is_size(&row.label) || is_steps(row, rest))
        {
            let named = row.cells.iter().map(|c| format!("{} {c}", row.label));
            (&row.label, named.collect())
        } else if row.cells.len() == below && is(TESTS) {
            (
                &row.label,
                row.cells.iter().map(|c| (*c).to_owned()).collect(),
            )
        } else {
            return None;
        };
        Some(Header {
            label: label.to_owned(),
            columns: names.into_iter().map(Kind::Values).collect(),
            quantities: false,
            keyed: false,
            unlabelled: false,
            runs: false,
            crossing: Crossing::new(),
            line,
        })
    }

    /// The header and the rows with the first column as one of the others, where it is a quantity.
    pub(crate) fn with_first<'a>(
        &self,
        rows: &[(usize, PostedRow<'a>)],
    ) -> Option<(Header, Vec<(usize, PostedRow<'a>)>)> {
        let figure = |text: &str| matches!(cell(text), Cell::Amount(..));
        if !self.unlabelled || !rows.iter().all(|(_, row)| figure(row.first)) {
            return None;
        }
        let mut header = self.clone();
        header.columns.insert(0, Kind::Values(self.label.clone()));
        header.label.clear();
        let rows = rows.iter().map(|(line, row)| {
            let mut row = row.clone();
            row.cells.insert(0, row.first);
            row.label.clear();
            (*line, row)
        });
        Some((header, rows.collect()))
    }

    /// Are the labels by their name what is compared: `GLibc version`, `Allocator`?
    pub(crate) fn labels_sides(&self) -> bool {
        let mut words = self.label.split(|c: char| !c.is_alphanumeric());
        words.any(|word| {
            COMPARED
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word))
        })
    }

    /// Columns that are named by a quantity and a side, `Time Old`, `Time New`, `CPU Old`, `CPU New`, as the two.
    pub(crate) fn crossed(&self) -> Option<BTreeMap<String, (String, String)>> {
        if !self.crossing.is_empty() {
            return Some(self.crossing.clone());
        }
        let pairs = self.names();
        let pairs = pairs.filter_map(|name| Some((name, name.rsplit_once(' ')?)));
        let pairs: Vec<(&String, (&str, &str))> = pairs.collect();
        // What has no side's name is what the sides differ by: `Time`, `CPU`.
        let bare = self.names().filter(|name| !name.contains(' '));
        let by = bare.filter(|name| pairs.iter().all(|(_, (what, _))| what != name));
        if pairs.len() < 4 || by.count() > 0 {
            return None;
        }
        let quantities: BTreeSet<&str> = pairs.iter().map(|(_, (what, _))| *what).collect();
        let sides: BTreeSet<&str> = pairs.iter().map(|(_, (_, side))| *side).collect();
        let all = quantities.len() * sides.len() == pairs.len() && sides.len() > 1;
        let named = sides.iter().all(|side| names_side(side)) && quantities.len() > 1;
        let both = |(name, (what, side)): (&String, (&str, &str))| {
            (name.clone(), (what.to_owned(), side.to_owned()))
        };
        (all && named).then(|| pairs.into_iter().map(both).collect())
    }

    /// Is it the name of a side, which stands above its rows?
    pub(crate) fn is_called(&self, side: &str) -> bool {
        let words = std::iter::once(&self.label).chain(self.names());
        !side.is_empty()
            && words
                .flat_map(|name| name.split_whitespace())
                .eq(side.split_whitespace())
    }

    /// Names of the columns with values.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().filter_map(|kind| match kind {
            Kind::Values(name) => Some(name),
            _ => None,
        })
    }

    /// The same with names as they were spelled before, spaces aside.
    pub(crate) fn spelled(mut self, before: &[String]) -> Header {
        let bare = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
        for kind in &mut self.columns {
            if let Kind::Values(name) = kind
                && let Some(known) = before.iter().find(|known| bare(known) == bare(name))
            {
                known.clone_into(name);
            }
        }
        self
    }
}

/// Is it a side and the commit that it was built of, `Current: 4b1e65e573db61b203f747876dc4fff7f8777b51`?
fn names_commit(name: &str) -> bool {
    /// As short as `git` makes them.
    const SHORTEST: usize = 7;
    let commit = name
        .split_once(": ")
        .map_or("", |(_, commit)| commit.trim());
    commit.len() >= SHORTEST && commit.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Is it a command behind the prompt of a shell?
fn is_typed(line: &str) -> bool {
    is_prompt(line) || line.starts_with("./")
}

/// Do the row's figures grow by steps under a name that is not of the kind of all names below, `off 0 1` over `b8`, `b16`, or
/// by powers of two, as no figures below do: `Dockers 1 4 8 16`?
fn is_steps(row: &PostedRow, rest: &[(usize, PostedRow)]) -> bool {
    /// Fewer names are of no kind, and fewer numbers no steps.
    const FEWEST: usize = 3;
    let stem = |label: &str| -> Option<String> {
        let digits = label.bytes().rev().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| label[..label.len() - digits].to_owned())
    };
    let steps: Option<Vec<u32>> = row.cells.iter().map(|c| c.trim().parse().ok()).collect();
    let grow = steps.is_some_and(|steps| steps.windows(2).all(|pair| pair[0] < pair[1]));
    let first = rest.first().and_then(|(_, row)| stem(&row.label));
    let kind = rest.len() >= FEWEST
        && first.is_some()
        && rest.iter().all(|(_, row)| stem(&row.label) == first);
    let powers = |row: &PostedRow| {
        let powers = |text: &&str| text.trim().parse().is_ok_and(u32::is_power_of_two);
        row.cells.len() >= FEWEST && row.cells.iter().all(powers)
    };
    let doubled = powers(row) && !is_quantity(&row.label) && !rest.iter().any(|(_, r)| powers(r));
    grow && (doubled || kind && stem(&row.label).is_none())
}

/// Is it an amount whose unit says which direction is good?
fn is_result(text: &str) -> bool {
    matches!(cell(text), Cell::Amount(_, unit) if of_unit(unit).is_some())
}
