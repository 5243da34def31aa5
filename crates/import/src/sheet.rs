//! Collects the figures of an input, each with its line.

use std::collections::BTreeSet;

use whyslow_model::Record;
use whyslow_model::record::Note;

use crate::build::{self, Builder};
use crate::figure::{Figure, Row};
use crate::ledger::{Account, Ledger};
use crate::sides::Side;
use crate::stated::Stated;
use crate::{Fault, Format, Text, parted};

/// Most figures of one input: a hundred times the largest published set, and little memory.
const MOST_FIGURES: usize = 100_000;

/// Longest name of a row and longest unit, bytes: more is a broken line, not a name.
const LONGEST_NAME: usize = 400;

/// Counters are of 64 bits, so no unit makes a measured amount so large, or one over this so small. The
/// interval of two figures within has ends that are numbers, however far apart they are.
const LARGEST_FIGURE: f64 = 1e20;

/// Why a figure cannot be of anything measured, where it cannot.
pub(crate) fn unusable(value: f64) -> Option<&'static str> {
    if value.is_nan() || value.abs() >= LARGEST_FIGURE {
        Some("a figure above 1e20, which nothing measures")
    } else if value > 0.0 && value <= LARGEST_FIGURE.recip() {
        Some("a figure below 1e-20, which nothing measures")
    } else {
        None
    }
}

/// The figures of one input, and what became of its lines.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sheet {
    figures: Vec<Figure>,
    notes: Vec<Note>,
    ledger: Ledger,
    stretch: u32,
    /// What figures are of whose system the format does not name.
    side: String,
    columns_are_rows: bool,
    /// The heading that rows are below, where the page has the same rows below several.
    below: String,
    stated: Stated,
    /// Columns are called by their place: no line of the page names them.
    unnamed: bool,
}

impl Sheet {
    /// Reads `text` as `format`.
    pub(crate) fn read(&mut self, text: &Text, format: Format) -> Result<(), Fault> {
        format.read(text, self)?;
        self.ledger.settle(text, format);
        Ok(())
    }

    /// Adds a figure of `system` (empty where the input does not say), which stands in `line`. A row
    /// that appears again is a repetition.
    pub(crate) fn add(
        &mut self,
        system: &str,
        row: Row,
        value: f64,
        line: usize,
    ) -> Result<(), Fault> {
        self.place(system, row, value, line, None)
    }

    /// Adds a figure as repetition `round`, from 1, unless the row has one there already: the same
    /// figure printed twice counts once.
    pub(crate) fn add_once(
        &mut self,
        system: &str,
        row: Row,
        value: f64,
        line: usize,
        round: u32,
    ) -> Result<(), Fault> {
        self.place(system, row, value, line, Some(round))
    }

    /// What is read from here on is of this side of a page.
    pub(crate) fn side(&mut self, name: &str) {
        name.clone_into(&mut self.side);
        self.apart();
    }

    /// What is read from here on is all of the side: columns of its tables are no sides themselves.
    pub(crate) fn columns_are_rows(&mut self) {
        self.columns_are_rows = true;
    }

    /// What is read from here on stands below this heading, which tells its rows from the same ones below others.
    pub(crate) fn below(&mut self, heading: &str) {
        heading.clone_into(&mut self.below);
    }

    /// The side of the page that is read, empty where it has none.
    pub(crate) fn side_name(&self) -> &str {
        &self.side
    }

    /// Settles what stands on no side of the page.
    pub(crate) fn settle_rest(&mut self, text: &Text, sides: &[Side]) {
        let is = |number| sides.iter().any(|s| !s.text.line(number).trim().is_empty());
        self.ledger.settle_rest(text, is);
    }

    /// Lines with rows that the format does not know.
    pub(crate) fn foreign(&self) -> Vec<usize> {
        self.ledger.foreign()
    }

    /// Says nothing of the line any more.
    pub(crate) fn take_back(&mut self, line: usize) {
        self.ledger.take_back(line);
    }

    /// Has no row been refused but as one of another format?
    pub(crate) fn is_foreign(&self) -> bool {
        self.ledger.is_foreign()
    }

    /// The columns that are read have no names.
    pub(crate) fn no_names(&mut self) {
        self.unnamed = true;
    }

    /// Is nothing called as the page calls it?
    pub(crate) fn is_unnamed(&self) -> bool {
        self.unnamed
    }

    /// Names of systems so far.
    pub(crate) fn systems(&self) -> usize {
        let names: std::collections::BTreeSet<&str> =
            self.figures.iter().map(|f| f.system.as_str()).collect();
        names.len()
    }

    /// Does the name of a side have a row's behind its colon, `before: throughput`?
    pub(crate) fn names_rows(&self) -> bool {
        let mut names = self.figures.iter().map(|figure| figure.system.as_str());
        names.any(|name| {
            let parts = name.split_once(": ");
            parts.is_some_and(|(side, _)| crate::sides::names_side(side))
        })
    }

