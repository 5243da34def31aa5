//! The page of a program that ran on colored pages.

use maud::html;
use whyslow_model::color::{ColorRun, RunPages};
use whyslow_model::host::Known;

use super::super::figure::{Ids, figure, hero};
use super::super::words::text;
use super::super::{Section, whole};
use super::{by_color, facts};
use crate::charts::{Cell, Figure, Table};
use crate::color;
use crate::drawing::{Drawing, Stack, Stacks};
use crate::numbers;

/// Bars of a chart.
const MOST: usize = 12;

/// Fates of a page, and the index of their color.
const FATES: [(&str, usize); 4] = [
    ("requested color", 0),
    ("another color", 1),
    ("had a frame already", 2),
    ("ordinary", 3),
];

/// The page.
pub(crate) fn page(run: &ColorRun, version: &str) -> String {
    let title = "A program on colored pages";
    let command = run.command.join(" ");
    let header = html! {
        h1 { (title) }
        p.dim { code { (text(&command)) } " · " (text(&color::ended(run)))
            @if let Known::Is(colors) = &run.colors {
                " · " (colors.colors) " colors, " (colors.ways) " ways"
            }
        }
    };
    let mut ids = Ids::starting("t", &[]);
    let objects = fates("Pages by kind of block", &color::object_lines(run, MOST));
    let processes = fates("Pages by process", &color::process_lines(run, MOST));
    let mut sections = vec![Section {
        anchor: "answer",
        name: "Answer",
        content: html! {
            p.answer { (text(&color::run_answer(run))) }
            @if let Some(objects) = &objects { div.hero { (hero(objects, &mut ids)) } }
        },
    }];
    let mut add = |anchor, name, content| {
        sections.push(Section {
            anchor,
            name,
            content,
        });
    };
    add("cost", "What it took", facts(&color::run_facts(run)));
    if let Some(processes) = &processes {
        add("processes", "Processes", figure(processes, &mut ids));
    }
    if run.by_color.len() > 1 {
        add("colors", "Colors", figure(&colors(run), &mut ids));
    }
    if !run.notes.is_empty() {
        let notes = html! { ul { @for note in &run.notes { li { (text(note)) } } } };
        add("notes", "Notes", notes);
    }
    whole(title, &header, &sections, version)
}

/// What became of the pages of each line; none where there are no pages.
fn fates(title: &str, lines: &[(String, &RunPages)]) -> Option<Figure> {
    let mut table = Table::new(&[
        "blocks of",
        "#blocks",
        "#pages",
        "#requested color",
        "#another color",
        "#had a frame already",
        "#ordinary",
        "#took, ms",
    ]);
    let mut bars = Vec::new();
    for (name, pages) in lines.iter().filter(|(_, pages)| pages.pages > 0) {
        let ordinary: u64 = pages.ordinary.iter().map(|left| left.pages).sum();
        let counts = [pages.hits, pages.fallbacks, pages.present, ordinary];
        let whole = pages.pages as f64;
        let count = |n: u64| Cell::number(n as f64, numbers::count(n));
        let mut cells = vec![
            Cell::text(name.clone()),
            count(pages.blocks),
            count(pages.pages),
        ];
        cells.extend(counts.map(count));
        cells.push(Cell::number(pages.took_ms, format!("{:.1}", pages.took_ms)));
        table.row(cells);
        let tip = |(n, (what, _)): (u64, (&str, usize))| {
            format!("{name}\n{} {what}", numbers::counted(n, "page", "pages")).into()
        };
        bars.push(Stack {
            name: name.clone(),
            shares: counts.iter().map(|n| *n as f64 / whole).collect(),
            text: numbers::counted(pages.pages, "page", "pages"),
            tips: counts.into_iter().zip(FATES).map(tip).collect(),
        });
    }
    (!bars.is_empty()).then(|| Figure {
        title: title.to_owned(),
        reading: "Shares of the pages of large blocks, most pages first.".into(),
        table,
        drawing: Drawing::Stacks(Stacks {
            parts: FATES
                .iter()
                .map(|(name, color)| ((*name).to_owned(), *color))
                .collect(),
            bars,
            axis: "share of pages".into(),
        }),
    })
}

/// How many pages got each color.
fn colors(run: &ColorRun) -> Figure {
    let reading = "A level line: the program has the same part of the cache in each color.";
    by_color(run.by_color.iter().copied(), "pages", reading.into(), None)
}
