//! Runs of a command: each is a process with one value, and rounds go there and back.

use std::collections::BTreeMap;

use whyslow_model::record::{Outcome, Process};

/// Two rounds make a block: there and back.
const ROUNDS_A_BLOCK: u32 = 2;

/// The one value of a run, in ns where it is a time; nothing where it failed.
pub fn run_value(process: &Process) -> Option<f64> {
    match &process.outcome {
        Outcome::Draws(draws) => draws.first()?.series.first()?.ns.first().copied(),
        Outcome::Failed(_) => None,
    }
}

/// The rounds, ascending, of the blocks that are whole in both arms, which are given by round: a steady drift cancels in
/// these alone.
pub fn rounds_of_whole_blocks(before: &BTreeMap<u32, f64>, after: &BTreeMap<u32, f64>) -> Vec<u32> {
    let both = |round: u32| before.contains_key(&round) && after.contains_key(&round);
    let whole = |round: &u32| {
        // Rounds count from 1: 1 and 2 are a block.
        let first = (round - 1) / ROUNDS_A_BLOCK * ROUNDS_A_BLOCK + 1;
        (first..first + ROUNDS_A_BLOCK).all(both)
    };
    before.keys().copied().filter(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_lacks_a_run_in_one_arm_is_none() {
        let of = |rounds: &[u32]| rounds.iter().map(|round| (*round, 1.0)).collect();
        let [before, after] = [of(&[1, 2, 3, 5, 6]), of(&[1, 2, 3, 4, 6])];
        assert_eq!(rounds_of_whole_blocks(&before, &after), [1, 2]);
        assert_eq!(rounds_of_whole_blocks(&before, &before), [1, 2, 5, 6]);
    }
}
