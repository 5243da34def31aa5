//! Quick runs in a crowd of our own: `cargo build --release && cargo run --release -p whyslow --example crowd -- FOLDER [RUNS]`.
//!
//! On each CPU a loop is busy 70 % of the time, and a stream of memory runs for 30 %. Of each run it is said whether it is
//! complete, how many points have how many processes, what share of the time was in timed batches, and how wide the
//! intervals are.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // an experiment that cannot go on stops, and says what it found

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use whyslow_linux::affinity;

/// A turn of work and rest: that of a service which others call.
const TURN: Duration = Duration::from_millis(20);

/// Bytes that the stream goes through: more than any cache.
const STREAM: usize = 256 << 20;

/// Works for `share` of each turn until told to stop.
fn busy(share: f64, stop: &AtomicBool, mut work: impl FnMut()) {
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        while start.elapsed() < TURN.mul_f64(share) {
            work();
        }
        std::thread::sleep(TURN.mul_f64(1.0 - share));
    }
}

/// Tells the crowd to stop when it goes.
struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Of a record and its summary: a line.
fn told(text: &[u8], wall: f64) -> String {
    let json: Value = serde_json::from_slice(text).unwrap();
    let points = json["summary"]["points"].as_array().unwrap();
    // Of the record: a value by class of placement, or none where two series are alike, still has its processes.
    let processes = json["record"]["processes"].as_array().unwrap();
    let measured = |point: &Value| {
        let of_it = |p: &&Value| p["point"] == *point && p["draws"].is_array();
        processes.iter().filter(of_it).count()
    };
    let counts: Vec<usize> = points.iter().map(|p| measured(&p["point"])).collect();
    let mut halves: Vec<f64> = points
        .iter()
        .filter_map(|p| {
            let range = p["value"]["range"].as_array()?;
            let [lo, hi] = [range[0].as_f64()?, range[1].as_f64()?];
            Some((hi / lo).ln() / 2.0 * 100.0)
        })
        .collect();
    halves.sort_by(f64::total_cmp);
    let draws = processes.iter();
    let draws = draws.flat_map(|p| p["draws"].as_array().cloned().unwrap_or_default());
    let series = draws.flat_map(|d| d["series"].as_array().cloned().unwrap_or_default());
    let ns = series.flat_map(|s| s["ns"].as_array().cloned().unwrap_or_default());
    let timed = ns.filter_map(|v| v.as_f64()).sum::<f64>() / 1e9;
    let families = points
        .iter()
        .filter_map(|p| p["point"].as_str()?.split(['{', '.']).next());
    let mut families: Vec<&str> = families.collect();
    families.sort_unstable();
    families.dedup();
    format!(
        "{}; {} points of {}; {} with fewer than 3 processes, least {}; half of the intervals within ±{:.1} %; {:.0} % timed; {wall:.0} s",
        json["record"]["footer"]["end"]
            .as_str()
            .unwrap_or("unfinished"),
        points.len(),
        families.join(" "),
        counts.iter().filter(|n| **n < 3).count(),
        counts.iter().min().unwrap_or(&0),
        halves.get(halves.len() / 2).copied().unwrap_or(f64::NAN),
        timed / wall * 100.0
    )
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().expect("a folder for the records"));
    let runs: usize = args.next().map_or(1, |n| n.parse().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    let own = std::env::current_exe().unwrap();
    let whyslow = own.parent().unwrap().parent().unwrap().join("whyslow");
    let stop = AtomicBool::new(false);
    let cpus = affinity::allowed().unwrap();
    std::thread::scope(|scope| {
        for cpu in cpus {
            let stop = &stop;
            scope.spawn(move || {
                affinity::restrict(&[cpu]).unwrap();
                busy(0.7, stop, || {
                    std::hint::black_box(1u64);
                });
            });
        }
        scope.spawn(|| {
            let mut memory = vec![1u8; STREAM];
            let mut at = 0;
            busy(0.3, &stop, || {
                let end = (at + (1 << 20)).min(STREAM);
                memory[at..end].fill(at as u8);
                at = if end == STREAM { 0 } else { end };
            });
        });
        // Also where a run fails, or the scope would wait for the crowd.
        let _stops = Stops(&stop);
        for run in 1..=runs {
            let to = folder.join(format!("crowd.{run}.whyslow"));
            let start = Instant::now();
            let made = Command::new(&whyslow)
                .args(["run", "-o"])
                .arg(&to)
                .output()
                .unwrap();
            let wall = start.elapsed().as_secs_f64();
            assert!(
                made.status.success(),
                "{}",
                String::from_utf8_lossy(&made.stderr)
            );
            let shown = Command::new(&whyslow)
                .arg("show")
                .arg(&to)
                .args(["--format", "json"])
                .output()
                .unwrap();
            println!("run {run}: {}", told(&shown.stdout, wall));
        }
    });
}
