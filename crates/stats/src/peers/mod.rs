//! Which of many units that should be alike is slow, and in what: the nodes of a fleet.
//!
//! A node was measured in one session or more; a session has a value for each point, and points belong to families
//! that one mechanism moves together. Families are tested, not points: the mean over ten points that move together
//! has a third of their noise, and there are ten times fewer tests.
//!
//! 1. A node's deviation in a family is the mean of its points' deviations from the median over the nodes, weighted by
//!    how little the points scatter.
//! 2. Center and scale of a family come from the nodes that are not far off, found by median and MAD first; the node
//!    that is tested is left out. Scales are moderated over the families, so that eight nodes suffice.
//! 3. p-values of all nodes and families together are adjusted by Benjamini and Hochberg.
//! 4. Nodes that were measured more often than their group were singled out by their first sessions. Their further
//!    sessions alone count, against those of the references that were measured again beside them.
//!
//! *Slow* is shown to be slower, and by more than what is negligible; *same* is shown to be within the margin; all
//! else is not known.

mod again;
mod clean;
mod mad;
mod scale;
mod weights;

use std::collections::HashMap;

use crate::multiple::{benjamini_hochberg, selected_coverage};
use crate::student::{cdf, quantile};
use again::Again;
use clean::Clean;
use scale::Scales;
use weights::Weights;

/// Fewest nodes of a group in which one can be told from the others.
pub const FEWEST: usize = 4;

/// Coverage of the intervals of what was not selected.
const COVERAGE: f64 = 0.95;

/// Of so many sessions of a node one may lie on the other side of the center.
const ONE_OF: usize = 8;

/// Times that the nodes that are not far off are found anew.
const STEPS: u32 = 3;

/// What a verdict takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Accepted share of false ones among the nodes and families called slow.
    pub q: f64,
    /// Within this share a difference counts as none: what *same* has to be shown to be within.
    pub margin: f64,
    /// A node is not slow by less than this share; by one session alone, and where no fact speaks for it, not by less than the
    /// margin: so much one session of a node may differ from the next.
    pub negligible: f64,
    /// p-value below which a node is worth a second look.
    pub suspicious: f64,
    /// May the first look find a node slow? Not in what comes and goes.
    pub first_decides: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            q: 0.05,
            margin: 0.05,
            negligible: 0.02,
            suspicious: 0.02,
            first_decides: true,
        }
    }
}

/// What is known of nodes beside their values, by node and family; empty where nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Does something that was known without the values, such as a setting that no other node has, make the node a suspect
    /// in this family? Such tests have half of the accepted share of false ones for themselves (Genovese, Roeder and
    /// Wasserman, "False discovery control with p-value weighting", 2006).
    pub facts: Vec<Vec<bool>>,
    /// Was something beside the first look that may be gone in the next one? Then the first one decides nothing, but where a
    /// fact speaks for it.
    pub beside: Vec<Vec<bool>>,
}

impl Told {
    fn at(of: &[Vec<bool>], node: usize, family: usize) -> bool {
        of.get(node).and_then(|own| own.get(family)) == Some(&true)
    }
}

/// The verdict on a node in one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Shown to be slower, by more than what is negligible.
    Slow,
    /// Shown to be faster, likewise.
    Faster,
    /// Shown to be within the margin.
    Same,
    /// None of these is shown.
    Open,
}

/// A node in one family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// Mean logarithm of how many times longer it takes than its group.
    pub log: f64,
    /// Interval of the same: 95 %, wider for what was selected as slow or faster.
    pub range: [f64; 2],
    /// p-value of "no slower".
    pub p: f64,
    /// The same, adjusted for all tests.
    pub adjusted: f64,
    /// In standard errors.
    pub errors: f64,
    /// Sessions that it rests on.
    pub sessions: usize,
    /// Do these leave out the sessions that singled the node out?
    pub again: bool,
    /// Is it worth a second look?
    pub suspect: bool,
    /// The verdict.
    pub finding: Finding,
}

