//! Blocks of lines below a line that names a side, up to the line that names the other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::text::words;
use whyslow_model::{Better, Point, Record};

use super::{Found, Names, Text, alike, amount, cells, common, of_sheet, pairs};
use crate::commands::behind_prompt;
use crate::direction::{of_unit, of_words};
use crate::headed::{is_numbered, same_kind};
use crate::number::plain;
use crate::posted;
use crate::{Fault, Row, Sheet, into, reader};

/// Half as many figures again are more than those of runs and of what tells them apart, halves.
const MANY_MORE: usize = 3;

/// What stands below the names of the two sides, each read as if it stood alone.
pub(super) fn find(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    if let Some(found) = sections(text, file, names)? {
        return Ok(Some(found));
    }
    match headed(text, names)? {
        Some([a, b]) => read(text, [&a, &b], file, names),
        None => Ok(None),
    }
}

/// What stands below the two lines that are the names of the sides and no more than these, each read as if it stood alone,
/// with whether both are of tools that are known. Of several tests each side has several such lines, and these are told
/// apart otherwise.
pub(super) fn below_names(
    text: &Text,
    file: &str,
    names: &Names,
) -> Result<Option<([Record; 2], bool)>, Fault> {
    let once = |side: usize| {
        let lines = text.lines();
        lines
            .filter(|(_, line)| is_name(line, &names.0[side]))
            .count()
            == 1
    };
    if !once(0) || !once(1) {
        return Ok(None);
    }
    let Some([a, b]) = headed(text, names)? else {
        return Ok(None);
    };
    let known = is_of_tools(&a) && is_of_tools(&b);
    Ok(read(text, [&a, &b], file, names)?.map(|records| (records, known)))
}

/// Takes the figures of a side away that stand below the heading of the other, where each has a line that is its name and no
/// more; lines with figures of both, as tables have them, stay.
pub(super) fn without_others(text: &Text, names: &Names, found: &mut Vec<Found<'_>>) {
    let heading = |side: usize| {
        let mut own = text
            .lines()
            .filter(|(_, line)| is_name(line, &names.0[side]));
        let first = own.next().map(|(number, _)| number);
        first.filter(|_| own.next().is_none())
    };
    let (Some(a), Some(b)) = (heading(0), heading(1)) else {
        return;
    };
    let headings = [a, b];
    let lines = |side: usize| -> BTreeSet<usize> {
        let own = found.iter().filter(|figure| figure.side == side);
        own.map(|figure| figure.line).collect()
    };
    let both: BTreeSet<usize> = lines(0).intersection(&lines(1)).copied().collect();
    found.retain(|figure| {
        let below = (0..2)
            .filter(|side| headings[*side] < figure.line)
            .max_by_key(|side| headings[*side]);
        both.contains(&figure.line) || below.is_none_or(|side| side == figure.side)
    });
}

/// Is all of the text what tools print that are known?
pub(super) fn is_of_tools(text: &Text) -> bool {
    let sections = reader::recognise(text).unwrap_or_default();
    let mut formats = sections.iter().map(|section| Some(section.format));
    !sections.is_empty() && formats.all(|format| format != reader::fallback())
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

/// A line that names a side, the lines below it, and what tells its block from the side's others.
struct Block {
    side: usize,
    lines: std::ops::Range<usize>,
    heading: String,
}

/// What stands below several lines that name a side, where the words beside the name, or the line of words above, tell the
/// blocks of one side apart, and both sides have the same ones.
fn sections(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
    let blocks = told_apart(&lines, names);
    let of = |side: usize| -> Vec<&str> {
        let own = blocks.iter().filter(|block| block.side == side);
        let mut own: Vec<&str> = own.map(|block| block.heading.as_str()).collect();
        own.sort_unstable();
        own
    };
    let (a, b) = (of(0), of(1));
    let distinct = a.windows(2).all(|pair| pair[0] != pair[1]);
    if a.len() < 2 || a != b || !distinct {
        return Ok(None);
    }
    let mut sheet = Sheet::default();
    for block in &blocks {
        let own = |at: usize| block.lines.contains(&at);
        let shown = lines.iter().enumerate().map(|(at, line)| match own(at) {
            true => Cow::Borrowed(*line),
            false => Cow::Borrowed(""),
        });
        let part = Text::of_lines(&shown.collect::<Vec<_>>())?;
        sheet.side(&names.0[block.side]);
        sheet.columns_are_rows();
        sheet.below(&block.heading);
        let before = sheet.figures();
        // Runs of one thing in brackets.
        for (number, line) in part.lines() {
            for (at, value) in runs(line).into_iter().flatten().enumerate() {
                let row = Row::new("columns", "result", "", Better::Unsaid);
                sheet.add_once("", row, value, number, at as u32 + 1)?;
            }
        }
        add_lone(&mut sheet, lone(&part), &block.heading)?;
        let read = sheet.figures() > before || into(&mut sheet, &part, None).is_ok();
        if !read || sheet.figures() == before {
            return Ok(None);
        }
    }
    of_sheet(sheet, text, file, names)
}

/// The figures of a line such as `[12780, 12788, 12790]`; two are an interval.
fn runs(line: &str) -> Option<Vec<f64>> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let figures: Option<Vec<f64>> = inner.split(',').map(|text| plain(text.trim())).collect();
    figures.filter(|figures| figures.len() > 2)
}

