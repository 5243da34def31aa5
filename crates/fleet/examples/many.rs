//! A large fleet of synthetic records, for measuring how index and report grow: real record files, small, with 300 points of
//! three processes each.
//!
//! `cargo run --release -p whyslow-fleet --example many FOLDER NODES [SESSIONS] [SEED]`: one node in 100 takes 15 % more in one
//! family, which is printed. The machine of their hosts is named `synthetic`; nothing of them was measured.
#![allow(clippy::print_stdout, clippy::print_stderr)] // an example says what it did

#[path = "fleets/dice.rs"]
mod dice;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::thread;

use dice::Dice;
use whyslow_fleet::{FAMILIES, family_of};
use whyslow_model::host::{Host, Known};
use whyslow_model::record::{
    Build, Draw, End, Header, Line, Outcome, Plan, Planned, Process, Randomization, SCHEMA, Series,
    StateAt, ValueRule,
};
use whyslow_model::store::Journal;
use whyslow_model::{Better, Point, Record, Unit, id};

/// Standard deviations of nodes, sessions and processes, as in the simulation of `fleets`; half of the variance of the first
/// two is common to a family.
const NODE: f64 = 0.01;
const SESSION: f64 = 0.01;
const PROCESS: f64 = 0.03;

/// Processes of a point.
const ROUNDS: u32 = 3;

/// Points of a record.
const POINTS: usize = 300;

/// One node in so many is slow, by so much.
const SLOW: (usize, f64) = (100, 0.15);

type Failed = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, nodes, rest @ ..] = &args[..] else {
        eprintln!("many FOLDER NODES [SESSIONS] [SEED]");
        return Ok(());
    };
    let number = |at: usize| rest.get(at).map_or(Ok(1), |n| n.parse::<u64>());
    let (nodes, sessions, seed) = (nodes.parse::<usize>()?, number(0)? as usize, number(1)?);
    let template = Template::new()?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let place = &PathBuf::from(folder);
    let template = &template;
    thread::scope(|scope| {
        let parts = (0..threads).map(|first| {
            scope.spawn(move || -> Result<(), Failed> {
                for node in (first..nodes).step_by(threads) {
                    template.node(place, node, sessions, seed)?;
                }
                Ok(())
            })
        });
        let parts: Vec<_> = parts.collect();
        parts
            .into_iter()
            .try_for_each(|part| part.join().map_err(|_| "a thread panicked")?)
    })
}

/// What all records have in common.
struct Template {
    host: Host,
    state: StateAt,
    points: Vec<(Point, f64)>,
    families: Vec<Option<usize>>,
}

impl Template {
    fn new() -> Result<Template, Failed> {
        let host = include_str!("../../report/tests/common/host.json");
        let mut host: Host = serde_json::from_str(host)?;
        host.machine.product = Known::Is("synthetic".to_owned());
        let state = include_str!("../../report/tests/common/state.json");
        let points = points()?;
        let mut template = Template {
            host,
            state: StateAt {
                when: "start".into(),
                state: serde_json::from_str(state)?,
            },
            points,
            families: Vec::new(),
        };
        let mut record = Record::new(template.header(0));
        record.plan = template.plan();
        record.host = Some(Box::new(template.host.clone()));
        let roles = whyslow_explain::roles(&record).into_iter();
        template.families = roles.map(family_of).collect();
        Ok(template)
    }

    fn header(&self, session: usize) -> Header {
        Header {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            build: Build {
                arch: "x86_64".into(),
                libc: "gnu dynamic".into(),
                profile: "release".into(),
                kernels: "assembly".into(),
            },
            seed: 1,
            intensity: "quick".into(),
            rounds: ROUNDS,
            fill: false,
            budget_s: None,
            only: String::new(),
            suite: String::new(),
            copies: Vec::new(),
            against: String::new(),
            started: format!("2026-01-{:02}T{:02}:00:00Z", 1 + session / 24, session % 24),
        }
    }

    fn plan(&self) -> Plan {
        let planned = self.points.iter().map(|(point, _)| Planned {
            estimator: Default::default(),
            between_runs: 0.0,
            point: point.clone(),
            unit: Unit::Ns,
            better: Better::Lower,
            value: ValueRule::Single,
            size_bytes: None,
            usual_marks: Vec::new(),
            title: None,
            symbol: None,
        });
        Plan {
            points: planned.collect(),
            rounds: ROUNDS,
            ..Plan::default()
        }
    }

