//! How the value of B stands to that of A, in words: the same number with the same sign on every screen, on the page
//! and in documents.
//!
//! The number is always B over A of the value as it was measured, so that it can be checked with a pocket calculator:
//! a time is longer or shorter, of everything else there is more or less. Which of these is better is said by a shape
//! and a color, never by the sign.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Better, Unit};

/// From here on a factor reads better than a percentage.
const FACTOR: f64 = 2.0;

/// Logarithms closer to zero read "the same": half of the last digit of a percentage.
const SAME: f64 = 0.0005;

/// The kind of a quantity, which decides the words of its change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// A time; less is better.
    Time,
    /// An amount of which less is better, such as misses.
    Amount,
    /// Work per time; more is better.
    Rate,
    /// Another amount of which more is better, such as the size of a cache, a share or a score.
    Plenty,
    /// A number of which it is not known which direction is better: there is more or less of it, and no worse.
    Unsaid,
}

impl Quantity {
    /// Of a value with this unit, the symbol that its source gave it, and its direction.
    pub fn of(unit: Unit, symbol: Option<&str>, better: Better) -> Quantity {
        match better {
            Better::Higher if unit == Unit::Bytes || symbol.is_some_and(is_no_rate) => {
                Quantity::Plenty
            }
            Better::Higher => Quantity::Rate,
            Better::Lower if unit == Unit::Ns || symbol.is_some_and(is_time) => Quantity::Time,
            Better::Lower => Quantity::Amount,
            Better::Unsaid => Quantity::Unsaid,
        }
    }

    /// Of several together: their own where they are alike; rates where more of each is better; otherwise the time
    /// that the same work takes.
    pub fn of_all(all: impl Iterator<Item = Quantity>) -> Quantity {
        all.reduce(|one, next| match [one, next] {
            _ if one == next => one,
            [Quantity::Rate, Quantity::Plenty] | [Quantity::Plenty, Quantity::Rate] => {
                Quantity::Rate
            }
            _ => Quantity::Time,
        })
        .unwrap_or(Quantity::Time)
    }

    /// The logarithm of B over A from that of how many times worse B is, and the other way round. Where neither is
    /// worse it is B over A itself.
    pub fn turned(self, ln: f64) -> f64 {
        match self {
            Quantity::Time | Quantity::Amount | Quantity::Unsaid => ln,
            Quantity::Rate | Quantity::Plenty => -ln,
        }
    }

    /// The same for an interval.
    pub fn turned_range(self, range: [f64; 2]) -> [f64; 2] {
        let [one, two] = range.map(|ln| self.turned(ln));
        [one.min(two), one.max(two)]
    }

    /// `11.5 % longer`, `3.79 times as long`, `5.9 % less`, `the same`: a change by the logarithm `ln` of B over A.
    pub fn said(self, ln: f64) -> String {
        if ln.abs() < SAME {
            return "the same".to_owned();
        }
        if is_factor(ln.exp()) {
            return format!("{} {}", factor(ln.exp()), self.times());
        }
        format!("{} % {}", percent(ln), self.way(ln))
    }

    /// The same for the least and the largest of several; one of them where both read alike.
    pub fn span(self, [lo, hi]: [f64; 2]) -> String {
        // The end nearer to no difference first.
        let (near, far) = if lo.abs() <= hi.abs() {
            (lo, hi)
        } else {
            (hi, lo)
        };
        let (first, last) = (self.said(near), self.said(far));
        if first == last {
            return last;
        }
        let factors = [near, far].map(|ln| is_factor(ln.exp()));
        match factors {
            [true, true] => format!("{} to {last}", factor(near.exp())),
            [false, false] if near * far > 0.0 => format!("{} to {last}", percent(near)),
            _ => format!("{first} to {last}"),
        }
    }

    /// [`Quantity::said`] of the logarithm of how many times worse B is.
    pub fn said_of_worse(self, worse: f64) -> String {
        self.said(self.turned(worse))
    }

    /// [`Quantity::span`] of logarithms of how many times worse B is.
    pub fn span_of_worse(self, span: [f64; 2]) -> String {
        self.span(self.turned_range(span))
    }

    /// [`interval`] of logarithms of how many times worse B is.
    pub fn interval_of_worse(self, of: f64, range: [f64; 2]) -> String {
        interval(self.turned(of), self.turned_range(range))
    }