/// What is known of a family in the group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FamilyScale {
    /// Points that count.
    pub points: usize,
    /// Standard deviation of a node's deviation, as a logarithm.
    pub sd: f64,
    /// Its degrees of freedom.
    pub df: f64,
}

/// What is known of a point in the group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointScale {
    /// Median logarithm over the nodes.
    pub center: f64,
    /// Standard deviation over the nodes, by the MAD.
    pub sd: f64,
}

/// A group of nodes, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Peers {
    /// By node and family; none where the node lacks most of the family's points.
    pub nodes: Vec<Vec<Option<Deviation>>>,
    /// By family; none where it could not be judged.
    pub families: Vec<Option<FamilyScale>>,
    /// By point; none where too few nodes have it.
    pub points: Vec<Option<PointScale>>,
    /// Nodes with all families, the nearest to the center in all of them together first.
    pub order: Vec<usize>,
}

/// A test before it is held against the others.
#[derive(Debug, Clone, Copy)]
struct Tested {
    log: f64,
    se: f64,
    df: f64,
    /// The p-value of "no slower".
    p: f64,
    sessions: usize,
    again: bool,
    /// May it be called slow: was it singled out, where only such are tested?
    eligible: bool,
    /// Does a fact speak for it?
    told: bool,
    /// Do its sessions lie on one side of the center?
    agreed: bool,
}

impl Tested {
    /// A deviation with its standard error, of one session and eligible.
    fn new(log: f64, se: f64, df: f64) -> Tested {
        Tested {
            log,
            se,
            df,
            p: cdf(-log / se, df),
            sessions: 1,
            again: false,
            eligible: true,
            told: false,
            agreed: true,
        }
    }

    fn t(&self) -> f64 {
        self.log / self.se
    }

    fn half(&self, coverage: f64, quantiles: &mut Quantiles) -> f64 {
        quantiles.of(0.5 + 0.5 * coverage, self.df) * self.se
    }
}

/// Quantiles that were computed before: thousands of nodes have few different degrees of freedom, and one takes as long as a
/// node's sums.
#[derive(Debug, Default)]
struct Quantiles(HashMap<[u64; 2], f64>);

impl Quantiles {
    fn of(&mut self, p: f64, df: f64) -> f64 {
        let key = [p.to_bits(), df.to_bits()];
        *self.0.entry(key).or_insert_with(|| quantile(p, df))
    }
}

/// Judges the nodes of one group. `nodes` has the sessions of each node in the order of time, a session a logarithm for
/// each point, larger where it is worse, and NaN where there is none. `family` is that of each point.
///
/// With fewer than [`FEWEST`] nodes nothing is judged.
pub fn judge(nodes: &[Vec<Vec<f64>>], family: &[usize], rules: &Rules) -> Peers {
    judge_told(nodes, family, rules, &Told::default())
}

