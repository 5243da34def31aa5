//! Copies of the C library by block and by how the blocks lie to each other.

use whyslow_model::id;
use whyslow_model::summary::PointSummary;

use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;
use crate::view::{Shown, View};

const REMARK: &str = "GB/s (10^9 B/s) of the C library by block, read plus written; distance: bytes from the source's to the destination's place within pages of 4 KiB";

pub(super) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let points: Vec<&PointSummary> = view
        .probe(id::MEM_LIBC)
        .filter(|p| row(p).is_some() && p.size_bytes.is_some())
        .collect();
    let mut sizes: Vec<u64> = points.iter().filter_map(|p| p.size_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut rows: Vec<String> = Vec::new();
    for name in points.iter().filter_map(|p| row(p)) {
        if !rows.contains(&name) {
            rows.push(name);
        }
    }
    // Each of both blocks is half of the working set.
    let mut grid = Grid::new(sizes.iter().map(|bytes| numbers::size(bytes / 2)));
    for name in rows {
        let here = |bytes: &u64| {
            let of =
                |p: &&&PointSummary| p.size_bytes == Some(*bytes) && row(p).as_ref() == Some(&name);
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

/// `memcpy, distance 8`; nothing for work that is no copy between two places.
fn row(point: &PointSummary) -> Option<String> {
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
