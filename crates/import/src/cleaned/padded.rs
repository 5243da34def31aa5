//! Numbers that a program pads within the name of a row, `using  1 threads: 3.8 GB/s`: the gap parts no cells.

use std::borrow::Cow;

/// `whole` with one space in place of such gaps.
pub(crate) fn joined(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.split('\n').any(|line| gap(line).is_some()) {
        return whole;
    }
    let lines = whole.split('\n').map(|line| match gap(line) {
        Some((start, end)) => Cow::Owned(format!("{} {}", &line[..start], &line[end..])),
        None => Cow::Borrowed(line),
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// The gap before the number that the words in front of the only colon end with, each but the last of them a word.
fn gap(line: &str) -> Option<(usize, usize)> {
    let (label, figure) = line.split_once(": ")?;
    let (front, unit) = label.rsplit_once(' ')?;
    let start = front.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let words = front[..start].trim_end_matches(' ');
    let letters = |text: &str| !text.is_empty() && text.chars().all(char::is_alphabetic);
    let last = words.rsplit(' ').next().unwrap_or_default();
    let padded = start < front.len() && start >= words.len() + 2;
    let plain = letters(unit) && letters(last) && !words.trim_start().contains("  ");
    let measured = figure.contains(|c: char| c.is_ascii_digit());
    (padded && plain && measured).then_some((words.len(), start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_numbers_are_of_the_name() {
        for (line, bare) in [
            (
                "write with  1 threads: 3.5 GB/s",
                "write with 1 threads: 3.5 GB/s",
            ),
            (
                "write with 16 threads: 3.5 GB/s",
                "write with 16 threads: 3.5 GB/s",
            ),
            ("a  b  1 threads: 3.5", "a  b  1 threads: 3.5"),
            ("pipe  12 us: no", "pipe  12 us: no"),
        ] {
            assert_eq!(joined(Cow::Borrowed(line)), bare);
        }
    }
}
