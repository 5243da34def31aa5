//! Cells of tables as people post them: a number with its unit, its spread, a change in brackets.

use std::borrow::Cow;

use crate::cleaned::is_picture;
use crate::clock::{clock, duration};
use crate::direction::of_unit;
use crate::number::{grouped, plain};
use crate::sides::names_side;

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    /// A measured amount and the unit behind it, empty where there is none.
    Amount(f64, &'a str),
    /// A percentage, a signed difference, or a spread: nothing that was measured itself.
    Change,
    /// A number that is none, such as `1,5`.
    Broken,
    /// Nothing, or a sign for it.
    Nothing,
    /// Words.
    Words(&'a str),
}

/// Letters that are a unit or a scale by themselves where they stick to a number.
const LETTERS: &str = "sSmhbBkKMGTnuxXWVAJCF%";

/// What a cell holds.
pub(crate) fn cell(text: &str) -> Cell<'_> {
    let text = text.trim().trim_matches(['*', '`', '"', '~', '=']).trim();
    let text = text.trim_matches(is_mark).trim();
    if matches!(
        text,
        "" | "-" | "--" | "---" | "n/a" | "N/A" | "NA" | "nan" | "NaN" | "---:" | "?" | "."
    ) {
        return Cell::Nothing;
    }
    let inner = text.strip_prefix(['(', '[']).map(str::trim_start);
    if inner
        .is_some_and(|inner| inner.starts_with(|c: char| "+-±.".contains(c) || c.is_ascii_digit()))
    {
        return Cell::Change;
    }
    let minus = text.strip_prefix(['−', '–']);
    if text.starts_with(['±', '+']) || minus.is_some_and(begins_with_digit) {
        return Cell::Change;
    }
    if matches!(text, "—" | "–" | "−") {
        return Cell::Nothing;
    }
    if is_change_in_words(text) {
        return Cell::Change;
    }
    if let Some((mean, unit)) = spread(text) {
        return Cell::Amount(mean, unit);
    }
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || "-.,".contains(c)))
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if !digits.bytes().any(|b| b.is_ascii_digit()) || digits.starts_with(',') {
        return Cell::Words(text);
    }
    // `2m57s (-32%)`
    let remark = text
        .split_once(" (")
        .filter(|(_, behind)| behind.ends_with(')'));
    let time = remark.map_or(text, |(time, _)| time.trim_end());
    if let Some((value, unit)) = clock(time).or_else(|| duration(time)) {
        return Cell::Amount(value, unit);
    }
    if let Some(value) = with_letter(text) {
        return Cell::Amount(value, "");
    }
    if is_commit(text) {
        return Cell::Words(text);
    }
    let (digits, rest) = exponent(text, digits, rest);
    of_number(text, digits.trim_end_matches(','), rest)
}

/// Is it a change with its direction in front, `improved -11.9%`, `slower by 5 %`?
fn is_change_in_words(text: &str) -> bool {
    const WORDS: [&str; 16] = [
        "improved",
        "improvement",
        "improves",
        "faster",
        "slower",
        "better",
        "worse",
        "up",
        "down",
        "gain",
        "loss",
        "regressed",
        "regression",
        "reduced",
        "increased",
        "decreased",
    ];
    let Some(share) = text.strip_suffix('%') else {
        return false;
    };
    let mut words = share.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let number = words.find(|word| !matches!(*word, "by" | "of"));
    let digits = number
        .unwrap_or_default()
        .trim_start_matches(['+', '-', '~']);
    WORDS.contains(&first.trim_end_matches(':'))
        && digits.parse::<f64>().is_ok()
        && words.next().is_none()
}

/// Is it what the number in front is a percentile of, `read latency` of `95 read latency`?
fn is_quantity(unit: &str) -> bool {
    let lower = unit.to_lowercase();
    let mut words = lower.split(' ');
    let counted = words.next().is_none_or(|first| of_unit(first).is_none());
    counted && words.next_back() == Some("latency")
}

