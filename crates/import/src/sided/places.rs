//! Sides that are named by their place: `first column` of rows that stand beside each other, `second of three` of the
//! figures in each cell.

use std::borrow::Cow;

use whyslow_model::Record;
use whyslow_model::text::words;

use super::{Names, Text, amount, blocks, paired};
use crate::Fault;
use crate::sides::label_of;

/// Names of places, from 0.
const PLACES: [(&str, usize); 7] = [
    ("first", 0),
    ("left", 0),
    ("second", 1),
    ("right", 1),
    ("third", 2),
    ("fourth", 3),
    ("fifth", 4),
];

/// The sides in the places that their names say.
pub(super) fn find(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    let place = |name: &String| {
        let words = words(name);
        let mut found = words
            .iter()
            .filter_map(|word| PLACES.iter().find(|(known, _)| known == word));
        found.next().map(|(_, at)| *at)
    };
    let (Some(a), Some(b)) = (place(&names.0[0]), place(&names.0[1])) else {
        return paired::find(text, file, names);
    };
    // A column has pairs of its own.
    let columns = names
        .0
        .iter()
        .any(|name| words(name).iter().any(|word| word == "column"));
    let tight = |line: &str, at: usize| {
        let pair = !columns && at < 2;
        pair.then(|| paired::of_tight_place(line, at)).flatten()
    };
    let part = |line: &str, at: usize| {
        halves(line, at)
            .or_else(|| in_cells(line, at))
            .or_else(|| tight(line, at))
    };
    let is = |line: &str| part(line, a).is_some() && part(line, b).is_some();
    if text.lines().filter(|(_, line)| is(line)).count() < 2 {
        return Ok(None);
    }
    let of = |place: usize| {
        let lines = text.lines().map(|(_, line)| match part(line, place) {
            Some(own) => Cow::Owned(own),
            None => Cow::Borrowed(line),
        });
        Text::of_lines(&lines.collect::<Vec<_>>())
    };
    blocks::read(text, [&of(a)?, &of(b)?], file, names)
}

/// The part in that place of a line that holds one row twice, as `diff -y` prints it.
fn halves(line: &str, place: usize) -> Option<String> {
    let (left, right) = line
        .split_once('|')
        .filter(|(_, right)| !right.contains('|'))?;
    let (first, second) = (label_of(left), label_of(right));
    let alike = !first.is_empty() && first == second;
    let own = [left, right].get(place).copied()?;
    alike.then(|| own.trim().to_owned())
}

/// The line with the figure in that place of each cell that has several, `1828 / 1829 / 1829`.
fn in_cells(line: &str, place: usize) -> Option<String> {
    let pieces: Vec<&str> = line.split(" / ").collect();
    if pieces.len() < 3 {
        return None;
    }
    let last =
        |text: &str| text.len() - text.rsplit(char::is_whitespace).next().map_or(0, str::len);
    let end = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let mut out = String::new();
    let mut list: Vec<&str> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        // Between two lists stands what ends the one and begins the other.
        let (first, rest) = piece.split_at(end(piece));
        let goes_on = rest.trim().is_empty() && at > 0 && at + 1 < pieces.len();
        if at == 0 {
            let begin = last(piece);
            out += &piece[..begin];
            list.push(&piece[begin..]);
        } else if goes_on {
            list.push(first);
        } else {
            list.push(first);
            amount(list.first()?)?;
            out += list.get(place)?;
            list.clear();
            if at + 1 < pieces.len() {
                let begin = last(rest);
                out += &rest[..begin];
                list.push(&rest[begin..]);
            } else {
                out += rest;
            }
        }
    }
    list.is_empty().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_lines() {
        assert_eq!(
            in_cells("600     1828 / 1829 / 1830    50.5 / 47.5 / 56.5", 1).as_deref(),
            Some("600     1829    47.5")
        );
        assert_eq!(in_cells("a  1 / 2", 0), None);
        assert_eq!(
            halves("RNG  15.5 MB/s  |  RNG  62.5 MB/s", 1).as_deref(),
            Some("RNG  62.5 MB/s")
        );
        assert_eq!(halves("| a | 1.5 |", 0), None);
    }
}
