//! Machine time until a planted difference of 5 % is found in 80 % of the cases, of two binaries on one host:
//! `cargo run --release -p whyslow-compare --example power -- OLD... -- NEW...`.
//!
//! The records of both are made in turn. Of each point that both measured: the spread of its processes, those of all records
//! of a binary together, as one that is slow has few in each; from it, the processes a side that Welch's test needs; and
//! when in a record that many were there, from the start of the run, so that what a run does beside them counts. Where a
//! record has fewer, its time is taken as many times as long as they are more. That the later binary tests with moderated
//! variances and looks is left out: both are held to one test.

mod common;

use std::collections::BTreeMap;
use std::process::ExitCode;

use whyslow_model::Record;
use whyslow_stats::quantile::{median, quantile as share_of};
use whyslow_stats::record::{Part, values};
use whyslow_stats::student::quantile;

/// What is planted, and 0.84 standard deviations: 80 % of the cases.
const PLANTED: f64 = 1.05;
const POWER_Z: f64 = 0.8416;

/// Of a point in the records of one binary.
#[derive(Default)]
struct Measured {
    /// Logarithms of the values of its processes.
    logs: Vec<f64>,
    /// How long each record took, s.
    totals: Vec<f64>,
    /// When each process of a record had ended, s since its start; a list a record.
    ends: Vec<Vec<f64>>,
    /// Lifetimes of the processes, s.
    lives: Vec<f64>,
}

impl Measured {
    fn sd(&self) -> Option<f64> {
        let count = self.logs.len() as f64;
        let mean = self.logs.iter().sum::<f64>() / count;
        let squares: f64 = self.logs.iter().map(|l| (l - mean).powi(2)).sum();
        (count > 1.0).then(|| (squares / (count - 1.0)).sqrt())
    }

    /// Processes a side until the test finds what is planted: at least two, as one has no variance.
    fn needed(&self) -> Option<usize> {
        let sd = self.sd()?;
        let enough = |n: &usize| {
            let error = sd * (2.0 / *n as f64).sqrt();
            PLANTED.ln() >= (quantile(0.975, 2.0 * *n as f64 - 2.0) + POWER_Z) * error
        };
        (2..100_000).find(enough)
    }

    /// Seconds of a run until so many processes were there; the middle of the records.
    fn seconds(&self, needed: usize) -> Option<f64> {
        let times = self.ends.iter().zip(&self.totals).map(|(ends, total)| {
            let there = ends.get(needed - 1).copied();
            there.unwrap_or(total * needed as f64 / ends.len() as f64)
        });
        median(&times.collect::<Vec<_>>())
    }
}

type Points = BTreeMap<String, Measured>;

fn measured(records: &[Record]) -> Points {
    let mut points = Points::new();
    for record in records {
        let ends = record.processes.iter().map(|p| p.at_ms + p.wall_ms);
        let total = ends.fold(0.0, f64::max) / 1e3;
        for found in values(record).iter().filter(|f| f.part == Part::Whole) {
            let point = &found.planned.point;
            let logs: Vec<f64> = found.processes.iter().map(|p| p.value.ln()).collect();
            if logs.is_empty() || !logs.iter().all(|l| l.is_finite()) {
                continue;
            }
            let of = points.entry(point.to_string()).or_default();
            of.logs.extend(logs);
            of.totals.push(total);
            let own = || record.measured(point).map(|(process, _)| process);
            let mut ends: Vec<f64> = own().map(|p| (p.at_ms + p.wall_ms) / 1e3).collect();
            ends.sort_by(f64::total_cmp);
            of.ends.push(ends);
            of.lives.extend(own().map(|p| p.wall_ms / 1e3));
        }
    }
    points
}

/// What line a point is counted in.
fn group(point: &str) -> &'static str {
    match point.split('.').next() {
        Some("mem") => "memory",
        Some("os") => "calls",
        _ => "all others",
    }
}

/// A point under both binaries: seconds of the run, seconds of its own processes, standard deviations, processes.
#[derive(Clone, Copy)]
struct Row {
    run: [f64; 2],
    own: [f64; 2],
    sd: [f64; 2],
    needed: [usize; 2],
}

fn row(sides: [&Measured; 2]) -> Option<Row> {
    let [old, new] = sides;
    let needed = [old.needed()?, new.needed()?];
    let own = |side: &Measured, n: usize| Some(median(&side.lives)? * n as f64);
    Some(Row {
        run: [old.seconds(needed[0])?, new.seconds(needed[1])?],
        own: [own(old, needed[0])?, own(new, needed[1])?],
        sd: [old.sd()?, new.sd()?],
        needed,
    })
}

fn quartiles(values: &[f64]) -> String {
    let [low, middle, high] = [0.25, 0.5, 0.75].map(|p| share_of(values, p).unwrap_or(f64::NAN));
    format!("{middle:.2} [{low:.2}, {high:.2}]")
}

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for people"
)]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut sides = args.split(|a| a == "--");
    let [Some(old), Some(new), None] = [sides.next(), sides.next(), sides.next()] else {
        eprintln!("power: give records of the old binary, `--`, and records of the new one");
        return ExitCode::from(2);
    };
    let sides = match [old, new].map(|files| common::records(files.iter().cloned())) {
        [Ok(old), Ok(new)] => [old, new].map(|records| measured(&records)),
        [Err(why), _] | [_, Err(why)] => {
            eprintln!("power: {why}");
            return ExitCode::from(2);
        }
    };
    let mut groups: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    let mut families: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for (point, old) in &sides[0] {
        let Some(row) = sides[1].get(point).and_then(|new| row([old, new])) else {
            continue;
        };
        groups.entry(group(point)).or_default().push(row);
        let family = point.split('{').next().unwrap_or(point);
        families.entry(family).or_default().push(row);
    }
    println!(
        "new over old, median [quartiles]: machine time of the run; of the own processes; standard deviation"
    );
    for (name, rows) in groups.iter().chain(&families) {
        let of = |get: &dyn Fn(&Row) -> f64| quartiles(&rows.iter().map(get).collect::<Vec<_>>());
        let needed =
            |k: usize| median(&rows.iter().map(|r| r.needed[k] as f64).collect::<Vec<_>>());
        println!(
            "{name:22} {:4} points; {}; {}; {}; processes {:?} -> {:?}",
            rows.len(),
            of(&|r| r.run[1] / r.run[0]),
            of(&|r| r.own[1] / r.own[0]),
            of(&|r| r.sd[1] / r.sd[0]),
            needed(0).unwrap_or(f64::NAN),
            needed(1).unwrap_or(f64::NAN),
        );
    }
    ExitCode::SUCCESS
}