    /// What came of reading one row: a fault of the row alone refuses it, and the others stay.
    pub(crate) fn judge(&mut self, read: Result<(), Fault>) -> Result<(), Fault> {
        match read.map_err(Fault::of_line) {
            Ok(()) => Ok(()),
            Err(Ok((line, why))) => {
                self.ledger.refuse(line, why);
                Ok(())
            }
            Err(Err(fault)) => Err(fault),
        }
    }

    /// The same for what is read of a row: nothing where the row is refused.
    pub(crate) fn either<T>(&mut self, read: Result<T, Fault>) -> Result<Option<T>, Fault> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(fault) => self.judge(Err(fault)).map(|()| None),
        }
    }

    /// Refuses the row in `line`.
    pub(crate) fn refuse(&mut self, line: usize, why: impl Into<String>) {
        self.ledger.refuse(line, why.into());
    }

    /// The line is known for no row: a heading, a condition, or what other rows say already.
    pub(crate) fn aside(&mut self, line: usize) {
        self.ledger.aside(line);
    }

    /// One row of an input that is not read by lines.
    pub(crate) fn entry(&mut self) {
        self.ledger.entry();
    }

    /// Words stand between the rows before and those that follow: a row that appears on both sides of
    /// them is not known to be a repetition.
    pub(crate) fn apart(&mut self) {
        self.stretch += 1;
    }

    /// Something that every reader of these figures must know.
    pub(crate) fn note(&mut self, about: &str, text: impl Into<String>) {
        /// More of them are not read by anybody.
        const MOST: usize = 50;
        let note = Note {
            about: about.to_owned(),
            text: text.into(),
        };
        if self.notes.len() < MOST && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The input itself says this of the machine, or of how `system` was measured (empty for all of them).
    /// Names are those of records, such as `cpu`.
    pub(crate) fn state(&mut self, system: &str, name: &str, value: &str) {
        self.stated.add(system, name, value);
    }

    /// The lines that its figures stand in.
    pub(crate) fn lines(&self) -> BTreeSet<usize> {
        self.figures.iter().map(|figure| figure.line).collect()
    }

    /// Have both sides the same figures of the same lines, several of a row? Then no line is of one of them alone.
    pub(crate) fn is_of_both(&self, sides: [&str; 2]) -> bool {
        let of = |side: &str| -> Vec<(&str, usize, u64)> {
            let own = self.figures.iter().filter(|figure| figure.system == side);
            let mut own: Vec<(&str, usize, u64)> = own
                .map(|f| (f.row.title.as_str(), f.line, f.value.to_bits()))
                .collect();
            own.sort_unstable();
            own
        };
        let [a, b] = sides.map(of);
        let several = a
            .windows(2)
            .any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        several && a == b
    }

    /// Figures so far.
    pub(crate) fn figures(&self) -> usize {
        self.figures.len()
    }

    fn place(
        &mut self,
        system: &str,
        row: Row,
        value: f64,
        line: usize,
        round: Option<u32>,
    ) -> Result<(), Fault> {
        if self.figures.len() == MOST_FIGURES {
            return Err(Fault::whole(format!(
                "line {line}: more than {MOST_FIGURES} figures; import the results in parts"
            )));
        }
        if row.title.len().max(row.symbol.len()).max(system.len()) > LONGEST_NAME {
            self.refuse(
                line,
                format!("a name of more than {LONGEST_NAME} bytes; is the line broken?"),
            );
            return Ok(());
        }
        if let Some(why) = unusable(value) {
            self.refuse(line, why);
            return Ok(());
        }
        self.ledger.aside(line);
        let (system, row) = match self.columns_are_rows && !system.is_empty() {
            true => {
                let title = format!("{}, {system}", row.title);
                ("", row.with("column", system).titled(&title))
            }
            false => (system, row),
        };
        let row = match self.below.as_str() {
            "" => row,
            heading => {
                let title = format!("{heading} {}", row.title);
                row.with("below", heading).titled(&title)
            }
        };
        let named = [self.side.as_str(), system].map(str::trim);
        let system: Vec<&str> = named.into_iter().filter(|n| !n.is_empty()).collect();
        self.figures.push(Figure {
            system: system.join(" "),
            row,
            value,
            line,
            round,
            stretch: self.stretch,
        });
        Ok(())
    }

    /// A record for each system, and the account of the input's rows.
    pub(crate) fn records(
        mut self,
        text: &Text,
        formats: &[Format],
        file: &str,
    ) -> Result<(Vec<Record>, Account), Fault> {
        let mut ledger = self.ledger;
        if text.is_cut() && self.figures.iter().any(|f| f.line == text.count()) {
            ledger.refuse(
                text.count(),
                "the input ends within this line, so its last number may be cut short; if it is \
                 whole, add a line end"
                    .into(),
            );
        }
        parted::by_heading(&mut self.figures, text);
        let mut builder = Builder::default();
        for figure in self.figures {
            if !ledger.is_refused(figure.line) {
                builder.take(figure, &mut ledger);
            }
        }
        let account = ledger.account(text);
        let systems = builder.records(&account, self.notes, &self.stated, formats, file);
        if systems.is_empty() {
            return Err(build::nothing(&account, formats));
        }
        Ok((systems, account))
    }
}
