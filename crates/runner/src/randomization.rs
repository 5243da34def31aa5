//! What randomization decides, drawn for each process from the run's seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_model::Point;
use whyslow_model::record::Randomization;
use whyslow_probes::CpuChoice;
use whyslow_probes::bench::{below, shuffle};

/// Most bytes added to the environment: a page, after which alignments repeat.
const ENV_BYTES: u64 = 4096;
/// Most frames that the stack is moved by, and bytes a frame: a page as well.
const STACK_STEPS: u64 = 64;
const STACK_STEP: u64 = 64;
/// Lines in a page: buffers begin at any of them.
const LINES: u64 = 64;
const LINE: u64 = 64;

/// Which process of a point is drawn for. Kinds never meet, however many there are of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The process of a round.
    Round(u32),
    /// A pass of the scout.
    Scout(u32),
    /// A round of warm-up, which is not measured.
    WarmUp(u32),
}

/// Random numbers for one process: the same for the same seed, turn and point, whatever else the
/// plan holds and in whatever order, so that a resumed run draws what the first would have drawn.
pub(crate) fn numbers(seed: u64, turn: Turn, point: &Point) -> Xoshiro256PlusPlus {
    let (kind, number) = match turn {
        Turn::Round(n) => (0u8, n),
        Turn::Scout(n) => (1, n),
        Turn::WarmUp(n) => (2, n),
    };
    // A cryptographic hash, as every part has to reach every bit of what comes out: parts that are only
    // rotated or added meet again, and then two processes are one. The text comes last, as its length varies.
    let mut hash = blake3::Hasher::new();
    hash.update(&seed.to_le_bytes());
    hash.update(&[kind]);
    hash.update(&number.to_le_bytes());
    hash.update(point.to_string().as_bytes());
    Xoshiro256PlusPlus::from_seed(*hash.finalize().as_bytes())
}

/// Draws the randomization of one process.
pub(crate) fn draw(rng: &mut impl Rng, choice: &CpuChoice, cpus: &[u32]) -> Randomization {
    let pick = |rng: &mut _, n: usize| below(rng, n as u64) as usize;
    let pinned = match choice {
        CpuChoice::One if cpus.is_empty() => Vec::new(),
        CpuChoice::One => vec![cpus[pick(rng, cpus.len())]],
        CpuChoice::Pair(pairs) if pairs.is_empty() => Vec::new(),
        CpuChoice::Pair(pairs) => {
            let [a, b] = pairs[pick(rng, pairs.len())];
            // Either may play either part.
            if rng.next_u64() & 1 == 0 {
                vec![a, b]
            } else {
                vec![b, a]
            }
        }
        CpuChoice::Copies(count) => {
            let mut cpus = cpus.to_vec();
            shuffle(&mut cpus, rng);
            cpus.iter().cycle().take(*count as usize).copied().collect()
        }
        CpuChoice::All => cpus.to_vec(),
        CpuChoice::Free => Vec::new(),
    };
    Randomization {
        seed: rng.next_u64(),
        env_bytes: below(rng, ENV_BYTES) as u32,
        stack_offset: (below(rng, STACK_STEPS) * STACK_STEP) as u32,
        buffer_offset: (below(rng, LINES) * LINE) as u32,
        cpus: pinned,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_process_draws_the_same() {
        let point: Point = "mem.latency{size=1KiB}".parse().unwrap();
        let randomization = |round| {
            draw(
                &mut numbers(7, Turn::Round(round), &point),
                &CpuChoice::One,
                &[0, 1, 2, 3],
            )
        };
        assert_eq!(randomization(1), randomization(1));
        assert_ne!(randomization(1), randomization(2));
    }

    /// Processes that repeat each other's randomization are one, and an interval would count them as two.
    #[test]
    fn no_two_processes_share_their_luck() {
        let points = [
            "os.null_call",
            "mem.latency{size=1KiB}",
            "mem.latency{size=2KiB}",
        ];
        let turns = (0..1000).flat_map(|n| [Turn::Round(n), Turn::Scout(n), Turn::WarmUp(n)]);
        let turns: Vec<Turn> = turns
            .chain([Turn::Round(1 << 16), Turn::Round(u32::MAX)])
            .collect();
        let (mut seeds, mut all) = (BTreeSet::new(), BTreeSet::new());
        for seed in [0, 1, 2, u64::MAX] {
            for point in points {
                for turn in &turns {
                    let mut rng = numbers(seed, *turn, &point.parse().unwrap());
                    let randomization = draw(&mut rng, &CpuChoice::One, &[0, 1]);
                    assert!(
                        seeds.insert(randomization.seed),
                        "{point}, seed {seed}, {turn:?}"
                    );
                    all.insert((
                        randomization.env_bytes,
                        randomization.stack_offset,
                        randomization.buffer_offset,
                    ));
                }
            }
        }
        // Of 4096 x 64 x 64 combinations, chance repeats one in 460 of so many processes.
        let drawn = 4 * points.len() * turns.len();
        assert!(
            all.len() as f64 > 0.99 * drawn as f64,
            "{} of {drawn}",
            all.len()
        );
    }

    #[test]
    fn cpus_come_from_the_class() {
        let point = Point::new("x.y");
        let pairs = vec![[0, 2], [1, 3]];
        let mut seen = BTreeSet::new();
        for round in 1..200 {
            seen.insert(
                draw(
                    &mut numbers(1, Turn::Round(round), &point),
                    &CpuChoice::Pair(pairs.clone()),
                    &[],
                )
                .cpus,
            );
        }
        assert_eq!(
            seen.into_iter().collect::<Vec<_>>(),
            [[0, 2], [1, 3], [2, 0], [3, 1]]
        );
    }
}
