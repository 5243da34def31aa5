//! Values that form separate groups: modes of a point, classes of a quantity.

use crate::quantile::median;
use crate::{InputError, input};

/// Least number of values for finding modes: with five or fewer, a gap this wide arises by chance.
pub const MIN_VALUES: usize = 6;

/// Least number of members of a mode; a single value is an outlier.
pub const MIN_MEMBERS: usize = 2;

/// Least ratio between adjacent values of two modes: 2 %, the margin used everywhere for
/// equivalence.
const MIN_RATIO: f64 = 1.02;

/// One group of process values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Geometric mean of its members, in the unit of the values.
    pub center: f64,
    /// Smallest member.
    pub lo: f64,
    /// Largest member.
    pub hi: f64,
    /// Members.
    pub count: usize,
    /// Share of all values.
    pub share: f64,
}

/// The modes of positive `values` (one per process), in ascending order; one mode if there is no
/// clear gap.
///
/// The sorted logarithms are split at the gap that is widest in units of the standard deviation
/// within the two resulting groups, if it exceeds the 1 % limit of normal samples and 2 %, and each
/// group has [`MIN_MEMBERS`]; then each group likewise. With fewer than [`MIN_VALUES`] values there
/// is always one mode.
///
/// # Errors
/// No values, or one that is not positive and finite.
pub fn find_modes(values: &[f64]) -> Result<Vec<Mode>, InputError> {
    let mut logs = input::logs(values)?;
    logs.sort_unstable_by(f64::total_cmp);
    let mut groups = Vec::new();
    split_modes(&logs, &mut groups);
    let total = logs.len() as f64;
    Ok(groups
        .iter()
        .map(|group| Mode {
            center: (group.iter().sum::<f64>() / group.len() as f64).exp(),
            lo: group.first().map_or(f64::NAN, |l| l.exp()),
            hi: group.last().map_or(f64::NAN, |l| l.exp()),
            count: group.len(),
            share: group.len() as f64 / total,
        })
        .collect())
}

fn split_modes<'a>(sorted: &'a [f64], groups: &mut Vec<&'a [f64]>) {
    match widest_gap(sorted) {
        Some(at) => {
            split_modes(&sorted[..at], groups);
            split_modes(&sorted[at..], groups);
        }
        None => groups.push(sorted),
    }
}

/// Where to split: the start of the upper group.
fn widest_gap(sorted: &[f64]) -> Option<usize> {
    let n = sorted.len();
    if n < MIN_VALUES {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for at in MIN_MEMBERS..=n - MIN_MEMBERS {
        let gap = sorted[at] - sorted[at - 1];
        if gap < MIN_RATIO.ln() {
            continue;
        }
        let within = squares(&sorted[..at]) + squares(&sorted[at..]);
        let sd = (within / (n - 2) as f64).sqrt();
        let score = if sd > 0.0 { gap / sd } else { f64::INFINITY };
        if score > threshold(n) && best.is_none_or(|(_, s)| score > s) {
            best = Some((at, score));
        }
    }
    best.map(|(at, _)| at)
}

/// The gap, in standard deviations within the groups, that one normal population exceeds in 1 % of
/// samples of `n`: the 99th percentile of 20,000 simulated samples per size, rounded up.
fn threshold(n: usize) -> f64 {
    match n {
        0..=6 => 7.6,
        7 => 5.8,
        8 => 5.0,
        9 => 4.4,
        10 => 4.0,
        11 => 3.5,
        12 => 3.2,
        13..=14 => 3.0,
        15..=17 => 2.7,
        18..=19 => 2.3,
        20..=24 => 2.1,
        // By chance alone less would do, but closer groups look like one broad group to a reader.
        _ => 1.8,
    }
}

fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|v| (v - mean).powi(2)).sum()
}

/// One class of similar values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// Median of its members, in the unit of the values.
    pub center: f64,
    /// Smallest member.
    pub lo: f64,
    /// Largest member.
    pub hi: f64,
    /// Members.
    pub count: usize,
}

/// Classes in ascending order, and the class of each value.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The classes.
    pub classes: Vec<Class>,
    /// Index into `classes` for each value, in the order of the input.
    pub class_of: Vec<usize>,
}

