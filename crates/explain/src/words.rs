//! Differences in words. Everything here takes logarithms of how many times worse B is.

/// From here on a factor reads better than a percentage.
const FACTOR: f64 = 2.0;

/// `+11.5 % worse`, `3.79 times worse`, `2.0 % better`, `the same`.
pub(crate) fn worse(ln: f64) -> String {
    let (by, way) = (ln.abs().exp(), if ln > 0.0 { "worse" } else { "better" });
    if by >= FACTOR {
        format!("{} times {way}", factor(by))
    } else if ln.abs() < 0.0005 {
        "the same".to_owned()
    } else {
        format!("{:.1} % {way}", (by - 1.0) * 100.0)
    }
}

/// The same for a span; one of them where both ends read alike.
pub(crate) fn span([lo, hi]: [f64; 2]) -> String {
    // The end nearer to no difference first.
    let (near, far) = if lo.abs() <= hi.abs() {
        (lo, hi)
    } else {
        (hi, lo)
    };
    let (first, last) = (worse(near), worse(far));
    if first == last {
        return last;
    }
    if (near > 0.0) == (far > 0.0) {
        let both = near.abs().exp() >= FACTOR && far.abs().exp() >= FACTOR;
        if both {
            return format!("{} to {last}", factor(near.abs().exp()));
        }
        if near.abs().exp() < FACTOR && far.abs().exp() < FACTOR {
            return format!("{:.1} to {last}", (near.abs().exp() - 1.0) * 100.0);
        }
    }
    format!("{first} to {last}")
}

/// `[+1.9, +4.4] %` or `[3.7, 3.9] times`: the interval of a change for the worse.
pub(crate) fn interval([lo, hi]: [f64; 2]) -> String {
    if lo.abs().max(hi.abs()).exp() >= FACTOR {
        format!("[{}, {}] times", factor(lo.exp()), factor(hi.exp()))
    } else {
        format!(
            "[{:+.1}, {:+.1}] %",
            lo.exp_m1() * 100.0,
            hi.exp_m1() * 100.0
        )
    }
}

/// `+3.1 % [+1.9, +4.4]` or `3.9 times worse [3.7, 4.1]`: how the value of one point moved, which for a rate
/// (more is better) is the other way round.
pub(crate) fn moved(value: f64, range: [f64; 2], rate: bool) -> String {
    if value.abs().exp() >= FACTOR {
        let [one, two] = range.map(|end| (end * value.signum()).exp());
        let (lo, hi) = (factor(one.min(two)), factor(one.max(two)));
        return format!("{} [{lo}, {hi}]", worse(value));
    }
    let percent = |ln: f64| if rate { -ln } else { ln }.exp_m1() * 100.0;
    let [one, two] = range.map(percent);
    let (lo, hi) = (one.min(two), one.max(two));
    format!("{:+.1} % [{lo:+.1}, {hi:+.1}]", percent(value))
}

/// A factor with no more than three digits.
pub(crate) fn factor(by: f64) -> String {
    match by {
        b if b >= 99.5 => format!("{b:.0}"),
        b if b >= 9.95 => format!("{b:.1}"),
        b => format!("{b:.2}"),
    }
}

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
    fn differences_read_as_percent_or_factor() {
        assert_eq!(worse(1.115f64.ln()), "11.5 % worse");
        assert_eq!(worse(-(3.79f64.ln())), "3.79 times better");
        assert_eq!(worse(0.0), "the same");
        assert_eq!(span([3.3f64.ln(), 3.6f64.ln()]), "3.30 to 3.60 times worse");
        assert_eq!(
            span([-(1.1f64.ln()), -(1.05f64.ln())]),
            "5.0 to 10.0 % better"
        );
        assert_eq!(span([-0.1, 0.1]), "10.5 % better to 10.5 % worse");
        assert_eq!(interval([0.02, 0.04]), "[+2.0, +4.1] %");
        assert_eq!(bytes(17.0 * 1048576.0), "17 MiB");
        assert_eq!(bytes(1.5 * 1048576.0), "1.5 MiB");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
