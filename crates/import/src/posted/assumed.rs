//! Which direction is good where nothing on a page says it: by how the figures look, and said to be assumed.

use whyslow_model::Better::{self, Higher, Lower};

use super::Group;
use super::header::Header;
use super::names::is_size;
use crate::amount::{Cell, cell};

/// What the note of an assumed direction is about.
pub(crate) const ABOUT: &str = "direction";

/// Figures that fall by this factor from the fewest to the most at once are rates: what is shared gets less for each.
const FALLS: f64 = 1.5;

/// The direction, and the sentence that says that it is assumed; none where the figures look like neither.
pub(crate) fn direction(groups: &[Group]) -> Option<(Better, &'static str)> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
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
        return (*first > FALLS * last).then_some((
            Higher,
            "which direction is good is not said; as the figures fall with the number at once they are taken for rates, \
             and more for better",
        ));
    }
    of(&rows()
        .flat_map(|(_, row)| amounts(&row.cells))
        .collect::<Vec<_>>())
}

/// The same for figures alone.
pub(crate) fn of(all: &[f64]) -> Option<(Better, &'static str)> {
    let decimals = all.iter().filter(|value| value.fract() != 0.0).count();
    (all.len() > 1 && decimals * 10 >= all.len() * 9).then_some((
        Lower,
        "which direction is good is not said; as the figures have decimals they are taken for times, and less for \
         better",
    ))
}
