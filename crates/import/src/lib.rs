//! Other tools' results to records.
//!
//! A record made here is of intensity `published`: it has no host and no state, because no such
//! format says them, and every number in it is one that stands in the input, in the unit it was
//! printed in. Suffixes for thousands count as part of the number: `11.K` is 11000; and so do minutes in
//! front of seconds: `7m2.5s` is 422.5; and decimal commas, where no comma of the input can be another. Where it is not certain which row or column a number belongs to, the import is refused: a wrong number is worse.
//!
//! A format is one file in `src/formats/`; the build finds it.

mod aligned;
mod amount;
mod bonnie;
mod build;
mod byte_facts;
mod byte_table;
mod cells;
mod cleaned;
mod clock;
mod commands;
mod direction;
mod error;
mod figure;
mod formats;
mod grid;
mod harmony;
mod headed;
mod ledger;
mod lmbench;
mod matrix;
mod number;
mod parted;
mod pattern;
mod phases;
mod posted;
mod prose;
mod reader;
mod save;
mod sheet;
mod sided;
mod sides;
mod slug;
mod stated;
mod stream_table;
mod text;
mod zeros;

use whyslow_model::Record;

pub use error::ImportError;
pub use harmony::harmonize;
pub use headed::headed;
pub use phases::phases;
pub use reader::{Format, roles};
pub use save::{save, slug};
pub use sided::{alike, pages, side, sided, with_rest};
pub use text::LARGEST;

pub(crate) use commands::Commands;
pub(crate) use error::Fault;
pub(crate) use figure::Row;
pub(crate) use reader::{Reader, Section};
pub(crate) use sheet::Sheet;
pub(crate) use text::Text;

/// What an input held. Of the rows that are there, those that are not kept are refused: rows there are
/// always `kept + refused`.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The formats it was read as: several where their results stand one below the other.
    pub formats: Vec<Format>,
    /// True when the format was recognised rather than named.
    pub recognised: bool,
    /// One record for each system (host, kernel, column) that the input tells apart, in the order in
    /// which they appear; at least one.
    pub systems: Vec<Record>,
    /// Rows of the input whose figures are in the records.
    pub kept: usize,
    /// Rows of the input that are not.
    pub refused: usize,
    /// The refused rows, in order; of very many the first ten thousand.
    pub refusals: Vec<Refused>,
}

/// A row of an input that is not in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its line, from 1.
    pub line: usize,
    /// How it begins, with nothing hidden in it.
    pub text: String,
    /// Why it was refused, on one line.
    pub why: String,
}

/// What a note is about that says that no line of the source names its columns.
pub const UNNAMED: &str = "columns";

/// Every format that can be read: its name and what it is.
pub fn formats() -> Vec<(&'static str, &'static str)> {
    Format::all().map(|f| (f.name(), f.what())).collect()
}

/// Which format `bytes` are in; the first of several.
///
/// # Errors
/// When they are not text, or no format or several formats fit.
pub fn recognise(bytes: &[u8]) -> Result<Format, ImportError> {
    let first = |text: Text| match reader::recognise(&text)?.first() {
        Some(section) => Ok(section.format),
        None => Err(Fault::whole("no known format recognized in it")),
    };
    Text::read(bytes)
        .and_then(first)
        .map_err(|fault| fault.within("input"))
}

/// Reads `bytes`, which came from the file `file_name`, as `format` or as what it looks like. A row
/// that cannot be read with certainty is refused, and said to be.
///
/// # Errors
/// When the input is empty, too large, binary or UTF-16, of no known format, or no row of it is kept.
/// The error is one line with file, line and what to do.
pub fn import(
    bytes: &[u8],
    file_name: &str,
    format: Option<Format>,
) -> Result<Imported, ImportError> {
    read(bytes, file_name, format).map_err(|fault| fault.within(file_name))
}

/// The results of a page as those of one system, whose columns are all rows of their own; nothing where it holds several
/// all the same.
///
/// # Errors
/// When the page is no text.
pub fn as_one(bytes: &[u8], file_name: &str) -> Result<Option<Record>, ImportError> {
    let read = || -> Result<Option<Record>, Fault> {
        let text = Text::read(bytes)?;
        let mut sheet = Sheet::default();
        sheet.columns_are_rows();
        let Ok(formats) = into(&mut sheet, &text, None) else {
            return Ok(None);
        };
        let Ok((mut systems, _)) = sheet.records(&text, &formats, file_name) else {
            return Ok(None);
        };
        Ok(systems.pop().filter(|_| systems.is_empty()))
    };
    read().map_err(|fault| fault.within(file_name))
}

