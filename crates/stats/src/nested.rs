//! Variance by level: samples within draws within processes, on logarithms.
//!
//! Analysis of variance with the coefficients for unequal counts (Searle, Casella, McCulloch,
//! "Variance Components", 1992, chapter 3): the mean squares of the three levels are equated to
//! their expectations. A negative estimate means that the level adds no visible variance; it is set
//! to zero and flagged.

use crate::summary::ProcessSamples;
use crate::{InputError, input};

/// The variance added by one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// Variance of the logarithm; its root times 100 is about a percentage.
    pub variance: f64,
    /// Part of the sum of the components, 0 to 1 (0 if that sum is 0).
    pub share: f64,
    /// True if the estimate was negative and set to zero.
    pub truncated: bool,
}

/// Variance by level. A level that was not repeated is absent: its variance cannot be separated
/// from that of the next outer level (inner, for the outermost) and is included there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decomposition {
    /// Batch to batch within one allocation.
    pub sample: Option<Component>,
    /// Allocation to allocation within one process; a large share indicates page placement.
    pub draw: Option<Component>,
    /// Process to process.
    pub process: Option<Component>,
    /// Samples used.
    pub n_samples: usize,
    /// Draws used.
    pub n_draws: usize,
    /// Processes used.
    pub n_processes: usize,
}

