//! Loads before and after: real, user and system time by level.
//!
//! Arms of one record were run in blocks there and back: what a round has in common cancels in its pair of runs, and a steady
//! drift in a block. So the pairs of whole blocks are the units, as where `tune` tries settings. A drift widens their
//! intervals; noise that lasts for two runs narrows them by a few percent, which a test keeps in bounds. Two records have
//! no pairs, and their runs are the units. Intervals are widened for all levels, quantities and arms together
//! (Bonferroni): with 95 % confidence, all of them hold at once.

use std::collections::BTreeMap;

use whyslow_model::Point;
use whyslow_model::comparison::{Comparison, PointComparison};
use whyslow_model::experiment::Estimated;
use whyslow_model::id;
use whyslow_model::load::{LoadChange, LoadDesign, LoadRow, LoadTable, LoadTimes, LoadVerdict};
use whyslow_model::record::Record;
use whyslow_stats::Interval;
use whyslow_stats::paired::{Block, ratio};
use whyslow_stats::record::{rounds_of_whole_blocks, run_value};
use whyslow_stats::student::mean_interval;
use whyslow_stats::welch::{Tested, compare_logs};

/// The quantities that are compared.
const QUANTITIES: [&str; 3] = [id::LOAD_REAL, id::LOAD_USER, id::LOAD_SYSTEM];

/// The parameter that names an arm.
const ARM: &str = "cmd";

/// The parameter that is the level.
const LEVEL: &str = "j";

/// Fewer pairs say nothing of their scatter.
const LEAST_PAIRS: usize = 3;

/// Share of loads without any difference in which at least one is called shown.
const ALPHA: f64 = 0.05;

/// Coverage of each of `tests` intervals.
fn coverage(tests: usize) -> f64 {
    1.0 - ALPHA / tests.max(1) as f64
}

type Params = Vec<(String, String)>;

/// Parameters but for the arm.
fn group(point: &Point) -> Params {
    let params = point.params.iter().filter(|(name, _)| name != ARM);
    params.cloned().collect()
}

