//! `whyslow color`: the map of colors, and what they gain, for a terminal.

mod kernel;
mod run;

use whyslow_model::color::{ColorBench, ColorMap, Steadier};
use whyslow_model::host::Known;
use whyslow_model::summary::{Interval, Level};

use crate::Look;
use crate::grid::Grid;
use crate::numbers;
use crate::page::Screen;
use crate::plot::{Curve, legend, plot};
use crate::text::{Style, Text};

pub(crate) use kernel::kernel;
pub(crate) use run::{ended, object_lines, process_lines, run, run_answer, run_facts};

/// Columns of the names; the longest is `frame numbers`.
const NAMES: usize = 15;

/// The page of `color map`.
pub(crate) fn map(map: &ColorMap, look: Look) -> String {
    let mut page = Screen::new(look);
    page.flow(0, 0, Text::strong(map_answer(map)));
    page.heading(
        "COLORS",
        &format!("of the second-level cache, CPU {}", map.cpu),
    );
    for (name, text) in map_facts(map) {
        page.field(0, NAMES, name, Text::plain(text));
    }
    page.finish()
}

/// The colors in a sentence, and whether the kernel and the frame numbers agree with them.
pub(crate) fn map_answer(map: &ColorMap) -> String {
    let claimed = match &map.claimed {
        Known::Is(c) if c.colors == map.colors && c.ways == map.ways => "as the kernel claims",
        Known::Is(_) => "which is not what the kernel claims",
        Known::Unknown(_) => "of which the kernel says nothing",
    };
    let frames = match &map.frames {
        Known::Is(f) if f.same > FRAMES_TELL => " Frame numbers tell the color.",
        Known::Is(f) if f.linear => " An exclusive-or of bits of the frame number tells the color.",
        Known::Is(_) => " Frame numbers do not tell the color: timing alone does.",
        Known::Unknown(_) => "",
    };
    format!(
        "{} page colors, {} ways: {} of second-level cache, {claimed}.{frames}",
        map.colors,
        map.ways,
        numbers::size(map.cache_bytes)
    )
}

/// From this share of pairs on, pages alike by frame number are alike by time.
const FRAMES_TELL: f64 = 0.95;

/// Everything that was found, by name.
pub(crate) fn map_facts(map: &ColorMap) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let mut say = |name: &'static str, text: String| facts.push((name, text));
    say(
        "found by",
        format!(
            "{}: {} pages in {:.0} ms{}",
            map.method,
            numbers::count(map.pages.into()),
            map.took_ms,
            match map.without_color {
                0 => String::new(),
                n => format!(", {} without a color", numbers::count(n.into())),
            }
        ),
    );
    say("how sure", sure(map));
    say(
        "claimed",
        known(&map.claimed, |c| {
            let same = c.colors == map.colors && c.ways == map.ways;
            format!(
                "{} colors, {} ways, {}: {}",
                c.colors,
                c.ways,
                numbers::size(c.bytes),
                if same {
                    "the same"
                } else {
                    "not what was found"
                }
            )
        }),
    );
    let population = |pick: fn(std::slice::Iter<u32>) -> Option<&u32>| {
        pick(map.population.iter()).copied().unwrap_or(0)
    };
    say(
        "pages a color",
        format!("{} to {}", population(|p| p.min()), population(|p| p.max())),
    );
    say(
        "frame numbers",
        known(&map.frames, |f| {
            let verdict = if f.same > FRAMES_TELL {
                "tell the color"
            } else if f.linear {
                "tell the color by an exclusive-or of their bits"
            } else {
                "do not tell the color: a guest's are its own"
            };
            format!(
                "{verdict} (pages alike by number are alike by time in {} of pairs, by chance in {})",
                numbers::percent(f.same),
                numbers::percent(f.chance)
            )
        }),
    );
    say(
        "huge pages",
        known(&map.huge_pages, |h| {
            let verdict = match h.contiguous {
                Some(true) => "are one piece underneath",
                Some(false) => "are not one piece underneath: their parts lie anywhere",
                None => "are one piece in part",
            };
            format!(
                "{verdict} ({} of {} groups of {} neighbors have every color; chi-square {:.1}, 0 if one piece, {} if scattered)",
                h.complete,
                h.groups,
                map.colors,
                h.chi_square,
                map.colors.saturating_sub(1)
            )
        }),
    );
    say(
        "shared with",
        known(&map.neighbors, |neighbors| {
            let sharing: Vec<String> = neighbors
                .iter()
                .filter(|n| n.shares)
                .map(|n| format!("CPU {}", n.cpu))
                .collect();
            match (neighbors.len(), sharing.len()) {
                (0, _) => "no other CPU to ask".to_owned(),
                (n, 0) => format!(
                    "none of {}",
                    numbers::counted(n as u64, "other CPU", "other CPUs")
                ),
                _ => sharing.join(", "),
            }
        }),
    );
    say(
        "disturbed",
        format!(
            "{} of pages are pushed out by others within 100 µs{}",
            numbers::percent(map.disturbance),
            // A few in a hundred are interrupts and the kernel's own work.
            if map.disturbance > 0.05 {
                ": other work uses this cache now"
            } else {
                ""
            }
        ),
    );
    say("pages move by", known(&map.mechanism, String::clone));
    say(
        "last level",
        known(&map.last_level, |n| format!("{n} colors")),
    );
    facts
}