/// Of many values, this share or less in one place is a few strays: of some 5,000 latencies between two CPUs that a host moved
/// at times, two to four lay halfway between classes of hundreds.
const STRAY: f64 = 0.005;

/// Splits positive `values` wherever two adjacent ones in sorted order differ by at least the
/// factor `min_ratio`.
///
/// No number of classes is assumed and a class may have one member, so a stray value between two
/// classes forms its own class, or, if close to both, joins them. In hundreds of values a few strays join nothing: they
/// belong to the nearest class.
///
/// # Errors
/// No values, one that is not positive and finite, or `min_ratio` not above 1.
pub fn cluster_by_gap(values: &[f64], min_ratio: f64) -> Result<Clusters, InputError> {
    if !(min_ratio.is_finite() && min_ratio > 1.0) {
        return Err(InputError::BadSetting(min_ratio));
    }
    input::logs(values)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let sorted: Vec<f64> = order.iter().map(|&index| values[index]).collect();
    let dense = dense(&sorted, min_ratio);

    // From where to where in `sorted` each class reaches, its strays left out.
    let (core, strays): (Vec<usize>, Vec<usize>) = (0..sorted.len()).partition(|at| dense[*at]);
    let mut cores = runs(&core, &sorted, min_ratio);
    // Strays that are far from every class are classes too.
    let far = |at: &usize| {
        let mut cores = cores.iter();
        cores.all(|&(first, last)| away(sorted[*at], sorted[first], sorted[last]) >= min_ratio)
    };
    let lone: Vec<usize> = strays.into_iter().filter(far).collect();
    cores.extend(runs(&lone, &sorted, min_ratio));
    cores.sort_unstable();

    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); cores.len()];
    let mut class_of = vec![0; values.len()];
    for (at, &index) in order.iter().enumerate() {
        let from = |&(first, last): &(usize, usize)| away(sorted[at], sorted[first], sorted[last]);
        let nearest = (0..cores.len()).min_by(|a, b| from(&cores[*a]).total_cmp(&from(&cores[*b])));
        class_of[index] = nearest.unwrap_or(0);
        groups[class_of[index]].push(values[index]);
    }
    let classes = groups
        .iter()
        .map(|group| Class {
            center: median(group).unwrap_or(f64::NAN),
            lo: group[0],
            hi: group[group.len() - 1],
            count: group.len(),
        })
        .collect();
    Ok(Clusters { classes, class_of })
}

/// The first and last of those of the `places` in `sorted` that follow each other at less than the factor.
fn runs(places: &[usize], sorted: &[f64], min_ratio: f64) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &at in places {
        match runs.last_mut() {
            Some((_, last)) if sorted[at] < sorted[*last] * min_ratio => *last = at,
            _ => runs.push((at, at)),
        }
    }
    runs
}

/// How far a value is from a range, a factor; 1 within it.
fn away(value: f64, lo: f64, hi: f64) -> f64 {
    (lo / value).max(value / hi).max(1.0)
}