/// Is it a whole number, without signs?
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A number whose scale stands in place of its point, `84k5`, `38M0`.
fn with_letter(text: &str) -> Option<f64> {
    const SCALES: [(char, f64); 3] = [('k', 1e3), ('M', 1e6), ('G', 1e9)];
    let (scale, factor) = SCALES.iter().find(|(letter, _)| text.contains(*letter))?;
    let (whole, part) = text.split_once(*scale)?;
    let is = is_digits(whole) && is_digits(part) && part.len() < 3;
    is.then(|| plain(&format!("{whole}.{part}")).map(|value| value * factor))?
}

/// Is it watts, or work for each of them? `w` stands for `with` as well.
fn is_power(unit: &str) -> bool {
    unit == "W" || unit.ends_with("/W")
}

/// Is it a sign that says how the author likes a figure, or that points at a note?
fn is_mark(c: char) -> bool {
    matches!(c, '†' | '‡' | '§' | '¹' | '²' | '³' | '\u{fe0f}')
        || ('\u{2190}'..='\u{21ff}').contains(&c)
        || ('\u{25a0}'..='\u{25ff}').contains(&c)
        || is_picture(c)
}

/// Is it the name of a commit, `9cb34a2`: hexadecimal digits, several of them letters, and no number with an exponent?
fn is_commit(text: &str) -> bool {
    let letters = text.bytes().filter(|b| b.is_ascii_alphabetic()).count();
    (7..=40).contains(&text.len())
        && letters > 1
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// The digits with their exponent, where there is one.
fn exponent<'a>(text: &'a str, digits: &'a str, rest: &'a str) -> (&'a str, &'a str) {
    let Some(tail) = rest.strip_prefix(['e', 'E']) else {
        return (digits, rest);
    };
    let tail = tail.strip_prefix(['+', '-']).unwrap_or(tail);
    let count = tail.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return (digits, rest);
    }
    let end = text.len() - tail.len() + count;
    text.split_at(end)
}

fn of_number<'a>(whole: &'a str, digits: &'a str, rest: &'a str) -> Cell<'a> {
    let unit = unit_of(rest);
    // A negative amount is a difference, and a ratio follows from two amounts: `1.40x`.
    let ratio = matches!(unit, "x" | "X" | "×") || unit.starts_with("x ");
    if unit.starts_with('%') || digits.starts_with('-') || ratio {
        return Cell::Change;
    }
    // `99th latency` is an ordinal, and `6.1: 1201` the name of the figure behind it.
    let ordinal = ["th", "st", "nd", "rd"].contains(&unit.split(' ').next().unwrap_or_default());
    let named = whole.split_whitespace().next();
    let names_next = named.is_some_and(|word| word.ends_with(':'));
    if (ordinal && rest.starts_with(unit)) || names_next || is_quantity(unit) {
        return Cell::Words(whole);
    }
    // Versions and ranges are names, and so is what a unit cannot be: `5.10-vanilla`, `6.1 patched`.
    let version = digits.matches('.').count() > 1 && !digits.contains(',');
    let mantissa = digits.split(['e', 'E']).next().unwrap_or(digits);
    // `4P`, `8P` are names of machines.
    let letter = rest.starts_with(unit) && unit.len() == 1 && !LETTERS.contains(unit);
    // `1x32`, `4xPTR` are names as well.
    let by = unit
        .strip_prefix(['x', 'X'])
        .is_some_and(|behind| behind.starts_with(char::is_alphanumeric));
    if mantissa.contains('-')
        || by
        || version
        || !is_unit(unit)
        || (names_side(unit) && !is_power(unit))
        || letter
    {
        return Cell::Words(whole);
    }
    let value = grouped(digits).or_else(|| plain(digits));
    match (value, unit) {
        // The suffix is part of the number, and no unit of its own.
        // Apart from the number, or behind a spread, it is a unit.
        (Some(value), "K" | "M" | "G" | "k") if rest.starts_with(unit) => {
            let scale = match unit {
                "G" => 1e9,
                "M" => 1e6,
                _ => 1e3,
            };
            Cell::Amount(value * scale, "")
        }
        (Some(value), unit) => Cell::Amount(value, unit),
        (None, _) => Cell::Broken,
    }
}

