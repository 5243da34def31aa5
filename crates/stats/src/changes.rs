//! Steps in a series of values over time: when did a node become slower, and by how much.
//!
//! Circular binary segmentation (Olshen and others 2004): the stretch whose mean differs most from that of the rest, for their
//! counts, is cut out if a permutation of the values reaches that in no more than an accepted share of cases; then the parts
//! likewise. Cuts at one place alone would miss what goes up and comes back.
//! Order alone is tested, so that the share holds for any distribution of values that are exchangeable, however few there are.
//! It does not hold for values that follow each other: these [`wander`](Changes::wander), which is tested as well.

use std::ops::Range;

use crate::bootstrap::Resampler;
use crate::quantile::median;
use crate::welch::compare_logs;
use crate::{InputError, Interval};

/// Fewest values that a series or a part is divided of: of six, a permutation reaches 0.3 %.
pub const FEWEST: usize = 6;

/// Fewest values on each side of a step: one alone is an outlier.
const SIDE: usize = 2;

/// Places that a stretch may begin or end at: of a longer series every so many, which bounds the work. The exact place is found
/// between the neighbors then.
const PLACES: usize = 64;

/// Permutations: a p-value of 0.05 over a dozen series has eight behind it.
const PERMUTATIONS: u32 = 1_999;

/// Values count as no farther from the median than so many standard deviations by the MAD, so that an outlier hides no step.
const FARTHEST: f64 = 4.0;

/// From the MAD to the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// Coverage of the interval of a step.
const COVERAGE: f64 = 0.95;

/// A step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The first value after it.
    pub at: usize,
    /// How much the mean up to the next step is above that since the last one.
    pub by: f64,
    /// Interval of that, 95 %, for a step that is here; absent where a side does not vary.
    pub interval: Option<Interval>,
    /// Share of the permutations with a difference as large.
    pub p: f64,
}

/// What is found in a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Steps in the order of time.
    pub steps: Vec<Step>,
    /// Do values between steps follow each other, more than in the accepted share of permutations? Then steps may be parts of a
    /// drift.
    pub wander: bool,
}

/// The steps of `values`, in the order of time. `alpha` is the accepted share of series without a step in which one is found;
/// of the parts of a series with steps it holds for each.
///
/// # Errors
/// A value that is not finite, or a share that is not between 0 and 1.
pub fn changes(values: &[f64], alpha: f64, seed: u64) -> Result<Changes, InputError> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(InputError::BadSetting(alpha));
    }
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        return Err(InputError::NotALogLatency(*bad));
    }
    let mut dice = Resampler::new(seed);
    let mut found = Vec::new();
    divide(values, 0, alpha, &mut dice, &mut found);
    found.sort_unstable_by_key(|(at, _)| *at);
    let mut places: Vec<(usize, f64)> = found;
    // A step is held once more against its neighbors alone: one that was found beside another may be a part of it.
    let mut at = 0;
    while at < places.len() && (places.len() > 1 || values.len() > PLACES) {
        let from = at.checked_sub(1).map_or(0, |before| places[before].0);
        let to = places.get(at + 1).map_or(values.len(), |next| next.0);
        match one(&values[from..to], alpha, &mut dice) {
            Some((place, p)) => {
                places[at] = (from + place, p);
                at += 1;
            }
            None => {
                places.remove(at);
            }
        }
    }
    let ends: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
    let steps = places.iter().enumerate().map(|(n, &(at, p))| {
        let from = n.checked_sub(1).map_or(0, |before| ends[before]);
        let to = ends.get(n + 1).copied().unwrap_or(values.len());
        step(&values[from..at], &values[at..to], at, p)
    });
    Ok(Changes {
        steps: steps.collect(),
        wander: wander(values, &ends, alpha, &mut dice),
    })
}

fn divide(
    values: &[f64],
    from: usize,
    alpha: f64,
    dice: &mut Resampler,
    found: &mut Vec<(usize, f64)>,
) {
    let Some((cut, p)) = stretch(values, alpha, dice) else {
        return;
    };
    let mut last = 0;
    for at in [cut.start, cut.end, values.len()] {
        divide(&values[last..at], from + last, alpha, dice, found);
        if at > last && at < values.len() {
            found.push((from + at, p));
        }
        last = at;
    }
}

/// The stretch that is cut out of a part, and the share of permutations with one that differs as much; none if that is too large.
fn stretch(values: &[f64], alpha: f64, dice: &mut Resampler) -> Option<(Range<usize>, f64)> {
    let mut near = clipped(values).filter(|near| near.len() >= FEWEST)?;
    let (cut, observed) = farthest(&near);
    let p = reached(&mut near, observed, alpha, dice, |values| {
        farthest(values).1
    })?;
    Some((cut, p))
}

