//! The words of a line by what they are in a row: figures, remarks on them, and the words of its label.

use super::amount;
use crate::direction::{is_bytes, of_unit};
use crate::number::grouped;

/// A remark or a unit stands as near to its figure, characters.
const NEAR: usize = 1;

/// Units of so many letters are words.
const LONG: usize = 5;

/// A figure where it stands, from its first character to behind the last of it and of the remarks that stick to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placed<'a> {
    pub(super) value: f64,
    /// As it stands in the line, without a unit apart from it.
    pub(super) text: &'a str,
    pub(super) unit: &'a str,
    pub(super) from: usize,
    pub(super) to: usize,
    /// It is a whole number with nothing behind it.
    pub(super) bare: bool,
    /// The word behind it, with which it ends or another figure follows.
    pub(super) next: &'a str,
}

/// A part of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Piece<'a> {
    Figure(Placed<'a>),
    Word(&'a str),
}

/// What brackets say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    /// Nothing that was measured.
    Remarks,
    /// What stands beside them as well, but for changes.
    Figures,
}

/// Words of a line with where they begin and end, in characters; tabs go on to the next eighth, bars are gaps.
fn words(line: &str) -> Vec<(usize, usize, &str)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut place = 0;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() || matches!(c, '|' | '│') {
            if let Some((byte, from)) = open.take() {
                parted(from, &line[byte..at], &mut found);
            }
        } else {
            open.get_or_insert((at, place));
        }
        place = behind(place, c);
    }
    if let Some((byte, from)) = open {
        parted(from, &line[byte..], &mut found);
    }
    found
}

/// Adds the parts of a word that begins in `from` between semicolons, and between commas that part no groups of digits.
fn parted<'a>(from: usize, word: &'a str, found: &mut Vec<(usize, usize, &'a str)>) {
    let inner = word.trim_matches([',', '(', ')', '[', ']', '*']);
    let whole = grouped(inner).is_some() || decimal(inner).is_some();
    let parts = |c: char| c == ';' || (c == ',' && !whole);
    let mut at = from;
    for part in word.split(parts) {
        let to = at + part.chars().count();
        match setting(part) {
            Some((name, figure)) => {
                let behind = at + name.chars().count();
                found.push((at, behind, name));
                found.push((behind, to, figure));
            }
            None if part.is_empty() => {}
            None => found.push((at, to, part)),
        }
        at = to + 1;
    }
}

/// The name with its sign and the figure of `avg=31.28`.
fn setting(word: &str) -> Option<(&str, &str)> {
    let (name, figure) = word.split_once('=')?;
    let digit = figure.starts_with(|c: char| c.is_ascii_digit());
    let named = name.starts_with(|c: char| c.is_alphabetic() || c == '(');
    (digit && named && !figure.contains('=')).then(|| word.split_at(name.len() + 1))
}

/// `41,98`, where two digits or one behind the comma are no group.
fn decimal(word: &str) -> Option<f64> {
    let (whole, part) = word.split_once(',')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is = digits(whole) && digits(part) && part.len() < 3;
    is.then(|| format!("{whole}.{part}").parse().ok()).flatten()
}

/// The place behind a sign in `place`.
fn behind(place: usize, sign: char) -> usize {
    const TAB: usize = 8;
    match sign {
        '\t' => (place / TAB + 1) * TAB,
        _ => place + 1,
    }
}

/// How wide a text is that begins a line, with its tabs.
pub(super) fn wide(text: &str) -> usize {
    text.chars().fold(0, behind)
}

/// What a word is in a row.
enum Kind<'a> {
    Figure(f64, &'a str),
    /// A change, a spread, what stands in brackets or beside them.
    Remark,
    Label,
}

