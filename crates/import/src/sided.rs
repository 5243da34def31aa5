//! Two sides of a page found by their names alone, whatever the layout: as columns, as rows, or as headings of blocks.
//! This is how a reader finds them who is told what they are called; no format needs to know the page.

mod above;
mod alike;
mod blocks;
mod columns;
mod headers;
mod inline;
mod keyed;
mod measured;
mod named;
mod names;
mod pages;
mod paired;
mod pieces;
mod placed;
mod places;
mod prefixed;
mod rows;
mod tidy;
mod within;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::text::words;
use whyslow_model::{Better, Record};

use crate::amount::{Cell, cell};
use crate::cells::cells;
use crate::cleaned::untagged;
use crate::direction::{are_calls, has_units, of_lmbench, of_page, of_unit, of_words, unit_in};
use crate::number::are_within;
use crate::posted::assumed;
use crate::{Fault, ImportError, Row, Sheet, Text, reader};
use above::{has_fractions, heading, listed};
use names::{Names, is_same};
pub use pages::{alike, pages, with_rest};

/// Larger pages are logs, in which a name stands anywhere, lines.
const MOST_LINES: usize = 5000;

/// A figure of a side: its row, its value with the unit, and its line.
struct Found<'a> {
    side: usize,
    /// What was measured, in the words of the page.
    title: String,
    /// Words of the figure alone, where others stand in its line: they say more of it than the rest of the title.
    own: Cow<'a, str>,
    /// More words that may say the unit or the direction, the nearest first.
    near: Vec<&'a str>,
    value: f64,
    unit: &'a str,
    line: usize,
}

/// The results of the two sides called `names` on a page; nothing where no layout has figures of both.
///
/// # Errors
/// When the page is no text.
pub fn sided(
    bytes: &[u8],
    file_name: &str,
    names: [&str; 2],
) -> Result<Option<[Record; 2]>, ImportError> {
    find(bytes, file_name, names).map_err(|fault| fault.within(file_name))
}

/// The results of one side called `name`, of which the page may have others; nothing where no layout has figures of it.
///
/// # Errors
/// When the page is no text.
pub fn side(bytes: &[u8], file_name: &str, name: &str) -> Result<Option<Record>, ImportError> {
    let found = || -> Result<Option<Record>, Fault> {
        let text = Text::read(bytes)?;
        // No page has this name.
        let name = untagged(name);
        let names = Names([name.clone(), "\u{0}".to_owned()]);
        if text.count() > MOST_LINES {
            return Ok(None);
        }
        let ways = [
            placed::find(&text, &names),
            columns::find(&text, &names),
            rows::find(&text, &names),
        ];
        // The last of those that found as many.
        let most = ways.into_iter().max_by_key(Vec::len);
        match most.filter(|found| !found.is_empty()) {
            Some(found) => Ok(sheet(&names, &text, &found, &[0])?
                .and_then(|sheet| one(sheet, &text, file_name, &name))),
            None => Ok(None),
        }
    };
    found().map_err(|fault| fault.within(file_name))
}

/// The one system of a sheet.
fn one(sheet: Sheet, text: &Text, file: &str, name: &str) -> Option<Record> {
    let formats: Vec<_> = reader::fallback().into_iter().collect();
    let (mut systems, _) = sheet.records(text, &formats, file).ok()?;
    let record = systems.pop().filter(|_| systems.is_empty())?;
    debug_assert!(
        record
            .origin
            .as_ref()
            .is_some_and(|o| o.system == words_of(name))
    );
    Some(record)
}

fn words_of(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ")
}

fn find(bytes: &[u8], file: &str, names: [&str; 2]) -> Result<Option<[Record; 2]>, Fault> {
    let text = Text::read(bytes)?;
    let names = Names(names.map(untagged));
    if text.count() > MOST_LINES || words(&names.0[0]) == words(&names.0[1]) {
        return Ok(None);
    }
    if let Some(found) = prefixed::find(&text, file, &names, true)? {
        return Ok(Some(found));
    }
    let (columns, rows) = (columns::find(&text, &names), rows::find(&text, &names));
    let most = match pairs(&columns) > pairs(&rows) {
        true => together(columns, rows),
        false => together(rows, columns),
    };
    let inline = inline::find(&text, &names);
    let mut most = richer(richer(most, inline), placed::find(&text, &names));
    most = richer(most, measured::find(&text, &names));
    // Each row of such a table is one figure of one side, which other ways pair by chance.
    let tidy = tidy::find(&text, &names);
    if pairs(&tidy) >= pairs(&most).max(1) {
        most = tidy;
    }
    told_apart(&mut most);
    blocks::without_others(&text, &names, &mut most);
    let most = Some(most);
    if let Some(([a, b], known)) = blocks::below_names(&text, file, &names)? {
        // Other ways may see more rows in what a tool prints than there are.
        let fewest = match known {
            true => 1,
            false => most.as_ref().map_or(1, |found| pairs(found).max(1)),
        };
        if common(&a, &b) >= fewest {
            return Ok(Some([a, b]));
        }
    }
    // A name that stands in the first of its rows alone has the rows below it as well.
    let begun = blocks::rows_below(&text, file, &names)?;
    if let Some([a, b]) = &begun
        && named_common(a, b) > most.as_ref().map_or(0, |found| named_pairs(found))
    {
        return Ok(begun);
    }
    // Lines that begin with their side's name have several figures each, which keys among them tell apart.
    let prefixed = prefixed::find(&text, file, &names, false)?;
    if let Some([a, b]) = &prefixed
        && named_common(a, b) > most.as_ref().map_or(0, |found| pairs(found))
    {
        return Ok(prefixed);
    }
    if let Some(found) = most.filter(|found| pairs(found) > 0)
        && let Some(mut sheet) = sheet(&names, &text, &found, &[0, 1])?
    {
        let used: BTreeSet<usize> = found.iter().map(|found| found.line).collect();
        prefixed::beside(&mut sheet, &text, &used, &names)?;
        if let Some(records) = of_sheet(sheet, &text, file, &names)? {
            return Ok(Some(records));
        }
    }
    if let Some(found) = blocks::find(&text, file, &names)? {
        return Ok(Some(found));
    }
    if prefixed.is_some() {
        return Ok(prefixed);
    }
    if let Some(found) = within::find(&text, file, &names)? {
        return Ok(Some(found));
    }
    places::find(&text, file, &names)
}

