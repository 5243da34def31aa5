//! Collects figures, system by system, and makes records of them.

use std::collections::{BTreeMap, HashMap};

use whyslow_model::record::{
    Build, Draw, Header, Luck, Note, Origin, Outcome, Plan, Planned, Process, SCHEMA, Series,
    Skipped, ValueRule,
};
use whyslow_model::{Better, Point, Record, Unit};

use crate::slug::{parameter, slug};
use crate::{Fault, Format};

/// Most figures of one input: a hundred times the largest published set, and little memory.
const MOST_FIGURES: usize = 100_000;

/// Longest name of a row and longest unit, bytes: more is a broken line, not a name.
const LONGEST_NAME: usize = 400;

/// Most rows of different name that may fall on one point id before it is no result any more.
const MOST_ALIKE: usize = 100;

/// What a figure is: a row of a table, or a row and a column.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    point: Point,
    title: String,
    symbol: String,
    better: Better,
    size_bytes: Option<u64>,
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
        self
    }

    /// The same row at a working set of so many bytes.
    pub(crate) fn sized(mut self, bytes: u64) -> Self {
        self.size_bytes = Some(bytes);
        self
    }
}

/// The figures of one input.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    systems: Vec<System>,
    by_name: HashMap<String, usize>,
    notes: Vec<Note>,
    figures: usize,
    last_line: Option<usize>,
}

#[derive(Debug, Default)]
struct System {
    name: String,
    rows: Vec<Rows>,
    by_point: HashMap<Point, usize>,
    skipped: Vec<Skipped>,
}

/// One point with its values by round.
#[derive(Debug)]
struct Rows {
    row: Row,
    values: BTreeMap<u32, f64>,
}

impl Sheet {
    /// Adds a figure of `system` (empty where the input does not say), which stands in `line`. A row
    /// that appears again is a repetition.
    pub(crate) fn add(
        &mut self,
        system: &str,
        row: Row,
        value: f64,
        line: usize,
    ) -> Result<(), Fault> {
        if let Some(rows) = self.place(system, row, value, line)? {
            let round = rows.values.len() as u32 + 1;
            rows.values.insert(round, value);
        }
        Ok(())
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
        if let Some(rows) = self.place(system, row, value, line)? {
            rows.values.entry(round).or_insert(value);
        }
        Ok(())
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
        self.figures
    }

    /// The last line that gave a figure.
    pub(crate) fn last_line(&self) -> Option<usize> {
        self.last_line
    }

    fn place(
        &mut self,
        name: &str,
        mut row: Row,
        value: f64,
        line: usize,
    ) -> Result<Option<&mut Rows>, Fault> {
        self.figures += 1;
        self.last_line = self.last_line.max(Some(line));
        if self.figures > MOST_FIGURES {
            return Err(Fault::at(
                line,
                format!("more than {MOST_FIGURES} figures; import the results in parts"),
            ));
        }
        if row.title.len().max(row.symbol.len()).max(name.len()) > LONGEST_NAME {
            return Err(Fault::at(
                line,
                format!("a name of more than {LONGEST_NAME} bytes; is the line broken?"),
            ));
        }
        let system = self.system(name);
        let original = row.point.probe.clone();
        let mut copy = 1;
        let at = loop {
            match system.by_point.get(&row.point) {
                Some(&at) if system.rows[at].row.is(&row) => break Some(at),
                None => break None,
                Some(_) if copy == MOST_ALIKE => {
                    return Err(Fault::at(
                        line,
                        format!(
                            "more than {MOST_ALIKE} rows of different names all become {original}"
                        ),
                    ));
                }
                Some(_) => {
                    copy += 1;
                    row.point.probe = format!("{original}_{copy}");
                }
            }
        };
        if value <= 0.0 || !value.is_finite() {
            let what = row.point.to_string();
            if !system.skipped.iter().any(|s| s.what == what) {
                system.skipped.push(Skipped {
                    what,
                    why: "the source prints a zero or less, which is no measured amount".into(),
                });
            }
            return Ok(None);
        }
        let at = at.unwrap_or_else(|| {
            system.by_point.insert(row.point.clone(), system.rows.len());
            system.rows.push(Rows {
                row,
                values: BTreeMap::new(),
            });
            system.rows.len() - 1
        });
        Ok(system.rows.get_mut(at))
    }

