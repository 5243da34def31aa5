//! A line that names both sides is the header of the rows below it.

use super::{Found, Names, Text, amount, cells, heading};

/// Words of a cell: more are a sentence.
const WORDS: usize = 8;

/// A header's cells, those that name the sides, and its line.
type Header<'a> = (Vec<&'a str>, [Option<usize>; 2], &'a str);

/// The figures below headers that name both sides.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let mut found: Vec<Found> = Vec::new();
    let mut header: Option<Header> = None;
    let mut section = String::new();
    for (number, line) in text.lines() {
        let own = cells(line.trim());
        if let Some(at) = places(&own, names) {
            let above = heading(text, number);
            section = match found.is_empty() || above.is_empty() {
                true => String::new(),
                false => format!("{above} "),
            };
            header = Some((own, at, line));
        } else if let Some((names_of, at, line_of)) = &header
            && let Some((label, figures)) = row(&own, names_of.len(), *at)
        {
            let label = match (label.as_str(), names_of.first()) {
                ("", _) => "result".to_owned(),
                (label, Some(first)) if label.chars().all(|c| !c.is_alphabetic()) => {
                    format!("{first} {label}")
                }
                (label, _) => label.to_owned(),
            };
            for (side, (value, unit)) in figures.into_iter().enumerate() {
                found.push(Found {
                    side,
                    title: format!("{section}{label}").trim().to_owned(),
                    near: vec![at[side].map_or("", |at| names_of[at]), line_of],
                    value,
                    unit,
                    line: number,
                });
            }
        }
    }
    found
}

/// Which cells name the sides, where one line does.
fn places(own: &[&str], names: &Names) -> Option<[Option<usize>; 2]> {
    let sentence = |cell: &&str| cell.split_whitespace().count() > WORDS;
    if own.len() < 2 || own.iter().any(sentence) {
        return None;
    }
    let best = |side: usize| {
        let fits = own
            .iter()
            .enumerate()
            .map(|(at, text)| (names.fit(side, text), at));
        // The first of those that fit as well.
        let fit = fits.max_by_key(|(fit, at)| (*fit, usize::MAX - at))?;
        (fit.0 > 0 && names.side(own[fit.1]).is_none_or(|of| of == side)).then_some(fit.1)
    };
    // A page may have one of them alone; then its name must be a cell's whole name.
    match [best(0), best(1)] {
        [Some(a), Some(b)] => (a != b).then_some([Some(a), Some(b)]),
        [Some(a), None] if names.is_one() => (names.fit(0, own[a]) > 2).then_some([Some(a), None]),
        _ => None,
    }
}

/// The label of a row and its figures of the two sides, below a header of `width` cells that names them at `at`.
fn row<'a>(
    own: &[&'a str],
    width: usize,
    at: [Option<usize>; 2],
) -> Option<(String, Vec<(f64, &'a str)>)> {
    // Rows without a name for the labels in the header have one cell more, those that lost some begin later.
    let place = |at: usize| match own.len() {
        n if n == width => Some(at),
        n if n > width => Some(at + n - width).filter(|_| n == width + 1),
        n => (at + n).checked_sub(width),
    };
    let mut figures = Vec::new();
    let mut first = own.len();
    for at in at.into_iter().flatten() {
        let at = place(at)?;
        figures.push(amount(own.get(at)?)?);
        first = first.min(at);
    }
    let label: Vec<&str> = own[..first].iter().map(|cell| cell.trim()).collect();
    let label: Vec<&str> = label.into_iter().filter(|cell| !cell.is_empty()).collect();
    let label = label.join(" ");
    Some((label.trim_matches([':', '*', '`', ' ']).to_owned(), figures))
}
