//! What luck decides, drawn for each process from the run's seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_model::Point;
use whyslow_model::record::Luck;
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

/// Random numbers for one process: the same for the same seed, round and point, whatever else the
/// plan holds and in whatever order, so that a resumed run draws what the first would have drawn.
pub(crate) fn numbers(seed: u64, round: u32, point: &Point) -> Xoshiro256PlusPlus {
    // FNV-1a over the point's text: any spread-out hash that is the same in every build.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in point.to_string().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    Xoshiro256PlusPlus::seed_from_u64(seed ^ hash.rotate_left(round))
}

/// Draws the luck of one process.
pub(crate) fn draw(rng: &mut impl Rng, choice: &CpuChoice, cpus: &[u32]) -> Luck {
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
    Luck {
        seed: rng.next_u64(),
        env_bytes: below(rng, ENV_BYTES) as u32,
        stack_offset: (below(rng, STACK_STEPS) * STACK_STEP) as u32,
        buffer_offset: (below(rng, LINES) * LINE) as u32,
        cpus: pinned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_process_draws_the_same() {
        let point: Point = "mem.latency{size=1KiB}".parse().unwrap();
        let luck = |round| {
            draw(
                &mut numbers(7, round, &point),
                &CpuChoice::One,
                &[0, 1, 2, 3],
            )
        };
        assert_eq!(luck(1), luck(1));
        assert_ne!(luck(1), luck(2));
    }

    #[test]
    fn cpus_come_from_the_class() {
        let point = Point::new("x.y");
        let pairs = vec![[0, 2], [1, 3]];
        let mut seen = std::collections::BTreeSet::new();
        for round in 1..200 {
            seen.insert(
                draw(
                    &mut numbers(1, round, &point),
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
