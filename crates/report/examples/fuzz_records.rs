//! Reads and prints a great many damaged records, and says what it took:
//! `cargo run -p whyslow-report --example fuzz_records -- [RECORDS]`
//!
//! Stops at the first panic, at what is printed and is no number, at the first record that takes over five seconds,
//! and when the process has ever held over 512 MiB. A million is the measure for a release.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a tool of developers

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/damage/mod.rs"]
mod damage;

use std::fs;
use std::time::{Duration, Instant};

use damage::{Dice, check, check_printed, damaged, sample};

/// Most memory that anything hostile may take, KiB.
const MOST_KIB: u64 = 512 << 10;

/// Most time that anything hostile may take, of the CPU.
const LONGEST: Duration = Duration::from_secs(5);

/// One in so many is printed in every way; all are read.
const PRINTED: usize = 16;

fn main() {
    let records: u64 = std::env::args()
        .nth(1)
        .map_or(1_000_000, |n| n.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let sample = sample(folder.path());
    let path = folder.path().join("damaged");
    let mut dice = Dice::new(17);
    let (started, mut slowest) = (Instant::now(), Duration::ZERO);
    let (mut read, mut printed) = (0u64, 0u64);
    for _ in 0..records {
        fs::write(&path, damaged(&sample, &mut dice)).unwrap();
        let before = cpu_time();
        if let Some(record) = check(&path) {
            read += 1;
            if dice.below(PRINTED) == 0 {
                check_printed(record, &sample);
                printed += 1;
            }
        }
        slowest = slowest.max(cpu_time() - before);
        assert!(slowest < LONGEST, "too slow: {slowest:?}");
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    let peak: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    println!(
        "{records} records, {read} read, {printed} printed, {:.1} s, slowest {:.2} ms, peak {} MiB",
        started.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1e3,
        peak / 1024
    );
    assert!(peak < MOST_KIB, "more than 512 MiB");
}

/// CPU time of this thread: another process that holds the CPU for a second is no hang of ours.
fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
