//! Permutation of the units of two sides: the cross-check of Welch's test.
//!
//! Needs no normal distribution, but its p-values are coarse for few units (with five per side the
//! minimum is 0.008), so it does not rank points; it only shows where Welch's test is unreliable.

use crate::InputError;
use crate::bootstrap::Resampler;

/// Up to this many arrangements all are enumerated: eight units per side, faster than a thousand
/// random ones.
const EXACT_WAYS: u64 = 12_870;

/// The result of a permutation test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Permuted {
    /// Two-sided p-value of "no difference between the means".
    pub p: f64,
    /// True if all arrangements were enumerated.
    pub exact: bool,
}

/// Two-sided permutation test of the means of `a` and `b` (pass logarithms for ratios). If there
/// are too many arrangements, `resamples` random ones are used, seeded by `seed`, and the observed
/// one is counted among them, so that the p-value is never zero.
///
/// # Errors
/// A side without values, no resamples, or a value that is not finite.
pub fn permute(a: &[f64], b: &[f64], resamples: u32, seed: u64) -> Result<Permuted, InputError> {
    if a.is_empty() || b.is_empty() || resamples == 0 {
        return Err(InputError::Empty);
    }
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    if let Some(bad) = all.iter().find(|v| !v.is_finite()) {
        return Err(InputError::NotALogLatency(*bad));
    }
    let total: f64 = all.iter().sum();
    // Centered, so that sums of the chosen values compare without cancellation.
    let center = total / all.len() as f64;
    all.iter_mut().for_each(|v| *v -= center);
    // The difference of the means is a multiple of the sum of the first side about the center.
    let observed = all[..a.len()].iter().sum::<f64>().abs();
    let scale: f64 = all.iter().map(|v| v.abs()).sum();
    // Equal arrangements must compare as equal regardless of summation order.
    let least = observed - 1e-12 * scale;
    Ok(if ways(all.len(), a.len()) <= EXACT_WAYS {
        exact(&all, a.len(), least)
    } else {
        random(&mut all, a.len(), least, resamples, seed)
    })
}

/// Ways to choose `k` of `n`; a number above [`EXACT_WAYS`] if there are more.
fn ways(n: usize, k: usize) -> u64 {
    let mut ways: u64 = 1;
    for i in 0..k.min(n - k) as u64 {
        ways = ways * (n as u64 - i) / (i + 1);
        if ways > EXACT_WAYS {
            return ways;
        }
    }
    ways
}

fn exact(values: &[f64], k: usize, least: f64) -> Permuted {
    let mut chosen: Vec<usize> = (0..k).collect();
    let (mut hits, mut seen) = (0u64, 0u64);
    loop {
        let sum: f64 = chosen.iter().map(|&i| values[i]).sum();
        hits += u64::from(sum.abs() >= least);
        seen += 1;
        // The next combination in lexicographic order.
        let n = values.len();
        let Some(at) = (0..k).rev().find(|&i| chosen[i] < n - k + i) else {
            break;
        };
        chosen[at] += 1;
        for i in at + 1..k {
            chosen[i] = chosen[i - 1] + 1;
        }
    }
    Permuted {
        p: hits as f64 / seen as f64,
        exact: true,
    }
}

fn random(values: &mut [f64], k: usize, least: f64, resamples: u32, seed: u64) -> Permuted {
    let mut dice = Resampler::new(seed);
    let mut hits = 1u64;
    for _ in 0..resamples {
        let mut sum = 0.0;
        for i in 0..k {
            let other = i + dice.below(values.len() - i);
            values.swap(i, other);
            sum += values[i];
        }
        hits += u64::from(f64::abs(sum) >= least);
    }
    Permuted {
        p: hits as f64 / (f64::from(resamples) + 1.0),
        exact: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_all_ways_when_they_are_few() {
        // Separate sides: only the observed arrangement and its mirror image are as extreme, 2 of
        // 20.
        let found = permute(&[1.0, 1.1, 1.2], &[2.0, 2.1, 2.2], 10, 0).unwrap();
        assert!(found.exact && (found.p - 0.1).abs() < 1e-12);
        // Two of C(10, 5) = 252.
        let found = permute(
            &[1.0, 1.1, 1.2, 1.3, 1.4],
            &[2.0, 2.1, 2.2, 2.3, 2.4],
            10,
            0,
        )
        .unwrap();
        assert!((found.p - 2.0 / 252.0).abs() < 1e-12);
        let same = permute(&[1.0, 2.0], &[1.0, 2.0], 10, 0).unwrap();
        assert!((same.p - 1.0).abs() < 1e-12);
        // Unequal counts: 1 of 4 arrangements puts 9 alone.
        let found = permute(&[9.0], &[1.0, 1.1, 1.2], 10, 0).unwrap();
        assert!((found.p - 0.25).abs() < 1e-12);
    }

    #[test]
    fn random_ways_agree_with_all_ways() {
        let a: Vec<f64> = (0..8).map(|i| f64::from(i) * 0.1).collect();
        let b: Vec<f64> = (0..8).map(|i| 0.22 + f64::from(i * i % 7) * 0.11).collect();
        let all = permute(&a, &b, 1, 0).unwrap();
        assert!(all.exact);
        let mut values: Vec<f64> = a.iter().chain(&b).copied().collect();
        let center = values.iter().sum::<f64>() / 16.0;
        values.iter_mut().for_each(|v| *v -= center);
        let observed = values[..8].iter().sum::<f64>().abs();
        let some = random(&mut values, 8, observed - 1e-12, 20_000, 5);
        // Standard error of the random one is below 0.0035.
        assert!((some.p - all.p).abs() < 0.012, "{some:?} {all:?}");
        assert_eq!(
            random(&mut values.clone(), 8, observed, 500, 7),
            random(&mut values.clone(), 8, observed, 500, 7)
        );
    }

    #[test]
    fn refuses_nonsense() {
        assert_eq!(permute(&[], &[1.0], 10, 0), Err(InputError::Empty));
        assert!(permute(&[1.0], &[f64::NAN], 10, 0).is_err());
    }
}
