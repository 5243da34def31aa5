//! Resampling of the top-level units, with a seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::quantile::quantile_sorted;
use crate::{InputError, Interval};

/// Draws indices with replacement; the same seed gives the same draws.
pub(crate) struct Resampler(Xoshiro256PlusPlus);

impl Resampler {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number below `bound`, which must not be zero. Multiply and shift: the bias is below `bound
    /// / 2^64`, negligible here.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }
}

/// Percentile bootstrap interval of `statistic` over `units`.
///
/// `units` are the outermost repeated units. `resamples` samples of the same count are drawn with
/// replacement, seeded by `seed`; the interval spans the middle `coverage` share (0.95 for 95 %) of
/// the statistic over them. Resamples with a statistic that is not finite are left out. Percentile
/// intervals are too narrow for few units: below about 10, prefer [`crate::student::mean_interval`]
/// where the statistic is a mean.
///
/// # Errors
/// No units, no resamples, no finite statistic ([`InputError::Empty`]), or a coverage that is not
/// between 0 and 1.
pub fn percentile_interval<T: Clone>(
    units: &[T],
    resamples: usize,
    coverage: f64,
    seed: u64,
    mut statistic: impl FnMut(&[T]) -> f64,
) -> Result<Interval, InputError> {
    if !(coverage > 0.0 && coverage < 1.0) {
        return Err(InputError::BadSetting(coverage));
    }
    if units.is_empty() {
        return Err(InputError::Empty);
    }
    let mut resampler = Resampler::new(seed);
    let mut sample = Vec::with_capacity(units.len());
    let mut values = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        sample.clear();
        for _ in 0..units.len() {
            sample.push(units[resampler.below(units.len())].clone());
        }
        let value = statistic(&sample);
        if value.is_finite() {
            values.push(value);
        }
    }
    middle(&mut values, coverage).ok_or(InputError::Empty)
}

/// The middle `coverage` share of `values`; sorts them.
pub(crate) fn middle(values: &mut [f64], coverage: f64) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - coverage) / 2.0;
    Some(Interval {
        lo: quantile_sorted(values, tail)?,
        hi: quantile_sorted(values, 1.0 - tail)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantile::median;

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let units: Vec<f64> = (1..=20).map(f64::from).collect();
        let run = |seed| {
            percentile_interval(&units, 500, 0.95, seed, |u| median(u).unwrap_or(f64::NAN)).unwrap()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn covers_the_mean_about_as_often_as_it_says() {
        let mut noise = Resampler::new(99);
        let mut hits = 0;
        for seed in 0..400 {
            // Uniform on 0..1000: the true mean is 499.5.
            let units: Vec<f64> = (0..30).map(|_| noise.below(1000) as f64).collect();
            let interval = percentile_interval(&units, 400, 0.95, seed, |u| {
                u.iter().sum::<f64>() / u.len() as f64
            })
            .unwrap();
            hits += usize::from(interval.lo <= 499.5 && 499.5 <= interval.hi);
        }
        // 93.5 % expected for 30 units; 400 repetitions have a standard error of 1.2 %.
        assert!((360..=395).contains(&hits), "{hits} of 400");
    }

    #[test]
    fn refuses_what_has_no_answer() {
        assert_eq!(
            percentile_interval::<f64>(&[], 10, 0.95, 0, |_| 0.0),
            Err(InputError::Empty)
        );
        assert_eq!(
            percentile_interval(&[1.0], 10, 1.0, 0, |_| 0.0),
            Err(InputError::BadSetting(1.0))
        );
        assert_eq!(
            percentile_interval(&[1.0], 10, 0.9, 0, |_| f64::NAN),
            Err(InputError::Empty)
        );
    }
}
