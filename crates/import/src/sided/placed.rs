//! Sides whose names stand over columns of figures by their place on the page, however many lines the header has and
//! whatever remarks stand behind the figures: `12.3 (   0.00%)    11.8 *   4.07%*`, `9.45n ± 2%`.

use super::pieces::{Brackets, Piece, Placed, pieces, wide};
use super::{Found, Names, Text, cells, heading};
use crate::grid::is_ruler;
use crate::pattern::wide_cells;
use crate::posted;
use std::borrow::Cow;

/// Lines above the first row among which names of columns are looked for.
const ABOVE: usize = 8;

/// Figures of one row: more are a matrix.
const MOST: usize = 24;

/// A line with a label and figures.
#[derive(Debug)]
struct Line<'a> {
    number: usize,
    label: String,
    figures: Vec<Placed<'a>>,
}

/// The figures of rows below names of the sides.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let mut found: Vec<Found> = Vec::new();
    let mut last: Option<(usize, Columns)> = None;
    for block in blocks(text) {
        let width = width(&block);
        let first = block[0].number;
        let spans = spans(&block, width);
        let own = columns(text, first, &spans, names);
        let columns = match (own, &last) {
            (Some(own), _) => own,
            (None, Some((before, columns))) if *before == width => columns.clone(),
            _ => continue,
        };
        let section = match found.is_empty() {
            true => "",
            false => heading(text, columns.top),
        };
        let keys = keys(&block, width, &columns);
        for row in &block {
            let Some(figures) = in_columns(row, &spans) else {
                continue;
            };
            let label = labelled(row, &figures[..keys]);
            let derived = label
                .split_whitespace()
                .next()
                .is_some_and(posted::is_derived);
            let both = columns.at.iter().flatten().all(|at| figures[*at].is_some());
            if derived || !both || label.is_empty() {
                continue;
            }
            for (side, at) in columns.at.iter().enumerate() {
                let Some(figure) = at.and_then(|at| figures[at]) else {
                    continue;
                };
                found.push(Found {
                    own: Cow::Borrowed(""),
                    side,
                    title: format!("{section} {label}").trim().to_owned(),
                    near: columns.said.iter().map(|line| text.line(*line)).collect(),
                    value: figure.value,
                    unit: figure.unit,
                    line: row.number,
                });
            }
        }
        last = Some((width, columns));
    }
    found
}

/// Which columns the sides are, the lines that name them, the last first, and the first line of the header.
#[derive(Debug, Clone)]
struct Columns {
    at: [Option<usize>; 2],
    said: Vec<usize>,
    top: usize,
}

/// Lines of figures that stand right below each other, or below a drawn line.
fn blocks<'a>(text: &'a Text<'_>) -> Vec<Vec<Line<'a>>> {
    let mut found: Vec<Vec<Line>> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines() {
        match row(number, line) {
            Some(row) => {
                if !open {
                    found.push(Vec::new());
                }
                found.last_mut().expect("one is open").push(row);
                open = true;
            }
            // What is drawn between rows parts none.
            None => open &= is_ruler(&cells(line.trim())),
        }
    }
    found
}

/// Takes the words of a row apart: a label in front of its figures, or behind them.
fn row<'a>(number: usize, line: &'a str) -> Option<Line<'a>> {
    let mut label: Vec<&str> = Vec::new();
    let mut figures: Vec<Placed> = Vec::new();
    let mut behind = false;
    for piece in pieces(line, Brackets::Remarks)? {
        match piece {
            Piece::Figure(_) if behind => return None,
            Piece::Figure(figure) => figures.push(figure),
            Piece::Word(word) => {
                behind |= !figures.is_empty();
                label.push(word);
            }
        }
    }
    (2..=MOST).contains(&figures.len()).then(|| Line {
        number,
        label: label
            .join(" ")
            .trim_matches([':', '*', '`', ' '])
            .to_owned(),
        figures,
    })
}

/// How many figures most rows have; of as many, the longer.
fn width(block: &[Line]) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for row in block {
        *counts.entry(row.figures.len()).or_insert(0) += 1;
    }
    let most = counts
        .into_iter()
        .max_by_key(|(width, count)| (*count, *width));
    most.map_or(0, |(width, _)| width)
}

/// From where to where each column reaches, by the rows that have all.
fn spans(block: &[Line], width: usize) -> Vec<(usize, usize)> {
    let mut spans = vec![(usize::MAX, 0); width];
    for row in block.iter().filter(|row| row.figures.len() == width) {
        for (span, figure) in spans.iter_mut().zip(&row.figures) {
            *span = (span.0.min(figure.from), span.1.max(figure.to));
        }
    }
    spans
}

/// The figures of a row by their columns; none where it is not certain which they are of.
fn in_columns<'a>(row: &Line<'a>, spans: &[(usize, usize)]) -> Option<Vec<Option<Placed<'a>>>> {
    if row.figures.len() == spans.len() {
        return Some(row.figures.iter().copied().map(Some).collect());
    }
    let mut found = vec![None; spans.len()];
    for figure in &row.figures {
        let over = |(from, to): &(usize, usize)| figure.from < *to && *from < figure.to;
        let mut own = spans.iter().enumerate().filter(|(_, span)| over(span));
        let (at, _) = own.next()?;
        if own.next().is_some() || found[at].replace(*figure).is_some() {
            return None;
        }
    }
    Some(found)
}

