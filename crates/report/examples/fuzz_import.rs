//! Feeds the importer a great many damaged samples of every format, and prints what it took:
//! `cargo run -p whyslow-report --example fuzz_import -- [INPUTS_A_FORMAT] [SEED] [FORMAT]`
//!
//! Stops at the first panic, at what is printed and is no number, at a row that is not accounted for, at
//! the first input that takes over five seconds, and when the process has ever held over 512 MiB. A
//! million a format is the measure for a release.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a tool of developers

#[path = "../tests/mutants/mod.rs"]
mod mutants;

use std::fs;
use std::time::{Duration, Instant};

use mutants::{Dice, check, check_printed, damaged, samples};
use whyslow_import::Format;

/// Most memory that anything hostile may take, KiB.
const MOST_KIB: u64 = 512 << 10;

/// Most time that anything hostile may take, of the CPU.
const LONGEST: Duration = Duration::from_secs(5);

/// One in so many is printed in every way; all are imported and accounted for.
const PRINTED: usize = 16;

fn main() {
    let mut args = std::env::args().skip(1);
    let inputs: u64 = args.next().map_or(1_000_000, |n| n.parse().unwrap());
    let seed: u64 = args.next().map_or(17, |n| n.parse().unwrap());
    let only = args.next();
    let (mut all, mut all_kept, mut all_refused) = (0u64, 0, 0);
    for format in Format::all().filter(|f| only.as_deref().is_none_or(|o| o == f.name())) {
        let own = samples(format);
        let mut dice = Dice::new(seed);
        let (started, mut slowest) = (Instant::now(), Duration::ZERO);
        let (mut taken, mut printed, mut kept, mut refused) = (0u64, 0u64, 0, 0);
        for _ in 0..inputs {
            let bytes = damaged(&own, &mut dice);
            let before = cpu_time();
            // Every other input is read under its format's name, so that nothing hides behind the
            // recognition.
            let named = (dice.below(2) == 0).then_some(format);
            if let Some(imported) = check(&bytes, named) {
                taken += 1;
                kept += imported.kept;
                refused += imported.refused;
                if dice.below(PRINTED) == 0 {
                    mutants::common::assert_all_stand_in(&bytes, &imported);
                    check_printed(imported);
                    printed += 1;
                }
            }
            slowest = slowest.max(cpu_time() - before);
            assert!(
                slowest < LONGEST,
                "too slow: {:?}",
                String::from_utf8_lossy(&bytes)
            );
        }
        (all, all_kept, all_refused) = (all + inputs, all_kept + kept, all_refused + refused);
        let peak = peak_kib();
        println!(
            "{:16} {inputs} inputs, {taken} read ({kept} rows kept, {refused} refused), {printed} \
             printed, {:.1} s, slowest {:.2} ms, peak {} MiB",
            format.name(),
            started.elapsed().as_secs_f64(),
            slowest.as_secs_f64() * 1e3,
            peak / 1024
        );
        assert!(peak < MOST_KIB, "more than 512 MiB");
    }
    println!("seed {seed}: {all} inputs, {all_kept} rows kept, {all_refused} refused");
}

/// The most memory this process has held, KiB.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// CPU time of this thread: another process that holds the CPU for a second is no hang of ours.
fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
