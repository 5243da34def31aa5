//! Clock, core to core, overlapping misses, page walks and the line.

use whyslow_model::id;
use whyslow_model::record::Draw;
use whyslow_model::summary::{PointSummary, SeriesSummary};

use crate::numbers::{self, times};
use crate::page::Screen;
use crate::summary::system::{classes, value};
use crate::text::{Style, Text};
use crate::view::{Shown, View};

/// Columns of the names.
const NAMES: usize = 15;

/// A rise of the time per load that is no noise: a second miss costs up to 100 % more, and a
/// tenth of that is well above what one distance differs from the next by chance.
const RISE: f64 = 1.1;

/// The probes of this section with their names there.
const NAMED: [(&str, &str); 5] = [
    (id::CPU_CLOCK, "clock"),
    (id::CPU_CORE_TO_CORE, "core to core"),
    (id::MEM_PARALLELISM, "MLP"),
    (id::MEM_TLB, "TLB-miss cost"),
    (id::MEM_LINE, "line"),
];

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let mut fields: Vec<(&str, Text)> = Vec::new();
    for point in view.probe(id::CPU_CLOCK) {
        fields.push(("clock", value(view, point)));
        shown.insert(&point.point);
    }
    let pairs: Vec<&PointSummary> = view.probe(id::CPU_CORE_TO_CORE).collect();
    if !pairs.is_empty() {
        fields.push(("core to core", core_to_core(view, &pairs)));
    }
    let overlap: Vec<&PointSummary> = view.probe(id::MEM_PARALLELISM).collect();
    if !overlap.is_empty() {
        fields.push(("MLP", parallelism(view, &overlap)));
    }
    let walks: Vec<&PointSummary> = view.probe(id::MEM_TLB).collect();
    if !walks.is_empty() {
        fields.push(("TLB-miss cost", tlb(view, &walks)));
    }
    let mut lines: Vec<&PointSummary> = view.probe(id::MEM_LINE).collect();
    lines.sort_by_key(|point| from_memory(point));
    for point in &lines {
        fields.push(line(view, point));
    }
    for (id, name) in NAMED {
        if let Some(why) = view.why_absent(id) {
            fields.push((name, Text::dim(why)));
        }
    }
    if fields.is_empty() {
        return;
    }
    page.heading("CORE AND MEMORY", "");
    for (name, text) in fields {
        page.field(0, NAMES, name, text);
    }
    shown.extend(
        pairs
            .iter()
            .chain(&overlap)
            .chain(&walks)
            .chain(&lines)
            .map(|p| &p.point),
    );
}

/// Each pair or class where there are few, the range where there are many.
fn core_to_core(view: &View<'_>, points: &[&PointSummary]) -> Text {
    /// The number of pairs up to which each is a point by default.
    const FEW: usize = 6;
    let name =
        |p: &PointSummary| match (p.point.get("a"), p.point.get("b"), p.point.get("placement")) {
            (Some(a), Some(b), _) => format!("CPU {a} and {b}"),
            (_, _, Some(placement)) => placement.replace('-', " "),
            _ => p.point.to_string(),
        };
    if points.len() <= FEW {
        let mut text = Text::default();
        for (i, point) in points.iter().enumerate() {
            text = text.and(Style::Plain, if i == 0 { "" } else { "; " });
            let mut said = classes(point);
            if said.is_empty() {
                said.push(value(view, point));
            }
            for (k, said) in said.into_iter().enumerate() {
                text = text
                    .and(Style::Plain, if k == 0 { "" } else { ", " })
                    .then(said);
            }
            text = text.and(Style::Plain, format!(" one way, {}", name(point)));
        }
        return text;
    }
    let mut known: Vec<(f64, &PointSummary)> = points
        .iter()
        .filter_map(|p| Some((p.value?.value, *p)))
        .collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let missing = points.len() - known.len();
    let text = match (known.first(), known.last()) {
        (Some(near), Some(far)) => format!(
            "{} pairs, one way: {} ns ({}) to {} ns ({}), half of them within {} ns",
            known.len(),
            numbers::number(near.0),
            name(near.1),
            numbers::number(far.0),
            name(far.1),
            numbers::number(known[known.len() / 2].0),
        ),
        _ => format!("no value: {}", view.why_missing(points[0])),
    };
    let text = match missing {
        n if n > 0 && !known.is_empty() => format!("{text}; {n} pairs without one value"),
        _ => text,
    };
    Text::plain(text)
}

/// Time with one chain over the least time: how many loads were under way at once.
fn parallelism(view: &View<'_>, points: &[&PointSummary]) -> Text {
    let mut text = Text::default();
    for (i, point) in points.iter().enumerate() {
        let level = point.point.get("level").unwrap_or("?");
        text = text.and(Style::Plain, if i == 0 { "" } else { "; " });
        let one = point
            .series
            .iter()
            .find(|s| s.name == "1")
            .map(|s| s.value.value);
        let best = point
            .series
            .iter()
            .min_by(|a, b| a.value.value.total_cmp(&b.value.value));
        text = match one.zip(best).filter(|(_, best)| best.value.value > 0.0) {
            Some((one, best)) => text
                .and(
                    Style::Plain,
                    format!("{level} {} at once", at_once(point, one, best)),
                )
                .and(
                    Style::Dim,
                    format!(
                        " ({} to {} ns, {} chains)",
                        numbers::number(one),
                        numbers::number(best.value.value),
                        best.name
                    )
                    .replace(' ', "\u{a0}")
                    .replacen('\u{a0}', " ", 1),
                ),
            None => text.and(
                Style::Dim,
                format!("{level} none: {}", view.why_missing(point)),
            ),
        };
    }
    text
}

