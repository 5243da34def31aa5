//! The levels of the memory hierarchy as measured, beside what is claimed.

use whyslow_model::Unit;
use whyslow_model::id;
use whyslow_model::summary::Level;

use crate::grid::{Cell, Grid};
use crate::numbers::{self, Scale};
use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::{View, has};

pub(crate) fn section(view: &View<'_>, page: &mut Screen) {
    let levels = &view.summary.levels;
    if levels.is_empty() {
        super::absent(page, "LEVELS", without(view));
        return;
    }
    let memory = levels.iter().find(|level| level.huge_pages);
    let pages = memory.map_or(String::new(), |level| {
        format!(" ({}: huge pages)", level.name)
    });
    page.heading(
        "LEVELS",
        &format!("of random loads, 4 KiB pages{pages} [95 % interval]"),
    );
    let mut grid =
        Grid::new(["a load takes", "effective size", "claimed", "rises beyond"].map(str::to_owned));
    for level in levels {
        grid.row(level.name.clone(), cells(level));
    }
    page.grid(&grid);
}

/// Sizes of a latency curve from which levels can be expected; fewer were asked for as points.
const CURVE: usize = 8;

/// Why there are no levels; nothing where the run was to measure no latency curve.
fn without(view: &View<'_>) -> Option<String> {
    let kind = [("order", "random"), ("pages", "4k")];
    let curve: Vec<_> = view
        .probe(id::MEM_LATENCY)
        .filter(|p| has(p, &kind))
        .collect();
    if curve.len() < CURVE {
        return view.why_absent(id::MEM_LATENCY);
    }
    // Without any value it is not the curve that is to blame.
    if let Some(first) = curve.first()
        && curve.iter().all(|p| p.value.is_none())
    {
        return Some(format!("no value: {}", view.why_missing(first)));
    }
    let noted = view.record.notes.iter().find(|note| note.about == "levels");
    let noted = noted.map(|note| note.text.clone());
    let of_levels = |note: &&String| note.contains("level") || note.contains("curve");
    let found = noted.or_else(|| view.summary.notes.iter().find(of_levels).cloned());
    Some(found.unwrap_or_else(|| "the latency curve has too few values to show any".to_owned()))
}

fn cells(level: &Level) -> Vec<Cell> {
    let size =
        |bytes: Option<u64>| bytes.map_or_else(Text::default, |b| Text::plain(numbers::size(b)));
    let acts = match &level.capacity_bytes {
        Some(bytes) if level.holds_more() => {
            let acts = numbers::scaled(bytes, Scale::bytes(bytes.value));
            acts.and(Style::Dim, " (with the next level)")
        }
        Some(bytes) => numbers::scaled(bytes, Scale::bytes(bytes.value)),
        // Memory is as large as it is; a cache without an end is beyond the largest size.
        None => Text::default(),
    };
    let claimed = match (level.claimed_bytes, &level.capacity_bytes) {
        (None, Some(_)) => Text::dim("nothing"),
        (claimed, _) => size(claimed),
    };
    [
        numbers::full(Unit::Ns, &level.latency_ns),
        acts,
        claimed,
        size(level.rises_from_bytes),
    ]
    .map(|text| vec![text])
    .into()
}
