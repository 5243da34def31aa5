//! Latency over the size of the working set.

use std::collections::BTreeMap;

use whyslow_model::id;
use whyslow_model::summary::{Level, PointSummary};

use super::table::said;
use super::{Cell, Figure, Side, Table};
use crate::drawing::{Drawing, Flag, Lane, Line, Lines, Spot, Tip, XAxis};
use crate::numbers;

/// Fewer sizes are no curve.
const FEWEST: usize = 3;

/// Kinds of pages, in the order of their strokes.
const PAGES: [&str; 4] = ["4k", "thp", "hugetlb", "colored"];

/// The probe.
pub(super) const PROBE: &str = id::MEM_LATENCY;

/// A curve: all points that differ in size alone.
struct Curve<'a> {
    side: &'a Side<'a>,
    /// Order, stride and pages, then everything else.
    pages: String,
    stride: Option<u64>,
    more: String,
    points: BTreeMap<u64, &'a PointSummary>,
}

/// Random loads of all sides over each other, with the levels.
pub(super) fn random<'a>(sides: &'a [Side<'a>]) -> Option<Figure> {
    let curves: Vec<Curve<'a>> = sides
        .iter()
        .flat_map(|side| curves(side))
        .filter(|c| c.stride.is_none())
        .collect();
    let several = sides.len() > 1;
    let lines = curves.iter().map(|c| Line {
        name: c.name(several),
        // One side has its kinds of pages in colors; several have sides in colors.
        color: if several { c.side.color } else { c.stroke() },
        dash: if several { c.stroke() } else { 0 },
        spots: c.spots(several),
    });
    let lines: Vec<Line> = lines.collect();
    let lanes = sides.iter().flat_map(|side| lanes(side, several)).collect();
    figure(
        "Latency of a random load",
        "Each load waits for the one before it. Both axes are logarithmic; bands are the least and \
         the largest of all draws (fresh allocations), so a wide band says that page placement \
         matters there. Filled flags: the effective size of a level with its interval; open flags: the size \
         claimed for it.",
        &curves,
        lines,
        lanes,
    )
}

/// The strides of one side as a family, as lmbench's graph has them.
pub(super) fn strides<'a>(side: &'a Side<'a>, several: bool) -> Option<Figure> {
    let mut curves: Vec<Curve<'a>> = curves(side);
    curves.retain(|c| c.stride.is_some());
    curves.sort_by_key(|c| (c.stride, c.pages.clone()));
    let lines = curves.iter().enumerate().map(|(i, c)| Line {
        name: c.name(false),
        color: i,
        dash: i / crate::drawing::SERIES,
        spots: c.spots(several),
    });
    let lines: Vec<Line> = lines.collect();
    let title = match several {
        true => format!("Latency by stride, {}", side.letter),
        false => "Latency by stride".to_owned(),
    };
    figure(
        &title,
        "Loads at a fixed distance, forward: prefetching hides what it can, so the curves lie under \
         the one of random loads and rise with the stride up to a line, and with TLB misses beyond.",
        &curves,
        lines,
        lanes(side, several),
    )
}

