//! Work for several CPUs at once, each on its own memory: the sieve of Eratosthenes, points of the
//! Mandelbrot set, and the triad of STREAM.
//!
//! They are compiled, because only the scaling of their time with the number of CPUs matters, not
//! the time itself ([`crate::compiled::BY`] names the compiler).

use crate::opaque::opaque;

/// Crosses out the multiples of every prime in `flags` (one byte for each number from 0 on) and
/// returns how many primes there are.
#[inline(never)]
pub fn sieve(flags: &mut [u8]) -> usize {
    flags.fill(1);
    for unit in flags.iter_mut().take(2) {
        *unit = 0;
    }
    let mut p = 2;
    while p * p < flags.len() {
        if flags[p] == 1 {
            for multiple in flags[p * p..].iter_mut().step_by(p) {
                *multiple = 0;
            }
        }
        p += 1;
    }
    flags.iter().map(|&f| usize::from(f)).sum()
}

/// Points along each side of the square that [`mandelbrot`] looks at.
const SIDE: u32 = 32;

/// Steps after which a point counts as a member of the set.
const MOST_STEPS: u64 = 256;

/// Goes through 32 times 32 points of the plane from -2 - 1.25i to 0.5 + 1.25i and returns the steps
/// z -> z*z + c that were taken in all, at most 256 a point. Nothing is stored.
#[inline(never)]
pub fn mandelbrot() -> u64 {
    let mut steps = 0;
    for row in 0..SIDE {
        for column in 0..SIDE {
            let re = opaque(-2.0 + 2.5 * f64::from(column) / f64::from(SIDE));
            let im = opaque(-1.25 + 2.5 * f64::from(row) / f64::from(SIDE));
            let (mut x, mut y, mut n) = (0.0, 0.0, 0);
            while x * x + y * y <= 4.0 && n < MOST_STEPS {
                (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
                n += 1;
            }
            steps += n;
        }
    }
    steps
}

/// Makes every element of `a` that of `b` and `factor` times that of `c`; as many as the shortest has.
#[inline(never)]
pub fn triad(a: &mut [f64], b: &[f64], c: &[f64], factor: f64) {
    let factor = opaque(factor);
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + factor * c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_primes() {
        for (numbers, primes) in [(0, 0), (2, 0), (3, 1), (100, 25), (1 << 20, 82_025)] {
            assert_eq!(sieve(&mut vec![7; numbers]), primes, "below {numbers}");
        }
    }

    /// About a quarter of that square belongs to the set, whose area is near 1.51.
    #[test]
    fn finds_the_members_of_the_set() {
        let members = mandelbrot() as f64 / MOST_STEPS as f64 / f64::from(SIDE * SIDE);
        assert!((0.24..0.32).contains(&members), "{members}");
        assert_eq!(mandelbrot(), mandelbrot());
    }

    #[test]
    fn adds_and_scales() {
        let (mut a, b, c) = (vec![0.0; 3], vec![1.0, 2.0, 3.0], vec![0.5; 3]);
        triad(&mut a, &b, &c, 4.0);
        assert_eq!(a, [3.0, 4.0, 5.0]);
    }
}
