//! Feeds the importer a great many damaged samples of every format:
//! `cargo run --release -p whyslow-import --example fuzz -- [INPUTS_A_FORMAT] [FORMAT]`
//!
//! Stops at the first panic, the first input that takes over a second, and when the process has ever
//! held over 256 MiB. A million a format is the measure for a release.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a tool of developers

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs;
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_import::{Format, import};

/// What is put into samples besides their own pieces.
const PIECES: [&[u8]; 24] = [
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"|",
    b",",
    b"-",
    b"----",
    b"1",
    b"99.5",
    b"1.5K",
    b".",
    b"e9",
    b"\0",
    b"\"",
    b"{",
    b">",
    b"\xc2\xb1",
    b":",
    b"\xff",
    b"-1",
    b"1e308",
    b"name,value\n",
    b"0:01.5",
];

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let inputs: u64 = args.next().map_or(1_000_000, |n| n.parse().unwrap());
    let only = args.next();
    let samples = common::samples();
    for format in Format::all().filter(|f| only.as_deref().is_none_or(|o| o == f.name())) {
        let own: Vec<&[u8]> = samples
            .iter()
            .filter(|(name, ..)| name == format.name())
            .map(|(.., bytes)| bytes.as_slice())
            .collect();
        let mut dice = Dice(Xoshiro256PlusPlus::seed_from_u64(17));
        let (started, mut slowest, mut taken) = (Instant::now(), Duration::ZERO, 0u64);
        for _ in 0..inputs {
            let bytes = damaged(&own, &mut dice);
            let before = cpu_time();
            // Every other input is read under its format's name, so that nothing hides behind the
            // recognition.
            let named = (dice.below(2) == 0).then_some(format);
            if let Ok(imported) = import(&bytes, "x", named) {
                taken += 1;
                if dice.below(16) == 0 {
                    common::assert_all_stand_in(&bytes, &imported);
                }
            }
            slowest = slowest.max(cpu_time() - before);
            assert!(
                slowest < Duration::from_secs(1),
                "too slow: {:?}",
                String::from_utf8_lossy(&bytes)
            );
        }
        let peak = peak_kib();
        println!(
            "{:16} {inputs} inputs, {taken} read, {:.1} s, slowest {:.2} ms, peak {} MiB",
            format.name(),
            started.elapsed().as_secs_f64(),
            slowest.as_secs_f64() * 1e3,
            peak / 1024
        );
        assert!(peak < 256 * 1024, "more than 256 MiB");
    }
}

/// A sample with up to eight pieces taken out, doubled, swapped for others or cut off.
fn damaged(own: &[&[u8]], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = own[dice.below(own.len())].to_vec();
    for _ in 0..dice.below(9) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(16)).min(bytes.len());
        match dice.below(8) {
            0 => bytes.truncate(at),
            1 => {
                let piece = bytes[at..end].to_vec();
                let times = dice.below(40);
                bytes.splice(at..at, piece.repeat(times));
            }
            2 => {
                let other = own[dice.below(own.len())];
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(200)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
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
