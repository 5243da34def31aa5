//! Headers of several lines: names that go on below, names over several columns, names whose words stand in lines of
//! their own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Group, Line};
use crate::pattern::{place_in, wide_cells};
use crate::sides::names_side;

/// Lines above a header's last one that can belong to it.
const MOST: usize = 3;

/// Names of columns by what is measured and the side that it is measured of.
pub(super) type Crossing = BTreeMap<String, (String, String)>;

/// The lines of words above `line`, the nearest first, without those that are a sentence.
fn above<'g, 'a>(group: &'g Group<'a>, line: usize) -> impl Iterator<Item = &'g [&'a str]> {
    let before = group.above.iter().rev().filter(move |(at, _)| *at < line);
    let words = before.map_while(|(_, words)| match words {
        Line::Words(cells) => Some(cells.as_slice()),
        Line::Row(_) => None,
    });
    words.take(MOST)
}

/// The cells of a header's last line with what stands over them, where its label is empty and the lines above go on in
/// it: `| Kernel | IRQ  |` over `|        | test |`.
pub(super) fn continued<'c>(group: &Group, line: usize, cells: &'c [&str]) -> Vec<Cow<'c, str>> {
    let mut all: Vec<Cow<str>> = cells.iter().map(|cell| Cow::Borrowed(*cell)).collect();
    for before in above(group, line) {
        if all.len() < 2 || !all[0].is_empty() || before.len() != all.len() {
            break;
        }
        // Empty cells of the line above are of a name over several columns.
        if before[1..].iter().any(|cell| cell.is_empty()) {
            break;
        }
        for (own, over) in all.iter_mut().zip(before) {
            *own = Cow::Owned(format!("{over} {own}").trim().to_owned());
        }
    }
    all
}

/// Names whose words stand in two lines of as many cells between tabs, `wall  sys` over `time  CPU`; the last columns may
/// share what stands over them.
pub(super) fn tabbed(group: &Group, line: usize, own: &[&String]) -> Option<Vec<String>> {
    let (upper, lower) = (group.raw(line.checked_sub(1)?), group.raw(line));
    let indent = |text: &str| text.len() - text.trim_start_matches('\t').len();
    let cells = |text: &'_ str| -> Vec<String> {
        let cells = text.trim_matches('\t').split('\t');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let (over, names) = (cells(upper), cells(lower));
    let same =
        indent(upper) == indent(lower) && indent(lower) > 0 && names.iter().eq(own.iter().copied());
    let words = over.iter().all(|name| {
        name.contains(char::is_alphabetic) && !name.contains(|c: char| c.is_ascii_digit())
    });
    let enough = over.len() > 1 && over.len() <= own.len() && over.len() + 1 >= own.len();
    (same && words && enough).then(|| {
        let all = names.iter().enumerate();
        all.map(|(at, name)| match over.get(at) {
            Some(over) => format!("{over} {name}"),
            None => name.clone(),
        })
        .collect()
    })
}

/// What stands over each of `count` columns in the lines above `line`: a cell each, a cell over several, or as many words
/// in lines one below the other.
pub(super) fn over(group: &Group, line: usize, own: &[&String]) -> Option<Vec<String>> {
    let count = own.len();
    let apart = |over: &Vec<String>| {
        let names: BTreeSet<(&String, &String)> = over.iter().zip(own.iter().copied()).collect();
        names.len() == count
    };
    let whole = above(group, line).find_map(|cells| spread(cells, own).filter(apart));
    let whole = whole.or_else(|| placed(group, line, own).filter(apart));
    whole.or_else(|| gathered(group, line, count).filter(apart))
}

/// The cells of a line between bars, with where they begin and end.
fn barred(line: &str) -> Vec<(usize, usize, &str)> {
    let mut start = 0;
    let cells = line.split('|').map(|cell| {
        let from = start;
        start += cell.len() + 1;
        (from, from + cell.len(), cell.trim())
    });
    cells.collect()
}

/// What stands over each column of a drawn table by its place: a cell over several has no bars of theirs.
fn placed(group: &Group, line: usize, own: &[&String]) -> Option<Vec<String>> {
    let (_, above) = group
        .raw
        .iter()
        .rev()
        .find(|(at, raw)| *at < line && raw.contains('|'))?;
    let over = barred(above);
    let below = barred(group.raw(line)).into_iter();
    let columns = below.filter(|(.., name)| own.iter().any(|own| own.as_str() == *name));
    let names: Vec<String> = columns
        .filter_map(|(from, to, _)| {
            let around = over
                .iter()
                .find(|(start, end, _)| *start <= from && to <= *end)?;
            Some(around.2.to_owned()).filter(|name| !name.is_empty())
        })
        .collect();
    (names.len() == own.len()).then_some(names)
}

