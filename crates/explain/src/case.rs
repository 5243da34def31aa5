//! A comparison with its records, as causes look at it.

mod counters;
pub(crate) mod cpu_time;
mod hosts;
mod plausible;
pub(crate) mod scaling;
mod share;

pub(crate) use hosts::say;
use whyslow_model::change::Quantity;
use whyslow_model::comparison::{Comparison, PointComparison, SideValue, Size, Verdict};
use whyslow_model::{Better, Record, Unit};

use crate::curve::{self, Rise, half, known, on_curve, rises};
use crate::role::{Ends, role_of, size_of};
use whyslow_model::role::Role;

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
    /// What the points are about of which the sides cannot be held against each other, each once.
    pub apart: Vec<Role>,
    /// Where the longest latency curve rises, fitted on both sides.
    pub rises: Vec<Rise>,
    /// What cannot be right and is set aside, one line each.
    pub implausible: Vec<String>,
}

/// A point by what it did.
#[derive(Debug, Clone)]
pub struct Moved<'a> {
    /// What it is about.
    pub role: Role,
    /// As it was named: its title, or the point.
    pub name: String,
    /// Logarithm of how many times worse B is than A; below zero where it is better. Where it is not known which direction
    /// is better, as if it were a time.
    pub worse: f64,
    /// Interval of the same, where something was repeated.
    pub range: Option<[f64; 2]>,
    /// Did it move? By test where there was one; else by more than the usual spread of such rows.
    pub moved: bool,
    /// The point's place in the comparison.
    pub point: &'a PointComparison,
}

/// Does an interval of logarithms not hold "no difference"?
fn is_apart(range: Option<[f64; 2]>) -> bool {
    range.is_some_and(|[lo, hi]| lo > 0.0 || hi < 0.0)
}

/// How far from 1 a logarithm may be: its interval's further end, or it itself where there is none.
fn reach(worse: f64, range: Option<[f64; 2]>) -> f64 {
    range.map_or(worse.abs(), |[lo, hi]| hi.max(-lo))
}

/// How far from 1 it is at least: its interval's nearer end, none where it holds 1, or it itself where there is none.
fn least(worse: f64, range: Option<[f64; 2]>) -> f64 {
    range.map_or(worse.abs(), |[lo, hi]| lo.max(-hi).max(0.0))
}

impl Moved<'_> {
    /// How many times worse or better it may be at most, as a logarithm.
    pub fn reach(&self) -> f64 {
        reach(self.worse, self.range)
    }

    /// How many times worse or better it is at least, as a logarithm; by itself where it has no interval.
    pub fn least(&self) -> f64 {
        least(self.worse, self.range)
    }

    /// Does its interval not hold "no difference"?
    pub fn is_apart(&self) -> bool {
        is_apart(self.range)
    }

    /// Is it known which direction of it is better?
    pub fn is_directed(&self) -> bool {
        self.point.better != Better::Unsaid
    }

    /// What it is of; the words for how it moved.
    pub fn quantity(&self) -> Quantity {
        let point = self.point;
        Quantity::of(point.unit, point.symbol.as_deref(), point.better)
    }

    /// How far it moved, in words.
    pub fn said(&self) -> String {
        self.quantity().said_of_worse(self.worse)
    }

    /// Is it left to the scheduler on which CPUs this runs?
    pub fn is_free(&self) -> bool {
        self.point.point.get("cpus") == Some("free")
    }
}

/// A ratio further than this from 1 counts as a move where nothing was repeated: twice the 5 % that
/// published single runs of the classic suites repeat to.
const UNTESTED_MOVE: f64 = 0.10;

/// The same for our own records that were cut short, beyond what neighbors do to single values.
const UNTESTED_LEAP: f64 = 2.0;

/// Points of one role.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// How many there are.
    pub points: usize,
    /// How many moved.
    pub moved: usize,
    /// Mean logarithm of how many times worse B is: of those that moved, or of all where none did.
    pub worse: f64,
    /// Least and largest of the same.
    pub span: [f64; 2],
    /// Mean interval of the same, where each of them has one.
    pub range: Option<[f64; 2]>,
    /// Did none of them move by test, and yet they are apart by more than the margin, with an interval that does not hold
    /// "no difference"?
    pub leans: bool,
    /// What they are of; the words for how they moved.
    pub quantity: Quantity,
}

impl Group {
    /// How far they moved, in words.
    pub fn said(&self) -> String {
        self.quantity.said_of_worse(self.worse)
    }

    /// The least and the largest of it, in words.
    pub fn span_said(&self) -> String {
        self.quantity.span_of_worse(self.span)
    }

    /// The interval, in words and on the scale of how far they moved; nothing where there is none.
    pub fn range_said(&self) -> Option<String> {
        Some(self.quantity.interval_of_worse(self.worse, self.range?))
    }

    /// How many times worse or better it may be at most, as a logarithm.
    pub fn reach(&self) -> f64 {
        reach(self.worse, self.range)
    }

