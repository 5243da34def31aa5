//! Tables as people post them: lines taken apart, headers found, rows grouped.

pub(crate) mod assumed;
mod compound;
mod fitted;
mod header;
mod keyed;
mod keys;
mod line;
mod listed;
pub(crate) mod loose;
mod names;
mod over;
mod parts;
mod qualified;
mod remarks;
mod roles;
mod row;
mod section;
mod segmented;
mod slashed;
mod stacked;
mod stamped;
mod titles;
mod trials;
mod turned;
mod unheaded;
mod versus;
mod whole;
mod whose;
mod worded;

pub(crate) use compound::{is_row as is_compound, range};
pub(crate) use header::Header;
use keyed::keyed_rows;
pub(crate) use keys::Keys;
pub(crate) use line::{Line, is_missing, is_ruler, of as line};
use listed::{clauses, colon_rows, listed_rows, strokes};
pub(crate) use names::{Kind, is_bracketed, is_derived, is_run, is_size, is_statistic, kind};
pub(crate) use parts::parts;
pub(crate) use remarks::with_remarks;
pub(crate) use roles::{ROLES, is_work};
pub(crate) use row::PostedRow;
pub(crate) use section::{Section, is_heading, names as is_name};
pub(crate) use stamped::unstamped;
pub(crate) use titles::{Named, named};
pub(crate) use turned::turned;
pub(crate) use whose::{Whose, whose};
pub(crate) use worded::with_options;

use std::collections::{BTreeMap, BTreeSet};

use crate::Text;
use crate::amount::{Cell, cell};
use crate::cells::cells;
use crate::commands::is_prompt;
use crate::pattern::place_in;
use line::cells_of_label;

/// Rows that stand together, and the words above them.
#[derive(Debug, Default)]
pub(crate) struct Group<'a> {
    /// Lines of words since the rows before, with their numbers.
    pub(crate) above: Vec<(usize, Line<'a>)>,
    /// Its rows, in order.
    pub(crate) rows: Vec<(usize, PostedRow<'a>)>,
    /// All of its lines as they stand, which tells what stands above what.
    pub(crate) raw: Vec<(usize, &'a str)>,
}

impl<'a> Group<'a> {
    /// The line of that number as it stands.
    pub(crate) fn raw(&self, number: usize) -> &'a str {
        let found = self.raw.iter().find(|(line, _)| *line == number);
        found.map_or("", |(_, line)| line)
    }

    /// Where a part of the line of that number begins in it, where spaces part its cells.
    fn place(&self, number: usize, part: &str) -> Option<usize> {
        let raw = self.raw(number);
        place_in(raw, part).filter(|_| !raw.contains('|'))
    }

    /// Has a line of words above so many cells?
    fn has_names(&self, cells: usize) -> bool {
        let mut above = self.above.iter();
        above.any(|(_, line)| matches!(line, Line::Words(own) if own.len() == cells))
    }

    /// Takes the line for the rest of the row above, where that row has too few cells for the header without it and
    /// enough with it.
    fn goes_on(&mut self, number: usize, words: &'a str) -> bool {
        let above = self.above.iter().rev();
        let header = above.filter_map(|(_, line)| match line {
            Line::Words(cells) if cells.len() > 2 && !is_command(cells) => {
                let unit = cells.last().is_some_and(|last| is_bracketed(last));
                Some(cells.len() - usize::from(unit))
            }
            _ => None,
        });
        let (Some(header), Some((line, row))) = (header.max(), self.rows.last_mut()) else {
            return false;
        };
        let Some(rest) = line::rest(words) else {
            return false;
        };
        let whole = row.cells.len() + rest.len();
        let fits = whole == header || whole + 1 == header;
        let goes_on = *line + row.more.len() + 1 == number && row.cells.len() + 1 < header && fits;
        if goes_on {
            row.cells.extend(rest);
            row.unit = line::take_unit(&mut row.cells).or(row.unit);
            row.more.push(number);
        }
        goes_on
    }

    /// A row whose first cell is empty, as it is that of the row above.
    fn continued(&self, cells: Vec<&'a str>) -> Line<'a> {
        let amounts = cells.iter().filter(|c| matches!(cell(c), Cell::Amount(..)));
        let is = cells.first().is_some_and(|first| first.trim().is_empty()) && amounts.count() > 1;
        match self.rows.last() {
            Some((_, above)) if is && above.cells.len() + 1 == cells.len() => {
                Line::Row(PostedRow {
                    label: above.label.clone(),
                    cells: cells[1..].to_vec(),
                    more: Vec::new(),
                    ..above.clone()
                })
            }
            _ => Line::Words(cells),
        }
    }

    /// Cells behind the label that most rows have.
    pub(crate) fn width(&self) -> usize {
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, row) in &self.rows {
            *rows.entry(row.cells.len()).or_default() += 1;
        }
        // Of as many, the longer rows: a short one has lost something.
        let most = rows
            .into_iter()
            .max_by_key(|(width, count)| (*count, *width));
        most.map_or(0, |(width, _)| width)
    }
}

/// Was the line typed: behind a prompt, or with options?
fn is_command(cells: &[&str]) -> bool {
    is_prompt(cells[0]) || cells.iter().any(|cell| cell.contains(" --"))
}

/// The rows of a line in which each figure has a name of its own.
pub(crate) fn named_rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let found = listed_rows(line).or_else(|| keyed_rows(line));
    found
        .or_else(|| colon_rows(line))
        .or_else(|| clauses(line))
        .or_else(|| strokes(line))
        .or_else(|| slashed::rows(line))
}

