//! Values and lists in words.

/// Bytes for a sentence: `17 MiB`, `16 KiB`.
pub(crate) fn bytes(bytes: f64) -> String {
    let steps = [(f64::from(1 << 20), "MiB"), (1024.0, "KiB")];
    let (by, unit) = steps
        .into_iter()
        .find(|(by, _)| bytes >= *by)
        .unwrap_or((1.0, "B"));
    let value = bytes / by;
    if value >= 9.95 || (value - value.round()).abs() < 0.05 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// A value with its source's unit.
pub(crate) fn value(value: f64, symbol: &str) -> String {
    // Geometric means of one value carry a rounding in their last digits.
    let whole = (value - value.round()).abs() < 1e-9 * value.abs();
    let text = if whole || value.abs() >= 1000.0 {
        format!("{value:.0}")
    } else {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    format!("{text} {symbol}").trim_end().to_owned()
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [init @ .., last] => {
            let init: Vec<&str> = init.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", init.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_lists_read_as_in_a_sentence() {
        assert_eq!(bytes(17.0 * 1048576.0), "17 MiB");
        assert_eq!(bytes(1.5 * 1048576.0), "1.5 MiB");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
