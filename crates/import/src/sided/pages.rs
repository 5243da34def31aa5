//! Two pages of one tool: what they have in common, whether its format is known or not.

use std::collections::BTreeSet;

use whyslow_model::{Better, Record};

use super::{MOST_LINES, Names, alike as lines, common, named_common, one, sheet, stated};
use crate::posted::is_statistic;
use crate::{Fault, Format, ImportError, Row, Sheet, Text, UNNAMED, as_one, into};

/// What two pages of one layout have in common, line by line; nothing where that is nothing.
///
/// # Errors
/// When one of them is no text.
pub fn alike(pages: [(&[u8], &str); 2]) -> Result<Option<[Record; 2]>, ImportError> {
    let [(a, of_a), (b, of_b)] = pages;
    let texts = [
        Text::read(a).map_err(|fault| fault.within(of_a))?,
        Text::read(b).map_err(|fault| fault.within(of_b))?,
    ];
    if texts.iter().any(|text| text.count() > MOST_LINES) {
        return Ok(None);
    }
    let found = lines::find([&texts[0], &texts[1]]);
    let names = Names([String::new(), String::new()]);
    // What holds of one side's figures holds of the other's.
    let mut made = Vec::new();
    for (side, (text, (_, file))) in texts.iter().zip(pages).enumerate() {
        let sheet = sheet(&names, text, &found, &[side]).map_err(|fault| fault.within(file))?;
        made.extend(sheet.and_then(|sheet| one(sheet, text, file, "")));
    }
    Ok(<[Record; 2]>::try_from(made).ok())
}

/// What two pages that are not known to be of one layout have in common: row by row of their tables, or line by line.
/// Nothing where that is nothing.
///
/// # Errors
/// When one of them is no text.
pub fn pages(pages: [(&[u8], &str); 2]) -> Result<Option<[Record; 2]>, ImportError> {
    let [a, b] = pages;
    let lines = alike(pages)?;
    let whole = as_one(a.0, a.1)?.zip(as_one(b.0, b.1)?);
    let (lines, [a, b]) = match (lines, whole) {
        (Some(lines), Some((a, b))) => (lines, [a, b]),
        (lines, whole) => return Ok(lines.or(whole.map(|(a, b)| [a, b]))),
    };
    let (rows, all) = (common(&a, &b), common(&lines[0], &lines[1]));
    let named = named_common(&lines[0], &lines[1]);
    let mut notes = a.notes.iter().chain(&b.notes);
    let names = !notes.any(|note| note.about == UNNAMED);
    // Names are better than places in a line.
    let most = rows * 2 >= all || rows > 2 * named;
    let better = names && rows > 0 && most && rows >= named;
    Ok(Some(match rows >= all || better {
        true => [a, b],
        false => lines,
    }))
}

/// The results of two pages of one system each with the lines that no format has read and that both have; nothing where
/// there are none of these.
///
/// # Errors
/// When one of them is no text.
pub fn with_rest(pages: [(&[u8], &str); 2]) -> Result<Option<[Record; 2]>, ImportError> {
    let [a, b] = [whole(pages[0])?, whole(pages[1])?];
    if [&a.0, &b.0].iter().any(|text| text.count() > MOST_LINES) {
        return Ok(None);
    }
    let used = [a.1.lines(), b.1.lines()];
    let mut found = lines::find([&a.0, &b.0]);
    let taken: BTreeSet<String> = found
        .iter()
        .filter(|figure| {
            used[figure.side].contains(&figure.line) || lines::is_placed(&figure.title)
        })
        .map(|figure| figure.title.clone())
        .collect();
    found.retain(|figure| !taken.contains(&figure.title));
    // What a format sets aside has no results, `Performance counter stats for './run 12' (200 runs):`.
    let foreign =
        [&a.1, &b.1].map(|sheet| sheet.foreign().into_iter().collect::<BTreeSet<usize>>());
    found.retain(|figure| {
        // Nor is a mean of what was read a result of its own.
        foreign[figure.side].contains(&figure.line)
            && !figure.title.split_whitespace().any(is_statistic)
    });
    if found.is_empty() {
        return Ok(None);
    }
    let mut made = Vec::new();
    for (side, ((text, sheet, formats), (_, file))) in [&a, &b].into_iter().zip(pages).enumerate() {
        let mut sheet = sheet.clone();
        for figure in found.iter().filter(|figure| figure.side == side) {
            let (unit, better) = stated(figure);
            let better = better.unwrap_or(Better::Unsaid);
            let row = Row::new("columns", &figure.title, &unit, better);
            // It was refused as none of the format's.
            sheet.take_back(figure.line);
            let added = sheet.add("", row, figure.value, figure.line);
            added.map_err(|fault| fault.within(file))?;
        }
        let Ok((mut systems, _)) = sheet.records(text, formats, file) else {
            return Ok(None);
        };
        made.extend(systems.pop().filter(|_| systems.is_empty()));
    }
    Ok(<[Record; 2]>::try_from(made).ok())
}

/// A page, what its formats read of it, and these.
fn whole<'a>(
    (bytes, file): (&'a [u8], &str),
) -> Result<(Text<'a>, Sheet, Vec<Format>), ImportError> {
    let read = || -> Result<_, Fault> {
        let text = Text::read(bytes)?;
        let mut sheet = Sheet::default();
        let formats = into(&mut sheet, &text, None)?;
        Ok((text, sheet, formats))
    };
    read().map_err(|fault| fault.within(file))
}
