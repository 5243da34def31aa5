//! Collects the figures of an input, each with its line.

use whyslow_model::record::Note;
use whyslow_model::{Better, Point, Record};

use crate::build::{self, Builder};
use crate::ledger::{Account, Ledger};
use crate::slug::{parameter, slug};
use crate::{Fault, Format, Text};

/// Most figures of one input: a hundred times the largest published set, and little memory.
const MOST_FIGURES: usize = 100_000;

/// Longest name of a row and longest unit, bytes: more is a broken line, not a name.
const LONGEST_NAME: usize = 400;

/// Counters are of 64 bits, so no unit makes a measured amount so large, or one over this so small. The
/// interval of two figures within has ends that are numbers, however far apart they are.
const LARGEST_FIGURE: f64 = 1e20;

/// What a figure is: a row of a table, or a row and a column.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) point: Point,
    pub(crate) title: String,
    pub(crate) symbol: String,
    pub(crate) better: Better,
    pub(crate) size_bytes: Option<u64>,
    /// Its conditions as the source has them: different ones may look alike in the point.
    conditions: Vec<String>,
}

impl Row {
    /// A row named `title` of the format whose points begin with `family`, in the unit `symbol`.
    pub(crate) fn new(family: &str, title: &str, symbol: &str, better: Better) -> Self {
        let title: Vec<&str> = title.split_whitespace().collect();
        let title = title.join(" ");
        Row {
            point: Point::new(&format!("{family}.{}", slug(&title))),
            title,
            symbol: symbol.to_owned(),
            better,
            size_bytes: None,
            conditions: Vec::new(),
        }
    }

    /// The same row under another id than its title's.
    pub(crate) fn id(mut self, family: &str, id: &str) -> Self {
        self.point.probe = format!("{family}.{id}");
        self
    }

    /// The same row with one more parameter.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.point = self.point.with(name, parameter(value));
        self.conditions.push(value.to_owned());
        self
    }

    /// The same row at a working set of so many bytes.
    pub(crate) fn sized(mut self, bytes: u64) -> Self {
        self.size_bytes = Some(bytes);
        self
    }

    /// Is it the same row of the source?
    pub(crate) fn is(&self, other: &Row) -> bool {
        self.title == other.title
            && self.symbol == other.symbol
            && self.better == other.better
            && self.conditions == other.conditions
    }
}

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

/// One figure where it stands.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) system: String,
    pub(crate) row: Row,
    pub(crate) value: f64,
    /// From 1; 0 where the input is not read by lines.
    pub(crate) line: usize,
    /// Which repetition it is, from 1, where the source counts them.
    pub(crate) round: Option<u32>,
    /// How often the table has been broken by words before it.
    pub(crate) stretch: u32,
}

/// The figures of one input, and what became of its lines.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    figures: Vec<Figure>,
    notes: Vec<Note>,
    ledger: Ledger,
    stretch: u32,
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
        self.figures.push(Figure {
            system: system.to_owned(),
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
        self,
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
        let mut builder = Builder::default();
        for figure in self.figures {
            if !ledger.is_refused(figure.line) {
                builder.take(figure, &mut ledger);
            }
        }
        let account = ledger.account(text);
        let systems = builder.records(&account, self.notes, formats, file);
        if systems.is_empty() {
            return Err(build::nothing(&account, formats));
        }
        Ok((systems, account))
    }
}