    fn node(&self, folder: &Path, node: usize, sessions: usize, seed: u64) -> Result<(), Failed> {
        let dice = &mut Dice::new(seed << 32 | node as u64);
        let name = format!("n{node:06}");
        let slow = node
            .is_multiple_of(SLOW.0)
            .then(|| dice.below(FAMILIES.len()));
        let own = self.shifts(NODE, dice);
        let place = folder.join(&name);
        std::fs::create_dir_all(&place)?;
        for session in 0..sessions {
            let shifts = self.shifts(SESSION, dice);
            let file = place.join(format!("{session:05}.whyslow"));
            let mut journal = Journal::in_memory(&file);
            journal.add(&Line::Header(self.header(session)))?;
            let mut host = self.host.clone();
            host.name = Known::Is(name.clone());
            host.id.id.clone_from(&name);
            journal.add(&Line::Host(Box::new(host)))?;
            journal.add(&Line::State(Box::new(self.state.clone())))?;
            journal.add(&Line::Plan(self.plan()))?;
            for round in 1..=ROUNDS {
                for (at, (point, usual)) in self.points.iter().enumerate() {
                    let more = slow.is_some() && self.families[at] == slow;
                    let more = if more { SLOW.1.ln_1p() } else { 0.0 };
                    let log = own[at] + shifts[at] + more + PROCESS * dice.normal();
                    // As many digits as a clock gives.
                    let ns = (usual * log.exp() * 1e3).round() / 1e3;
                    journal.add(&process(round, at, point, ns))?;
                }
            }
            let finished = "2026-02-01T00:00:00Z".to_owned();
            journal.close(End::Complete, finished, &[])?;
        }
        if let Some(family) = slow {
            println!("{name} takes 15 % more in {}", FAMILIES[family].0);
        }
        Ok(())
    }

    /// What the points take longer, of a standard deviation of `sd`.
    fn shifts(&self, sd: f64, dice: &mut Dice) -> Vec<f64> {
        let half = sd * 0.5_f64.sqrt();
        let common: Vec<f64> = FAMILIES.iter().map(|_| half * dice.normal()).collect();
        let families = self.families.iter();
        families
            .map(|family| family.map_or(0.0, |f| common[f]) + half * dice.normal())
            .collect()
    }
}

fn process(round: u32, order: usize, point: &Point, ns: f64) -> Line {
    Line::Process(Box::new(Process {
        round,
        order: order as u32,
        point: point.clone(),
        at_ms: 0.0,
        wall_ms: 1.0,
        randomization: Randomization::default(),
        ghz: None,
        slots: None,
        outcome: Outcome::Draws(vec![Draw {
            frames: None,
            series: vec![Series {
                name: String::new(),
                work: 1.0,
                ns: vec![ns],
                marks: Vec::new(),
                handover_ns: Vec::new(),
                slots: Vec::new(),
            }],
        }]),
    }))
}

