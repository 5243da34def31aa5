//! Which part of A is held against which part of B.

use std::collections::HashSet;

use whyslow_model::Point;
use whyslow_model::comparison::Missing;
use whyslow_model::glob::Globs;
use whyslow_model::record::{Planned, ValueRule};
use whyslow_stats::record::{Part, reasons};
use whyslow_stats::topology::DEFAULT_RATIO;

use crate::side::{Gathered, SidePoint};
use crate::{CompareError, Named};

/// What both sides have, and what one lacks.
pub(crate) struct Joined<'a> {
    pub(crate) pairs: Vec<Pair<'a>>,
    pub(crate) missing: Vec<Missing>,
}

/// One part on both sides.
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a SidePoint<'a>,
    pub(crate) b: &'a SidePoint<'a>,
    /// The name of the part, empty for the whole.
    pub(crate) part: String,
    /// Why it must not be compared.
    pub(crate) against: Option<String>,
    pub(crate) notes: Vec<String>,
}

pub(crate) fn join<'a>(
    a: &'a Gathered<'a>,
    b: &'a Gathered<'a>,
    only: &Globs,
) -> Result<Joined<'a>, CompareError> {
    let same_host = a.same_host(b);
    let mut joined = Joined {
        pairs: Vec::new(),
        missing: Vec::new(),
    };
    let mut seen: HashSet<&Point> = HashSet::new();
    for point in a.points.iter().map(|p| &p.planned.point) {
        if !seen.insert(point) || !only.selects(point) {
            continue;
        }
        let (here, there) = (a.parts(point), b.parts(point));
        if there.is_empty() {
            joined
                .missing
                .push(lacking(here[0].planned, "B", b.records));
        } else {
            parts(&here, &there, same_host, &mut joined.pairs);
        }
    }
    let common = joined.pairs.len();
    for point in &b.points {
        let id = &point.planned.point;
        if only.selects(id) && seen.insert(id) {
            joined.missing.push(lacking(point.planned, "A", a.records));
        }
    }
    joined.missing.extend(unknown_on_both(a, b, only, &seen));
    if common > 0 {
        return Ok(joined);
    }
    let any = a
        .points
        .iter()
        .any(|p| !b.parts(&p.planned.point).is_empty());
    Err(if any {
        CompareError::NothingSelected
    } else {
        CompareError::NothingInCommon {
            a: a.points.len(),
            b: b.points.len(),
        }
    })
}

/// Matches the parts of one point.
fn parts<'a>(
    here: &[&'a SidePoint<'a>],
    there: &[&'a SidePoint<'a>],
    same_host: bool,
    pairs: &mut Vec<Pair<'a>>,
) {
    let classes = |parts: &[&SidePoint<'_>]| {
        let classes = parts.iter();
        classes
            .filter(|p| matches!(p.part, Part::Class { .. }))
            .count()
    };
    let (in_a, in_b) = (classes(here), classes(there));
    for a in here {
        let other = match &a.part {
            Part::Whole => there.iter().find(|b| !matches!(b.part, Part::Series(_))),
            Part::Series(name) => there
                .iter()
                .find(|b| matches!(&b.part, Part::Series(other) if other == name)),
            Part::Class { name, handover_ns } => there.iter().find(|b| match &b.part {
                // One host: the same distance. Two hosts: the same order of distances.
                Part::Class { handover_ns: h, .. } if same_host => alike(*handover_ns, *h),
                Part::Class { name: other, .. } => name == other,
                Part::Whole => true,
                Part::Series(_) => false,
            }),
        };
        let mut pair = Pair {
            a,
            b: other.copied().unwrap_or(there[0]),
            part: match &a.part {
                Part::Whole => String::new(),
                Part::Series(name) => name.clone(),
                Part::Class { name, .. } if in_a.max(in_b) > 1 => name.clone(),
                Part::Class { .. } => String::new(),
            },
            against: None,
            notes: Vec::new(),
        };
        pair.against = match &a.part {
            _ if a.planned.unit != pair.b.planned.unit
                || a.planned.better != pair.b.planned.better
                || a.planned.symbol != pair.b.planned.symbol =>
            {
                Some("the sides give it in different units".into())
            }
            _ if a.planned.value != pair.b.planned.value => {
                Some("the sides form its value by different rules".into())
            }
            _ if same_host && found_elsewhere(a.planned, pair.b.planned) => {
                Some("the runs found the level at other sizes".into())
            }
            Part::Class { .. } if other.is_none() => Some(format!(
                "the CPUs were placed differently: A ran {}, B {}",
                distances(here),
                distances(there)
            )),
            Part::Class { .. } if !same_host && in_b > 0 && in_a != in_b => Some(format!(
                "the placements of the CPUs do not correspond: A ran {}, B {}",
                distances(here),
                distances(there)
            )),
            Part::Series(name) if other.is_none() => Some(format!("B has no series '{name}'")),
            _ => None,
        };
        if in_a.min(in_b) == 0 && in_a.max(in_b) > 0 {
            pair.notes
                .push("one side alone says where its CPUs were".into());
        }
        if let (Some(one), Some(two)) = (a.planned.size_bytes, pair.b.planned.size_bytes)
            && one != two
        {
            let size = whyslow_model::size::format;
            pair.notes
                .push(format!("{} in A, {} in B", size(one), size(two)));
        }
        if let (Some(one), Some(two)) = (&a.from, &pair.b.from)
            && one != two
        {
            pair.notes
                .push(format!("best in A: {one}, best in B: {two}"));
        }
        pairs.push(pair);
    }
}

