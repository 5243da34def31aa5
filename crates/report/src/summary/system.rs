//! System calls, processes and switching.

use whyslow_model::id;
use whyslow_model::summary::PointSummary;

use crate::grid::{Cell, Grid};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;
use crate::view::{Shown, View, has};

/// Probes of processes with their row names.
const PROCESSES: [(&str, &str); 3] = [
    (id::PROC_FORK, "fork, exit, wait"),
    (id::PROC_EXEC, "fork, exec, exit, wait"),
    (id::PROC_SHELL, "the same by sh -c"),
];

/// Names and values of parameters.
type Parameters<'a> = Vec<(&'a str, &'a str)>;

/// Probes of two processes with their row names.
const SWITCHING: [(&str, &str); 2] = [
    (id::CTX_RING, "context switch"),
    (id::IPC_PIPE, "pipe and back"),
];

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    super::calls::section(view, page, shown);
    processes(view, page, shown);
    switching(view, page, shown);
}

fn processes<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let mut grid = Grid::new(["static image", "dynamic image"].map(str::to_owned));
    for (probe, name) in PROCESSES {
        let mut cells = vec![Cell::new(); 2];
        for point in view.probe(probe) {
            let column = match point.point.get("image") {
                Some("static") => 0,
                // A shell is a dynamic image, and so is the program that it starts.
                Some("dynamic") | None => 1,
                Some(_) => continue,
            };
            cells[column] = values(view, point);
            shown.insert(&point.point);
        }
        if cells.iter().any(|c| !c.is_empty()) {
            grid.row(name, cells);
        }
    }
    if !grid.is_empty() {
        page.heading("PROCESSES", "from a small process [95 % interval]");
        page.grid(&grid);
    } else {
        let why = view.all_absent(&PROCESSES.map(|(id, _)| id));
        super::absent(page, "PROCESSES", why);
    }
}

fn switching<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let mut columns: Vec<&str> = Vec::new();
    for (probe, _) in SWITCHING {
        for cpus in view.probe(probe).filter_map(|p| p.point.get("cpus")) {
            if !columns.contains(&cpus) {
                columns.push(cpus);
            }
        }
    }
    let mut grid = Grid::new(columns.iter().map(|&cpus| cpus.to_owned()));
    for (probe, name) in SWITCHING {
        // A ring has a row for each number of processes and size that was measured; a pipe for each way of calling.
        let mut rows: Vec<(Parameters<'_>, Vec<Cell>)> = Vec::new();
        for point in view.probe(probe) {
            let Some(column) = columns
                .iter()
                .position(|c| point.point.get("cpus") == Some(c))
            else {
                continue;
            };
            let ring = ["procs", "size", "via"]
                .into_iter()
                .filter_map(|n| Some((n, point.point.get(n)?)));
            let ring: Parameters<'_> = ring.collect();
            let at = rows
                .iter()
                .position(|(r, _)| *r == ring)
                .unwrap_or_else(|| {
                    rows.push((ring, vec![Cell::new(); columns.len()]));
                    rows.len() - 1
                });
            rows[at].1[column] = values(view, point);
            shown.insert(&point.point);
        }
        for (ring, cells) in rows {
            let usual = ring.is_empty() || ring == [("procs", "2"), ("size", "0")];
            let more: Vec<String> = ring.iter().map(|(n, v)| format!("{n} {v}")).collect();
            grid.row(
                if usual {
                    name.to_owned()
                } else {
                    format!("{name}, {}", more.join(", "))
                },
                cells,
            );
        }
    }
    if !grid.is_empty() {
        page.heading("SWITCHING", "two processes; free: unpinned [95 % interval]");
        page.grid(&grid);
    } else {
        let why = view.all_absent(&SWITCHING.map(|(id, _)| id));
        super::absent(page, "SWITCHING", why);
    }
}

/// The value, or why there is none.
pub(crate) fn value(view: &View<'_>, point: &PointSummary) -> Text {
    match &point.value {
        Some(value) => numbers::full(point.unit, value),
        None => Text::dim(format!("none: {}", view.why_missing(point))),
    }
}

/// The value, or one for each class of places.
pub(crate) fn values(view: &View<'_>, point: &PointSummary) -> Cell {
    let classes = classes(point);
    match classes.is_empty() {
        false => classes,
        // A reason may be long: a cell is no place for all of it.
        true => value(view, point).wrap(30),
    }
}

/// The values of the classes of a point that has none of its own; else none.
pub(crate) fn classes(point: &PointSummary) -> Cell {
    match point.value {
        Some(_) => Cell::new(),
        None => point
            .classes
            .iter()
            .filter(|c| c.class != "moved")
            .map(|c| Text::plain(format!("{} ", c.class)).then(numbers::full(point.unit, &c.value)))
            .collect(),
    }
}

/// The point of a probe on the CPUs so called, by bare calls.
pub(crate) fn placed<'a>(view: &View<'a>, probe: &'a str, cpus: &str) -> Option<&'a PointSummary> {
    view.probe(probe)
        .find(|p| has(p, &[("cpus", cpus)]) && p.point.get("via").is_none())
}
