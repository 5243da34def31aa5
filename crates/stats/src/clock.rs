//! Whether a time follows the core's clock.
//!
//! The clock of a shared machine varies by a few percent, within runs and between them. Work in the
//! core's own caches takes a fixed number of cycles; work that waits for memory or a disk takes a
//! fixed time. Which of the two applies to a point is determined *within* each side, independently
//! of the difference between the sides, so that a comparison of the corrected values stays valid.

use crate::student;

/// The variance of cycles must be below this share of the variance of times. A point that ignores the
/// clock has more variance in cycles, by that of the clock; one that partly follows it gains little
/// and is left as measured.
const STEADIER: f64 = 0.7;

/// One-sided level at which times must decrease with the clock. Strict, because converting a point
/// to cycles that does not follow the clock adds the clock's difference.
const LEVEL: f64 = 0.005;

/// Logarithms of a process's time per unit of work and of its clock.
pub type Pace = [f64; 2];

/// True if the processes of both sides, each about its own mean, take a fixed number of cycles rather
/// than a fixed time.
///
/// False if there are too few, or a value is not finite.
#[must_use]
pub fn follows(sides: [&[Pace]; 2]) -> bool {
    let (mut time, mut clock, mut both) = (0.0, 0.0, 0.0);
    let mut freedom = -1.0;
    for side in sides.iter().filter(|side| !side.is_empty()) {
        let n = side.len() as f64;
        let mean = |of: usize| side.iter().map(|pace| pace[of]).sum::<f64>() / n;
        let (mean_time, mean_clock) = (mean(0), mean(1));
        for [t, c] in side.iter() {
            let (t, c) = (t - mean_time, c - mean_clock);
            time += t * t;
            clock += c * c;
            both += t * c;
        }
        freedom += n - 1.0;
    }
    let cycles = time + 2.0 * both + clock;
    if freedom < 1.0 || !(time > 0.0 && clock > 0.0) || !cycles.is_finite() {
        return false;
    }
    let r = (both / (time * clock).sqrt()).clamp(-1.0, 1.0);
    // Rounding may reduce 1 - r² to zero.
    let t = r * (freedom / (1.0 - r * r).max(f64::EPSILON)).sqrt();
    cycles < STEADIER * time && student::cdf(t, freedom) < LEVEL
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// A side with times that fall by `slope` times the rise of the clock, with additional scatter.
    fn side(rng: &mut Xoshiro256PlusPlus, n: usize, slope: f64, own: f64, clock: f64) -> Vec<Pace> {
        let mut scatter = |size: f64| {
            // The sum of twelve uniform numbers is nearly normal with variance one.
            let uniform = |rng: &mut Xoshiro256PlusPlus| rng.next_u32() as f64 / u32::MAX as f64;
            let sum: f64 = (0..12).map(|_| uniform(rng)).sum();
            (sum - 6.0) * size
        };
        (0..n)
            .map(|_| {
                let clock = scatter(clock);
                [scatter(own) - slope * clock, clock]
            })
            .collect()
    }

    fn share(n: usize, slope: f64, own: f64, clock: f64) -> f64 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let tries = 2_000;
        let found = (0..tries).filter(|_| {
            let a = side(&mut rng, n, slope, own, clock);
            let b = side(&mut rng, n, slope, own, clock);
            follows([&a, &b])
        });
        found.count() as f64 / f64::from(tries)
    }

    #[test]
    fn what_ignores_the_clock_is_left_in_time() {
        for n in [3, 5, 10, 20] {
            for own in [0.002, 0.01, 0.05] {
                let wrong = share(n, 0.0, own, 0.01);
                assert!(wrong < 0.01, "{n} processes, spread {own}: {wrong}");
            }
        }
    }

    #[test]
    fn what_follows_it_is_seen() {
        assert!(share(10, 1.0, 0.002, 0.01) > 0.99);
        assert!(share(5, 1.0, 0.002, 0.01) > 0.9);
        // The additional scatter hides it.
        assert!(share(10, 1.0, 0.03, 0.005) < 0.1);
    }

    #[test]
    fn too_few_or_equal_values_tell_nothing() {
        assert!(!follows([&[], &[]]));
        assert!(!follows([&[[0.1, 0.2]], &[[0.3, 0.1]]]));
        assert!(!follows([&[[0.1, 0.2]; 4], &[[0.1, 0.2]; 4]]));
        let bad = [[f64::NAN, 0.0], [0.1, 0.1], [0.2, 0.0]];
        assert!(!follows([&bad, &bad]));
    }
}
