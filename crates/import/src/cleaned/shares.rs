//! Rows of percentages in a table of amounts: `Idle vCPU  1.1%  1.2%` was measured as the rows beside it were, and is no change of
//! anything. The sign moves to the label, so that the figures are read as such.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::amount::{Cell, cell};

/// `whole` with the signs of such rows in their labels.
pub(crate) fn amounts(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains('%') {
        return whole;
    }
    let lines: Vec<&str> = whole.split('\n').collect();
    let mut made: Vec<Cow<'_, str>> = Vec::with_capacity(lines.len());
    let mut changed = false;
    for block in lines.chunk_by(|line, next| line.trim().is_empty() == next.trim().is_empty()) {
        let counts: BTreeSet<usize> = block.iter().filter_map(|line| amounts_in(line)).collect();
        for line in block {
            let share = shares(line).filter(|(_, figures)| counts.contains(&figures.len()));
            changed |= share.is_some();
            made.push(share.map_or(Cow::Borrowed(*line), |(label, _)| {
                Cow::Owned(renamed(line, label))
            }));
        }
    }
    match changed {
        true => Cow::Owned(made.join("\n")),
        false => whole,
    }
}

/// How many amounts end a row that has a name.
fn amounts_in(line: &str) -> Option<usize> {
    let (label, found) = figures(line, is_amount);
    line[..label]
        .contains(char::is_alphabetic)
        .then_some(found.len())
}

/// The end of the label and the figures of a row of at least two percentages without signs of a change.
fn shares(line: &str) -> Option<(usize, Vec<&str>)> {
    let (label, figures) = figures(line, is_share);
    let barred = line.trim_start().starts_with('|') || !line.contains('|');
    let named = line[..label].contains(char::is_alphabetic);
    (figures.len() > 1 && named && barred).then_some((label, figures))
}

/// The words at the end of a line that are figures, between bars or not, and where the label in front of them ends.
fn figures(line: &str, is: fn(&str) -> bool) -> (usize, Vec<&str>) {
    let mut end = line.trim_end_matches([' ', '\t', '|', '\r']).len();
    let mut found = Vec::new();
    loop {
        let start = line[..end]
            .rfind([' ', '\t', '|'])
            .map_or(0, |space| space + 1);
        if start == end || !is(&line[start..end]) {
            break;
        }
        found.push(&line[start..end]);
        end = line[..start].trim_end_matches([' ', '\t', '|']).len();
    }
    (end, found)
}

/// `1.1%`, and a range of such, `4.6%~14%`.
fn is_share(word: &str) -> bool {
    let one = |text: &str| {
        let digits = text.strip_suffix('%').unwrap_or_default();
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok()
    };
    word.split('~').all(one)
}

fn is_amount(word: &str) -> bool {
    matches!(cell(word), Cell::Amount(..))
}

/// The row with the sign behind its label; where there is room, its figures stay below their columns.
fn renamed(line: &str, label: usize) -> String {
    let (label, rest) = line.split_at(label);
    let bare = rest.replace("%~", "~").replace('%', " ");
    let bare = bare
        .strip_prefix("   ")
        .map_or(bare.clone(), |bare| format!(" {bare}"));
    format!("{label} %{bare}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        amounts(Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn percentages_beside_amounts_were_measured() {
        let table = "            off     on\nidle        1.1%    1.2%\nlatency     34us    27us";
        let wanted = "            off     on\nidle %      1.1     1.2\nlatency     34us    27us";
        assert_eq!(made(table), wanted);
        let bars = "| | a | b |\n| busy | 12% | 4.6%~14% |\n| rate | 1 | 2 |";
        assert!(
            made(bars).contains("| busy % | 12  | 4.6~14"),
            "{}",
            made(bars)
        );
    }

    #[test]
    fn changes_stay() {
        for text in [
            "test a b\nfirst 1 2\nchange +3% +4%",
            "test a b\nfirst 10% 20%\nsecond 30% 20%",
        ] {
            assert_eq!(made(text), text);
        }
    }
}
