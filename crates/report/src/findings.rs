//! What stands out in a record: one small function for each finding.

mod caches;
mod choice;
mod clock;
mod copies;
mod core;
mod pages;
mod run;
mod spread;
mod switching;
mod topology;
mod tunables;

pub(crate) use spread::{WIDE, share};
use whyslow_model::host::Known;
use whyslow_model::summary::Interval;

use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::View;

/// What a finding is about; the page has them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The numbers are not what they seem.
    Doubt,
    /// A setting mends it.
    Mended,
    /// The machine moved while it was measured.
    Moved,
    /// The machine is slower somewhere than one would expect.
    Slow,
    /// Something believes what is not so.
    Belief,
    /// Which of two ways to write code is faster here.
    Choice,
    /// The numbers vary.
    Spread,
    /// What could not be seen or measured.
    Unseen,
}

/// Something that stands out, in words, with its numbers.
#[derive(Debug, PartialEq)]
struct Finding {
    rank: Rank,
    text: String,
}

impl Finding {
    fn new(rank: Rank, text: impl Into<String>) -> Option<Finding> {
        Some(Finding {
            rank,
            text: text.into(),
        })
    }
}

/// Everything that is looked for.
const FINDINGS: &[fn(&View<'_>) -> Option<Finding>] = &[
    run::build,
    run::ended_early,
    run::broken,
    run::state_changed,
    topology::moves,
    topology::classes,
    clock::moved,
    core::shared,
    run::steal,
    run::neighbours,
    copies::cliff,
    copies::behind_vectors,
    tunables::set,
    switching::across_cpus,
    switching::free_placement,
    caches::act_small,
    pages::thp_gain,
    caches::libc_belief,
    choice::branch_or_move,
    spread::modes,
    spread::wide,
    spread::between_draws,
    spread::left_out,
    run::skipped,
    run::clock_unseen,
];

/// Everything that stands out, what the reader must know first on top.
fn found(view: &View<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = FINDINGS.iter().filter_map(|find| find(view)).collect();
    found.sort_by_key(|f| f.rank);
    found
}

/// The same in words.
pub(crate) fn texts(view: &View<'_>) -> Vec<String> {
    found(view).into_iter().map(|f| f.text).collect()
}

/// What stands out most, in words, and the first thing that a setting mends: no doubt about a run hides a cure.
pub(crate) fn foremost(view: &View<'_>) -> Vec<String> {
    let mut found = found(view);
    let cure = found.iter().position(|f| f.rank == Rank::Mended);
    let cure = cure.filter(|at| *at > 0).map(|at| found.remove(at));
    found.truncate(1);
    found.into_iter().chain(cure).map(|f| f.text).collect()
}

pub(crate) fn section(view: &View<'_>, page: &mut Screen) {
    let found = texts(view);
    page.heading("WHAT STANDS OUT", "");
    if found.is_empty() {
        let text = match view.processes_any() {
            true => "Nothing that is looked for.",
            false => "Nothing was measured, so nothing can be said.",
        };
        page.flow(0, 0, Text::plain(text));
    }
    for finding in found {
        page.flow(0, 2, Text::dim("- ").and(Style::Plain, finding));
    }
}

/// Are two values apart beyond their intervals? Without intervals that is unknown.
pub(crate) fn apart(a: &Interval, b: &Interval) -> bool {
    match (a.range, b.range) {
        (Some([a_lo, a_hi]), Some([b_lo, b_hi])) => a_lo > b_hi || b_lo > a_hi,
        _ => false,
    }
}

/// The reason of an unknown fact.
fn why<T>(known: &Known<T>) -> &str {
    known.why().unwrap_or_default()
}

/// At most `most` of `items`, and how many more there are.
fn some(items: &[String], most: usize, gap: &str) -> String {
    let mut text = items
        .iter()
        .take(most)
        .cloned()
        .collect::<Vec<_>>()
        .join(gap);
    if items.len() > most {
        text += &format!("{gap}and {} more", items.len() - most);
    }
    text
}
