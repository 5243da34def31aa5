//! Names of columns in a line with single spaces.

use crate::direction::of_unit;

/// The words of a line, those of a command with its option together, `ls -R`.
pub(crate) fn with_options(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let mut option = word.strip_prefix('-').unwrap_or_default().chars();
        let letter = option.next().is_some_and(char::is_alphabetic) && option.next().is_none();
        let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        match words.last_mut() {
            Some(last) if letter => *last = &text[place(last)..place(word) + word.len()],
            _ => words.push(word),
        }
    }
    words
}

/// The names in a header with single spaces: its words, or what ends with a unit each, `size old MB/s new MB/s change`.
pub(super) fn words_or_units(text: &str, width: usize) -> Vec<&str> {
    let words = with_options(text);
    // What a bracket at the end says is no name of a column: `Test Before After Change (positive is better)`.
    if words.len() > width + 1
        && let Some((front, remark)) = text.split_once(" (")
        && remark.ends_with(')')
        && !front.contains('(')
        && !remark.contains('(')
        && (width..=width + 1).contains(&front.split_whitespace().count())
    {
        return front.split_whitespace().collect();
    }
    if words.len() > width + 1
        && let Some(names) = with_bracketed_units(text, width)
    {
        return names;
    }
    if words.len() <= width + 1 || text.contains(['(', '[']) {
        return words;
    }
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let mut names: Vec<&str> = Vec::new();
    let mut start = 0;
    for word in &words {
        let end = place(word) + word.len();
        if of_unit(word).is_some() {
            names.push(text[start..end].trim());
            start = end;
        }
    }
    // Words behind the last unit are names of their own.
    names.extend(text[start..].split_whitespace());
    // The first word is the name of the labels, where more follows before the unit.
    if let Some(first) = names.first().copied()
        && let Some((label, rest)) = first.split_once(' ')
        && rest.contains(' ')
    {
        names.splice(0..1, [label, rest.trim_start()]);
    }
    names
}

/// The names where each of a figure is a word with its unit in brackets, `Connection type Median (Gbps) Stddev (Mbps)`;
/// what is in front of them is the name of the labels.
fn with_bracketed_units(text: &str, width: usize) -> Option<Vec<&str>> {
    let mut front = text.trim();
    let mut names: Vec<&str> = Vec::new();
    for _ in 0..width {
        let open = front.strip_suffix(')')?.rfind('(')?;
        of_unit(&front[open + 1..front.len() - 1])?;
        let name = front[..open].trim_end();
        let start = name.rfind(' ').map_or(0, |space| space + 1);
        names.push(&front[start..]);
        front = front[..start].trim_end();
    }
    names.push(front);
    names.reverse();
    let label = names[0].split_whitespace().count();
    ((1..=MOST_OF_LABEL).contains(&label) && !names[0].contains(['(', '['])).then_some(names)
}

/// More words are no name of labels.
const MOST_OF_LABEL: usize = 3;

#[cfg(test)]
mod tests {
    use super::words_or_units;

    #[test]
    fn a_unit_in_brackets_ends_a_name() {
        for (text, width, names) in [
            (
                "Connection type Median (Gbps) Avg (Gbps) Stddev (Mbps)",
                3,
                vec![
                    "Connection type",
                    "Median (Gbps)",
                    "Avg (Gbps)",
                    "Stddev (Mbps)",
                ],
            ),
            (
                "Test Before After Change (positive is better)",
                3,
                vec!["Test", "Before", "After", "Change"],
            ),
            (
                "Size (bytes) Rate (MB/s)",
                1,
                vec!["Size", "(bytes)", "Rate", "(MB/s)"],
            ),
        ] {
            assert_eq!(words_or_units(text, width), names, "{text}");
        }
    }
}
