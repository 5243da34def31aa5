//! How much of the drift that is allowed for two runs had.
//!
//! What drifts between runs is declared for each kind of point, and a quiet host drifts less. One point cannot tell: its
//! difference may be drift or not. All points of a kind can: with the variance that their differences really have, the squares
//! of the normal scores average to one (the method of moments, as for the variance between studies; R. C. Paule and
//! J. Mandel, "Consensus values and weighting factors", 1982). Where points really differ, they average to more, and all
//! that is allowed stays.

use crate::student::{NORMAL, cdf, quantile};
use crate::welch::Welch;

/// So many points that drift as declared are added to those of a pair: a single point that agrees exactly leaves half of the
/// variance, and twelve leave a thirtieth, where it is twenty times that within the runs.
const AS_DECLARED: f64 = 1.0;

/// Beyond five standard errors a difference is real, and how far beyond is of no matter.
const LEAST_TAIL: f64 = 3e-7;

/// Halvings of the interval: to a thousandth.
const HALVINGS: usize = 10;

/// The share, 0 to 1, of the allowed variances that two runs show. For each point of one kind: its test within the runs, and
/// the variance of the logarithm of the ratio that is allowed besides.
#[must_use]
pub fn share(points: &[(Welch, f64)]) -> f64 {
    if excess(points, 0.0) <= 0.0 {
        return 0.0;
    }
    let (mut least, mut most) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(least, most);
        if excess(points, middle) > 0.0 {
            least = middle;
        } else {
            most = middle;
        }
    }
    most
}

/// By how much the squares of the scores exceed what they are if there is so large a share; less with a larger one.
fn excess(points: &[(Welch, f64)], share: f64) -> f64 {
    let of = |(within, allowed): &(Welch, f64)| {
        let own = within.se.powi(2);
        let declared = (own + allowed) / (own + share * allowed);
        let count = AS_DECLARED / points.len() as f64;
        square(&within.with_known(share * allowed)) - 1.0 + count * (declared - 1.0)
    };
    points.iter().map(of).sum()
}

/// Square of the normal score of a difference.
fn square(test: &Welch) -> f64 {
    let tail = cdf(-(test.log_ratio / test.se).abs(), test.df);
    quantile(tail.max(LEAST_TAIL), NORMAL).powi(2)
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::welch::compare_logs;

    /// Points of two runs with three processes each, whose means drift by `drift` standard errors.
    fn points(count: usize, drift: f64, random: &mut Xoshiro256PlusPlus) -> Vec<(Welch, f64)> {
        let mut normal = || {
            let uniform = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            quantile(uniform.clamp(1e-9, 1.0 - 1e-9), NORMAL)
        };
        let mut side = || {
            let mean = drift * normal();
            [0; 3].map(|_| mean + normal())
        };
        (0..count)
            .map(|_| {
                let test = compare_logs(&side(), &side()).unwrap().test().unwrap();
                (test, 2.0)
            })
            .collect()
    }

    #[test]
    fn the_share_that_there_was_is_found() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        // Allowed is a variance of 2 of each difference: 1 a side. Somewhat less is found: the half-width of three values and of
        // a known variance together is more than that of their sum.
        for (drift, least, most) in [
            (0.0, 0.0, 0.1),
            (0.7, 0.25, 0.6),
            (1.0, 0.6, 1.0),
            (3.0, 1.0, 1.0),
        ] {
            let found = share(&points(400, drift, &mut random));
            assert!((least..=most).contains(&found), "{drift}: {found}");
        }
    }

    #[test]
    fn few_points_leave_what_is_declared() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut mean = |count: usize| {
            let of = |_| share(&points(count, 0.0, &mut random));
            (0..50).map(of).sum::<f64>() / 50.0
        };
        let (one, many) = (mean(1), mean(60));
        assert!(one > 0.4 && many < 0.15, "{one} {many}");
        assert!((share(&[]) - 0.0).abs() < f64::EPSILON);
    }

    #[test]
    fn points_that_differ_leave_all_that_is_allowed() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut points = points(30, 0.0, &mut random);
        for (test, _) in points.iter_mut().take(10) {
            test.log_ratio += 30.0;
        }
        assert!(share(&points) > 0.9);
    }
}
