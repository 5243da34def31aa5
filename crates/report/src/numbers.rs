//! Numbers as text: never more digits than their interval supports, three at most.

use whyslow_model::Unit;
use whyslow_model::summary::Interval;

use crate::text::{Style, TIE, Text};

/// Significant digits of a value: enough for 1 %, which is what runs repeat to.
const DIGITS: i32 = 3;

/// Said where an interval is missing.
const ALONE: &str = "one process, no interval";

/// Said of an interval that tells no more than the size of a value, or not even that.
const VAGUE: &str = "±100 % or more";

/// How many times as large its upper end is as its lower where an interval is not worth its digits: ten times up and
/// ten times down. Two processes that are not alike give such a one, and its ends have to be read twice.
const WIDEST: f64 = 100.0;

/// A scale with its name: values are divided by it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub(crate) by: f64,
    pub(crate) name: &'static str,
}

impl Scale {
    /// The scale in which `value` of `unit` is between 1 and 1,000 if there is one.
    pub(crate) fn of(unit: Unit, value: f64) -> Scale {
        let times = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
        let found = times
            .into_iter()
            .find(|(by, _)| unit == Unit::Ns && value.abs() >= *by);
        let (by, name) = found.unwrap_or((1.0, unit.symbol()));
        Scale { by, name }
    }

    /// The largest binary prefix that is not above `bytes`.
    pub(crate) fn bytes(bytes: f64) -> Scale {
        let steps = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        let steps = steps.map(|(power, name)| ((1u64 << power) as f64, name));
        let found = steps.into_iter().find(|(by, _)| bytes >= *by);
        let (by, name) = found.unwrap_or((1.0, "B"));
        Scale { by, name }
    }
}

/// Decimals for `value`: three significant digits, and none beyond the second digit of half the
/// interval, which is as well as the interval itself is known. May be below zero.
fn decimals(value: f64, range: Option<[f64; 2]>) -> i32 {
    // The nearer end: on a scale of ratios the upper one is further away.
    let half = range.map_or(0.0, |[lo, hi]| {
        let (below, above) = (value - lo, hi - value);
        if below > 0.0 { below.min(above) } else { above }
    });
    let by_value = if value == 0.0 {
        DIGITS - 1
    } else {
        digits(value, DIGITS)
    };
    if half > 0.0 && half.is_finite() {
        by_value.min(digits(half, 2))
    } else {
        by_value
    }
}

/// Decimals that give `x` so many significant digits. Rounded first: 9.996 takes those of 10.0.
fn digits(x: f64, count: i32) -> i32 {
    let text = format!("{:.*e}", (count - 1).max(0) as usize, x.abs());
    let exponent = text
        .split_once('e')
        .and_then(|(_, e)| e.parse::<i32>().ok());
    count - 1 - exponent.unwrap_or(0)
}

/// What is said in place of what is no number: only a damaged record gives any.
const NONE: &str = "no number";

/// `value` with so many decimals; below zero rounds to tens, hundreds, ...
fn fixed(value: f64, decimals: i32) -> String {
    if !value.is_finite() {
        return NONE.into();
    }
    let text = if decimals >= 0 {
        format!("{value:.*}", decimals as usize)
    } else {
        let step = 10f64.powi(-decimals);
        format!("{:.0}", (value / step).round() * step)
    };
    // A negative value that rounds to nothing is nothing.
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// Three significant digits.
pub(crate) fn number(value: f64) -> String {
    fixed(value, decimals(value, None))
}

/// Value and ends of an interval in one scale, with the same decimals: `1.80`, `[1.65, 1.95]`.
pub(crate) fn parts(interval: &Interval, scale: Scale) -> (String, Option<String>) {
    let value = interval.value / scale.by;
    let range = interval
        .range
        .map(|[lo, hi]| [lo / scale.by, hi / scale.by]);
    let places = decimals(value, range);
    let ends = range.map(|[lo, hi]| {
        if lo > 0.0 && hi > WIDEST * lo {
            return format!("({})", tied(VAGUE));
        }
        format!("[{},{TIE}{}]", fixed(lo, places), fixed(hi, places))
    });
    (fixed(value, places), ends)
}

/// `text` that no line ends in.
fn tied(text: &str) -> String {
    text.replace(' ', &TIE.to_string())
}

/// `1.80 µs [1.65, 1.95]`.
pub(crate) fn full(unit: Unit, interval: &Interval) -> Text {
    scaled(interval, Scale::of(unit, interval.value))
}

/// `633 KiB [611, 681]`.
pub(crate) fn scaled(interval: &Interval, scale: Scale) -> Text {
    let (value, ends) = parts(interval, scale);
    let ends = ends.unwrap_or_else(|| format!("({})", tied(ALONE)));
    Text::plain(with_unit(value, scale)).and(Style::Dim, format!("{TIE}{ends}"))
}

/// `1.80 µs`, with the digits that the interval supports but without it.
pub(crate) fn short(unit: Unit, interval: &Interval) -> String {
    let scale = Scale::of(unit, interval.value);
    with_unit(parts(interval, scale).0, scale)
}

fn with_unit(value: String, scale: Scale) -> String {
    match scale.name {
        "" => value,
        name => format!("{value}{TIE}{name}"),
    }
}

/// Half of the interval over the value; none without an interval, or where it reaches zero, which
/// makes no sense as a share.
pub(crate) fn relative(interval: &Interval) -> Option<f64> {
    let [lo, hi] = interval.range?;
    (lo > 0.0 && interval.value > 0.0).then(|| (hi - lo) / 2.0 / interval.value)
}

/// Half of an interval over its value: `±3.1 %`; of a value that is hardly known, that alone.
pub(crate) fn uncertain(half: f64) -> String {
    match half < 1.0 {
        true => format!("±{}", percent(half)),
        false => tied(VAGUE),
    }
}

/// `506 ±3 %`: without a unit, for tables whose heading has it.
pub(crate) fn plus_minus(interval: &Interval) -> Text {
    let (value, _) = parts(interval, Scale { by: 1.0, name: "" });
    let share = match (relative(interval), interval.range) {
        (Some(share), _) if share < 1.0 => format!("±{}", percent(share)),
        // No more than its size is known.
        (_, Some(_)) => VAGUE.replacen(' ', &TIE.to_string(), 1),
        (_, None) => "1 process".to_owned(),
    };
    Text::plain(value).and(Style::Dim, format!(" {share}"))
}

/// A share as `0.4 %`, `13 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        return NONE.into();
    }
    let places = match percent.abs() {
        p if p >= 9.95 || p == 0.0 => 0,
        p if p >= 0.095 => 1,
        _ => 2,
    };
    format!("{percent:.places$}{TIE}%")
}

