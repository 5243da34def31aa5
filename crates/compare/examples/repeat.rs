//! How alike several runs of one host are: `cargo run --release -p whyslow-compare --example repeat -- RECORD...`.
//!
//! For every point of one CPU the largest over the smallest median of the records: as measured; of the values as
//! they are shown, without what ran with a busy SMT sibling; and of these in cycles of the clock that each
//! process measured around its batches. Where these agree and the first does not, the clock or the neighbor was it.
//! Where they do not, the marks of the records may still show why: a neighbor who comes and goes within a batch
//! is seen beside others. That is counted apart, by the most of a record's batches beside which it ran.

mod common;

use std::collections::BTreeMap;
use std::process::ExitCode;

use whyslow_model::Point;
use whyslow_model::record::{Process, Record};
use whyslow_stats::quantile::median;
use whyslow_stats::record::{Cores, Part, PointValues, values, values_as_measured};

/// Runs agree within this.
const ALIKE: f64 = 1.02;

/// Beside so much of a record's batches of a point, a neighbor is a mark that explains it: it makes a batch 3 to 20 %
/// longer, and a middle follows it from there on.
const MARKED: f64 = 0.2;

/// The medians of a point, a record each, and the share of its batches with the SMT sibling busy.
#[derive(Default)]
struct Row {
    measured: Vec<f64>,
    shown: Vec<f64>,
    cycles: Vec<f64>,
    beside: Vec<f64>,
}

/// What agreement is asked of: what happens within a core, and in the kernel on one CPU.
fn group(point: &Point, claims: [Option<u64>; 2]) -> &'static str {
    let size = point.get("size").and_then(whyslow_model::size::parse);
    // Half of the second level: pages that fall by chance leave no more of it whole.
    let level = match (point.get("level"), size, claims) {
        (Some(level @ ("L1" | "L2")), ..) => Some(level),
        (None, Some(size), [Some(first), _]) if size <= first => Some("L1"),
        (None, Some(size), [_, Some(second)]) if size <= second / 2 => Some("L2"),
        _ => None,
    };
    let probe = point.probe.as_str();
    let family = probe.split('.').next().unwrap_or_default();
    match (family, level) {
        ("mem", Some("L1")) => "L1",
        ("mem", Some("L2")) => "L2",
        ("os", _) => "system calls",
        ("ctx" | "ipc", _) if point.get("cpus") == Some("same-cpu") => "same-CPU switches",
        _ => "all others",
    }
}

type Rows = BTreeMap<(&'static str, String), Row>;

/// Is all of a point measured on one CPU? On several, or where the scheduler likes, placement is part of it.
fn on_one_cpu(record: &Record, found: &PointValues<'_>) -> bool {
    let processes = record.processes.iter();
    let mut own = processes.filter(|p| p.point == found.planned.point);
    let one = |p: &Process| {
        let cpus = &p.randomization.cpus;
        let first = cpus.first();
        first.is_some_and(|first| cpus.iter().all(|c| c == first))
    };
    own.all(one) && found.part == Part::Whole
}

/// The share of the batches of a point with the SMT sibling busy.
fn beside(record: &Record, point: &Point, cores: &Cores) -> f64 {
    let (mut met, mut all) = (0, 0);
    for (process, draws) in record.measured(point) {
        for series in draws.iter().flat_map(|d| &d.series) {
            met += cores.beside_batches(process, series).count();
            all += series.ns.len();
        }
    }
    met as f64 / all.max(1) as f64
}

fn middle(found: &PointValues<'_>) -> Option<f64> {
    let values: Vec<f64> = found.processes.iter().map(|p| p.value).collect();
    // A difference about zero, such as what a small set of pages adds, has no ratio.
    median(&values).filter(|middle| *middle > 0.0)
}

fn add(rows: &mut Rows, record: &Record, cores: &Cores) {
    let host = record.host.as_deref();
    let claims = [1, 2].map(|level| host?.data_cache_bytes(level));
    let key = |point: &Point| (group(point, claims), point.to_string());
    for found in values_as_measured(record) {
        if let Some(middle) = middle(&found).filter(|_| on_one_cpu(record, &found)) {
            let point = &found.planned.point;
            let row = rows.entry(key(point)).or_default();
            row.measured.push(middle);
            row.beside.push(beside(record, point, cores));
        }
    }
    for found in values(record) {
        let row = rows.get_mut(&key(&found.planned.point));
        let Some((row, middle)) = row.zip(middle(&found)) else {
            continue;
        };
        row.shown.push(middle);
        // A time takes so many cycles; a rate gives so much a cycle.
        let rate = found.planned.unit.is_rate();
        let cycles = found.processes.iter().map(|p| {
            p.ghz.map(|ghz| match rate {
                false => p.value * ghz,
                true => p.value / ghz,
            })
        });
        let cycles = cycles.collect::<Option<Vec<f64>>>();
        row.cycles.extend(cycles.and_then(|cycles| median(&cycles)));
    }
}

fn spread(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    let smallest = values.iter().copied().fold(f64::MAX, f64::min);
    largest / smallest
}

/// What a row comes to, best first.
const VERDICTS: [&str; 4] = [
    "",
    "  (the clock moved)",
    "  (neighbors on the core)",
    "  apart",
];

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for people"
)]
fn main() -> ExitCode {
    let records = match common::records(std::env::args().skip(1)) {
        Ok(records) => records,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let cores = Cores::of(&records);
    let mut rows = Rows::new();
    for record in &records {
        add(&mut rows, record, &cores);
    }
    println!("largest over smallest median of {} records", records.len());
    println!(
        "{:8} {:8} {:8} {:9} {:10} point",
        "measured", "shown", "cycles", "beside", "middle"
    );
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let whole = |values: &[f64]| (values.len() == records.len()).then(|| spread(values));
    for ((group, point), row) in &rows {
        let [measured, shown, cycles] = [&row.measured, &row.shown, &row.cycles].map(|v| whole(v));
        let (Some(measured), Some(shown)) = (measured, shown) else {
            continue;
        };
        let most = row.beside.iter().copied().fold(0.0, f64::max);
        let least = row.beside.iter().copied().fold(1.0, f64::min);
        let in_cycles = cycles.is_some_and(|spread| spread <= ALIKE);
        let verdict = [shown <= ALIKE, in_cycles, most >= MARKED, true];
        let verdict = verdict.iter().position(|holds| *holds).unwrap_or(3);
        counts.entry(group).or_default()[verdict] += 1;
        println!(
            "{measured:<8.3} {shown:<8.3} {:8} {:9} {:<10.4} {point}{}",
            cycles.map_or("-".to_owned(), |v| format!("{v:.3}")),
            format!("{:.0}-{:.0} %", least * 100.0, most * 100.0),
            median(&row.shown).unwrap_or(f64::NAN),
            VERDICTS[verdict]
        );
    }
    for (group, [alike, clock, shared, apart]) in counts {
        println!(
            "{group}: {alike} alike within 2 %, {clock} in cycles, {shared} marked by neighbors, {apart} apart"
        );
    }
    ExitCode::SUCCESS
}
