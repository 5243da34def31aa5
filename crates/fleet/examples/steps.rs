//! How often steps are shown in a node's history, on simulated series: without a step, with one, and where values follow each
//! other.
//!
//! `cargo run --release -p whyslow-fleet --example steps [SERIES]` prints the table of docs/fleet.md.
#![allow(clippy::print_stdout)] // an example prints its result

#[path = "fleets/dice.rs"]
mod dice;

use dice::Dice;
use whyslow_stats::allan::{Improves, improves};
use whyslow_stats::changes::changes;

/// Accepted share of one of nine families.
const ALPHA: f64 = 0.05 / 9.0;

/// Series of one row, in units of their noise.
struct Row {
    name: &'static str,
    records: usize,
    /// One value in ten has six times the deviation.
    tailed: bool,
    /// Share of a value's noise that the next one keeps.
    follows: f64,
    /// Deviation of a random walk's steps.
    walk: f64,
    /// What is added from two thirds on.
    step: f64,
}

const ROW: Row = Row {
    name: "",
    records: 30,
    tailed: false,
    follows: 0.0,
    walk: 0.0,
    step: 0.0,
};

const ROWS: &[Row] = &[
    Row {
        name: "none",
        records: 8,
        ..ROW
    },
    Row {
        name: "none",
        ..ROW
    },
    Row {
        name: "none",
        records: 120,
        ..ROW
    },
    Row {
        name: "none, with outliers",
        tailed: true,
        ..ROW
    },
    Row {
        name: "none, each keeps 0.3 of the last",
        follows: 0.3,
        ..ROW
    },
    Row {
        name: "none, each keeps 0.6 of the last",
        follows: 0.6,
        ..ROW
    },
    Row {
        name: "none, a walk of 0.3",
        records: 120,
        walk: 0.3,
        ..ROW
    },
    Row {
        name: "2 deviations",
        records: 12,
        step: 2.0,
        ..ROW
    },
    Row {
        name: "2 deviations",
        step: 2.0,
        ..ROW
    },
    Row {
        name: "3 deviations",
        step: 3.0,
        ..ROW
    },
    Row {
        name: "1 deviation",
        records: 120,
        step: 1.0,
        ..ROW
    },
    Row {
        name: "3 deviations, with outliers",
        tailed: true,
        step: 3.0,
        ..ROW
    },
];

impl Row {
    fn series(&self, dice: &mut Dice) -> Vec<f64> {
        let from = self.records * 2 / 3;
        let (mut last, mut level) = (0.0, 0.0);
        (0..self.records)
            .map(|at| {
                let far = if self.tailed && dice.below(10) == 0 {
                    6.0
                } else {
                    1.0
                };
                last = self.follows * last + far * dice.normal();
                level += self.walk * dice.normal();
                last + level + if at >= from { self.step } else { 0.0 }
            })
            .collect()
    }
}

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let count: u64 = count.unwrap_or(1_000);
    println!(
        "| step, noise | records | a family shows a step | near its place | wanders | said to drift |"
    );
    println!("|---|---|---|---|---|---|");
    for row in ROWS {
        let (mut shown, mut near, mut wander, mut drift) = (0, 0, 0, 0);
        for seed in 0..count {
            let values = row.series(&mut Dice::new(seed));
            let Ok(found) = changes(&values, ALPHA, seed) else {
                continue;
            };
            shown += u32::from(!found.steps.is_empty());
            let from = row.records * 2 / 3;
            near += u32::from(found.steps.iter().any(|s| s.at.abs_diff(from) <= 1));
            wander += u32::from(found.wander);
            drift += u32::from(matches!(improves(&values, seed), Improves::Until(_)));
        }
        let share = |n: u32| format!("{:.1} %", 100.0 * f64::from(n) / count as f64);
        let place = if row.step > 0.0 {
            share(near)
        } else {
            String::new()
        };
        let drift = if row.records < 16 {
            String::new()
        } else {
            share(drift)
        };
        println!(
            "| {} | {} | {} | {place} | {} | {drift} |",
            row.name,
            row.records,
            share(shown),
            share(wander)
        );
    }
}