/// Two significant digits: for what is only to be got an idea of.
pub(crate) fn rough(value: f64) -> String {
    fixed(value, digits(value, 2))
}

/// How many times as large: `10`, `1.8`, two digits.
pub(crate) fn times(ratio: f64) -> String {
    if !ratio.is_finite() {
        NONE.into()
    } else if ratio >= 9.95 {
        format!("{ratio:.0}")
    } else {
        format!("{ratio:.1}")
    }
}

/// A size that is exact or nearly so: `48 KiB`, `23.5 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    let scale = Scale::bytes(bytes as f64);
    let value = bytes as f64 / scale.by;
    let text = if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        number(value)
    };
    format!("{text}{TIE}{}", scale.name)
}

/// A count with its thousands apart: `6,311`.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// `1 point`, `2 points`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// How the intervals of a record were made, where the variances of its points borrow from each other.
pub(crate) fn moderated(over: u32) -> Option<String> {
    (over > 0).then(|| format!("variances moderated over {over} points, empirical Bayes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, lo: f64, hi: f64) -> Interval {
        Interval {
            value,
            range: Some([lo, hi]),
        }
    }

    fn shown(unit: Unit, interval: Interval) -> String {
        full(unit, &interval).render(80, false)
    }

    #[test]
    fn has_no_more_digits_than_its_interval() {
        assert_eq!(
            shown(Unit::Ns, of(1.00164, 0.99685, 1.00633)),
            "1.00 ns [1.00, 1.01]"
        );
        assert_eq!(
            shown(Unit::Ns, of(118.42, 103.27, 135.79)),
            "118 ns [103, 136]"
        );
        assert_eq!(shown(Unit::Ns, of(26.41, 4.51, 154.6)), "26 ns [5, 155]");
        assert_eq!(
            shown(Unit::Ns, of(51385.5, 21335.0, 123763.0)),
            "51 µs [21, 124]"
        );
        assert_eq!(
            shown(Unit::Ns, of(1619.1, 1494.9, 1753.8)),
            "1.62 µs [1.49, 1.75]"
        );
        assert_eq!(shown(Unit::Ns, of(87.9, -58.4, 234.3)), "90 ns [-60, 230]");
        assert_eq!(
            shown(Unit::GbPerS, of(1001.17, 955.6, 1048.9)),
            "1000 GB/s [960, 1050]"
        );
        assert_eq!(
            shown(Unit::Ns, of(-0.00012, -0.0142, 0.0140)),
            "0.000 ns [-0.014, 0.014]"
        );
    }

    #[test]
    fn says_when_there_is_no_interval() {
        let alone = Interval {
            value: 1138280.0,
            range: None,
        };
        assert_eq!(shown(Unit::Ns, alone), "1.14 ms (one process, no interval)");
        assert_eq!(plus_minus(&alone).render(80, false), "1140000 1 process");
    }

    #[test]
    fn an_interval_over_two_decades_is_named_not_spelled_out() {
        assert_eq!(
            shown(Unit::Ns, of(67.0, 0.002, 2157720.0)),
            "67 ns (±100 % or more)"
        );
        assert_eq!(shown(Unit::Ns, of(40.0, 5.0, 320.0)), "40 ns [5, 320]");
        assert_eq!(shown(Unit::Ns, of(1.0, -10.0, 12.0)), "1 ns [-10, 12]");
    }

    #[test]
    fn rounds_before_it_counts_digits() {
        assert_eq!(number(9.996), "10.0");
        assert_eq!(number(0.09996), "0.100");
        assert_eq!(number(1234.0), "1230");
        assert_eq!(number(0.0), "0.00");
        assert_eq!(percent(0.0994), "9.9\u{a0}%");
        assert_eq!(percent(0.1234), "12\u{a0}%");
        assert_eq!(size(1536), "1.50\u{a0}KiB");
        assert_eq!(size(960), "960\u{a0}B");
        assert_eq!(count(1234567), "1,234,567");
    }
}