/// The figures of a block that has nothing else, one a line, with their spreads: runs of what stands above them.
fn lone<'a>(part: &'a Text<'_>) -> Vec<(usize, f64, &'a str)> {
    let lines = part.lines().filter(|(_, line)| !line.trim().is_empty());
    let figures: Option<Vec<(usize, f64, &str)>> = lines
        .map(|(number, line)| {
            let digit = line.trim().starts_with(|c: char| c.is_ascii_digit());
            let spread = line.find(" (").filter(|_| line.trim().ends_with(')'));
            let figure = &line[..spread.unwrap_or(line.len())];
            // More words are a line of a tool.
            let short = figure.split_whitespace().count() <= 2;
            let (value, unit) = amount(figure.trim()).filter(|_| digit && short)?;
            Some((number, value, unit))
        })
        .collect();
    let one_unit = |figures: &Vec<(usize, f64, &str)>| {
        let first = figures.first().map(|figure| figure.2);
        first.is_some() && figures.iter().all(|figure| Some(figure.2) == first)
    };
    figures.filter(one_unit).unwrap_or_default()
}

/// Adds such figures, of which the heading may say the direction.
fn add_lone(
    sheet: &mut Sheet,
    figures: Vec<(usize, f64, &str)>,
    heading: &str,
) -> Result<(), Fault> {
    for (at, (number, value, unit)) in figures.into_iter().enumerate() {
        let better = of_unit(unit).or_else(|| of_words(heading));
        let row = Row::new("columns", "result", unit, better.unwrap_or(Better::Unsaid));
        sheet.add_once("", row, value, number, at as u32 + 1)?;
    }
    Ok(())
}

/// The blocks of both sides.
fn told_apart(lines: &[&str], names: &Names) -> Vec<Block> {
    let side_of = headings(lines, names);
    let mut blocks: Vec<Block> = Vec::new();
    let mut outer = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim();
        // What draws a heading stands between it and the first side.
        let drawn = |line: &&&str| line.trim().chars().all(|c| "=-~_*#+ ".contains(c));
        let next = lines[at + 1..].iter().find(|line| !drawn(line));
        if let Some(side) = side_of(line) {
            let rest = names.rest(side, behind_prompt(line).unwrap_or(line));
            blocks.push(Block {
                side,
                lines: at + 1..at + 1,
                heading: format!("{outer} {rest}").trim().to_owned(),
            });
        } else if blocks
            .last()
            .is_some_and(|block| is_other_run(lines[block.lines.start - 1], line))
        {
            // What is below it is of no side.
        } else if is_words(line) && next.is_some_and(|next| side_of(next).is_some()) {
            // A line of words above the first of the sides is of all that follow.
            line.trim_end_matches(':').clone_into(&mut outer);
            if let Some(block) = blocks.last_mut() {
                block.lines.end = block.lines.end.min(at);
            }
            at += 1;
            continue;
        } else if let Some(block) = blocks.last_mut()
            && (block.lines.end == at
                || lines[block.lines.end..at]
                    .iter()
                    .all(|l| l.trim().is_empty()))
        {
            block.lines.end = at + 1;
        }
        at += 1;
    }
    blocks
}

