//! Numbers as tools print them.

/// The number that is the whole of `token`: digits, at most one point, an exponent; no sign but a
/// minus, no thousands separators. `517.` and `.5` are numbers; one that is too large to be held is
/// infinite, which the sheet refuses.
pub(crate) fn plain(token: &str) -> Option<f64> {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let points = mantissa.bytes().filter(|b| *b == b'.').count();
    if digits == 0 || points > 1 || digits + points != mantissa.len() {
        return None;
    }
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !exponent.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
    }
    token.parse().ok()
}

/// As [`plain`], with a suffix for thousands or millions, as lmbench prints: `11.K` is 11000.
pub(crate) fn scaled(token: &str) -> Option<f64> {
    let (digits, scale) = match token.as_bytes().last()? {
        b'K' => (&token[..token.len() - 1], 1e3),
        b'M' => (&token[..token.len() - 1], 1e6),
        _ => return plain(token),
    };
    if digits.contains(['e', 'E']) {
        return None;
    }
    plain(digits).map(|v| v * scale)
}

/// As [`plain`], with commas between groups of digits before the point: of three, as in `1,234,567`, or as in India,
/// `1,06,49,615`.
pub(crate) fn grouped(token: &str) -> Option<f64> {
    let Some((first, _)) = token.split_once(',') else {
        return plain(token);
    };
    let (whole, rest) = token.split_once('.').unwrap_or((token, ""));
    let groups: Vec<usize> = whole.split(',').map(str::len).collect();
    let inner = &groups[1..groups.len().max(2) - 1];
    // With fewer groups it may be cells.
    let lakhs = inner.len() > 1 && inner.iter().all(|len| *len == 2) && groups[0] <= 2;
    let right = groups.last() == Some(&3) && (lakhs || inner.iter().all(|len| *len == 3));
    if !right || !(1..=3).contains(&first.len()) || rest.contains(',') {
        return None;
    }
    plain(&token.replace(',', ""))
}

/// Is the largest of the figures no more than so many times the least?
pub(crate) fn are_within(figures: &[f64], times: f64) -> bool {
    let most = figures.iter().copied().fold(0.0, f64::max);
    let least = figures.iter().copied().fold(f64::MAX, f64::min);
    most <= times * least
}

/// The number in front, with what follows it, whether it sticks to it or not: `43.2MB/s`, `0.5 ms`.
pub(crate) fn number_in_front(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let exponent = text[end..].strip_prefix(['e', 'E']).map_or(0, |tail| {
        let signed = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
        let whole = 1 + tail.len() - signed.len() + digits;
        if digits > 0 { whole } else { 0 }
    });
    let (digits, rest) = text.split_at(end + exponent);
    // `1,5` is none.
    let broken = rest.starts_with([',', '-']);
    Some((plain(digits).filter(|_| !broken)?, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_where_its_unit_begins() {
        assert_eq!(number_in_front(" 43.2MB/s"), Some((43.2, "MB/s")));
        assert_eq!(number_in_front("0.5 ms "), Some((0.5, "ms")));
        assert_eq!(number_in_front("1e-05 s"), Some((1e-5, "s")));
        assert_eq!(number_in_front("2 eggs"), Some((2.0, "eggs")));
        for text in ["1,5 s", "ms", "1.2.3 s", ""] {
            assert_eq!(number_in_front(text), None, "{text}");
        }
    }

    #[test]
    fn reads_numbers_and_nothing_else() {
        for (token, value) in [
            ("517.", 517.0),
            (".5", 0.5),
            ("-1", -1.0),
            ("1e3", 1e3),
            ("1.5E-03", 1.5e-3),
        ] {
            assert_eq!(plain(token), Some(value), "{token}");
        }
        for token in [
            "", ".", "-", "+1", "1.2.3", "0x10", "inf", "nan", "1e", "1e+", "1_0", "1,000", "12K",
        ] {
            assert_eq!(plain(token), None, "{token}");
        }
        assert_eq!(plain("1e999"), Some(f64::INFINITY));
        assert_eq!(scaled("11.K"), Some(11000.0));
        assert_eq!(scaled("12.5M"), Some(12.5e6));
        assert_eq!(scaled("K"), None);
        assert_eq!(grouped("1,234,567"), Some(1_234_567.0));
        assert_eq!(grouped("1,234.5"), Some(1234.5));
        for token in [
            "1,23",
            "12,3456",
            "1234,567",
            ",123",
            "1,234,5",
            "1.234,567",
        ] {
            assert_eq!(grouped(token), None, "{token}");
        }
    }
}