/// The same with what is known of the nodes beside their values.
pub fn judge_told(nodes: &[Vec<Vec<f64>>], family: &[usize], rules: &Rules, told: &Told) -> Peers {
    let families = family.iter().max().map_or(0, |last| last + 1);
    let usual = usual(nodes);
    let screened: Vec<Vec<f64>> = nodes
        .iter()
        .map(|sessions| mean(&sessions[..usual.min(sessions.len())], family.len()))
        .collect();
    let weights = Weights::of(&screened, family, families);
    let means: Vec<Vec<f64>> = screened.iter().map(|v| weights.means(v)).collect();
    let column = |f: usize| -> Vec<f64> { means.iter().map(|m| m[f]).collect() };
    let mut clean: Vec<Clean> = (0..families).map(|f| Clean::first(&column(f))).collect();
    let mut scales = Scales::fit(clean.iter().map(|c| (c.variance, c.df)), &weights);
    for _ in 0..STEPS {
        clean = (0..families)
            .map(|f| clean[f].again(&column(f), scales.of(f)))
            .collect();
        scales = Scales::fit(clean.iter().map(|c| (c.variance, c.df)), &weights);
    }
    let mut tested: Vec<Vec<Option<Tested>>> = means
        .iter()
        .zip(nodes)
        .enumerate()
        .map(|(node, (own, sessions))| {
            let count = usual.min(sessions.len());
            let each: Vec<Vec<f64>> = match count {
                1 => Vec::new(),
                _ => sessions[..count].iter().map(|s| weights.means(s)).collect(),
            };
            let one = |f: usize| {
                let mut found = clean[f].test(own[f], &scales, f)?;
                found.sessions = count;
                found.agreed = agree(each.iter().map(|s| s[f]), own[f] - found.log, found.log);
                found.told = Told::at(&told.facts, node, f);
                let alone = !Told::at(&told.beside, node, f);
                found.eligible = found.told || rules.first_decides && alone;
                Some(found)
            };
            (0..families).map(one).collect()
        })
        .collect();
    let negligible = rules.negligible.ln_1p();
    let suspect: Vec<Vec<bool>> = tested
        .iter()
        .map(|own| {
            let is = |t: &Option<Tested>| {
                let by_values = |t: &Tested| {
                    // What comes and goes hardly scatters where nothing came, so that anything would stand out.
                    t.p < rules.suspicious && (rules.first_decides || t.log > negligible)
                };
                t.as_ref().is_some_and(|t| t.told || by_values(t))
            };
            own.iter().map(is).collect()
        })
        .collect();
    let again = Again::of(nodes, usual, &weights, &suspect, &scales);
    for (node, own) in tested.iter_mut().enumerate() {
        for (f, cell) in own.iter_mut().enumerate() {
            if let Some(mut found) = again.test(node, f) {
                found.told = Told::at(&told.facts, node, f);
                *cell = Some(found);
            }
        }
    }
    Peers {
        nodes: verdicts(&tested, &suspect, rules),
        families: (0..families)
            .map(|f| {
                let (variance, df) = scales.of(f)?;
                Some(FamilyScale {
                    points: weights.points(f),
                    sd: variance.sqrt(),
                    df,
                })
            })
            .collect(),
        points: weights.scales(),
        order: order(&tested),
    }
}

/// Sessions that most nodes have: the median number, one at least.
pub fn usual(nodes: &[Vec<Vec<f64>>]) -> usize {
    let mut counts: Vec<usize> = nodes.iter().map(Vec::len).filter(|n| *n > 0).collect();
    counts.sort_unstable();
    // The lower of two, so that few nodes that were measured again do not make it usual.
    counts
        .get(counts.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(1)
}

/// Do all sessions of a node but one in [`ONE_OF`] lie on the side of `center` that their mean lies on, `off` it? On busy guests
/// one session may be so far off that the mean of several is, which no test that takes them for normal expects.
fn agree(sessions: impl Iterator<Item = f64>, center: f64, off: f64) -> bool {
    let (known, other) =
        sessions
            .filter(|v| v.is_finite())
            .fold((0, 0), |(known, other), value| {
                (
                    known + 1,
                    other + usize::from((value - center) * off <= 0.0),
                )
            });
    other <= known / ONE_OF
}

/// The mean over sessions, point by point; NaN where none has a value.
fn mean(sessions: &[Vec<f64>], points: usize) -> Vec<f64> {
    if let [one] = sessions {
        return one.clone();
    }
    let point = |p: usize| {
        let known = sessions.iter().map(|s| s[p]).filter(|v| v.is_finite());
        let (sum, count) = known.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
        sum / count
    };
    (0..points).map(point).collect()
}

/// The p-values of "no slower", those that a fact speaks for weighted more: half of what there is goes to them. Weights are
/// 1 on average and do not depend on values, so that the share of false ones stays what it is.
fn weighted<'t>(tests: impl Iterator<Item = &'t Tested> + Clone) -> Vec<f64> {
    let all = tests.clone().count() as f64;
    let told = tests.clone().filter(|t| t.told).count() as f64;
    let more = 0.5 * all / told;
    if told == 0.0 || more <= 1.0 {
        return tests.map(|t| t.p).collect();
    }
    let less = (all - more * told) / (all - told);
    let weight = |t: &Tested| if t.told { more } else { less };
    tests.map(|t| (t.p / weight(t)).min(1.0)).collect()
}

