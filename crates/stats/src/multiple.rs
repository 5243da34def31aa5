//! Multiple testing: adjusted p-values, and intervals after selection.

/// Benjamini and Hochberg (1995): adjusted p-values in the order of the input. Those at or below
/// `q` are discoveries, with an expected false share of at most `q`. A p-value that is not a number
/// counts as 1.
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let count = p.len() as f64;
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 1.0;
    for (rank, &index) in order.iter().enumerate().rev() {
        least = least.min(value(p[index]) * count / (rank + 1) as f64);
        adjusted[index] = least;
    }
    adjusted
}

/// Holm (1979): adjusted p-values in the order of the input. At or below `alpha`, the probability
/// of even one false positive is at most `alpha`. For few tests, such as causes.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![1.0; p.len()];
    let mut most: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        most = most.max((value(p[index]) * (p.len() - rank) as f64).min(1.0));
        adjusted[index] = most;
    }
    adjusted
}

/// Coverage that each interval needs if only those of the `selected` of `all` points are shown, so
/// that at most the share `q` of them misses the true value (Benjamini and Yekutieli, 2005: false
/// coverage rate). 95 % when nothing was selected from, or nothing selected.
#[must_use]
pub fn selected_coverage(q: f64, selected: usize, all: usize) -> f64 {
    if selected == 0 || all == 0 {
        return 1.0 - q;
    }
    1.0 - q * selected as f64 / all as f64
}

fn value(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p }
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| value(p[a]).total_cmp(&value(p[b])));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: &[f64], wanted: &[f64]) {
        assert_eq!(found.len(), wanted.len());
        for (f, w) in found.iter().zip(wanted) {
            assert!((f - w).abs() < 1e-12, "{found:?} {wanted:?}");
        }
    }

    #[test]
    fn worked_examples() {
        // By hand from the definitions; R's p.adjust gives the same.
        let p = [0.01, 0.04, 0.03, 0.005];
        close(&benjamini_hochberg(&p), &[0.02, 0.04, 0.04, 0.02]);
        close(&holm(&p), &[0.03, 0.06, 0.06, 0.02]);
        close(&benjamini_hochberg(&[]), &[]);
        close(&holm(&[f64::NAN, 0.01]), &[1.0, 0.02]);
    }

    #[test]
    fn the_published_example() {
        // Benjamini and Hochberg 1995, section 4.1: fifteen p-values; at q = 0.05 the procedure
        // rejects four, Bonferroni's and Holm's three.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        let real = |adjusted: Vec<f64>| adjusted.iter().filter(|a| **a <= 0.05).count();
        assert_eq!(real(benjamini_hochberg(&p)), 4);
        assert_eq!(real(holm(&p)), 3);
    }

    #[test]
    fn intervals_widen_with_selection() {
        assert!((selected_coverage(0.05, 5, 50) - 0.995).abs() < 1e-12);
        assert!((selected_coverage(0.05, 50, 50) - 0.95).abs() < 1e-12);
        assert!((selected_coverage(0.05, 0, 50) - 0.95).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn adjusted_are_above_and_in_order(p in prop::collection::vec(0.0..=1.0_f64, 1..40)) {
            let (bh, holm) = (benjamini_hochberg(&p), holm(&p));
            for i in 0..p.len() {
                prop_assert!(p[i] <= bh[i] + 1e-15 && bh[i] <= holm[i] + 1e-12 && holm[i] <= 1.0);
                for j in 0..p.len() {
                    if p[i] <= p[j] {
                        prop_assert!(bh[i] <= bh[j] && holm[i] <= holm[j]);
                    }
                }
            }
        }
    }
}