/// `0.70 / 1.48 ±1.52 / 4.52 ms`, the least, the mean with its deviation, and the most: the mean, and the unit.
/// The same of `( min: 3.65, 3.78 +- 0.08, max: 3.91 ) GB/s`.
pub(crate) fn spread(text: &str) -> Option<(f64, &str)> {
    if let Some(found) = bounded(text) {
        return Some(found);
    }
    let mut parts = text.trim().split(" / ");
    let (least, middle, most) = (parts.next()?, parts.next()?, parts.next()?);
    let (mean, deviation) = middle.split_once('±')?;
    let (most, unit) = most.split_once(' ').unwrap_or((most, ""));
    let mean = grouped(mean.trim())?;
    let bounds = [least, deviation, most].map(|part| grouped(part.trim()).is_some());
    let whole = parts.next().is_none() && bounds == [true; 3];
    (whole && is_unit(unit.trim())).then_some((mean, unit.trim()))
}

/// A mean with its deviation between the least and the most, each of which has its name, all in brackets.
fn bounded(text: &str) -> Option<(f64, &str)> {
    let (inner, unit) = text.trim().strip_prefix('(')?.rsplit_once(')')?;
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let [least, middle, most] = parts[..] else {
        return None;
    };
    let of = |part: &str, name: &str| {
        let figure = part.strip_prefix(name)?;
        grouped(figure.trim_start_matches([':', '=', ' ']))
    };
    of(least, "min").and(of(most, "max"))?;
    let (mean, _) = SPREAD_SIGNS
        .iter()
        .find_map(|sign| middle.split_once(sign))?;
    let unit = unit.trim();
    is_unit(unit).then_some((grouped(mean.trim())?, unit))
}

/// What stands between a figure and its spread.
pub(crate) const SPREAD_SIGNS: [&str; 3] = ["±", "+/-", "+-"];

/// The unit behind a number, whatever stands in brackets or behind `±`.
fn unit_of(rest: &str) -> &str {
    let rest = rest.trim();
    let spread = SPREAD_SIGNS.iter().find_map(|sign| rest.split_once(sign));
    // `17.1 (usecs/op)`
    let bracket = rest
        .strip_prefix(['(', '['])
        .and_then(|inner| inner.split_once([')', ']']));
    if let Some((unit, _)) = bracket.filter(|(unit, _)| is_unit(unit) && of_unit(unit).is_some()) {
        return unit.trim();
    }
    // `52439514 ns -> 2.10x speedup`, `3880.5 MB/s ----> +7%`
    let rest = match rest.split_once("-> ") {
        Some((unit, behind)) if cell(behind) == Cell::Change => {
            unit.trim_end_matches('-').trim_end()
        }
        _ => rest,
    };
    // A count in one second is a rate.
    let rest = rest
        .split_once(" in 1 second")
        .map_or(rest, |(unit, _)| unit);
    let rest = match spread {
        // `1.5 us ± 0.1`, or `1.5 ± 0.1 us`.
        Some((before, after)) if before.trim().is_empty() => {
            let after = after.trim_start();
            let unit = after.trim_start_matches(|c: char| c.is_ascii_digit() || ".,".contains(c));
            // A spread in percent says nothing of the unit, nor does a change behind it.
            let unit = unit.trim_start().strip_prefix('%').unwrap_or(unit);
            match unit.trim_start().starts_with(['+', '-']) {
                true => "",
                false => unit,
            }
        }
        Some((before, _)) => before,
        None => rest,
    };
    // `us/call open()/close()` names functions.
    let ends = |(at, c): (usize, char)| {
        "([#*|:".contains(c) && !(c == '(' && rest[at..].starts_with("()"))
    };
    let end = rest.char_indices().find(|place| ends(*place));
    let rest = end.map_or(rest, |(at, _)| &rest[..at]);
    rest.trim().trim_end_matches([',', ';', ':', '*'])
}

