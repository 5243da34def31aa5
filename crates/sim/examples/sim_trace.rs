//! One trace for several simulators: makes it, or simulates it on L1 32 KiB of 8 ways and L2 1 MiB of 16, LRU, 64 B lines.
//! `docs/sim-rivals.sh` uses both.
//!
//!     cargo run --release -p whyslow-sim --example sim_trace -- make random 2000000 FILE
//!     cargo run --release -p whyslow-sim --example sim_trace -- run FILE
//!
//! FILE has addresses of reads of 8 bytes, each in 8 bytes, little-endian. Only simulating is timed, as the input is in memory.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // an example that prints

use std::fs;
use std::time::Instant;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_sim::{Hierarchy, LevelSpec, Tally};

/// Where the memory of a trace begins.
const START: u64 = 0x1000_0000;

fn make(pattern: &str, count: u64) -> Vec<u8> {
    let mut rng = SplitMix64::seed_from_u64(1);
    let mut below = |limit: u64| (rng.next_u64() >> 33) % (limit / 8) * 8;
    let address = |at: u64| match pattern {
        "resident" => below(32 << 10),
        "stride" => at * 64 % (2 << 20),
        "hot" if !at.is_multiple_of(10) => below(32 << 10),
        _ => below(8 << 20),
    };
    (0..count)
        .map(address)
        .flat_map(|offset| (START + offset).to_le_bytes())
        .collect()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", pattern, count, file] => {
            fs::write(file, make(pattern, count.parse().unwrap())).unwrap();
        }
        ["run", file] => {
            let bytes = fs::read(file).unwrap();
            let (words, _) = bytes.as_chunks::<8>();
            let begun = Instant::now();
            // Lines are made of addresses within the time, as others do for themselves.
            let lines: Vec<u64> = words
                .iter()
                .map(|word| u64::from_le_bytes(*word) >> 6)
                .collect();
            let levels = [
                LevelSpec::lru("L1", 512, 8),
                LevelSpec::lru("L2", 16384, 16),
            ];
            let mut caches = Hierarchy::new(&levels, 1).unwrap();
            caches.access(&lines);
            let speed = lines.len() as f64 / begun.elapsed().as_secs_f64() / 1e6;
            let misses: Vec<u64> = caches.tallies().map(Tally::misses).collect();
            println!("{speed:.2} M/s, misses {misses:?}");
        }
        _ => println!("make PATTERN COUNT FILE, or run FILE"),
    }
}
