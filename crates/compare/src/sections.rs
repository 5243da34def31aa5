//! Rows of other tools that stand below different words on the two sides: a page may have a line more.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::record::Planned;
use whyslow_model::{Better, Point, Record};

use crate::Named;

/// The parameter that says below which words of a page a row stands.
const SECTION: &str = "section";

/// What a row is where its section is left out, and which direction of it is good.
type Bare = (Point, Better);

/// B's records with the sections of A's rows, where a row has a namesake on the other side only in another section, and
/// is the only one of its name on its side. Nothing where none is, which is the usual case.
pub(crate) fn aligned(a: &[Named<'_>], b: &[Named<'_>]) -> Option<Vec<Record>> {
    let other_tool = |named: &Named<'_>| named.record.origin.is_some();
    if !a.iter().chain(b).all(other_tool) {
        return None;
    }
    let (here, there) = (points(a), points(b));
    let alone = |side: &[&Planned], others: &[&Planned]| -> BTreeMap<Bare, Option<Point>> {
        let others: BTreeSet<&Point> = others.iter().map(|p| &p.point).collect();
        let mut found: BTreeMap<Bare, Option<Point>> = BTreeMap::new();
        for planned in side.iter().filter(|p| !others.contains(&p.point)) {
            let point = Some(planned.point.clone());
            let several = |one: &mut Option<Point>| {
                if *one != point {
                    *one = None;
                }
            };
            let entry = found.entry(bare(planned));
            entry.and_modify(several).or_insert_with(|| point.clone());
        }
        found
    };
    let (in_a, in_b) = (alone(&here, &there), alone(&there, &here));
    let pairs = in_b.into_iter().filter_map(|(bare, of_b)| {
        let of_a = in_a.get(&bare)?.clone()?;
        Some((of_b?, of_a))
    });
    let pairs: BTreeMap<Point, Point> = pairs.collect();
    let renamed = |named: &Named<'_>| {
        let mut record = named.record.clone();
        let planned = record.plan.points.iter_mut().map(|p| &mut p.point);
        for point in planned.chain(record.processes.iter_mut().map(|p| &mut p.point)) {
            if let Some(name) = pairs.get(point) {
                name.clone_into(point);
            }
        }
        record
    };
    (!pairs.is_empty()).then(|| b.iter().map(renamed).collect())
}

fn points<'a>(side: &[Named<'a>]) -> Vec<&'a Planned> {
    side.iter().flat_map(|n| &n.record.plan.points).collect()
}

fn bare(planned: &Planned) -> Bare {
    let mut point = planned.point.clone();
    point.params.retain(|(name, _)| name != SECTION);
    (point, planned.better)
}
