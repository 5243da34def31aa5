//! Who had the core to himself on both sides, and which processes are left out for that.
//!
//! A neighbor on the core's other hardware thread slows what a core does by a third and more. He comes and
//! goes as he likes, and nobody's change has brought him. Where the sides of one host met him about as often,
//! processes beside him are left out of points that have enough others. Where one side met him much oftener,
//! that is a finding: everything stays then.

use whyslow_model::Better;
use whyslow_model::comparison::Core;
use whyslow_stats::quantile::{median, quantile};

use crate::side::{Gathered, SidePoint};

/// A process whose core handed out less than this share of the best was beside somebody for most of its
/// time: readings of a core that is left alone lie within 2 %, and beside somebody at half to two thirds.
const BESIDE: f64 = 0.8;

/// Sides that differ by more than this in how often that was differ in their neighbors. Runs of four
/// minutes on a shared host differed by up to 0.17.
const ALIKE: f64 = 0.25;

/// So many processes must stay on each side: fewer have no spread to speak of.
const FEWEST: usize = 3;

/// Where fewer would stay, the sides are not compared if this much more of one met a neighbor (half of the
/// processes are what moves a middle) and ...
const UNLIKE: f64 = 0.5;

/// ... if that one is worse, by no more than a neighbor can make it: he takes up to two thirds of a core.
const MOST: f64 = 3.0;

/// The cores of two sides of one host; nothing where nobody was beside, or nobody looked.
pub(crate) fn of(a: &Gathered<'_>, b: &Gathered<'_>, wanted: bool) -> Option<Core> {
    if !a.same_host(b) {
        return None;
    }
    let (a, b) = (slots(a), slots(b));
    // Not the very best: one misread clock would make all others shared.
    let best = quantile(&[a.clone(), b.clone()].concat(), 0.98)?;
    let least = BESIDE * best;
    let share = |slots: &[f64]| {
        let beside = slots.iter().filter(|slots| **slots < least).count();
        beside as f64 / slots.len() as f64
    };
    let shared = [share(&a), share(&b)];
    // Written so that a side without readings, whose share is none, compares as false.
    let seen = shared[0] + shared[1] > 0.0;
    seen.then(|| Core {
        best,
        shared,
        least: (wanted && (shared[0] - shared[1]).abs() <= ALIKE).then_some(least),
        points: 0,
    })
}

fn slots(side: &Gathered<'_>) -> Vec<f64> {
    let values = side.points.iter().flat_map(|p| &p.values);
    values.filter_map(|(_, v)| v.slots).collect()
}

/// What the neighbors mean for a pair.
pub(crate) enum Beside {
    /// All processes are compared.
    Stay,
    /// Those whose core handed out less than this are left out.
    LeftOut(f64),
    /// One side met them and the other did not, too few are left without, and the difference may be theirs: why
    /// they are not compared.
    Unlike(String),
}

/// How many times worse B is in the middle.
fn worse(a: &SidePoint<'_>, b: &SidePoint<'_>) -> f64 {
    let middle = |side: &SidePoint<'_>| {
        let values: Vec<f64> = side.values.iter().map(|(_, v)| v.value).collect();
        median(&values).unwrap_or(f64::NAN)
    };
    match a.planned.better {
        Better::Lower => middle(b) / middle(a),
        Better::Higher => middle(a) / middle(b),
    }
}

/// Can so much `more` of B's processes beside a neighbor than of A's make B so much `worse`?
fn explains(more: f64, worse: f64) -> bool {
    let worse = if more > 0.0 { worse } else { 1.0 / worse };
    (1.0..=MOST).contains(&worse)
}

/// What the neighbors mean for the processes of `a` and `b`.
pub(crate) fn beside(core: Option<&Core>, a: &SidePoint<'_>, b: &SidePoint<'_>) -> Beside {
    let Some(least) = core.and_then(|core| core.least) else {
        return Beside::Stay;
    };
    // Of and beside, a side; nothing where some process did not look.
    let count = |side: &SidePoint<'_>| -> Option<[usize; 2]> {
        let beside = side.values.iter().map(|(_, v)| Some(v.slots? < least));
        let beside: Vec<bool> = beside.collect::<Option<_>>()?;
        Some([beside.iter().filter(|b| **b).count(), beside.len()])
    };
    let worse = worse(a, b);
    let Some((a, b)) = count(a).zip(count(b)) else {
        return Beside::Stay;
    };
    let alone = |[beside, all]: [usize; 2]| all - beside;
    let share = |[beside, all]: [usize; 2]| beside as f64 / all as f64;
    if a[0] + b[0] == 0 {
        Beside::Stay
    } else if alone(a).min(alone(b)) >= FEWEST {
        Beside::LeftOut(least)
    } else if (share(a) - share(b)).abs() >= UNLIKE && explains(share(b) - share(a), worse) {
        Beside::Unlike(format!(
            "another hardware thread was busy on the core of {} of {} processes in A and of {} of {} in B",
            a[0], a[1], b[0], b[1]
        ))
    } else {
        Beside::Stay
    }
}
