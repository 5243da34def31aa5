//! How long comparing takes: `cargo run --release -p whyslow-compare --example speed`.
//!
//! One pair of records of 300 points with ten processes, and 1,000 records of 300 points with five,
//! five hundred a side.

use std::time::{Duration, Instant};

use whyslow_compare::{Named, Options, compare};
use whyslow_model::record::{
    Build, Draw, Header, Outcome, Planned, Process, Randomization, Record, SCHEMA, Series,
    ValueRule,
};
use whyslow_model::{Better, Point, Unit};

/// Points of a record.
const POINTS: usize = 300;

fn record(seed: u64, processes: u32, draws: usize, samples: usize) -> Record {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut near_one = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        1.0 + 0.02 * ((random >> 33) as f64 / (1u64 << 31) as f64 - 0.5)
    };
    let mut record = Record::new(Header {
        schema: SCHEMA,
        version: String::new(),
        build: Build {
            arch: String::new(),
            libc: String::new(),
            profile: "release".into(),
            kernels: "assembly".into(),
        },
        seed,
        intensity: String::new(),
        rounds: processes,
        fill: false,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: String::new(),
    });
    // One host, as a farm's runs or a bisection's are.
    let host = include_str!("../../report/tests/common/host.json");
    record.host = serde_json::from_str(host).ok();
    for i in 0..POINTS {
        let point = Point::new("mem.latency").with("number", i);
        record.plan.points.push(Planned {
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
        for round in 1..=processes {
            let own = near_one();
            let draws = (0..draws).map(|_| Draw {
                frames: None,
                series: vec![Series {
                    name: String::new(),
                    work: 1e3,
                    ns: (0..samples).map(|_| 1e5 * own * near_one()).collect(),
                    marks: Vec::new(),
                    handover_ns: Vec::new(),
                    slots: Vec::new(),
                }],
            });
            record.processes.push(Process {
                round,
                order: 0,
                point: point.clone(),
                at_ms: 0.0,
                wall_ms: 1.0,
                randomization: Randomization::default(),
                // Follows the clock, so that what costs more is done.
                ghz: Some([4.0 / own; 2]),
                slots: None,
                outcome: Outcome::Draws(draws.collect()),
            });
        }
    }
    record
}

/// Time that this process spent on a CPU, which does not depend on who else is there.
fn on_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = text
        .split_whitespace()
        .next()
        .and_then(|ns| ns.parse().ok());
    Duration::from_nanos(first.unwrap_or(0))
}

#[allow(clippy::print_stdout, reason = "an example for people")]
fn main() {
    let time = |what: &str, a: &[Record], b: &[Record]| {
        let a: Vec<Named<'_>> = a.iter().map(|record| Named { name: "a", record }).collect();
        let b: Vec<Named<'_>> = b.iter().map(|record| Named { name: "b", record }).collect();
        let (start, before) = (Instant::now(), on_cpu());
        let points = compare(&a, &b, &Options::default()).map_or(0, |c| c.points.len());
        let (wall, cpu) = (start.elapsed(), on_cpu() - before);
        println!("{what}: {points} points in {wall:?}, {cpu:?} of it on a CPU");
    };
    let pair = [record(1, 10, 3, 10), record(2, 10, 3, 10)];
    time("one pair", &pair[..1], &pair[1..]);
    let many: Vec<Record> = (0..1000).map(|seed| record(seed, 5, 2, 5)).collect();
    time("1,000 records", &many[..500], &many[500..]);
}
