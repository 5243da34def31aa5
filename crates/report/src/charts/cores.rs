//! The way between CPUs as a heat map.

use whyslow_model::id;
use whyslow_model::summary::PointSummary;

use super::table::said;
use super::{Cell, Figure, Side, Table};
use crate::drawing::{Cell as HeatCell, Drawing, Heat, Tip};

/// The probe.
pub(super) const PROBE: &str = id::CPU_CORE_TO_CORE;

/// CPUs a side of the matrix; more cells would be smaller than a place on a screen.
const MOST: usize = 128;

/// The matrix of one side.
pub(super) fn figure(side: &Side<'_>, several: bool) -> Option<Figure> {
    let pairs: Vec<(u32, u32, &PointSummary)> = side
        .summary
        .points
        .iter()
        .filter(|p| p.point.probe == PROBE)
        .filter_map(|p| {
            let cpu = |name| p.point.get(name)?.parse().ok();
            Some((cpu("a")?, cpu("b")?, p))
        })
        .collect();
    let mut cpus: Vec<u32> = pairs.iter().flat_map(|(a, b, _)| [*a, *b]).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus.truncate(MOST);
    let mut cells = Vec::new();
    let mut table = Table::new(&["#CPU", "#CPU", "#one way", "by class"]);
    for (a, b, point) in pairs {
        let classes: Vec<String> = point
            .classes
            .iter()
            .map(|c| format!("{} {}", c.class, said(point.unit, None, &c.value)))
            .collect();
        // A pair that was found near and far has no single value; its nearest class is drawn.
        let value = point.value.or(point.classes.first().map(|c| c.value));
        let Some(value) = value else { continue };
        let said = said(point.unit, None, &value);
        table.row(vec![
            Cell::number(f64::from(a), a.to_string()),
            Cell::number(f64::from(b), b.to_string()),
            Cell::number(value.value, said.clone()).to(&point.point),
            Cell::text(classes.join("; ")),
        ]);
        let place = |cpu: u32| cpus.iter().position(|c| *c == cpu);
        let Some((row, column)) = place(a).zip(place(b)) else {
            continue;
        };
        let mut tip = format!("CPU {a} and {b}: {said} one way");
        for class in classes {
            tip += &format!("\n{class}");
        }
        for (row, column) in [(row, column), (column, row)] {
            cells.push(HeatCell {
                row,
                column,
                value: value.value,
                tip: Tip::of(&point.point, tip.clone()),
            });
        }
    }
    if cells.is_empty() {
        return None;
    }
    Some(Figure {
        title: match several {
            true => format!("Core to core, {}", side.letter),
            false => "Core to core".to_owned(),
        },
        reading: "One-way transfer of a cache line between two CPUs, ns. CPUs that lie together show as \
                  light blocks; in a guest the kernel's own map of them may be wrong, this is measured."
            .into(),
        table,
        drawing: Drawing::Heat(Heat {
            names: cpus.iter().map(u32::to_string).collect(),
            cells,
            axis: "CPU".into(),
            unit: "ns".into(),
            color: side.color,
        }),
    })
}
