//! What a format is, and finding out which one an input is in.

use std::borrow::Cow;
use std::fmt;

use whyslow_model::Point;
use whyslow_model::role::{Roles, RowRoles};

use crate::formats::READERS;
use crate::ledger::could_be_row;
use crate::pattern::holds;
use crate::{Fault, Sheet, Text, grid};

/// Longer lines are not printed by tools whose results are lines, bytes.
const LONGEST: usize = 500;

/// Its name.
const FALLBACK: &str = "columns";

/// What stands around a command, whose own results were measured.
const AROUND: &str = "time";

/// Tells whether a line is one that only one format has.
pub(crate) type IsPart = fn(&str) -> bool;

/// How one format is read; each file in `formats/` declares one.
pub(crate) struct Reader {
    /// Its name, as given with `--format`.
    pub(crate) name: &'static str,
    /// What it is, a few words.
    pub(crate) what: &'static str,
    /// What is repeated when a row of one system appears again, in the plural.
    pub(crate) repeats: &'static str,
    /// What results in this format do not say, as a list in words.
    pub(crate) silent: &'static str,
    /// What its rows are about, the first that fits; rows that none fits are other work.
    pub(crate) roles: &'static [RowRoles],
    /// How much the input looks like it: lines that hardly anything else has. 0 is not at all.
    pub(crate) looks: fn(&Text) -> usize,
    /// Is the line one that only this format has, where a page may hold results of several? None where
    /// the results are a file of their own.
    pub(crate) part: Option<IsPart>,
    /// Parts of lines with numbers that it prints and that are no results.
    pub(crate) known: &'static [&'static str],
    /// Reads every figure into the sheet.
    pub(crate) read: fn(&Text, &mut Sheet) -> Result<(), Fault>,
}

