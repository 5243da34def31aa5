//! Rows of a summary table to columns, by the ruler of dashes under its header.

use crate::Fault;
use crate::error::quote;
use crate::number::scaled;

/// A word of a line and the columns of the terminal that it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Word<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: &'a str,
}

/// `line` with tabs as the spaces that a terminal shows.
pub(crate) fn expanded(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let wide = if c == '\t' { 8 - column % 8 } else { 1 };
        column += wide;
        if c == '\t' {
            out.extend(std::iter::repeat_n(' ', wide));
        } else {
            out.push(c);
        }
    }
    out
}

/// The words of a line without tabs.
pub(crate) fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut column = 0;
    for (at, c) in line.char_indices() {
        match (c.is_whitespace(), open) {
            (true, Some((from, start))) => {
                words.push(Word {
                    start,
                    end: column,
                    text: &line[from..at],
                });
                open = None;
            }
            (false, None) => open = Some((at, column)),
            _ => {}
        }
        column += 1;
    }
    if let Some((from, start)) = open {
        words.push(Word {
            start,
            end: column,
            text: &line[from..],
        });
    }
    words
}

/// The columns that a ruler of dashes draws; `None` when the line is no such ruler.
pub(crate) fn ruler(line: &str) -> Option<Vec<(usize, usize)>> {
    let words = words(line);
    let drawn = words.iter().all(|w| w.text.bytes().all(|b| b == b'-'));
    (drawn && words.len() >= 2).then(|| words.iter().map(|w| (w.start, w.end)).collect())
}

/// A row of a table: whose it is, and a value or nothing for each column.
#[derive(Debug, PartialEq)]
pub(crate) struct Cut {
    /// Host and system as printed.
    pub(crate) system: String,
    /// One entry a column behind the leading ones.
    pub(crate) values: Vec<Option<f64>>,
}

/// Does the line have numbers behind its host, as rows have and prose seldom has?
pub(crate) fn is_row(line: &str) -> bool {
    let words = words(line);
    words.len() >= 3 && words[1..].iter().any(|w| is_value(w.text))
}

/// Are all words of the line values, as in the rest of a row that a mail program broke?
pub(crate) fn is_rest(line: &str) -> bool {
    let words = words(line);
    !words.is_empty() && words.iter().all(|w| is_value(w.text))
}

/// Cuts a row at the columns of `ruler`, of which the first `lead` name the system.
///
/// # Errors
/// When it is not certain which column a number belongs to.
pub(crate) fn cut(
    line: &str,
    number: usize,
    ruler: &[(usize, usize)],
    lead: usize,
) -> Result<Cut, Fault> {
    let unsure = |why: &str| {
        Fault::at(
            number,
            format!(
                "{why} in '{}'; write the row under its header as lmbench printed it, or take it out",
                quote(line)
            ),
        )
    };
    let columns = ruler.get(lead..).unwrap_or_default();
    let words = words(line);
    let (system, tail) = by_position(line, &words, ruler, lead, columns.len())
        .or_else(|| by_count(&words, columns.len()))
        .ok_or_else(|| unsure("cannot tell where the system's name ends and the numbers begin"))?;
    let values = assign(&tail, columns).map_err(|why| unsure(&why))?;
    Ok(Cut { system, values })
}

/// Host and system at their places, numbers behind: the host at the left of the first column, the
/// system at the right of the second, as lmbench prints them. A number that sticks to the system's name
/// is cut off where the ruler says, if the row is complete then.
fn by_position<'a>(
    line: &'a str,
    words: &[Word<'a>],
    ruler: &[(usize, usize)],
    lead: usize,
    columns: usize,
) -> Option<(String, Vec<Word<'a>>)> {
    let [host, system, ..] = *ruler else {
        return None;
    };
    let end = ruler.get(lead.checked_sub(1)?)?.1;
    let in_host = words.iter().take_while(|w| w.end <= host.1).count();
    let in_system = words[in_host..].iter().take_while(|w| w.start < system.1);
    let placed = in_system
        .clone()
        .next()
        .is_some_and(|w| w.start >= system.0)
        && in_system.last().is_some_and(|w| w.end >= system.1);
    if in_host == 0 || !placed {
        return None;
    }
    let mut tail: Vec<Word> = words.iter().copied().filter(|w| w.start >= end).collect();
    if let Some(word) = words.iter().find(|w| w.start < end && w.end > end) {
        let at = word.text.char_indices().nth(end - word.start)?.0;
        let glued = Word {
            start: end,
            end: word.end,
            text: &word.text[at..],
        };
        tail.insert(0, glued);
        if tail.len() != columns {
            return None;
        }
    }
    if !tail.first().is_some_and(|w| is_value(w.text)) {
        return None;
    }
    // A description, where there is one, is no part of the name.
    let name = line
        .char_indices()
        .nth(system.1)
        .map_or(line, |(at, _)| &line[..at]);
    let name: Vec<&str> = name.split_whitespace().collect();
    Some((name.join(" "), tail))
}

/// A complete row that is not under its ruler any more: the last numbers are the columns. In front of
/// them must stand host, system and a version, or one of its numbers could be taken for a value.
fn by_count<'a>(words: &[Word<'a>], columns: usize) -> Option<(String, Vec<Word<'a>>)> {
    let at = words.len().checked_sub(columns)?;
    let (name, tail) = words.split_at(at);
    let [host, system, version] = name else {
        return None;
    };
    let versioned = version.text.contains(|c: char| c.is_ascii_digit());
    if !versioned || !tail.iter().all(|w| is_value(w.text)) {
        return None;
    }
    let name = [host, system, version].map(|w| w.text).join(" ");
    Some((name, tail.to_vec()))
}