/// With the most chains the best of all, more of them might have done better still.
fn at_once(point: &PointSummary, one: f64, best: &SeriesSummary) -> String {
    let most = point
        .series
        .iter()
        .filter_map(|s| s.name.parse::<u32>().ok())
        .max();
    let more = if best.name.parse().ok() == most {
        " or more"
    } else {
        ""
    };
    format!("{}{more}", times(one / best.value.value))
}

/// From which number of pages a load costs more, and how much at some of them.
fn tlb(view: &View<'_>, points: &[&PointSummary]) -> Text {
    let count = |p: &PointSummary| {
        p.point
            .get("count")
            .and_then(|c| c.parse::<u64>().ok())
            .unwrap_or(0)
    };
    // Sure, and not so little that it is nothing beside the load itself.
    let sure = |p: &PointSummary| {
        let load = p
            .series
            .iter()
            .map(|s| s.value.value)
            .fold(f64::INFINITY, f64::min);
        p.value.is_some_and(|v| {
            v.range.is_none_or(|[lo, _]| lo > 0.0) && v.value > (RISE - 1.0) * load
        })
    };
    let mut sorted: Vec<&PointSummary> = points.to_vec();
    sorted.sort_by_key(|p| count(p));
    let known: Vec<&PointSummary> = sorted
        .iter()
        .copied()
        .filter(|p| p.value.is_some())
        .collect();
    let Some(first) = known.iter().position(|p| sure(p)) else {
        return match known.last() {
            Some(last) => Text::plain(format!(
                "nothing that can be told from none, up to {} pages of 4 KiB",
                numbers::count(count(last))
            )),
            None => Text::dim(format!("none: {}", view.why_missing(points[0]))),
        };
    };
    let mut parts = Vec::new();
    if first > 0 {
        parts.push(format!(
            "nothing up to {} pages of 4 KiB",
            numbers::count(count(known[first - 1]))
        ));
    }
    // The first, then each fourfold count, and the last.
    let mut next = 0;
    let last = known.last().map_or(0, |p| count(p));
    for point in &known[first..] {
        let here = count(point);
        if (here >= next || here == last)
            && let Some(value) = &point.value
        {
            next = here * 4;
            let at = numbers::count(here);
            parts.push(match sure(point) {
                true => format!("{} at {at}", numbers::short(point.unit, value)),
                false => format!("unclear at {at}"),
            });
        }
    }
    Text::plain(parts.join(", "))
}

/// The line as it acts where loads miss the first level alone, and how much comes with it from memory.
fn line(view: &View<'_>, point: &PointSummary) -> (&'static str, Text) {
    let memory = from_memory(point);
    let name = if memory { "from memory" } else { "line" };
    let distances = distances(point);
    let (Some((_, near)), Some((most, far))) = (distances.first(), distances.last()) else {
        return (
            name,
            Text::dim(format!("none: {}", view.why_missing(point))),
        );
    };
    let risen = |s: &SeriesSummary| rises(view, point, &near.name, &s.name);
    // The far end is a second miss for sure; less than half of that rise is one that came along.
    let half = near.value.value.midpoint(far.value.value);
    let along = distances.iter().rfind(|(_, s)| s.value.value < half);
    let apart = distances.iter().find(|(_, s)| risen(s));
    let said = match (along.filter(|_| risen(far)), apart) {
        (Some((along, _)), _) if memory => {
            format!("loads up to {along}\u{a0}B apart mostly share a miss")
        }
        (_, Some((apart, _))) if !memory => {
            format!("effective size {apart}\u{a0}B: loads that far apart miss apart")
        }
        _ => format!("no clear rise up to {most}\u{a0}B"),
    };
    let values: Vec<String> = distances
        .iter()
        .map(|(d, s)| format!("{d}\u{a0}B\u{a0}{}", numbers::short(point.unit, &s.value)))
        .collect();
    let values = format!(" ({})", values.join(", "));
    (name, Text::plain(said).and(Style::Dim, values))
}

fn from_memory(point: &PointSummary) -> bool {
    point.point.get("level") == Some("DRAM")
}

/// The series of a point by distance in bytes.
fn distances(point: &PointSummary) -> Vec<(u64, &SeriesSummary)> {
    let series = point.series.iter();
    let mut series: Vec<_> = series
        .filter_map(|s| Some((s.name.parse().ok()?, s)))
        .collect();
    series.sort_by_key(|(distance, _)| *distance);
    series
}

/// Does a load take longer in the series `far` than in `near`, by [`RISE`] in the middle process
/// and at all in three of four? Within processes, because what differs between them (where their
/// pages lie) moves both alike.
fn rises(view: &View<'_>, point: &PointSummary, near: &str, far: &str) -> bool {
    let measured = view.record.measured(&point.point);
    let mut ratios: Vec<f64> = measured
        .filter_map(|(_, draws)| Some(typical(draws, far)? / typical(draws, near)?))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2);
    let longer = ratios.iter().filter(|r| **r > 1.0).count();
    middle.is_some_and(|m| *m > RISE) && longer * 4 >= ratios.len() * 3
}

/// The middle time per load of a series, ns.
fn typical(draws: &[Draw], name: &str) -> Option<f64> {
    let series = draws
        .iter()
        .flat_map(|d| &d.series)
        .filter(|s| s.name == name);
    let mut times: Vec<f64> = series
        .flat_map(|s| s.ns.iter().map(|ns| ns / s.work))
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}
