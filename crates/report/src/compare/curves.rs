//! Latency curves of both sides in one plot, and the levels that they were cut into.

use whyslow_model::comparison::{Comparison, Curves};
use whyslow_model::summary::Level;

use crate::grid::Grid;
use crate::numbers::{self, Scale};
use crate::page::Screen;
use crate::plot::{self, Curve};
use crate::text::Text;

/// Plots that a page carries: the curve of random order, and one more.
const MOST: usize = 2;

pub(crate) fn section(comparison: &Comparison, page: &mut Screen) {
    for curves in comparison.curves.iter().take(MOST) {
        let side = |name: &str, value: fn(&(u64, f64, f64)) -> f64| Curve {
            name: name.to_owned(),
            points: curves
                .values
                .iter()
                .map(|v| (v.0 as f64, value(v)))
                .collect(),
        };
        let both = [side("A", |v| v.1), side("B", |v| v.2)];
        let Some(lines) = plot::plot(&both, &[], page.width()) else {
            continue;
        };
        page.heading(
            &crate::text::cleaned(&curves.name),
            "ns; B where it leaves the line of A",
        );
        lines.into_iter().for_each(|line| page.line(line));
        page.flow(9, 9, plot::legend(&both));
        levels(curves, page);
    }
}

fn levels(curves: &Curves, page: &mut Screen) {
    let mut grid = Grid::new(["A", "B"].map(str::to_owned));
    // By name: the sides may show different numbers of levels, and memory is the last of each.
    let mut caches: Vec<&str> = Vec::new();
    let mut memory = None;
    for level in curves.a_levels.iter().chain(&curves.b_levels) {
        match &level.capacity_bytes {
            Some(_) if !caches.contains(&level.name.as_str()) => caches.push(&level.name),
            Some(_) => {}
            None => memory = Some(level.name.as_str()),
        }
    }
    caches.sort_unstable();
    for name in caches.into_iter().chain(memory) {
        let cell = |levels: &[Level]| {
            let level_of = levels.iter().find(|l| l.name == name);
            vec![Text::plain(level(level_of))]
        };
        let (a, b) = (cell(&curves.a_levels), cell(&curves.b_levels));
        grid.row(format!("  {name}"), vec![a, b]);
    }
    if !grid.is_empty() {
        page.grid(&grid);
    }
}

fn level(level: Option<&Level>) -> String {
    let Some(level) = level else {
        return "none".into();
    };
    let latency = numbers::short(whyslow_model::Unit::Ns, &level.latency_ns);
    match &level.capacity_bytes {
        Some(capacity) => {
            let scale = Scale::bytes(capacity.value);
            let size = numbers::number(capacity.value / scale.by);
            format!("effective {size} {} at {latency}", scale.name)
        }
        None => latency,
    }
}
