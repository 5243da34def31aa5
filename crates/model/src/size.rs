//! Sizes in bytes as text: `48KiB`, `1.5MiB`, `960B`.

/// The steps of the binary prefixes, largest first.
const STEPS: [(u64, &str); 4] = [
    (1 << 40, "TiB"),
    (1 << 30, "GiB"),
    (1 << 20, "MiB"),
    (1 << 10, "KiB"),
];

/// Formats a size with up to three decimals in the largest fitting unit, rounded if necessary:
/// `1.25KiB`, `48KiB`, `960B`.
pub fn format(bytes: u64) -> String {
    for (step, unit) in STEPS {
        if bytes >= step {
            let value = format!("{:.3}", bytes as f64 / step as f64);
            let value = value.trim_end_matches('0').trim_end_matches('.');
            return format!("{value}{unit}");
        }
    }
    format!("{bytes}B")
}

/// Parses the output of [`format()`] and common input: `16k`, `16KiB`, `1.5 MiB`, `4096`. Prefixes
/// are binary. `None` when the text is not a size.
pub fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let value: f64 = text[..split].parse().ok()?;
    let scale = match text[split..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1u64,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return None,
    };
    let bytes = value * scale as f64;
    // 2^53: beyond it f64 is no longer exact, and no buffer is that large.
    (0.0..9.0e15)
        .contains(&bytes)
        .then_some(bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for bytes in [
            0,
            64,
            960,
            1024,
            1280,
            1536,
            48 << 10,
            5 << 18,
            1 << 30,
            3 << 40,
        ] {
            assert_eq!(parse(&format(bytes)), Some(bytes), "{bytes}");
        }
        assert_eq!(format(1280), "1.25KiB");
        assert_eq!(parse("16k"), Some(16384));
        assert_eq!(parse("k"), None);
        assert_eq!(parse("1e9"), None);
        assert_eq!(parse("-1"), None);
    }
}
