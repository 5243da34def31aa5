//! Blocks of lines below a line that names a side, up to the line that names the other.

use std::borrow::Cow;

use whyslow_model::Record;
use whyslow_model::text::words;

use super::{Names, Text, alike, amount, cells, of_sheet};
use crate::headed::same_kind;
use crate::{Fault, Sheet, into};

/// What stands below the names of the two sides, each read as if it stood alone.
pub(super) fn find(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    match headed(text, names)? {
        Some([a, b]) => read(text, [&a, &b], file, names),
        None => Ok(None),
    }
}

/// What stands in the rows below the names of the two sides, each of which begins the first of them.
pub(super) fn rows_below(
    text: &Text,
    file: &str,
    names: &Names,
) -> Result<Option<[Record; 2]>, Fault> {
    match begun(text, names)? {
        Some([a, b]) => read(text, [&a, &b], file, names),
        None => Ok(None),
    }
}

/// The records of the two blocks.
fn read(
    text: &Text,
    blocks: [&Text; 2],
    file: &str,
    names: &Names,
) -> Result<Option<[Record; 2]>, Fault> {
    let mut sheet = Sheet::default();
    let mut all = true;
    for (block, name) in blocks.into_iter().zip(&names.0) {
        sheet.side(name);
        sheet.columns_are_rows();
        let before = sheet.figures();
        all &= into(&mut sheet, block, None).is_ok() && sheet.figures() > before;
    }
    let known = match all {
        true => of_sheet(sheet, text, file, names)?,
        false => None,
    };
    if known.is_some() {
        return Ok(known);
    }
    // What no format knows may be the same lines in both.
    let found = alike::find(blocks);
    let sheet = super::sheet(names, text, &found, &[0, 1])?;
    sheet.map_or(Ok(None), |sheet| of_sheet(sheet, text, file, names))
}

/// The blocks below lines that name a side, up to the next line of that kind.
fn headed(text: &Text, names: &Names) -> Result<Option<[Text<'static>; 2]>, Fault> {
    let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
    let mut sides: Vec<Option<usize>> = Vec::new();
    let mut now: Option<(usize, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        let named = is_heading(line, names).then(|| names.side(line)).flatten();
        if let Some(side) = named {
            now = Some((side, at));
            sides.push(None);
            continue;
        }
        // The heading of another side, of which nothing is wanted.
        if now.is_some_and(|(_, heading)| same_kind(&lines, heading, at)) {
            now = None;
        }
        sides.push(now.map(|(side, _)| side));
    }
    of_lines(&lines, &sides, |_, line| Cow::Borrowed(line))
}

/// The blocks that begin in a row whose first cell is the name of a side, with the rows below it that are indented more.
fn begun(text: &Text, names: &Names) -> Result<Option<[Text<'static>; 2]>, Fault> {
    let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut sides: Vec<Option<usize>> = Vec::new();
    let mut heads: Vec<Option<usize>> = Vec::new();
    let mut now: Option<(usize, usize)> = None;
    for line in &lines {
        let first = line.trim_start();
        let end = first.find("  ").or_else(|| first.find('\t'));
        let name = end.map(|end| &first[..end]);
        let side =
            name.and_then(|name| names.side(name).filter(|side| names.fit(*side, name) == 4));
        if let (Some(side), Some(end)) = (side, end) {
            now = Some((side, indent(line)));
            heads.push(Some(indent(line) + end));
        } else {
            if now.is_some_and(|(_, own)| !first.is_empty() && indent(line) <= own) {
                now = None;
            }
            heads.push(None);
        }
        sides.push(now.map(|(side, _)| side));
    }
    if heads.iter().all(Option::is_none) {
        return Ok(None);
    }
    of_lines(&lines, &sides, |at, line| match heads[at] {
        Some(end) => Cow::Owned(" ".repeat(end) + &line[end..]),
        None => Cow::Borrowed(line),
    })
}

/// A text of each side's lines; nothing where one has none.
fn of_lines<'a>(
    lines: &[&'a str],
    sides: &[Option<usize>],
    shown: impl Fn(usize, &'a str) -> Cow<'a, str>,
) -> Result<Option<[Text<'static>; 2]>, Fault> {
    let of = |side: usize| -> Result<Option<Text<'static>>, Fault> {
        let own = lines.iter().enumerate().map(|(at, line)| match sides[at] {
            Some(of) if of == side => shown(at, line),
            _ => Cow::Borrowed(""),
        });
        let own: Vec<Cow<str>> = own.collect();
        if own.iter().all(|line| line.trim().is_empty()) {
            return Ok(None);
        }
        Ok(Some(Text::of_lines(&own)?))
    };
    Ok(of(0)?.zip(of(1)?).map(|(a, b)| [a, b]))
}

/// Is it a line that names a side and measures nothing? The numbers in the name itself are none of its figures.
fn is_heading(line: &str, names: &Names) -> bool {
    let Some(side) = names.side(line) else {
        return false;
    };
    let figures = cells(line.trim())
        .into_iter()
        .filter(|cell| amount(cell).is_some());
    let own = words(&names.0[side]);
    figures
        .flat_map(words)
        .all(|word| own.contains(&word) || word.parse::<f64>().is_err())
}
