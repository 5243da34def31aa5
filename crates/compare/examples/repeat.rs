//! How alike several runs of one host are: `cargo run --release -p whyslow-compare --example repeat -- RECORD...`.
//!
//! For every point of one CPU the largest over the smallest median of the records: as measured; in cycles of
//! the clock that each process measured around its batches; and in cycles of those processes alone whose core
//! nobody else used, before and after. Where the later ones agree and the first does not, the records
//! themselves show why: the clock moved, or the core's other hardware thread was busy.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use whyslow_model::Point;
use whyslow_model::host::CacheKind;
use whyslow_model::record::{Outcome, Process, Record};
use whyslow_model::store;
use whyslow_stats::quantile::median;
use whyslow_stats::record::{Part, Slots, slots_of, values};

/// Runs agree within this.
const ALIKE: f64 = 1.02;

/// A core was left alone if it handed out this share of the best, before and after together: readings of
/// one scatter by 2 %.
const ALONE: f64 = 0.96;

/// Processes left alone make a median from this many on.
const FEWEST_ALONE: usize = 3;

/// The medians of a point, a record each.
#[derive(Default)]
struct Row {
    plain: Vec<f64>,
    cycles: Vec<f64>,
    alone: Vec<f64>,
    /// Processes whose core was left alone, and all.
    left_alone: [usize; 2],
}

/// What agreement is asked of: what happens within a core, and in the kernel on one CPU.
fn group(point: &Point, claims: &[u64]) -> &'static str {
    let size = point.get("size").and_then(whyslow_model::size::parse);
    // Half of the second level: pages that fall by chance leave no more of it whole.
    let level = match (point.get("level"), size, claims) {
        (Some(level @ ("L1" | "L2")), ..) => Some(level),
        (None, Some(size), [first, ..]) if size <= *first => Some("L1"),
        (None, Some(size), [_, second, ..]) if size <= second / 2 => Some("L2"),
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

/// Sizes of the data caches that the host claims, nearest first.
fn claims(record: &Record) -> Vec<u64> {
    let caches = record.host.as_deref().and_then(|host| host.caches.value());
    let data = caches
        .into_iter()
        .flatten()
        .filter(|c| c.kind != CacheKind::Instruction);
    let sizes: BTreeMap<u32, u64> = data
        .filter_map(|c| Some((c.level, *c.size_bytes.value()?)))
        .collect();
    sizes.into_values().collect()
}

type Rows = BTreeMap<(&'static str, String), Row>;

fn add(rows: &mut Rows, record: &Record, best: f64) {
    let claims = claims(record);
    for found in values(record) {
        // On several CPUs, or where the scheduler likes, placement is part of what is measured.
        let one_cpu = |p: &Process| {
            let cpus = &p.luck.cpus;
            cpus.first()
                .is_some_and(|first| cpus.iter().all(|c| c == first))
        };
        let own = || {
            let processes = record.processes.iter();
            processes.filter(|p| p.point == found.planned.point)
        };
        if !own().all(one_cpu) || found.part != Part::Whole {
            continue;
        }
        let plain: Vec<f64> = found.processes.iter().map(|p| p.value).collect();
        // A difference about zero, such as what a small set of pages adds, has no ratio.
        let Some(middle) = median(&plain).filter(|middle| *middle > 0.0) else {
            continue;
        };
        let point = &found.planned.point;
        let row = rows
            .entry((group(point, &claims), point.to_string()))
            .or_default();
        row.plain.push(middle);
        // A time takes so many cycles; a rate gives so much a cycle.
        let rate = found.planned.unit.is_rate();
        let cycles = found.processes.iter().map(|p| {
            p.ghz.map(|ghz| match rate {
                false => p.value * ghz,
                true => p.value / ghz,
            })
        });
        let Some(cycles) = cycles.collect::<Option<Vec<f64>>>() else {
            continue;
        };
        row.cycles.extend(median(&cycles));
        let measured = own().filter(|p| p.round > 0 && matches!(p.outcome, Outcome::Draws(_)));
        let slots: Vec<Option<f64>> = measured.map(slots_of).collect();
        if slots.len() != cycles.len() {
            continue;
        }
        let quiet = |slots: &Option<f64>| slots.is_some_and(|slots| slots >= ALONE * best);
        let pairs = cycles.iter().zip(&slots);
        let alone: Vec<f64> = pairs
            .filter(|(_, slots)| quiet(slots))
            .map(|(cycles, _)| *cycles)
            .collect();
        row.left_alone[0] += alone.len();
        row.left_alone[1] += cycles.len();
        if alone.len() >= FEWEST_ALONE {
            row.alone.extend(median(&alone));
        }
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
    "  (the core was shared)",
    "  apart",
];

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for people"
)]
fn main() -> ExitCode {
    let mut records = Vec::new();
    for file in std::env::args().skip(1) {
        match store::read(Path::new(&file)) {
            Ok(record) => records.push(record),
            Err(why) => {
                eprintln!("{why}");
                return ExitCode::from(2);
            }
        }
    }
    let bests = records.iter().filter_map(Slots::of).map(|slots| slots.best);
    let best = bests.fold(f64::NAN, f64::max);
    let mut rows = Rows::new();
    for record in &records {
        add(&mut rows, record, best);
    }
    println!("largest over smallest median of {} records", records.len());
    println!(
        "{:8} {:8} {:8} {:7} {:10} point",
        "measured", "cycles", "alone", "of", "middle"
    );
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let whole = |values: &[f64]| (values.len() == records.len()).then(|| spread(values));
    for ((group, point), row) in &rows {
        let Some(plain) = whole(&row.plain) else {
            continue;
        };
        let (cycles, alone) = (whole(&row.cycles), whole(&row.alone));
        let alike = |spread: Option<f64>| spread.is_some_and(|spread| spread <= ALIKE);
        let verdict = [alike(Some(plain)), alike(cycles), alike(alone), true];
        let verdict = verdict.iter().position(|holds| *holds).unwrap_or(3);
        counts.entry(group).or_default()[verdict] += 1;
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
        println!(
            "{plain:<8.3} {:8} {:8} {:7} {:<10.4} {point}{}",
            text(cycles),
            text(alone),
            format!("{}/{}", row.left_alone[0], row.left_alone[1]),
            median(&row.plain).unwrap_or(f64::NAN),
            VERDICTS[verdict]
        );
    }
    for (group, [alike, clock, shared, apart]) in counts {
        println!(
            "{group}: {alike} alike within 2 %, {clock} in cycles, {shared} where the core was left alone, {apart} apart"
        );
    }
    ExitCode::SUCCESS
}
