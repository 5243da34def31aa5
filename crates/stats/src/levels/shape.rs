//! How the miss rate rises as a working set exceeds a cache.
//!
//! A chase visits every line of a working set of `x` times the cache size once per round, in random
//! order.
//!
//! * **LRU** with randomly placed pages: the number of lines in a group of `w` ways is Poisson with
//!   mean `w x`; a group with more than `w` lines always misses, others never. The miss rate is the
//!   probability that a line shares its group with at least `w` others, `P(Poisson(w x) >= w)`: a
//!   direct-mapped cache (`w = 1`) rises softly from far below its size, and as `w` grows the curve
//!   becomes the cliff of an ideal LRU cache, or of one with evenly spread pages.
//! * **random replacement** in a full cache keeps a line through a round with probability `h` where
//!   `h = exp(-(s / C) (1 - h))`: no miss below the size, then a slow rise. With random placement
//!   each group of `w` ways follows this law for its own Poisson load.
//!
//! `w` is a softness, not a claim about the hardware: page colors, hashed indices and other users
//! of the cache all soften the edge.

use std::sync::OnceLock;

/// Replacement policy of a full cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Least recently used.
    Lru,
    /// Random.
    Random,
}

/// Softness is stored as `u = log2(w)`. Rows 0 to 8 are 1 to 256 ways; the last one is the limit of
/// an edge without placement spread, which no grid of sizes can distinguish from 512 ways.
pub(super) const MAX_U: f64 = 9.0;
const ROWS: usize = MAX_U as usize + 1;

/// The tables reach from 2^-8 (where even one way misses less than 0.4 %) to 2^6 of the cache size.
const LOWEST_LOG2: f64 = -8.0;
const HIGHEST_LOG2: f64 = 6.0;
/// Table points per octave: 4 times the densest grid of sizes.
const PER_OCTAVE: f64 = 16.0;
const COLUMNS: usize = ((HIGHEST_LOG2 - LOWEST_LOG2) * PER_OCTAVE) as usize + 1;

type Table = [[f64; COLUMNS]; ROWS];

struct Tables {
    lru: Box<Table>,
    random: Box<Table>,
}

/// A miss rate with its derivatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Miss {
    pub(super) share: f64,
    /// Derivative by the logarithm of the size.
    pub(super) by_log_size: f64,
    /// Derivative by `u`.
    pub(super) by_u: f64,
}

/// Miss rate at `log_x = ln(working set / cache size)` for `w = 2^u`.
pub(super) fn miss(policy: Policy, u: f64, log_x: f64) -> Miss {
    let tables = tables();
    let table = match policy {
        Policy::Lru => &tables.lru,
        Policy::Random => &tables.random,
    };
    let position = (log_x / std::f64::consts::LN_2 - LOWEST_LOG2) * PER_OCTAVE;
    if position <= 0.0 || position.is_nan() {
        return Miss {
            share: 0.0,
            by_log_size: 0.0,
            by_u: 0.0,
        };
    }
    let last = (COLUMNS - 2) as f64;
    if position >= last {
        return Miss {
            share: 1.0,
            by_log_size: 0.0,
            by_u: 0.0,
        };
    }
    let column = position as usize;
    let across = position - column as f64;
    let u = u.clamp(0.0, MAX_U);
    let row = (u as usize).min(ROWS - 2);
    let down = u - row as f64;
    let along = |row: usize| {
        let (left, right) = (table[row][column], table[row][column + 1]);
        (left + across * (right - left), right - left)
    };
    let ((upper, upper_slope), (lower, lower_slope)) = (along(row), along(row + 1));
    Miss {
        share: upper + down * (lower - upper),
        by_log_size: (upper_slope + down * (lower_slope - upper_slope)) * PER_OCTAVE
            / std::f64::consts::LN_2,
        by_u: lower - upper,
    }
}

