//! What words of a name say together: a time for each of something, a percentile, a time that is real.

use whyslow_model::Better::{self, Higher, Lower};

use super::is_time;

/// Is `real` among the words as a time, and not as a kind of number, `real FFTPack`?
pub(super) fn is_real(words: &[&str]) -> bool {
    /// Words behind it that speak of a time.
    const OF_TIME: [&str; 13] = [
        "time", "elapsed", "wall", "clock", "total", "mean", "avg", "average", "median", "min",
        "max", "user", "sys",
    ];
    let at = words.iter().position(|word| *word == "real");
    at.is_some_and(|at| {
        let behind = words.get(at + 1);
        behind.is_none_or(|word| {
            OF_TIME.contains(word) || is_time(word) || word.parse::<f64>().is_ok()
        })
    })
}

/// What words around `per` say: a time for each of something, or something in each second.
pub(super) fn per(words: &[&str]) -> Option<Better> {
    let is_time = |word: &str| TIMES_IN_WORDS.contains(&word) || word == "nanosecs";
    let mut around = words.windows(3).filter(|around| around[1] == "per");
    around.find_map(|around| match (is_time(around[0]), around[2]) {
        (true, _) => Some(Lower),
        (false, "sec" | "second") => Some(Higher),
        _ => None,
    })
}

/// Units of times that are not words of a sentence as well.
pub(super) const TIMES_IN_WORDS: &[&str] = &[
    "sec",
    "secs",
    "seconds",
    "ms",
    "msec",
    "msecs",
    "usec",
    "usecs",
    "ns",
    "nsec",
    "nsecs",
    "microseconds",
    "nanoseconds",
    "milliseconds",
];

/// `99.0th`, `p99`, `99th`: of what is waited for.
pub(super) fn is_percentile(text: &str) -> bool {
    // `99 % in`
    if text.trim_end().ends_with("% in") {
        return true;
    }
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(['*', ':', '(', ')']);
        let digits =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '.');
        word.strip_suffix("th").is_some_and(digits)
            || word
                .strip_prefix('p')
                .is_some_and(|rest| digits(rest) && (rest.len() >= 2 || rest == "0"))
    })
}

/// Does `text` hold `part` at the end of a word?
pub(super) fn ends_word(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let rest = &text[at + part.len()..];
        !rest.starts_with(char::is_alphanumeric)
    })
}