/// Could it be a unit: a word or two, or none?
pub(crate) fn is_unit(text: &str) -> bool {
    // Of a function, `us/call open()/close()`.
    let text = match text.contains("()") {
        true => Cow::Owned(text.replace("()", "")),
        false => Cow::Borrowed(text),
    };
    let starts =
        text.is_empty() || text.starts_with(|c: char| c.is_alphabetic() || "%/µμ".contains(c));
    let plain = |c: char| c.is_alphabetic() || "/%µμ·.- ".contains(c) || c.is_ascii_digit();
    let figure = text.split_whitespace().any(begins_with_digit);
    let short = text.len() <= 24 && text.split_whitespace().count() <= 3;
    // `300/290` are two figures.
    let second = text.strip_prefix('/').is_some_and(begins_with_digit);
    starts && short && !figure && !second && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_amounts_changes_or_words() {
        for (text, value, unit) in [
            ("1,329,857", 1_329_857.0, ""),
            ("1.5 us", 1.5, "us"),
            ("1.5us (+3%)", 1.5, "us"),
            ("152.604 ± 0.044M/s", 152.604, "M/s"),
            ("12.5 ops/s ± 0.1", 12.5, "ops/s"),
            ("5.125 +- 1.2%", 5.125, ""),
            ("5.125 ± 1.2% us", 5.125, "us"),
            ("491713±10.3% +6.6%", 491_713.0, ""),
            ("1±G", 1.0, "G"),
            ("7.5K", 7500.0, ""),
            ("7m2.5s", 422.5, "s"),
            ("1:02.5", 62.5, "s"),
            ("17.125 (usecs/op)", 17.125, "usecs/op"),
            ("17.125 (+2%)", 17.125, ""),
            (
                "1.25 us/call open()/close()",
                1.25,
                "us/call open()/close()",
            ),
            ("326 (1196 MB/s)", 326.0, ""),
            ("4m 35s", 275.0, "s"),
            ("5m36", 336.0, "s"),
            ("84k5", 84_500.0, ""),
            ("1h 12m", 4320.0, "s"),
            ("1 min, 58s", 118.0, "s"),
            ("2h:55m:17s", 10_517.0, "s"),
            ("2:30 h", 9000.0, "s"),
            ("27:37 min", 1657.0, "s"),
            ("1:02:03 h", 3723.0, "s"),
            ("13.1 us: 1.60x faster (-38%)", 13.1, "us"),
            ("1.5e3 ns", 1500.0, "ns"),
            ("2.5e-05", 2.5e-5, ""),
            ("23.5 * ", 23.5, ""),
            ("50.2 MB/s,", 50.2, "MB/s"),
            ("0.70 / 1.48 ±1.52 / 4.52 ms", 1.48, "ms"),
            ("4.27 Gflops/W", 4.27, "Gflops/W"),
            ("296 W", 296.0, "W"),
            ("524 ns -> 2.10x speedup", 524.0, "ns"),
            ("382.72 ⚠", 382.72, ""),
            ("🔴 5.5 ms", 5.5, "ms"),
            ("12.5 us ↓", 12.5, "us"),
            ("1234567", 1_234_567.0, ""),
        ] {
            assert_eq!(cell(text), Cell::Amount(value, unit), "{text}");
        }
        for text in [
            "+25.03%", "(+7%)", "-0.2", "12 %", "± 0.5", "( 0.00%)", "1.40x",
        ] {
            assert_eq!(cell(text), Cell::Change, "{text}");
        }
        for text in ["1,5", "1,23,456"] {
            assert_eq!(cell(text), Cell::Broken, "{text}");
        }
        for text in ["", "-", "n/a"] {
            assert_eq!(cell(text), Cell::Nothing, "{text}");
        }
        for text in [
            "1.5.2",
            "10-20",
            "5.10-vanilla",
            "6.1 patched",
            "6.2 + V12",
            "kernel",
            "2.6.9-rc3 + this",
            "4k_read",
            "2m 99.5s",
            "2.5m 1s",
            "1h 75m",
            "9cb34a2",
            "2x64",
            "4xPTR",
            "1de5a4a",
            "95 read latency",
        ] {
            assert!(!matches!(cell(text), Cell::Amount(..)), "{text}");
        }
    }
}
