//! Points that moved together: their ratios lie close on the logarithmic scale.
//!
//! Ratios are taken as speeds, B over A, so that times and rates can stand in one group. Within a
//! group the points are listed by kin, because a disk and a scheduler may be slower by the same
//! factor without having anything in common.

use whyslow_model::Better;
use whyslow_model::comparison::{Group, Kin, PointComparison, Size, Verdict};

use crate::names::kin;

/// Ratios this close to 1 are about the same whatever their sign: what published digits carry.
const ABOUT_ONE: f64 = 0.02;

/// Neighbors belong together up to this distance between their logarithms ...
const CLOSE: f64 = 0.02;

/// ... or this share of the larger one: of two points that are three or four times slower, the
/// factor itself says little.
const CLOSE_SHARE: f64 = 0.25;

/// The groups, furthest from 1 first. Of tested points only real differences are grouped, two or
/// more; where nothing could be tested, all points are.
pub(crate) fn groups(points: &[PointComparison]) -> Vec<Group> {
    let untested = points.iter().all(|p| {
        matches!(
            p.verdict,
            Verdict::Untested { .. } | Verdict::NotComparable { .. }
        )
    });
    let counts = |verdict: &Verdict| match verdict {
        Verdict::Slower { size } | Verdict::Faster { size } | Verdict::Differs { size } => {
            *size != Size::Negligible
        }
        Verdict::Untested { .. } => untested,
        _ => false,
    };
    let mut moved: Vec<(f64, usize)> = points
        .iter()
        .enumerate()
        .filter(|(_, p)| counts(&p.verdict))
        .filter_map(|(i, p)| Some((speed(p)?.ln(), i)))
        .collect();
    // What has no better direction has no speed, and stands with none that has.
    let directed = |at: usize| points[at].better != Better::Unsaid;
    moved.sort_by(|x, y| directed(y.1).cmp(&directed(x.1)).then(x.0.total_cmp(&y.0)));
    let mut bands: Vec<Vec<(f64, usize)>> = Vec::new();
    for item in moved {
        let close =
            |last: &(f64, usize)| directed(last.1) == directed(item.1) && together(last.0, item.0);
        match bands.last_mut() {
            Some(band) if band.last().is_some_and(close) => {
                band.push(item);
            }
            _ => bands.push(vec![item]),
        }
    }
    let mut groups: Vec<Group> = bands
        .iter()
        .filter(|band| untested || band.len() > 1)
        .map(|band| group(band, points, !untested))
        .collect();
    let distance = |g: &Group| (g.low.ln().abs()).max(g.high.ln().abs());
    groups.sort_by(|x, y| distance(y).total_cmp(&distance(x)));
    groups
}

/// Speed of B over speed of A; where it is not known which direction is better, as if it were a time.
fn speed(point: &PointComparison) -> Option<f64> {
    let ratio = point.ratio.filter(|r| r.is_finite() && *r > 0.0)?;
    Some(match point.better {
        Better::Higher => ratio,
        Better::Lower | Better::Unsaid => 1.0 / ratio,
    })
}

fn together(before: f64, after: f64) -> bool {
    let zone = |l: f64| {
        if l.abs() <= ABOUT_ONE.ln_1p() {
            0.0
        } else {
            l.signum()
        }
    };
    let close = CLOSE.max(CLOSE_SHARE * before.abs().max(after.abs()));
    zone(before) == zone(after) && (zone(before) == 0.0 || after - before <= close)
}

fn group(band: &[(f64, usize)], points: &[PointComparison], real: bool) -> Group {
    let mut members: Vec<Kin> = Vec::new();
    for &(log, index) in band {
        let (ratio, point) = (log.exp(), &points[index]);
        let name = kin(&point.point, point.title.as_deref());
        match members.iter_mut().find(|m| m.name == name) {
            // Ascending, so the last is the largest.
            Some(member) => {
                member.high = ratio;
                member.points.push(index as u32);
            }
            None => members.push(Kin {
                name,
                low: ratio,
                high: ratio,
                points: vec![index as u32],
            }),
        }
    }
    members.sort_by_key(|m| std::cmp::Reverse(m.points.len()));
    let ends = band.first().zip(band.last());
    let (low, high) = ends.map_or((1.0, 1.0), |(l, h)| (l.0.exp(), h.0.exp()));
    Group {
        low,
        high,
        real,
        members,
    }
}