fn figure(
    title: &str,
    reading: &str,
    curves: &[Curve<'_>],
    lines: Vec<Line>,
    lanes: Vec<Lane>,
) -> Option<Figure> {
    if lines.is_empty() {
        return None;
    }
    Some(Figure {
        title: title.to_owned(),
        reading: reading.to_owned(),
        table: table(curves, &lines),
        drawing: Drawing::Lines(Lines {
            x: XAxis::Bytes,
            x_name: "working set".into(),
            y_name: "ns a load".into(),
            lines,
            lanes,
            reference: None,
        }),
    })
}

/// The curves of a side, the plain one first.
fn curves<'a>(side: &'a Side<'a>) -> Vec<Curve<'a>> {
    let mut found: Vec<Curve<'a>> = Vec::new();
    for point in side
        .summary
        .points
        .iter()
        .filter(|p| p.point.probe == PROBE)
    {
        let (Some(size), true) = (point.size_bytes, point.value.is_some()) else {
            continue;
        };
        let get = |name: &str| point.point.get(name).unwrap_or_default().to_owned();
        let stride = point.point.get("stride").and_then(|s| s.parse().ok());
        let known = ["size", "order", "stride", "pages"];
        let more = point
            .point
            .params
            .iter()
            .filter(|(n, _)| !known.contains(&n.as_str()));
        let more: Vec<String> = more.map(|(n, v)| format!("{n}={v}")).collect();
        let (pages, more) = (get("pages"), more.join(" "));
        let same = |c: &&mut Curve<'_>| (&c.pages, c.stride, &c.more) == (&pages, stride, &more);
        match found.iter_mut().find(same) {
            Some(curve) => {
                curve.points.insert(size, point);
            }
            None => found.push(Curve {
                side,
                pages,
                stride,
                more,
                points: BTreeMap::from([(size, point)]),
            }),
        }
    }
    found.retain(|c| c.points.len() >= FEWEST);
    found.sort_by_key(Curve::stroke);
    found
}

impl Curve<'_> {
    fn stroke(&self) -> usize {
        let at = PAGES.iter().position(|p| *p == self.pages);
        at.unwrap_or(PAGES.len() - 1)
    }

    fn name(&self, several: bool) -> String {
        let pages = match self.pages.as_str() {
            "4k" => "4 KiB pages",
            "thp" => "huge pages (THP)",
            "hugetlb" => "huge pages (hugetlb)",
            "colored" => "colored pages",
            "" => "pages unknown",
            other => other,
        };
        let mut name = match self.stride {
            Some(stride) => format!("{stride} B, {pages}"),
            None => pages.to_owned(),
        };
        if !self.more.is_empty() {
            name += &format!(", {}", self.more);
        }
        if several {
            name = format!("{}: {name}", self.side.label());
        }
        name
    }

    fn spots(&self, several: bool) -> Vec<Spot> {
        let name = self.name(several);
        let spots = self.points.iter().filter_map(|(size, point)| {
            let value = point.value.as_ref()?;
            let band = self.side.draw_range(point);
            let mut tip = format!(
                "{name}\n{}: {}",
                numbers::size(*size),
                said(point.unit, None, value)
            );
            if let Some([low, high]) = band {
                let ends = [low, high].map(numbers::number);
                tip += &format!("\ndraws {} to {} ns", ends[0], ends[1]);
            }
            Some(Spot {
                x: *size as f64,
                y: value.value,
                band,
                tip: Tip::of(&point.point, tip),
            })
        });
        spots.collect()
    }
}

/// The effective sizes of the levels, and those claimed for them.
fn lanes(side: &Side<'_>, several: bool) -> Vec<Lane> {
    let of = if several {
        format!("{} ", side.label())
    } else {
        String::new()
    };
    let levels = &side.summary.levels;
    let acts = levels.iter().filter_map(|level| {
        let capacity = level.capacity_bytes.as_ref()?;
        Some(Flag {
            x: capacity.value,
            ends: capacity.range,
            name: level.name.clone(),
            tip: format!(
                "{of}{}: effective size {}\na load takes {}",
                level.name,
                numbers::scaled(capacity, numbers::Scale::bytes(capacity.value)).text(),
                said(whyslow_model::Unit::Ns, None, &level.latency_ns)
            )
            .into(),
        })
    });
    let claimed = levels.iter().filter_map(|level: &Level| {
        let bytes = level.claimed_bytes?;
        Some(Flag {
            x: bytes as f64,
            ends: None,
            name: level.name.clone(),
            tip: format!("{of}{}: {} claimed", level.name, numbers::size(bytes)).into(),
        })
    });
    let lane = |name: &str, open, flags: Vec<Flag>| Lane {
        name: format!("{of}{name}"),
        color: if several { side.color } else { 0 },
        open,
        flags,
    };
    let both = [
        lane("measured", false, acts.collect()),
        lane("claimed", true, claimed.collect()),
    ];
    both.into_iter().filter(|l| !l.flags.is_empty()).collect()
}

/// A row for each size, a column for each curve.
fn table(curves: &[Curve<'_>], lines: &[Line]) -> Table {
    let mut table = Table::new(&["#working set"]);
    for line in lines {
        table.head(line.name.clone(), true);
    }
    let mut sizes: Vec<u64> = curves
        .iter()
        .flat_map(|c| c.points.keys().copied())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let mut row = vec![Cell::number(size as f64, numbers::size(size))];
        for curve in curves {
            let found = curve.points.get(&size);
            let value = found.and_then(|p| Some((*p, p.value.as_ref()?)));
            row.push(value.map_or_else(Cell::default, |(p, v)| {
                Cell::interval(whyslow_model::Unit::Ns, None, v).to(&p.point)
            }));
        }
        table.row(row);
    }
    table
}