/// A format that can be read.
#[derive(Clone, Copy)]
pub struct Format(&'static Reader);

impl Format {
    /// All formats, by name.
    pub fn all() -> impl Iterator<Item = Format> {
        READERS.iter().map(Format)
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::all().find(|f| f.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is.
    pub fn what(self) -> &'static str {
        self.0.what
    }

    /// What results in this format do not say.
    pub fn silent(self) -> &'static str {
        self.0.silent
    }

    /// Does the input look like it at all?
    pub(crate) fn fits(self, text: &Text) -> bool {
        (self.0.looks)(text) > 0
    }

    pub(crate) fn repeats(self) -> &'static str {
        self.0.repeats
    }

    /// Is the line one that it prints and that is no result?
    pub(crate) fn knows(self, line: &str) -> bool {
        self.0.known.iter().any(|part| holds(line, part))
    }

    pub(crate) fn read(self, text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
        (self.0.read)(text, sheet)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a row of another tool is about, where its format says so.
pub fn roles(point: &Point) -> Option<Roles> {
    let text = point.to_string();
    let rows = READERS.iter().flat_map(|reader| reader.roles);
    let mut fitting =
        rows.filter(|(start, part, _)| text.starts_with(start) && text.contains(part));
    fitting.next().map(|(_, _, roles)| *roles)
}

/// The format that the input looks most like, or those whose results stand one below the other in it.
pub(crate) fn recognise(text: &Text) -> Result<Vec<Section>, Fault> {
    let likely = likely(text);
    match sections(text, &likely) {
        Some(sections) => Ok(sections),
        None => Ok(vec![Section::all(first(&likely)?, text)]),
    }
}

/// The one format to read all of it as, of those found.
pub(crate) fn strongest(text: &Text, sections: &[Section]) -> Result<Format, Fault> {
    match sections {
        [section] => Ok(section.format),
        _ => first(&likely(text)),
    }
}

/// The format of what no other knows.
pub(crate) fn fallback() -> Option<Format> {
    Format::named(FALLBACK)
}

/// Formats that it looks like at all, the likeliest first.
fn likely(text: &Text) -> Vec<(usize, Format)> {
    let mut likely: Vec<(usize, Format)> = Format::all()
        .map(|format| ((format.0.looks)(text), format))
        .filter(|(lines, _)| *lines > 0)
        .collect();
    // What is known is never read as anybody's table.
    if likely.len() > 1 {
        likely.retain(|(_, format)| format.name() != FALLBACK);
    }
    likely.sort_by_key(|(lines, format)| (std::cmp::Reverse(*lines), format.name() == AROUND));
    likely
}

fn first(likely: &[(usize, Format)]) -> Result<Format, Fault> {
    match likely {
        [] => {
            let names: Vec<_> = Format::all().map(Format::name).collect();
            Err(Fault::whole(format!(
                "no known format recognized in it; name one with --format ({})",
                names.join(", ")
            )))
        }
        [(a, first), (b, second), ..] if a == b && second.name() != AROUND => {
            Err(Fault::whole(format!(
                "could be {} or {}; say which with --format",
                first.name(),
                second.name()
            )))
        }
        [(_, format), ..] => Ok(*format),
    }
}

/// The lines of one format.
pub(crate) struct Section {
    pub(crate) format: Format,
    /// First lines and those behind the last, in order.
    ranges: Vec<(usize, usize)>,
}

impl Section {
    /// Everything in one format.
    pub(crate) fn all(format: Format, text: &Text) -> Section {
        Section {
            format,
            ranges: vec![(1, text.count() + 1)],
        }
    }

    /// Does the line belong to it?
    pub(crate) fn has(&self, line: usize) -> bool {
        let behind = self.ranges.partition_point(|(start, _)| *start <= line);
        behind > 0 && line < self.ranges[behind - 1].1
    }
}

/// Cuts a page of several formats' results in front of each one's first line: its heading and what is
/// said above it belong to it. None where one format has it all, or a line could be of two.
fn sections(text: &Text, likely: &[(usize, Format)]) -> Option<Vec<Section>> {
    let parts: Vec<(Format, IsPart)> = likely
        .iter()
        .filter_map(|(_, format)| Some((*format, format.0.part?)))
        .collect();
    // What is a file of its own is no part of a page.
    let (_, first) = likely.first()?;
    if parts.len() < 2 || first.0.part.is_none() {
        return None;
    }
    let mut cuts: Vec<(Format, usize)> = Vec::new();
    // Behind the last row so far that the format before it may have.
    let mut begins = 1;
    // Do several formats know some line?
    let mut shared = false;
    for row in grid::rows(text) {
        let is = |part: IsPart| {
            let line = text.line(row.line);
            let cell = row.cells.first().copied().unwrap_or_default();
            line.len() <= LONGEST && (part(line) || part(cell))
        };
        let owners = parts.iter().filter(|(_, part)| is(*part));
        let owners: Vec<Format> = owners.map(|(format, _)| *format).collect();
        let above = cuts.last().map(|(format, _)| *format);
        let owner = match owners[..] {
            [] => None,
            [owner] => Some(owner),
            _ => {
                shared = true;
                Some(of_several(&owners, above, text.line(row.line))?)
            }
        };
        if let Some(format) = owner {
            match above {
                Some(last) if last == format => {}
                None => cuts.push((format, 1)),
                Some(_) => cuts.push((format, begins)),
            }
        }
        // What only a format below knows is said in front of its rows.
        let line = text.line(row.line);
        let of_next = || {
            let mut others = parts.iter().filter(|(format, _)| Some(*format) != above);
            others.any(|(format, _)| format.knows(line)) && !above.is_some_and(|f| f.knows(line))
        };
        if owner.is_some() || could_be_row(&row.cells) && !of_next() {
            begins = row.end;
        }
    }
    let mut found: Vec<Section> = Vec::new();
    for (at, (format, start)) in cuts.iter().enumerate() {
        let end = cuts.get(at + 1).map_or(text.count() + 1, |next| next.1);
        match found.iter_mut().find(|s| s.format == *format) {
            Some(section) => section.ranges.push((*start, end)),
            None => found.push(Section {
                format: *format,
                ranges: vec![(*start, end)],
            }),
        }
    }
    // One that has lines of others below its own reads all of them.
    (found.len() > 1 || shared).then_some(found)
}

/// Which of the formats that know a line has it: the one that it stands below, or else the one that it alone looks like.
fn of_several(owners: &[Format], above: Option<Format>, line: &str) -> Option<Format> {
    if let Some(above) = above.filter(|above| owners.contains(above)) {
        return Some(above);
    }
    let alone = Text::of_lines(&[Cow::Borrowed(line)]).ok()?;
    let mut own = owners.iter().filter(|format| format.fits(&alone));
    own.next().copied().filter(|_| own.next().is_none())
}

/// How many of the first lines that `is_mark` takes; few are enough to be sure.
pub(crate) fn marks(text: &Text, is_mark: impl Fn(&str) -> bool) -> usize {
    /// Mails and reports have their results within this.
    const LOOKED_AT: usize = 5_000;
    text.lines()
        .take(LOOKED_AT)
        .filter(|(_, line)| line.len() <= LONGEST && is_mark(line))
        .count()
}
