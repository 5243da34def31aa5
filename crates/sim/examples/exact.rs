//! The simulated caches against the plain implementation of the tests, at length: a line of figures for each hierarchy.
//!
//!     cargo run --release -p whyslow-sim --example exact -- 100000000
#![allow(clippy::print_stdout, clippy::unwrap_used)] // an example that prints

#[path = "../tests/plain/mod.rs"]
mod plain;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use plain::{Reference, accesses};
use whyslow_sim::{
    CacheSpec, Hierarchy, Inclusion, IndexKind, LevelSpec, Replacement, Writes, folded,
};

fn three(replacement: Replacement) -> Vec<LevelSpec> {
    [("L1", 48, 12), ("L2", 1024, 16), ("L3", 8192, 16)]
        .map(|(name, kib, ways): (&str, u64, u32)| LevelSpec {
            name: name.to_owned(),
            cache: CacheSpec {
                lines: kib * 1024 / 64,
                ways,
                index: IndexKind::Linear,
                replacement,
                writes: Writes::Back,
            },
            inclusion: Inclusion::Neither,
            pairs: false,
        })
        .to_vec()
}

fn hierarchies() -> Vec<(&'static str, Vec<LevelSpec>)> {
    let changed = |change: fn(&mut LevelSpec)| {
        let mut levels = three(Replacement::Lru);
        change(&mut levels[2]);
        levels
    };
    // A tree needs a power of two.
    let mut tree = three(Replacement::TreePlru);
    tree[0].cache = CacheSpec {
        lines: 512,
        ways: 8,
        ..tree[0].cache.clone()
    };
    let mut pairs = three(Replacement::Lru);
    pairs[1].pairs = true;
    let mut through = three(Replacement::Lru);
    through[0].cache.writes = Writes::ThroughNoAllocate;
    vec![
        ("lru", three(Replacement::Lru)),
        ("bit-plru", three(Replacement::BitPlru)),
        ("tree-plru", tree),
        ("srrip", three(Replacement::Srrip)),
        ("brrip", three(Replacement::Brrip)),
        ("random", three(Replacement::Random)),
        (
            "lru, inclusive L3",
            changed(|l3| l3.inclusion = Inclusion::Inclusive),
        ),
        (
            "lru, exclusive L3",
            changed(|l3| l3.inclusion = Inclusion::Exclusive),
        ),
        (
            "lru, hashed L3",
            changed(|l3| l3.cache.index = IndexKind::Hashed(folded(8192))),
        ),
        ("lru, write-through L1", through),
        ("lru, L2 fetches pairs", pairs),
    ]
}

/// Accesses at once.
const BATCH: usize = 1 << 16;

fn main() -> ExitCode {
    let asked = std::env::args().nth(1);
    let count: usize = asked.map_or(1_000_000, |count| count.parse().unwrap());
    println!(
        "{count} accesses each; L1 48 KiB of 12 ways (tree-plru: 32 of 8), L2 1 MiB and L3 8 MiB of 16"
    );
    println!("{:24}{:>10}{:>10}  counts", "caches", "M/s", "plain M/s");
    let mut wrong = 0;
    for (seed, (name, levels)) in (1u64..).zip(hierarchies()) {
        let mut reference = Reference::new(&levels, seed);
        let mut caches = Hierarchy::new(&levels, seed).unwrap();
        let mut left = accesses(count, seed);
        let mut batch = Vec::new();
        let [mut own, mut plain] = [Duration::ZERO; 2];
        loop {
            batch.clear();
            batch.extend(left.by_ref().take(BATCH));
            if batch.is_empty() {
                break;
            }
            let begun = Instant::now();
            caches.access(&batch);
            own += begun.elapsed();
            let begun = Instant::now();
            reference.access(&batch);
            plain += begun.elapsed();
        }
        let speed = |time: Duration| count as f64 / time.as_secs_f64() / 1e6;
        let differs = reference.differs(&caches);
        wrong += u8::from(differs.is_some());
        let said = differs.unwrap_or_else(|| "equal".to_owned());
        println!("{name:24}{:10.0}{:10.1}  {said}", speed(own), speed(plain));
    }
    ExitCode::from(wrong.min(1))
}