/// The rows of a page in groups.
pub(crate) fn groups<'a>(text: &'a Text) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = vec![Group::default()];
    for (number, words) in text.lines() {
        let (Some(line), Some(group)) = (line::of(words), groups.last_mut()) else {
            continue;
        };
        if group.goes_on(number, words) {
            continue;
        }
        if let Some(rows) = named_rows(words) {
            group.rows.extend(rows.into_iter().map(|row| (number, row)));
            group.raw.push((number, words));
            continue;
        }
        let line = match line {
            // Whatever stands above Markdown's ruler are names, `| Test | 8.1 | 9.0 |`.
            Line::Row(_) if group.rows.is_empty() && is_above_ruler(text, number) => {
                Line::Words(cells(words))
            }
            Line::Words(cells) => match compound::row(words) {
                Some(row) => Line::Row(row),
                None => group.continued(cells),
            },
            line => line,
        };
        match line {
            // Numbers of what works at once name the columns of the rows below.
            Line::Row(row) if !group.rows.is_empty() && whole::numbers(&row).is_some() => {
                groups.push(Group {
                    rows: vec![(number, row)],
                    ..Group::default()
                });
            }
            Line::Row(row) => group.rows.push((number, row)),
            line if group.rows.is_empty() => group.above.push((number, line)),
            line => groups.push(Group {
                above: vec![(number, line)],
                ..Group::default()
            }),
        }
        if let Some(group) = groups.last_mut() {
            group.raw.push((number, words));
        }
    }
    for group in &mut groups {
        if let Some((_, first)) = group.rows.first_mut()
            && let Some(names) = whole::numbers(first)
        {
            *first = names;
        }
        group.qualify();
        group.unstamp();
        group.fold();
        group.relabel();
        group.unglue();
        group.whole();
        group.fit();
        group.take_apart();
    }
    groups
}

/// Is the next line Markdown's ruler of as many columns, `|---|---:|`? Frames are drawn around rows as well.
fn is_above_ruler(text: &Text, number: usize) -> bool {
    let bars = |line: &str| line.matches('|').count();
    let (line, next) = match number < text.count() {
        true => (text.line(number), text.line(number + 1).trim()),
        false => return false,
    };
    let drawn = next.contains("--") && next.chars().all(|c| "|-: ".contains(c));
    let named = line.contains(char::is_alphabetic);
    named && drawn && bars(next) > 2 && bars(line) == bars(next)
}

/// The labels of rows that several groups have.
pub(crate) fn repeated(groups: &[Group]) -> BTreeSet<String> {
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    for group in groups {
        let labels = group.rows.iter().map(|(_, row)| row.label.clone());
        let labels: BTreeSet<String> = labels.collect();
        found.extend(labels.intersection(&seen).cloned());
        seen.extend(labels);
    }
    found
}

/// Sides that stand behind a dash in the labels of rows, `alpine317 - musl`: several, each of several tests.
pub(crate) fn dashed(groups: &[Group]) -> BTreeSet<String> {
    let mut sides: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, row) in groups.iter().flat_map(|group| &group.rows) {
        if let Some((test, side)) = row.label.rsplit_once(" - ") {
            sides.entry(side).or_default().insert(test);
        }
    }
    let alike = {
        let mut tests = sides.values();
        let first = tests.next();
        first.is_some_and(|first| first.len() > 1 && tests.all(|other| other == first))
    };
    if sides.len() < 2 || !alike {
        return BTreeSet::new();
    }
    sides.into_keys().map(str::to_owned).collect()
}