/// What one way has found, with what the other has found on other lines of other things: a page may have a table with the
/// sides as columns, and lines that begin with their names.
fn together<'a>(mut most: Vec<Found<'a>>, other: Vec<Found<'a>>) -> Vec<Found<'a>> {
    if pairs(&most) == 0 {
        return most;
    }
    let lines: BTreeSet<usize> = most.iter().map(|found| found.line).collect();
    let titles: BTreeSet<String> = most.iter().map(|found| found.title.clone()).collect();
    let more: Vec<Found> = other
        .into_iter()
        .filter(|found| !lines.contains(&found.line) && !titles.contains(&found.title))
        .collect();
    let of_side = |side: usize| -> BTreeSet<String> {
        let own = more.iter().filter(|found| found.side == side);
        own.map(|found| found.title.clone()).collect()
    };
    let both = &of_side(0) & &of_side(1);
    most.extend(more.into_iter().filter(|found| both.contains(&found.title)));
    most
}

/// Rows of the same title that each side has several of are called by the figures beside them that tell them apart, the
/// same on both sides: `64 procs` of `Throughput 12.0 MB/sec 64 procs`.
fn told_apart(found: &mut Vec<Found<'_>>) {
    named::without_trials(found);
    let mut titles: BTreeMap<&str, [Vec<u64>; 2]> = BTreeMap::new();
    for figure in found.iter() {
        let sides = titles.entry(&figure.title).or_default();
        sides[figure.side].push(figure.value.to_bits());
    }
    let key = titles.into_iter().find(|(_, [a, b])| {
        let values = |of: &[u64]| -> BTreeSet<u64> { of.iter().copied().collect() };
        let whole = a.iter().all(|bits| f64::from_bits(*bits).fract() == 0.0);
        let several = a.len() > 1 && a.len() == b.len();
        whole && several && values(a).len() == a.len() && values(a) == values(b)
    });
    let key = key.map(|(title, _)| title.to_owned());
    let Some(key) = key else { return };
    let lines: BTreeMap<usize, f64> = found
        .iter()
        .filter(|f| f.title == key)
        .map(|f| (f.line, f.value))
        .collect();
    let beside = |f: &Found<'_>| f.title != key && lines.contains_key(&f.line);
    if !found.iter().any(beside) {
        return;
    }
    found.retain(|f| f.title != key);
    for figure in found {
        if let Some(value) = lines.get(&figure.line) {
            figure.title = format!("{} {key} {value}", figure.title);
        }
    }
}

/// The one of two ways that found more; the first of those that found as much.
fn richer<'a>(most: Vec<Found<'a>>, other: Vec<Found<'a>>) -> Vec<Found<'a>> {
    match pairs(&other) > pairs(&most) {
        true => other,
        false => most,
    }
}

/// How many points two records have in common.
fn common(a: &Record, b: &Record) -> usize {
    let own = b.plan.points.iter().map(|planned| &planned.point);
    let own: std::collections::BTreeSet<&whyslow_model::Point> = own.collect();
    let both = a
        .plan
        .points
        .iter()
        .filter(|planned| own.contains(&planned.point));
    both.count()
}

/// The same of those that are called by more than their place in a line.
fn named_common(a: &Record, b: &Record) -> usize {
    let placed = a.plan.points.iter().filter(|planned| {
        let title = planned.title.as_deref();
        title.is_some_and(alike::is_placed)
    });
    common(a, b).saturating_sub(placed.count())
}

