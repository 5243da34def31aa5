//! Points far above the trend, which the prior knows little about.
//!
//! As in limma's `squeezeVar` with `robust`: a point whose tail probability is smaller than its rank among the points
//! explains is an outlier with the remaining probability, and its prior is that much weaker.

use super::Spread;
use super::trend::Trend;

/// Steps of the search for the weakest prior, each of which halves the range that is left.
const SEARCH_STEPS: u32 = 30;

/// So few degrees of freedom leave a point its own variance.
const NONE: f64 = 0.01;

/// The prior degrees of freedom by tail probability.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outliers {
    /// Tail probabilities of the points, ascending, with the degrees of freedom from there on.
    steps: Vec<(f64, f64)>,
}

impl Outliers {
    /// Of points about a trend.
    pub(super) fn of(points: &[Spread], trend: &Trend) -> Outliers {
        let df = trend.df;
        let mut tails: Vec<f64> = points.iter().map(|p| trend.tail(p, df)).collect();
        let extreme = points.iter().zip(&tails);
        let extreme = extreme.min_by(|a, b| a.1.total_cmp(b.1));
        let weakest = extreme.map_or(df, |(point, _)| weakest(point, trend));
        tails.sort_unstable_by(f64::total_cmp);
        let count = tails.len() as f64;
        let mut reached = 0.0_f64;
        let step = |(rank, tail): (usize, &f64)| {
            let expected = (rank as f64 + 0.5) / count;
            let ordinary = (tail / expected).min(1.0);
            // Never weaker for a less extreme point.
            reached = reached.max(ordinary * df + (1.0 - ordinary) * weakest);
            (*tail, reached)
        };
        Outliers {
            steps: tails.iter().enumerate().map(step).collect(),
        }
    }

    /// The prior degrees of freedom of a point with this tail probability.
    pub(super) fn prior_df(&self, tail: f64) -> f64 {
        let after = self.steps.partition_point(|(at, _)| *at <= tail);
        let step = self.steps.get(after.saturating_sub(1));
        step.map_or(0.0, |(_, df)| *df)
    }
}

/// The degrees of freedom that make the most extreme point an ordinary one, whose variance half of all exceed.
fn weakest(extreme: &Spread, trend: &Trend) -> f64 {
    if trend.tail(extreme, trend.df) >= 0.5 {
        return trend.df;
    }
    let (mut low, mut high) = (NONE.ln(), trend.df.ln());
    for _ in 0..SEARCH_STEPS {
        let middle = 0.5 * (low + high);
        if trend.tail(extreme, middle.exp()) < 0.5 {
            high = middle;
        } else {
            low = middle;
        }
    }
    low.exp()
}
