//! Accesses a second of the simulated caches, by pattern and hierarchy; one core.
//!
//!     cargo run --release -p whyslow-sim --example sim_speed
#![allow(clippy::print_stdout, clippy::unwrap_used)] // an example that prints

use std::time::Instant;

use whyslow_sim::{
    CacheSpec, Hierarchy, Inclusion, IndexKind, LevelSpec, Replacement, WRITE, Writes,
};

const KIB: u64 = 1024;

fn level(name: &str, kib: u64, ways: u32, replacement: Replacement) -> LevelSpec {
    LevelSpec {
        name: name.to_owned(),
        cache: CacheSpec {
            lines: kib * KIB / 64,
            ways,
            index: IndexKind::Linear,
            replacement,
            writes: Writes::Back,
        },
        inclusion: Inclusion::Neither,
        pairs: false,
    }
}

/// Line numbers of `count` accesses.
fn accesses(pattern: &str, count: usize) -> Vec<u64> {
    let mut state = 1u64;
    let mut random = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    };
    let lines = |kib: u64| kib * KIB / 64;
    (0..count as u64)
        .map(|at| match pattern {
            "8 B stream, 32 KiB" => at / 8 % lines(32),
            "64 B stream, 32 KiB" => at % lines(32),
            "random, 32 KiB" => random(lines(32)),
            "random writes, 32 KiB" => random(lines(32)) | WRITE,
            "90 % in 32 KiB, 8 MiB" if random(10) > 0 => random(lines(32)),
            "64 B stream, 2 MiB" => at % lines(2 * KIB),
            "random, 512 KiB" => random(lines(512)),
            "random, 64 MiB" => random(lines(64 * KIB)),
            _ => random(lines(8 * KIB)),
        })
        .collect()
}

fn main() {
    let three = |replacement| {
        vec![
            level("L1", 32, 8, replacement),
            level("L2", 1024, 16, replacement),
            level("L3", 32 * KIB, 16, replacement),
        ]
    };
    let hierarchies = [
        (
            "L1 48K/12, L2 1M/16",
            vec![
                level("L1", 48, 12, Replacement::Lru),
                level("L2", 1024, 16, Replacement::Lru),
            ],
        ),
        ("3 levels, lru", three(Replacement::Lru)),
        ("3 levels, bit-plru", three(Replacement::BitPlru)),
        ("3 levels, tree-plru", three(Replacement::TreePlru)),
        ("3 levels, srrip", three(Replacement::Srrip)),
        ("3 levels, random", three(Replacement::Random)),
        ("3 levels, lru, inclusive", {
            let mut levels = three(Replacement::Lru);
            levels[2].inclusion = Inclusion::Inclusive;
            levels
        }),
    ];
    println!("M accesses/s, best of 5 passes over 4 M accesses");
    println!("{:26}{:26}{:>8}", "pattern", "caches", "M/s");
    for pattern in [
        "8 B stream, 32 KiB",
        "64 B stream, 32 KiB",
        "random, 32 KiB",
        "random writes, 32 KiB",
        "90 % in 32 KiB, 8 MiB",
        "64 B stream, 2 MiB",
        "random, 512 KiB",
        "random, 8 MiB",
        "random, 64 MiB",
    ] {
        let input = accesses(pattern, 4 << 20);
        for (name, levels) in &hierarchies {
            let mut caches = Hierarchy::new(levels, 1).unwrap();
            let pass = |_| {
                let begun = Instant::now();
                caches.access(&input);
                input.len() as f64 / begun.elapsed().as_secs_f64() / 1e6
            };
            let best = (0..5).map(pass).fold(0.0, f64::max);
            println!("{pattern:26}{name:26}{best:8.0}");
        }
    }
}