/// Counts and sums of squares of the nested layout.
#[derive(Default)]
struct Layout {
    samples: f64,
    draws: f64,
    processes: f64,
    /// Sum over processes of (sum of squared draw sizes / process size).
    squares_within: f64,
    /// Sum of squared draw sizes.
    draw_squares: f64,
    /// Sum of squared process sizes.
    process_squares: f64,
    ss_sample: f64,
    ss_draw: f64,
    ss_process: f64,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl Layout {
    fn new(processes: &[Vec<Vec<f64>>]) -> Self {
        let mut layout = Self::default();
        let all: Vec<f64> = processes.iter().flatten().flatten().copied().collect();
        let grand = mean(&all);
        for process in processes {
            let values: Vec<f64> = process.iter().flatten().copied().collect();
            let (size, center) = (values.len() as f64, mean(&values));
            let mut squares = 0.0;
            for draw in process {
                let (count, middle) = (draw.len() as f64, mean(draw));
                layout.ss_sample += draw.iter().map(|v| (v - middle).powi(2)).sum::<f64>();
                layout.ss_draw += count * (middle - center).powi(2);
                squares += count * count;
            }
            layout.ss_process += size * (center - grand).powi(2);
            layout.squares_within += squares / size;
            layout.draw_squares += squares;
            layout.process_squares += size * size;
            layout.samples += size;
            layout.draws += process.len() as f64;
            layout.processes += 1.0;
        }
        layout
    }
}

/// Splits the variance of one point by level, from its unmarked samples.
///
/// # Errors
/// An unmarked time that is not positive and finite, or no unmarked sample at all.
pub fn decompose(processes: &[ProcessSamples]) -> Result<Decomposition, InputError> {
    let mut logs: Vec<Vec<Vec<f64>>> = Vec::with_capacity(processes.len());
    for process in processes {
        let mut draws = Vec::with_capacity(process.draws.len());
        for draw in &process.draws {
            let kept = draw.samples.iter().filter(|s| s.kept);
            let values = kept
                .map(|s| input::log(s.ns))
                .collect::<Result<Vec<_>, _>>()?;
            if !values.is_empty() {
                draws.push(values);
            }
        }
        if !draws.is_empty() {
            logs.push(draws);
        }
    }
    if logs.is_empty() {
        return Err(InputError::Empty);
    }
    Ok(split(&Layout::new(&logs)))
}

fn split(layout: &Layout) -> Decomposition {
    let freedom_sample = layout.samples - layout.draws;
    let freedom_draw = layout.draws - layout.processes;
    let freedom_process = layout.processes - 1.0;

    let sample = (freedom_sample > 0.0).then(|| layout.ss_sample / freedom_sample);
    let within = sample.unwrap_or(0.0);
    let draw = (freedom_draw > 0.0).then(|| {
        let weight = (layout.samples - layout.squares_within) / freedom_draw;
        (layout.ss_draw / freedom_draw - within) / weight
    });
    let process = (freedom_process > 0.0).then(|| {
        let draw_weight =
            (layout.squares_within - layout.draw_squares / layout.samples) / freedom_process;
        let weight = (layout.samples - layout.process_squares / layout.samples) / freedom_process;
        let inner = within + draw_weight * draw.unwrap_or(0.0).max(0.0);
        (layout.ss_process / freedom_process - inner) / weight
    });

    let total: f64 = [sample, draw, process]
        .into_iter()
        .flatten()
        .map(|v| v.max(0.0))
        .sum();
    let component = |estimate: Option<f64>| {
        estimate.map(|value| {
            let variance = value.max(0.0);
            Component {
                variance,
                share: if total > 0.0 { variance / total } else { 0.0 },
                truncated: value < 0.0,
            }
        })
    };
    Decomposition {
        sample: component(sample),
        draw: component(draw),
        process: component(process),
        n_samples: layout.samples as usize,
        n_draws: layout.draws as usize,
        n_processes: layout.processes as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Resampler;
    use crate::summary::{DrawSamples, Sample};

    fn process(draws: &[&[f64]]) -> ProcessSamples {
        let draw = |times: &&[f64]| DrawSamples {
            samples: (times.iter())
                .map(|&ns| Sample { ns, kept: true })
                .collect(),
        };
        ProcessSamples {
            draws: draws.iter().map(draw).collect(),
        }
    }

    #[test]
    fn a_balanced_layout_by_hand() {
        let e = std::f64::consts::E;
        // Logarithms: process 1 draws (0, 2) and (4, 6), process 2 draws (10, 12) and (14, 16).
        let times = |a: i32, b: i32| [e.powi(a), e.powi(b)];
        let processes = [
            process(&[&times(0, 2), &times(4, 6)]),
            process(&[&times(10, 12), &times(14, 16)]),
        ];
        let split = decompose(&processes).unwrap();
        // Mean squares: samples 8 / 4 = 2, draws 32 / 2 = 16, processes 200 / 1 = 200.
        let variance = |c: Option<Component>| c.unwrap().variance;
        assert!((variance(split.sample) - 2.0).abs() < 1e-9);
        assert!((variance(split.draw) - (16.0 - 2.0) / 2.0).abs() < 1e-9);
        assert!((variance(split.process) - (200.0 - 16.0) / 4.0).abs() < 1e-9);
        let shares = [split.sample, split.draw, split.process].map(|c| c.unwrap().share);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(
            (split.n_samples, split.n_draws, split.n_processes),
            (8, 4, 2)
        );
    }

    #[test]
    fn unbalanced_layouts_are_right_on_average() {
        let mut dice = Resampler::new(17);
        let mut noise = move || {
            let uniform = (0..12).map(|_| dice.below(1 << 40) as f64 / (1_u64 << 40) as f64);
            uniform.sum::<f64>() - 6.0
        };
        let (mut samples, mut draws, mut processes) = (0.0, 0.0, 0.0);
        let rounds = 300;
        for _ in 0..rounds {
            let input: Vec<ProcessSamples> = (0..12)
                .map(|i| {
                    let own = 0.03 * noise();
                    let times: Vec<Vec<f64>> = (0..2 + i % 3)
                        .map(|j| {
                            let placed = 0.02 * noise();
                            let count = 3 + (i + j) % 5;
                            (0..count)
                                .map(|_| (own + placed + 0.01 * noise()).exp())
                                .collect()
                        })
                        .collect();
                    let times: Vec<&[f64]> = times.iter().map(Vec::as_slice).collect();
                    process(&times)
                })
                .collect();
            let split = decompose(&input).unwrap();
            samples += split.sample.unwrap().variance / f64::from(rounds);
            draws += split.draw.unwrap().variance / f64::from(rounds);
            processes += split.process.unwrap().variance / f64::from(rounds);
        }
        assert!((samples / 1e-4 - 1.0).abs() < 0.03, "{samples}");
        assert!((draws / 4e-4 - 1.0).abs() < 0.06, "{draws}");
        assert!((processes / 9e-4 - 1.0).abs() < 0.10, "{processes}");
    }

    #[test]
    fn levels_that_were_not_repeated_are_absent() {
        let one_draw = [process(&[&[1.0, 1.1]]), process(&[&[1.2, 1.3]])];
        let split = decompose(&one_draw).unwrap();
        assert!(split.draw.is_none() && split.sample.is_some() && split.process.is_some());
        let one_process = decompose(&[process(&[&[1.0, 1.1], &[1.3, 1.2]])]).unwrap();
        assert!(one_process.process.is_none() && one_process.draw.is_some());
        let single = decompose(&[process(&[&[1.0]])]).unwrap();
        assert_eq!(
            (single.sample, single.draw, single.process),
            (None, None, None)
        );
    }

    #[test]
    fn a_negative_estimate_is_flagged() {
        // Processes with equal means but noisy samples: their component is zero.
        let split = decompose(&[process(&[&[1.0, 4.0]]), process(&[&[4.0, 1.0]])]).unwrap();
        let process = split.process.unwrap();
        assert!(process.truncated && process.variance == 0.0 && process.share == 0.0);
    }

    #[test]
    fn marked_samples_do_not_count() {
        let mut input = [process(&[&[1.0, 1.0, 9.0]]), process(&[&[1.0, 1.0]])];
        input[0].draws[0].samples[2].kept = false;
        let split = decompose(&input).unwrap();
        assert_eq!(split.n_samples, 4);
        assert_eq!(split.sample.unwrap().variance, 0.0);
        for sample in input
            .iter_mut()
            .flat_map(|p| &mut p.draws)
            .flat_map(|d| &mut d.samples)
        {
            sample.kept = false;
        }
        assert_eq!(decompose(&input), Err(InputError::Empty));
    }
}
