//! How well the topology label of a sample predicts its speed: `cargo run --release -p
//! whyslow-stats --example separation -- RECORD`.
//!
//! For every shape of every point seen in several classes, for each class and the next by core-to-core latency: the
//! median rate of both (work per ns), the threshold that separates them best, and the number of misclassified samples.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use whyslow_model::record::{Mark, Outcome};
use whyslow_model::store;
use whyslow_stats::quantile::median;
use whyslow_stats::record::{Alone, Classes};

/// Values of one shape, by class.
type Shapes = BTreeMap<(String, String), BTreeMap<String, Vec<f64>>>;

/// The threshold between `low` and `high` with the fewest misclassified values, and their number.
fn best_threshold(low: &[f64], high: &[f64]) -> (f64, usize) {
    let wrong = |at: f64| {
        low.iter().filter(|v| **v > at).count() + high.iter().filter(|v| **v <= at).count()
    };
    let all = low.iter().chain(high).copied();
    all.map(|at| (at, wrong(at)))
        .min_by_key(|(_, wrong)| *wrong)
        .unwrap_or((f64::NAN, 0))
}

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for people"
)]
fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("name a record");
        return ExitCode::from(2);
    };
    let record = match store::read(Path::new(&file)) {
        Ok(record) => record,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let alone = Alone::of(&record);
    let record = alone.record.as_ref();
    let classes = Classes::of(record);
    let mut shapes = Shapes::new();
    let mut left_out = 0u32;
    for (p, process) in record.processes.iter().enumerate() {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        let planned = record.plan.points.iter().find(|p| p.point == process.point);
        let usual = planned.map_or(&[][..], |planned| &planned.usual_marks);
        for (d, draw) in draws.iter().enumerate() {
            for (s, series) in draw.series.iter().enumerate() {
                let shape = shapes
                    .entry((process.point.to_string(), series.name.clone()))
                    .or_default();
                for (i, ns) in series.ns.iter().enumerate() {
                    let marked = |m: &Mark| m.sample as usize == i && !usual.contains(&m.what);
                    if series.marks.iter().any(marked) {
                        left_out += 1;
                        continue;
                    }
                    if let Some(class) = classes.name_at((p, d, s, i)) {
                        shape.entry(class).or_default().push(series.work / ns);
                    }
                }
            }
        }
    }
    for ((point, shape), by_class) in &shapes {
        // By core-to-core latency: `near`, then `far` or `far 1`, `far 2` and on.
        let mut classes: Vec<&String> = by_class.keys().filter(|name| *name != "moved").collect();
        classes.sort_by_key(|name| (*name != "near", *name));
        let moved = by_class.get("moved").map_or(0, Vec::len);
        for pair in classes.windows(2) {
            let (near, far) = (&by_class[pair[0]], &by_class[pair[1]]);
            let (Some(a), Some(b)) = (median(near), median(far)) else {
                continue;
            };
            let (at, wrong) = match a < b {
                true => best_threshold(near, far),
                false => best_threshold(far, near),
            };
            println!(
                "{point} {shape}: {} {a:.3e} ({}), {} {b:.3e} ({}), moved {moved}; {wrong} of {} on the wrong side of {at:.3e}",
                pair[0],
                near.len(),
                pair[1],
                far.len(),
                near.len() + far.len()
            );
        }
    }
    left_out += alone
        .left_out
        .values()
        .map(|counts| counts.batches)
        .sum::<u32>();
    println!("{left_out} samples left out because of marks or a busy SMT sibling");
    ExitCode::SUCCESS
}
