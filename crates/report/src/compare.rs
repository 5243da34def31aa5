//! A comparison on the terminal: how many points differ, then what differs between the hosts, then the real
//! differences, largest and surest on top, then what moved together, and last what is the same or open.

mod curves;
mod families;
pub(crate) mod groups;
mod head;
mod markdown;
mod real;
mod rest;
mod selfcheck;
pub(crate) mod words;

use whyslow_model::comparison::{Comparison, HostDifferences};

use crate::Look;
use crate::page::Screen;

pub(crate) use markdown::text as markdown;
pub(crate) use selfcheck::page as selfcheck;

/// The whole page.
pub(crate) fn page(comparison: &Comparison, look: Look) -> String {
    let mut page = Screen::new(look);
    head::sides(comparison, &mut page);
    head::counts(comparison, &mut page);
    head::objections(comparison, &mut page);
    head::hosts(&comparison.hosts, &mut page);
    if let Some(table) = &comparison.load {
        crate::load::before_and_after(table, &mut page);
    }
    families::section(comparison, &mut page);
    real::section(comparison, &mut page);
    groups::section(comparison, &mut page);
    rest::modes(comparison, &mut page);
    rest::spread(comparison, &mut page);
    curves::section(comparison, &mut page);
    rest::same(comparison, &mut page);
    rest::undecided(comparison, &mut page);
    rest::not_compared(comparison, &mut page);
    page.finish()
}

/// Facts and state alone.
pub(crate) fn hosts(differences: &HostDifferences, names: [&str; 2], look: Look) -> String {
    let mut page = Screen::new(look);
    for (side, name) in ["A", "B"].into_iter().zip(names) {
        page.field(0, 1, side, crate::text::Text::plain(name));
    }
    head::hosts(differences, &mut page);
    page.finish()
}
