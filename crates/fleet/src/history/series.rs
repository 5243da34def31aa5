//! A family over time: the mean of its points, each by how little it scatters.

use whyslow_stats::quantile::median;

/// From the MAD to the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// Scatters below 0.01 % are rounding.
const LEAST: f64 = 1e-4;

/// Times that levels of points and of records are found anew, where cells are missing.
const STEPS: u32 = 20;

/// The points of a family that half of the records have at least.
pub(super) struct Cells<'v> {
    points: Vec<(&'v [f64], f64)>,
    records: usize,
}

impl<'v> Cells<'v> {
    /// Of a logarithm for each record in each point, NaN where there is none.
    pub(super) fn of(points: impl Iterator<Item = &'v [f64]>, records: usize) -> Cells<'v> {
        let common = points.filter(|logs| {
            let known = logs.iter().filter(|log| log.is_finite()).count();
            2 * known >= records
        });
        let scattered: Vec<(&[f64], f64)> = common
            .map(|logs| {
                let known = logs.iter().copied().filter(|log| log.is_finite());
                let known: Vec<f64> = known.collect();
                (logs, noise(&known).unwrap_or(LEAST).max(LEAST))
            })
            .collect();
        let sds: Vec<f64> = scattered.iter().map(|(_, sd)| *sd).collect();
        let usual = median(&sds).unwrap_or(LEAST);
        let points = scattered.into_iter();
        Cells {
            // A quiet point counts at most twice as much as the median one, and a noisy one fades.
            points: points
                .map(|(logs, sd)| (logs, 1.0 / (sd * sd + usual * usual)))
                .collect(),
            records,
        }
    }

    /// Points that count.
    pub(super) fn points(&self) -> usize {
        self.points.len()
    }

    /// The mean of each record over its points, each point about its own level; NaN where a record lacks points of more than
    /// half of the weight.
    pub(super) fn means(&self) -> Vec<f64> {
        let total: f64 = self.points.iter().map(|(_, weight)| weight).sum();
        let mut records = vec![0.0; self.records];
        for _ in 0..STEPS {
            let levels = self.points.iter().map(|(logs, _)| {
                let off = logs.iter().zip(&records).map(|(log, record)| log - record);
                let (sum, count) = off
                    .filter(|off| off.is_finite())
                    .fold((0.0, 0.0), |(sum, count), off| (sum + off, count + 1.0));
                sum / count
            });
            let levels: Vec<f64> = levels.collect();
            for (at, record) in records.iter_mut().enumerate() {
                let own = self.points.iter().zip(&levels);
                let own = own.filter(|((logs, _), _)| logs[at].is_finite());
                let (sum, weight) = own.fold((0.0, 0.0), |(sum, all), ((logs, weight), level)| {
                    (sum + weight * (logs[at] - level), all + weight)
                });
                *record = if 2.0 * weight >= total {
                    sum / weight
                } else {
                    f64::NAN
                };
            }
        }
        records
    }
}

/// The standard deviation of a value by how successive ones differ, which neither a step nor a slow drift moves; none of fewer
/// than three values.
pub(super) fn noise(values: &[f64]) -> Option<f64> {
    let off: Vec<f64> = values.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    let middle = median(&off).filter(|_| off.len() >= 2)?;
    Some(NORMAL * middle / std::f64::consts::SQRT_2)
}
