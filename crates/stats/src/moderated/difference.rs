//! The difference of two sides whose variances are moderated.

use super::Moderated;
use crate::summary::COVERAGE;
use crate::welch::{
    Moments, Tested, Welch, compare_logs, own_half_width as pooled_half_width, two_sided,
};
use crate::{InputError, student::cdf};

/// One side: its logarithms, and the prior of their variance where there is one.
#[derive(Debug, Clone, Copy)]
pub struct Side<'s> {
    /// One per unit.
    pub logs: &'s [f64],
    /// What its variance borrows.
    pub prior: Option<Moderated>,
}

/// A point that is noisier than others say is hardly so by more than this: with it, 150 pairs of short records of one host
/// had 4 false differences in place of 3, and none of 4,556 single values beside several had p below
/// 0.003.
const NOISIER: f64 = 3.0;

impl Side<'_> {
    /// Variance and degrees of freedom; none with one unit.
    fn variance(&self, moments: Moments) -> Option<(f64, f64)> {
        let (variance, df) = (moments.variance?, moments.n - 1.0);
        Some(match self.prior {
            Some(prior) => {
                let moderated = prior.with(variance, df);
                (moderated.variance, moderated.df)
            }
            None => (variance, df),
        })
    }
}

/// Compares two sides as [`compare_logs`] does, with moderated variances where both sides have a prior.
///
/// The degrees of freedom are Welch and Satterthwaite's of the posterior variances, but what the prior adds counts
/// once: both sides are of one point, and where it is noisier than its prior says, it is so on both.
/// Counted twice, 95 % intervals of points of differing variance hold 92 % (`tests`). The p-value is that of the sides' own
/// variances where it is larger, unless the difference would be plain with three times the borrowed spread as well:
/// intervals gain by what other points say, verdicts only where it cannot mislead.
///
/// One value beside several is taken to vary three times as much as they do.
///
/// # Errors
/// A side without values, or a logarithm that is not finite.
pub fn difference(a: Side<'_>, b: Side<'_>) -> Result<Tested, InputError> {
    let plain = compare_logs(a.logs, b.logs)?;
    if let Tested::Single { log_ratio } = plain {
        return Ok(beside_one(a, b, log_ratio).map_or(plain, Tested::Test));
    }
    let (Tested::Test(welch), Some(prior_a), Some(prior_b)) = (plain, a.prior, b.prior) else {
        return Ok(plain);
    };
    let (one, two) = (Moments::of(a.logs), Moments::of(b.logs));
    let Some(((var_a, df_a), (var_b, df_b))) = a.variance(one).zip(b.variance(two)) else {
        return Ok(plain);
    };
    let (part_a, part_b) = (var_a / one.n, var_b / two.n);
    let se = (part_a + part_b).sqrt();
    let welch_df = (part_a + part_b).powi(2) / (part_a.powi(2) / df_a + part_b.powi(2) / df_b);
    let once = prior_a.prior_df.min(prior_b.prior_df) + one.n + two.n - 2.0;
    let df = welch_df.min(once);
    let p = |times: f64| two_sided(welch.log_ratio / (times * se), df);
    Ok(Tested::Test(Welch {
        se,
        df,
        // A point that is noisier than its prior says may look quiet in three processes: its own variance has to
        // agree. Without that, reports of one host beside itself had a false difference in 22 % of 45 in place of 16 %.
        p: p(1.0).max(welch.p.min(p(NOISIER))),
        ..welch
    }))
}

/// A single value beside several with a prior.
fn beside_one(a: Side<'_>, b: Side<'_>, log_ratio: f64) -> Option<Welch> {
    let several = [a, b].into_iter().max_by_key(|side| side.logs.len())?;
    several.prior?;
    let moments = Moments::of(several.logs);
    let (variance, df) = several.variance(moments)?;
    let se = NOISIER * (variance * (1.0 + 1.0 / moments.n)).sqrt();
    Some(Welch {
        log_ratio,
        se,
        df,
        p: two_sided(log_ratio / se, df),
    })
}

/// Half of the 95 % interval of a comparison of this point with itself, by the spread within these sides. Absent with
/// fewer than two values on a side.
#[must_use]
pub fn own_half_width(a: Side<'_>, b: Side<'_>) -> Option<f64> {
    if a.prior.is_none() || b.prior.is_none() {
        return pooled_half_width(a.logs, b.logs);
    }
    Some(difference(a, b).ok()?.test()?.half_width(COVERAGE))
}

/// The p-value of "the sides differ by the share `margin` or less" (`treat` of limma; McCarthy and Smyth, "Testing
/// significance relative to a fold-change threshold is a TREAT", 2009). Without a margin it is that of the test.
#[must_use]
pub fn beyond(test: &Welch, margin: f64) -> f64 {
    let bound = margin.max(0.0).ln_1p();
    let size = test.log_ratio.abs();
    let tail = |distance: f64| cdf(-distance / test.se, test.df);
    tail(size - bound) + tail(size + bound)
}
