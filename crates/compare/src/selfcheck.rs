//! A record held against itself: how often chance alone looks like a difference here, and how often
//! a planted slowdown is found.
//!
//! The processes of the record are split into two halves at random, many times. All points are split
//! alike, by the order of their processes, so that what drifted during the run hits them together
//! as it does in a real comparison.

use std::collections::BTreeMap;

use whyslow_model::Record;
use whyslow_model::glob::Globs;
use whyslow_model::record::ValueRule;
use whyslow_stats::moderated::{Moderated, Side, difference};
use whyslow_stats::multiple::benjamini_hochberg;
use whyslow_stats::record::{Part, reasons, values};
use whyslow_stats::split::halves;
use whyslow_stats::welch::Welch;

use crate::Q;
use crate::names::family;

/// Splits: enough to tell 5 % from 10 %.
pub const SPLITS: u32 = 200;

/// Slowdowns that are planted.
pub const PLANTED: [f64; 2] = [0.02, 0.05];

/// Points that look different from themselves this often are noisy beyond what the test allows for.
pub const NOISY: f64 = 0.10;

/// Fewest processes of a point: two a half.
pub const LEAST: usize = 4;

/// What a record says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfCheck {
    /// Splits made.
    pub splits: u32,
    /// Most processes of a point.
    pub processes: u32,
    /// Share of the splits in which at least one point came out real, with all points tested
    /// together as a comparison does.
    pub reports_with_false: f64,
    /// By family, in the order of the record.
    pub families: Vec<FamilyCheck>,
    /// Points above [`NOISY`] with their share, noisiest first.
    pub noisy: Vec<(String, f64)>,
    /// Points that were left out because of too few processes or values without logarithms.
    pub left_out: u32,
}

/// One family.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyCheck {
    /// Its name.
    pub name: String,
    /// Points.
    pub points: u32,
    /// Share of tests with p below 5 %, where nothing differs.
    pub false_share: f64,
    /// Share of 95 % intervals that hold the true ratio, 1.
    pub coverage: f64,
    /// Share of tests that find each of [`PLANTED`], with p below 5 %.
    pub found: [f64; 2],
    /// Largest ratio of two halves, as a factor above 1.
    pub largest: f64,
}

#[derive(Default)]
struct Tally {
    points: u32,
    tests: u32,
    alarms: u32,
    found: [u32; 2],
    largest: f64,
}

/// Checks a record against itself; `None` if it has no point with processes enough.
pub fn selfcheck(record: &Record, only: &Globs, seed: u64) -> Option<SelfCheck> {
    let all = values(record);
    // Differences that are not told from zero have no values.
    let unknown = record.plan.points.iter().filter(|planned| {
        matches!(planned.value, ValueRule::Less { .. })
            && only.selects(&planned.point)
            && !all.iter().any(|v| v.planned.point == planned.point)
            && !reasons(record, &planned.point).is_empty()
    });
    let mut left_out = unknown.count() as u32;
    let mut points: Vec<Checked> = Vec::new();
    for found in all {
        let point = &found.planned.point;
        if !only.selects(point) {
            continue;
        }
        let logs = found.processes.iter().map(|p| p.value.ln());
        let logs: Vec<f64> = logs.filter(|l| l.is_finite()).collect();
        if logs.len() < LEAST || logs.len() < found.processes.len() {
            left_out += 1;
            continue;
        }
        let name = match &found.part {
            Part::Whole => point.to_string(),
            Part::Series(part) | Part::Class { name: part, .. } => format!("{point} {part}"),
        };
        points.push(Checked {
            family: family(point).to_owned(),
            name,
            logs,
            prior: found.moderated,
        });
    }
    let most = points.iter().map(|p| p.logs.len()).max()?;
    let mut tallies: Vec<Tally> = points.iter().map(|_| Tally::default()).collect();
    let mut reports = 0;
    for split in halves(most, SPLITS, seed) {
        let tests: Vec<Option<Welch>> = points.iter().map(|point| point.test(&split)).collect();
        let p: Vec<f64> = tests.iter().flatten().map(|t| t.p).collect();
        reports += u32::from(benjamini_hochberg(&p).iter().any(|p| *p <= Q));
        for (tally, test) in tallies.iter_mut().zip(&tests) {
            if let Some(test) = test {
                tally.add(test);
            }
        }
    }
    let mut noisy: Vec<(String, f64)> = points
        .iter()
        .zip(&tallies)
        .map(|(point, tally)| (point.name.clone(), share(tally.alarms, tally.tests)))
        .filter(|(_, share)| *share > NOISY)
        .collect();
    noisy.sort_by(|x, y| y.1.total_cmp(&x.1));
    Some(SelfCheck {
        splits: SPLITS,
        processes: most as u32,
        reports_with_false: share(reports, SPLITS),
        families: families(&points, &tallies),
        noisy,
        left_out,
    })
}

/// A point that is split.
struct Checked {
    family: String,
    name: String,
    logs: Vec<f64>,
    prior: Option<Moderated>,
}

impl Checked {
    /// One half against the other, as a comparison tests two records.
    fn test(&self, split: &[bool]) -> Option<Welch> {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for (log, second) in self.logs.iter().zip(split) {
            if *second { b.push(*log) } else { a.push(*log) }
        }
        let side = |logs| Side {
            logs,
            prior: self.prior,
        };
        difference(side(&a), side(&b)).ok()?.test()
    }
}

impl Tally {
    fn add(&mut self, test: &Welch) {
        self.points = 1;
        self.tests += 1;
        self.alarms += u32::from(test.p < 0.05);
        self.largest = self.largest.max(test.log_ratio.abs());
        for (found, planted) in self.found.iter_mut().zip(PLANTED) {
            // Multiplying one half moves its logarithms and leaves their spread.
            let lo = test.interval(0.95).lo * (1.0 + planted);
            *found += u32::from(lo > 1.0);
        }
    }
}

fn families(points: &[Checked], tallies: &[Tally]) -> Vec<FamilyCheck> {
    let mut order: Vec<&str> = Vec::new();
    let mut sums: BTreeMap<&str, Tally> = BTreeMap::new();
    for (point, tally) in points.iter().zip(tallies) {
        let family = point.family.as_str();
        if !order.contains(&family) {
            order.push(family);
        }
        let sum = sums.entry(family).or_default();
        sum.points += tally.points;
        sum.tests += tally.tests;
        sum.alarms += tally.alarms;
        sum.largest = sum.largest.max(tally.largest);
        for (total, found) in sum.found.iter_mut().zip(tally.found) {
            *total += found;
        }
    }
    order
        .into_iter()
        .filter_map(|name| {
            let sum = sums.get(name).filter(|s| s.tests > 0)?;
            let false_share = share(sum.alarms, sum.tests);
            Some(FamilyCheck {
                name: name.to_owned(),
                points: sum.points,
                false_share,
                // The interval leaves out 1 exactly when the test finds a difference.
                coverage: 1.0 - false_share,
                found: sum.found.map(|found| share(found, sum.tests)),
                largest: sum.largest.exp(),
            })
        })
        .collect()
}

fn share(part: u32, all: u32) -> f64 {
    if all == 0 {
        0.0
    } else {
        f64::from(part) / f64::from(all)
    }
}
