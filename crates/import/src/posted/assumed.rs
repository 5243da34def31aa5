//! Which direction is good where nothing on a page says it: by how the figures look, and said to be assumed.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::text::words;

use super::header::Header;
use super::names::is_size;
use super::{Group, Line};
use crate::amount::{Cell, cell};

/// What the note of an assumed direction is about.
pub(crate) const ABOUT: &str = "direction";

/// Figures that fall by this factor from the fewest to the most at once are rates: what is shared gets less for each.
const FALLS: f64 = 1.5;

/// The direction, and the sentence that says that it is assumed; none where the figures look like neither.
pub(crate) fn direction(groups: &[Group]) -> Option<(Better, &'static str)> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let speedup = |text: &&str| text.to_lowercase().contains("speedup");
    let said = |group: &Group| {
        let mut above = group.above.iter();
        above.any(|(_, line)| match line {
            Line::Words(cells) => cells.iter().any(speedup),
            Line::Row(_) => false,
        })
    };
    if groups.iter().any(said) {
        return of_speedups(
            &rows()
                .map(|(_, row)| row.cells.as_slice())
                .collect::<Vec<_>>(),
        );
    }
    let amounts = |cells: &[&str]| -> Vec<f64> {
        let amounts = cells.iter().filter_map(|text| match cell(text) {
            Cell::Amount(value, _) => Some(value),
            _ => None,
        });
        amounts.collect()
    };
    let sized = groups
        .iter()
        .any(|group| Header::above(group).is_some_and(|header| is_size(&header.label)));
    if sized {
        let firsts: Vec<f64> = rows()
            .filter_map(|(_, row)| amounts(&row.cells).first().copied())
            .collect();
        let (first, last) = (firsts.first()?, firsts.last()?);
        let numbers = rows().filter_map(|(_, row)| row.label.trim().parse::<f64>().ok());
        let grown = grown_at_once(&numbers.zip(firsts.iter().copied()).collect::<Vec<_>>());
        if grown.is_some() {
            return grown;
        }
        return (*first > FALLS * last).then_some((
            Higher,
            "which direction is good is not said; as the figures fall with the number at once they are taken for rates, \
             and more for better",
        ));
    }
    let headers: Vec<(Header, &Group)> = groups
        .iter()
        .filter_map(|group| Some((Header::above(group)?, group)))
        .collect();
    let by_column = headers.iter().find_map(|(header, group)| {
        let sizes: Option<Vec<f64>> = header.names().map(|name| size_in(name)).collect();
        let (_, row) = group.rows.first()?;
        let figures = amounts(&row.cells);
        let pairs = sizes?.into_iter().zip(figures.iter().copied());
        by_size(&pairs.collect::<Vec<_>>())
    });
    let by_label = || {
        groups.iter().find_map(|group| {
            let sized = group.rows.iter().filter_map(|(_, row)| {
                let first = amounts(&row.cells).first().copied();
                let own = row.label.chars().any(char::is_alphabetic);
                Some((size_in(&row.label).filter(|_| own)?, first?))
            });
            in_step(&sized.collect::<Vec<_>>())
        })
    };
    by_column.or_else(by_label).or_else(|| {
        let mut labels = headers.iter().map(|(header, _)| header.label.as_str());
        labels.find_map(of_benchmarks)
    })
}

/// The same for figures with a speedup behind each, `249653.1 (0.5) / 0.949`: it says which of two is the better one.
fn of_speedups(rows: &[&[&str]]) -> Option<(Better, &'static str)> {
    /// Speedups are printed to three digits.
    const NEAR: f64 = 0.01;
    let amount = |text: &str| match cell(text) {
        Cell::Amount(value, _) => Some(value),
        _ => None,
    };
    let mut found: Vec<Better> = Vec::new();
    for row in rows {
        let Some(first) = row.first().and_then(|text| amount(text)) else {
            continue;
        };
        for text in &row[1..] {
            let speedup = text
                .rsplit_once(" / ")
                .and_then(|(_, behind)| amount(behind));
            let (Some(value), Some(speedup)) = (amount(text), speedup) else {
                continue;
            };
            let is = |ratio: f64| (ratio / speedup - 1.0).abs() < NEAR;
            match (is(value / first), is(first / value)) {
                (true, false) => found.push(Higher),
                (false, true) => found.push(Lower),
                _ => {}
            }
        }
    }
    let better = *found.first()?;
    let why = if better == Higher {
        "which direction is good is not said; as a speedup is printed where there is more, more is taken for better"
    } else {
        "which direction is good is not said; as a speedup is printed where there is less, less is taken for better"
    };
    found
        .iter()
        .all(|other| *other == better)
        .then_some((better, why))
}

/// The number that a name ends with, `N=128`.
pub(crate) fn size_in(name: &str) -> Option<f64> {
    let start = name
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_digit())
        .last()?;
    name[start.0..].parse().ok()
}

/// The same for figures by a size that grows: of a rate there is less of the larger.
pub(crate) fn by_size(figures: &[(f64, f64)]) -> Option<(Better, &'static str)> {
    let grow = figures.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let fall = figures.windows(2).all(|pair| pair[0].1 > pair[1].1);
    let (first, last) = (figures.first()?, figures.last()?);
    (figures.len() > 2 && grow && fall && first.1 > FALLS * last.1).then_some((
        Higher,
        "which direction is good is not said; as the figures fall with the size they are taken for rates, and more for \
         better",
    ))
}

/// The same for figures by how much works at once: whole numbers that grow with it are counts of what was done.
fn grown_at_once(figures: &[(f64, f64)]) -> Option<(Better, &'static str)> {
    /// Times that are whole numbers are smaller.
    const LARGE: f64 = 1e4;
    /// Less of what as many would do alone is no growth.
    const SHARE: f64 = 0.25;
    let grow = figures.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let counts = figures
        .iter()
        .all(|(_, value)| value.fract() == 0.0 && *value >= LARGE);
    let (first, last) = (figures.first()?, figures.last()?);
    let much = last.1 / first.1 > (SHARE * last.0 / first.0).max(FALLS);
    (figures.len() > 2 && grow && counts && much).then_some((
        Higher,
        "which direction is good is not said; as the figures are whole numbers that grow with the number at once they \
         are taken for counts of work, and more for better",
    ))
}

/// The same for figures by a size: what grows in step with the largest is a time, as rates come to rest.
pub(crate) fn in_step(figures: &[(f64, f64)]) -> Option<(Better, &'static str)> {
    /// Steps at the end that are held against the sizes.
    const STEPS: usize = 3;
    let steps = || figures.windows(2).rev().take(STEPS);
    let doubles = |pair: &[(f64, f64)]| {
        let (size, figure) = (pair[1].0 / pair[0].0, pair[1].1 / pair[0].1);
        size > FALLS && (figure.ln() / size.ln() - 1.0).abs() < 0.25
    };
    let grow = figures.windows(2).all(|pair| pair[0].0 < pair[1].0);
    (figures.len() > STEPS && grow && steps().all(doubles)).then_some((
        Lower,
        "which direction is good is not said; as the figures grow in step with the size they are taken for times, and \
         less for better",
    ))
}

/// The same for rows below a header that calls them benchmarks.
pub(crate) fn of_benchmarks(header: &str) -> Option<(Better, &'static str)> {
    let first = words(header).into_iter().next()?;
    ["benchmark", "bench", "benchmarks"].contains(&first.as_str()).then_some((
        Lower,
        "which direction is good is not said; figures of benchmarks without a unit are taken for times, and less for \
         better",
    ))
}
