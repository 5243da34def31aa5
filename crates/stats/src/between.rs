//! The spread between units, without measurement noise.
//!
//! Each unit is measured several times. Its measurements are split into two halves: what the medians of
//! both halves have in common belongs to the unit, because the noise of the halves is independent. So
//! the covariance of the two over all units is the variance *between* units, without bias and with the
//! only assumption that the noise of consecutive measurements is independent (split-half reliability;
//! Spearman 1910, Brown 1910). It is averaged over several random splits.
//!
//! All units are measured in passes, each over all units. A common effect of a pass (such as temporary
//! load) belongs to no unit: it is removed, because otherwise the half that contains it would differ from
//! the other.
//!
//! Unlike the analysis of variance in [`crate::nested`], a few disturbed measurements do not matter:
//! each half is represented by its median.

use crate::bootstrap::Resampler;
use crate::quantile::{median, quantile_sorted};
use crate::{InputError, input};

/// Splits: more than some twenty make no difference.
const SPLITS: usize = 24;

/// Splits used in each resample, where the choice of units dominates the variation.
const RESAMPLED_SPLITS: usize = 8;

/// Resamples for a limit of 5 %: its own error is then a tenth of that.
const RESAMPLES: usize = 2000;

/// The probability below a limit.
const TAIL: f64 = 0.05;

/// Least number of measurements per unit: with fewer, the median of a half is of one or two, and a single
/// disturbed one would decide.
const LEAST_VALUES: usize = 6;

/// Least number of units for estimating the spread.
const LEAST_UNITS: usize = 4;

/// Ratio of the spreads of two kinds of units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadier {
    /// Standard deviation of the logarithm between units of the first kind, over that of the second;
    /// absent if the second shows none beyond its noise.
    pub times: Option<f64>,
    /// Lower limit of the ratio with 95 % confidence (percentile bootstrap over units).
    pub at_least: f64,
}

/// How much less the units of `steady` vary than those of `other`; `None` if fewer than four units of
/// one were measured six times. For each unit, its value in each pass, if any.
///
/// # Errors
/// A value that is not positive and finite.
pub fn steadier(
    other: &[Vec<Option<f64>>],
    steady: &[Vec<Option<f64>>],
    seed: u64,
) -> Result<Option<Steadier>, InputError> {
    let mut random = Resampler::new(seed);
    let (other, steady) = (
        Halves::of(other, &mut random)?,
        Halves::of(steady, &mut random)?,
    );
    if other.units.min(steady.units) < LEAST_UNITS {
        return Ok(None);
    }
    let all = |units: usize| (0..units).collect::<Vec<_>>();
    let wide = other.variance(&all(other.units), SPLITS);
    let narrow = steady.variance(&all(steady.units), SPLITS);
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let mut drawn = |halves: &Halves| {
                let units: Vec<usize> = (0..halves.units)
                    .map(|_| random.below(halves.units))
                    .collect();
                halves.variance(&units, RESAMPLED_SPLITS)
            };
            // A negative estimate is noise: resamples are centered on zero, so that this chance result does
            // not become a limit.
            ratio(drawn(&other), drawn(&steady) - narrow.min(0.0))
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    Ok(Some(Steadier {
        times: Some(ratio(wide, narrow)).filter(|times| times.is_finite()),
        at_least: quantile_sorted(&ratios, TAIL).unwrap_or(0.0),
    }))
}

/// For standard deviations: zero over anything is 0, anything over zero is unbounded.
fn ratio(wide: f64, narrow: f64) -> f64 {
    if wide <= 0.0 {
        0.0
    } else if narrow <= 0.0 {
        f64::INFINITY
    } else {
        (wide / narrow).sqrt()
    }
}

/// For each split, the medians of the two halves of each unit, as logarithms.
struct Halves {
    units: usize,
    splits: Vec<Vec<[f64; 2]>>,
}

impl Halves {
    /// Units with too few measurements are left out.
    fn of(units: &[Vec<Option<f64>>], random: &mut Resampler) -> Result<Halves, InputError> {
        let mut logs = within_passes(units)?;
        logs.retain(|unit| unit.len() >= LEAST_VALUES);
        let mut split = |unit: &mut Vec<f64>| {
            for i in (1..unit.len()).rev() {
                unit.swap(i, random.below(i + 1));
            }
            let (one, two) = unit.split_at(unit.len() / 2);
            [one, two].map(|half| median(half).unwrap_or(f64::NAN))
        };
        let splits = (0..SPLITS).map(|_| logs.iter_mut().map(&mut split).collect());
        let splits = splits.collect();
        Ok(Halves {
            units: logs.len(),
            splits,
        })
    }

