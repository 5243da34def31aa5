//! Parameters of a command: `NAME=a,b,c` and `NAME=1..10`, `NAME=1..10..3`.

use super::error::{NoParameter, ParameterError};

/// More values are a slip of the finger: each is measured several times.
const MOST_VALUES: usize = 1_000;

/// Digits behind the point that a range may have.
const MOST_DIGITS: usize = 9;

/// Names with a meaning of their own.
const TAKEN: [&str; 2] = ["j", "cmd"];

/// A name in braces in the command, and what is put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name, without its braces.
    pub name: String,
    /// The values, in the order given.
    pub values: Vec<String>,
}

impl Parameter {
    /// Reads `NAME=a,b,c` or a range `NAME=FIRST..LAST[..STEP]`.
    ///
    /// # Errors
    /// One line: what is wrong and how it should look.
    pub fn parse(text: &str) -> Result<Parameter, ParameterError> {
        let fail = |why| {
            let text = text.to_owned();
            Err(ParameterError { text, why })
        };
        let Some((name, values)) = text.split_once('=') else {
            return fail(NoParameter::NoValue);
        };
        let named = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if name.is_empty() || !name.chars().all(named) {
            return fail(NoParameter::Name);
        }
        if TAKEN.contains(&name) {
            return fail(NoParameter::Taken);
        }
        let values = match range(values) {
            Some(Ok(values)) => values,
            Some(Err(why)) => return fail(why),
            None => values.split(',').map(str::to_owned).collect(),
        };
        let mut seen = std::collections::BTreeSet::new();
        if !values.iter().all(|v| seen.insert(v)) {
            return fail(NoParameter::Twice);
        }
        match values.len() {
            0..=MOST_VALUES => Ok(Parameter {
                name: name.to_owned(),
                values,
            }),
            _ => fail(NoParameter::Many),
        }
    }
}

/// A whole number of steps of 1 / 10^digits.
struct Decimal {
    units: i64,
    digits: usize,
}

impl Decimal {
    fn parse(text: &str) -> Option<Decimal> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        if part.len() > MOST_DIGITS || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(Decimal {
            units: format!("{whole}{part}").parse().ok()?,
            digits: part.len(),
        })
    }

    fn scaled(&self, digits: usize) -> Option<i64> {
        self.units
            .checked_mul(10i64.checked_pow((digits - self.digits) as u32)?)
    }
}

/// The values of a range; none if `text` is no range.
fn range(text: &str) -> Option<Result<Vec<String>, NoParameter>> {
    // The points of a range come in pairs, those of a decimal alone.
    let parts: Vec<&str> = text.split("..").collect();
    let numbers: Vec<Decimal> = parts.iter().filter_map(|p| Decimal::parse(p)).collect();
    if !(2..=3).contains(&parts.len()) || numbers.len() != parts.len() {
        return None;
    }
    let digits = numbers.iter().map(|n| n.digits).max().unwrap_or(0);
    let scaled: Option<Vec<i64>> = numbers.iter().map(|n| n.scaled(digits)).collect();
    let one = 10i64.pow(digits as u32);
    let (first, last, step) = match scaled.as_deref() {
        Some([first, last]) => (*first, *last, one),
        Some([first, last, step]) => (*first, *last, *step),
        _ => return Some(Err(NoParameter::Large)),
    };
    if step <= 0 || last < first {
        return Some(Err(NoParameter::Range));
    }
    let count = (last as i128 - first as i128) / step as i128 + 1;
    if count > MOST_VALUES as i128 {
        return Some(Err(NoParameter::Many));
    }
    let values = (0..count as i64).map(|i| shown(first + i * step, one, digits));
    Some(Ok(values.collect()))
}

fn shown(units: i64, one: i64, digits: usize) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let (whole, part) = (
        units.unsigned_abs() / one as u64,
        units.unsigned_abs() % one as u64,
    );
    match digits {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{part:0digits$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_and_ranges() {
        for (text, values) in [
            ("o=a,b,c", vec!["a", "b", "c"]),
            ("o=-O2 -pipe", vec!["-O2 -pipe"]),
            ("o=1..4", vec!["1", "2", "3", "4"]),
            ("o=1..10..4", vec!["1", "5", "9"]),
            ("o=-1..1", vec!["-1", "0", "1"]),
            ("o=0..0.5..0.25", vec!["0.00", "0.25", "0.50"]),
            ("o=-0.5..0.5..0.5", vec!["-0.5", "0.0", "0.5"]),
            ("o=../a,../b", vec!["../a", "../b"]),
            ("o=", vec![""]),
        ] {
            assert_eq!(Parameter::parse(text).unwrap().values, values, "{text}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_mean() {
        for text in [
            "o",
            "=1",
            "a b=1",
            "j=1,2",
            "o=1..1e9..0",
            "o=5..1",
            "o=1..9..0",
            "o=a,a",
            "o=0..99999",
            "o=-9223372036854775808..9223372036854775807",
        ] {
            match Parameter::parse(text) {
                Err(why) => assert!(why.to_string().contains("looks like"), "{text}: {why}"),
                Ok(p) => assert_eq!(p.values.len(), 1, "{text}: no range, and so a value"),
            }
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", range in r"x=-?[0-9]{1,19}(\.[0-9]{0,10})?(\.\.-?[0-9.]{1,12}){1,2}") {
            let _ = Parameter::parse(&text);
            let _ = Parameter::parse(&range);
        }
    }
}
