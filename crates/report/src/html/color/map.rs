//! The page of the page colors that were found.

use maud::{Markup, html};
use whyslow_model::color::{CacheNeighbor, ColorMap};

use super::super::figure::{Ids, figure, hero};
use super::super::words::text;
use super::super::{Section, whole};
use super::{by_color, facts};
use crate::charts::{Cell, Figure, Table};
use crate::color;
use crate::drawing::{Drawing, Stack, Stacks};
use crate::numbers;

/// The page.
pub(crate) fn page(map: &ColorMap, version: &str) -> String {
    let title = "Page colors of the second-level cache";
    let header = html! {
        h1 { (title) }
        p.dim { "CPU " (map.cpu) "; " (text(&numbers::count(map.pages.into()))) " pages of "
            (text(&numbers::size(map.page_bytes))) " told apart by " (text(&map.method)) }
    };
    let mut ids = Ids::starting("t", &[]);
    let mut sections = vec![Section {
        anchor: "answer",
        name: "Answer",
        content: html! {
            p.answer { (text(&color::map_answer(map))) }
            div.hero { (hero(&population(map), &mut ids)) }
        },
    }];
    sections.push(Section {
        anchor: "found",
        name: "What was found",
        content: facts(&color::map_facts(map)),
    });
    if let Some(neighbors) = map.neighbors.value().filter(|n| !n.is_empty()) {
        sections.push(Section {
            anchor: "neighbors",
            name: "Other CPUs",
            content: neighbors_figure(neighbors, &mut ids),
        });
    }
    whole(title, &header, &sections, version)
}

/// How many pages have each color.
fn population(map: &ColorMap) -> Figure {
    let counts = map.population.iter().map(|&pages| pages.into());
    let reading = format!(
        "A level line: pages fall evenly over the colors. The line across is what the cache holds of one color, {}.",
        numbers::counted(map.ways.into(), "page", "pages")
    );
    by_color(counts, "pages found", reading, Some(map.ways.into()))
}

/// What work on other CPUs evicts from this cache.
fn neighbors_figure(neighbors: &[CacheNeighbor], ids: &mut Ids) -> Markup {
    let mut table = Table::new(&[
        "CPU",
        "shares the cache",
        "#evicted, idle",
        "#evicted, busy",
    ]);
    let mut bars = Vec::new();
    for one in neighbors {
        let name = format!("CPU {}", one.cpu);
        let [idle, busy] = [one.lost_idle, one.lost_busy].map(|share| share.clamp(0.0, 1.0));
        let shares = if one.shares { "yes" } else { "no" };
        table.row(vec![
            Cell::text(name.clone()),
            Cell::text(shares),
            Cell::number(idle, numbers::percent(idle)),
            Cell::number(busy, numbers::percent(busy)),
        ]);
        let parts = [idle.min(busy), (busy - idle).max(0.0), 1.0 - busy];
        let tips = [
            "evicted while it was idle too",
            "evicted while it read",
            "kept",
        ];
        bars.push(Stack {
            tips: tips
                .iter()
                .zip(parts)
                .map(|(what, share)| format!("{name}\n{} {what}", numbers::percent(share)).into())
                .collect(),
            shares: parts.to_vec(),
            text: match one.shares {
                true => "shares the cache".to_owned(),
                false => "does not share it".to_owned(),
            },
            name,
        });
    }
    figure(
        &Figure {
            title: "Pages evicted by work on other CPUs".into(),
            reading: "Each other CPU read memory of the cache's size: what it evicts tells whether it shares the cache."
                .into(),
            table,
            drawing: Drawing::Stacks(Stacks {
                parts: vec![
                    ("evicted while idle".into(), 3),
                    ("evicted while it read".into(), 1),
                    ("kept".into(), 0),
                ],
                bars,
                axis: "share of pages".into(),
            }),
        },
        ids,
    )
}