/// Which of the sorted values have more than a stray's share of all around them, within the fourth root of the factor.
fn dense(sorted: &[f64], min_ratio: f64) -> Vec<bool> {
    let few = (STRAY * sorted.len() as f64) as usize;
    let around = min_ratio.powf(0.25);
    let near = |value: &f64| {
        let from = sorted.partition_point(|other| other * around < *value);
        let to = sorted.partition_point(|other| *other <= value * around);
        to - from > few
    };
    sorted.iter().map(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Resampler;

    /// Close to normal: the sum of twelve uniform values.
    fn noise(dice: &mut Resampler) -> f64 {
        let uniform = |dice: &mut Resampler| dice.below(1 << 40) as f64 / (1_u64 << 40) as f64;
        (0..12).map(|_| uniform(dice)).sum::<f64>() - 6.0
    }

    #[test]
    fn one_population_is_one_mode() {
        let mut dice = Resampler::new(3);
        for n in [6, 8, 10, 15, 30] {
            let split = (0..500).filter(|_| {
                // 5 % noise: the floor of 2 % does not help.
                let values: Vec<f64> = (0..n).map(|_| (0.05 * noise(&mut dice)).exp()).collect();
                find_modes(&values).unwrap().len() > 1
            });
            // 1 % expected, 5 of 500.
            assert!(split.count() <= 15, "n {n}");
        }
    }

    #[test]
    fn two_populations_are_two_modes() {
        let mut dice = Resampler::new(4);
        let mut found = 0;
        for _ in 0..200 {
            // 8 % apart at 1 % noise: a typical effect of page placement.
            let center = |i: usize| if i < 3 { 1.08_f64 } else { 1.0 };
            let values: Vec<f64> = (0..10)
                .map(|i| 20.0 * center(i) * (0.01 * noise(&mut dice)).exp())
                .collect();
            let modes = find_modes(&values).unwrap();
            if let [low, high] = modes[..] {
                found += 1;
                assert_eq!((low.count, high.count), (7, 3));
                assert!((high.center / low.center / 1.08 - 1.0).abs() < 0.03);
                assert!((low.share - 0.7).abs() < 1e-12);
            }
        }
        assert!(found >= 150, "{found} of 200");
    }

    #[test]
    fn three_modes_and_equal_values() {
        let values = [
            1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0,
        ];
        let modes = find_modes(&values).unwrap();
        let counts: Vec<usize> = modes.iter().map(|m| m.count).collect();
        // Split at the widest gap first, then the eight lower values again.
        assert_eq!(counts, [3, 5, 6]);
    }

    #[test]
    fn few_values_and_lone_outliers_stay_together() {
        assert_eq!(find_modes(&[1.0, 1.0, 5.0, 5.0]).unwrap().len(), 1);
        let lone = [1.0, 1.01, 1.02, 1.0, 1.01, 1.02, 1.0, 1.01, 1.02, 7.0];
        assert_eq!(find_modes(&lone).unwrap().len(), 1);
        assert_eq!(find_modes(&[]), Err(InputError::Empty));
    }

    #[test]
    fn clusters_of_any_count() {
        let one = cluster_by_gap(&[5.0], 1.8).unwrap();
        assert_eq!((one.classes.len(), one.class_of), (1, vec![0]));
        let mixed = cluster_by_gap(&[120.0, 24.0, 22.0, 29.0, 600.0], 1.8).unwrap();
        assert_eq!(mixed.class_of, [1, 0, 0, 0, 2]);
        assert_eq!(mixed.classes[0].count, 3);
        assert!((mixed.classes[0].center - 24.0).abs() < 1e-12);
        assert_eq!((mixed.classes[0].lo, mixed.classes[0].hi), (22.0, 29.0));
    }

    #[test]
    fn a_few_strays_join_no_classes() {
        let mut dice = Resampler::new(5);
        let mut values: Vec<f64> = (0..2000)
            .map(|i| if i % 8 == 0 { 10.2 } else { 27.0 } * (0.05 * noise(&mut dice)).exp())
            .collect();
        // Halfway between; and far from both, which is a class.
        values.extend([15.0, 16.5, 109.0]);
        let found = cluster_by_gap(&values, 1.8).unwrap();
        let counts: Vec<usize> = found.classes.iter().map(|class| class.count).collect();
        assert_eq!(counts, [251, 1751, 1]);
        assert_eq!(found.class_of[2000..], [0, 1, 2]);
        // As many as a class has are no strays.
        values.extend((0..40).map(|i| 15.0 + 0.05 * f64::from(i)));
        assert_eq!(cluster_by_gap(&values, 1.8).unwrap().classes.len(), 2);
    }

    #[test]
    fn the_ratio_itself_separates() {
        assert_eq!(cluster_by_gap(&[10.0, 20.0], 2.0).unwrap().classes.len(), 2);
        assert_eq!(cluster_by_gap(&[10.0, 19.9], 2.0).unwrap().classes.len(), 1);
        assert_eq!(
            cluster_by_gap(&[1.0], 1.0),
            Err(InputError::BadSetting(1.0))
        );
        assert!(cluster_by_gap(&[1.0, 0.0], 2.0).is_err());
    }
}