/// The names of the columns of `line`, of which several are the same, where a line below it has a name under some of
/// them: each of these is the column's own.
pub(super) fn beneath(group: &Group, line: usize, own: &[&String]) -> Option<Vec<String>> {
    let spans = |raw: &str| -> Vec<(usize, usize)> {
        let cells = wide_cells(raw);
        let start = |cell: &str| cell.as_ptr() as usize - raw.as_ptr() as usize;
        cells
            .iter()
            .map(|cell| (start(cell), start(cell) + cell.len()))
            .collect()
    };
    let first = group.rows.first()?.0;
    let mut below = group
        .raw
        .iter()
        .filter(|(at, raw)| line < *at && *at < first && !raw.contains('|'));
    let (Some((_, below)), None) = (below.next(), below.next()) else {
        return None;
    };
    let over = spans(group.raw(line));
    let under = spans(below);
    // The column of labels may have a name too.
    let over = over.get(over.len().checked_sub(own.len())?..)?;
    let mut names: Vec<String> = own.iter().map(|name| (*name).clone()).collect();
    for (start, end) in under {
        let mut over = over.iter().enumerate();
        let (at, _) = over.find(|(_, (from, to))| start < *to && *from < end)?;
        let name = below.get(start..end)?;
        if !name.contains(char::is_alphabetic) {
            return None;
        }
        name.clone_into(&mut names[at]);
    }
    let distinct: BTreeSet<&String> = names.iter().collect();
    (distinct.len() == names.len()).then_some(names)
}

/// The cells of one line over the columns.
fn spread(cells: &[&str], own: &[&String]) -> Option<Vec<String>> {
    let count = own.len();
    for cells in [cells, cells.get(1..).unwrap_or_default()] {
        let blocks = cells.len();
        if blocks == count && !cells[0].is_empty() {
            let mut last = "";
            let filled = cells.iter().map(|cell| {
                if !cell.is_empty() {
                    last = cell;
                }
                last.to_owned()
            });
            return Some(filled.collect());
        }
        // The same names again below each of them.
        let size = count.checked_div(blocks).unwrap_or(0);
        let repeats = blocks > 1
            && size > 1
            && size * blocks == count
            && own.chunks(size).all(|block| block == &own[..size]);
        if repeats && cells.iter().all(|cell| !cell.is_empty()) {
            let names = cells.iter();
            return Some(
                names
                    .flat_map(|name| std::iter::repeat_n((*name).to_owned(), size))
                    .collect(),
            );
        }
    }
    None
}

/// As many words as columns in the lines above, as they are left where spaces were lost.
fn gathered(group: &Group, line: usize, count: usize) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    for cells in above(group, line) {
        let own = cells.iter().flat_map(|cell| cell.split_whitespace());
        if own.clone().any(is_of_sentence) {
            return None;
        }
        words.splice(0..0, own.map(str::to_owned));
        if words.len() >= count {
            break;
        }
    }
    (words.len() == count).then_some(words)
}

/// Does a sentence or a title have the word, and no name of a column?
fn is_of_sentence(word: &str) -> bool {
    const WORDS: [&str; 10] = [
        "of", "the", "is", "in", "for", "and", "to", "by", "are", "-",
    ];
    WORDS.contains(&word.to_lowercase().as_str()) || word.ends_with([':', '.', ',', '?'])
}

/// Columns below names over several of them as what is measured and of which side; nothing where neither line names
/// sides.
pub(super) fn crossing(over: &[String], own: &[&String]) -> Crossing {
    let distinct = |names: &mut dyn Iterator<Item = &str>| {
        let names: BTreeSet<String> = names.map(str::to_owned).collect();
        (names.len(), names.iter().any(|name| names_side(name)))
    };
    let (overs, sided) = distinct(&mut over.iter().map(String::as_str));
    let (owns, own_sided) = distinct(&mut own.iter().map(|name| name.as_str()));
    if overs < 2 || owns < 2 || overs * owns != own.len() || !(sided || own_sided) {
        return Crossing::new();
    }
    let pairs = over.iter().zip(own);
    pairs
        .map(|(over, own)| {
            let name = format!("{over} {own}");
            match own_sided {
                true => (name, (over.clone(), (*own).clone())),
                false => (name, ((*own).clone(), over.clone())),
            }
        })
        .collect()
}

/// The words of a line that has a name for each word of the labels and for each cell, where one space parts two of them and it
/// seems to have one too few: `# test   alloc   time   faults reclaims`.
pub(super) fn one_more<'a>(
    group: &Group<'a>,
    line: usize,
    cells: &[&str],
    width: usize,
) -> Option<Vec<&'a str>> {
    /// How far the name of a column may begin from its cells, characters.
    const NEAR: usize = 3;
    let raw = group.raw(line);
    let (first, row) = group.rows.first()?;
    let below = group.raw(*first);
    let words: Vec<&str> = raw
        .trim_start_matches(['#', ' '])
        .split_whitespace()
        .collect();
    let labels = row.label.split_whitespace().count();
    let all = width + labels;
    if labels == 0
        || cells.len() >= all
        || words.len() != all
        || width < 2
        || raw.contains(['|', '\t'])
    {
        return None;
    }
    let column = place_in(below, row.cells.first()?)?;
    let names = [
        place_in(raw, words[labels - 1])?,
        place_in(raw, words[labels])?,
    ];
    let over = names[0] + NEAR < column && names[1].abs_diff(column) <= NEAR;
    over.then(|| words[labels - 1..].to_vec())
}
