//! A line that names both sides is the header of the rows below it.

use super::{Found, Names, Text, amount, cells, heading};
use crate::aligned;
use crate::direction::of_unit;
use crate::pattern::wide_cells;
use crate::posted::{self, parts};
use std::borrow::Cow;

/// Words of a cell: more are a sentence.
const WORDS: usize = 8;

/// A header's cells, those that name the sides, and its line.
type Header<'a> = (Vec<&'a str>, [Option<usize>; 2], &'a str);

/// The figures below headers that name both sides.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let mut found: Vec<Found> = Vec::new();
    let mut header: Option<Header> = None;
    let exact = names.exact(text);
    let mut section = String::new();
    // What stands above the first header tells its rows apart from those of a second one.
    let mut first = "";
    // Names below the header, of several columns of each side.
    let mut beneath: Vec<&str> = Vec::new();
    // Bars part the sides of the table and not its cells.
    let mut barred = false;
    for (number, line) in text.lines() {
        let plain = if barred {
            between_bars(line)
        } else {
            cells(line.trim())
        };
        let width = header.as_ref().map_or(0, |(names, ..)| names.len());
        let mut own = in_place(apart(plain, width), header.as_ref(), line);
        // A star marks the row.
        if own.len() > 2 && own.last().is_some_and(|last| last.trim() == "*") {
            own.pop();
        }
        let loose = || {
            let loose = between_bars(line);
            let at = places(&loose, names, exact).filter(|_| line.contains('|'))?;
            Some((loose, at, true))
        };
        let plain = places(&own, names, exact);
        let certain = plain.filter(|at| barred || is_whole(&own, *at, names));
        let named = certain
            .map(|at| (own.clone(), at, barred))
            .or_else(loose)
            .or_else(|| plain.map(|at| (own.clone(), at, barred)))
            .or_else(|| narrow(text, number, names))
            .or_else(|| spaced(text, number, names));
        if is_of_several(line, names) {
            // Boxes beside each other have their headers in one line, and below it places do not say whose a figure is.
            header = None;
        } else if let Some((own, at, loose)) = named {
            barred = loose;
            let above = heading(text, number);
            if found.is_empty() {
                // Remarks in brackets name no table.
                first = if above.starts_with('(') { "" } else { above };
            } else if section.is_empty() && !above.is_empty() && !first.is_empty() {
                for figure in &mut found {
                    figure.title = format!("{first} {}", figure.title);
                }
                first = "";
            }
            section = match found.is_empty() || above.is_empty() {
                true => String::new(),
                false => format!("{above} "),
            };
            header = Some((own, at, line));
            beneath = cells(text.line(number + 1).trim());
        } else if let Some((_, at, line_of)) = &header
            && let Some((label, figures)) = nested(&own, *at, &beneath)
        {
            for (side, what, (value, unit)) in figures {
                found.push(Found {
                    own: Cow::Borrowed(""),
                    side,
                    title: format!("{section}{label} {what}").trim().to_owned(),
                    near: vec![what, line_of],
                    value,
                    unit,
                    line: number,
                });
            }
        } else if let Some((names_of, at, line_of)) = &header
            && let Some((label, figures)) = beside(&own, names_of.len(), *at)
        {
            let of = paragraph(text, number);
            for (side, (value, unit)) in figures.into_iter().enumerate() {
                found.push(Found {
                    own: Cow::Borrowed(""),
                    side,
                    title: format!("{section}{of} {label}").trim().to_owned(),
                    near: vec![line_of],
                    value,
                    unit,
                    line: number,
                });
            }
        } else if let Some((_, at, line_of)) = &header
            && let Some((label, figures)) = several(&own, *at)
        {
            for (side, what, (value, unit)) in figures {
                found.push(Found {
                    own: Cow::Borrowed(""),
                    side,
                    title: format!("{section}{label} {what}").trim().to_owned(),
                    near: vec![line_of],
                    value,
                    unit,
                    line: number,
                });
            }
        } else if let Some((names_of, at, line_of)) = &header
            && let Some((label, figures)) = row(&own, names_of.len(), *at)
                .or_else(|| row(&with_figure(&own), names_of.len(), *at))
                .or_else(|| led(&with_figure(&own), names_of.len(), *at))
        {
            let label = match (label.as_str(), names_of.first()) {
                ("", _) => quantity(names_of, *at).unwrap_or_else(|| "result".to_owned()),
                (label, Some(first)) if label.chars().all(|c| !c.is_alphabetic()) => {
                    match format!("{first} {label}") {
                        // The rows of a table of trials are one.
                        trial if posted::is_run(&trial) => match section.is_empty() {
                            true => "result".to_owned(),
                            false => String::new(),
                        },
                        named => named,
                    }
                }
                (label, _) => label.to_owned(),
            };
            for (side, (value, unit)) in figures.into_iter().enumerate() {
                found.push(Found {
                    own: Cow::Borrowed(""),
                    side,
                    title: format!("{section}{label}").trim().to_owned(),
                    near: vec![at[side].map_or("", |at| names_of[at]), line_of],
                    value,
                    unit,
                    line: number,
                });
            }
        }
    }
    named_by_paragraph(text, &mut found);
    found
}

