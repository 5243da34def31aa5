//! Points that move together, tested together: the latency of one level, the bandwidth of another, system calls.
//!
//! Each point of a family estimates the family's mean difference. Its interval is that of a random-effects mean with the
//! largest of three variances: that of the points' own intervals, that of their scatter (Hartung and Knapp 2001), so
//! that points that disagree widen it, and that of the rounds, in which all points of a family drift together.
//! Families are tested together by Benjamini-Hochberg.

use whyslow_compare::Q;
use whyslow_model::change::Quantity;
use whyslow_model::comparison::{Comparison, Family, FamilyVerdict, PointComparison, SideValue};
use whyslow_model::role::Role;
use whyslow_model::{Better, Record};
use whyslow_stats::multiple::benjamini_hochberg;
use whyslow_stats::student;

use crate::case::{Case, Moved};

/// Fewer points are no family.
const FEWEST: usize = 2;

/// Of points without intervals of their own more, as their scatter is all there is.
const FEWEST_UNTESTED: usize = 4;

/// Coverage of the intervals.
const COVERAGE: f64 = 0.95;

/// Half-widths of the points' intervals in standard errors.
const WIDE: f64 = 1.96;

/// The name of a point's family: levels have a latency and a bandwidth.
fn name(point: &Moved<'_>) -> String {
    let level = match point.role {
        Role::L1 => "L1",
        Role::L2 => "L2",
        Role::Llc => "last-level cache",
        other => return other.name().to_owned(),
    };
    match point.point.better {
        Better::Lower | Better::Unsaid => format!("{level} latency"),
        Better::Higher => format!("{level} bandwidth"),
    }
}

/// The families of a comparison, in the order of their first points. `a` and `b` are the first record of each side.
pub fn families(comparison: &Comparison, a: &Record, b: &Record) -> Vec<Family> {
    let case = Case::new(comparison, a, b);
    let mut members: Vec<(String, Vec<&Moved<'_>>)> = Vec::new();
    for point in case
        .points
        .iter()
        .filter(|p| p.role != Role::Other && !p.role.is_stated() && p.is_directed())
    {
        let name = name(point);
        match members.iter_mut().find(|(n, _)| *n == name) {
            Some((_, points)) => points.push(point),
            None => members.push((name, vec![point])),
        }
    }
    let mut found: Vec<(Family, Option<f64>)> = members
        .into_iter()
        .filter_map(|(name, points)| family(name, &points, comparison.rules.margin))
        .collect();
    let p: Vec<f64> = found.iter().filter_map(|(_, p)| *p).collect();
    let mut adjusted = benjamini_hochberg(&p).into_iter();
    for (family, p) in &mut found {
        if p.is_some() && adjusted.next().is_some_and(|p| p > Q) {
            family.verdict = FamilyVerdict::Open;
        }
    }
    found.into_iter().map(|(family, _)| family).collect()
}

/// One family with the p-value of its difference, where its points were tested.
fn family(name: String, points: &[&Moved<'_>], margin: f64) -> Option<(Family, Option<f64>)> {
    // Points of one process say nothing of chance where others were repeated.
    let repeated: Vec<&Moved<'_>> = points
        .iter()
        .copied()
        .filter(|p| p.range.is_some())
        .collect();
    let points = if repeated.len() >= FEWEST {
        &repeated[..]
    } else {
        points
    };
    let count = points.len() as f64;
    let ranges: Option<Vec<[f64; 2]>> = points.iter().map(|p| p.range).collect();
    let fewest = if ranges.is_some() {
        FEWEST
    } else {
        FEWEST_UNTESTED
    };
    if points.len() < fewest {
        return None;
    }
    let mean = points.iter().map(|p| p.worse).sum::<f64>() / count;
    let scatter =
        points.iter().map(|p| (p.worse - mean).powi(2)).sum::<f64>() / (count - 1.0) / count;
    let own = ranges.as_ref().map_or(0.0, |ranges| {
        let one = |[lo, hi]: &[f64; 2]| ((hi - lo) / (2.0 * WIDE)).powi(2);
        ranges.iter().map(one).sum::<f64>() / (count * count)
    });
    let (mut error, mut df) = (scatter.max(own).sqrt(), count - 1.0);
    if let Some((variance, rounds)) = drift(points) {
        // The wider of both intervals.
        let wide = |error: f64, df: f64| student::quantile(0.5 + COVERAGE / 2.0, df) * error;
        if wide(variance.sqrt(), rounds) > wide(error, df) {
            (error, df) = (variance.sqrt(), rounds);
        }
    }
    let t = if error > 0.0 {
        mean / error
    } else {
        return None;
    };
    let half = student::quantile(0.5 + COVERAGE / 2.0, df) * error;
    let range = [mean - half, mean + half];
    let edge = margin.ln_1p();
    let verdict = match ranges {
        None => FamilyVerdict::Untested,
        // What drifts between two runs moves a whole family by a percent or two.
        Some(_) if range[0] > edge => FamilyVerdict::Slower,
        Some(_) if range[1] < -edge => FamilyVerdict::Faster,
        Some(_) if range[0] > -edge && range[1] < edge => FamilyVerdict::Same,
        Some(_) => FamilyVerdict::Open,
    };
    let differs = matches!(verdict, FamilyVerdict::Slower | FamilyVerdict::Faster);
    let p = 2.0 * (1.0 - student::cdf(t.abs(), df));
    let family = Family {
        name,
        points: points.len() as u32,
        quantity: Quantity::of_all(points.iter().map(|p| p.quantity())),
        times_longer: mean.exp(),
        range: range.map(f64::exp),
        verdict,
    };
    Some((family, differs.then_some(p)))
}

/// Variance of the family's mean difference by its rounds, and its degrees of freedom: the processes of a round run
/// within seconds of each other, and what drifts moves them together.
fn drift(points: &[&Moved<'_>]) -> Option<(f64, f64)> {
    let side = |of: fn(&PointComparison) -> &SideValue| {
        let most = points.iter().map(|p| of(p.point).units.len()).max()?;
        let rounds: Vec<f64> = (0..most)
            .filter_map(|round| {
                let own = points.iter();
                let own: Vec<f64> = own
                    .filter_map(|p| deviation(&of(p.point).units, round))
                    .collect();
                // A round that few points had is about these.
                let mean = own.iter().sum::<f64>() / own.len() as f64;
                (own.len() * 2 >= points.len()).then_some(mean)
            })
            .collect();
        let count = rounds.len() as f64;
        if rounds.len() < 2 {
            return None;
        }
        let mean = rounds.iter().sum::<f64>() / count;
        let variance = rounds.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some((variance / count, count - 1.0))
    };
    let (a, df_a) = side(|p| &p.a)?;
    let (b, df_b) = side(|p| &p.b)?;
    // Welch and Satterthwaite.
    let df = (a + b).powi(2) / (a * a / df_a + b * b / df_b).max(f64::MIN_POSITIVE);
    Some((a + b, df.max(1.0)))
}

/// How far the unit of a round lies from the mean of its point, as a logarithm.
fn deviation(units: &[f64], round: usize) -> Option<f64> {
    let own = units.get(round).filter(|v| **v > 0.0)?;
    let mean = units.iter().map(|v| v.ln()).sum::<f64>() / units.len() as f64;
    (units.len() > 1).then(|| own.ln() - mean)
}