    /// The variance between the units at `at`, by the first `splits` splits; may be negative.
    fn variance(&self, at: &[usize], splits: usize) -> f64 {
        let count = at.len() as f64;
        let covariance = |split: &Vec<[f64; 2]>| {
            let (mut one, mut two, mut both) = (0.0, 0.0, 0.0);
            // Relative to the first unit, to keep precision if values are large and similar.
            let [zero_one, zero_two] = split[at[0]];
            for &unit in at {
                let (x, y) = (split[unit][0] - zero_one, split[unit][1] - zero_two);
                one += x;
                two += y;
                both += x * y;
            }
            (both - one * two / count) / (count - 1.0)
        };
        let sum: f64 = self.splits[..splits].iter().map(covariance).sum();
        sum / splits as f64
    }
}

/// The logarithms of each unit's values, less the median of their pass.
fn within_passes(units: &[Vec<Option<f64>>]) -> Result<Vec<Vec<f64>>, InputError> {
    let mut left = vec![Vec::new(); units.len()];
    for pass in 0..units.iter().map(Vec::len).max().unwrap_or(0) {
        let mut logs = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            if let Some(value) = unit.get(pass).copied().flatten() {
                logs.push((at, input::log(value)?));
            }
        }
        let values: Vec<f64> = logs.iter().map(|(_, log)| *log).collect();
        let middle = median(&values).unwrap_or(0.0);
        for (at, log) in logs {
            left[at].push(log - middle);
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units with their own effect, measured in nine passes, of which the first is 5 % off; one measurement
    /// in nine is far off, and one in seven is missing.
    fn units(
        count: usize,
        between: f64,
        noise: f64,
        random: &mut Resampler,
    ) -> Vec<Vec<Option<f64>>> {
        let normal = |random: &mut Resampler| {
            let sum: f64 = (0..12).map(|_| random.below(1 << 20) as f64).sum();
            sum / f64::from(1 << 20) - 6.0
        };
        let mut unit = || {
            let own = between * normal(random);
            let measured = (0..9).map(|pass| {
                let pass = if pass == 0 { -0.05 } else { 0.0 };
                let off = if random.below(9) == 0 { 0.1 } else { 0.0 };
                let value = 5.0 * (own + pass + noise * normal(random) + off).exp();
                (random.below(7) > 0).then_some(value)
            });
            measured.collect()
        };
        (0..count).map(|_| unit()).collect()
    }

    #[test]
    fn noise_of_measuring_is_no_spread() {
        let random = &mut Resampler::new(1);
        let (mut times, mut limits, mut wrong) = (Vec::new(), Vec::new(), 0);
        for seed in 0..60 {
            let wide = units(40, 0.035, 0.02, random);
            let narrow = units(40, 0.007, 0.02, random);
            let found = steadier(&wide, &narrow, seed).unwrap().unwrap();
            times.push(found.times.unwrap_or(f64::INFINITY));
            limits.push(found.at_least);
            wrong += usize::from(found.at_least > 5.0);
        }
        // The ratio of the raw spreads would be 2.6 here.
        let (times, limit) = (median(&times).unwrap(), median(&limits).unwrap());
        println!("{times} {limit} {wrong}");
        assert!((3.8..7.0).contains(&times), "{times}");
        assert!((2.5..5.0).contains(&limit), "{limit}");
        assert!(wrong <= 8, "{wrong} of 60 limits lie above the truth");
    }

    #[test]
    fn the_same_is_not_steadier() {
        let random = &mut Resampler::new(2);
        for count in [10, 40] {
            let found = (0..40).map(|seed| {
                let [a, b] = [(); 2].map(|()| units(count, 0.03, 0.02, random));
                steadier(&a, &b, seed).unwrap().unwrap()
            });
            let above = found.filter(|found| found.at_least > 1.0).count();
            println!("{count} {above}");
            assert!(above <= 6, "{above} of 40 with {count} units");
        }
    }

    #[test]
    fn without_any_spread_there_is_a_limit_only() {
        let random = &mut Resampler::new(3);
        let found: Vec<Steadier> = (0..20)
            .map(|seed| {
                let wide = units(40, 0.04, 0.01, random);
                steadier(&wide, &units(40, 0.0, 0.01, random), seed)
                    .unwrap()
                    .unwrap()
            })
            .collect();
        assert!(found.iter().any(|found| found.times.is_none()));
        let limits: Vec<f64> = found.iter().map(|found| found.at_least).collect();
        assert!(limits.iter().all(|limit| limit.is_finite()), "{limits:?}");
        assert!(median(&limits).unwrap() > 4.0, "{limits:?}");
    }

    #[test]
    fn too_few_tell_nothing() {
        let few = vec![vec![Some(1.0), Some(1.1), None, None, None, None]; 20];
        let enough = vec![vec![Some(1.0); 6]; 20];
        assert_eq!(steadier(&few, &enough, 1).unwrap(), None);
        assert_eq!(steadier(&enough[..3], &enough, 1).unwrap(), None);
        assert!(steadier(&[vec![Some(1.0), Some(f64::NAN)]], &enough, 1).is_err());
    }
}
