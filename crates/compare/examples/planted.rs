//! How often a slowdown is found that is planted into one of two runs of a host:
//! `cargo run --release -p whyslow-compare --example planted -- A1 B1 A2 B2 ...`.
//!
//! In every pair of records, each point whose processes spread by about 1 % is made 2 %, then 5 % slower in
//! the second, alone, and the pair is compared as a whole. Without a plant the same points should come out alike.

use std::path::Path;
use std::process::ExitCode;

use whyslow_compare::{Named, Options, compare};
use whyslow_model::comparison::Verdict;
use whyslow_model::record::{Outcome, Record};
use whyslow_model::{Point, store};
use whyslow_stats::record::{Part, values};
use whyslow_stats::summary::estimate;

/// What is planted: nothing, 2 and 5 %.
const PLANTED: [f64; 3] = [1.0, 1.02, 1.05];

/// Spread between processes of a point that counts, as the standard deviation of logarithms.
const SPREAD: std::ops::Range<f64> = 0.007..0.013;

/// Points of one CPU whose processes spread by about 1 %.
fn steady(record: &Record) -> Vec<Point> {
    values(record)
        .into_iter()
        .filter(|found| found.part == Part::Whole)
        .filter(|found| {
            let values: Vec<f64> = found.processes.iter().map(|p| p.value).collect();
            estimate(&values).is_ok_and(|e| SPREAD.contains(&e.sd_log.unwrap_or(0.0)))
        })
        .map(|found| found.planned.point.clone())
        .collect()
}

fn slower(record: &Record, point: &Point, by: f64) -> Record {
    let mut record = record.clone();
    for process in record.processes.iter_mut().filter(|p| p.point == *point) {
        if let Outcome::Draws(draws) = &mut process.outcome {
            let series = draws.iter_mut().flat_map(|draw| &mut draw.series);
            for ns in series.flat_map(|series| &mut series.ns) {
                *ns *= by;
            }
        }
    }
    record
}

/// Does the comparison call the point slower?
fn found(a: &Record, b: &Record, point: &Point) -> Option<bool> {
    let side = |name, record| [Named { name, record }];
    let comparison = compare(&side("a", a), &side("b", b), &Options::default()).ok()?;
    let of_point = comparison.points.iter().find(|p| p.point == *point)?;
    Some(matches!(of_point.verdict, Verdict::Slower { .. }))
}

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for people"
)]
fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut all = [(0, 0); PLANTED.len()];
    for pair in files.chunks_exact(2) {
        let [a, b] = match (
            store::read(Path::new(&pair[0])),
            store::read(Path::new(&pair[1])),
        ) {
            (Ok(a), Ok(b)) => [a, b],
            (Err(why), _) | (_, Err(why)) => {
                eprintln!("{why}");
                return ExitCode::from(2);
            }
        };
        let both = steady(&a);
        let both: Vec<Point> = steady(&b)
            .into_iter()
            .filter(|p| both.contains(p))
            .collect();
        print!("{} {}: {} points", pair[0], pair[1], both.len());
        for (by, (hits, tries)) in PLANTED.iter().zip(&mut all) {
            let here: Vec<bool> = both
                .iter()
                .filter_map(|point| found(&a, &slower(&b, point, *by), point))
                .collect();
            let yes = here.iter().filter(|yes| **yes).count();
            print!("; {:+.0} %: {yes} of {}", (by - 1.0) * 100.0, here.len());
            *hits += yes;
            *tries += here.len();
        }
        println!();
    }
    for (by, (hits, tries)) in PLANTED.iter().zip(all) {
        println!("{:+.0} %: found in {hits} of {tries}", (by - 1.0) * 100.0);
    }
    ExitCode::SUCCESS
}
