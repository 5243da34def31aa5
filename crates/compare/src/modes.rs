//! Points whose units fall into modes that both sides share.
//!
//! Units of both sides are sorted into modes together. If a mode holds units of both sides, a mean
//! of either side is a mean over chance, and what can be compared is how often each mode came. If
//! every mode belongs to one side alone, the modes are the sides, and means are compared as usual.

use whyslow_model::comparison::SharedMode;
use whyslow_stats::modes::find_modes;
use whyslow_stats::permutation::permute;

/// Random permutations where all would be too many: p-values to about a third of 5 %'s width.
const RESAMPLES: u32 = 999;

/// The modes that the sides share, with the p-value of "they come equally often"; `None` where the
/// units have one mode or each mode is of one side.
pub(crate) fn shared(a: &[f64], b: &[f64], seed: u64) -> Option<(Vec<SharedMode>, f64)> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let modes = find_modes(&all).ok().filter(|m| m.len() > 1)?;
    // Where no mode has a spread, the steps are those of the printed digits: `11.K`, `12.K`.
    if modes.iter().all(|m| m.lo == m.hi) {
        return None;
    }
    // The edges are values themselves, rounded on the way through logarithms.
    let holds = |mode: &whyslow_stats::modes::Mode, v: f64| {
        v >= mode.lo * (1.0 - 1e-9) && v <= mode.hi * (1.0 + 1e-9)
    };
    let count = |side: &[f64], mode| side.iter().filter(|v| holds(mode, **v)).count() as u32;
    let shared: Vec<SharedMode> = modes
        .iter()
        .map(|mode| SharedMode {
            value: mode.center,
            a: count(a, mode),
            b: count(b, mode),
        })
        .collect();
    if !shared.iter().any(|m| m.a > 0 && m.b > 0) {
        return None;
    }
    let centers = |side: fn(&SharedMode) -> u32| -> Vec<f64> {
        let each = shared.iter();
        each.flat_map(|m| std::iter::repeat_n(m.value.ln(), side(m) as usize))
            .collect()
    };
    let p = permute(&centers(|m| m.a), &centers(|m| m.b), RESAMPLES, seed).ok()?;
    Some((shared, p.p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_both_sides_are_counted() {
        let (modes, p) = shared(&[411.0, 412.0, 7143.0], &[6745.0, 6978.0, 6924.0], 1).unwrap();
        let counts: Vec<(u32, u32)> = modes.iter().map(|m| (m.a, m.b)).collect();
        assert_eq!(counts, [(2, 0), (1, 3)]);
        // Fisher's exact test of (2, 1) against (0, 3).
        assert!((p - 0.4).abs() < 1e-12, "{p}");
    }

    #[test]
    fn modes_that_are_the_sides_are_no_modes() {
        assert_eq!(shared(&[1.0, 1.01, 1.02], &[2.0, 2.01, 2.02], 1), None);
        assert_eq!(shared(&[1.0, 1.01, 1.02], &[1.0, 1.01, 1.03], 1), None);
    }

    #[test]
    fn printed_digits_are_no_modes() {
        let (a, b) = ([11e3, 11e3, 12e3], [12e3, 11e3, 12e3]);
        assert_eq!(shared(&a, &b, 1), None);
    }

    #[test]
    fn other_shares_are_found() {
        let side = |slow: usize| -> Vec<f64> {
            let at = |i: usize| if i < slow { 108.0 } else { 100.0 };
            (0..10).map(|i| at(i) + 0.1 * i as f64).collect()
        };
        let (_, p) = shared(&side(1), &side(9), 1).unwrap();
        assert!(p < 0.01, "{p}");
        let (_, p) = shared(&side(2), &side(3), 1).unwrap();
        assert!(p > 0.5, "{p}");
    }
}
