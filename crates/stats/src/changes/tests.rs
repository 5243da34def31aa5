//! Simulated series whose steps are known.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;

/// Accepted share, as for one of nine series.
const ALPHA: f64 = 0.05 / 9.0;

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Normal, and one value in ten with six times the deviation.
    fn tailed(&mut self) -> f64 {
        let far = self.uniform() < 0.1;
        self.normal() * if far { 6.0 } else { 1.0 }
    }
}

/// `n` values of noise, with `by` added from each of `steps` on.
fn series(n: usize, steps: &[(usize, f64)], tailed: bool, seed: u64) -> Vec<f64> {
    let mut dice = Dice::new(seed);
    let level = |at: usize| -> f64 {
        let steps = steps.iter().filter(|(from, _)| *from <= at);
        steps.map(|(_, by)| by).sum()
    };
    (0..n)
        .map(|at| level(at) + if tailed { dice.tailed() } else { dice.normal() })
        .collect()
}

fn places(values: &[f64], alpha: f64, seed: u64) -> Vec<usize> {
    let found = changes(values, alpha, seed).unwrap();
    found.steps.iter().map(|step| step.at).collect()
}

#[test]
fn series_without_a_step_show_one_as_often_as_accepted() {
    for (n, tailed) in [(8, false), (30, false), (30, true), (120, true)] {
        let shown = (0..400).filter(|seed| {
            let values = series(n, &[], tailed, *seed);
            !places(&values, 0.05, *seed).is_empty()
        });
        // 20 of 400 with three standard errors of 4.4. Fewer, as a stretch in the middle has two ends that must hold alone.
        let shown = shown.count();
        assert!((1..=33).contains(&shown), "{n} {tailed}: {shown} of 400");
    }
}

#[test]
fn a_step_is_found_at_its_place_with_its_size_and_no_other() {
    // Twice the standard deviation of such noise, which is 2.1.
    let by = 4.2;
    let (mut near, mut alone, mut covered) = (0, 0, 0);
    for seed in 0..100 {
        let values = series(40, &[(25, by)], true, seed);
        let found = changes(&values, ALPHA, seed).unwrap().steps;
        alone += usize::from(found.len() == 1);
        if let Some(step) = found.iter().find(|s| s.at.abs_diff(25) <= 2) {
            near += 1;
            let range = step.interval.unwrap();
            covered += usize::from(range.lo < by && by < range.hi);
        }
    }
    assert!(near >= 80 && alone >= 85, "{near} {alone}");
    assert!(covered * 10 >= near * 8, "{covered} of {near}");
    // There and back is two steps, whose means over the whole are alike.
    let back = (0..50).filter(|seed| {
        let values = series(60, &[(20, 3.0), (40, -3.0)], false, *seed);
        let found = places(&values, ALPHA, *seed);
        found.len() == 2 && found[0].abs_diff(20) <= 1 && found[1].abs_diff(40) <= 1
    });
    let back = back.count();
    assert!(back >= 45, "{back} of 50");
}

#[test]
fn few_values_outliers_and_constants_are_no_steps() {
    assert!(places(&[0.0, 0.0, 0.0, 9.0, 9.0], 0.05, 1).is_empty());
    let mut values = series(20, &[], false, 4);
    values[12] += 40.0;
    assert!(places(&values, ALPHA, 1).is_empty());
    assert!(places(&[2.0; 30], 0.05, 1).is_empty());
    // Without any noise: found, but with no interval.
    let step = [[1.0; 10], [2.0; 10]].concat();
    let found = changes(&step, ALPHA, 1).unwrap().steps;
    assert_eq!((found.len(), found[0].at, found[0].interval), (1, 10, None));
    assert!(changes(&[f64::NAN; 9], 0.05, 1).is_err());
    assert!(changes(&values, 0.0, 1).is_err());
}

#[test]
fn what_wanders_is_said_and_what_does_not_seldom() {
    let wandering = |share: f64| {
        let found = (0..100).filter(|seed| {
            let mut dice = Dice::new(*seed);
            let mut last = 0.0;
            let values: Vec<f64> = (0..60)
                .map(|_| {
                    last = share * last + dice.normal();
                    last
                })
                .collect();
            changes(&values, 0.05, *seed).unwrap().wander
        });
        found.count()
    };
    let (none, half) = (wandering(0.0), wandering(0.6));
    assert!(none <= 12 && half >= 60, "{none} {half}");
}