/// A page of several formats' results, each read by its own; none where one of them has no figure in
/// what looks like its part, and then the sheet is as it was.
fn page(
    sheet: &mut Sheet,
    text: &Text,
    sections: &[Section],
) -> Result<Option<Vec<Format>>, Fault> {
    if sections.len() < 2 {
        return Ok(None);
    }
    let mut tried = sheet.clone();
    for section in sections {
        let before = tried.figures();
        let own = text.only(|line| section.has(line));
        tried.read(&own, section.format)?;
        if tried.figures() == before {
            return Ok(None);
        }
    }
    *sheet = tried;
    Ok(Some(sections.iter().map(|s| s.format).collect()))
}

/// All of a text as one format, or as several that stand one below the other.
fn whole(text: &Text, format: Option<Format>) -> Result<(Sheet, Vec<Format>), Fault> {
    let mut sheet = Sheet::default();
    let formats = into(&mut sheet, text, format)?;
    Ok((sheet, formats))
}

/// Reads a text into the sheet.
fn into(sheet: &mut Sheet, text: &Text, format: Option<Format>) -> Result<Vec<Format>, Fault> {
    let sections = match format {
        Some(format) => vec![Section::all(format, text)],
        None => reader::recognise(text)?,
    };
    if let Some(formats) = page(sheet, text, &sections)? {
        return Ok(formats);
    }
    let strongest = reader::strongest(text, &sections)?;
    let mut tried = sheet.clone();
    let read = tried.read(text, strongest);
    // What looks like a format by a word alone may be anybody's table.
    let other = read.is_err() || tried.figures() == sheet.figures() && tried.is_foreign();
    if format.is_none() && other {
        let mut posted = sheet.clone();
        if let Some(fallback) = reader::fallback().filter(|f| f.fits(text))
            && posted.read(text, fallback).is_ok()
            && posted.figures() > sheet.figures()
        {
            *sheet = posted;
            return Ok(vec![fallback]);
        }
    }
    read?;
    *sheet = tried;
    Ok(vec![strongest])
}

/// Takes rows that the format does not know and that say all of themselves: a label, one figure, and its unit.
fn beside(sheet: &mut Sheet, text: &Text) -> Result<(), Fault> {
    for line in sheet.foreign() {
        let ways = [labelled(text.line(line)), ended(text.line(line))];
        let mut said = ways
            .into_iter()
            .flatten()
            .filter_map(|(label, value, unit)| {
                let words = label.chars().filter(|c| c.is_alphabetic()).count();
                let better = direction::of_unit(unit).filter(|_| words > 2)?;
                Some((Row::new("columns", &label, unit, better), value))
            });
        if let Some((row, value)) = said.next() {
            sheet.take_back(line);
            sheet.add("", row, value, line)?;
        }
    }
    Ok(())
}

/// Reads tables of Markdown that stand among the results of one system of a tool; says whether there were any.
fn tables(sheet: &mut Sheet, text: &Text) -> bool {
    /// A line of names, the one drawn below it, and a row.
    const FEWEST: usize = 3;
    let foreign = sheet.foreign();
    let barred = |line: usize| {
        let own = text.line(line).trim();
        own.len() > 1 && own.starts_with('|') && own.ends_with('|')
    };
    let mut own: Vec<usize> = Vec::new();
    let mut line = 1;
    while line <= text.count() {
        let table: Vec<usize> = (line..=text.count()).take_while(|l| barred(*l)).collect();
        if table.len() >= FEWEST && table.iter().any(|line| foreign.contains(line)) {
            own.extend(&table);
        }
        line += table.len().max(1);
    }
    let Some(fallback) = reader::fallback().filter(|_| !own.is_empty() && sheet.systems() == 1)
    else {
        return false;
    };
    let mut tried = sheet.clone();
    own.iter().for_each(|line| tried.take_back(*line));
    tried.columns_are_rows();
    let part = text.only(|line| own.contains(&line));
    let read = tried.read(&part, fallback).is_ok() && tried.figures() > sheet.figures();
    if read && tried.systems() == 1 {
        *sheet = tried;
        return true;
    }
    false
}

