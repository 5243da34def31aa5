//! Tests of the moderation of variances on values with known answers.

use super::*;
use crate::welch::{Tested, compare_logs};

fn spread(variance: f64, df: f64) -> Spread {
    Spread {
        variance,
        df,
        covariates: [None; COVARIATES],
    }
}

/// Variances at the quantiles of F(2, d0), which has a closed form: `(q^(-2 / d0) - 1) d0 / 2`.
fn at_quantiles(d0: f64, points: usize) -> Vec<Spread> {
    let quantile = |i: usize| {
        let above = (i as f64 + 0.5) / points as f64;
        0.01 * 0.5 * d0 * (above.powf(-2.0 / d0) - 1.0)
    };
    (0..points).map(|i| spread(quantile(i), 2.0)).collect()
}

#[test]
fn finds_the_prior_that_variances_are_of() {
    for d0 in [1.0, 4.0, 15.0] {
        let prior = Prior::fit(&at_quantiles(d0, 400)).unwrap();
        assert!((prior.df() / d0).ln().abs() < 0.2, "{d0}: {}", prior.df());
        let one = prior.moderate(&spread(0.01, 2.0)).unwrap();
        assert!((one.prior_variance / 0.01).ln().abs() < 0.1, "{one:?}");
    }
}

#[test]
fn posterior_is_the_mean_by_degrees_of_freedom() {
    let prior = Prior::fit(&at_quantiles(4.0, 100)).unwrap();
    let found = prior.moderate(&spread(0.02, 3.0)).unwrap();
    let sum = found.prior_df * found.prior_variance + 3.0 * 0.02;
    assert!((found.variance - sum / found.df).abs() < 1e-15);
    assert!((found.df - found.prior_df - 3.0).abs() < 1e-12);
    let half = student::quantile(0.975, found.df) * (found.variance / 4.0).sqrt();
    assert!((found.half_width(4, 0.95) - half).abs() < 1e-12);
}

#[test]
fn follows_a_covariate() {
    let mut points = at_quantiles(8.0, 200);
    // In an order of its own, so that size and chance have nothing in common.
    for (i, point) in points.iter_mut().enumerate() {
        let size = (i * 77 % 200) as f64 / 50.0;
        point.variance *= (2.0 * size).exp();
        point.covariates[1] = Some(size);
    }
    let prior = Prior::fit(&points).unwrap();
    let at = |size: f64| {
        let mut point = spread(0.01, 2.0);
        point.covariates[1] = Some(size);
        prior.moderate(&point).unwrap().prior_variance
    };
    assert!((at(3.0) / at(1.0)).ln() > 3.7 && (at(3.0) / at(1.0)).ln() < 4.3);
    assert!(prior.df() > 4.0, "{}", prior.df());
}

#[test]
fn what_is_far_above_keeps_its_own() {
    let mut points = at_quantiles(20.0, 100);
    points[7].variance = 100.0;
    let prior = Prior::fit(&points).unwrap();
    let far = prior.moderate(&points[7]).unwrap();
    let ordinary = prior.moderate(&points[50]).unwrap();
    assert!(
        far.prior_df < 0.5 * ordinary.prior_df,
        "{far:?} {ordinary:?}"
    );
    // Not more than t of its own two degrees of freedom would have it, nor much less.
    let plain = student::quantile(0.975, 2.0) * (100.0_f64 / 3.0).sqrt();
    assert!((0.8..1.0).contains(&(far.half_width(3, 0.95) / plain)));
}

#[test]
fn few_points_have_no_prior() {
    assert_eq!(Prior::fit(&at_quantiles(4.0, LEAST - 1)), None);
    assert!(Prior::fit(&at_quantiles(4.0, LEAST)).is_some());
    // What does not vary says nothing.
    let still = vec![spread(0.0, 2.0); 20];
    assert_eq!(Prior::fit(&still), None);
    let prior = Prior::fit(&at_quantiles(4.0, 20)).unwrap();
    assert_eq!(prior.moderate(&spread(0.0, 2.0)), None);
    assert_eq!(Spread::of(&[1.0], [None; COVARIATES]), None);
    assert_eq!(Spread::of(&[1.0, 1.0], [None; COVARIATES]), None);
}

#[test]
fn equal_variances_and_extreme_ones_are_no_trouble() {
    let alike = Prior::fit(&vec![spread(0.01, 2.0); 20]).unwrap();
    assert!(alike.df() > 50.0);
    let wild: Vec<Spread> = (-10..=0).map(|i| spread(10f64.powi(2 * i), 1.0)).collect();
    let prior = Prior::fit(&wild).unwrap();
    assert!(wild.iter().all(|p| prior.moderate(p).is_some()));
}

#[test]
fn a_difference_borrows_on_both_sides_and_once() {
    let (a, b) = ([0.0, 0.02, 0.01], [0.05, 0.06, 0.09]);
    let prior = Prior::fit(&at_quantiles(4.0, 100)).unwrap();
    let prior = prior.moderate(&spread(1e-4, 2.0));
    let side = |logs, prior| Side { logs, prior };
    let plain = compare_logs(&a, &b).unwrap();
    assert_eq!(difference(side(&a, None), side(&b, prior)).unwrap(), plain);
    let found = difference(side(&a, prior), side(&b, prior)).unwrap();
    let (Tested::Test(found), Tested::Test(plain)) = (found, plain) else {
        panic!("no test");
    };
    assert!((found.log_ratio - plain.log_ratio).abs() < 1e-15);
    assert!(found.df <= 4.0 + prior.unwrap().prior_df + 1e-9 && found.df > plain.df);
}

#[test]
fn a_test_beyond_a_margin_asks_for_more() {
    let welch = |log_ratio| crate::welch::Welch {
        log_ratio,
        se: 0.01,
        df: 10.0,
        p: crate::welch::two_sided(log_ratio / 0.01, 10.0),
    };
    let far = welch(0.06);
    assert!((beyond(&far, 0.0) - far.p).abs() < 1e-12);
    assert!(beyond(&far, 0.02) > far.p && beyond(&far, 0.02) < 0.01);
    assert!(beyond(&welch(0.015), 0.02) > 0.3);
}

#[test]
fn what_is_far_beyond_any_spread_is_found_with_two_values_and_beside_one() {
    let prior = Prior::fit(&at_quantiles(4.0, 100)).unwrap();
    let prior = prior.moderate(&spread(4e-4, 1.0));
    let side = |logs, prior| Side { logs, prior };
    let (a, near, far) = ([0.0, 0.02], [0.30, 0.36], [1.60, 1.66]);
    let p = |a, b| difference(a, b).unwrap().test().map(|test| test.p);
    // With the values alone the difference of two and two, fivefold, is as nothing among a hundred points.
    let plain = compare_logs(&a, &far).unwrap().test().unwrap();
    let found = p(side(&a, prior), side(&far, prior)).unwrap();
    assert!(plain.p > 5e-3 && found < 1e-3, "{} {found}", plain.p);
    // What a noisier point may well do is left to its own spread.
    let plain = compare_logs(&a, &near).unwrap().test().unwrap();
    assert_eq!(p(side(&a, prior), side(&near, prior)), Some(plain.p));
    let one = p(side(&a, prior), side(&far[..1], None)).unwrap();
    assert!(one < 5e-3, "{one}");
    assert!(p(side(&near[..1], None), side(&a, prior)).unwrap() > 0.05);
    assert_eq!(p(side(&a, None), side(&far[..1], None)), None);
    assert_eq!(p(side(&a[..1], prior), side(&far[..1], prior)), None);
}
