//! Copies of the C library by block and by how the blocks lie to each other.

use whyslow_model::id;
use whyslow_model::summary::PointSummary;

use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;
use crate::view::{Shown, View};

const REMARK: &str = "GB/s (10^9 B/s) of the C library by block, read plus written, or filled; distance: bytes from the source's to the destination's place within pages of 4 KiB";

pub(super) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let copies: Vec<&PointSummary> = view
        .probe(id::MEM_LIBC)
        .filter(|p| between_places(p).is_some())
        .collect();
    let mut sizes: Vec<u64> = copies.iter().filter_map(|p| block(p)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    // Fills of the same blocks; others have no column.
    let filled = |p: &&PointSummary| is_fill(p) && block(p).is_some_and(|b| sizes.contains(&b));
    let fills = view.probe(id::MEM_LIBC).filter(filled);
    let points: Vec<&PointSummary> = copies.into_iter().chain(fills).collect();
    let mut rows: Vec<String> = Vec::new();
    for name in points.iter().filter_map(|p| row(p)) {
        if !rows.contains(&name) {
            rows.push(name);
        }
    }
    let mut grid = Grid::new(sizes.iter().map(|bytes| numbers::size(*bytes)));
    for name in rows {
        let here = |bytes: &u64| {
            let of =
                |p: &&&PointSummary| block(p) == Some(*bytes) && row(p).as_ref() == Some(&name);
            points.iter().find(of).map_or_else(Cell::new, |p| cell(p))
        };
        let cells = sizes.iter().map(here).collect();
        grid.row(name.clone(), cells);
    }
    if grid.is_empty() {
        return;
    }
    page.heading("COPIES", REMARK);
    page.grid(&grid);
    shown.extend(points.iter().map(|p| &p.point));
}

/// Bytes copied or filled by one call. Each of the two blocks of a copy is half of the working set.
fn block(point: &PointSummary) -> Option<u64> {
    let blocks = if is_fill(point) { 1 } else { 2 };
    Some(point.size_bytes? / blocks)
}

fn is_fill(point: &PointSummary) -> bool {
    point.point.get("op") == Some("memset")
}

/// The name of a row: `memset`, or `memcpy, distance 8`.
fn row(point: &PointSummary) -> Option<String> {
    match is_fill(point) {
        true => Some("memset".to_owned()),
        false => between_places(point),
    }
}

/// `memcpy, distance 8`; nothing for work that is no copy between two places.
fn between_places(point: &PointSummary) -> Option<String> {
    let op = point.point.get("op")?;
    ["distance", "overlap"]
        .into_iter()
        .find_map(|name| Some(format!("{op}, {name} {}", point.point.get(name)?)))
}

fn cell(point: &PointSummary) -> Cell {
    vec![match &point.value {
        Some(value) => numbers::plus_minus(value),
        None => Text::dim("no value"),
    }]
}
