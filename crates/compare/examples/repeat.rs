//! How alike several runs of one host are: `cargo run --release -p whyslow-compare --example repeat -- RECORD...`.
//!
//! For every point of one CPU the largest over the smallest median of the records, first as measured, then
//! in cycles of the clock that each process measured around its batches: where these agree and the times do
//! not, the records themselves show that the clock moved. Where processes are the slower the less their
//! core handed out, they show that its other hardware thread was busy.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use whyslow_model::record::{Outcome, Process, Record};
use whyslow_model::store;
use whyslow_stats::quantile::median;
use whyslow_stats::record::{Part, slots_of, values};

/// Runs agree within this.
const ALIKE: f64 = 1.02;

/// The medians of a point, a record each.
#[derive(Default)]
struct Row {
    plain: Vec<f64>,
    cycles: Vec<f64>,
    ghz: Vec<f64>,
    /// Of each process of all records: the logarithms of what its core handed out a cycle and of its value,
    /// the larger the slower.
    slots: Vec<[f64; 2]>,
}

fn add(rows: &mut BTreeMap<String, Row>, record: &Record) {
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
        let clocks: Option<Vec<f64>> = found.processes.iter().map(|p| p.ghz).collect();
        let plain: Vec<f64> = found.processes.iter().map(|p| p.value).collect();
        // A difference about zero, such as what a small set of pages adds, has no ratio.
        let Some(middle) = median(&plain).filter(|middle| *middle > 0.0) else {
            continue;
        };
        let row = rows.entry(found.planned.point.to_string()).or_default();
        row.plain.push(middle);
        let rate = found.planned.unit.is_rate();
        let measured = own().filter(|p| p.round > 0 && matches!(p.outcome, Outcome::Draws(_)));
        let slots: Vec<f64> = measured.filter_map(slots_of).collect();
        if slots.len() == plain.len() {
            let pairs = plain.iter().zip(slots);
            row.slots.extend(pairs.map(|(value, slots)| {
                let slow = if rate { -value.ln() } else { value.ln() };
                [slots.ln(), slow]
            }));
        }
        let Some(clocks) = clocks else {
            continue;
        };
        // A time takes so many cycles; a rate gives so much a cycle.
        let cycles = plain.iter().zip(&clocks).map(|(value, ghz)| match rate {
            false => value * ghz,
            true => value / ghz,
        });
        row.cycles.extend(median(&cycles.collect::<Vec<_>>()));
        row.ghz.extend(median(&clocks));
    }
}

/// Are processes slower where their core handed out less? By the correlation, beyond what one in a hundred
/// sets of unrelated values has (Fisher's z).
fn follows_slots(pairs: &[[f64; 2]]) -> bool {
    let n = pairs.len() as f64;
    if n < 10.0 {
        return false;
    }
    let mean = |k: usize| pairs.iter().map(|p| p[k]).sum::<f64>() / n;
    let means = [mean(0), mean(1)];
    let product = |j: usize, k: usize| -> f64 {
        let terms = pairs.iter().map(|p| (p[j] - means[j]) * (p[k] - means[k]));
        terms.sum()
    };
    let r = product(0, 1) / (product(0, 0) * product(1, 1)).sqrt();
    // 2.33: the 99th percentile of the normal distribution.
    r.atanh() * (n - 3.0).sqrt() < -2.33
}

fn spread(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    let smallest = values.iter().copied().fold(f64::MAX, f64::min);
    largest / smallest
}

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for people"
)]
fn main() -> ExitCode {
    let mut rows = BTreeMap::new();
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        match store::read(Path::new(file)) {
            Ok(record) => add(&mut rows, &record),
            Err(why) => {
                eprintln!("{why}");
                return ExitCode::from(2);
            }
        }
    }
    println!("largest over smallest median of {} records", files.len());
    println!(
        "{:8} {:8} {:8} {:10} point",
        "measured", "cycles", "clock", "middle"
    );
    let mut counts = [0; 4];
    for (point, row) in rows
        .iter()
        .filter(|(_, row)| row.plain.len() == files.len())
    {
        let plain = spread(&row.plain);
        let whole = |values: &[f64]| (values.len() == files.len()).then(|| spread(values));
        let cycles = whole(&row.cycles);
        let verdict = match (plain <= ALIKE, cycles) {
            (true, _) => 0,
            (false, Some(cycles)) if cycles <= ALIKE => 1,
            _ if follows_slots(&row.slots) => 2,
            _ => 3,
        };
        counts[verdict] += 1;
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
        println!(
            "{plain:<8.3} {:8} {:8} {:<10.4} {point}{}",
            text(cycles),
            text(whole(&row.ghz)),
            median(&row.plain).unwrap_or(f64::NAN),
            [
                "",
                "  (the clock moved)",
                "  (the core was shared)",
                "  apart"
            ][verdict]
        );
    }
    let [alike, clock, shared, apart] = counts;
    println!(
        "{alike} alike within 2 %, {clock} in cycles, {shared} with a core that was shared, {apart} apart"
    );
    ExitCode::SUCCESS
}
