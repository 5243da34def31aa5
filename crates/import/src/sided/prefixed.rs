//! Rows with the name of a side in front of each.

use std::borrow::Cow;
use std::collections::BTreeSet;

use whyslow_model::Record;

use super::blocks::{is_of_tools, read};
use super::{Names, Text};
use crate::{Fault, Sheet, into};

/// What stands between the name of a side and its row.
const BEHIND: [char; 6] = [' ', '\t', ':', ',', ';', '|'];

/// Rows with the name of a side in front of each, `2.4.18  Throughput 22.2 MB/sec 64 procs`: several of anybody, or one
/// `of_a_tool` that is known, `pinned: 16.07user 111.84system 1:52.92elapsed`.
pub(super) fn find(
    text: &Text,
    file: &str,
    names: &Names,
    of_a_tool: bool,
) -> Result<Option<[Record; 2]>, Fault> {
    let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
    let signed = |line: &str, side: usize, signs: &[char]| {
        let behind = line.trim_start().strip_prefix(names.0[side].trim());
        behind.is_some_and(|behind| behind.starts_with(signs))
    };
    // The lines that grep prints around a match have a dash where the match has a colon.
    let context = [0, 1].map(|side| lines.iter().any(|line| signed(line, side, &[':'])));
    let rest = |line: &str, side: usize| -> Option<usize> {
        let name = names.0[side].trim();
        let start = line.len() - line.trim_start().len();
        let end = start + name.len();
        // A name alone is a heading.
        if name.is_empty()
            || line
                .get(end..)
                .is_none_or(|behind| behind.trim_matches(BEHIND).is_empty())
        {
            None
        } else if context[side] && signed(line, side, &['-']) {
            Some(end + 1)
        } else {
            signed(line, side, &BEHIND).then_some(end)
        }
    };
    let side_of = |line: &str| {
        let ends = [0, 1].map(|side| rest(line, side));
        (0..2)
            .filter(|side| ends[*side].is_some())
            .max_by_key(|side| ends[*side])
    };
    let sides: Vec<Option<usize>> = lines.iter().map(|line| side_of(line)).collect();
    let cut = |at: usize, line: &str| -> Cow<'_, str> {
        let end = sides[at].and_then(|side| rest(line, side)).unwrap_or(0);
        Cow::Owned(line[end..].trim_start_matches(BEHIND).to_owned())
    };
    let of = |side: usize| -> Result<Text<'static>, Fault> {
        let own = lines.iter().enumerate().map(|(at, line)| match sides[at] {
            Some(of) if of == side => cut(at, line),
            _ => Cow::Borrowed(""),
        });
        Text::of_lines(&own.collect::<Vec<_>>())
    };
    let count = |side: usize| sides.iter().filter(|of| **of == Some(side)).count();
    let fewest = if of_a_tool { 1 } else { 2 };
    if count(0) < fewest || count(1) < fewest {
        return Ok(None);
    }
    let both = [of(0)?, of(1)?];
    match !of_a_tool || both.iter().all(is_of_tools) {
        true => read(text, both.each_ref(), file, names),
        false => Ok(None),
    }
}

/// Lines of a tool with the name of their side and a colon in front, `Before: Averaged 1757 operations/sec (+- 0.62%)`, on a
/// page whose other lines, the `used` ones, are read already.
pub(super) fn beside(
    sheet: &mut Sheet,
    text: &Text,
    used: &BTreeSet<usize>,
    names: &Names,
) -> Result<(), Fault> {
    let of = |side: usize| -> Vec<Cow<str>> {
        let name = names.0[side].trim();
        let lines = text.lines().map(|(number, line)| {
            let behind = line.trim_start().strip_prefix(name);
            let behind = behind.and_then(|behind| behind.strip_prefix(':'));
            let own = behind.filter(|_| !used.contains(&number) && !name.is_empty());
            Cow::Borrowed(own.unwrap_or_default().trim())
        });
        lines.collect()
    };
    let sides = [of(0), of(1)];
    let counts = sides.each_ref().map(|lines| {
        let own = lines.iter().filter(|line| !line.is_empty());
        own.count()
    });
    if counts[0] == 0 || counts[0] != counts[1] {
        return Ok(());
    }
    let mut tried = sheet.clone();
    for (lines, name) in sides.iter().zip(&names.0) {
        tried.side(name);
        tried.columns_are_rows();
        let before = tried.figures();
        let read = into(&mut tried, &Text::of_lines(lines)?, None).is_ok();
        if !read || tried.figures() == before {
            return Ok(());
        }
    }
    *sheet = tried;
    Ok(())
}