    fn system(&mut self, name: &str) -> &mut System {
        let name: Vec<&str> = name.split_whitespace().collect();
        let name = name.join(" ");
        let at = *self.by_name.entry(name.clone()).or_insert_with(|| {
            self.systems.push(System {
                name,
                ..System::default()
            });
            self.systems.len() - 1
        });
        &mut self.systems[at]
    }

    /// A record for each system.
    pub(crate) fn records(self, format: Format, file: &str) -> Result<Vec<Record>, Fault> {
        let notes = self.notes;
        let measured: Vec<System> = self
            .systems
            .into_iter()
            .filter(|s| !s.rows.is_empty())
            .collect();
        if measured.is_empty() {
            return Err(Fault::whole(format!(
                "no figure found in it as {} ({}); is it another format?",
                format.name(),
                format.what()
            )));
        }
        let record = |system| record(system, &notes, format, file);
        Ok(measured.into_iter().map(record).collect())
    }
}

impl Row {
    /// Is it the same row of the source?
    fn is(&self, other: &Row) -> bool {
        self.title == other.title && self.symbol == other.symbol && self.better == other.better
    }
}

fn record(system: System, notes: &[Note], format: Format, file: &str) -> Record {
    let rounds = system.rows.iter().filter_map(|r| r.values.keys().max());
    let rounds = rounds.copied().max().unwrap_or(0);
    let mut record = Record::new(Header {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Build {
            arch: String::new(),
            libc: String::new(),
            profile: String::new(),
            kernels: String::new(),
        },
        seed: 0,
        intensity: "published".into(),
        rounds,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        started: String::new(),
    });
    record.origin = Some(Origin {
        format: format.name().to_owned(),
        file: file.to_owned(),
        system: system.name,
        unit_of_repetition: format.repeats().to_owned(),
    });
    record.notes.push(Note {
        about: "origin".into(),
        text: format!(
            "{} results do not say {}; all of that is unknown here",
            format.name(),
            format.silent()
        ),
    });
    record.notes.extend(notes.iter().cloned());
    let mut processes: Vec<Process> = Vec::new();
    for Rows { row, values } in &system.rows {
        for (&round, &value) in values {
            processes.push(process(row.point.clone(), round, value));
        }
    }
    // Rows keep their order within a round.
    processes.sort_by_key(|p| p.round);
    let mut order = (0, 0);
    for process in &mut processes {
        order = (
            process.round,
            if order.0 == process.round {
                order.1 + 1
            } else {
                0
            },
        );
        process.order = order.1;
    }
    record.processes = processes;
    record.plan = Plan {
        points: system.rows.into_iter().map(|r| planned(r.row)).collect(),
        skipped: system.skipped,
        rounds,
    };
    record
}

fn planned(row: Row) -> Planned {
    Planned {
        point: row.point,
        unit: Unit::Count,
        better: row.better,
        value: ValueRule::Single,
        size_bytes: row.size_bytes,
        usual_marks: Vec::new(),
        title: Some(row.title),
        symbol: Some(row.symbol).filter(|s| !s.is_empty()),
    }
}

fn process(point: Point, round: u32, value: f64) -> Process {
    Process {
        round,
        order: 0,
        point,
        at_ms: 0.0,
        wall_ms: 0.0,
        luck: Luck::default(),
        ghz: None,
        slots: None,
        outcome: Outcome::Draws(vec![Draw {
            frames: None,
            series: vec![Series {
                name: String::new(),
                work: 1.0,
                ns: vec![value],
                marks: Vec::new(),
                handover_ns: Vec::new(),
                slots: Vec::new(),
            }],
        }]),
    }
}