/// Does the line say something and measure nothing?
fn is_words(line: &str) -> bool {
    let row = matches!(posted::line(line), Some(posted::Line::Row(_)));
    let none = cells(line).iter().all(|cell| amount(cell).is_none());
    line.chars().any(char::is_alphabetic) && !row && none
}

/// The records of the two blocks.
pub(super) fn read(
    text: &Text,
    blocks: [&Text; 2],
    file: &str,
    names: &Names,
) -> Result<Option<[Record; 2]>, Fault> {
    if let Some(found) = lone_both(text, blocks, file, names)? {
        return Ok(Some(found));
    }
    let mut sheet = Sheet::default();
    let mut all = true;
    let mut posted = true;
    for (block, name) in blocks.into_iter().zip(&names.0) {
        sheet.side(name);
        sheet.columns_are_rows();
        let before = sheet.figures();
        let formats = into(&mut sheet, block, None);
        all &= formats.is_ok() && sheet.figures() > before;
        posted &= formats.is_ok_and(|formats| formats == reader::fallback().as_slice());
    }
    let known = match all {
        true => of_sheet(sheet, text, file, names)?,
        false => None,
    };
    let fewest = known.as_ref().map_or(0, |[a, b]| common(a, b));
    if known.is_some() && !posted {
        return Ok(known);
    }
    // What no format knows may be the same lines in both.
    let found = alike::find(blocks);
    if let Some(known) = known.filter(|known| {
        let named = found
            .iter()
            .filter(|figure| !alike::is_placed(&figure.title));
        let there: usize = known.iter().map(|record| record.processes.len()).sum();
        let few = || fewest > 0 && named.count() * 2 <= there * MANY_MORE && !has_keys(known);
        pairs(&found) <= fewest || few()
    }) {
        return Ok(Some(known));
    }
    let sheet = super::sheet(names, text, &found, &[0, 1])?;
    sheet.map_or(Ok(None), |sheet| of_sheet(sheet, text, file, names))
}

/// The records of two blocks of which each has nothing but figures, one a line.
fn lone_both(
    text: &Text,
    blocks: [&Text; 2],
    file: &str,
    names: &Names,
) -> Result<Option<[Record; 2]>, Fault> {
    let both = blocks.map(lone);
    if both.iter().any(Vec::is_empty) {
        return Ok(None);
    }
    let mut sheet = Sheet::default();
    for (figures, name) in both.into_iter().zip(&names.0) {
        sheet.side(name);
        add_lone(&mut sheet, figures, "")?;
    }
    of_sheet(sheet, text, file, names)
}

/// Are the figures of a row different ones and the same on both sides? Then they tell other rows apart.
fn has_keys(sides: &[Record; 2]) -> bool {
    let of = |record: &Record| {
        let mut rows: BTreeMap<Point, Vec<u64>> = BTreeMap::new();
        for process in &record.processes {
            let own = rows.entry(process.point.clone()).or_default();
            own.extend(process.outcome.numbers().map(f64::to_bits));
        }
        rows
    };
    let [a, b] = sides.each_ref().map(of);
    a.iter().any(|(point, own)| {
        let distinct: BTreeSet<&u64> = own.iter().collect();
        distinct.len() > 1 && distinct.len() == own.len() && b.get(point) == Some(own)
    })
}