/// Was a level of one host measured at sizes that differ? On two hosts it should be.
fn found_elsewhere(a: &Planned, b: &Planned) -> bool {
    a.point.get("level").is_some() && a.size_bytes != b.size_bytes
}

/// Are two core-to-core latencies of one host of one class?
fn alike(a: f64, b: f64) -> bool {
    a.max(b) < a.min(b) * DEFAULT_RATIO
}

/// `24 ns apart`, `24 or 118 ns apart`.
fn distances(parts: &[&SidePoint<'_>]) -> String {
    let all: Vec<String> = parts
        .iter()
        .filter_map(|p| match p.part {
            Part::Class { handover_ns, .. } => Some(format!("{handover_ns:.0}")),
            _ => None,
        })
        .collect();
    format!("{} ns apart", all.join(" or "))
}

/// Can a point that was measured be without a value? A difference may not be told from zero, and the best may have been
/// measured in part only.
fn may_be_unknown(value: &ValueRule) -> bool {
    matches!(value, ValueRule::Less { .. } | ValueRule::Best)
}

/// Points that both sides measured and neither knows: without a value they would be nowhere.
fn unknown_on_both<'a>(
    a: &'a Gathered<'a>,
    b: &'a Gathered<'a>,
    only: &Globs,
    seen: &HashSet<&Point>,
) -> Vec<Missing> {
    fn planned<'r>(side: &Gathered<'r>) -> impl Iterator<Item = &'r Planned> {
        side.records.iter().flat_map(|n| &n.record.plan.points)
    }
    let there: HashSet<&Point> = planned(b).map(|p| &p.point).collect();
    let mut found: Vec<Missing> = Vec::new();
    for planned in planned(a) {
        let point = &planned.point;
        let open = may_be_unknown(&planned.value)
            && there.contains(point)
            && !seen.contains(point)
            && only.selects(point);
        if open && !found.iter().any(|m| m.point == *point) {
            let missing = lacking(planned, "A and B", a.records);
            found.extend(missing.why.is_some().then_some(Missing {
                unknown: true,
                ..missing
            }));
        }
    }
    found
}

/// What `lacks` lacks, and the reason that its records give.
fn lacking(planned: &Planned, lacks: &str, records: &[Named<'_>]) -> Missing {
    // What a record skipped may stand for many points, such as all of one kind of pages.
    let stands = |what: &str| {
        let globs = Globs::parse(what);
        globs.each().iter().any(|glob| glob.selects(&planned.point))
    };
    let skipped = records
        .iter()
        .flat_map(|n| &n.record.plan.skipped)
        .find(|s| s.what == planned.point.probe || stands(&s.what));
    // What its processes brought and gave no value all the same.
    let unknown = || {
        let mut of_records = records.iter().filter(|_| may_be_unknown(&planned.value));
        of_records.find_map(|n| reasons(n.record, &planned.point).into_iter().next())
    };
    let failed = || {
        let processes = records.iter().flat_map(|n| &n.record.processes);
        processes
            .filter(|p| p.point == planned.point)
            .find_map(|p| match &p.outcome {
                whyslow_model::record::Outcome::Failed(failure) => Some(failure.why.clone()),
                whyslow_model::record::Outcome::Draws(_) => None,
            })
    };
    let never = skipped.map(|s| s.why.clone()).or_else(failed);
    let unknown = if never.is_none() { unknown() } else { None };
    Missing {
        point: planned.point.clone(),
        title: planned.title.clone(),
        lacks: lacks.to_owned(),
        unknown: unknown.is_some(),
        why: never.or(unknown),
    }
}
