//! Finds where curves rise from one level to the next, and fits each rise on both sides alike.

use super::fit::{CurvePoint, Fit, Setting, Trouble, fit};

/// What is known of the host that a curve is of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// Bytes in a page, where known.
    pub page_bytes: Option<f64>,
    /// Caches as claimed: bytes and ways, nearest first.
    pub caches: Vec<(f64, Option<u32>)>,
}

/// A rise from one level to the next, on every side of the curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Rise {
    /// The level that ends here, from 1.
    pub level: usize,
    /// Where latency rises, bytes, on each side.
    pub from_to: Vec<[f64; 2]>,
    /// The fit of each side.
    pub fits: Vec<Result<Fit, Trouble>>,
}

/// A curve rises where latency grows by this within an octave: page walks grow by less, and a level of
/// the hierarchy by more.
const STEEP: f64 = 1.25;

/// A whole rise is at least this: levels differ by more, noise by less.
const WHOLE: f64 = 1.4;

/// Two rises with less than this between them, in octaves, are one: a shoulder has its jags.
const GAP: f64 = 1.0;

/// Bytes of a page where the host does not tell; the shape hardly depends on it.
const USUAL_PAGE: f64 = 4096.0;

/// The rises of one or two curves over the same sizes, nearest first. Sides with different numbers of
/// rises have no rise in common that could be told for sure, so they give none.
pub fn rises(sides: &[Vec<CurvePoint>], known: &Known) -> Vec<Rise> {
    let sorted: Vec<Vec<CurvePoint>> = sides
        .iter()
        .map(|side| {
            let mut side = side.clone();
            side.retain(|p| p.bytes > 0.0 && p.ns > 0.0);
            side.sort_by(|x, y| x.bytes.total_cmp(&y.bytes));
            side
        })
        .collect();
    let found: Vec<Vec<[f64; 2]>> = sorted.iter().map(|side| of_side(side)).collect();
    let Some(count) = found.first().map(Vec::len) else {
        return Vec::new();
    };
    if found.iter().any(|f| f.len() != count) {
        return Vec::new();
    }
    (0..count)
        .map(|k| {
            let from_to: Vec<[f64; 2]> = found.iter().filter_map(|f| f.get(k).copied()).collect();
            let [from, to] = from_to
                .iter()
                .fold([f64::MAX, 0.0], |[lo, hi], [f, t]| [lo.min(*f), hi.max(*t)]);
            let claimed = known
                .caches
                .iter()
                .find(|(bytes, _)| (from / 2.0..=to * 2.0).contains(bytes));
            let setting = Setting {
                page_bytes: known.page_bytes.unwrap_or(USUAL_PAGE),
                ways: claimed.and_then(|(_, ways)| *ways),
                within: from / 1.5..=to * 1.5,
            };
            let fits = sorted
                .iter()
                .zip(&found)
                .map(|(side, own)| fit(&between(side, own, k), &setting))
                .collect();
            Rise {
                level: k + 1,
                from_to,
                fits,
            }
        })
        .collect()
}

/// The sizes that no other rise touches.
fn between(side: &[CurvePoint], rises: &[[f64; 2]], k: usize) -> Vec<CurvePoint> {
    let after = k
        .checked_sub(1)
        .and_then(|i| rises.get(i))
        .map_or(0.0, |r| r[1]);
    let before = rises.get(k + 1).map_or(f64::MAX, |r| r[0]);
    let inside = |p: &&CurvePoint| p.bytes >= after && p.bytes <= before;
    side.iter().filter(inside).copied().collect()
}

/// From where to where one curve rises.
fn of_side(side: &[CurvePoint]) -> Vec<[f64; 2]> {
    let mut runs: Vec<(CurvePoint, CurvePoint)> = Vec::new();
    for pair in side.windows(2) {
        let [x, y] = pair else { continue };
        let octaves = (y.bytes / x.bytes).log2();
        if octaves <= 0.0 || (y.ns / x.ns).ln() / octaves < STEEP.ln() {
            continue;
        }
        match runs.last_mut() {
            Some((_, end)) if (x.bytes / end.bytes).log2() < GAP => *end = *y,
            _ => runs.push((*x, *y)),
        }
    }
    runs.retain(|(x, y)| y.ns / x.ns >= WHOLE);
    runs.into_iter().map(|(x, y)| [x.bytes, y.bytes]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Cache, Placement, missing};

    /// Two caches, the second with its pages spread evenly or not; four sizes an octave.
    fn curve(first: f64, evenly: f64) -> Vec<CurvePoint> {
        let nearest = Cache {
            bytes: first,
            ways: 1,
            page_bytes: 8192.0,
        };
        let board = Cache {
            bytes: f64::from(2 << 20),
            ways: 1,
            page_bytes: 8192.0,
        };
        (0..57)
            .map(|i| {
                let bytes = 1024.0 * 2f64.powf(f64::from(i) / 4.0);
                let ns = 7.0
                    + 20.0 * missing(&nearest, bytes, 1.0)
                    + 300.0 * missing(&board, bytes, evenly);
                CurvePoint {
                    bytes,
                    ns,
                    spread: None,
                }
            })
            .collect()
    }

    #[test]
    fn both_sides_of_a_rise_are_fitted_alike() {
        let sides = [curve(8192.0, 0.0), curve(16384.0, 1.0)];
        let found = rises(&sides, &Known::default());
        assert_eq!(found.len(), 2, "{found:?}");
        let fits: Vec<&Fit> = found[1].fits.iter().map(|f| f.as_ref().unwrap()).collect();
        assert_eq!(fits[0].placement, Placement::Arbitrary);
        assert_eq!(fits[1].placement, Placement::Even);
        let first = [&found[0].fits[0], &found[0].fits[1]].map(|f| f.as_ref().unwrap().bytes);
        assert!((1.8..2.2).contains(&(first[1] / first[0])), "{first:?}");
    }

    #[test]
    fn a_flat_curve_has_no_rise() {
        let flat: Vec<CurvePoint> = curve(8192.0, 1.0)
            .into_iter()
            .map(|p| CurvePoint { ns: 3.0, ..p })
            .collect();
        assert!(rises(&[flat], &Known::default()).is_empty());
        assert!(rises(&[], &Known::default()).is_empty());
    }
}
