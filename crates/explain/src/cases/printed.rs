//! Where a published file prints a row: its words may stand some lines above its figures.

use super::plain;

/// Lines above a figure among which the words of its row may stand: a heading, a command, and what the tool prints first.
const ABOVE: usize = 15;

/// What a printed figure with its unit may be, `108392ms`, `41.4k`: the number, and that in thousands.
pub(super) fn figures(word: &str) -> Vec<f64> {
    /// Letters of a unit: more are a name.
    const UNIT: usize = 4;
    // `IOPS=84.3k`, `50.00th=[ 1467]`
    let word = word.rsplit('=').next().unwrap_or(word);
    let word = word.trim_matches(['[', ']', ',', ';']);
    let end = word.find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
    let (digits, unit) = word.split_at(end.unwrap_or(word.len()));
    let Ok(value) = digits.replace(',', "").parse::<f64>() else {
        return Vec::new();
    };
    if unit.len() > UNIT || !unit.chars().all(char::is_alphabetic) {
        return Vec::new();
    }
    match unit.chars().next() {
        Some('k' | 'K') => vec![value, value * 1e3],
        Some('M') => vec![value, value * 1e6],
        Some('G') => vec![value, value * 1e9],
        _ => vec![value],
    }
}

/// Is one of the values printed on a line with the words of the row, or below one? The last word may be the line's own,
/// `Request Latencies 50.0th`.
pub(super) fn stands_below(text: &str, row: &str, values: &[f64]) -> bool {
    let apart = row.trim().rsplit_once(' ');
    let ends = |line: &str, last: &str| {
        line.split_whitespace()
            .any(|word| plain(word) == plain(last))
    };
    stands(text, row, values, &|_| true)
        || apart.is_some_and(|(front, last)| stands(text, front, values, &|line| ends(line, last)))
}

/// Is one of the values printed on or below a line with these words, on a line that fits?
fn stands(text: &str, words: &str, values: &[f64], fits: &dyn Fn(&str) -> bool) -> bool {
    let wanted = plain(words);
    let is_value = |word: &str| {
        let same = |figure: &f64| values.iter().any(|v| (v / figure - 1.0).abs() < 1e-9);
        figures(word).iter().any(same)
    };
    let lines: Vec<&str> = text.lines().collect();
    let named: Vec<bool> = lines.iter().map(|l| plain(l).contains(&wanted)).collect();
    let mut numbered = lines.iter().enumerate();
    !wanted.is_empty()
        && numbered.any(|(at, line)| {
            named[at.saturating_sub(ABOVE)..=at].contains(&true)
                && fits(line)
                && line.split_whitespace().any(is_value)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_called_by_the_line_above_it() {
        let text =
            "Reading from there:\n7 records\n12345 bytes copied, 2.5 s\n\nWriting:\n\n1.5 s\n";
        assert!(stands_below(text, "reading", &[2.5]));
        assert!(!stands_below(text, "Writing", &[2.5]));
        assert!(stands_below(text, "Writing", &[1.5]));
        assert!(!stands_below(text, "Erasing", &[1.5]));
        assert!(!stands_below(text, "", &[1.5]));
        let text = "Request times\n 50.0th: 7 (9 samples)\n 90.0th: 8\n";
        assert!(stands_below(text, "Request times 50.0th", &[7.0]));
        assert!(!stands_below(text, "Request times 50.0th", &[8.0]));
    }
}