/// The same of those that are called by more than their place.
fn named_pairs(found: &[Found<'_>]) -> usize {
    let placed = found.iter().filter(|f| f.title.contains("column "));
    let placed: BTreeSet<&str> = placed.map(|f| f.title.as_str()).collect();
    pairs(found).saturating_sub(placed.len())
}

/// How many titles have a figure on both sides.
fn pairs(found: &[Found<'_>]) -> usize {
    let of = |side: usize| {
        let own = found.iter().filter(move |f| f.side == side);
        own.map(|f| f.title.as_str())
            .collect::<std::collections::BTreeSet<_>>()
    };
    of(0).intersection(&of(1)).count()
}

/// Are the figures so near to each other that one thing may have been measured again and again?
fn are_near(figures: &[f64]) -> bool {
    const NEAR: f64 = 1.5;
    are_within(figures, NEAR)
}

/// A cell's amount.
fn amount(text: &str) -> Option<(f64, &str)> {
    match cell(text) {
        Cell::Amount(value, unit) => Some((value, unit)),
        _ => None,
    }
}

/// The unit and direction of a figure, the direction where words of the page say it.
fn stated(found: &Found<'_>) -> (String, Option<Better>) {
    let said = |text: &&str| !text.trim_start().starts_with("$ ") && !has_units(text);
    let near = found.near.iter().copied().filter(said);
    let near = || std::iter::once(found.title.as_str()).chain(near.clone());
    let own = of_words(&found.own);
    let unit = match found.unit {
        "" if own.is_none() => near().find_map(unit_in).unwrap_or_default(),
        unit => unit,
    };
    let better = of_unit(unit)
        .or(own)
        .or_else(|| near().find_map(of_words))
        .or_else(|| of_lmbench(&found.title));
    (unit.to_owned(), better)
}

/// The direction of figures of which their own words say none, and how it is known: by the page, or by how they grow.
fn guess(text: &Text, found: &[Found<'_>]) -> Option<(Better, Option<&'static str>)> {
    if are_calls(found.iter().map(|f| f.title.as_str())) {
        return Some((Better::Lower, None));
    }
    if let Some(better) = of_page(text) {
        return Some((better, None));
    }
    if found.iter().any(|f| stated(f).1.is_some()) {
        return None;
    }
    let sized: Option<Vec<(f64, f64)>> = found
        .iter()
        .filter(|f| f.side == 0)
        .map(|f| Some((assumed::size_in(&f.title)?, f.value)))
        .collect();
    let header = found.iter().find_map(|f| f.near.last().copied());
    let by_size = || assumed::by_size(&sized.unwrap_or_default());
    let assumed = by_size().or_else(|| header.and_then(assumed::of_benchmarks));
    assumed.map(|(better, why)| (better, Some(why)))
}

/// A sheet of what was found on the sides that are wanted; nothing where that is nothing.
fn sheet(
    names: &Names,
    text: &Text,
    found: &[Found<'_>],
    wanted: &[usize],
) -> Result<Option<Sheet>, Fault> {
    let mut sheet = Sheet::default();
    let guess = guess(text, found);
    let mut lines: BTreeSet<(usize, &str, usize)> = BTreeSet::new();
    let mut runs: BTreeMap<(usize, &str), u32> = BTreeMap::new();
    for figure in found {
        let (side, title) = (figure.side, figure.title.as_str());
        if !lines.insert((side, title, figure.line)) {
            runs.insert((side, title), 0);
        }
    }
    for found in found.iter().filter(|f| wanted.contains(&f.side)) {
        let (unit, better) = stated(found);
        let better = match (better, guess) {
            (Some(better), _) => better,
            // What is said of times and rates holds of no share.
            _ if unit.starts_with('%') => Better::Unsaid,
            (None, Some((better, why))) => {
                if let Some(why) = why {
                    sheet.note(assumed::ABOUT, why);
                }
                better
            }
            (None, None) => Better::Unsaid,
        };
        let row = Row::new("columns", &found.title, &unit, better);
        let (side, key) = (&names.0[found.side], (found.side, found.title.as_str()));
        // Several figures of one line are runs.
        match runs.get_mut(&key) {
            Some(round) => {
                *round += 1;
                sheet.add_once(side, row, found.value, found.line, *round)?;
            }
            None => sheet.add(side, row, found.value, found.line)?,
        }
    }
    Ok(Some(sheet).filter(|sheet| sheet.figures() > 0))
}

/// The two systems of a sheet in the order of their names.
fn of_sheet(
    sheet: Sheet,
    text: &Text,
    file: &str,
    names: &Names,
) -> Result<Option<[Record; 2]>, Fault> {
    let formats: Vec<_> = reader::fallback().into_iter().collect();
    let sides = names.0.each_ref().map(|name| words_of(name));
    if sheet.figures() == 0 || sheet.is_of_both(sides.each_ref().map(String::as_str)) {
        return Ok(None);
    }
    let Ok((mut systems, _)) = sheet.records(text, &formats, file) else {
        return Ok(None);
    };
    let mut take = |side: usize| {
        let is = |record: &Record| {
            let origin = record.origin.as_ref();
            origin.is_some_and(|origin| origin.system == sides[side])
        };
        let at = systems.iter().position(is)?;
        Some(systems.swap_remove(at))
    };
    let (a, b) = (take(0), take(1));
    Ok(a.zip(b).map(|(a, b)| [a, b]))
}
