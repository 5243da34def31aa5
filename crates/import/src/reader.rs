//! What a format is, and finding out which one an input is in.

use std::fmt;

use crate::formats::READERS;
use crate::{Fault, Sheet, Text};

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
    /// How much the input looks like it: lines that hardly anything else has. 0 is not at all.
    pub(crate) looks: fn(&Text) -> usize,
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

    pub(crate) fn repeats(self) -> &'static str {
        self.0.repeats
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

/// The format that the input looks most like.
pub(crate) fn recognise(text: &Text) -> Result<Format, Fault> {
    let mut likely: Vec<(usize, Format)> = Format::all()
        .map(|format| ((format.0.looks)(text), format))
        .filter(|(lines, _)| *lines > 0)
        .collect();
    likely.sort_by_key(|(lines, _)| std::cmp::Reverse(*lines));
    match likely.as_slice() {
        [] => {
            let names: Vec<_> = Format::all().map(Format::name).collect();
            Err(Fault::whole(format!(
                "no known format recognized in it; name one with --format ({})",
                names.join(", ")
            )))
        }
        [(a, first), (b, second), ..] if a == b => Err(Fault::whole(format!(
            "could be {} or {}; say which with --format",
            first.name(),
            second.name()
        ))),
        [(_, format), ..] => Ok(*format),
    }
}

/// How many of the first lines that `is_mark` takes; few are enough to be sure.
pub(crate) fn marks(text: &Text, is_mark: impl Fn(&str) -> bool) -> usize {
    /// Mails and reports have their results within this.
    const LOOKED_AT: usize = 5_000;
    /// Longer lines are not printed by tools whose results are lines.
    const LONGEST: usize = 500;
    text.lines()
        .take(LOOKED_AT)
        .filter(|(_, line)| line.len() <= LONGEST && is_mark(line))
        .count()
}