/// A number, or what lmbench prints where it has none.
fn is_value(text: &str) -> bool {
    text == "-" || scaled(text).is_some()
}

/// The value of a word; -1 and - are none.
fn value(text: &str) -> Option<f64> {
    scaled(text).filter(|v| *v >= 0.0)
}

/// Values by column: all in order when the row is complete, by place otherwise.
fn assign(words: &[Word], columns: &[(usize, usize)]) -> Result<Vec<Option<f64>>, String> {
    let words = unglued(words, columns);
    let numbers: Vec<Word> = words
        .iter()
        .copied()
        .take_while(|w| is_value(w.text))
        .collect();
    // lmbench guesses about caches in words behind the numbers; nothing else is there.
    let guess = words.get(numbers.len()).map(|w| w.text);
    if guess.is_some_and(|word| !matches!(word, "No" | "Bad")) {
        return Err(format!(
            "'{}' is no number",
            guess.map(quote).unwrap_or_default()
        ));
    }
    if numbers.len() > columns.len() {
        return Err(format!(
            "{} numbers for {} columns",
            numbers.len(),
            columns.len()
        ));
    }
    if numbers.len() == columns.len() {
        return Ok(numbers.iter().map(|w| value(w.text)).collect());
    }
    let mut values = vec![None; columns.len()];
    let mut free = 0;
    for word in &numbers {
        let mut under = columns
            .iter()
            .enumerate()
            .filter(|(_, c)| word.start < c.1 && word.end > c.0);
        let (Some((at, _)), None) = (under.next(), under.next()) else {
            return Err(format!("'{}' is not under one column", word.text));
        };
        if at < free {
            return Err(format!(
                "two numbers are under the column of '{}'",
                word.text
            ));
        }
        values[at] = value(word.text);
        free = at + 1;
    }
    Ok(values)
}

/// A number without an exponent, which could have been any digits of its neighbor.
fn is_half(text: &str) -> bool {
    is_value(text) && !text.contains(['e', 'E', '-'])
}

/// Cuts words that are two numbers without a space between them where the left one's column ends.
fn unglued<'a>(words: &[Word<'a>], columns: &[(usize, usize)]) -> Vec<Word<'a>> {
    let mut out = Vec::with_capacity(words.len());
    for &word in words {
        let right = columns.iter().find(|c| c.1 == word.end && c.0 > word.start);
        let left = columns
            .iter()
            .rfind(|c| c.0 <= word.start && c.1 < word.end && c.1 > word.start);
        let halves = match (left, right) {
            (Some(left), Some(_)) if !is_value(word.text) && word.text.is_ascii() => {
                let (a, b) = word.text.split_at(left.1 - word.start);
                Some((a, b, left.1)).filter(|(a, b, _)| is_half(a) && is_half(b))
            }
            _ => None,
        };
        match halves {
            Some((a, b, at)) => {
                out.push(Word {
                    end: at,
                    text: a,
                    ..word
                });
                out.push(Word {
                    start: at,
                    text: b,
                    ..word
                });
            }
            None => out.push(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULER: &str = "--------- ------------- ----- ----- ---- -----";

    fn cut_at(line: &str) -> Result<Cut, Fault> {
        cut(line, 1, &ruler(RULER).unwrap(), 2)
    }

    #[test]
    fn places_values_by_position() {
        for (line, name, values) in [
            (
                "ds10       Linux 2.4.23 1.850 8.237 17.6  42.6",
                "ds10 Linux 2.4.23",
                vec![Some(1.85), Some(8.237), Some(17.6), Some(42.6)],
            ),
            (
                "ds10       Linux 2.4.23 1.850            11.K",
                "ds10 Linux 2.4.23",
                vec![Some(1.85), None, None, Some(11000.0)],
            ),
            (
                "ds10      Linux 2.4.23a12345 8.237 17.6  42.6",
                "ds10 Linux 2.4.23a",
                vec![Some(12345.0), Some(8.237), Some(17.6), Some(42.6)],
            ),
            (
                "ds10       Linux 2.4.23 1.850 8.237 17.60142.6",
                "ds10 Linux 2.4.23",
                vec![Some(1.85), Some(8.237), Some(17.6), Some(142.6)],
            ),
            (
                "h Linux 2.4 1 2 -1 4",
                "h Linux 2.4",
                vec![Some(1.0), Some(2.0), None, Some(4.0)],
            ),
        ] {
            let cut = cut_at(line).unwrap();
            assert_eq!((cut.system.as_str(), cut.values), (name, values), "{line}");
        }
    }

    #[test]
    fn refuses_what_is_not_certain() {
        for line in [
            "h Linux 2.4 1 2 3",
            "ds10       Linux 2.4.23 1.850 8.237 17.6  42.6 9",
            "ds10       Linux 2.4.23 1.850 8.2x7 17.6  42.6",
            "ds10       Linux 2.4.23 1.850 8.237842 42.6",
            "ds10       Linux 2.4.23 1e3080.33 17.6  42.6",
        ] {
            assert!(cut_at(line).is_err(), "{line}: {:?}", cut_at(line));
        }
    }
}