/// Where a part is divided in two, likewise.
fn one(values: &[f64], alpha: f64, dice: &mut Resampler) -> Option<(usize, f64)> {
    let mut near = clipped(values).filter(|near| near.len() >= 2 * SIDE)?;
    let (at, observed) = cusum(&near);
    let p = reached(&mut near, observed, alpha, dice, |values| cusum(values).1)?;
    Some((at, p))
}

/// The share of permutations whose `size` is what was observed or more; none if that is nothing, or the share above `alpha`.
fn reached(
    values: &mut [f64],
    observed: f64,
    alpha: f64,
    dice: &mut Resampler,
    size: impl Fn(&[f64]) -> f64,
) -> Option<f64> {
    if observed <= 0.0 {
        return None;
    }
    // Equal arrangements must compare as equal regardless of the order of summation.
    let least = observed * (1.0 - 1e-12);
    permuted(values, alpha, dice, |shuffled| size(shuffled) >= least)
}

/// The share of permutations of `values` that `reach` what was observed, which is one of them; none as soon as it is above
/// `alpha`.
fn permuted(
    values: &mut [f64],
    alpha: f64,
    dice: &mut Resampler,
    reach: impl Fn(&[f64]) -> bool,
) -> Option<f64> {
    let all = f64::from(PERMUTATIONS + 1);
    let mut hits = 1.0;
    for _ in 0..PERMUTATIONS {
        for i in 0..values.len() - 1 {
            let other = i + dice.below(values.len() - i);
            values.swap(i, other);
        }
        if reach(values) {
            hits += 1.0;
            if hits > alpha * all {
                return None;
            }
        }
    }
    Some(hits / all)
}

/// The values with those that are far off brought near. By median and MAD, which no order changes: a permutation of the
/// result is the result of a permutation.
fn clipped(values: &[f64]) -> Option<Vec<f64>> {
    let center = median(values)?;
    let off: Vec<f64> = values.iter().map(|v| (v - center).abs()).collect();
    let reach = FARTHEST * NORMAL * median(&off)?;
    if reach <= 0.0 {
        return Some(values.to_vec());
    }
    let values = values.iter();
    Some(
        values
            .map(|v| v.clamp(center - reach, center + reach))
            .collect(),
    )
}

/// The stretch whose mean differs most from that of the rest for their counts, and the size of that.
fn farthest(values: &[f64]) -> (Range<usize>, f64) {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let mut sums = Vec::with_capacity(n + 1);
    sums.push(0.0);
    let mut sum = 0.0;
    for value in values {
        sum += value - mean;
        sums.push(sum);
    }
    let every = n.div_ceil(PLACES);
    let inner = (SIDE..=n - SIDE).step_by(every);
    let places: Vec<usize> = [0].into_iter().chain(inner).chain([n]).collect();
    let mut best = (0..n, 0.0);
    for (at, &from) in places.iter().enumerate() {
        for &to in &places[at + 1..] {
            let k = to - from;
            if k < SIDE || n - k < SIDE {
                continue;
            }
            let counts = n as f64 / (k as f64 * (n - k) as f64);
            let size = f64::abs(sums[to] - sums[from]) * counts.sqrt();
            if size > best.1 {
                best = (from..to, size);
            }
        }
    }
    best
}

/// Where the means before and after differ most for their counts, and the size of that.
fn cusum(values: &[f64]) -> (usize, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let (mut sum, mut best) = (0.0, (0, 0.0));
    for (at, value) in (1..).zip(&values[..values.len() - SIDE]) {
        sum += value - mean;
        let k = at as f64;
        let size = f64::abs(sum) * (n / (k * (n - k))).sqrt();
        if at >= SIDE && size > best.1 {
            best = (at, size);
        }
    }
    best
}

fn step(before: &[f64], after: &[f64], at: usize, p: f64) -> Step {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let by = mean(after) - mean(before);
    let test = compare_logs(before, after).ok();
    let interval = test.and_then(|tested| tested.test()).map(|test| {
        let half = test.half_width(COVERAGE);
        Interval {
            lo: by - half,
            hi: by + half,
        }
    });
    Step {
        at,
        by,
        interval,
        p,
    }
}

/// Does what is left without the steps follow itself? By the sum of products of successive values (von Neumann).
fn wander(values: &[f64], steps: &[usize], alpha: f64, dice: &mut Resampler) -> bool {
    let mut left = Vec::with_capacity(values.len());
    let mut from = 0;
    for to in steps.iter().copied().chain([values.len()]) {
        let part = &values[from..to];
        let mean = part.iter().sum::<f64>() / part.len().max(1) as f64;
        left.extend(part.iter().map(|v| v - mean));
        from = to;
    }
    let Some(mut left) = clipped(&left).filter(|left| left.len() >= 2 * FEWEST) else {
        return false;
    };
    let follow = |values: &[f64]| values.windows(2).map(|w| w[0] * w[1]).sum::<f64>();
    let observed = follow(&left);
    observed > 0.0
        && permuted(&mut left, alpha, dice, |shuffled| {
            follow(shuffled) >= observed
        })
        .is_some()
}

#[cfg(test)]
mod tests;