/// The parts of a line; none where a bracket is not closed.
pub(super) fn pieces(line: &str, brackets: Brackets) -> Option<Vec<Piece<'_>>> {
    let mut found: Vec<Piece> = Vec::new();
    // What closes the remark that is open.
    let mut closes: Option<char> = None;
    // A spread is to come, or was the word before.
    let (mut spread, mut spread_before) = (false, false);
    let mut any = false;
    for (from, to, word) in words(line) {
        // What follows from the figures, `1,234 cycles # 3.3 GHz`, `5.25 5.5 => 5.3`.
        if any && matches!(word, "#" | "=>") {
            break;
        }
        let kind = match closes {
            Some(sign) => {
                if word.trim_end_matches(is_note).ends_with(sign) {
                    closes = None;
                }
                Kind::Remark
            }
            None => {
                let (kind, open) = kind(word, any, brackets);
                closes = open;
                kind
            }
        };
        let of_spread = std::mem::replace(&mut spread, is_spread(word));
        // `± 1.2 ms`: the unit behind it is that of both.
        let of_both = std::mem::replace(&mut spread_before, of_spread);
        let kind = match of_spread || (of_both && of_unit(bare_of(word, brackets)).is_some()) {
            true => Kind::Remark,
            false => kind,
        };
        let last = found.iter_mut().rev().find_map(|piece| match piece {
            Piece::Figure(figure) => Some(figure),
            Piece::Word(_) => None,
        });
        match kind {
            Kind::Figure(value, unit) => {
                any = true;
                let bare = word.bytes().all(|b| b.is_ascii_digit());
                found.push(Piece::Figure(Placed {
                    value,
                    text: bare_of(word, brackets),
                    unit,
                    from,
                    to,
                    bare,
                    next: "",
                }));
            }
            Kind::Remark => {
                if let Some(figure) = last.filter(|figure| figure.to + NEAR >= from) {
                    (figure.to, figure.bare) = (to, false);
                    // `0.907 ± 0.003M/s`: the unit stands behind the spread.
                    let unit = match of_spread {
                        true => amount(word).map_or("", |(_, unit)| unit),
                        false => bare_of(word, brackets),
                    };
                    if figure.unit.is_empty() && of_unit(unit).is_some() {
                        figure.unit = unit;
                    }
                }
            }
            // A unit apart from its figure.
            Kind::Label => {
                let word = bare_of(word, brackets);
                match last {
                    Some(figure)
                        if figure.unit.is_empty()
                            && figure.to + NEAR >= from
                            && (of_unit(word).is_some() || is_bytes(word)) =>
                    {
                        (figure.unit, figure.to, figure.bare) = (word, to, false);
                        // `4.9 seconds time elapsed` is called by its unit as well.
                        if word.len() >= LONG {
                            found.push(Piece::Word(word));
                        }
                    }
                    _ => {
                        if let Some(Piece::Figure(figure)) = found.last_mut() {
                            figure.next = word;
                        }
                        found.push(Piece::Word(word));
                    }
                }
            }
        }
    }
    closes.is_none().then_some(found)
}

/// A word without the signs of brackets around it, where these say no more than the rest.
fn bare_of(word: &str, brackets: Brackets) -> &str {
    match brackets {
        Brackets::Remarks => word,
        Brackets::Figures => {
            let word = word.strip_suffix("):").unwrap_or(word);
            word.trim_matches(['(', ')', '[', ']', '{', '}', ',', ';', '"', '*', '`'])
        }
    }
}

/// Does a spread follow?
fn is_spread(word: &str) -> bool {
    matches!(word, "±" | "+-" | "+/-")
}

/// Points at a note.
fn is_note(c: char) -> bool {
    matches!(c, '¹' | '²' | '³' | '⁴' | ',' | ';')
}

/// What a word is, behind figures or not, and the sign that ends what it opens.
fn kind(word: &str, behind: bool, brackets: Brackets) -> (Kind<'_>, Option<char>) {
    // `[19764]` names a process.
    let inner = word
        .strip_prefix('[')
        .and_then(|word| word.strip_suffix(']'));
    if inner.is_some_and(|inner| inner.bytes().all(|b| b.is_ascii_digit())) {
        return (Kind::Remark, None);
    }
    // `101.873 (1.16069)`: how far it was off.
    let inner = word
        .strip_prefix('(')
        .and_then(|word| word.strip_suffix(')'));
    if behind && inner.is_some_and(|inner| inner.parse::<f64>().is_ok()) {
        return (Kind::Remark, None);
    }
    let bare = bare_of(word.trim_end_matches(is_note), brackets);
    for (open, close) in [('(', ')'), ('[', ']'), ('*', '*')] {
        if behind && brackets == Brackets::Remarks && bare.starts_with(open) {
            let closed = bare.len() > 1 && bare.ends_with(close);
            return (Kind::Remark, (!closed).then_some(close));
        }
    }
    let sign = behind && bare.starts_with(['+', '-', '−', '±', '~']) && bare != "-";
    let digit = bare.starts_with(|c: char| c.is_ascii_digit());
    let share = behind && digit && bare.ends_with('%');
    if bare.is_empty() || sign || share || matches!(bare, "∞" | "vs") || is_spread(bare) {
        return (Kind::Remark, None);
    }
    match amount(bare).or_else(|| Some((decimal(bare)?, ""))) {
        Some((value, unit)) => (Kind::Figure(value, unit), None),
        None => (Kind::Label, None),
    }
}
