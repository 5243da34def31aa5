//! Amounts that may be zero, such as faults and switches, or a CPU time below what is counted. Zero
//! has no logarithm, so these are summed up as they are.

use whyslow_model::Unit;
use whyslow_model::summary::Interval;

use crate::quantile::median;
use crate::student::mean_interval;
use crate::summary::{COVERAGE, Process};

/// What is known of such a point.
pub(super) struct Amounts {
    /// Arithmetic mean over processes.
    pub(super) value: Interval,
    /// Value of each process.
    pub(super) processes: Vec<f64>,
    /// Samples in all.
    pub(super) samples: u32,
}

/// Sums up `processes` where some sample is zero, none is below, and the unit is one that can be.
pub(super) fn summarise(unit: Unit, processes: &[Process]) -> Option<Amounts> {
    let draws = || processes.iter().flat_map(|p| &p.draws);
    let samples = || draws().flat_map(|d| &d.samples);
    let possible = samples().all(|s| s.ns.is_finite() && s.ns >= 0.0);
    if unit.is_rate() || !possible || !samples().any(|s| s.ns == 0.0) {
        return None;
    }
    let of_process = |process: &Process| {
        let draws: Vec<f64> = process
            .draws
            .iter()
            .filter_map(|d| median(&d.samples.iter().map(|s| s.ns).collect::<Vec<_>>()))
            .collect();
        mean_interval(&draws, COVERAGE).map(|mean| mean.mean)
    };
    let values: Vec<f64> = processes.iter().filter_map(of_process).collect();
    let mean = mean_interval(&values, COVERAGE)?;
    Some(Amounts {
        value: Interval {
            value: mean.mean,
            // No amount is below zero.
            range: mean.interval.map(|i| [i.lo.max(0.0), i.hi]),
        },
        processes: values,
        samples: samples().count() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Draw, Sample};

    fn processes(values: &[f64]) -> Vec<Process> {
        let process = |&ns: &f64| Process {
            draws: vec![Draw {
                samples: vec![Sample { ns, kept: true }],
            }],
        };
        values.iter().map(process).collect()
    }

    #[test]
    fn zeros_are_values() {
        let all = summarise(Unit::Count, &processes(&[0.0, 0.0, 0.0])).unwrap();
        assert_eq!(
            (all.value.value, all.value.range, all.samples),
            (0.0, Some([0.0, 0.0]), 3)
        );
        let some = summarise(Unit::Count, &processes(&[0.0, 3.0])).unwrap();
        assert_eq!(some.value.value, 1.5);
        let [lo, hi] = some.value.range.unwrap();
        assert!(lo == 0.0 && hi > 3.0);
    }

    #[test]
    fn the_rest_is_left_to_logarithms() {
        for (unit, values) in [
            (Unit::Count, vec![1.0, 2.0]),
            (Unit::Count, vec![0.0, -1.0]),
            (Unit::Count, vec![0.0, f64::NAN]),
            (Unit::GbPerS, vec![0.0, 1.0]),
            (Unit::Count, vec![]),
        ] {
            assert!(summarise(unit, &processes(&values)).is_none(), "{values:?}");
        }
    }
}
