//! Points far above the trend, which the prior knows little about.
//!
//! As in limma's `squeezeVar` with `robust`: a point whose tail probability is smaller than its rank among the points
//! explains is an outlier with the remaining probability, and its prior is that much weaker.

/// The prior degrees of freedom by tail probability.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outliers {
    /// Tail probabilities of the points, ascending, with the degrees of freedom from there on.
    steps: Vec<(f64, f64)>,
}

impl Outliers {
    /// Of the tail probabilities of all points, and the degrees of freedom of ordinary ones.
    pub(super) fn of(mut tails: Vec<f64>, df: f64) -> Outliers {
        tails.sort_unstable_by(f64::total_cmp);
        let count = tails.len() as f64;
        let least = tails.first().copied().unwrap_or(1.0);
        // Weak enough to make the most extreme point an ordinary one.
        let weakest = match least < 0.5 {
            true => df * 0.5_f64.ln() / least.max(f64::MIN_POSITIVE).ln(),
            false => df,
        };
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