    fn times(self) -> &'static str {
        match self {
            Quantity::Time => "times as long",
            Quantity::Amount | Quantity::Plenty | Quantity::Unsaid => "times as much",
            Quantity::Rate => "times the rate",
        }
    }

    /// `longer`, `shorter`, `more` or `less`, by the sign of the logarithm of B over A.
    pub fn way(self, ln: f64) -> &'static str {
        match (self, ln > 0.0) {
            (Quantity::Time, true) => "longer",
            (Quantity::Time, false) => "shorter",
            (_, true) => "more",
            (_, false) => "less",
        }
    }
}

/// Is it a unit of time, as tools print it?
fn is_time(symbol: &str) -> bool {
    let symbol = symbol.trim().to_ascii_lowercase();
    let words = [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "msec",
        "msecs",
        "millisecond",
        "milliseconds",
        "us",
        "µs",
        "μs",
        "usec",
        "usecs",
        "microsecond",
        "microseconds",
        "ns",
        "nsec",
        "nsecs",
        "nanosecond",
        "nanoseconds",
        "min",
        "minutes",
        "cycles",
        "clocks",
        "ticks",
    ];
    // `ns/op` and `usecs/call` are times, `MB/s` is none.
    let time = symbol.split('/').next().unwrap_or_default();
    words.contains(&time)
}

/// Is it a unit of a size, a share or a score, as tools print it? Numbers without a unit are taken for rates: most rows
/// of which more is better count what was done.
fn is_no_rate(symbol: &str) -> bool {
    let symbol = symbol.trim().to_ascii_lowercase();
    let words = [
        "b", "byte", "bytes", "kb", "mb", "gb", "kib", "mib", "gib", "bit", "bits", "%", "percent",
        "points", "score", "index",
    ];
    words.contains(&symbol.as_str())
}

/// `+11.5`, `-5.9` for B over A as a percentage without its sign `%`; `0.0` never has a sign.
pub fn signed(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 0.05 {
        return "0.0".into();
    }
    format!("{percent:+.1}")
}

/// Is a ratio said as a factor rather than as a percentage?
pub fn is_factor(ratio: f64) -> bool {
    !(1.0 / FACTOR..FACTOR).contains(&ratio)
}

/// A factor with three digits.
pub fn factor(by: f64) -> String {
    match by {
        b if b >= 99.5 => format!("{b:.0}"),
        b if b >= 9.95 => format!("{b:.1}"),
        b if b >= 0.995 => format!("{b:.2}"),
        b if b >= 0.0995 => format!("{b:.3}"),
        b => format!("{b:.4}"),
    }
}

/// `4.7 %` or `a factor of 5.64`: how far two values are apart, whichever is the better one, by the logarithm `ln` of the
/// larger over the smaller.
pub fn apart(ln: f64) -> String {
    if is_factor(ln.exp()) {
        format!("a factor of {}", factor(ln.exp()))
    } else {
        format!("{} %", percent(ln))
    }
}

/// Does an interval by the logarithms of its ends say something? Not where they are a thousandfold apart, as with two
/// processes that happened to differ.
pub fn says_something([lo, hi]: [f64; 2]) -> bool {
    hi - lo < 1e3_f64.ln()
}

/// `[1.9, 4.4]` after `3.1 % longer`, `[-1.1, +5.3]` where the ends lie on both sides of no change, or `[3.70, 3.90]`
/// after a factor: an interval by the logarithms of its ends, on the scale of the change `of` that it belongs to.
pub fn interval(of: f64, [lo, hi]: [f64; 2]) -> String {
    if !says_something([lo, hi]) {
        "[unknown]".to_owned()
    } else if is_factor(of.exp()) {
        format!("[{}, {}]", factor(lo.exp()), factor(hi.exp()))
    } else {
        let one_way = lo * hi > 0.0 && lo * of > 0.0;
        let ends = match (one_way, of > 0.0) {
            (true, true) => [percent(lo), percent(hi)],
            (true, false) => [percent(hi), percent(lo)],
            (false, _) => [signed(lo.exp()), signed(hi.exp())],
        };
        format!("[{}, {}]", ends[0], ends[1])
    }
}