/// Probes with two parameters at most, the values of these, and a usual time in ns.
type Grid = (
    &'static str,
    (&'static str, &'static [&'static str]),
    (&'static str, &'static [&'static str]),
    f64,
);

/// What is measured beside the curves: something of every family.
const GRIDS: &[Grid] = &[
    (id::OS_NULL_CALL, NONE, NONE, 40.0),
    (id::OS_READ, NONE, NONE, 60.0),
    (id::OS_WRITE, NONE, NONE, 55.0),
    (id::OS_STAT, NONE, NONE, 300.0),
    (id::OS_OPEN_CLOSE, NONE, NONE, 700.0),
    (id::OS_SIGNAL_INSTALL, NONE, NONE, 60.0),
    (id::OS_SIGNAL_HANDLE, NONE, NONE, 800.0),
    (id::VM_PAGE_FAULT, NONE, NONE, 250.0),
    (
        id::PROC_FORK,
        ("of", &["static", "dynamic"]),
        NONE,
        90_000.0,
    ),
    (
        id::PROC_EXEC,
        ("of", &["static", "dynamic"]),
        NONE,
        250_000.0,
    ),
    (id::PROC_SHELL, NONE, NONE, 900_000.0),
    (
        id::CPU_OP,
        ("op", &["add", "mul", "div"]),
        ("of", &["i32", "i64", "f32", "f64"]),
        0.3,
    ),
    (
        id::CTX_RING,
        ("procs", &["2", "4", "8", "16"]),
        ("cpus", &["same-cpu", "free"]),
        1_500.0,
    ),
    (id::FS_CREATE, ("size", SIZES), NONE, 20_000.0),
    (id::FS_DELETE, ("size", SIZES), NONE, 9_000.0),
    (
        id::MEM_LIBC,
        ("op", &["copy", "set"]),
        ("level", LEVELS),
        100.0,
    ),
    (
        id::MEM_BANDWIDTH,
        ("op", &["read", "write", "copy", "triad"]),
        ("level", LEVELS),
        50.0,
    ),
    (
        id::MEM_STREAM,
        ("op", &["copy", "scale", "add", "triad"]),
        ("cpus", CPUS),
        80.0,
    ),
    (id::SMP_CHASE, ("size", SIZES), ("cpus", CPUS), 90.0),
    (id::SMP_STREAM, ("size", SIZES), ("cpus", CPUS), 80.0),
    (
        id::IPC_PIPE,
        ("size", SIZES),
        ("cpus", &["same-cpu", "free"]),
        3_000.0,
    ),
];

const NONE: (&str, &[&str]) = ("", &[]);
const SIZES: &[&str] = &["0", "1KiB", "4KiB", "16KiB", "64KiB", "256KiB", "1MiB"];
const LEVELS: &[&str] = &["L1", "L2", "L3", "DRAM"];
const CPUS: &[&str] = &["1", "2", "3", "4"];

/// Latency of a chase in ns by bytes: caches of 32 KiB, 1 MiB and 16 MiB, as the host has them.
fn latency(bytes: f64) -> f64 {
    let levels = [(32e3, 1.2), (1e6, 4.0), (16e6, 14.0), (f64::INFINITY, 95.0)];
    let mut reached = (0.0, 0.0);
    for (capacity, ns) in levels {
        let share = (f64::min(bytes, capacity) - reached.0).max(0.0) / bytes;
        reached = (capacity.min(bytes), reached.1 + share * ns);
    }
    reached.1
}

/// The points, with their usual times in ns.
fn points() -> Result<Vec<(Point, f64)>, Failed> {
    let mut named: Vec<(String, f64)> = Vec::new();
    // The curves of a run: 1 KiB to 256 MiB, by factors of 1.5 and 1.33, and coarser ones.
    for (rest, steps, first) in [
        ("order=random,pages=4k", 1, 0),
        ("order=random,pages=thp", 2, 16),
        ("order=stride,stride=64,pages=4k", 2, 0),
    ] {
        for step in (first..37).step_by(steps) {
            let kib = 2_f64.powi(step / 2) * if step % 2 == 0 { 1.0 } else { 1.5 };
            let point = format!("{}{{size={kib}KiB,{rest}}}", id::MEM_LATENCY);
            named.push((point, latency(1024.0 * kib)));
        }
    }
    for (probe, (one, values), (other, more), ns) in GRIDS {
        let text = |name: &str, values: &[&str]| -> Vec<String> {
            let texts = values.iter().map(|value| format!("{name}={value}"));
            let texts: Vec<String> = texts.collect();
            if texts.is_empty() {
                vec![String::new()]
            } else {
                texts
            }
        };
        for first in text(one, values) {
            for second in text(other, more) {
                let both = [first.as_str(), second.as_str()];
                let params: Vec<&str> = both.into_iter().filter(|p| !p.is_empty()).collect();
                let point = match params.is_empty() {
                    true => (*probe).to_owned(),
                    false => format!("{probe}{{{}}}", params.join(",")),
                };
                named.push((point, *ns));
            }
        }
    }
    // Threads between CPUs, as many pairs as are needed.
    for pair in named.len()..POINTS {
        let point = format!("{}{{a={},b={}}}", id::CPU_CORE_TO_CORE, pair / 8, pair % 8);
        named.push((point, 60.0));
    }
    let points = named.into_iter().take(POINTS);
    points
        .map(|(name, ns)| Ok((name.parse::<Point>()?, ns)))
        .collect()
}
