//! Spread as a finding of its own: the same value with three times the variance is a difference.
//!
//! Every process gives one figure a level, and the figures of the two sides are compared as values
//! are: between units by the distance from the side's median (Brown and Forsythe), within processes
//! by the logarithm of the spread that each process had. So the unit stays the process here too.
//! All levels of all points are one family of tests, apart from the values themselves.

use whyslow_model::comparison::{
    PointComparison, Repeated, SpreadDifference, SpreadLevel, Verdict,
};
use whyslow_stats::multiple::benjamini_hochberg;
use whyslow_stats::quantile::median;
use whyslow_stats::record::ProcessValue;
use whyslow_stats::welch::{Tested, compare_logs};

use crate::Q;
use crate::side::SidePoint;

/// Spreads within this factor are alike to anybody who plans by them.
const LEAST_FACTOR: f64 = 1.5;

/// Spreads below 0.1 % of the value bear on no verdict.
const LEAST_SPREAD: f64 = 0.001;

/// Fewest units of a side from which a spread is judged.
const LEAST_UNITS: usize = 5;

struct Candidate {
    point: usize,
    level: SpreadLevel,
    a: f64,
    b: f64,
    p: f64,
}

/// Adds the levels whose spread differs.
pub(crate) fn find(
    points: &mut [PointComparison],
    sources: &[(&SidePoint<'_>, &SidePoint<'_>)],
    level: Repeated,
) {
    let mut candidates = Vec::new();
    for (i, (point, (a, b))) in points.iter().zip(sources).enumerate() {
        // Modes are spread already, and told as such.
        let told = matches!(
            point.verdict,
            Verdict::Modes { .. } | Verdict::NotComparable { .. } | Verdict::Untested { .. }
        );
        if told || point.a.units.len().min(point.b.units.len()) < LEAST_UNITS {
            continue;
        }
        candidates.extend(between(i, &point.a.units, &point.b.units));
        if level == Repeated::Process {
            let draw = |v: &ProcessValue| v.draw_spread;
            let sample = |v: &ProcessValue| v.sample_spread;
            candidates.extend(within(i, SpreadLevel::Draw, a, b, draw));
            candidates.extend(within(i, SpreadLevel::Sample, a, b, sample));
        }
    }
    let p: Vec<f64> = candidates.iter().map(|c| c.p).collect();
    for (candidate, p_adjusted) in candidates.iter().zip(benjamini_hochberg(&p)) {
        let (least, most) = (candidate.a.min(candidate.b), candidate.a.max(candidate.b));
        if p_adjusted <= Q && most >= LEAST_SPREAD && most >= LEAST_FACTOR * least {
            points[candidate.point].spread.push(SpreadDifference {
                level: candidate.level,
                a: candidate.a,
                b: candidate.b,
                p_adjusted,
            });
        }
    }
}

/// Between units.
fn between(point: usize, a: &[f64], b: &[f64]) -> Option<Candidate> {
    let distances = |units: &[f64]| -> Option<Vec<f64>> {
        let logs: Vec<f64> = units.iter().map(|v| v.ln()).collect();
        let middle = median(&logs)?;
        Some(logs.iter().map(|l| (l - middle).abs()).collect())
    };
    let deviation = |units: &[f64]| {
        let logs: Vec<f64> = units.iter().map(|v| v.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let squares: f64 = logs.iter().map(|l| (l - mean).powi(2)).sum();
        (squares / (logs.len() - 1) as f64).sqrt()
    };
    match compare_logs(&distances(a)?, &distances(b)?).ok()? {
        Tested::Test(welch) => Some(Candidate {
            point,
            level: SpreadLevel::Unit,
            a: deviation(a),
            b: deviation(b),
            p: welch.p,
        }),
        _ => None,
    }
}

/// Within processes.
fn within(
    point: usize,
    level: SpreadLevel,
    a: &SidePoint<'_>,
    b: &SidePoint<'_>,
    of: impl Fn(&ProcessValue) -> Option<f64>,
) -> Option<Candidate> {
    let logs = |side: &SidePoint<'_>| -> Vec<f64> {
        let spreads = side.values.iter().filter_map(|(_, value)| of(value));
        // Not below what bears on anything: a spread of zero has no logarithm.
        spreads.map(|s| s.max(LEAST_SPREAD / 10.0).ln()).collect()
    };
    let (a, b) = (logs(a), logs(b));
    if a.len().min(b.len()) < LEAST_UNITS {
        return None;
    }
    let typical = |logs: &[f64]| (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    let test = compare_logs(&a, &b).ok()?.test()?;
    Some(Candidate {
        point,
        level,
        a: typical(&a),
        b: typical(&b),
        p: test.p,
    })
}