/// The cells of a row with single spaces, `Read lock 17.0 13.5`, where that gives as many as the header has.
fn apart(own: Vec<&str>, width: usize) -> Vec<&str> {
    let &[one] = &own[..] else { return own };
    let Some(posted::Line::Row(row)) = posted::line(one) else {
        return own;
    };
    let front = row.cells.first().and_then(|first| one.find(first));
    match front {
        Some(at) if width > 2 && row.cells.len() + 1 == width => {
            std::iter::once(one[..at].trim()).chain(row.cells).collect()
        }
        _ => own,
    }
}

/// The words that both names of a header begin with, `ops/s` of `ops/s (before)` and `ops/s (after)`.
fn quantity(names_of: &[&str], at: [Option<usize>; 2]) -> Option<String> {
    let words = |side: usize| Some(names_of.get(at[side]?)?.split_whitespace());
    let both = words(0)?.zip(words(1)?);
    let common: Vec<&str> = both
        .take_while(|(a, b)| a == b)
        .map(|(word, _)| word)
        .collect();
    let common = common.join(" ");
    let named = common.chars().any(char::is_alphabetic);
    named.then_some(common)
}

/// The cells of a line whose bars stand between groups of columns.
fn between_bars(line: &str) -> Vec<&str> {
    let own = wide_cells(line).into_iter();
    own.filter(|cell| cell.trim() != "|").collect()
}

/// Is each of the two cells the name of its side and nothing else?
fn is_whole(own: &[&str], at: [Option<usize>; 2], names: &Names) -> bool {
    let fits = |side: usize| at[side].is_none_or(|at| names.fit(side, own[at]) >= 4);
    fits(0) && fits(1)
}

/// A header, its cells that name the sides, and whether bars part no cells of it.
type Narrow<'a> = (Vec<&'a str>, [Option<usize>; 2], bool);

/// A line of the two names alone, with single spaces, above a line in which two columns have one name: `2.6.1 2.6.1-mm1`
/// above `clients  ops/s  ops/s  %diff`.
fn narrow<'a>(text: &'a Text<'_>, number: usize, names: &Names) -> Option<Narrow<'a>> {
    let words: Vec<&str> = text.line(number).split_whitespace().collect();
    let [first, second] = words[..] else {
        return None;
    };
    let is = |word: &str, side: usize| names.0[side].trim() == word;
    let turned = is(first, 1) && is(second, 0);
    if !(turned || is(first, 0) && is(second, 1)) || number >= text.count() {
        return None;
    }
    let columns = cells(text.line(number + 1).trim());
    let mut pairs = columns.windows(2).enumerate();
    let (at, _) = pairs.find(|(_, pair)| pair[0] == pair[1])?;
    let places = match turned {
        true => [Some(at + 1), Some(at)],
        false => [Some(at), Some(at + 1)],
    };
    Some((columns, places, false))
}

/// A header with single spaces above a row of as many cells: `Protocol Size before after`.
fn spaced<'a>(text: &'a Text<'_>, number: usize, names: &Names) -> Option<Narrow<'a>> {
    let line = text.line(number).trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() < 3 || cells(line).len() > 1 || number >= text.count() {
        return None;
    }
    let below = cells(text.line(number + 1).trim());
    let at = places(&words, names, [false; 2]).filter(|at| is_whole(&words, *at, names))?;
    (below.len() == words.len()).then_some((words, at, false))
}

/// The label and the figures of whole rows that stand below the two names, `50th: 34   50th: 38`.
fn beside<'a>(
    own: &[&'a str],
    width: usize,
    at: [Option<usize>; 2],
) -> Option<(String, Vec<(f64, &'a str)>)> {
    let (2, [Some(a), Some(b)]) = (width, at) else {
        return None;
    };
    let halves = match own {
        [one, two] => [one.rsplit_once(": ")?, two.rsplit_once(": ")?],
        // With more space behind the colon.
        [label, first, other, second] => [(*label, *first), (*other, *second)],
        _ => return None,
    };
    let bare = |side: usize| halves[side].0.trim().trim_end_matches(':');
    let parted = own.len() == 2 || halves.iter().all(|(label, _)| label.ends_with(':'));
    let alike =
        parted && bare(0) == bare(1) && matches!(posted::kind(bare(0)), posted::Kind::Values(_));
    let figures = vec![amount(halves[a].1)?, amount(halves[b].1)?];
    alike.then(|| (bare(0).to_owned(), figures))
}

/// What the paragraph that the line in `number` is of begins with, where that is a cell without a colon: `4 threads`.
fn paragraph<'a>(text: &'a Text<'_>, number: usize) -> &'a str {
    let lines = (1..number).rev().map(|line| text.line(line).trim());
    let first = lines.take_while(|line| !line.is_empty()).last();
    let named = |line: &&str| cells(line).len() == 1 && !line.contains(':');
    first.filter(named).unwrap_or_default()
}

/// The cells of a row that has fewer than names stand above it, each below its own name where spaces fill the table up; a
/// number in front is the row's label, and what is behind it stands where it stands.
fn in_place<'a>(own: Vec<&'a str>, header: Option<&Header<'a>>, line: &'a str) -> Vec<&'a str> {
    match header {
        Some((names, _, of)) if own.len() < names.len() => {
            aligned::filled(of, line).filter(|cells| cells.len() == names.len())
        }
        _ => None,
    }
    .unwrap_or(own)
}

