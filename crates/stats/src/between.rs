//! How far units lie apart, without the noise of measuring each of them.
//!
//! Each unit is measured several times. Its measurements are split into two halves: what the middles of
//! both halves say alike is the unit's own, because the noise of one half is not that of the other. So
//! the covariance of the two over all units is the variance *between* units, without bias and without
//! any assumption on the noise but that a measurement's does not last until the next (the argument of
//! split-half reliability; Spearman 1910, Brown 1910). It is taken over several random splits.
//!
//! All units are measured in passes, each of which goes through all of them. What a pass has in common (a
//! neighbor who came meanwhile) is of no unit: it is taken out, because the half that has it would
//! otherwise differ from the half that has not.
//!
//! Unlike the analysis of variance in [`crate::nested`], a few disturbed measurements do not count: each
//! half is known by its middle.

use crate::bootstrap::Resampler;
use crate::quantile::{median, quantile_sorted};
use crate::{InputError, input};

/// Splits: beyond some twenty, more change nothing.
const SPLITS: usize = 24;

/// Of them, those that are used in each resample, where the units that are drawn are what varies.
const RESAMPLED_SPLITS: usize = 8;

/// Resamples for a limit of 5 %: its own error is then a tenth of what is left out.
const RESAMPLES: usize = 2000;

/// What is left out below a limit.
const TAIL: f64 = 0.05;

/// Measurements of a unit that count: of fewer, the middle of a half is that of one or two, and one that somebody
/// disturbed would decide.
const LEAST_VALUES: usize = 6;

/// Units whose spread can be told from noise.
const LEAST_UNITS: usize = 4;

/// How much less one kind of unit spreads than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadier {
    /// Standard deviation of the logarithm between units of the first kind, over that of the second;
    /// absent where the second shows none beyond its noise.
    pub times: Option<f64>,
    /// The ratio is at least that, with 95 % confidence (percentile bootstrap over units).
    pub at_least: f64,
}

/// How much less the units of `steady` spread than those of `other`; `None` where fewer than four units
/// of one were measured six times. For each unit, its value in each pass, where it has one.
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
            // An estimate below zero is noise: what is drawn is held around none at all, lest the luck that
            // made it so be taken for a limit.
            ratio(drawn(&other), drawn(&steady) - narrow.min(0.0))
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    Ok(Some(Steadier {
        times: Some(ratio(wide, narrow)).filter(|times| times.is_finite()),
        at_least: quantile_sorted(&ratios, TAIL).unwrap_or(0.0),
    }))
}

/// Of standard deviations: none over anything is 0, something over none has no bound.
fn ratio(wide: f64, narrow: f64) -> f64 {
    if wide <= 0.0 {
        0.0
    } else if narrow <= 0.0 {
        f64::INFINITY
    } else {
        (wide / narrow).sqrt()
    }
}

/// For each split, the middles of the two halves of each unit, as logarithms.
struct Halves {
    units: usize,
    splits: Vec<Vec<[f64; 2]>>,
}

impl Halves {
    /// Units that were measured too few times are left out.
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

    /// Between the units at `at`, by the first `splits` of the splits; may be below zero.
    fn variance(&self, at: &[usize], splits: usize) -> f64 {
        let count = at.len() as f64;
        let covariance = |split: &Vec<[f64; 2]>| {
            let (mut one, mut two, mut both) = (0.0, 0.0, 0.0);
            // Around the first unit, so that nothing is lost where values are large and alike.
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

/// The logarithms of each unit's values, less the middle of their pass.
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

    /// Units with their own place, measured in nine passes, of which the first is 5 % off; one measurement of
    /// nine is far off, and one of seven missing.
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
        // The ratio of what is measured would be 2.6 here.
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
