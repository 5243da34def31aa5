//! The name of a side, and figures behind it that each have a name of their own: `base: min: 651.92 max: 672.65 [+1.2%]`.

use super::{Names, amount};
use crate::direction::of_unit;
use crate::posted::{self, Kind};

/// A figure: its name, value and unit.
pub(super) type Figure<'a> = (String, f64, &'a str);

/// The side whose name the line begins with, and the figures behind it, without spreads and counts of runs.
pub(super) fn find<'a>(line: &'a str, names: &Names) -> Option<(usize, Vec<Figure<'a>>)> {
    let begins = |side: usize| {
        let name = names.0[side].trim();
        let rest = line.trim_start().strip_prefix(name)?;
        let ends = rest.starts_with([':', ' ', '\t', '|']);
        (ends && !name.is_empty()).then_some((side, name.len(), rest))
    };
    let begun = [0, 1].into_iter().filter_map(begins);
    let (side, _, rest) = begun.max_by_key(|found| found.1)?;
    let mut figures = pairs(rest.trim_start_matches([':', ' ', '\t', '|']))?;
    if figures.len() < 2 {
        return None;
    }
    figures.retain(|(name, ..)| matches!(posted::kind(name), Kind::Values(_)));
    (!figures.is_empty()).then_some((side, figures))
}

/// `mem: 177436 duration: 4.26 s (+1.2 %)`, where every figure has a name in front and nothing else stands.
fn pairs(text: &str) -> Option<Vec<Figure<'_>>> {
    let mut found: Vec<Figure> = Vec::new();
    let mut name: Vec<&str> = Vec::new();
    let mut named = false;
    let mut within = false;
    for word in text.split_whitespace() {
        // What stands in brackets follows from the figure, or is a part of the name: `Throughput (Sum): 12 MB/s`.
        if within || name.is_empty() && word.starts_with(['[', '(']) {
            within = !word.trim_end_matches([',', ';']).ends_with([']', ')']);
            continue;
        }
        let word = word.trim_end_matches([',', ';']);
        if named {
            let (value, unit) = amount(word)?;
            found.push((name.join(" "), value, unit));
            name.clear();
            named = false;
        } else if let Some(last) = word.strip_suffix([':', '=']) {
            name.extend(Some(last).filter(|last| !last.is_empty()));
            named = true;
        } else if let Some((own, figure)) = word.split_once('=') {
            let (value, unit) = amount(figure)?;
            name.push(own);
            found.push((name.join(" "), value, unit));
            name.clear();
        } else if let Some((_, _, unit)) = found.last_mut()
            && name.is_empty()
            && unit.is_empty()
            && of_unit(word).is_some()
        {
            *unit = word;
        } else if let Some((value, unit)) = amount(word) {
            // `user time 12.5s system time 3.5s`
            if name.is_empty() || unit.is_empty() {
                return None;
            }
            found.push((name.join(" "), value, unit));
            name.clear();
        } else {
            name.push(word);
        }
    }
    let whole = name.is_empty() && !named && found.iter().all(|(name, ..)| !name.is_empty());
    whole.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_names() {
        let shown = |text| {
            let found = pairs(text).unwrap_or_default();
            let all: Vec<String> = found
                .iter()
                .map(|(name, value, unit)| format!("{name} {value} {unit}"))
                .collect();
            all.join("; ")
        };
        assert_eq!(
            shown("min: 657.34 [100.8%] max: 668.39 [99.4%] avg: 663.13 s runs: 6"),
            "min 657.34 ; max 668.39 ; avg 663.13 s; runs 6 "
        );
        assert_eq!(shown("rate=12.5MB/s IOPS=430"), "rate 12.5 MB/s; IOPS 430 ");
        assert_eq!(
            shown("user time 2.5s system time 4.5s"),
            "user time 2.5 s; system time 4.5 s"
        );
        assert_eq!(
            shown("Rate (Sum): 6.5 MB/s Latency: 3.5us"),
            "Rate (Sum) 6.5 MB/s; Latency 3.5 us"
        );
        assert_eq!(shown("12 of 13 passed"), "");
        assert_eq!(shown("time 1.5 s"), "");
    }
}
