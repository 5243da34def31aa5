//! `Key: value` files, chosen words in brackets, and sizes with a unit.

use std::str::FromStr;

use whyslow_model::host::Known;

use crate::root::not_understood;

/// A file of `Key: value` lines, such as `/proc/meminfo` or `/proc/self/status`.
#[derive(Clone, Debug)]
pub(crate) struct Keyed<'a> {
    path: &'a str,
    text: Known<String>,
}

impl<'a> Keyed<'a> {
    pub(crate) fn new(path: &'a str, text: Known<String>) -> Self {
        Self { path, text }
    }

    /// The text after the first line's `key:`.
    pub(crate) fn get(&self, key: &str) -> Known<&str> {
        self.text.as_ref().and_then(|text| {
            text.lines()
                .find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    (name.trim_end() == key).then(|| value.trim())
                })
                .filter(|value| !value.is_empty())
                .map_or_else(
                    || Known::unknown(format!("no {key:?} in {}", self.path)),
                    Known::Is,
                )
        })
    }

    /// The same as a number or another plain value.
    pub(crate) fn value<T: FromStr>(&self, key: &str) -> Known<T> {
        self.get(key).and_then(|text| {
            text.parse().map_or_else(
                |_| Known::unknown(not_understood(self.path, text)),
                Known::Is,
            )
        })
    }

    /// A size with its unit, in bytes.
    pub(crate) fn bytes(&self, key: &str) -> Known<u64> {
        self.get(key).and_then(|text| {
            size_bytes(text).map_or_else(
                || Known::unknown(not_understood(self.path, text)),
                Known::Is,
            )
        })
    }
}

/// A size such as `48K`, `2048 kB` or `512`, in bytes.
pub(crate) fn size_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim() {
        "" | "B" => 0,
        "K" | "kB" | "KB" | "KiB" => 10,
        "M" | "MB" | "MiB" => 20,
        "G" | "GB" | "GiB" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << unit)
}

/// The chosen word of `always [madvise] never`.
pub(crate) fn bracketed(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_meminfo() {
        let text =
            Known::Is("MemTotal:       24684092 kB\nHugePages_Total:       0\nBad: x y\n".into());
        let info = Keyed::new("/proc/meminfo", text);
        assert_eq!(info.bytes("MemTotal"), Known::Is(24_684_092 * 1024));
        assert_eq!(info.value::<u64>("HugePages_Total"), Known::Is(0));
        assert_eq!(
            info.value::<u64>("MemFree").why(),
            Some(r#"no "MemFree" in /proc/meminfo"#)
        );
        assert_eq!(
            info.bytes("Bad").why(),
            Some(r#"not understood: /proc/meminfo: "x y""#)
        );
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("48K", Some(48 << 10)),
            ("32768K\n", Some(32 << 20)),
            ("2 GB", Some(2 << 30)),
            ("7", Some(7)),
            ("", None),
            ("K", None),
            ("-1K", None),
            ("18446744073709551615K", None),
            ("1X", None),
        ] {
            assert_eq!(size_bytes(text), bytes, "{text:?}");
        }
    }

    #[test]
    fn chosen_word() {
        assert_eq!(bracketed("always [madvise] never"), Some("madvise"));
        assert_eq!(bracketed("always madvise"), None);
        assert_eq!(bracketed("]["), None);
        assert_eq!(bracketed("[]"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*", key in ".{0,9}") {
            let keyed = Keyed::new("/x", Known::Is(text.clone()));
            let _ = (keyed.get(&key).why(), keyed.bytes(&key).why());
            let _ = (size_bytes(&text), bracketed(&text));
        }

        #[test]
        fn a_written_size_comes_back(kib in 0_u64..1 << 50) {
            let text = Known::Is(format!("A: 1\nMemTotal:   {kib} kB\nMemTotal: 1 kB"));
            prop_assert_eq!(Keyed::new("/x", text).bytes("MemTotal"), Known::Is(kib * 1024));
        }
    }
}
