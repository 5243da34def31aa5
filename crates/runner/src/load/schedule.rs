//! The order of the runs.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_probes::bench::shuffle;

/// Keeps this order apart from other random numbers of the same seed.
const SALT: u64 = 0x10ad;

/// One run: which, and in which round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// From 1.
    pub(super) round: u32,
    /// Position in the round.
    pub(super) order: u32,
    /// Combination of level and parameters.
    pub(super) group: usize,
    /// Command.
    pub(super) command: usize,
}

/// The turns of `rounds` rounds over `groups` combinations of `commands` commands.
///
/// One command: every round has its combinations in a random order of its own. Several: two rounds
/// make a block, and in it the commands of a combination run next to each other, first in a random
/// order and then in that order backwards (ABBA), so that a steady drift cancels in each block.
pub(super) fn turns(groups: usize, commands: usize, rounds: u32, seed: u64) -> Vec<Turn> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ SALT);
    let mut turns = Vec::new();
    let mut round = 1;
    while round <= rounds {
        let block = if commands > 1 {
            2.min(rounds + 1 - round)
        } else {
            1
        };
        let mut orders = [0u32; 2];
        for group in shuffled(groups, &mut rng) {
            let there = shuffled(commands, &mut rng);
            let back: Vec<usize> = there.iter().rev().copied().collect();
            for (way, commands) in [there, back].iter().take(block as usize).enumerate() {
                for &command in commands {
                    turns.push(Turn {
                        round: round + way as u32,
                        order: orders[way],
                        group,
                        command,
                    });
                    orders[way] += 1;
                }
            }
        }
        round += block;
    }
    turns
}

fn shuffled(n: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut items: Vec<usize> = (0..n).collect();
    shuffle(&mut items, rng);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_every_run_once() {
        for (groups, commands, rounds) in [(3, 1, 5), (2, 2, 6), (1, 3, 4), (4, 2, 3)] {
            let turns = turns(groups, commands, rounds, 7);
            for round in 1..=rounds {
                let mut seen: Vec<_> = turns
                    .iter()
                    .filter(|t| t.round == round)
                    .map(|t| (t.group, t.command))
                    .collect();
                let orders: Vec<u32> = turns
                    .iter()
                    .filter(|t| t.round == round)
                    .map(|t| t.order)
                    .collect();
                assert_eq!(orders, (0..seen.len() as u32).collect::<Vec<_>>());
                seen.sort_unstable();
                let all: Vec<_> = (0..groups)
                    .flat_map(|g| (0..commands).map(move |c| (g, c)))
                    .collect();
                assert_eq!(seen, all);
            }
        }
    }

    #[test]
    fn two_commands_go_there_and_back() {
        let turns = turns(2, 2, 20, 1);
        let mut first = [0; 2];
        for block in turns.chunks(4) {
            let commands: Vec<usize> = block.iter().map(|t| t.command).collect();
            assert!(
                commands == [0, 1, 1, 0] || commands == [1, 0, 0, 1],
                "{commands:?}"
            );
            assert!(block.iter().all(|t| t.group == block[0].group));
            first[commands[0]] += 1;
        }
        assert!(
            first.iter().all(|&n| n > 3),
            "always the same one begins: {first:?}"
        );
    }

    #[test]
    fn the_order_is_the_seeds() {
        assert_eq!(turns(5, 1, 4, 9), turns(5, 1, 4, 9));
        assert_ne!(turns(5, 1, 4, 9), turns(5, 1, 4, 10));
    }
}
