//! For how long averaging helps: the Allan deviation of evenly spaced values.
//!
//! The deviation at an averaging time is that between neighboring averages over it. Of values that do not depend on each
//! other it falls with the square root of the time; where a drift is larger than what averaging leaves, it rises again, and a
//! longer average is a worse one. (Allan 1966; overlapping estimate and its degrees of freedom for white noise by Howe, Allan
//! and Barnes 1981.)

use crate::bootstrap::Resampler;

/// Fewest values that anything is said of.
pub const FEWEST: usize = 16;

/// Longest average: of fewer than four that do not overlap, a deviation is hardly known.
const PARTS: usize = 4;

/// Permutations that a drift is tested by.
const PERMUTATIONS: u32 = 999;

/// The 95 % point of a normal distribution.
const ONE_SIDED: f64 = 1.645;

/// The deviation at one averaging time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Averaged {
    /// Values that are averaged.
    pub values: usize,
    /// Deviation between neighboring averages, in the unit of the values.
    pub deviation: f64,
    /// Interval of it, 90 %, for values that do not depend on each other.
    pub range: [f64; 2],
}

/// Up to where averages improve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Improves {
    /// Averages over so many values are the best: longer ones differ more, and order that permutations do not have is shown.
    Until(usize),
    /// Averages over so many values are shown to be better than single ones, and nothing speaks of a drift.
    AtLeast(usize),
    /// Neither is shown.
    Open,
}

/// Deviations at averaging times that double, the shortest first; none of fewer than [`FEWEST`] values.
pub fn deviations(values: &[f64]) -> Vec<Averaged> {
    if values.len() < FEWEST {
        return Vec::new();
    }
    let times = std::iter::successors(Some(1), |m| Some(m * 2));
    let times = times.take_while(|m| m * PARTS <= values.len());
    let sums = sums(values);
    times
        .map(|m| {
            let deviation = deviation(&sums, m);
            let df = degrees(values.len(), m);
            Averaged {
                values: m,
                deviation,
                range: [ONE_SIDED, -ONE_SIDED].map(|z| deviation / (chi_square(df, z) / df).sqrt()),
            }
        })
        .collect()
}

/// Up to where averages improve, with one in twenty series of values without order said to drift at most.
pub fn improves(values: &[f64], seed: u64) -> Improves {
    let found = deviations(values);
    let Some(best) = found
        .iter()
        .min_by(|a, b| a.deviation.total_cmp(&b.deviation))
    else {
        return Improves::Open;
    };
    let drifts = has_drift(values, &found, seed);
    // The next ones are worse by more than their own uncertainty.
    let worse = |one: &Averaged| one.values > best.values && one.range[0] > best.deviation;
    if drifts && found.iter().any(worse) {
        return Improves::Until(best.values);
    }
    let single = found[0].deviation;
    let better = found.iter().rev().find(|one| one.range[1] < single);
    match better {
        Some(one) if !drifts => Improves::AtLeast(one.values),
        _ => Improves::Open,
    }
}

/// Is the deviation at some time larger for the single values' than chance makes it?
fn has_drift(values: &[f64], found: &[Averaged], seed: u64) -> bool {
    let times: Vec<usize> = found.iter().map(|one| one.values).skip(1).collect();
    let excess = |values: &[f64]| {
        let sums = sums(values);
        let single = deviation(&sums, 1);
        let of = times
            .iter()
            .map(|m| deviation(&sums, *m) * (*m as f64).sqrt() / single);
        of.fold(0.0, f64::max)
    };
    let observed = excess(values);
    let mut dice = Resampler::new(seed);
    let mut shuffled = values.to_vec();
    let mut hits = 1u32;
    for _ in 0..PERMUTATIONS {
        for i in 0..shuffled.len() - 1 {
            let other = i + dice.below(shuffled.len() - i);
            shuffled.swap(i, other);
        }
        hits += u32::from(excess(&shuffled) >= observed);
    }
    observed.is_finite() && hits * 20 <= PERMUTATIONS + 1
}

/// Sums of the values up to each place.
fn sums(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut sum = 0.0;
    let rest = values.iter().map(|v| {
        sum += v - mean;
        sum
    });
    std::iter::once(0.0).chain(rest).collect()
}

