//! The value of one point from its nested raw samples.
//!
//! Within a draw, the median of the samples, because disturbances only lengthen a sample; above
//! that, means of logarithms, because repetitions are exchangeable there. The interval comes from
//! the processes only (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013):
//! samples of one process share its randomized placement and count once.

use crate::input;
use crate::quantile::median;
use crate::student;
use crate::{InputError, Interval};

/// Coverage of every interval that is reported for a point.
pub const COVERAGE: f64 = 0.95;

/// One timed batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time of one operation, ns (any positive unit works, the results are in the same).
    pub ns: f64,
    /// False if a counter (switches, migrations, faults, steal) marked this batch. Decided by the
    /// caller, never from the time.
    pub kept: bool,
}

/// One allocation inside a process, with its batches in time order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawSamples {
    /// The batches.
    pub samples: Vec<Sample>,
}

/// One worker process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessSamples {
    /// Its draws.
    pub draws: Vec<DrawSamples>,
}

/// A value with its 95 % interval, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Geometric mean over processes.
    pub value: f64,
    /// Lower end; absent with one process.
    pub lo: Option<f64>,
    /// Upper end; absent with one process.
    pub hi: Option<f64>,
    /// The number of processes.
    pub n_processes: usize,
    /// Standard deviation of the processes' logarithms (0.01 is about 1 %); absent with one.
    pub sd_log: Option<f64>,
}

/// The full summary of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The value and its interval.
    pub estimate: Estimate,
    /// Value of each process, ns, in the order of the input, without processes that have no
    /// samples.
    pub process_values: Vec<f64>,
    /// Median over processes, ns.
    pub median: f64,
    /// Fastest process, ns.
    pub min: f64,
    /// Slowest process, ns.
    pub max: f64,
    /// Slowest over fastest process (1 with a single one).
    pub spread: f64,
    /// Samples in all.
    pub n_samples: usize,
    /// Samples left out because they were marked.
    pub n_left_out: usize,
    /// Draws in which every sample was marked, so that all had to be used.
    pub draws_all_marked: usize,
    /// Processes without a sample.
    pub processes_empty: usize,
}

/// The value of a draw, and whether it had only marked samples.
struct DrawValue {
    log: f64,
    left_out: usize,
    all_marked: bool,
}

fn draw_value(draw: &DrawSamples) -> Result<Option<DrawValue>, InputError> {
    // Marked samples are checked too: a zero among them is also a defect of the probe.
    for sample in &draw.samples {
        input::log(sample.ns)?;
    }
    let times = |kept_only: bool| -> Vec<f64> {
        let samples = draw.samples.iter().filter(|s| s.kept || !kept_only);
        samples.map(|s| s.ns).collect()
    };
    let kept = times(true);
    let all_marked = kept.is_empty();
    let used = if all_marked { times(false) } else { kept };
    let value = median(&used).map(|value| DrawValue {
        log: value.ln(),
        left_out: draw.samples.len() - used.len(),
        all_marked,
    });
    Ok(value)
}

/// Summarizes one point: processes of draws of samples.
///
/// Draws without samples are skipped; processes without any are skipped and counted.
///
/// # Errors
/// A time that is not positive and finite, kept or not; or no sample at all.
pub fn summarise(processes: &[ProcessSamples]) -> Result<Summary, InputError> {
    let mut logs = Vec::with_capacity(processes.len());
    let (mut n_samples, mut n_left_out, mut draws_all_marked) = (0, 0, 0);
    for process in processes {
        let mut draws = Vec::with_capacity(process.draws.len());
        for draw in &process.draws {
            n_samples += draw.samples.len();
            if let Some(value) = draw_value(draw)? {
                n_left_out += value.left_out;
                draws_all_marked += usize::from(value.all_marked);
                draws.push(value.log);
            }
        }
        if !draws.is_empty() {
            logs.push(draws.iter().sum::<f64>() / draws.len() as f64);
        }
    }
    let estimate = estimate_logs(&logs)?;
    let process_values: Vec<f64> = logs.iter().map(|l| l.exp()).collect();
    let min = process_values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = process_values.iter().copied().fold(0.0, f64::max);
    Ok(Summary {
        estimate,
        median: median(&process_values).ok_or(InputError::Empty)?,
        min,
        max,
        spread: max / min,
        n_samples,
        n_left_out,
        draws_all_marked,
        processes_empty: processes.len() - process_values.len(),
        process_values,
    })
}

