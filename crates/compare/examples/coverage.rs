//! How often the intervals of a comparison hold the truth where nothing differs, and how wide they are:
//! `cargo run --release --example coverage -- RECORD RECORD ...`.
//!
//! All records are of one host and one binary. Every pair is compared; by family and over all: the points tested, the
//! share of the 95 % intervals that hold 1, and the median half-width, for plain Welch and as compared; and how many points a
//! comparison calls different.

mod common;

use std::collections::BTreeMap;
use std::process::ExitCode;

use whyslow_compare::{Named, Options, compare};
use whyslow_model::comparison::{PointComparison, Verdict};
use whyslow_stats::quantile::median;
use whyslow_stats::student::quantile;
use whyslow_stats::welch::compare as welch;

/// Half-widths of 95 % intervals on logarithms, and whether they hold 0.
#[derive(Default)]
struct Tally {
    held: [usize; 2],
    halves: [Vec<f64>; 2],
}

impl Tally {
    fn add(&mut self, found: [(f64, bool); 2]) {
        for (k, (half, held)) in found.into_iter().enumerate() {
            self.held[k] += usize::from(held);
            self.halves[k].push(half);
        }
    }

    fn text(&self) -> String {
        let tests = self.halves[0].len();
        let of = |k: usize| {
            let half = median(&self.halves[k]).unwrap_or(f64::NAN).exp_m1();
            let held = self.held[k] as f64 / tests as f64;
            format!("{:5.1} % hold, ±{:5.1} %", 100.0 * held, 100.0 * half)
        };
        format!("{tests:5} tests; plain {}; compared {}", of(0), of(1))
    }
}

/// Half-width and whether it holds 0: of plain Welch, and of the comparison at the same coverage.
fn tested(point: &PointComparison) -> Option<[(f64, bool); 2]> {
    let ([lo, hi], df) = (point.range?, point.df?);
    let plain = welch(&point.a.units, &point.b.units).ok()?.test()?;
    let selected = quantile(0.5 + 0.5 * point.coverage, df);
    let half = 0.5 * (hi / lo).ln() * quantile(0.975, df) / selected;
    let log_ratio = plain.log_ratio.abs();
    let plain = plain.half_width(0.95);
    Some([plain, half].map(|half| (half, log_ratio <= half)))
}

fn differs(point: &PointComparison) -> bool {
    matches!(
        point.verdict,
        Verdict::Slower { .. } | Verdict::Faster { .. } | Verdict::Differs { .. }
    )
}

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
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut pairs, mut different) = (0, Vec::new());
    for (i, a) in records.iter().enumerate() {
        for b in &records[i + 1..] {
            let side = |name, record| [Named { name, record }];
            let Ok(found) = compare(&side("a", a), &side("b", b), &Options::default()) else {
                continue;
            };
            pairs += 1;
            for point in &found.points {
                if differs(point) {
                    different.push(point.point.to_string());
                }
                let Some(tested) = tested(point) else {
                    continue;
                };
                let fewest = point.a.units.len().min(point.b.units.len());
                let by_count = format!("{fewest} processes at least");
                for name in [&point.point.probe, "all", &by_count] {
                    tallies.entry(name.to_owned()).or_default().add(tested);
                }
            }
        }
    }
    for (name, tally) in &tallies {
        println!("{name:22} {}", tally.text());
    }
    println!(
        "called different in {pairs} comparisons: {}",
        different.len()
    );
    for point in different {
        println!("  {point}");
    }
    ExitCode::SUCCESS
}
