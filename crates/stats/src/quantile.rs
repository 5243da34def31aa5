//! Medians and quantiles of a sample.

/// The median of `values`; `None` if there are none or one is NaN.
///
/// With an even count, the mean of the two middle values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The `p`-quantile of `values` (`0 <= p <= 1`), by linear interpolation between order statistics
/// at position `p (n - 1)`: type 7 of Hyndman and Fan (1996), the default of R and NumPy.
///
/// `None` if there are no values, one is NaN, or `p` is outside its range.
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if values.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile_sorted(&sorted, p)
}

/// [`quantile`] of values that are already in ascending order.
#[must_use]
pub fn quantile_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) || sorted.is_empty() {
        return None;
    }
    let position = p * (sorted.len() - 1) as f64;
    let below = position.floor();
    let low = sorted[below as usize];
    let high = sorted[position.ceil() as usize];
    // Equal adjacent values first: infinities would give NaN otherwise.
    if low == high {
        return Some(low);
    }
    Some(low + (position - below) * (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn type_seven_interpolates_between_order_statistics() {
        let values = [10.0, 20.0, 30.0, 40.0];
        assert_eq!(quantile(&values, 0.0), Some(10.0));
        assert_eq!(quantile(&values, 1.0), Some(40.0));
        assert_eq!(quantile(&values, 0.25), Some(17.5));
        assert_eq!(quantile(&values, 1.5), None);
    }
}
