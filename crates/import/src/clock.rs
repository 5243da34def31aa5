//! Times of several parts, as one number of seconds.

use crate::number::plain;

/// Minutes and seconds as one number of seconds: `7m2.313s`, `1h2m3s`, `2:03.5`, `2:30 h`. Parts that stand together are one
/// number, as with suffixes for thousands.
pub(crate) fn clock(text: &str) -> Option<(f64, &'static str)> {
    let text = text.trim();
    if text.contains(':') {
        return with_colons(text);
    }
    // No part has an exponent: `1e9m2.25s` is broken.
    if !text
        .chars()
        .all(|c| c.is_ascii_digit() || ".,hms ".contains(c))
    {
        return None;
    }
    let (hours, rest) = match text.split_once('h') {
        Some((hours, rest)) => (plain(hours)?, rest),
        None => (0.0, text),
    };
    if let Some((minutes, seconds)) = rest.split_once('m') {
        // Between these letters a comma is the decimal one of a locale.
        let seconds = match seconds.strip_suffix('s') {
            Some(seconds) => plain(&seconds.replace(',', "."))?,
            // `5m36`
            None if (1..3).contains(&seconds.len())
                && seconds.bytes().all(|b| b.is_ascii_digit()) =>
            {
                plain(seconds)?
            }
            None => return None,
        };
        return whole(hours, plain(minutes)?, seconds);
    }
    None
}

/// The same with colons between the parts; of two the first is of the unit behind them: `2:30 h`, `27:37 min`.
fn with_colons(text: &str) -> Option<(f64, &'static str)> {
    let (text, of_hours) = match text.split_once(' ') {
        Some((digits, "h" | "hr" | "hrs" | "hours")) => (digits, true),
        Some((digits, "m" | "min" | "mins" | "minutes")) => (digits, false),
        _ => (text, false),
    };
    // Only the last part has a fraction, and none an exponent: `3.:5e-05` is broken.
    let (front, seconds) = text.rsplit_once(':')?;
    let digits = |c: char| c.is_ascii_digit();
    if !front.chars().all(|c| digits(c) || c == ':')
        || !seconds.chars().all(|c| digits(c) || c == '.')
    {
        return None;
    }
    let mut parts = text.split(':').rev();
    let last = plain(parts.next()?)?;
    let middle = plain(parts.next()?)?;
    match (parts.next(), of_hours) {
        (Some(hours), _) if parts.next().is_none() => whole(plain(hours)?, middle, last),
        (None, true) => whole(middle, last, 0.0),
        (None, false) => whole(0.0, middle, last),
        _ => None,
    }
}

/// A time in words, as one number of seconds: `4m 35s`, `1h 12m`, `1 min, 58s`, `2h:55m:17s`. One part alone is an amount with its unit.
pub(crate) fn duration(text: &str) -> Option<(f64, &'static str)> {
    const PARTS: [(&[&str], f64); 3] = [
        (&["h", "hr", "hour", "hours"], 3600.0),
        (&["m", "min", "mins", "minute", "minutes"], 60.0),
        (&["s", "sec", "secs", "second", "seconds"], 1.0),
    ];
    let (mut seconds, mut parts, mut next) = (0.0, 0, 0);
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (digits, behind) = rest.split_at(end);
        let behind = behind.trim_start();
        let end = behind.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, behind) = behind.split_at(end.unwrap_or(behind.len()));
        let at = PARTS.iter().position(|(names, _)| names.contains(&unit))?;
        let part = plain(digits)?;
        rest = behind.trim_start_matches([',', ' ', ':']);
        // As on a clock: below its part in front each is less than sixty, and only the last has a fraction.
        let sound = (parts == 0 || part < 60.0) && (rest.is_empty() || part.fract() == 0.0);
        if at < next || !sound {
            return None;
        }
        seconds += part * PARTS[at].1;
        (parts, next) = (parts + 1, at + 1);
    }
    (parts > 1).then_some((seconds, "s"))
}

fn whole(hours: f64, minutes: f64, seconds: f64) -> Option<(f64, &'static str)> {
    let right = minutes.fract() == 0.0
        && hours.fract() == 0.0
        && [hours, minutes, seconds].iter().all(|v| *v >= 0.0)
        && seconds < 60.0;
    right.then_some(((hours * 60.0 + minutes) * 60.0 + seconds, "s"))
}
