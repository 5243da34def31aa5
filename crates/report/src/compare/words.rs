//! Ratios, values and facts as words.

use serde_json::Value;
use whyslow_model::change::{self, Quantity, factor, is_factor, says_something, signed};
use whyslow_model::comparison::{Comparison, PointComparison, SideValue, Verdict};
use whyslow_model::{Better, Unit};

use crate::numbers::{self, Scale, counted};
use crate::text::TIE;

/// Longest value of a fact in a line.
const LONGEST: usize = 60;

/// `+11.5 %`, or `×3.79` beyond a factor of two.
pub(crate) fn ratio(ratio: f64) -> String {
    if is_factor(ratio) {
        format!("×{}", factor(ratio))
    } else {
        format!("{}{TIE}%", signed(ratio))
    }
}

/// `[+7.3, +15.9]`, in the words of the ratio that it belongs to.
pub(crate) fn range(of: f64, range: [f64; 2]) -> String {
    let Some([lo, hi]) = told(Some(range)) else {
        return "[unknown]".to_owned();
    };
    let end = |v: f64| if is_factor(of) { factor(v) } else { signed(v) };
    format!("[{},{TIE}{}]", end(lo), end(hi))
}

/// `11.5 % longer` of a point, by its quantity.
pub(crate) fn said(point: &PointComparison, ratio: f64) -> String {
    quantity(point).said(ratio.ln())
}

/// `[7.3, 15.9]`, on the scale of the words that it belongs to.
pub(crate) fn interval(of: f64, range: [f64; 2]) -> String {
    change::interval(of.ln(), range.map(f64::ln))
}

/// A share with no more digits than it needs: `2 %`, `99.6 %`, `0.5 %`.
pub(crate) fn share(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{TIE}%")
}

/// Two spaces that stay together where a line is wrapped.
pub(crate) const GAP: &str = "\u{a0} ";

/// The title that the source gives, or the point; with its part.
pub(crate) fn name(point: &PointComparison) -> String {
    let name = match &point.title {
        Some(title) => title.clone(),
        None => point.point.to_string(),
    };
    match &point.part {
        Some(part) => format!("{name}, {part}"),
        None => name,
    }
}

/// What is said of how intervals are made, and of the conditions that a shared host made, which may be taken out of
/// the values.
pub(crate) fn conditions(comparison: &Comparison) -> impl Iterator<Item = String> {
    let said = [moderated, clock, core, undirected].map(|said| said(comparison));
    said.into_iter().flatten()
}

/// What is said of the core's clock, where it was recorded on both sides of one host.
fn clock(comparison: &Comparison) -> Option<String> {
    let clock = comparison.clock.as_ref()?;
    let [a, b] = clock.ghz;
    let stood = format!(
        "the clock stood at {a:.2}{TIE}GHz in A and {b:.2} in B ({})",
        ratio(b / a)
    );
    match (clock.at, clock.points) {
        (Some(_), 0) => None,
        (Some(at), n) => Some(format!(
            "{stood}: {} take as many cycles however it stands, and are compared at {at:.2}{TIE}GHz; \
             --as-measured compares times",
            counted(u64::from(n), "point", "points")
        )),
        // A clock further off than it wanders is itself a finding; with times asked for, it is to be known.
        (None, _) => Some(format!("{stood}; values are as measured")),
    }
}

/// How the intervals are made, where variances borrow from those of other points.
fn moderated(comparison: &Comparison) -> Option<String> {
    let [a, b] = comparison.rules.moderated_over;
    match (a, b) {
        _ if a == b => numbers::moderated(a),
        (0, _) | (_, 0) => None,
        _ => Some(format!(
            "variances moderated over {a} points of A and {b} of B, empirical Bayes"
        )),
    }
}

/// What is said of who else used the cores, where anybody did.
fn core(comparison: &Comparison) -> Option<String> {
    let core = comparison.core.as_ref()?;
    let [a, b] = core.shared.map(numbers::percent);
    let busy = format!(
        "another hardware thread was busy on the core beside {a} of the batches of A and {b} of those of B"
    );
    Some(match core.left_out {
        true => format!(
            "{busy}: these are left out where enough others are; --as-measured compares all"
        ),
        false => format!("{busy}; values are as measured"),
    })
}

