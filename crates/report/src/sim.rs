//! Simulations, for the terminal.

use whyslow_model::simulation::{
    CurveSimulation, SimulatedCache, SimulatedLevel, SimulatedSize, Spread, TraceSimulation,
};

use crate::Look;
use crate::grid::Grid;
use crate::numbers::{count, counted, number, percent, size};
use crate::page::Screen;
use crate::text::Text;

/// Rows of a distribution.
const BINS: u64 = 8;

/// Colors shown in one line.
const COLORS: usize = 64;

/// A cache in words.
fn cache(cache: &SimulatedCache) -> String {
    let hashed = if cache.hashed { ", hashed index" } else { "" };
    let what = match cache.name.starts_with("TLB") {
        true => format!("{} entries", cache.size),
        false => size(cache.size),
    };
    format!(
        "{} {what}, {} ways, {}{hashed}",
        cache.name, cache.ways, cache.replacement
    )
}

fn caches(all: &[SimulatedCache]) -> String {
    all.iter().map(cache).collect::<Vec<_>>().join("; ")
}

fn range(spread: &Spread) -> String {
    format!(
        "{} [{}, {}]",
        number(spread.median),
        number(spread.least),
        number(spread.most)
    )
}

/// Measured against simulated, by size.
pub(crate) fn curve(found: &CurveSimulation, look: Look) -> String {
    let mut page = Screen::new(look);
    page.heading("SIMULATED", "");
    page.flow(
        0,
        2,
        Text::plain(format!("record: {}, pages {}", found.record, found.pages)),
    );
    page.flow(
        0,
        2,
        Text::plain(format!("caches: {}", caches(&found.caches))),
    );
    if !found.tlbs.is_empty() {
        page.flow(0, 2, Text::plain(format!("TLBs: {}", caches(&found.tlbs))));
    }
    if !found.what_if.is_empty() {
        page.flow(
            0,
            2,
            Text::plain(format!("what if: {}", caches(&found.what_if))),
        );
    }
    let costs = found
        .costs
        .iter()
        .map(|cost| format!("{} {}", cost.of, number(cost.ns)));
    let costs: Vec<String> = costs.collect();
    page.flow(
        0,
        2,
        Text::plain(format!(
            "ns, fitted, each on top of those before: {}",
            costs.join(", ")
        )),
    );
    page.heading(
        "LATENCY",
        "ns a load; simulated: median and range of placements; error: with costs fitted without that size (pages 4k)",
    );
    let mut heads = vec!["measured", "simulated", "error", "faster"];
    if !found.what_if.is_empty() {
        heads.push("what if");
    }
    let mut grid = Grid::new(heads.into_iter().map(str::to_owned));
    for row in &found.sizes {
        let text = |value: Option<String>| vec![value.map_or_else(|| Text::dim("-"), Text::plain)];
        let mut cells = vec![
            text(row.measured_ns.map(number)),
            text(Some(range(&row.simulated_ns))),
            text(row.error.map(|error| format!("{:+.1} %", 100.0 * error))),
            text(row.faster.map(percent)),
        ];
        if !found.what_if.is_empty() {
            cells.push(text(row.what_if_ns.as_ref().map(range)));
        }
        grid.row(size(row.bytes), cells);
    }
    page.grid(&grid);
    page.flow(
        0,
        2,
        Text::dim("faster: share of placements that are faster than what was measured"),
    );
    let errors: Vec<f64> = found
        .sizes
        .iter()
        .filter_map(|row| row.error)
        .map(f64::abs)
        .collect();
    if let Some(errors) = Spread::of(errors.clone()).map(|spread| (spread, errors)) {
        let (spread, all) = errors;
        let within = all.iter().filter(|error| **error <= NEAR).count();
        page.heading("IN SHORT", "");
        let as_uncertain = found.sizes.iter().filter(|row| is_in_interval(row)).count();
        let others = match as_uncertain {
            0 => String::new(),
            some => format!(", {some} more within the interval of what was measured"),
        };
        let text = format!(
            "{within} of {} within 10 %{others}; error {} at the median, {} at most",
            counted(all.len() as u64, "size", "sizes"),
            percent(spread.median),
            percent(spread.most),
        );
        page.flow(0, 2, Text::plain(text));
    }
    for note in &found.notes {
        page.flow(0, 2, Text::plain(format!("note: {note}")));
    }
    page.finish()
}