/// The most that a cache of size 1 serves: the maximum over `x` of `x (1 - miss(x))`.
pub(super) fn most_served(policy: Policy, u: f64) -> f64 {
    let mut most = 0.0_f64;
    for column in 0..COLUMNS {
        let log_x = (LOWEST_LOG2 + column as f64 / PER_OCTAVE) * std::f64::consts::LN_2;
        most = most.max(log_x.exp() * (1.0 - miss(policy, u, log_x).share));
    }
    most
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables {
            lru: Box::new([[0.0; COLUMNS]; ROWS]),
            random: Box::new([[0.0; COLUMNS]; ROWS]),
        };
        for row in 0..ROWS {
            let ways = (1_usize << row) as f64;
            for column in 0..COLUMNS {
                let x = (LOWEST_LOG2 + column as f64 / PER_OCTAVE).exp2();
                let load = ways * x;
                let lru = |load: f64| f64::from(u8::from(load > 1.0));
                let share = |full: &dyn Fn(f64) -> f64| {
                    if row == ROWS - 1 {
                        full(x)
                    } else {
                        poisson_mean(load, |others| full((others + 1.0) / ways))
                    }
                };
                tables.lru[row][column] = share(&lru);
                tables.random[row][column] = share(&random_replacement);
            }
        }
        tables
    })
}

/// Mean of `value` over a Poisson count with mean `load`.
fn poisson_mean(load: f64, value: impl Fn(f64) -> f64) -> f64 {
    // Six deviations leave less than 1e-8 outside; the constant covers small means.
    let reach = 6.0 * load.sqrt() + 8.0;
    let from = (load - reach).floor().max(0.0);
    let to = (load + reach).ceil();
    // Unnormalized weights outward from the mode never overflow.
    let mode = load.floor();
    let (mut sum, mut total) = (0.0, 0.0);
    let mut weight = 1.0;
    let mut count = mode;
    while count <= to {
        sum += weight * value(count);
        total += weight;
        count += 1.0;
        weight *= load / count;
    }
    weight = 1.0;
    count = mode;
    while count > from {
        weight *= count / load;
        count -= 1.0;
        sum += weight * value(count);
        total += weight;
    }
    sum / total
}

/// Miss rate of a cache with random replacement, for a working set of `x` times its size.
fn random_replacement(x: f64) -> f64 {
    if x <= 1.0 {
        return 0.0;
    }
    // The relevant root of h = exp(-x (1 - h)) is the one below 1; the iteration from 0 converges
    // to it.
    let mut hit = 0.0_f64;
    for _ in 0..60 {
        hit = (-x * (1.0 - hit)).exp();
    }
    1.0 - hit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // One way: 1 - exp(-x). 256 ways: a cliff.
        assert!((miss(Policy::Lru, 0.0, 0.0).share - (1.0 - (-1.0_f64).exp())).abs() < 1e-6);
        assert!(miss(Policy::Lru, 8.0, 0.8_f64.ln()).share < 0.01);
        assert!(miss(Policy::Lru, 8.0, 1.25_f64.ln()).share > 0.99);
        assert_eq!(miss(Policy::Lru, MAX_U, 0.0).share, 0.0);
        assert_eq!(miss(Policy::Lru, MAX_U, 1.05_f64.ln()).share, 1.0);
        // Twice the size under random replacement: h = 0.2032.
        assert!((miss(Policy::Random, MAX_U, 2.0_f64.ln()).share - 0.797).abs() < 0.005);
    }

    #[test]
    fn shares_rise_with_size_and_stay_shares() {
        for policy in [Policy::Lru, Policy::Random] {
            for u in [0.0, 0.4, 1.0, 3.3, 8.0, 8.7] {
                let mut before = 0.0;
                for step in -200..200 {
                    let share = miss(policy, u, f64::from(step) * 0.05).share;
                    assert!((0.0..=1.0).contains(&share) && share >= before - 1e-12);
                    before = share;
                }
            }
        }
    }

    #[test]
    fn an_ideal_cache_serves_its_size_and_a_soft_one_less() {
        assert!((most_served(Policy::Random, MAX_U) - 1.0).abs() < 1e-6);
        // One way: x exp(-x) has its maximum at 1.
        assert!((most_served(Policy::Lru, 0.0) - (-1.0_f64).exp()).abs() < 1e-3);
        let sixteen = most_served(Policy::Lru, 4.0);
        assert!((0.58..0.68).contains(&sixteen), "{sixteen}");
    }
}