/// `3.34 to 3.72 us`, with the clock that they are given at.
pub(crate) fn values(point: &PointComparison) -> String {
    let scale = Scale::of(point.unit, point.a.value.value);
    let unit = match (&point.symbol, point.unit) {
        (Some(symbol), Unit::Count) => symbol.clone(),
        _ => scale.name.to_owned(),
    };
    let value = |side: &SideValue| {
        // Digits beyond the third would hide what is compared.
        numbers::number(side.value.value / scale.by)
    };
    let text = format!(
        "{}{TIE}to{TIE}{}{TIE}{unit}",
        value(&point.a),
        value(&point.b)
    );
    let text = text.trim_end_matches(TIE);
    match point.at_ghz {
        Some(at) => format!("{text} at{TIE}{at:.2}{TIE}GHz"),
        None => text.to_owned(),
    }
}

/// What the value of a point is of.
pub(crate) fn quantity(point: &PointComparison) -> Quantity {
    Quantity::of(point.unit, point.symbol.as_deref(), point.better)
}

/// What the values of the points numbered `points` are of together.
pub(crate) fn quantity_of(comparison: &Comparison, points: &[u32]) -> Quantity {
    let of = |i: &u32| comparison.points.get(*i as usize);
    Quantity::of_all(points.iter().filter_map(of).map(quantity))
}

/// Better and worse as shapes, for eyes and printers that do not tell red from green.
pub(crate) const BETTER: &str = "▲";
/// See [`BETTER`].
pub(crate) const WORSE: &str = "▼";
/// What the shapes mean.
pub(crate) const SHAPES: &str = "▲ better, ▼ worse";

/// `▼ longer`, `▲ more`, or `more` alone where neither is better: how a real difference went, with its shape.
pub(crate) fn direction(point: &PointComparison) -> String {
    let (slower, shape) = match &point.verdict {
        Verdict::Differs { .. } => {
            let ln = point.ratio.map_or(0.0, f64::ln);
            return quantity(point).way(ln).to_owned();
        }
        Verdict::Slower { .. } => (true, WORSE),
        Verdict::Faster { .. } => (false, BETTER),
        _ => return String::new(),
    };
    let quantity = quantity(point);
    let worse = if slower { 1.0 } else { -1.0 };
    format!("{shape}{TIE}{}", quantity.way(quantity.turned(worse)))
}

/// That it is not known which direction is better, and how to say it; nothing where it is known of all points.
fn undirected(comparison: &Comparison) -> Option<String> {
    let points = comparison.points.iter();
    let unsaid = points.filter(|p| p.better == Better::Unsaid).count();
    let which = match unsaid {
        0 => return None,
        n if n == comparison.points.len() => "of these figures".to_owned(),
        n => format!("of {n} of them"),
    };
    Some(format!(
        "which direction {which} is better is not said, so more is neither better nor worse; their unit in the header, \
         such as (ms) or (ops/s), or a line `# higher is better` or `# lower is better` above the rows says it"
    ))
}

/// The interval of a ratio, where it says something.
pub(crate) fn told(range: Option<[f64; 2]>) -> Option<[f64; 2]> {
    range.filter(|range| says_something(range.map(f64::ln)))
}

/// A fact as JSON in words.
pub(crate) fn fact(json: &str) -> String {
    let text = match serde_json::from_str::<Value>(json) {
        Ok(value) => plain(&value),
        // The word `absent`.
        Err(_) => json.to_owned(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST - 1).collect();
    format!("{}…", cut.trim_end())
}

pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => match fields.get("unknown") {
            Some(_) if fields.len() == 1 => "unknown".to_owned(),
            _ => fields
                .iter()
                .map(|(name, value)| format!("{name}={}", plain(value)))
                .collect::<Vec<_>>()
                .join(" "),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: String) -> String {
        text.replace(TIE, " ")
    }

    #[test]
    fn ratios_read_as_percent_or_as_factors() {
        assert_eq!(shown(ratio(1.115)), "+11.5 %");
        assert_eq!(shown(ratio(0.941)), "-5.9 %");
        assert_eq!(shown(ratio(1.0001)), "0.0 %");
        assert_eq!(shown(ratio(0.264)), "×0.264");
        assert_eq!(shown(ratio(17.3)), "×17.3");
        assert_eq!(shown(range(1.1, [1.05, 1.15])), "[+5.0, +15.0]");
        assert_eq!(shown(range(0.26, [0.2, 0.3])), "[0.200, 0.300]");
        assert_eq!(shown(share(0.02)), "2 %");
        assert_eq!(shown(share(1.0 - 0.05 * 12.0 / 124.0)), "99.52 %");
    }

    #[test]
    fn facts_read_without_json() {
        assert_eq!(fact("\"always\""), "always");
        assert_eq!(fact(r#"{"unknown":"no such file"}"#), "unknown");
        assert_eq!(fact("[1,\"a\"]"), "1 a");
        assert_eq!(fact("absent"), "absent");
        assert_eq!(fact(&format!("\"{}\"", "x".repeat(99))).chars().count(), 60);
    }
}
