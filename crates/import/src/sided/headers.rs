//! The names that stand over the figures of a row.

use std::collections::BTreeMap;

use super::Text;
use super::pieces::{Placed, wide};
use super::placed::stacked;

/// The names that stand over figures in the lines `over` them.
pub(super) fn headed(
    text: &Text,
    over: &[usize],
    line: &str,
    figures: &[Placed],
) -> Option<Vec<String>> {
    if line.contains('|') {
        return over
            .iter()
            .find_map(|above| barred(text.line(*above), line, figures))
            .map(distinct);
    }
    let spans: Vec<(usize, usize)> = figures
        .iter()
        .map(|figure| (figure.from, figure.to))
        .collect();
    let names = stacked(text, over, &spans);
    let named = names.iter().filter(|name| !name.is_empty()).count();
    (named * 2 > names.len()).then(|| distinct(names))
}

/// The names of a header whose cells are parted by as many bars as those of the row, which may have lost what is in front of
/// its first.
fn barred(header: &str, line: &str, figures: &[Placed]) -> Option<Vec<String>> {
    let inner = |text: &str| text.trim().trim_matches('|').to_owned();
    let (names, cells) = (inner(header), inner(line));
    let names: Vec<&str> = names.split('|').map(str::trim).collect();
    let words = names.iter().any(|name| name.contains(char::is_alphabetic));
    if !words || names.len() < 2 || names.len() != cells.split('|').count() {
        return None;
    }
    let first = usize::from(line.trim_start().starts_with('|'));
    let place = |figure: &Placed| {
        let bars = line
            .char_indices()
            .filter(|(at, sign)| *sign == '|' && wide(&line[..*at]) < figure.from);
        bars.count().checked_sub(first)
    };
    let named = figures.iter().map(|figure| {
        let name = names.get(place(figure)?)?;
        Some(name.trim_matches(['*', '`']).to_owned())
    });
    named.collect()
}

/// The names, those that came before with a number behind them: they are of other figures.
pub(super) fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let named = names.into_iter().map(|name| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        match (name.is_empty(), *count) {
            (true, _) | (_, 1) => name,
            (false, count) => format!("{name} {count}"),
        }
    });
    named.collect()
}
