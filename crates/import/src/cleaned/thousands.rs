//! Groups of three digits with a space or a point between them: `35 830 428 pps`, `1.341.700 fps`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::direction::of_unit;

/// Fewest groups that are one number in a line, where two figures may stand beside each other as well.
const FEWEST: usize = 3;

/// `whole` with such figures written without what parts their groups; columns stay where they are.
pub(crate) fn joined(whole: Cow<'_, str>) -> Cow<'_, str> {
    let mut found: Vec<Vec<(usize, usize)>> = whole.split_inclusive('\n').map(runs).collect();
    if found.iter().all(Vec::is_empty) {
        return whole;
    }
    let units = units(&whole, &found);
    if !units.is_empty() {
        add_shorter(&whole, &units, &mut found);
    }
    let lines = whole.split_inclusive('\n').zip(found);
    let lines = lines.map(|(line, found)| {
        let mut made = line.to_owned();
        for (start, end) in found.into_iter().rev() {
            let digits: String = line[start..end]
                .chars()
                .filter(char::is_ascii_digit)
                .collect();
            let width = end - start;
            made.replace_range(start..end, &format!("{digits:>width$}"));
        }
        made
    });
    Cow::Owned(lines.collect())
}

/// Units of the figures whose groups points part.
fn units<'w>(whole: &'w str, found: &[Vec<(usize, usize)>]) -> BTreeSet<&'w str> {
    let lines = whole.split_inclusive('\n').zip(found);
    let pointed = lines.flat_map(|(line, found)| {
        let pointed = found
            .iter()
            .filter(|(start, end)| line[*start..*end].contains('.'));
        pointed.map(|(_, end)| unit(&line[*end..]))
    });
    pointed.collect()
}

/// Adds figures of two groups with one of these units, `141.394`, where no other figure with it has a point elsewhere.
fn add_shorter(whole: &str, wanted: &BTreeSet<&str>, found: &mut [Vec<(usize, usize)>]) {
    let mut shorter = Vec::new();
    let mut decimal: BTreeSet<&str> = BTreeSet::new();
    for (number, line) in whole.split_inclusive('\n').enumerate() {
        let mut at = 0;
        while let Some(digit) = line[at..].find(|c: char| c.is_ascii_digit()) {
            let start = at + digit;
            let figure = |c: char| c.is_ascii_digit() || c == '.';
            at = line[start..]
                .find(|c| !figure(c))
                .map_or(line.len(), |end| start + end);
            let text = line[start..at].trim_end_matches('.');
            let end = start + text.len();
            let unit = unit(&line[end..]);
            let Some(first) = text.find('.').filter(|_| wanted.contains(unit)) else {
                continue;
            };
            let (till, groups) = groups(text, first, b'.');
            if till < text.len() || groups < 2 || first > 3 {
                decimal.insert(unit);
            } else if groups == 2 {
                shorter.push((number, (start, end), unit));
            }
        }
    }
    for (number, place, _) in shorter.iter().filter(|(.., unit)| !decimal.contains(unit)) {
        found[*number].push(*place);
        found[*number].sort_unstable();
    }
}

/// The word behind a figure.
fn unit(behind: &str) -> &str {
    let word = behind.split_whitespace().next().unwrap_or_default();
    word.trim_matches(['(', ')', ',', ';', '.', '*'])
}

/// Where such figures begin and end in a line.
fn runs(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(digit) = line[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + digit;
        at = start + line[start..].bytes().take_while(u8::is_ascii_digit).count();
        let before = line[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || ".,-/".contains(c)) || at - start > 3 {
            continue;
        }
        for sign in [b' ', b'.'] {
            let (end, groups) = groups(line, at, sign);
            if groups > 1 && is_one(line, (start, end), sign, groups) {
                found.push((start, end));
                at = end;
                break;
            }
        }
    }
    found
}

/// The end of the groups of three digits behind `from`, each behind the sign, and how many there are with the first.
fn groups(line: &str, from: usize, sign: u8) -> (usize, usize) {
    let bytes = line.as_bytes();
    let (mut end, mut count) = (from, 1);
    loop {
        let group = bytes.get(end + 1..end + 4);
        let whole = group.is_some_and(|group| group.iter().all(u8::is_ascii_digit));
        let longer = bytes.get(end + 4).is_some_and(u8::is_ascii_digit);
        if bytes.get(end) != Some(&sign) || !whole || longer {
            return (end, count);
        }
        (end, count) = (end + 4, count + 1);
    }
}

/// Are the groups one number? With spaces: all of a cell between bars, or a figure with its unit behind what ends another
/// word; with points: a figure with its unit.
fn is_one(line: &str, (start, end): (usize, usize), sign: u8, groups: usize) -> bool {
    let (front, behind) = (line[..start].trim_end(), &line[end..]);
    if behind.starts_with(['.', ',']) && behind[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let measured = of_unit(unit(behind)).is_some();
    if sign == b'.' {
        return groups >= FEWEST && measured;
    }
    let cell_ends = |behind: &str| behind.trim_start().starts_with('|');
    // `| 12 200 ms |`, `|7 616 K|`
    let with_unit = || {
        let unit = behind.split('|').next().unwrap_or_default().trim();
        let letters = !unit.is_empty() && unit.len() < 3 && unit.chars().all(char::is_alphabetic);
        behind.contains('|') && (letters || (measured && !unit.contains(' ')))
    };
    // Bold figures may stand between asterisks.
    let front = front.trim_end_matches('*').trim_end();
    let behind_bold = behind.trim_start_matches('*');
    let cell = front.ends_with('|') && (cell_ends(behind_bold) || with_unit());
    let apart = front.ends_with([',', ':', '=', '(']);
    cell || (groups >= FEWEST && measured && apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_one_number() {
        for (line, made) in [
            (
                "* radix: 279064482 nanoseconds, 35 830 428 pps",
                "* radix: 279064482 nanoseconds,   35830428 pps",
            ),
            (
                "frames: 1.341.700 fps (15.67 Gbps)",
                "frames:   1341700 fps (15.67 Gbps)",
            ),
            ("| 1 024 | 2.76 |", "|  1024 | 2.76 |"),
            ("|peak|7 616 K|60 616 K|", "|peak| 7616 K| 60616 K|"),
            (
                "| max | 12 200 ms | 629 ms |",
                "| max |  12200 ms | 629 ms |",
            ),
            (
                "a 1.341.700 fps\nb 641.394 fps\nc 12.50 s",
                "a   1341700 fps\nb  641394 fps\nc 12.50 s",
            ),
            (
                "a 1.341.700 fps\nb 641.394 fps\nc 12.5 fps",
                "a   1341700 fps\nb 641.394 fps\nc 12.5 fps",
            ),
        ] {
            assert_eq!(joined(Cow::Borrowed(line)), made);
        }
        for line in [
            "copy: 101 102 103",
            "8 342 865 ms",
            "5.100.200 kernel",
            "copy: 101 102 103.5 MB/s",
            "a-1 024 | 2",
        ] {
            assert_eq!(joined(Cow::Borrowed(line)), line);
        }
    }
}