/// How many columns in front of the sides tell rows apart: whole numbers with nothing behind them.
fn keys(block: &[Line], width: usize, columns: &Columns) -> usize {
    let first = columns.at.iter().flatten().min().copied().unwrap_or(0);
    let full = || block.iter().filter(|row| row.figures.len() == width);
    let is = |at: &usize| full().all(|row| row.figures[*at].bare);
    (0..first).take_while(is).count()
}

/// The label of a row with the numbers that tell it from others of that label.
fn labelled(row: &Line, keys: &[Option<Placed>]) -> String {
    let numbers = keys.iter().flatten().map(|key| key.value.to_string());
    let all: Vec<String> = std::iter::once(row.label.clone()).chain(numbers).collect();
    all.join(" ").trim().to_owned()
}

/// The columns that lines above `first` name for the sides.
fn columns(text: &Text, first: usize, spans: &[(usize, usize)], names: &Names) -> Option<Columns> {
    let above: Vec<usize> = (1..first)
        .rev()
        .take(ABOVE)
        .take_while(|line| row(*line, text.line(*line)).is_none())
        .filter(|line| !text.line(*line).trim().is_empty())
        .collect();
    let wanted = if names.is_one() { 1 } else { 2 };
    let all = |at: &[Option<usize>; 2]| {
        at.iter().flatten().count() == wanted && (wanted == 1 || at[0] != at[1])
    };
    let top = |said: &[usize]| said.last().copied().unwrap_or(first);
    // A name in one line, the nearest first; then names whose words stand one below the other.
    for glued in [false, true] {
        let mut at = [None; 2];
        let mut said = Vec::new();
        for line in &above {
            for (own, name) in at.iter_mut().zip(&names.0).take(wanted) {
                let place = || literal(text.line(*line), name.trim(), glued);
                if own.is_none()
                    && let Some(place) = place()
                {
                    *own = Some(nearest(place, spans));
                    said.push(*line);
                }
            }
        }
        if all(&at) {
            said.dedup();
            return Some(Columns {
                at,
                top: top(&said),
                said,
            });
        }
    }
    let stacked = stacked(text, &above, spans);
    let best = |side: usize| {
        let fits = stacked.iter().map(|name| names.fit(side, name));
        let most = fits.clone().max().filter(|fit| *fit > 1)?;
        let mut at = fits.enumerate().filter(|(_, fit)| *fit == most);
        let (place, _) = at.next()?;
        at.next().is_none().then_some(place)
    };
    let at = [best(0), if wanted == 2 { best(1) } else { None }];
    all(&at).then(|| Columns {
        at,
        top: top(&above),
        said: above,
    })
}

/// Where a name stands in a line as a whole, in characters.
fn literal(line: &str, name: &str, glued: bool) -> Option<(usize, usize)> {
    if name.is_empty() {
        return None;
    }
    let ends = |c: char| !glued && (c.is_alphanumeric() || "-+_./".contains(c));
    let mut found = line.match_indices(name).filter(|(at, _)| {
        let behind = line[at + name.len()..].chars().next();
        let before = line[..*at].chars().next_back();
        !behind.is_some_and(ends) && !before.is_some_and(ends)
    });
    let (at, _) = found.next()?;
    // Twice in one line it is over several columns.
    if found.next().is_some() {
        return None;
    }
    let place = |byte: usize| wide(&line[..byte]);
    Some((place(at), place(at + name.len())))
}

/// The column whose middle is nearest to that of a name.
fn nearest((from, to): (usize, usize), spans: &[(usize, usize)]) -> usize {
    let far = |span: &(usize, usize)| (span.0 + span.1).abs_diff(from + to);
    let of = spans.iter().enumerate().min_by_key(|(_, span)| far(span));
    of.map_or(0, |(at, _)| at)
}

/// The words that stand over each column in the lines `above` it, the nearest of them first.
pub(super) fn stacked(text: &Text, above: &[usize], spans: &[(usize, usize)]) -> Vec<String> {
    let mut names = vec![String::new(); spans.len()];
    let first = spans.first().map_or(0, |(from, _)| *from);
    for line in above.iter().rev() {
        let line = text.line(*line);
        let plain = |cell: &&str| cell.chars().any(char::is_alphanumeric);
        let cells: Vec<&str> = wide_cells(line).into_iter().filter(plain).collect();
        let words: Vec<&str> = line.split_whitespace().filter(plain).collect();
        // Names of several words with a space between them, each word over its column.
        let by_words = cells.len() < spans.len() && words.len() >= spans.len();
        let by_order = cells.len() == spans.len();
        let mut parts = if by_words { words } else { cells };
        // What ends in front of the figures is over their labels.
        let ends = |part: &&str| {
            let behind = part.as_ptr() as usize - line.as_ptr() as usize + part.len();
            by_order || wide(&line[..behind]) > first
        };
        parts.retain(ends);
        let places = parts.iter().enumerate().map(|(at, part)| {
            let byte = part.as_ptr() as usize - line.as_ptr() as usize;
            let from = wide(&line[..byte]);
            match by_order {
                true => at,
                false => nearest((from, from + part.chars().count()), spans),
            }
        });
        let places: Vec<usize> = places.collect();
        let each = (0..spans.len()).all(|column| places.contains(&column));
        if by_words && !each {
            continue;
        }
        for (part, column) in parts.into_iter().zip(places) {
            let name = &mut names[column];
            *name = format!("{name} {part}").trim().to_owned();
        }
    }
    names
}
