//! Makes records of the figures of an input, one for each system.

use std::collections::{BTreeMap, HashMap};

use whyslow_model::record::{
    Build, Draw, Estimator, Header, Note, Origin, Outcome, Plan, Planned, Process, Randomization,
    SCHEMA, Series, Skipped, ValueRule,
};
use whyslow_model::{Point, Record, Unit};

use crate::figure::{Figure, Row};
use crate::ledger::{Account, Ledger, NO_ROW};
use crate::stated::Stated;
use crate::{Fault, Format};

/// Most rows of different name that may fall on one point id before it is no result any more.
const MOST_ALIKE: usize = 100;

/// Refused rows that a record names; the import names them all.
const MOST_NOTED: usize = 2;

/// Said of a figure that is zero or less.
const NOTHING: &str = "the source prints a zero or less, which is no measured amount";

/// The systems of an input with their figures.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    systems: Vec<System>,
    by_name: HashMap<String, usize>,
    has_parts: bool,
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
    /// The words that its values stand between.
    stretch: u32,
    /// The line of the last value.
    line: usize,
    values: BTreeMap<u32, f64>,
}

impl Builder {
    /// Takes one figure in.
    pub(crate) fn take(&mut self, figure: Figure, ledger: &mut Ledger) {
        let line = figure.line;
        let system = self.system(&figure.system);
        if figure.value <= 0.0 {
            let what = figure.row.point.to_string();
            if !system.skipped.iter().any(|s| s.what == what) {
                let why = NOTHING.to_owned();
                system.skipped.push(Skipped { what, why });
            }
            ledger.empty(line, NOTHING);
            return;
        }
        let Some((at, parted)) = system.place(&figure) else {
            let probe = &figure.row.point.probe;
            let why = format!("more than {MOST_ALIKE} rows of different names all become {probe}");
            ledger.refuse(line, why);
            return;
        };
        let rows = &mut system.rows[at];
        rows.line = line;
        match figure.round {
            Some(round) => {
                rows.values.entry(round).or_insert(figure.value);
            }
            None => {
                let round = rows.values.len() as u32 + 1;
                rows.values.insert(round, figure.value);
            }
        }
        ledger.keep(line);
        self.has_parts |= parted;
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

    /// A record for each system that has a figure.
    pub(crate) fn records(
        self,
        account: &Account,
        mut notes: Vec<Note>,
        stated: &Stated,
        formats: &[Format],
        file: &str,
    ) -> Vec<Record> {
        if self.has_parts {
            notes.push(Note {
                about: "origin".into(),
                text: "rows that appear again below other words are kept apart as table=2 and so \
                       on: whether they repeat the same is not said"
                    .into(),
            });
        }
        if account.refused > 0 {
            notes.push(refusals(account));
        }
        let measured = self.systems.into_iter().filter(|s| !s.rows.is_empty());
        measured
            .map(|system| record(system, &notes, stated, formats, file))
            .collect()
    }
}

impl System {
    /// Where the figure belongs, and whether words part it from the same row; none where too many rows
    /// of different names are in the way.
    fn place(&mut self, figure: &Figure) -> Option<(usize, bool)> {
        let (mut copy, mut part) = (1, 1);
        let mut point = figure.row.point.clone();
        while let Some(&at) = self.by_point.get(&point) {
            let there = &self.rows[at];
            // Two figures of one line are two things, whatever they are called.
            let twice = figure.round.is_none() && figure.line > 0 && there.line == figure.line;
            if !there.row.is(&figure.row) || twice {
                copy += 1;
                point = figure.row.point.clone();
                point.probe += &format!("_{copy}");
                part = 1;
            } else if there.stretch != figure.stretch {
                part += 1;
                let probe = point.probe;
                point = figure.row.point.clone().with("table", part);
                point.probe = probe;
            } else {
                return Some((at, part > 1));
            }
            if copy > MOST_ALIKE || part > MOST_ALIKE {
                return None;
            }
        }
        let mut row = figure.row.clone();
        row.point = point.clone();
        self.by_point.insert(point, self.rows.len());
        self.rows.push(Rows {
            row,
            stretch: figure.stretch,
            line: figure.line,
            values: BTreeMap::new(),
        });
        Some((self.rows.len() - 1, part > 1))
    }
}

/// The error of an input without any figure: what it was not, or the first row that was refused.
pub(crate) fn nothing(account: &Account, formats: &[Format]) -> Fault {
    let names: Vec<String> = formats
        .iter()
        .map(|f| format!("{} ({})", f.name(), f.what()))
        .collect();
    // Where no row was of the format, it is another.
    let mut own = account.named.iter().filter(|r| !r.why.starts_with(NO_ROW));
    match own.next() {
        Some(first) if account.refused == 1 => Fault::at(first.line, first.why.as_str()),
        Some(first) => Fault::at(
            first.line,
            format!("{}; all {} rows are refused", first.why, account.refused),
        ),
        None => Fault::whole(format!(
            "no figure found in it as {}; is it another format?",
            names.join(" and ")
        )),
    }
}

fn refusals(account: &Account) -> Note {
    let named = account.named.iter().take(MOST_NOTED);
    let named: Vec<String> = named
        .map(|r| format!("line {} '{}' ({})", r.line, r.text, r.why))
        .collect();
    let rest = account.refused - named.len();
    let rest = if rest > 0 {
        format!(", and {rest} more, which `whyslow import` names")
    } else {
        String::new()
    };
    Note {
        about: "rows".into(),
        text: format!(
            "{} of {} rows of the source {} refused: {}{rest}",
            account.refused,
            account.kept + account.refused,
            if account.refused == 1 { "was" } else { "were" },
            named.join(", ")
        ),
    }
}

fn record(
    system: System,
    notes: &[Note],
    stated: &Stated,
    formats: &[Format],
    file: &str,
) -> Record {
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
        fill: false,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: String::new(),
    });
    let joined = |of: fn(Format) -> &'static str, by: &str| {
        let all: Vec<&str> = formats.iter().map(|f| of(*f)).collect();
        all.join(by)
    };
    record.origin = Some(Origin {
        format: joined(Format::name, ", "),
        file: file.to_owned(),
        unit_of_repetition: joined(Format::repeats, " and "),
        stated: stated.of(&system.name),
        system: system.name,
    });
    record.notes.extend(formats.iter().map(|format| Note {
        about: "origin".into(),
        text: format!(
            "{} results do not say {}; all of that is unknown here",
            format.name(),
            format.silent()
        ),
    }));
    record.notes.extend(notes.iter().cloned());
    let mut processes: Vec<Process> = Vec::new();
    for Rows { row, values, .. } in &system.rows {
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
    let mut points: Vec<Planned> = system.rows.into_iter().map(|r| planned(r.row)).collect();
    tell_apart(&mut points);
    record.plan = Plan {
        sized_by: None,
        beyond_bytes: None,
        points,
        skipped: system.skipped,
        rounds,
    };
    record
}