/// The label of a row of one figure, the figure and its unit.
fn labelled(line: &str) -> Option<(String, f64, &str)> {
    let Some(posted::Line::Row(row)) = posted::line(line) else {
        return None;
    };
    let [figure] = row.cells[..] else { return None };
    let amount::Cell::Amount(value, own) = amount::cell(figure) else {
        return None;
    };
    Some((row.label, value, row.unit.unwrap_or(own)))
}

/// The same of a sentence that ends with its figure, `result with 2 processes, 100 loops: time 8.371942 sec.`
fn ended(line: &str) -> Option<(String, f64, &str)> {
    let line = line.trim().trim_end_matches('.');
    let (front, unit) = line.rsplit_once(char::is_whitespace)?;
    let (label, figure) = front.trim_end().rsplit_once(char::is_whitespace)?;
    let value = number::plain(figure).filter(|_| figure.contains('.'))?;
    Some((label.trim().to_owned(), value, unit))
}

/// A page of several sides, where it is one and nothing is lost by it.
fn parted(
    text: &Text,
    format: Option<Format>,
    figures: usize,
) -> Result<Option<(Sheet, Vec<Format>)>, Fault> {
    for sides in sides::sides(text)? {
        let mut sheet = Sheet::default();
        let mut formats: Vec<Format> = Vec::new();
        let mut all = true;
        for side in &sides {
            let before = sheet.figures();
            sheet.side(&side.name);
            for line in side.headings() {
                sheet.aside(line);
            }
            let Ok(found) = into(&mut sheet, &side.text, format) else {
                all = false;
                break;
            };
            all &= sheet.figures() > before;
            formats.extend(found);
        }
        // The number of a name, `Ryzen 9`, is no figure.
        let named = sides.iter().flat_map(sides::Side::headings);
        let names = named.filter(|line| ledger::line_could_be_row(text.line(*line)));
        if all && sheet.figures() + names.count() >= figures {
            formats.sort_by_key(|f| f.name());
            formats.dedup();
            sheet.settle_rest(text, &sides);
            return Ok(Some((sheet, formats)));
        }
    }
    Ok(None)
}

/// Was nothing read by a format of its own?
fn is_fallback(formats: &[Format]) -> bool {
    formats
        .iter()
        .all(|format| Some(*format) == reader::fallback())
}

fn read(bytes: &[u8], file_name: &str, format: Option<Format>) -> Result<Imported, Fault> {
    let text = Text::read(bytes)?;
    let recognised = format.is_none();
    let plain = whole(&text, format);
    // Where the format tells systems apart itself, it knows best; what is anybody's table may be rows of a tool with
    // the sides around them.
    let named = |sheet: &Sheet| sheet.systems() > 1 && !sheet.is_unnamed();
    let known = plain.as_ref().is_ok_and(|(sheet, _)| named(sheet));
    // Nothing is lost where it was no format's.
    let foreign = plain
        .as_ref()
        .is_ok_and(|(_, formats)| is_fallback(formats))
        || plain.is_err();
    let figures = plain.as_ref().map_or(1, |(sheet, _)| sheet.figures());
    let parted = match (known, foreign) {
        (true, true) if plain.as_ref().is_ok_and(|(sheet, _)| sheet.names_rows()) => {
            parted(&text, format, figures)?
        }
        (true, true) => parted(&text, format, 1)?.filter(|(_, formats)| !is_fallback(formats)),
        (true, false) => None,
        // What a tool prints that is known is no table in parts.
        (false, _) => {
            parted(&text, format, figures)?.filter(|(_, formats)| foreign || !is_fallback(formats))
        }
    };
    let (sheet, formats) = match parted {
        Some(read) => read,
        None => {
            let (mut sheet, mut formats) = plain?;
            if recognised && !is_fallback(&formats) {
                if tables(&mut sheet, &text) {
                    formats.extend(reader::fallback());
                }
                beside(&mut sheet, &text)?;
            }
            (sheet, formats)
        }
    };
    let (systems, account) = sheet.records(&text, &formats, file_name)?;
    Ok(Imported {
        formats,
        recognised,
        systems,
        kept: account.kept,
        refused: account.refused,
        refusals: account.named,
    })
}
