//! What is added up of one series within one process.

use whyslow_model::record::{Draw, Planned, Series};

use crate::quantile::quantile_sorted;

/// One series of one process: the middles of its draws, and the spread about them.
#[derive(Debug, Default)]
pub(super) struct Sum<'a> {
    pub(super) name: &'a str,
    /// Middle of every draw, per unit of work.
    middles: Vec<f64>,
    samples: Samples,
    squares: f64,
    freedom: f64,
}

/// What the samples of a series are, whether they count or not: a zero among those left out is as much a fault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Samples {
    #[default]
    Positive,
    /// Amounts may be zero, such as faults and switches; zero has no logarithm.
    SomeZero,
    /// No time and no amount: below zero, or no number.
    Impossible,
}

impl Samples {
    fn of(sample: f64) -> Samples {
        match sample {
            _ if !sample.is_finite() || sample < 0.0 => Samples::Impossible,
            0.0 => Samples::SomeZero,
            _ => Samples::Positive,
        }
    }
}

impl Sum<'_> {
    /// Mean of the logarithms of its draws; none where a sample has no logarithm.
    pub(super) fn log(&self) -> Option<f64> {
        let sum = || self.middles.iter().map(|m| m.ln()).sum::<f64>();
        (self.samples == Samples::Positive).then(|| sum() / self.middles.len() as f64)
    }

    /// Geometric mean of its draws.
    pub(super) fn time(&self) -> Option<f64> {
        let log = self.log()?;
        // Not by way of its logarithm, which would cost the last digits of a published figure.
        Some(match self.middles[..] {
            [only] => only,
            _ => log.exp(),
        })
    }

    /// Arithmetic mean of its draws, for amounts.
    pub(super) fn amount(&self) -> Option<f64> {
        let sum = || self.middles.iter().sum::<f64>();
        (self.samples != Samples::Impossible).then(|| sum() / self.middles.len() as f64)
    }

    /// Standard deviation of the draws' logarithms; none with fewer than two.
    pub(super) fn draw_spread(&self) -> Option<f64> {
        let mean = self.log()?;
        let squares: f64 = self.middles.iter().map(|m| (m.ln() - mean).powi(2)).sum();
        let freedom = self.middles.len() as f64 - 1.0;
        (freedom > 0.0).then(|| (squares / freedom).sqrt())
    }

    /// Standard deviation of the samples about their draw, as a share; none with one sample a draw.
    pub(super) fn sample_spread(&self) -> Option<f64> {
        (self.freedom > 0.0).then(|| (self.squares / self.freedom).sqrt())
    }
}

/// The series of the draws of one process, of the samples `wanted` by draw, series and place.
pub(super) fn sums<'a>(
    planned: &Planned,
    draws: &'a [Draw],
    wanted: impl Fn(usize, usize, usize) -> bool,
) -> Vec<Sum<'a>> {
    let mut sums: Vec<Sum<'a>> = Vec::new();
    let mut scratch = Vec::new();
    for (d, draw) in draws.iter().enumerate() {
        for (s, series) in draw.series.iter().enumerate() {
            let wanted = |i: usize| wanted(d, s, i);
            kept(planned, series, &wanted, &mut scratch);
            scratch.sort_unstable_by(f64::total_cmp);
            let Some(middle) = quantile_sorted(&scratch, planned.estimator.quantile()) else {
                continue;
            };
            let at = sums.iter().position(|sum| sum.name == series.name);
            let at = at.unwrap_or_else(|| {
                sums.push(Sum {
                    name: &series.name,
                    ..Sum::default()
                });
                sums.len() - 1
            });
            let mean = scratch.iter().sum::<f64>() / scratch.len() as f64;
            let sum = &mut sums[at];
            sum.middles.push(middle / series.work);
            let samples = series.ns.iter().enumerate().filter(|(i, _)| wanted(*i));
            let worst = samples.map(|(_, ns)| Samples::of(ns / series.work)).max();
            sum.samples = sum.samples.max(worst.unwrap_or_default());
            sum.squares += scratch
                .iter()
                .map(|v| ((v - mean) / mean).powi(2))
                .sum::<f64>();
            sum.freedom += (scratch.len() - 1) as f64;
        }
    }
    sums
}

/// The wanted samples without marks; all that are wanted where every one is marked.
pub(super) fn kept(
    planned: &Planned,
    series: &Series,
    wanted: &impl Fn(usize) -> bool,
    scratch: &mut Vec<f64>,
) {
    let marked = |i: usize| {
        let mut marks = series.marks.iter().filter(|m| m.sample as usize == i);
        marks.any(|m| !planned.usual_marks.contains(&m.what))
    };
    let samples = || series.ns.iter().enumerate().filter(|(i, _)| wanted(*i));
    scratch.clear();
    if series.marks.is_empty() {
        scratch.extend(samples().map(|(_, ns)| *ns));
        return;
    }
    scratch.extend(samples().filter(|(i, _)| !marked(*i)).map(|(_, ns)| *ns));
    if scratch.is_empty() {
        scratch.extend(samples().map(|(_, ns)| *ns));
    }
}
