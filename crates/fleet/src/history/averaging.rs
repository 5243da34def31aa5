//! For how long averaging helps, by the records of a node.

use std::ops::Range;

use whyslow_model::history::{AllanDeviation, Averaging, AveragingVerdict};
use whyslow_stats::allan::{FEWEST, Improves, deviations, improves};
use whyslow_stats::quantile::median;

/// Records are evenly spaced while times between them are within this factor of their median.
const UNEVEN: f64 = 2.0;

/// By the longest stretch of evenly spaced records without one of `steps`; `times` are seconds.
pub(super) fn of(logs: &[f64], times: &[f64], steps: &[usize]) -> Averaging {
    let Some((stretch, spacing)) = stretch(times, steps).filter(|(s, _)| s.len() >= FEWEST) else {
        return Averaging {
            spacing_s: None,
            deviations: Vec::new(),
            verdict: AveragingVerdict::NotMeasured,
            until_s: None,
        };
    };
    let logs = &logs[stretch];
    let (verdict, until) = match improves(logs, super::SEED) {
        Improves::Until(records) => (AveragingVerdict::Until, Some(records)),
        Improves::AtLeast(records) => (AveragingVerdict::AtLeast, Some(records)),
        Improves::Open => (AveragingVerdict::Open, None),
    };
    let deviations = deviations(logs).into_iter();
    Averaging {
        spacing_s: Some(spacing),
        deviations: deviations
            .map(|one| AllanDeviation {
                records: one.values as u32,
                seconds: spacing * one.values as f64,
                deviation: one.deviation.exp_m1(),
                range: one.range.map(f64::exp_m1),
            })
            .collect(),
        verdict,
        until_s: until.map(|records| spacing * records as f64),
    }
}

/// The longest stretch that is evenly spaced and has no step, with its spacing in seconds.
fn stretch(times: &[f64], steps: &[usize]) -> Option<(Range<usize>, f64)> {
    let gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    let usual = median(&gaps).filter(|usual| *usual > 0.0)?;
    let even = |gap: f64| gap >= usual / UNEVEN && gap <= usual * UNEVEN;
    let (mut best, mut from) = (0..0, 0);
    for at in 1..=times.len() {
        if at == times.len() || steps.contains(&at) || !even(gaps[at - 1]) {
            if at - from > best.len() {
                best = from..at;
            }
            from = at;
        }
    }
    let spacing = (times[best.end - 1] - times[best.start]) / (best.len() as f64 - 1.0);
    Some((best, spacing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_ends_at_a_step_and_at_a_hole() {
        let hours = |from: u32, to: u32| (from..to).map(|h| 3600.0 * f64::from(h));
        let times: Vec<f64> = hours(0, 20).chain(hours(200, 230)).collect();
        assert_eq!(stretch(&times, &[]), Some((20..50, 3600.0)));
        assert_eq!(stretch(&times, &[30]), Some((0..20, 3600.0)));
        assert_eq!(stretch(&[5.0, 5.0, 5.0], &[]), None);
        let uneven: Vec<f64> = (0..40).map(|n| f64::from(n * n * n)).collect();
        assert!(stretch(&uneven, &[]).is_none_or(|(s, _)| s.len() < FEWEST));
        let logs = vec![0.0; 50];
        let said = of(&logs, &[0.0; 50], &[]);
        assert_eq!(said.verdict, AveragingVerdict::NotMeasured);
    }
}
