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
        && (width..=width + 1).contains(&front.split_whitespace().count())
    {
        return front.split_whitespace().collect();
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
