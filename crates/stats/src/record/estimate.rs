//! From the values of processes to the value of a point, and when a difference is known at all.

use whyslow_model::record::Process;
use whyslow_model::summary::Interval;

use crate::moderated::Moderated;
use crate::student::mean_interval;
use crate::summary::{self, COVERAGE};

/// The value of a point from those of its processes, with its interval: of their logarithms, or as they are where
/// some is zero, as amounts may be. With a prior the variance of the logarithms is moderated. None without a finite
/// value.
pub fn estimate(processes: &[f64], prior: Option<Moderated>) -> Option<Interval> {
    let finite = |range: Option<[f64; 2]>| range.filter(|r| r.iter().all(|end| end.is_finite()));
    if let Ok(found) = summary::estimate(processes) {
        let plain = || found.lo.zip(found.hi).map(|(lo, hi)| [lo, hi]);
        let range = finite(moderated(&found, prior).or_else(plain));
        // Not by way of logarithms where nothing varies, which would cost the last digits of a published figure;
        // and the mean of the largest numbers may be rounded beyond them.
        let alike = processes.iter().all(|v| *v == processes[0]);
        let value = if alike {
            processes[0]
        } else {
            found.value.min(f64::MAX)
        };
        return Some(Interval { value, range });
    }
    if !processes.iter().all(|v| v.is_finite()) {
        return None;
    }
    let mean = mean_interval(processes, COVERAGE)?;
    let n = processes.len() as f64;
    Some(Interval {
        // The sum of finite values may be infinite.
        value: processes.iter().map(|v| v / n).sum(),
        // Neither an amount nor a difference that is known is below zero.
        range: finite(mean.interval.map(|i| [i.lo.max(0.0), i.hi])),
    })
}

/// The interval of a value whose variance borrows from `prior`; none if nothing varies, which rounding may hide.
fn moderated(found: &summary::Estimate, prior: Option<Moderated>) -> Option<[f64; 2]> {
    let variance = found.sd_log.filter(|sd| *sd > 0.0)?.powi(2);
    let prior = prior?.with(variance, found.n_processes as f64 - 1.0);
    let factor = prior.half_width(found.n_processes, COVERAGE).exp();
    Some([found.value / factor, found.value * factor])
}

/// One series less another, within each process.
///
/// What is taken off may by chance take longer than the whole. Processes are not left out for that, which would
/// leave those that chance had the other way; but a difference that as a whole is not told from zero is not known.
pub(super) struct Difference<'r> {
    /// The processes that have both, with their differences, ns.
    pub(super) values: Vec<(&'r Process, f64)>,
    /// Processes that lack the whole, and what is taken off, while they have the other.
    lack: [usize; 2],
    /// Processes that have neither.
    neither: usize,
}

impl<'r> Difference<'r> {
    /// Of processes with the times of the whole and of what is taken off.
    pub(super) fn of(
        processes: impl Iterator<Item = (&'r Process, Option<f64>, Option<f64>)>,
    ) -> Difference<'r> {
        let mut found = Difference {
            values: Vec::new(),
            lack: [0, 0],
            neither: 0,
        };
        for (process, from, less) in processes {
            match (from, less) {
                (Some(from), Some(less)) => found.values.push((process, from - less)),
                (None, Some(_)) => found.lack[0] += 1,
                (Some(_), None) => found.lack[1] += 1,
                (None, None) => found.neither += 1,
            }
        }
        found
    }

    /// Processes whose difference cannot be: zero or less.
    fn impossible(&self) -> usize {
        self.values.iter().filter(|(_, v)| *v <= 0.0).count()
    }

    /// Is it above zero: in every process, or by the interval over them?
    pub(super) fn known(&self) -> bool {
        let values: Vec<f64> = self.values.iter().map(|(_, v)| *v).collect();
        let surely = || mean_interval(&values, COVERAGE).and_then(|mean| mean.interval);
        !values.is_empty() && (self.impossible() == 0 || surely().is_some_and(|i| i.lo > 0.0))
    }

    /// Why it is not known, and what of its processes gave nothing.
    pub(super) fn reasons(&self, from: &str, less: &str) -> Vec<String> {
        let have = self.values.len();
        let all = have + self.lack.iter().sum::<usize>();
        let mut said = Vec::new();
        for (name, lack) in [from, less].into_iter().zip(self.lack) {
            if lack > 0 {
                said.push(format!(
                    "the series '{name}' is missing in {lack} of {all} processes, which give no value"
                ));
            }
        }
        if all == 0 && self.neither > 0 {
            said.push(format!(
                "the series '{from}' and '{less}' are missing in all {} processes",
                self.neither
            ));
        }
        if have > 0 && !self.known() {
            said.push(format!(
                "in {} of {have} processes '{from}' took no longer than '{less}', which is taken off it: \
                 the difference is not told from zero, and not known",
                self.impossible()
            ));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn zeros_are_values() {
        let all = estimate(&[0.0, 0.0, 0.0], None).unwrap();
        assert_eq!((all.value, all.range), (0.0, Some([0.0, 0.0])));
        let some = estimate(&[0.0, 3.0], None).unwrap();
        assert_eq!(some.value, 1.5);
        let [lo, hi] = some.range.unwrap();
        assert!(lo == 0.0 && hi > 3.0);
    }

    #[test]
    fn a_figure_stays_as_it_was_printed() {
        for figure in [37162629.5, 100.5, 5.0] {
            assert_eq!(estimate(&[figure], None).unwrap().value, figure);
            assert_eq!(estimate(&[figure; 3], None).unwrap().value, figure);
        }
    }

    #[test]
    fn what_is_no_number_has_no_value() {
        assert_eq!(estimate(&[], None), None);
        assert_eq!(estimate(&[f64::NAN, 1.0], None), None);
        assert_eq!(estimate(&[f64::INFINITY], None), None);
        assert_eq!(estimate(&[f64::MAX, 1e-300], None).unwrap().range, None);
        assert!(estimate(&[f64::MAX; 3], None).unwrap().value.is_finite());
        assert!(
            estimate(&[f64::MAX, f64::MAX, 0.0], None)
                .unwrap()
                .value
                .is_finite()
        );
    }
}