fn sure(map: &ColorMap) -> String {
    let share = |part: u32| {
        let share = f64::from(part) / f64::from(map.agreement.pages.max(1));
        // Two decimals: what matters is how far from all.
        format!("{:.2}\u{a0}%", 100.0 * share)
    };
    let [below, at] = map.ways_sharp;
    format!(
        "one vote agrees on {} of {} pages, three on {}; {} pages push out another in {} of tries, {} in {}",
        share(map.agreement.one_vote),
        numbers::count(map.agreement.pages.into()),
        share(map.agreement.three_votes),
        map.ways.saturating_sub(1),
        numbers::percent(below),
        map.ways,
        numbers::percent(at)
    )
}

fn known<T>(value: &Known<T>, text: impl Fn(&T) -> String) -> String {
    match value {
        Known::Is(value) => text(value),
        Known::Unknown(why) => format!("unknown: {}", why.unknown),
    }
}

/// The page of `color bench`.
pub(crate) fn bench(bench: &ColorBench, look: Look) -> String {
    let mut page = Screen::new(look);
    let size = numbers::size(bench.cache_bytes).replace('\u{a0}', " ");
    page.heading(
        "Colored and ordinary pages",
        &format!(
            "{} colors, {} ways, {size}; {} draws, {} of {size}, moved by {}",
            bench.colors, bench.ways, bench.draws, bench.edge_draws, bench.mechanism
        ),
    );
    page.flow(0, 0, Text::strong(&bench.verdict));
    page.heading("LATENCY", "by working set, on fresh pages each draw");
    let curves: Vec<Curve> = ["colored", "ordinary", "huge"]
        .into_iter()
        .map(|kind| curve(bench, kind))
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let level = Level {
        name: "L2".to_owned(),
        latency_ns: Interval {
            value: 0.0,
            range: None,
        },
        huge_pages: false,
        capacity_bytes: None,
        rises_from_bytes: None,
        claimed_bytes: Some(bench.cache_bytes),
    };
    for line in plot(&curves, &[level], page.width()).unwrap_or_default() {
        page.line(line);
    }
    page.flow(0, 0, legend(&curves));
    for (work, title, unit) in [
        ("latency", "ns a load", ""),
        ("bandwidth", "BANDWIDTH, GB/s", ""),
        (
            "matrix",
            "MATRIX PRODUCT, µs a row",
            "one matrix fills the size",
        ),
        (
            "tree",
            "B-TREE, ns a lookup",
            "each waits for the one before",
        ),
    ] {
        if !bench.gains.iter().any(|g| g.work == work) {
            continue;
        }
        if work != "latency" {
            page.heading(title, unit);
        }
        table(bench, work, &mut page);
    }
    if !bench.partitions.is_empty() {
        page.heading("A FEW COLORS", "effective size");
        for part in &bench.partitions {
            let acts = match part.acts_as_bytes {
                Some(bytes) => format!(
                    "{} of {}",
                    numbers::size(bytes.round() as u64),
                    numbers::size(part.part_bytes)
                ),
                None => "no edge was seen".to_owned(),
            };
            let name = numbers::counted(part.colors.into(), "color", "colors");
            page.field(0, NAMES, &name, Text::plain(acts));
        }
    }
    for note in &bench.notes {
        page.flow(0, 2, Text::dim(format!("note: {note}")));
    }
    page.finish()
}

fn curve(bench: &ColorBench, kind: &str) -> Curve {
    let points = bench
        .points
        .iter()
        .filter(|p| p.work == "latency" && p.pages == kind);
    Curve {
        name: kind.to_owned(),
        points: points.map(|p| (p.bytes as f64, p.value.value)).collect(),
    }
}

/// A line for each size: the values, and colored against ordinary.
fn table(bench: &ColorBench, work: &str, page: &mut Screen) {
    let kinds = ["ordinary", "colored", "huge"];
    let heads = kinds.into_iter().chain(["colored takes", "steadier"]);
    let mut grid = Grid::new(heads.map(str::to_owned));
    for gain in bench.gains.iter().filter(|g| g.work == work) {
        let value = |kind: &str| {
            let of = |p: &&whyslow_model::color::ColorPoint| {
                p.work == work && p.pages == kind && p.bytes == gain.bytes
            };
            let point = bench.points.iter().find(of);
            point.map_or(Text::dim("-"), |p| numbers::plus_minus(&p.value))
        };
        let mut cells: Vec<Vec<Text>> = kinds.into_iter().map(|k| vec![value(k)]).collect();
        cells.push(vec![change(&gain.time_ratio, gain.apart)]);
        cells.push(vec![steadier(gain.steadier)]);
        grid.row(numbers::size(gain.bytes), cells);
    }
    page.grid(&grid);
}

/// `>3.1x`: what is sure.
fn steadier(gain: Option<Steadier>) -> Text {
    match gain.filter(|gain| gain.at_least > 1.0) {
        Some(gain) => Text::plain(format!(">{}x", numbers::times(gain.at_least))),
        None => Text::dim("-"),
    }
}

/// `-28 % [-30, -26]`, strong if the two values are apart.
fn change(ratio: &Interval, apart: bool) -> Text {
    let percent = |r: f64| {
        format!("{:+.0}", 100.0 * (r - 1.0))
            .replace("-0", "0")
            .replace("+0", "0")
    };
    let style = if apart { Style::Strong } else { Style::Plain };
    let value = Text::default().and(style, format!("{}\u{a0}%", percent(ratio.value)));
    match ratio.range {
        Some([lo, hi]) => value.and(
            Style::Dim,
            format!(" [{},\u{a0}{}]", percent(lo), percent(hi)),
        ),
        None => value,
    }
}

#[cfg(test)]
mod tests;
