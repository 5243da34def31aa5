//! Several records in the order of what they take, each beside the first.

use std::collections::{BTreeMap, HashMap};

use whyslow_compare::Counts;
use whyslow_model::Point;
use whyslow_model::change::Quantity;
use whyslow_model::comparison::{Comparison, PointComparison};
use whyslow_model::summary::Summary;

use super::latency;
use crate::compare::words;
use crate::drawing::Curve;

/// Records in order.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// The best first.
    pub(crate) ranks: Vec<Rank>,
    /// Points that all of them have, over which the mean is.
    pub(crate) points: usize,
    /// What kind of quantity the points are of.
    pub(crate) quantity: Quantity,
}

/// A record's place.
#[derive(Debug, Clone)]
pub(crate) struct Rank {
    /// Its place in the order given; 0 is the first, beside which all are.
    pub(crate) record: usize,
    /// The logarithm of how many times worse it is: the mean over probes of the mean over their points.
    pub(crate) worse: f64,
    /// Real differences to the worse and to the better; absent of the first record.
    pub(crate) counts: Option<Counts>,
}

impl Ranking {
    /// `11.5 % longer`: a place beside the first record.
    pub(crate) fn said(&self, rank: &Rank) -> String {
        self.quantity.said_of_worse(rank.worse)
    }
}

/// A point and the part of it that was compared.
type Key<'a> = (&'a Point, Option<&'a str>);

/// The order of the first record and of those compared with it; none of fewer than three, or where no point is in all.
pub(crate) fn ranking(comparisons: &[Comparison]) -> Option<Ranking> {
    if comparisons.len() < 2 {
        return None;
    }
    let mut seen: HashMap<Key<'_>, usize> = HashMap::new();
    for comparison in comparisons {
        for point in comparison.points.iter().filter(|p| log(p).is_some()) {
            *seen.entry(key(point)).or_default() += 1;
        }
    }
    seen.retain(|_, n| *n == comparisons.len());
    let first = comparisons.first()?;
    let common = first.points.iter().filter(|p| seen.contains_key(&key(p)));
    let quantity = Quantity::of_all(common.map(words::quantity));
    if seen.is_empty() {
        return None;
    }
    let mut ranks = vec![Rank {
        record: 0,
        worse: 0.0,
        counts: None,
    }];
    for (i, comparison) in comparisons.iter().enumerate() {
        let mut probes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for point in comparison.points.iter() {
            if let Some(log) = log(point).filter(|_| seen.contains_key(&key(point))) {
                let probe = point.point.probe.as_str();
                probes.entry(probe).or_default().push(log);
            }
        }
        let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        let means: Vec<f64> = probes.values().map(|logs| mean(logs)).collect();
        ranks.push(Rank {
            record: i + 1,
            worse: mean(&means),
            counts: Some(Counts::of(comparison)),
        });
    }
    ranks.sort_by(|a, b| a.worse.total_cmp(&b.worse).then(a.record.cmp(&b.record)));
    Some(Ranking {
        ranks,
        points: seen.len(),
        quantity,
    })
}

fn key(point: &PointComparison) -> Key<'_> {
    (&point.point, point.part.as_deref())
}

/// The logarithm of how many times worse the second side is.
fn log(point: &PointComparison) -> Option<f64> {
    let log = point.ratio?.ln();
    let worse = words::quantity(point).turned(log);
    worse.is_finite().then_some(worse)
}

/// The latency curve of a record: random loads on ordinary pages, or on whatever pages it has most sizes of.
pub(crate) fn curve(summary: &Summary) -> Curve {
    let mut by_pages: BTreeMap<&str, Curve> = BTreeMap::new();
    for point in &summary.points {
        let on_curve = point.point.probe == latency::PROBE && point.point.get("stride").is_none();
        if let (true, Some(size), Some(value)) = (on_curve, point.size_bytes, &point.value) {
            let pages = point.point.get("pages").unwrap_or_default();
            let curve = by_pages.entry(pages).or_default();
            curve.push((size as f64, value.value));
        }
    }
    let most = by_pages.into_values().max_by_key(Vec::len);
    let mut curve = most.unwrap_or_default();
    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    curve.dedup_by_key(|place| place.0);
    curve
}