    /// The same in the direction of `worse` alone; below zero where it can only have gone the other way.
    pub fn reach_toward(&self, worse: f64) -> f64 {
        let [lo, hi] = self.range.unwrap_or([self.worse; 2]);
        if worse < 0.0 { -lo } else { hi }
    }
}

impl<'a> Case<'a> {
    /// The case of `comparison`, whose first records are `a` and `b`.
    pub fn new(comparison: &'a Comparison, a: &'a Record, b: &'a Record) -> Self {
        let rises = curve_of(comparison).map_or_else(Vec::new, |sides| rises(&sides, &known(a)));
        let ends = Ends::of(a, &comparison.points, &rises);
        let points = comparison.points.iter();
        let apart = points
            .clone()
            .filter(|p| matches!(p.verdict, Verdict::NotComparable { .. }));
        let mut apart: Vec<Role> = apart.map(|p| role(p, a, &ends)).collect();
        apart.sort_unstable();
        apart.dedup();
        // Where others were repeated, a single value of our own says only that it is one: half of them
        // differ by more than a published table's would. Where next to none were, it is all there is.
        let tested = comparison.rules.tested as usize;
        let untested = match () {
            () if a.origin.is_some() || tested == 0 => Some(UNTESTED_MOVE.ln_1p()),
            () if tested * 4 < comparison.points.len() => Some(UNTESTED_LEAP.ln()),
            () => None,
        };
        let moved = |point| moved(point, a, &ends, untested);
        let mut points: Vec<Moved<'_>> = points.filter_map(moved).collect();
        let mut implausible = plausible::set_aside(&mut points);
        implausible.extend(cpu_time::set_aside(&mut points, [a, b]));
        set_small_times_aside(&mut points);
        Case {
            comparison,
            a,
            b,
            points,
            apart,
            rises,
            implausible,
        }
    }

    /// The points of a role of which it is known which direction is better: causes say that it goes one way.
    pub fn of(&self, role: Role) -> impl Iterator<Item = &Moved<'a>> {
        let points = self.points.iter();
        points.filter(move |p| p.role == role && p.is_directed())
    }

    /// The points of some roles together, as [`Case::of`] has them; nothing when there are none.
    pub fn group(&self, roles: &[Role]) -> Option<Group> {
        let all: Vec<&Moved<'_>> = self
            .points
            .iter()
            .filter(|p| roles.contains(&p.role) && p.is_directed())
            .collect();
        let moved: Vec<&Moved<'_>> = all.iter().copied().filter(|p| p.moved).collect();
        let told = if moved.is_empty() { &all } else { &moved };
        let count = told.len() as f64;
        let ranges: Option<Vec<[f64; 2]>> = told.iter().map(|p| p.range).collect();
        let range = ranges.map(|all| {
            all.iter().fold([0.0, 0.0], |[lo, hi], [l, h]| {
                [lo + l / count, hi + h / count]
            })
        });
        let worse = told.iter().map(|p| p.worse).sum::<f64>() / count;
        let margin = self.comparison.rules.margin.ln_1p();
        (!told.is_empty()).then(|| Group {
            points: all.len(),
            moved: moved.len(),
            worse,
            span: told.iter().fold([f64::MAX, f64::MIN], |[lo, hi], p| {
                [lo.min(p.worse), hi.max(p.worse)]
            }),
            range,
            leans: moved.is_empty() && is_apart(range) && worse.abs() > margin,
            quantity: Quantity::of_all(told.iter().map(|p| p.quantity())),
        })
    }

    /// Is a tracer on one side alone? 1 where it is on B, -1 where it is on A.
    pub fn traced(&self) -> Option<f64> {
        let on = |record: &Record| {
            let at = record.states.first()?;
            at.state.security.tracer_pid.value().map(|pid| *pid != 0)
        };
        match (on(self.a)?, on(self.b)?) {
            (false, true) => Some(1.0),
            (true, false) => Some(-1.0),
            _ => None,
        }
    }

    /// Points that moved, stated figures left out.
    pub fn moved(&self) -> impl Iterator<Item = &Moved<'a>> {
        let points = self.points.iter();
        points.filter(|p| p.moved && !p.role.is_stated())
    }

    /// Was at least half of what moved tested on repeated values? One value a side confirms nothing.
    pub fn is_repeated(&self) -> bool {
        let tested = |p: &&Moved<'_>| !matches!(p.point.verdict, Verdict::Untested { .. });
        self.moved().filter(tested).count() * 2 >= self.moved().count()
    }

    /// Roles of which something moved, each once, stated figures left out.
    pub fn moved_roles(&self) -> Vec<Role> {
        let mut roles: Vec<Role> = self.moved().map(|p| p.role).collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }

    /// Roles of which something moved and that got worse on a side, B above zero and A below, as what covers them whole.
    pub fn worse_on(&self, side: f64) -> Vec<(Role, Option<f64>)> {
        let roles = self.moved_roles().into_iter();
        let worse = |role: &Role| self.group(&[*role]).is_some_and(|g| g.worse * side > 0.0);
        roles.filter(worse).map(|role| (role, None)).collect()
    }
}

/// CPU time that is a smaller share of the real time than this explains nothing of it; clocks of `time` tick by 10 ms.
const SMALL_SHARE: f64 = 0.05;