/// Is a size met no nearer than [`NEAR`], but within the interval of its measured value?
fn is_in_interval(row: &SimulatedSize) -> bool {
    let (Some(error), Some(ns), Some([low, high])) =
        (row.error, row.measured_ns, row.measured_range)
    else {
        return false;
    };
    error.abs() > NEAR && (low..=high).contains(&(ns * (1.0 + error)))
}

/// The relative error up to which a size counts as met.
const NEAR: f64 = 0.1;

/// A trace or pattern.
pub(crate) fn trace(found: &TraceSimulation, look: Look) -> String {
    let mut page = Screen::new(look);
    let instructions = found
        .instructions
        .map(|n| format!(", {} instructions", count(n)));
    page.heading("SIMULATED", "");
    page.flow(
        0,
        2,
        Text::plain(format!(
            "{}: {} accesses{}; pages placed: {}; {} from seed {}",
            found.source,
            count(found.accesses),
            instructions.unwrap_or_default(),
            found.policy,
            counted(u64::from(found.placements), "placement", "placements"),
            found.seed,
        )),
    );
    page.heading(
        "LEVELS",
        "of the first placement; MPKI: misses a thousand instructions; range: misses over placements",
    );
    let heads = ["accesses", "misses", "ratio", "MPKI", "range"];
    let mut grid = Grid::new(heads.map(str::to_owned));
    for level in found.levels.iter().chain(&found.tlbs) {
        grid.row(level.cache.name.clone(), cells(level));
    }
    page.grid(&grid);
    for level in &found.levels {
        page.flow(0, 2, Text::dim(cache(&level.cache)));
    }
    let [read, written] = found.memory;
    let text = format!(
        "memory: {} lines read, {} written",
        count(read),
        count(written)
    );
    page.flow(0, 2, Text::plain(text));
    if let Some(latency) = &found.latency_ns {
        let mut text = format!("modeled: {} ns an access over placements", range(latency));
        if let Some([ns, below]) = found.measured {
            text += &format!(
                "; of these {} are faster than the measured {}",
                percent(below),
                number(ns)
            );
        }
        page.flow(0, 2, Text::plain(text));
    }
    for level in &found.levels {
        if let Some([misses, below]) = level.measured {
            let text = format!(
                "{}: {} of the placements have fewer misses than the measured {}",
                level.cache.name,
                percent(below),
                count(misses as u64)
            );
            page.flow(0, 2, Text::plain(text));
        }
    }
    distribution(found, &mut page);
    if found.by_color.len() > 1 && found.by_color.len() <= COLORS {
        page.heading(
            "MISSES BY COLOR",
            &format!("of {}, first placement", found.attributed),
        );
        let all: Vec<String> = found.by_color.iter().map(u64::to_string).collect();
        page.flow(0, 2, Text::plain(all.join(" ")));
    }
    if !found.by_page.is_empty() {
        page.heading(
            "PAGES WITH MOST MISSES",
            &format!("of {}, first placement", found.attributed),
        );
        let mut grid = Grid::new(["color", "misses"].map(str::to_owned));
        for own in &found.by_page {
            let cells = [u64::from(own.color), own.misses].map(|n| vec![Text::plain(count(n))]);
            grid.row(format!("{:#x}", own.address), cells.to_vec());
        }
        page.grid(&grid);
    }
    page.finish()
}

/// How many placements have how many misses, where they differ.
fn distribution(found: &TraceSimulation, page: &mut Screen) {
    let (Some(&least), Some(&most)) = (found.distribution.first(), found.distribution.last())
    else {
        return;
    };
    if least == most {
        return;
    }
    page.heading(
        "MISSES OVER PLACEMENTS",
        &format!("of {}; how many placements have so many", found.attributed),
    );
    let width = (most - least) / BINS + 1;
    let mut grid = Grid::new(["placements"].map(str::to_owned));
    for bin in 0..=(most - least) / width {
        let from = least + bin * width;
        let inside = found.distribution.iter();
        let inside = inside.filter(|misses| (from..from + width).contains(misses));
        let cell = vec![Text::plain(inside.count().to_string())];
        grid.row(
            format!("{} to {}", count(from), count(from + width - 1)),
            vec![cell],
        );
    }
    page.grid(&grid);
}

fn cells(level: &SimulatedLevel) -> Vec<Vec<Text>> {
    let ratio = level.misses as f64 / level.accesses.max(1) as f64;
    let own = &level.over_placements;
    [
        count(level.accesses),
        count(level.misses),
        percent(ratio),
        level.mpki.map_or_else(|| "-".to_owned(), number),
        format!("{} to {}", count(own.least as u64), count(own.most as u64)),
    ]
    .map(|text| vec![Text::plain(text)])
    .to_vec()
}