/// A figure of such a cell, its side, and the name of its column.
type Nested<'a> = (usize, &'a str, (f64, &'a str));

/// The figures of a row between bars whose cells hold several columns each, `10 | 12.31  0.21 | 9.98  0.11`, as the line
/// below the header names them, without what follows from others.
fn nested<'a>(
    own: &[&'a str],
    at: [Option<usize>; 2],
    beneath: &[&'a str],
) -> Option<(String, Vec<Nested<'a>>)> {
    let [Some(a), Some(b)] = at else { return None };
    let of = |cells: &[&'a str], at: usize| -> Option<Vec<&'a str>> {
        let inner = wide_cells(cells.get(at)?);
        (inner.len() > 1).then_some(inner)
    };
    let mut found = Vec::new();
    for (side, at) in [(0, a), (1, b)] {
        // A line that begins with a bar has no cell over the labels.
        let over = (at + beneath.len()).checked_sub(own.len())?;
        let (names, figures) = (of(beneath, over)?, of(own, at)?);
        if names.len() != figures.len() {
            return None;
        }
        for (name, figure) in names.into_iter().zip(figures) {
            let figure = amount(figure)?;
            if matches!(posted::kind(name), posted::Kind::Values(_)) {
                found.push((side, name, figure));
            }
        }
    }
    let label = own.first().filter(|_| a > 0 && b > 0)?;
    Some((label.trim().to_owned(), found))
}

/// A figure, its side, and what it is by its unit.
type Several<'a> = (usize, String, (f64, &'a str));

/// The label of a row and the figures of both sides below a header that names each side once, where a side has several,
/// each in a unit of its own: `1   0.006 s  155101817 ops/s   0.008 s  128339525 ops/s`.
fn several<'a>(own: &[&'a str], at: [Option<usize>; 2]) -> Option<(String, Vec<Several<'a>>)> {
    let order = match at {
        [Some(a), Some(b)] if a < b => [0, 1],
        [Some(_), Some(_)] => [1, 0],
        _ => return None,
    };
    let (label, rest) = own.split_first()?;
    let figures: Vec<(f64, &str)> = rest
        .iter()
        .flat_map(|text| parts(text))
        .filter_map(amount)
        .collect();
    let each = figures.len() / 2;
    let (first, second) = figures.split_at(each);
    let alike = first.iter().zip(second).all(|(a, b)| a.1 == b.1);
    let units: std::collections::BTreeSet<&str> = first.iter().map(|(_, unit)| *unit).collect();
    if each < 2 || !figures.len().is_multiple_of(2) || !alike || units.len() != each {
        return None;
    }
    let named = |side: usize, of: &[(f64, &'a str)]| -> Vec<Several<'a>> {
        let of = of.iter().enumerate();
        of.map(|(place, figure)| {
            let what = match figure.1 {
                "" => format!("figure {}", place + 1),
                unit => unit.to_owned(),
            };
            (side, what, *figure)
        })
        .collect()
    };
    let both = [named(order[0], first), named(order[1], second)].concat();
    Some((label.trim().to_owned(), both))
}

/// The cells with the first figure apart from the label in its cell: `Avg Latencies: 00191`.
fn with_figure<'a>(own: &[&'a str]) -> Vec<&'a str> {
    let split = |cell: &'a str| match cell.rsplit_once(": ") {
        Some((label, figure)) if amount(figure).is_some() => vec![label, figure],
        _ => vec![cell],
    };
    own.iter().flat_map(|cell| split(cell)).collect()
}