/// The blocks below lines that name a side, up to the next line of that kind.
fn headed(text: &Text, names: &Names) -> Result<Option<[Text<'static>; 2]>, Fault> {
    let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in &lines {
        *counts.entry(line.trim()).or_default() += 1;
    }
    // A line that is the name and no more outweighs those that have it among other words.
    let exact = [0, 1].map(|side| lines.iter().any(|line| is_name(line, &names.0[side])));
    let named = headings(&lines, names);
    let side_of =
        |line: &str| named(line).filter(|side| !exact[*side] || is_name(line, &names.0[*side]));
    // A page of several tests has each side several times, and so has it any other.
    let tests = lines.iter().filter(|line| side_of(line) == Some(0)).count();
    let mut sides: Vec<Option<usize>> = Vec::new();
    let mut now: Option<(usize, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(side) = side_of(line) {
            now = Some((side, at));
            sides.push(None);
            continue;
        }
        // The heading of another side, of which nothing is wanted. What a tool prints stands there more often.
        let own = counts[line.trim()] > tests.max(1) || !line.contains(char::is_alphanumeric);
        let ends = |heading: usize| {
            same_kind(&lines, heading, at)
                || is_other_run(lines[heading], line)
                || is_sibling(lines[heading], line)
                || (is_numbered(lines[heading]) && is_numbered(line))
        };
        if !own && now.is_some_and(|(_, heading)| ends(heading)) {
            now = None;
        }
        sides.push(now.map(|(side, _)| side));
    }
    of_lines(&lines, &sides, |_, line| Cow::Borrowed(line))
}

/// Is the line the name of a side, and no more than what draws a heading, or words behind it and a colon?
fn is_name(line: &str, name: &str) -> bool {
    const DRAWN: [char; 13] = [
        '=', '-', '#', '*', '<', '>', '[', ']', ':', '~', '_', '`', ' ',
    ];
    let name = name.trim().trim_matches(DRAWN).to_lowercase();
    let bare = line.trim().trim_matches(DRAWN).to_lowercase();
    let behind = bare.strip_prefix(&name).filter(|_| !name.is_empty());
    behind.is_some_and(|behind| {
        let goes_on = behind.starts_with(' ') && !behind.contains(|c: char| c.is_ascii_digit());
        behind.is_empty() || goes_on && line.trim_end().ends_with(':')
    })
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
            name.and_then(|name| names.side(name).filter(|side| names.fit(*side, name) >= 4));
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

/// Do both lines say the same of another number: `… pages using 8 threads`, `… pages using 16 threads`?
fn is_sibling(one: &str, other: &str) -> bool {
    /// Shorter ones are lines of a tool.
    const WORDS: usize = 5;
    let bare = |line: &str| -> Vec<String> {
        let words = line.split_whitespace();
        words
            .map(|word| match word.bytes().all(|b| b.is_ascii_digit()) {
                true => "0".to_owned(),
                false => word.to_owned(),
            })
            .collect()
    };
    let (a, b) = (bare(one), bare(other));
    a.len() >= WORDS && a == b && one.trim() != other.trim()
}

/// Was the program that was started in the one line started otherwise in the other, both behind a prompt?
fn is_other_run(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (behind_prompt(one.trim()), behind_prompt(other.trim())) else {
        return false;
    };
    let program = |typed: &str| typed.split_whitespace().next().map(str::to_owned);
    one != other && program(one).is_some() && program(one) == program(other)
}

/// Which side a line of the page heads: where some have the words of its name in a run, those that have them with others
/// between are of another, `bw_mem 8M copy` and `bw_mem -P 2 8M copy`.
fn headings<'n>(lines: &[&str], names: &'n Names) -> impl Fn(&str) -> Option<usize> + 'n {
    /// How well a line fits that has the words in a run.
    const RUN: u8 = 2;
    let side = move |line: &str| is_heading(line, names).then(|| names.side(line)).flatten();
    let mut runs = [false; 2];
    for line in lines {
        if let Some(side) = side(line) {
            runs[side] |= names.fit(side, line) >= RUN;
        }
    }
    move |line: &str| side(line).filter(|side| !runs[*side] || names.fit(*side, line) >= RUN)
}

/// Is it a line that names a side and measures nothing? The numbers in the name itself are none of its figures.
fn is_heading(line: &str, names: &Names) -> bool {
    let Some(side) = names.side(line) else {
        return false;
    };
    let figures = cells(line.trim())
        .into_iter()
        .map(|cell| cell.trim_start_matches([':', '=', ' ']))
        .filter(|cell| amount(cell).is_some());
    if behind_prompt(line.trim()).is_some_and(|typed| !typed.is_empty()) {
        return true;
    }
    let own = words(&names.0[side]);
    if super::has_fractions(line) {
        return false;
    }
    figures
        .flat_map(words)
        .all(|word| own.contains(&word) || word.parse::<f64>().is_err())
}
