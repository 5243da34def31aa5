//! A comparison with its records, as causes look at it.

use whyslow_model::Better;
use whyslow_model::Record;
use whyslow_model::comparison::{Comparison, Verdict};
use whyslow_model::state::Change;

use crate::role::{Role, role_of};

/// Two sides and what is known of them.
#[derive(Debug)]
pub struct Case<'a> {
    /// What comparing them found.
    pub comparison: &'a Comparison,
    /// The first record of A.
    pub a: &'a Record,
    /// The first record of B.
    pub b: &'a Record,
    /// Every point with a ratio, in the comparison's order.
    pub points: Vec<Moved<'a>>,
}

/// A point by what it did.
#[derive(Debug, Clone)]
pub struct Moved<'a> {
    /// What it is about.
    pub role: Role,
    /// As it was named: its title, or the point.
    pub name: String,
    /// Logarithm of how many times worse B is than A; below zero where it is better.
    pub worse: f64,
    /// Interval of the same, where something was repeated.
    pub range: Option<[f64; 2]>,
    /// Did it move? By test where there was one; else by more than the usual spread of such rows.
    pub moved: bool,
    /// Was that shown by a test?
    pub tested: bool,
    /// The point's place in the comparison.
    pub point: &'a whyslow_model::comparison::PointComparison,
}

/// A ratio further than this from 1 counts as a move where nothing was repeated: twice the 5 % that
/// published single runs of the classic suites repeat to.
pub(crate) const UNTESTED_MOVE: f64 = 0.10;

/// Points of one role.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// How many there are.
    pub points: usize,
    /// How many moved.
    pub moved: usize,
    /// Mean logarithm of how many times worse B is.
    pub worse: f64,
    /// Least and largest.
    pub range: [f64; 2],
}

impl<'a> Case<'a> {
    /// The case of `comparison`, whose first records are `a` and `b`.
    pub fn new(comparison: &'a Comparison, a: &'a Record, b: &'a Record) -> Self {
        let levels = levels(a);
        let points = comparison.points.iter().filter_map(|point| {
            let ratio = point.ratio.filter(|r| *r > 0.0)?;
            let sign = match point.better {
                Better::Lower => 1.0,
                Better::Higher => -1.0,
            };
            let (moved, tested) = match &point.verdict {
                Verdict::Slower { .. } | Verdict::Faster { .. } => (true, true),
                Verdict::Modes { real } => (*real, true),
                Verdict::Same => (false, true),
                Verdict::Undecided { .. } => (false, true),
                Verdict::Untested { .. } => (ratio.ln().abs() > UNTESTED_MOVE.ln_1p(), false),
                Verdict::NotComparable { .. } => return None,
            };
            let size = a
                .plan
                .points
                .iter()
                .find(|p| p.point == point.point)
                .and_then(|p| p.size_bytes);
            Some(Moved {
                role: role_of(&point.point, size, &levels),
                name: point
                    .title
                    .clone()
                    .unwrap_or_else(|| point.point.to_string()),
                worse: sign * ratio.ln(),
                range: point.range.map(|[lo, hi]| {
                    let ends = [
                        sign * lo.max(f64::MIN_POSITIVE).ln(),
                        sign * hi.max(f64::MIN_POSITIVE).ln(),
                    ];
                    [ends[0].min(ends[1]), ends[0].max(ends[1])]
                }),
                moved,
                tested,
                point,
            })
        });
        Case {
            comparison,
            a,
            b,
            points: points.collect(),
        }
    }

    /// The points of a role.
    pub fn of(&self, role: Role) -> impl Iterator<Item = &Moved<'a>> {
        self.points.iter().filter(move |p| p.role == role)
    }

    /// The points of a role together; nothing when there are none.
    pub fn group(&self, role: Role) -> Option<Group> {
        let worse: Vec<f64> = self.of(role).map(|p| p.worse).collect();
        let points = worse.len();
        (points > 0).then(|| Group {
            points,
            moved: self.of(role).filter(|p| p.moved).count(),
            worse: worse.iter().sum::<f64>() / points as f64,
            range: worse
                .iter()
                .fold([f64::MAX, f64::MIN], |[lo, hi], &w| [lo.min(w), hi.max(w)]),
        })
    }

    /// Differences of facts and state whose path or name contains `part`.
    pub fn changes(&self, part: &str) -> impl Iterator<Item = &Change> {
        let hosts = &self.comparison.hosts;
        let part = part.to_owned();
        hosts
            .facts
            .iter()
            .chain(&hosts.state)
            .filter(move |c| c.what.contains(&part))
    }

    /// The whole difference: the sum over roles of what each moved by, so that a role with many points
    /// does not outweigh one with few.
    pub fn whole(&self) -> f64 {
        let mut roles: Vec<Role> = self
            .points
            .iter()
            .filter(|p| p.moved)
            .map(|p| p.role)
            .collect();
        roles.sort_unstable();
        roles.dedup();
        roles
            .into_iter()
            .filter_map(|role| self.group(role))
            .map(|g| g.worse.abs())
            .sum()
    }
}

/// Where the caches of a record's host end, bytes, smallest first: as measured, else as claimed.
fn levels(record: &Record) -> Vec<u64> {
    let cut = whyslow_stats::record::levels(record, false);
    let measured: Vec<u64> = cut
        .levels
        .iter()
        .filter_map(|l| l.capacity_bytes.map(|c| c.value as u64))
        .collect();
    if !measured.is_empty() {
        return measured;
    }
    let caches = record
        .host
        .as_ref()
        .and_then(|h| h.caches.value().cloned())
        .unwrap_or_default();
    let mut claimed: Vec<u64> = caches
        .iter()
        .filter_map(|c| c.size_bytes.value().copied())
        .collect();
    claimed.sort_unstable();
    claimed.dedup();
    claimed
}
