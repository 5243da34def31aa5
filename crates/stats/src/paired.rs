//! The ratio of two quantities measured in the same blocks.
//!
//! What a block has in common (clock, temperature, current load of other guests) cancels in its
//! ratio, so blocks are the unit of replication: with `n` blocks there are `n - 1` degrees of
//! freedom, however many runs each has.

use crate::{InputError, Interval, input, student};

/// One block: values of the first quantity, and of the second.
pub type Block = (Vec<f64>, Vec<f64>);

/// How many times as large the second quantity is as the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Geometric mean over blocks.
    pub value: f64,
    /// Its interval; absent with one block.
    pub interval: Option<Interval>,
    /// Blocks in which both were measured.
    pub blocks: usize,
}

/// The ratio of second to first over `blocks`, with an interval of `coverage`. Blocks that lack one
/// of the two are skipped.
///
/// # Errors
/// A value that is not positive and finite; or no block with both.
pub fn ratio(blocks: &[Block], coverage: f64) -> Result<Ratio, InputError> {
    let mut differences = Vec::with_capacity(blocks.len());
    for (first, second) in blocks {
        if !first.is_empty() && !second.is_empty() {
            differences.push(mean_log(second)? - mean_log(first)?);
        }
    }
    let mean = student::mean_interval(&differences, coverage).ok_or(InputError::Empty)?;
    Ok(Ratio {
        value: mean.mean.exp(),
        interval: mean.interval.map(|i| Interval {
            lo: i.lo.exp(),
            hi: i.hi.exp(),
        }),
        blocks: differences.len(),
    })
}

fn mean_log(values: &[f64]) -> Result<f64, InputError> {
    let logs = input::logs(values)?;
    Ok(logs.iter().sum::<f64>() / logs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_block_shares_cancels() {
        // Twice as much in every block, while the machine becomes ten times slower.
        let blocks: Vec<Block> = [1.0, 3.0, 10.0]
            .iter()
            .map(|&slow| (vec![slow, slow * 1.01], vec![slow * 2.0, slow * 2.02]))
            .collect();
        let found = ratio(&blocks, 0.95).unwrap();
        assert!((found.value - 2.0).abs() < 1e-9);
        let interval = found.interval.unwrap();
        assert!(interval.hi - interval.lo < 1e-6, "{interval:?}");
    }

    #[test]
    fn by_hand() {
        // Logs of the ratios: 0.0 and 0.2; mean 0.1, standard error 0.1, t(1) = 12.706.
        let blocks = [
            (vec![1.0], vec![1.0]),
            (vec![5.0], vec![5.0 * 0.2f64.exp()]),
        ];
        let found = ratio(&blocks, 0.95).unwrap();
        assert!((found.value.ln() - 0.1).abs() < 1e-9);
        assert!((found.interval.unwrap().hi.ln() - (0.1 + 1.2706)).abs() < 1e-3);
    }

    #[test]
    fn half_a_block_says_nothing() {
        let blocks = [(vec![1.0], vec![2.0]), (vec![1.0], vec![])];
        let found = ratio(&blocks, 0.95).unwrap();
        assert_eq!((found.blocks, found.interval), (1, None));
        assert_eq!(ratio(&blocks[1..], 0.95), Err(InputError::Empty));
        assert!(ratio(&[(vec![0.0], vec![1.0])], 0.95).is_err());
    }
}
