//! Points with huge pages on a node that gives none: a program that asks for them gets small ones there, so that the
//! point counts as it is with small ones. Otherwise such a node would be as fast as its group in all that it has left.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::record::Record;
use whyslow_model::{Point, id};

use crate::settings::unavailable;
use crate::value::PointValue;

/// The parameter, with its values for huge pages that are given where they can be, and for small ones.
const PAGES: &str = "pages";
const HUGE: &str = "thp";
const SMALL: &str = "4k";

/// The values, from `known` ones, of points that `record` could not measure.
pub(super) fn instead(record: &Record, known: &[PointValue]) -> Vec<PointValue> {
    let by_name: BTreeMap<&str, &PointValue> =
        known.iter().map(|v| (v.point.as_str(), v)).collect();
    let denied = denied(record).into_iter();
    denied
        .filter_map(|point| {
            let mut small = point.clone();
            let pages = small.params.iter_mut().find(|(name, _)| name == PAGES)?;
            SMALL.clone_into(&mut pages.1);
            let own = by_name.get(small.to_string().as_str())?;
            let name = point.to_string();
            (!by_name.contains_key(name.as_str())).then(|| PointValue {
                point: name,
                ..(*own).clone()
            })
        })
        .collect()
}

/// Points with huge pages that no process was given.
fn denied(record: &Record) -> BTreeSet<Point> {
    let is_huge = |point: &Point| point.probe == id::MEM_LATENCY && point.get(PAGES) == Some(HUGE);
    let own = unavailable(record).into_keys();
    let skipped = record.plan.skipped.iter();
    let skipped = skipped.filter_map(|one| one.what.parse::<Point>().ok());
    own.cloned().chain(skipped).filter(is_huge).collect()
}
