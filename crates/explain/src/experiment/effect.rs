//! What a switch did to one point.

use whyslow_model::Point;
use whyslow_model::experiment::{Dose, Effect, Estimated, Trial};
use whyslow_model::share::Share;
use whyslow_stats::student::{cdf, mean_interval, quantile};

use super::layout::Layout;

/// Differences below this do not matter: the margin of comparisons.
pub(super) const MARGIN: f64 = 0.02;

/// What remains is nothing where it is surely less than this share of the difference, or than the
/// margin: processes differ by more than the margin where a difference is several-fold.
const REST: f64 = 0.1;

/// How much worse one arm is than another, block by block.
type Blocks = Vec<f64>;

/// Mean of an arm in every block; nothing in those where it lacks a value.
fn means(point: &Point, trial: &Trial, arm: usize) -> Vec<Option<f64>> {
    let blocks = trial.values.iter().map(|v| v.block + 1).max().unwrap_or(0);
    let mean = |block: u32| {
        let here: Vec<f64> = of(point, trial, arm)
            .filter(|v| v.0 == block)
            .map(|v| v.2)
            .collect();
        (!here.is_empty()).then(|| here.iter().sum::<f64>() / here.len() as f64)
    };
    (0..blocks).map(mean).collect()
}

/// Block, place and logarithm of each process of an arm.
fn of<'a>(
    point: &'a Point,
    trial: &'a Trial,
    arm: usize,
) -> impl Iterator<Item = (u32, u32, f64)> + 'a {
    let all = trial.values.iter();
    all.filter(move |v| v.point == *point && v.arm == arm)
        .map(|v| (v.block, v.place, v.worse))
}

/// The difference of two arms in the blocks that have both.
fn between(point: &Point, trial: &Trial, arm: usize, other: usize) -> Blocks {
    let (one, two) = (means(point, trial, arm), means(point, trial, other));
    let both = one.into_iter().zip(two);
    both.filter_map(|(one, two)| Some(one? - two?)).collect()
}

fn estimated(values: &[f64]) -> Option<Estimated> {
    let mean = mean_interval(values, 0.95)?;
    let range = mean.interval?;
    Some(Estimated {
        value: mean.mean,
        range: [range.lo, range.hi],
    })
}