/// A percentage without sign.
fn percent(ln: f64) -> String {
    format!("{:.1}", ((ln.exp() - 1.0) * 100.0).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_the_words_of_its_quantity() {
        let [longer, shorter] = [1.115_f64.ln(), 0.941_f64.ln()];
        assert_eq!(Quantity::Time.said(longer), "11.5 % longer");
        assert_eq!(Quantity::Time.said(shorter), "5.9 % shorter");
        assert_eq!(Quantity::Rate.said(shorter), "5.9 % less");
        assert_eq!(Quantity::Amount.said(longer), "11.5 % more");
        assert_eq!(Quantity::Time.said(3.79_f64.ln()), "3.79 times as long");
        assert_eq!(Quantity::Rate.said(0.264_f64.ln()), "0.264 times the rate");
        assert_eq!(Quantity::Rate.said(0.0), "the same");
        assert_eq!(Quantity::Plenty.said(16_f64.ln()), "16.0 times as much");
        assert_eq!(Quantity::Plenty.said_of_worse(shorter), "6.3 % more");
        assert_eq!(Quantity::Unsaid.said(longer), "11.5 % more");
        assert_eq!(Quantity::Unsaid.said_of_worse(shorter), "5.9 % less");
    }

    #[test]
    fn a_size_or_a_share_is_no_rate() {
        let of = |symbol| Quantity::of(Unit::Count, Some(symbol), Better::Higher);
        assert_eq!(of("MB/s"), Quantity::Rate);
        assert_eq!(of("ops"), Quantity::Rate);
        assert_eq!(of("KB"), Quantity::Plenty);
        assert_eq!(of("%"), Quantity::Plenty);
        let bytes = Quantity::of(Unit::Bytes, None, Better::Higher);
        assert_eq!(bytes, Quantity::Plenty);
    }

    #[test]
    fn several_read_as_one_span() {
        let span = |lo: f64, hi: f64| Quantity::Time.span([lo.ln(), hi.ln()]);
        assert_eq!(span(3.3, 3.6), "3.30 to 3.60 times as long");
        assert_eq!(span(0.9, 0.95), "5.0 to 10.0 % shorter");
        assert_eq!(span(0.9, 1.15), "10.0 % shorter to 15.0 % longer");
        assert_eq!(span(1.4, 2.5), "40.0 % longer to 2.50 times as long");
        assert_eq!(span(1.4, 1.4), "40.0 % longer");
    }

    #[test]
    fn an_interval_is_on_the_scale_of_its_change() {
        assert_eq!(interval(0.03, [0.02, 0.04]), "[2.0, 4.1]");
        assert_eq!(interval(-0.03, [-0.04, -0.02]), "[2.0, 3.9]");
        assert_eq!(
            interval(3.8_f64.ln(), [1.5_f64.ln(), 4.0_f64.ln()]),
            "[1.50, 4.00]"
        );
        assert_eq!(interval(0.1, [-0.1, 2.2_f64.ln()]), "[-9.5, +120.0]");
    }

    #[test]
    fn units_of_time_are_known() {
        for symbol in ["us", "ns/op", "usecs/call", "Seconds", "cycles"] {
            assert!(is_time(symbol), "{symbol}");
        }
        for symbol in ["MB/s", "misses", "", "ops/s", "%"] {
            assert!(!is_time(symbol), "{symbol}");
        }
        let of = |better| Quantity::of(Unit::Count, Some("us"), better);
        assert_eq!(of(Better::Lower), Quantity::Time);
        assert_eq!(of(Better::Higher), Quantity::Rate);
        assert_eq!(of(Better::Unsaid), Quantity::Unsaid);
        let together = |all: &[Quantity]| Quantity::of_all(all.iter().copied());
        assert_eq!(together(&[Quantity::Time, Quantity::Rate]), Quantity::Time);
        assert_eq!(
            together(&[Quantity::Plenty, Quantity::Rate, Quantity::Plenty]),
            Quantity::Rate
        );
    }

    #[test]
    fn what_is_worse_is_turned_once() {
        assert_eq!(Quantity::Rate.turned(0.2), -0.2);
        assert_eq!(Quantity::Rate.turned_range([0.1, 0.2]), [-0.2, -0.1]);
        assert_eq!(Quantity::Time.turned_range([0.1, 0.2]), [0.1, 0.2]);
    }
}
