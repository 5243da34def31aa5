//! The simulated caches against a plain implementation.
//!
//! `WHYSLOW_SIM_ACCESSES=100000000` makes as many accesses of each configuration as it says.
#![allow(clippy::unwrap_used)] // helpers of tests

mod plain;

use plain::{Reference, accesses};
use whyslow_sim::{Hierarchy, Inclusion, IndexKind, LevelSpec, Replacement, Writes, folded};

fn level(name: &str, lines: u64, ways: u32, replacement: Replacement) -> LevelSpec {
    let mut level = LevelSpec::lru(name, lines, ways);
    level.cache.replacement = replacement;
    level
}

const POLICIES: [Replacement; 6] = [
    Replacement::Lru,
    Replacement::BitPlru,
    Replacement::TreePlru,
    Replacement::Srrip,
    Replacement::Brrip,
    Replacement::Random,
];

/// All that is compared.
fn configurations() -> Vec<Vec<LevelSpec>> {
    let mut all = Vec::new();
    for replacement in POLICIES {
        let three = |first: u32, second: u32| {
            vec![
                level("L1", 16 * u64::from(first), first, replacement),
                level("L2", 64 * u64::from(second), second, replacement),
                level("L3", 256 * 16, 16, replacement),
            ]
        };
        for (first, second) in [(8, 16), (1, 2), (4, 8), (16, 4)] {
            all.push(three(first, second));
        }
        if replacement != Replacement::TreePlru {
            // Sets and ways that are no powers of two.
            let mut odd = three(12, 11);
            odd[1].cache.lines = 11 * 48;
            all.push(odd);
        }
        let mut hashed = three(8, 16);
        hashed[1].cache.index = IndexKind::Hashed(folded(64));
        hashed[2].cache.index = IndexKind::Hashed(folded(256));
        all.push(hashed);
        for inclusion in [Inclusion::Inclusive, Inclusion::Exclusive] {
            for at in [1, 2] {
                let mut levels = three(8, 16);
                levels[at].inclusion = inclusion;
                all.push(levels.clone());
                levels[1].pairs = true;
                all.push(levels);
            }
        }
        for writes in [
            Writes::BackNoAllocate,
            Writes::Through,
            Writes::ThroughNoAllocate,
        ] {
            for at in 0..3 {
                let mut levels = three(8, 16);
                levels[at].cache.writes = writes;
                all.push(levels.clone());
                levels[2].inclusion = Inclusion::Inclusive;
                all.push(levels);
            }
        }
    }
    // Fully associative, as TLBs are, and four levels.
    all.push(vec![
        level("L1", 96, 96, Replacement::Lru),
        level("L2", 32 * 20, 20, Replacement::Lru),
    ]);
    // Random replacement in many ways, also where lines are removed.
    for inclusion in [
        Inclusion::Neither,
        Inclusion::Inclusive,
        Inclusion::Exclusive,
    ] {
        let mut levels = vec![
            level("L1", 8 * 16, 8, Replacement::Lru),
            level("L2", 1500, 1500, Replacement::Random),
            level("L3", 64 * 40, 40, Replacement::Random),
        ];
        levels[1].inclusion = inclusion;
        levels[2].cache.writes = Writes::Through;
        all.push(levels);
    }
    all.push(
        (0..4)
            .map(|at| level("L", 64 << at, 4 << (at / 2), Replacement::Lru))
            .collect(),
    );
    all
}

#[test]
fn every_configuration_counts_as_the_plain_one_does() {
    let asked = std::env::var("WHYSLOW_SIM_ACCESSES").ok();
    let count: usize = asked.map_or(100_000, |count| count.parse().unwrap());
    let configurations = configurations();
    assert!(configurations.len() > 100, "{}", configurations.len());
    for (seed, levels) in (0u64..).zip(&configurations) {
        let mut reference = Reference::new(levels, seed);
        let mut caches = Hierarchy::new(levels, seed).unwrap();
        let mut batch = Vec::new();
        let mut left = accesses(count, seed);
        loop {
            batch.clear();
            // No multiple of the size of inner batches.
            batch.extend(left.by_ref().take(7001));
            if batch.is_empty() {
                break;
            }
            caches.access(&batch);
            reference.access(&batch);
        }
        assert_eq!(reference.differs(&caches), None, "{levels:#?}");
        assert!(caches.memory().reads > 0, "{levels:#?}");
    }
}

#[test]
fn shapes_that_cannot_be_are_refused_by_name() {
    let refused = |change: fn(&mut LevelSpec)| {
        let mut second = level("L2", 64 * 16, 16, Replacement::Lru);
        change(&mut second);
        let levels = [level("L1", 128, 8, Replacement::Lru), second];
        Hierarchy::new(&levels, 0).err().unwrap().to_string()
    };
    for (said, wanted) in [
        (refused(|l| l.cache.ways = 0), "L2: 0 ways"),
        (
            refused(|l| l.cache.lines = 1000),
            "L2: 1000 lines are no whole number of sets",
        ),
        (
            refused(|l| {
                l.cache.lines = 48 * 16;
                l.cache.index = IndexKind::Hashed(folded(48));
            }),
            "L2: 48 sets are no power of two",
        ),
        (
            refused(|l| l.cache.index = IndexKind::Hashed(vec![1])),
            "L2: 1 masks for 64 sets",
        ),
        (
            refused(|l| {
                (l.cache.ways, l.cache.lines) = (32, 32 * 64);
                l.cache.replacement = Replacement::Srrip;
            }),
            "L2: 32 ways; above 16 the replacement is lru or random",
        ),
        (
            refused(|l| {
                (l.cache.ways, l.cache.lines) = (12, 12 * 64);
                l.cache.replacement = Replacement::TreePlru;
            }),
            "L2: 12 ways; tree-plru",
        ),
    ] {
        assert!(said.starts_with(wanted), "{said}");
    }
    assert!(Hierarchy::new(&[], 0).is_err());
}