/// User and system time that hardly count beside the real time did not move.
fn set_small_times_aside(points: &mut [Moved<'_>]) {
    let value = |p: &Moved<'_>| p.point.a.value.value.max(p.point.b.value.value);
    let real: Vec<(Unit, f64)> = points
        .iter()
        .filter(|p| p.role == Role::RealTime)
        .map(|p| (p.point.unit, value(p)))
        .collect();
    let [(unit, real)] = real[..] else { return };
    for point in points.iter_mut() {
        let of_cpu = [Role::UserTime, Role::SystemTime].contains(&point.role);
        if of_cpu && point.point.unit == unit && value(point) < SMALL_SHARE * real {
            point.moved = false;
        }
    }
}

/// The latency curve of both sides with most sizes: of A and of B.
fn curve_of(comparison: &Comparison) -> Option<[Vec<curve::CurvePoint>; 2]> {
    let mut curves: Vec<(String, [Vec<curve::CurvePoint>; 2])> = Vec::new();
    for point in comparison.points.iter().filter(|p| p.part.is_none()) {
        let Some((name, bytes)) = on_curve(&point.point, point.unit) else {
            continue;
        };
        let of = |side: &SideValue| curve::CurvePoint {
            bytes,
            ns: side.value.value,
            spread: half(&side.value),
        };
        let at = curves.iter().position(|(n, _)| *n == name);
        let at = at.unwrap_or_else(|| {
            curves.push((name, [Vec::new(), Vec::new()]));
            curves.len() - 1
        });
        if let Some((_, [a, b])) = curves.get_mut(at) {
            a.push(of(&point.a));
            b.push(of(&point.b));
        }
    }
    let longest = curves.into_iter().max_by_key(|(_, [a, _])| a.len());
    longest.map(|(_, sides)| sides)
}

/// What a point is about.
fn role(point: &PointComparison, a: &Record, ends: &Ends) -> Role {
    let planned = a.plan.points.iter().find(|p| p.point == point.point);
    let size = size_of(&point.point, planned.and_then(|p| p.size_bytes));
    match role_of(&point.point, size, ends) {
        // Only messages are counted in bits.
        Role::Other if point.symbol.as_deref().is_some_and(is_of_bits) => Role::LocalBandwidth,
        role => role,
    }
}

/// Is it a unit of bits a second, in one of its spellings: `Gbit/s`, `Mbits/sec`, `kbps`?
fn is_of_bits(unit: &str) -> bool {
    let unit = unit.trim();
    let bits = unit.split_once("bit");
    let rate = |rest: &str| matches!(rest, "/s" | "/sec" | "s/s" | "s/sec" | "s/second");
    match bits {
        Some((prefix, rest)) => prefix.len() <= 1 && rate(rest),
        // `MBps` is one of bytes.
        None => ["Kbps", "kbps", "Mbps", "Gbps", "Mb/s", "Gb/s"].contains(&unit),
    }
}

fn moved<'a>(
    point: &'a PointComparison,
    a: &Record,
    ends: &Ends,
    untested: Option<f64>,
) -> Option<Moved<'a>> {
    let ratio = point.ratio.filter(|r| *r > 0.0 && r.is_finite())?;
    let sign = match point.better {
        Better::Lower | Better::Unsaid => 1.0,
        Better::Higher => -1.0,
    };
    let moved = match &point.verdict {
        // Real and negligible is not what anybody asks about.
        Verdict::Slower { size } | Verdict::Faster { size } | Verdict::Differs { size } => {
            *size != Size::Negligible
        }
        Verdict::Modes { real } => *real,
        Verdict::Same | Verdict::Undecided { .. } => false,
        Verdict::Untested { .. } => untested.is_some_and(|margin| ratio.ln().abs() > margin),
        Verdict::NotComparable { .. } => return None,
    };
    let name = point
        .title
        .clone()
        .unwrap_or_else(|| point.point.to_string());
    // A curve's points have one title; their sizes tell them apart.
    let size = point.title.as_ref().and(point.point.get("size"));
    let name = match size.filter(|size| !name.contains(*size)) {
        Some(size) => format!("{name} at {size}"),
        None => name,
    };
    Some(Moved {
        role: role(point, a, ends),
        name: match &point.part {
            Some(part) => format!("{name}, {part}"),
            None => name,
        },
        worse: sign * ratio.ln(),
        range: point.range.map(|[lo, hi]| {
            let ends = [lo, hi].map(|end| sign * end.max(f64::MIN_POSITIVE).ln());
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        }),
        moved,
        point,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_as_little_as_the_nearer_end_of_its_interval() {
        for (worse, range, near, far) in [
            (-0.28, Some([-0.53, -0.03]), 0.03, 0.53),
            (0.2, Some([0.1, 0.3]), 0.1, 0.3),
            (0.1, Some([-0.1, 0.3]), 0.0, 0.3),
            (-0.4, None, 0.4, 0.4),
        ] {
            assert_eq!((least(worse, range), reach(worse, range)), (near, far));
        }
    }
}