fn deviation(sums: &[f64], m: usize) -> f64 {
    let pairs = sums.windows(2 * m + 1);
    let count = pairs.len() as f64;
    let squares: f64 = pairs.map(|w| (w[2 * m] - 2.0 * w[m] + w[0]).powi(2)).sum();
    (squares / (2.0 * count)).sqrt() / m as f64
}

/// Degrees of freedom of the deviation over `m` of `n` values that do not depend on each other.
fn degrees(n: usize, m: usize) -> f64 {
    // The formula counts the sums.
    let (n, m) = (n as f64 + 1.0, m as f64);
    let df =
        (3.0 * (n - 1.0) / (2.0 * m) - 2.0 * (n - 2.0) / n) * 4.0 * m * m / (4.0 * m * m + 5.0);
    df.max(1.0)
}

/// The value of a chi-square distribution at `z` standard deviations of a normal one (Wilson and Hilferty).
fn chi_square(df: f64, z: f64) -> f64 {
    let part = 2.0 / (9.0 * df);
    df * (1.0 - part + z * part.sqrt()).max(0.05).powi(3)
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    fn noise(n: usize, seed: u64) -> Vec<f64> {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut uniform = move || (dice.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (0..n)
            .map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0)
            .collect()
    }

    /// Noise of 1 on a random walk whose steps are `walk`.
    fn drifting(n: usize, walk: f64, seed: u64) -> Vec<f64> {
        let mut at = 0.0;
        let steps = noise(n, seed + 1_000_000);
        let values = noise(n, seed).into_iter().zip(steps);
        values
            .map(|(value, step)| {
                at += walk * step;
                value + at
            })
            .collect()
    }

    #[test]
    fn deviations_of_values_without_order_fall_with_the_root_of_the_time() {
        let found = deviations(&noise(4_096, 3));
        for one in &found[..8] {
            let expected = 1.0 / (one.values as f64).sqrt();
            assert!((one.deviation / expected - 1.0).abs() < 0.25, "{one:?}");
        }
        // By hand: neighbors of 0, 1, 0, 1 differ by 1, and averages of two by nothing.
        let switching: Vec<f64> = (0..16).map(|i| f64::from(i % 2)).collect();
        let found = deviations(&switching);
        assert!((found[0].deviation - 0.5_f64.sqrt()).abs() < 1e-12);
        assert!(found[1].deviation.abs() < 1e-12);
        assert!(deviations(&switching[1..]).is_empty());
    }

    #[test]
    fn intervals_of_the_deviation_cover_as_they_say() {
        let cover = |m: usize| {
            let covered = (0..300).filter(|seed| {
                let found = deviations(&noise(64, *seed));
                let one = found.iter().find(|one| one.values == m).unwrap();
                let truth = 1.0 / (m as f64).sqrt();
                one.range[0] < truth && truth < one.range[1]
            });
            covered.count()
        };
        // 270 of 300 with three standard errors of 5.2.
        for m in [1, 4, 16] {
            let covered = cover(m);
            assert!((254..=290).contains(&covered), "{m}: {covered}");
        }
    }

    #[test]
    fn a_drift_is_said_where_there_is_one_and_seldom_where_there_is_none() {
        let until = |walk: f64, n: usize| -> Vec<usize> {
            let seeds = 0..200;
            let found = seeds.filter_map(|seed| match improves(&drifting(n, walk, seed), seed) {
                Improves::Until(values) => Some(values),
                _ => None,
            });
            found.collect()
        };
        for n in [24, 64, 200] {
            let said = until(0.0, n).len();
            assert!(said <= 10, "{n}: {said} of 200");
        }
        // Averages over m have 1/m of noise and about m/3 * walk^2 of drift: the least is near m = 1.7 / walk.
        let best = until(0.3, 200);
        assert!(best.len() > 120, "{}", best.len());
        let near = best.iter().filter(|m| (2..=16).contains(*m)).count();
        assert!(near * 10 >= best.len() * 9, "{best:?}");
        let better = (0..50)
            .filter(|s| matches!(improves(&noise(200, *s), 1), Improves::AtLeast(m) if m >= 8));
        assert!(better.count() > 40);
    }
}