/// A row with a name in front of its label, which is of all rows of its paragraph: `LNICE(0)   # Avg Latencies: 00466`.
fn led<'a>(
    own: &[&'a str],
    width: usize,
    at: [Option<usize>; 2],
) -> Option<(String, Vec<(f64, &'a str)>)> {
    let (name, rest) = own.split_first()?;
    let words = |text: &str| text.chars().any(char::is_alphabetic) && amount(text).is_none();
    let is = rest.len() == width + 1 && words(name) && words(rest[0]);
    let (label, figures) = row(rest, width, at).filter(|_| is)?;
    Some((format!("{}{LED}{label}", name.trim()), figures))
}

/// Stands between such a name and the label until the rows of the paragraph have it too.
const LED: char = '\u{1}';

/// Gives the name in front of one row's label to all rows of its paragraph, where it has one such name alone.
fn named_by_paragraph(text: &Text, found: &mut [Found<'_>]) {
    let mut paragraph = 0;
    let mut of_line: Vec<usize> = Vec::new();
    for (_, line) in text.lines() {
        paragraph += usize::from(line.trim().is_empty());
        of_line.push(paragraph);
    }
    let at = |line: usize| of_line.get(line.saturating_sub(1)).copied().unwrap_or(0);
    let mut leads: std::collections::BTreeMap<usize, Vec<String>> =
        std::collections::BTreeMap::new();
    for figure in found.iter() {
        if let Some((name, _)) = figure.title.split_once(LED) {
            let own = leads.entry(at(figure.line)).or_default();
            if !own.iter().any(|known| known == name) {
                own.push(name.to_owned());
            }
        }
    }
    for figure in found {
        let own = leads.get(&at(figure.line)).map_or(&[][..], Vec::as_slice);
        figure.title = match (figure.title.split_once(LED), own) {
            (Some((name, label)), _) => format!("{name} {label}"),
            (None, [one]) => format!("{one} {}", figure.title),
            (None, _) => continue,
        };
    }
}

/// Do several cells between bars have the names of both sides?
fn is_of_several(line: &str, names: &Names) -> bool {
    let [a, b] = names.0.each_ref().map(|name| name.trim());
    let apart = !a.contains(b) && !b.contains(a);
    let both = |cell: &&str| [0, 1].iter().all(|side| names.is_part(*side, cell));
    apart && line.split('|').filter(both).count() > 1
}

/// Which cells name the sides, where one line does.
fn places(own: &[&str], names: &Names, exact: [bool; 2]) -> Option<[Option<usize>; 2]> {
    let sentence = |cell: &&str| cell.split_whitespace().count() > WORDS;
    if own.len() < 2 || own.iter().any(sentence) {
        return None;
    }
    let best = |side: usize| {
        let fits = own
            .iter()
            .enumerate()
            .filter(|(_, text)| names.may_mean(side, text, exact))
            .map(|(at, text)| (names.fit(side, text), at));
        // The first of those that fit as well.
        let fit = fits.max_by_key(|(fit, at)| (*fit, usize::MAX - at))?;
        (fit.0 > 0 && names.side(own[fit.1]).is_none_or(|of| of == side)).then_some(fit.1)
    };
    // A page may have one of them alone; then its name must be a cell's whole name.
    match [best(0), best(1)] {
        [Some(a), Some(b)] => (a != b).then_some([Some(a), Some(b)]),
        [Some(a), None] if names.is_one() => (names.fit(0, own[a]) > 2).then_some([Some(a), None]),
        _ => None,
    }
}

/// The figure with its unit that a cell begins with, `179.243 MB/sec 16 procs`.
fn begun(text: &str) -> Option<(f64, &str)> {
    let mut ends = text.match_indices(' ').map(|(at, _)| at);
    let second = ends.nth(1)?;
    amount(&text[..second]).filter(|(_, unit)| of_unit(unit).is_some())
}

/// The label of a row and its figures of the two sides, below a header of `width` cells that names them at `at`.
fn row<'a>(
    own: &[&'a str],
    width: usize,
    at: [Option<usize>; 2],
) -> Option<(String, Vec<(f64, &'a str)>)> {
    // Rows without a name for the labels in the header have one cell more, those that lost some begin later.
    let place = |at: usize| match own.len() {
        n if n == width => Some(at),
        n if n > width => Some(at + n - width).filter(|_| n == width + 1),
        // Those that lost some begin later, unless a number in front may be the label.
        n => (at + n)
            .checked_sub(width)
            .filter(|_| own.first().is_none_or(|first| amount(first).is_none())),
    };
    let mut figures = Vec::new();
    let mut first = own.len();
    for at in at.into_iter().flatten() {
        let at = place(at)?;
        let text = own.get(at)?;
        figures.push(amount(text).or_else(|| begun(text))?);
        first = first.min(at);
    }
    let label: Vec<&str> = own[..first].iter().map(|cell| cell.trim()).collect();
    let label: Vec<&str> = label.into_iter().filter(|cell| !cell.is_empty()).collect();
    let label = label.join(" ");
    Some((label.trim_matches([':', '*', '`', ' ']).to_owned(), figures))
}