/// What is said apart from titles: that a row comes from another table, and the sizes of a curve.
const SAID: [&str; 2] = ["table", "size"];

/// Titles that several rows of our own tables have say what these were measured at, where that differs. Other formats have such
/// words in their titles already, or what they are about is read from these.
fn tell_apart(points: &mut [Planned]) {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let own = |planned: &Planned| planned.point.probe.starts_with("table.");
    for (at, planned) in points.iter().enumerate().filter(|(_, p)| own(p)) {
        let title = planned.title.clone().unwrap_or_default();
        alike.entry(title).or_default().push(at);
    }
    for rows in alike.into_values().filter(|rows| rows.len() > 1) {
        let these: Vec<Point> = rows.iter().map(|at| points[*at].point.clone()).collect();
        for (at, point) in rows.iter().zip(&these) {
            let differs = |name: &str| these.iter().any(|other| other.get(name) != point.get(name));
            let params = point.params.iter();
            let params = params.filter(|(name, _)| !SAID.contains(&name.as_str()) && differs(name));
            let told: Vec<String> = params
                .map(|(name, value)| format!("{name} {value}").replace('_', " "))
                .collect();
            if let (Some(title), false) = (&mut points[*at].title, told.is_empty()) {
                *title += &format!(" ({})", told.join(", "));
            }
        }
    }
}

fn planned(row: Row) -> Planned {
    // Rows of one name may stand in several tables.
    let title = match row.point.get("table") {
        Some(table) if !row.title.is_empty() => format!("{}, table {table}", row.title),
        _ => row.title,
    };
    Planned {
        estimator: Estimator::Middle,
        between_runs: 0.0,
        point: row.point,
        unit: Unit::Count,
        better: row.better,
        value: ValueRule::Single,
        size_bytes: row.size_bytes,
        usual_marks: Vec::new(),
        title: Some(title),
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
        randomization: Randomization::default(),
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
