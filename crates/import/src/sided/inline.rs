//! Both sides in one line, each with its name in front of its figure: `random read: before 120 MB/s, after 240 MB/s`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Found, Names, Text, amount, heading};

/// Letters of what stands between the name and its figure.
const BETWEEN: &[char] = &[':', '=', ' ', '\t', '(', '['];

/// The figures of such lines.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    for (number, line) in text.lines() {
        let [Some(a), Some(b)] = [0, 1].map(|side| figure(line, names, side)) else {
            continue;
        };
        let first = a.name.min(b.name);
        let label = line[..first]
            .trim()
            .trim_matches(['-', '*', ':', ',', '(', ' ']);
        let title = match label {
            "" => heading(text, number),
            label => label,
        };
        for (side, own, other) in [(0, &a, &b), (1, &b, &a)] {
            found.push(Found {
                own: Cow::Borrowed(""),
                side,
                title: title.trim().to_owned(),
                near: vec![heading(text, number)],
                value: own.value,
                // The unit may stand behind the last alone.
                unit: if own.unit.is_empty() {
                    other.unit
                } else {
                    own.unit
                },
                line: number,
            });
        }
    }
    named_by_heading(&mut found);
    found
}

/// Lines of the same words below several headings are told apart by these.
fn named_by_heading(found: &mut [Found<'_>]) {
    let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for figure in found.iter() {
        let above = figure.near.first().copied().unwrap_or_default();
        seen.entry(&figure.title).or_default().insert(above);
    }
    let several: BTreeSet<String> = seen
        .into_iter()
        .filter(|(_, headings)| headings.len() > 1)
        .map(|(title, _)| title.to_owned())
        .collect();
    for figure in found.iter_mut().filter(|f| several.contains(&f.title)) {
        let above = figure.near.first().copied().unwrap_or_default();
        figure.title = format!("{above} {}", figure.title).trim().to_owned();
    }
}

/// A figure behind its name.
struct Behind<'a> {
    /// Where the name begins.
    name: usize,
    value: f64,
    unit: &'a str,
}

/// The one figure that stands right behind the side's name in a line.
fn figure<'a>(line: &'a str, names: &Names, side: usize) -> Option<Behind<'a>> {
    let name = |side: usize| names.0[side].trim().trim_end_matches(BETWEEN);
    let (own, other) = (name(side), name(1 - side));
    if own.is_empty() || line.contains('|') {
        return None;
    }
    let ends = |c: char| c.is_alphanumeric() || "-+_./".contains(c);
    let (lower, own) = (line.to_ascii_lowercase(), own.to_ascii_lowercase());
    let mut found = lower.match_indices(&own).filter_map(|(at, name)| {
        let before = line[..at].chars().next_back();
        let rest = &line[at + name.len()..];
        let whole = !before.is_some_and(ends) && rest.starts_with(BETWEEN);
        let rest = rest.trim_start_matches(BETWEEN);
        let digit = rest.starts_with(|c: char| c.is_ascii_digit());
        (whole && digit).then_some((at, rest))
    });
    let (name, rest) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    // Up to what ends a figure, or to the name of the other side.
    let stop = [", ", "; ", ")", "]", "  ", " vs", " -> ", " => "]
        .iter()
        .filter_map(|stop| rest.find(stop))
        .min()
        .unwrap_or(rest.len());
    let to_other = rest
        .to_ascii_lowercase()
        .find(&other.to_ascii_lowercase())
        .unwrap_or(rest.len());
    let text = rest[..stop.min(to_other)].trim_end_matches(['/', ',', ' ', '-']);
    let (value, unit) = amount(text)?;
    Some(Behind { name, value, unit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_behind_names_in_one_line() {
        let names = Names(["before".to_owned(), "after".to_owned()]);
        let shown = |line: &str| {
            let [a, b] = [0, 1].map(|side| figure(line, &names, side));
            a.zip(b).map(|(a, b)| (a.value, b.value, b.unit.to_owned()))
        };
        for line in [
            "read: before 120 MB/s, after 240 MB/s",
            "read (Before: 120, After: 240 MB/s)",
            "before=120 after=240 MB/s",
        ] {
            assert_eq!(
                shown(line),
                Some((120.0, 240.0, "MB/s".to_owned())),
                "{line}"
            );
        }
        for line in [
            "before the patch 120",
            "before 12 and before 13, after 5",
            "| before 1 | after 2 |",
        ] {
            assert_eq!(shown(line), None, "{line}");
        }
    }
}
