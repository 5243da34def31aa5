//! One estimator for a point on both sides.

use std::collections::BTreeMap;

use whyslow_model::record::Estimator;
use whyslow_model::{Point, Record};

use crate::Named;

/// The records of two sides with the same estimator for each point: the median where they were planned with different
/// ones, as by another version of the program. Nothing where they agree, which is the usual case.
pub(crate) fn aligned(a: &[Named<'_>], b: &[Named<'_>]) -> Option<Aligned> {
    let mut seen: BTreeMap<&Point, Estimator> = BTreeMap::new();
    let mut differ: Vec<&Point> = Vec::new();
    for named in a.iter().chain(b) {
        for planned in &named.record.plan.points {
            let first = seen.entry(&planned.point).or_insert(planned.estimator);
            if *first != planned.estimator && !differ.contains(&&planned.point) {
                differ.push(&planned.point);
            }
        }
    }
    let of = |side: &[Named<'_>]| -> Vec<Record> {
        let by_median = |named: &Named<'_>| {
            let mut record = named.record.clone();
            let points = record.plan.points.iter_mut();
            for planned in points.filter(|p| differ.contains(&&p.point)) {
                planned.estimator = Estimator::Middle;
            }
            record
        };
        side.iter().map(by_median).collect()
    };
    (!differ.is_empty()).then(|| Aligned {
        points: differ.len(),
        sides: [of(a), of(b)],
    })
}

/// Records whose points have one estimator on both sides.
pub(crate) struct Aligned {
    /// Points that had two.
    points: usize,
    /// Records of A and of B.
    pub(crate) sides: [Vec<Record>; 2],
}

impl Aligned {
    /// One line for the reader.
    pub(crate) fn text(&self) -> String {
        let (points, are) = match self.points {
            1 => ("1 point was".to_owned(), "its value is"),
            n => (format!("{n} points were"), "their values are"),
        };
        format!(
            "{points} planned with different estimators on the two sides; {are} the medians of the batches here"
        )
    }
}
