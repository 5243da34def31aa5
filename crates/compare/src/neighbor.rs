//! Which processes had the core to themselves on both sides, and which are left out because they had not.
//!
//! A neighbor on the core's other hardware thread slows what a core does by a third and more. It comes and
//! goes at any time, whatever change is compared. Batches beside it are left out of each record's values
//! already; here go the processes of one host that never had the core to themselves, out of points that have
//! enough others. A side that hardly ever had it is another matter: then the neighbor is the finding, and everything
//! stays.

use whyslow_model::Better;
use whyslow_model::comparison::Core;
use whyslow_model::record::Record;
use whyslow_stats::quantile::median;
use whyslow_stats::record::Cores;

use crate::Named;
use crate::side::{SidePoint, same_host};

/// A process whose core handed out less than this share of the best had the SMT sibling busy for most of its
/// time: readings with the sibling idle lie within 2 %, and with it busy at half to two thirds.
const BESIDE: f64 = 0.8;

/// Seldomer than in this share of the batches, a neighbor is not worth a word.
const SEEN: f64 = 0.05;

/// Beside more of its batches than this, a side has too little left that was undisturbed. (Five runs of four minutes
/// on a crowded host met neighbors beside 36 to 81 %, and had half of their points undisturbed and more.)
const ALWAYS: f64 = 0.9;

/// Unless the other side met them nearly as often.
const ALIKE: f64 = 0.25;

/// So many processes must stay on each side: fewer have no spread to speak of.
const FEWEST: usize = 3;

/// Where fewer would stay, the sides are not compared if this much more of one met a neighbor (half of the
/// processes are what moves a middle) and ...
const UNLIKE: f64 = 0.5;

/// ... if that one is worse, by no more than a neighbor can make it: one takes up to two thirds of a core.
const MOST: f64 = 3.0;

/// The cores of two sides; nothing where the sibling was hardly ever busy, or not watched. What is left out is `wanted`
/// or not.
pub(crate) fn of(a: &[Named<'_>], b: &[Named<'_>], wanted: bool) -> Option<Core> {
    fn records<'r>(side: &[Named<'r>]) -> Vec<&'r Record> {
        side.iter().map(|named| named.record).collect()
    }
    let (a_records, b_records) = (records(a), records(b));
    let same_host = same_host(a, b);
    // One host's cores can do what either side saw them do.
    let (cores_a, cores_b) = match same_host {
        true => {
            let both = Cores::of(a_records.iter().chain(&b_records).copied());
            (both.clone(), both)
        }
        false => (Cores::of(a_records.clone()), Cores::of(b_records.clone())),
    };
    let shared = [cores_a.shared(a_records)?, cores_b.shared(b_records)?];
    let most = shared[0].max(shared[1]);
    let (best_a, best_b) = cores_a
        .best()
        .zip(cores_b.best())
        .filter(|_| most >= SEEN)?;
    let comparable = most <= ALWAYS || (shared[0] - shared[1]).abs() <= ALIKE;
    let left_out = wanted && comparable;
    Some(Core {
        best: best_a.max(best_b),
        shared,
        left_out,
        least: (left_out && same_host).then_some(BESIDE * best_a),
        points: 0,
    })
}

/// What has to be said where one side hardly ever had its cores to itself and the other had: all stays, and every difference
/// is also the neighbor's.
pub(crate) fn warning(core: &Core) -> Option<String> {
    let [a, b] = core.shared;
    let unlike = a.max(b) > ALWAYS && (a - b).abs() > ALIKE;
    let side = if a > b { "A" } else { "B" };
    unlike.then(|| {
        format!(
            "a neighbor was busy on the core beside nearly all batches of {side} alone: differences include what it takes; \
             measure {side} again in a quieter moment"
        )
    })
}

/// What the neighbors mean for a pair.
pub(crate) enum Beside {
    /// All processes are compared.
    Stay,
    /// Those whose core handed out less than `least` are left out: how many of A and of B.
    LeftOut { least: f64, of: [u32; 2] },
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
        // Other tools' figures have no neighbors, and only these may have no direction.
        Better::Unsaid => f64::NAN,
        Better::Higher => middle(a) / middle(b),
    }
}

/// Can so much `more` of B's processes with a busy SMT sibling than of A's make B so much `worse`?
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
    let Some((of_a, of_b)) = count(a).zip(count(b)) else {
        return Beside::Stay;
    };
    let alone = |[beside, all]: [usize; 2]| all - beside;
    let share = |[beside, all]: [usize; 2]| beside as f64 / all as f64;
    let more = share(of_b) - share(of_a);
    if of_a[0] + of_b[0] == 0 {
        Beside::Stay
    } else if alone(of_a).min(alone(of_b)) >= FEWEST {
        let of = [of_a[0] as u32, of_b[0] as u32];
        Beside::LeftOut { least, of }
    } else if more.abs() >= UNLIKE && explains(more, worse(a, b)) {
        Beside::Unlike(format!(
            "another hardware thread was busy on the core of {} of {} processes in A and of {} of {} in B",
            of_a[0], of_a[1], of_b[0], of_b[1]
        ))
    } else {
        Beside::Stay
    }
}