/// Each other arm of `record` against the first; nothing where there is but one.
pub fn arms(record: &Record) -> Vec<LoadTable> {
    let planned = record.plan.points.iter().map(|p| &p.point);
    let real = planned.filter(|p| p.probe == id::LOAD_REAL);
    let (mut groups, mut names): (Vec<Params>, Vec<&str>) = (Vec::new(), Vec::new());
    for point in real {
        let own = group(point);
        if !groups.contains(&own) {
            groups.push(own);
        }
        if let Some(name) = point.get(ARM).filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    let [first, others @ ..] = &names[..] else {
        return Vec::new();
    };
    let tests = groups.len() * QUANTITIES.len() * others.len();
    let rows = |other: &str| -> Vec<LoadRow> {
        let of = |group: &Params| {
            let quantity = |probe| {
                let [before, after] = [first, other].map(|arm| runs(record, probe, group, arm));
                by_pairs(&before, &after, coverage(tests))
            };
            row(group, QUANTITIES.map(quantity))
        };
        groups.iter().map(of).collect()
    };
    let table = |other: &&str| LoadTable {
        before: (*first).to_owned(),
        after: (*other).to_owned(),
        design: LoadDesign::Blocks,
        coverage: coverage(tests),
        corrected_for: u32::try_from(tests).unwrap_or(u32::MAX),
        rows: rows(other),
    };
    others.iter().map(table).collect()
}

/// Side B of a comparison against side A, where both are loads with levels and arms of the same names.
pub(crate) fn sides(comparison: &Comparison) -> Option<LoadTable> {
    if comparison.objections.iter().any(|o| o.forbids) {
        return None;
    }
    let find = |probe: &str, params: &Params| {
        let mut points = comparison.points.iter();
        points.find(|p| p.point.probe == probe && p.point.params == *params && p.part.is_none())
    };
    let real = comparison.points.iter();
    let real = real.filter(|p| p.point.probe == id::LOAD_REAL && p.part.is_none());
    let found: Vec<(&Params, [&PointComparison; 3])> = real
        .filter_map(|p| {
            let params = &p.point.params;
            let [real, user, system] = QUANTITIES.map(|probe| find(probe, params));
            Some((params, [real?, user?, system?]))
        })
        .collect();
    if found.is_empty() {
        return None;
    }
    let tests = found.len() * QUANTITIES.len();
    let several = found
        .iter()
        .any(|(params, _)| arm(params) != arm(found[0].0));
    let rows = found.iter().map(|(params, points)| {
        let named = params.iter().filter(|(name, _)| several || name != ARM);
        let named: Params = named.cloned().collect();
        row(
            &named,
            points.map(|p| by_runs(&p.a.units, &p.b.units, coverage(tests))),
        )
    });
    Some(LoadTable {
        before: "A".into(),
        after: "B".into(),
        design: LoadDesign::Records,
        coverage: coverage(tests),
        corrected_for: u32::try_from(tests).unwrap_or(u32::MAX),
        rows: rows.collect(),
    })
}

fn arm(params: &Params) -> Option<&str> {
    let found = params.iter().find(|(name, _)| name == ARM);
    found.map(|(_, value)| value.as_str())
}

fn row(params: &Params, [real, user, system]: [LoadChange; 3]) -> LoadRow {
    let told: Vec<String> = params.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let level = params.iter().find(|(name, _)| name == LEVEL);
    LoadRow {
        name: told.join(" "),
        level: level.and_then(|(_, value)| value.parse().ok()),
        real,
        user,
        system,
    }
}

/// The runs of an arm, ns by round.
fn runs(record: &Record, probe: &str, group: &Params, arm: &str) -> BTreeMap<u32, f64> {
    let own = |point: &Point| {
        point.probe == probe && point.get(ARM) == Some(arm) && self::group(point) == *group
    };
    let processes = record.processes.iter();
    processes
        .filter(|p| p.round > 0 && own(&p.point))
        .filter_map(|p| Some((p.round, run_value(p)?)))
        .collect()
}

/// By the pairs of blocks that are whole in both arms.
fn by_pairs(before: &BTreeMap<u32, f64>, after: &BTreeMap<u32, f64>, coverage: f64) -> LoadChange {
    let rounds = rounds_of_whole_blocks(before, after);
    let of = |arm: &BTreeMap<u32, f64>| -> Vec<f64> {
        rounds.iter().filter_map(|r| arm.get(r)).copied().collect()
    };
    let [before, after] = [of(before), of(after)];
    let pairs = before.iter().zip(&after);
    let pairs: Vec<Block> = pairs.map(|(a, b)| (vec![*a], vec![*b])).collect();
    let found = ratio(&pairs, coverage).ok();
    let found = found.filter(|found| found.blocks >= LEAST_PAIRS);
    let ratio = found.and_then(|found| estimated(found.value, found.interval?));
    change([before, after], pairs.len(), ratio)
}

/// By the runs of both sides, ns.
fn by_runs(before: &[f64], after: &[f64], coverage: f64) -> LoadChange {
    let logs = |values: &[f64]| -> Vec<f64> { values.iter().map(|v| v.ln()).collect() };
    let found = compare_logs(&logs(before), &logs(after));
    let ratio = match found {
        Ok(Tested::Test(test)) => estimated(test.ratio(), test.interval(coverage)),
        _ => None,
    };
    let units = before.len().min(after.len());
    change([before.to_vec(), after.to_vec()], units, ratio)
}

fn estimated(value: f64, Interval { lo, hi }: Interval) -> Option<Estimated> {
    let known = [value, lo, hi].iter().all(|v| v.is_finite());
    known.then_some(Estimated {
        value,
        range: [lo, hi],
    })
}

fn change([before, after]: [Vec<f64>; 2], units: usize, ratio: Option<Estimated>) -> LoadChange {
    let verdict = match ratio.as_ref().map(|r| r.range) {
        None => LoadVerdict::Unknown,
        Some([_, hi]) if hi < 1.0 => LoadVerdict::Less,
        Some([lo, _]) if lo > 1.0 => LoadVerdict::Longer,
        Some(_) => LoadVerdict::NotShown,
    };
    LoadChange {
        before: times(&before),
        after: times(&after),
        units: u32::try_from(units).unwrap_or(u32::MAX),
        ratio,
        verdict,
    }
}

/// What runs took, given in ns.
fn times(ns: &[f64]) -> LoadTimes {
    let s: Vec<f64> = ns.iter().map(|ns| ns / 1e9).collect();
    let count = s.len() as f64;
    let mean = s.iter().sum::<f64>() / count.max(1.0);
    let positive = s.iter().all(|v| *v > 0.0);
    let logs: Vec<f64> = s.iter().map(|v| v.ln()).collect();
    let geometric = mean_interval(&logs, 0.95).filter(|_| positive);
    let squares: f64 = s.iter().map(|v| (v - mean).powi(2)).sum();
    LoadTimes {
        runs: u32::try_from(s.len()).unwrap_or(u32::MAX),
        mean_s: geometric.map_or(mean, |m| m.mean.exp()),
        min_s: s.iter().copied().reduce(f64::min).unwrap_or_default(),
        max_s: s.iter().copied().reduce(f64::max).unwrap_or_default(),
        deviation_s: (s.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn rounds(values: &[f64]) -> BTreeMap<u32, f64> {
        (1..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn a_drift_cancels_in_blocks_there_and_back() {
        // Ten percent less, while the machine becomes slower from run to run: before, after, after, before.
        let at = |place: u32| 1e9 * (0.01 * f64::from(place)).exp();
        let before: Vec<f64> = (0..5).flat_map(|b| [at(4 * b), at(4 * b + 3)]).collect();
        let after = (0..5).flat_map(|b| [at(4 * b + 1), at(4 * b + 2)]);
        let after: Vec<f64> = after.map(|ns| 0.9 * ns).collect();
        let found = by_pairs(&rounds(&before), &rounds(&after), coverage(9));
        assert_eq!((found.units, found.verdict), (10, LoadVerdict::Less));
        assert!((found.ratio.unwrap().value - 0.9).abs() < 1e-9);
        assert_eq!(found.before.runs, 10);
        assert!((found.before.min_s - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_ratio_is_unknown() {
        let one = by_pairs(&rounds(&[1e9, 2e9]), &rounds(&[1e9, 3e9]), 0.95);
        assert_eq!((one.units, one.verdict), (2, LoadVerdict::Unknown));
        let zero = by_pairs(&rounds(&[1.0, 0.0, 1.0, 1.0]), &rounds(&[1.0; 4]), 0.95);
        assert_eq!(zero.verdict, LoadVerdict::Unknown);
        assert!((zero.before.mean_s - 0.75e-9).abs() < 1e-18);
        // The second block of the first arm lacks a run.
        let cut = by_pairs(&rounds(&[1.0, 1.0, 1.0]), &rounds(&[1.0; 4]), 0.95);
        assert_eq!((cut.units, cut.before.runs, cut.after.runs), (2, 2, 2));
        assert_eq!(
            by_runs(&[1.0], &[1.0, 2.0], 0.95).verdict,
            LoadVerdict::Unknown
        );
    }

    /// How many of 2,000 loads of nine comparisons show a difference where there is none. Of each run's noise, `kept` is
    /// that of the run before.
    fn wrong(kept: f64) -> u32 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(27);
        // A sum of twelve is near enough to normal.
        let mut fresh = || -> f64 {
            let sum: f64 = (0..12)
                .map(|_| rng.next_u64() as f64 / u64::MAX as f64)
                .sum();
            sum - 6.0
        };
        let mut load = || {
            (0..9).any(|_| {
                let (mut last, mut arms) = (fresh(), [Vec::new(), Vec::new()]);
                for _ in 0..5 {
                    let first = usize::from(fresh() > 0.0);
                    for arm in [first, 1 - first, 1 - first, first] {
                        last = kept * last + (1.0 - kept * kept).sqrt() * fresh();
                        arms[arm].push((0.02 * last).exp());
                    }
                }
                let [before, after] = arms.map(|arm| rounds(&arm));
                by_pairs(&before, &after, coverage(9)).verdict != LoadVerdict::NotShown
            })
        };
        (0..2_000).map(|_| u32::from(load())).sum()
    }

    #[test]
    fn loads_without_a_difference_seldom_show_one() {
        // 5 % are 100, give or take 10.
        let independent = wrong(0.0);
        assert!((60..=130).contains(&independent), "{independent}");
        // Noise that lasts.
        let lasting = wrong(0.5);
        assert!(lasting <= 160, "{lasting}");
    }
}
