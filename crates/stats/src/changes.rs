//! Change points of a series, such as one value a session over months.
//!
//! Binary segmentation: the split with the smallest p-value of Welch's test is taken if it stays
//! real after paying for the choice among all splits, then each part likewise. Deterministic,
//! unlike splits judged by random permutation (a reason why Hunter gave those up).

use crate::InputError;
use crate::welch::{Tested, compare_logs};

/// Fewest values on either side of a change: fewer make every outlier a change.
pub const MIN_SEGMENT: usize = 5;

/// A place where the series changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Index of the first value after the change.
    pub at: usize,
    /// Mean after less mean before, between the neighboring changes; a difference of logarithms if
    /// the series is one of logarithms.
    pub step: f64,
    /// P-value, paid for the number of places that were tried.
    pub p: f64,
}

/// The changes of `series` (pass logarithms for ratios) in order, each with `min_segment` values or
/// more on either side and a p-value of at most `alpha`.
///
/// # Errors
/// A value that is not finite, a minimum below 2, or an `alpha` outside 0..1.
pub fn change_points(
    series: &[f64],
    min_segment: usize,
    alpha: f64,
) -> Result<Vec<Change>, InputError> {
    if min_segment < 2 {
        return Err(InputError::BadSetting(min_segment as f64));
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(InputError::BadSetting(alpha));
    }
    if let Some(bad) = series.iter().find(|v| !v.is_finite()) {
        return Err(InputError::NotALogLatency(*bad));
    }
    let mut places = Vec::new();
    split(series, 0, min_segment, alpha, &mut places)?;
    places.sort_unstable_by_key(|(at, _)| *at);
    // The step is between neighboring changes, not between the halves in which it was found.
    let edges: Vec<usize> = std::iter::once(0)
        .chain(places.iter().map(|(at, _)| *at))
        .chain([series.len()])
        .collect();
    let mean = |from: usize, to: usize| series[from..to].iter().sum::<f64>() / (to - from) as f64;
    Ok(places
        .iter()
        .zip(edges.windows(3))
        .map(|(&(at, p), edges)| Change {
            at,
            step: mean(at, edges[2]) - mean(edges[0], at),
            p,
        })
        .collect())
}

fn split(
    part: &[f64],
    offset: usize,
    min_segment: usize,
    alpha: f64,
    places: &mut Vec<(usize, f64)>,
) -> Result<(), InputError> {
    if part.len() < 2 * min_segment {
        return Ok(());
    }
    let tried = part.len() - 2 * min_segment + 1;
    let mut best: Option<(usize, f64)> = None;
    for at in min_segment..=part.len() - min_segment {
        let p = match compare_logs(&part[..at], &part[at..])? {
            Tested::Test(welch) => welch.p,
            // A step without any noise about it.
            Tested::NoSpread { log_ratio } if log_ratio != 0.0 => 0.0,
            _ => 1.0,
        };
        if best.is_none_or(|(_, least)| p < least) {
            best = Some((at, p));
        }
    }
    let Some((at, p)) = best.map(|(at, p)| (at, (p * tried as f64).min(1.0))) else {
        return Ok(());
    };
    if p <= alpha {
        places.push((offset + at, p));
        split(&part[..at], offset, min_segment, alpha, places)?;
        split(&part[at..], offset + at, min_segment, alpha, places)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Resampler;

    fn noise(dice: &mut Resampler) -> f64 {
        let uniform = (0..12).map(|_| dice.below(1 << 40) as f64 / (1_u64 << 40) as f64);
        uniform.sum::<f64>() - 6.0
    }

    #[test]
    fn finds_steps_where_they_are() {
        let mut dice = Resampler::new(8);
        let level = |i: usize| match i {
            0..30 => 0.0,
            30..50 => 0.03,
            _ => 0.01,
        };
        let series: Vec<f64> = (0..90)
            .map(|i| level(i) + 0.005 * noise(&mut dice))
            .collect();
        let found = change_points(&series, MIN_SEGMENT, 0.01).unwrap();
        let places: Vec<usize> = found.iter().map(|c| c.at).collect();
        assert_eq!(places.len(), 2, "{found:?}");
        assert!(places[0].abs_diff(30) <= 1 && places[1].abs_diff(50) <= 1);
        assert!((found[0].step - 0.03).abs() < 0.005 && (found[1].step + 0.02).abs() < 0.005);
    }

    #[test]
    fn noise_alone_rarely_changes() {
        let mut dice = Resampler::new(9);
        let changed = (0..200).filter(|_| {
            let series: Vec<f64> = (0..40).map(|_| noise(&mut dice)).collect();
            !change_points(&series, MIN_SEGMENT, 0.05)
                .unwrap()
                .is_empty()
        });
        // At most 5 %; the payment is generous, as neighboring splits are alike.
        assert!(changed.count() <= 12);
    }

    #[test]
    fn short_flat_and_bad_series() {
        assert_eq!(change_points(&[0.0; 50], 5, 0.05).unwrap(), []);
        assert_eq!(change_points(&[0.0, 1.0], 5, 0.05).unwrap(), []);
        let step: Vec<f64> = (0..20).map(|i| f64::from(u8::from(i >= 10))).collect();
        assert_eq!(change_points(&step, 5, 0.05).unwrap()[0].at, 10);
        assert!(change_points(&[f64::NAN; 20], 5, 0.05).is_err());
        assert!(change_points(&step, 1, 0.05).is_err());
        assert!(change_points(&step, 5, 1.0).is_err());
    }
}