/// Holds all tests against each other.
fn verdicts(
    tested: &[Vec<Option<Tested>>],
    suspect: &[Vec<bool>],
    rules: &Rules,
) -> Vec<Vec<Option<Deviation>>> {
    let all = || tested.iter().flatten().flatten();
    let eligible = |t: &&Tested| t.eligible;
    let slower = weighted(all().filter(eligible));
    let faster: Vec<f64> = all().filter(eligible).map(|t| 1.0 - t.p).collect();
    let tests = slower.len();
    let count = |adjusted: &[f64]| adjusted.iter().filter(|p| **p <= rules.q).count();
    let slower = benjamini_hochberg(&slower);
    let faster = benjamini_hochberg(&faster);
    let wide = selected_coverage(rules.q, count(&slower) + count(&faster), tests);
    let quantiles = &mut Quantiles::default();
    let mut adjusted = slower.into_iter().zip(faster);
    let (margin, negligible) = (rules.margin.ln_1p(), rules.negligible.ln_1p());
    let mut judge = |t: &Tested, suspect: bool| {
        let none = (1.0, 1.0);
        let (slower, faster) = if t.eligible {
            adjusted.next().unwrap_or(none)
        } else {
            none
        };
        // The 90 % interval within the margin is the equivalence test at 5 %.
        let inside = t.log.abs() + t.half(0.90, quantiles) < margin;
        let least = match t.sessions > 1 || t.told {
            true => negligible,
            false => negligible.max(margin),
        };
        // The interval has two ends and the test one: what is called slow is so by both, but where a fact spoke for it first.
        // Nor does one session make a verdict that the others deny.
        let shown = t.told || (t.agreed && t.log.abs() > t.half(wide, quantiles));
        let finding = if slower <= rules.q && t.log > least && shown {
            Finding::Slow
        } else if faster <= rules.q && t.log < -least && shown {
            Finding::Faster
        } else if inside {
            Finding::Same
        } else {
            Finding::Open
        };
        let selected = matches!(finding, Finding::Slow | Finding::Faster);
        let half = t.half(if selected { wide } else { COVERAGE }, quantiles);
        Deviation {
            log: t.log,
            range: [t.log - half, t.log + half],
            p: t.p,
            adjusted: slower,
            errors: t.t(),
            sessions: t.sessions,
            again: t.again,
            suspect: suspect && !t.again,
            finding,
        }
    };
    let nodes = tested.iter().zip(suspect);
    nodes
        .map(|(own, suspect)| {
            let own = own.iter().zip(suspect);
            own.map(|(t, s)| t.as_ref().map(|t| judge(t, *s))).collect()
        })
        .collect()
}

/// The nodes by their mean square of standard errors over all families.
fn order(tested: &[Vec<Option<Tested>>]) -> Vec<usize> {
    let most = tested.iter().map(|own| own.iter().flatten().count()).max();
    let distance = |own: &Vec<Option<Tested>>| {
        let squares: Vec<f64> = own.iter().flatten().map(|t| t.t().powi(2)).collect();
        let whole = !squares.is_empty() && Some(squares.len()) == most;
        whole.then(|| squares.iter().sum::<f64>() / squares.len() as f64)
    };
    let nodes = tested.iter().enumerate();
    let mut near: Vec<(f64, usize)> = nodes
        .filter_map(|(node, own)| Some((distance(own)?, node)))
        .collect();
    near.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    near.into_iter().map(|(_, node)| node).collect()
}

#[cfg(test)]
mod tests;