/// The estimate from one positive value per process.
///
/// # Errors
/// No values, or one that is not positive and finite.
pub fn estimate(process_values: &[f64]) -> Result<Estimate, InputError> {
    estimate_logs(&input::logs(process_values)?)
}

fn estimate_logs(logs: &[f64]) -> Result<Estimate, InputError> {
    let mean = student::mean_interval(logs, COVERAGE).ok_or(InputError::Empty)?;
    let interval = mean.interval.map(|i| Interval {
        lo: i.lo.exp(),
        hi: i.hi.exp(),
    });
    Ok(Estimate {
        value: mean.mean.exp(),
        lo: interval.map(|i| i.lo),
        hi: interval.map(|i| i.hi),
        n_processes: logs.len(),
        sd_log: mean.sd,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(samples: &[(f64, bool)]) -> DrawSamples {
        let samples = samples.iter().map(|&(ns, kept)| Sample { ns, kept });
        DrawSamples {
            samples: samples.collect(),
        }
    }

    #[test]
    fn medians_below_means_of_logs_above() {
        let processes = [
            ProcessSamples {
                draws: vec![
                    draw(&[(1.0, true), (1.0, true), (50.0, true)]),
                    draw(&[(4.0, true), (99.0, false)]),
                ],
            },
            ProcessSamples {
                draws: vec![draw(&[(8.0, true)])],
            },
        ];
        let summary = summarise(&processes).unwrap();
        // sqrt(1 * 4) = 2, then sqrt(2 * 8) = 4.
        assert!((summary.estimate.value - 4.0).abs() < 1e-12);
        assert_eq!(summary.process_values.len(), 2);
        assert!((summary.spread - 4.0).abs() < 1e-12);
        assert_eq!((summary.n_samples, summary.n_left_out), (6, 1));
        // Two processes: t = 12.706 on the half log range.
        let half = 12.706_204_736 * (4.0_f64.ln() / 2.0_f64.sqrt()) / 2.0_f64.sqrt();
        let hi = summary.estimate.hi.unwrap();
        assert!((hi / (4.0 * half.exp()) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn one_process_has_no_interval() {
        let estimate = estimate(&[3.0]).unwrap();
        assert_eq!(
            (estimate.lo, estimate.hi, estimate.sd_log),
            (None, None, None)
        );
    }

    #[test]
    fn a_draw_of_marked_samples_is_used_and_counted() {
        let processes = [
            ProcessSamples {
                draws: vec![draw(&[(2.0, false), (4.0, false)])],
            },
            ProcessSamples::default(),
        ];
        let summary = summarise(&processes).unwrap();
        assert!((summary.estimate.value - 3.0).abs() < 1e-12);
        assert_eq!((summary.draws_all_marked, summary.n_left_out), (1, 0));
        assert_eq!(summary.processes_empty, 1);
    }

    #[test]
    fn refuses_what_is_no_time() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let processes = [ProcessSamples {
                draws: vec![draw(&[(1.0, true), (bad, false)])],
            }];
            assert!(matches!(
                summarise(&processes),
                Err(InputError::NotPositive(_))
            ));
        }
        assert_eq!(summarise(&[]), Err(InputError::Empty));
        assert_eq!(
            summarise(&[ProcessSamples::default()]),
            Err(InputError::Empty)
        );
    }
}
