//! Combines processes into the fitted curve: centers with their uncertainties.

use super::SizePoint;
use super::fit::Curve;
use crate::InputError;
use crate::bootstrap::Resampler;
use crate::quantile::median;
use crate::student;
use crate::summary::COVERAGE;

/// Least number of sizes that can show a level and an edge.
pub(super) const MIN_SIZES: usize = 3;

/// Largest plausible absolute logarithm of a latency in ns: 5e21 ns.
const MAX_LOG: f64 = 50.0;

/// Least deviation assumed for every size, even if its processes agree: 3 %. Real plateaus slope by
/// a few percent (page walks, slices at different distances), while those of the model are flat.
const FLOOR: f64 = 0.03;

/// The same if the scatter is unknown: 10 %, the noise of single processes near an edge.
const FLOOR_ALONE: f64 = 0.10;

/// On a flank the error of the model's shape matters: the effect of a 3 % shift in size is assumed.
const FLANK: f64 = 0.03;

/// At most 10 %; otherwise the two sizes next to a cliff, which locate it, would have no weight.
const MAX_FLANK: f64 = 0.1;

/// Share of processes trimmed at either end of the mean: one of five, and also of three or four, or
/// else a single process would have more influence in shorter runs. A median would be more robust
/// but jumps where a few pages matter, and the model describes means.
const TRIM: f64 = 0.2;

/// The checked input, in ascending order of size.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    pub(super) sizes: Vec<u64>,
    /// Logarithms of the latency, one per process.
    pub(super) values: Vec<&'a [f64]>,
    /// The latencies themselves: miss rates average times, not logarithms.
    latencies: Vec<Vec<f64>>,
    /// Sizes without a value, left out.
    pub(super) without_values: usize,
}

impl<'a> Measured<'a> {
    pub(super) fn new(points: &'a [SizePoint]) -> Result<Self, InputError> {
        for point in points {
            // Written so that NaN is also refused.
            let good = |v: &f64| v.abs() <= MAX_LOG;
            if let Some(&value) = point.log_latency.iter().find(|v| !good(v)) {
                return Err(InputError::NotALogLatency(value));
            }
        }
        let mut used: Vec<&SizePoint> = points
            .iter()
            .filter(|p| !p.log_latency.is_empty())
            .collect();
        used.sort_by_key(|p| p.size);
        if let Some(point) = used.iter().find(|p| p.size == 0) {
            return Err(InputError::BadSize(point.size));
        }
        if let Some(pair) = used.windows(2).find(|w| w[0].size == w[1].size) {
            return Err(InputError::BadSize(pair[0].size));
        }
        if used.len() < MIN_SIZES {
            return Err(InputError::TooFewSizes {
                found: used.len(),
                needed: MIN_SIZES,
            });
        }
        Ok(Self {
            sizes: used.iter().map(|p| p.size).collect(),
            values: used.iter().map(|p| p.log_latency.as_slice()).collect(),
            latencies: (used.iter())
                .map(|p| p.log_latency.iter().map(|l| l.exp()).collect())
                .collect(),
            without_values: points.len() - used.len(),
        })
    }

    /// The curve of trimmed means over processes, with uncertainties.
    pub(super) fn curve(&self) -> Curve {
        let log_size: Vec<f64> = self.sizes.iter().map(|&s| (s as f64).ln()).collect();
        let mut sorted = Vec::new();
        let log_latency: Vec<f64> = (self.latencies.iter())
            .map(|values| {
                sorted.clear();
                sorted.extend_from_slice(values);
                trimmed_mean(&mut sorted).ln()
            })
            .collect();
        let scatter: Vec<f64> = self.values.iter().map(|v| deviation(v)).collect();
        let floor = if self.has_replicates() {
            FLOOR
        } else {
            FLOOR_ALONE
        };
        let n = log_size.len();
        let weight = (0..n).map(|i| {
            let (left, right) = (i.saturating_sub(1), (i + 1).min(n - 1));
            // Scatter changes slowly with size, and a single size estimates it poorly.
            let typical = median(&scatter[left..=right]).unwrap_or(0.0);
            let own = typical / (self.values[i].len() as f64).sqrt();
            let slope =
                (log_latency[right] - log_latency[left]) / (log_size[right] - log_size[left]);
            let flank = (FLANK * slope).min(MAX_FLANK);
            1.0 / (floor * floor + own * own + flank * flank).sqrt()
        });
        Curve {
            weight: weight.collect(),
            log_size,
            log_latency,
        }
    }

    /// Whether the processes can be resampled: at least three at most sizes.
    pub(super) fn has_replicates(&self) -> bool {
        let enough = self.values.iter().filter(|v| v.len() >= 3).count();
        2 * enough > self.values.len()
    }

    /// The centers of one resample of the processes of each size.
    pub(super) fn resampled(&self, resampler: &mut Resampler, drawn: &mut Vec<f64>) -> Vec<f64> {
        let center = |values: &Vec<f64>| {
            drawn.clear();
            drawn.extend((0..values.len()).map(|_| values[resampler.below(values.len())]));
            trimmed_mean(drawn).ln()
        };
        self.latencies.iter().map(center).collect()
    }
}

/// Mean without the [`TRIM`] share of values at either end; sorts in passing.
fn trimmed_mean(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let cut = match values.len() {
        0..3 => 0,
        n => (TRIM * n as f64).ceil() as usize,
    };
    let kept = &values[cut..values.len() - cut];
    kept.iter().sum::<f64>() / kept.len().max(1) as f64
}

/// Standard deviation; 0 for fewer than two values.
fn deviation(values: &[f64]) -> f64 {
    let mean = student::mean_interval(values, COVERAGE);
    mean.and_then(|m| m.sd).unwrap_or(0.0)
}
