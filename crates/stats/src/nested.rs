//! Variance by level: samples within draws within processes, on logarithms.
//!
//! Analysis of variance with the coefficients for unequal counts (Searle, Casella, McCulloch,
//! "Variance Components", 1992, chapter 3): the mean squares of the three levels are equated to their
//! expectations. An estimate below zero means that the level adds nothing that can be seen; it is set
//! to zero and flagged.

use crate::summary::Process;
use crate::{InputError, input};

/// The variance that one level adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// Variance of the logarithm; its root times 100 is about a percentage.
    pub variance: f64,
    /// Part of the sum of the components, 0 to 1 (0 if that sum is 0).
    pub share: f64,
    /// True if the estimate was negative and set to zero.
    pub truncated: bool,
}

/// Variance by level. A level that was not repeated is absent: its variance cannot be told from that
/// of the next level out (or in, for the outermost) and is contained there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decomposition {
    /// Batch to batch within one allocation.
    pub sample: Option<Component>,
    /// Allocation to allocation within one process; a large share says "page placement".
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

/// Splits the variance of one point by level, from its kept samples (marked ones are passed over).
///
/// # Errors
/// A kept time that is not positive and finite, or no kept sample at all.
pub fn decompose(processes: &[Process]) -> Result<Decomposition, InputError> {
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