/// Geometric mean of an arm, in the unit of the point.
fn typical(point: &Point, trial: &Trial, arm: usize) -> Option<f64> {
    let here = trial
        .values
        .iter()
        .filter(|v| v.point == *point && v.arm == arm);
    let logs: Vec<f64> = here.map(|v| v.value.ln()).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// What switching did to `point`; nothing where fewer than two blocks have both off and on.
pub(super) fn of_point(point: &Point, trial: &Trial, layout: &Layout) -> Option<Effect> {
    let (reference, off, on) = (layout.reference(), layout.off(), layout.on());
    let effects = between(point, trial, on, off);
    let differences = between(point, trial, on, reference);
    let remains = between(point, trial, off, reference);
    let effect = estimated(&effects)?;
    let difference = estimated(&differences);
    let within = mean_interval(&remains, 0.90).and_then(|mean| mean.interval);
    let nothing_remains = difference.zip(within.map(|i| [i.lo, i.hi]));
    let doses = doses(point, trial, layout);
    Some(Effect {
        point: point.clone(),
        unit: trial.values.iter().find(|v| v.point == *point)?.unit,
        off: typical(point, trial, off)?,
        on: typical(point, trial, on)?,
        effect,
        difference,
        remains: estimated(&remains),
        // A one-sided test at 5 % is one end of this interval: whatever goes beyond, on the other side, is none of
        // the difference.
        nothing_remains: nothing_remains.map(|(difference, range)| {
            let margin = MARGIN.ln_1p().max(REST * difference.value.abs());
            let of_it = range.map(|end| end * difference.value.signum());
            of_it.iter().all(|end| *end <= margin)
        }),
        reversal: estimated(&back(point, trial, off)),
        share: share(&whole(point, trial, [on, off, reference])),
        grows: grows(&doses, effect),
        doses,
    })
}

/// Off at its second place in each block, against its first: before and after the cause.
fn back(point: &Point, trial: &Trial, off: usize) -> Blocks {
    let all: Vec<(u32, u32, f64)> = of(point, trial, off).collect();
    let mut found = Vec::new();
    for &(block, place, before) in &all {
        let after = all.iter().find(|(b, p, _)| *b == block && *p > place);
        found.extend(after.map(|(.., after)| after - before));
    }
    found
}

fn doses(point: &Point, trial: &Trial, layout: &Layout) -> Vec<Dose> {
    let each = layout.doses();
    each.filter_map(|(arm, dose)| {
        let effect = estimated(&between(point, trial, arm, layout.off()))?;
        Some(Dose { dose, effect })
    })
    .collect()
}

/// Does no dose move it surely less than a smaller one?
fn grows(doses: &[Dose], effect: Estimated) -> Option<bool> {
    if doses.is_empty() {
        return None;
    }
    let sign = effect.value.signum();
    let steps: Vec<Estimated> = doses.iter().map(|d| d.effect).chain([effect]).collect();
    Some(steps.windows(2).all(|pair| {
        // The most that the larger dose may do, against the least that the smaller one does.
        let (less, more) = (pair[0], pair[1]);
        let reach = |e: Estimated, far: bool| {
            let [lo, hi] = e.range.map(|end| end * sign);
            if far { lo.max(hi) } else { lo.min(hi) }
        };
        reach(more, true) >= reach(less, false)
    }))
}

/// Effect and difference in the blocks that have all three arms, on, off and the reference: one that lacks a process, as where colors
/// were not found, would pair blocks with others.
fn whole(point: &Point, trial: &Trial, arms: [usize; 3]) -> Vec<[f64; 2]> {
    let [on, off, reference] = arms.map(|arm| means(point, trial, arm));
    let blocks = on.into_iter().zip(off).zip(reference);
    blocks
        .filter_map(|((on, off), reference)| Some([on? - off?, on? - reference?]))
        .collect()
}

/// Share of the difference that goes away, with Fieller's interval of a ratio of paired means, from an
/// effect and a difference a block.
fn share(blocks: &[[f64; 2]]) -> Option<Share> {
    if blocks.len() < 2 {
        return None;
    }
    let n = blocks.len() as f64;
    let [e, d] = [0, 1].map(|k| blocks.iter().map(|b| b[k]).sum::<f64>() / n);
    if d == 0.0 {
        return None;
    }
    let middle = [e, d];
    let of_means = |j: usize, k: usize| {
        let terms = blocks
            .iter()
            .map(|b| (b[j] - middle[j]) * (b[k] - middle[k]));
        terms.sum::<f64>() / (n - 1.0) / n
    };
    let t2 = quantile(0.975, n - 1.0).powi(2);
    let a = d * d - t2 * of_means(1, 1);
    let b = e * d - t2 * of_means(0, 1);
    let c = e * e - t2 * of_means(0, 0);
    let root = (b * b - a * c).max(0.0).sqrt();
    Some(Share {
        value: e / d,
        // A difference that may be none has shares without end.
        range: (a > 0.0).then(|| [(b - root) / a, (b + root) / a]),
    })
}

/// p-value of the effect on `point`, by the blocks.
pub(super) fn p_value(point: &Point, trial: &Trial, layout: &Layout) -> Option<f64> {
    let effects = between(point, trial, layout.on(), layout.off());
    let mean = mean_interval(&effects, 0.95)?;
    let se = mean.sd? / (effects.len() as f64).sqrt();
    if se == 0.0 {
        return Some(if mean.mean == 0.0 { 1.0 } else { 0.0 });
    }
    Some(2.0 * cdf(-(mean.mean / se).abs(), effects.len() as f64 - 1.0))
}
