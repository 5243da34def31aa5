//! The same work on one to all CPUs: speed-up, efficiency, and what limits it.

use whyslow_model::id;
use whyslow_model::summary::Interval;

use crate::grid::{Cell, Grid};
use crate::numbers::{number, percent, short, times};
use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

/// The loads with their row names; the first stays within registers and is the control for the others.
const LOADS: [(&str, &str); 4] = [
    (id::SMP_MANDELBROT, "Mandelbrot (registers)"),
    (id::SMP_SIEVE, "sieve (1 MiB each)"),
    (id::SMP_STREAM, "triad (beyond the caches)"),
    (id::SMP_CHASE, "chase (beyond the caches)"),
];

/// Efficiency that is lost to memory and not to the CPUs: under this share of the control's. A tenth is
/// more than what runs of the loads differ by on a quiet machine.
const BOUND: f64 = 0.9;

/// One load at one number of processes.
struct Step<'a> {
    procs: u32,
    value: &'a Interval,
    /// By how much the work is done sooner than by one.
    speed_up: Interval,
}

/// The table, where anything of it was measured.
pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let loads: Vec<(&str, Vec<Step<'_>>)> = LOADS
        .iter()
        .map(|&(probe, name)| (name, steps(view, probe)))
        .collect();
    let mut counts: Vec<u32> = loads
        .iter()
        .flat_map(|(_, steps)| steps.iter().map(|s| s.procs))
        .collect();
    counts.sort_unstable();
    counts.dedup();
    if counts.is_empty() {
        return;
    }
    for (probe, _) in LOADS {
        shown.extend(view.probe(probe).map(|p| &p.point));
    }
    page.heading(
        "SAME WORK ON SEVERAL CPUS",
        "speed-up over one CPU, and the share of it that CPUs would give",
    );
    let heads = counts.iter().map(|&n| {
        if n == 1 {
            "1 CPU, a unit".into()
        } else {
            format!("{n} CPUs")
        }
    });
    let mut grid = Grid::new(heads);
    for (name, steps) in loads.iter().filter(|(_, steps)| !steps.is_empty()) {
        let cells = counts
            .iter()
            .map(|&n| match steps.iter().find(|s| s.procs == n) {
                Some(step) => cell(step),
                None => Cell::new(),
            });
        grid.row(*name, cells.collect());
    }
    page.grid(&grid);
    let control = loads
        .first()
        .map(|(_, steps)| steps.as_slice())
        .unwrap_or_default();
    let limits = loads
        .iter()
        .skip(1)
        .filter_map(|(name, steps)| limit(name, steps, control));
    for text in limits.chain(
        LOADS
            .iter()
            .flat_map(|&(probe, name)| apart(view, probe, name)),
    ) {
        page.flow(0, 2, Text::plain(format!("- {text}")));
    }
}

/// What cannot be in the table: values that differ by where the CPUs were.
fn apart(view: &View<'_>, probe: &'static str, name: &str) -> Vec<String> {
    let points = view
        .summary
        .points
        .iter()
        .filter(|p| p.point.probe == probe);
    let several = points.filter(|p| p.value.is_none() && !p.classes.is_empty());
    let texts = several.map(|p| {
        let classes = p
            .classes
            .iter()
            .map(|c| format!("{} {}", c.class, short(p.unit, &c.value)));
        let classes: Vec<String> = classes.collect();
        let procs = p.point.get("procs").unwrap_or("several");
        format!(
            "{name} on {procs} CPUs differs by where they were: {}.",
            classes.join(", ")
        )
    });
    texts.collect()
}

fn cell(step: &Step<'_>) -> Cell {
    if step.procs == 1 {
        return vec![Text::plain(short(whyslow_model::Unit::Ns, step.value))];
    }
    let share = percent(step.speed_up.value / f64::from(step.procs));
    let ends = step
        .speed_up
        .range
        .map(|[lo, hi]| format!(" [{}, {}]", number(lo), number(hi)));
    let first = Text::plain(format!("{} times", number(step.speed_up.value)));
    vec![
        first.and(Style::Dim, ends.unwrap_or_default()),
        Text::dim(share),
    ]
}

/// The steps of a load from one process on, by their number.
fn steps<'a>(view: &View<'a>, probe: &'static str) -> Vec<Step<'a>> {
    let mut found: Vec<(u32, &Interval)> = view
        .summary
        .points
        .iter()
        .filter(|p| p.point.probe == probe && p.point.get("copies").is_none())
        .filter_map(|p| Some((p.point.get("procs")?.parse().ok()?, p.value.as_ref()?)))
        .collect();
    found.sort_by_key(|(procs, _)| *procs);
    let Some(&(1, alone)) = found.first() else {
        return Vec::new();
    };
    let step = |(procs, value)| Step {
        procs,
        value,
        speed_up: ratio(alone, value),
    };
    found.into_iter().map(step).collect()
}

/// `a` over `b`, whose errors are independent; its ends on a log scale.
fn ratio(a: &Interval, b: &Interval) -> Interval {
    let half = |i: &Interval| {
        i.range
            .filter(|[lo, _]| *lo > 0.0)
            .map(|[lo, hi]| (hi / lo).ln() / 2.0)
    };
    let value = a.value / b.value;
    let spread = half(a).zip(half(b)).map(|(x, y)| x.hypot(y).exp());
    Interval {
        value,
        range: spread.map(|s| [value / s, value * s]),
    }
}

/// What limits a load at its largest number of processes, by what the control reaches there.
fn limit(name: &str, steps: &[Step<'_>], control: &[Step<'_>]) -> Option<String> {
    let last = steps.last().filter(|s| s.procs > 1)?;
    let reference = control.iter().find(|s| s.procs == last.procs);
    let at = format!("{name} on {} CPUs", last.procs);
    let reached = format!("{} times one", times(last.speed_up.value));
    let Some(reference) = reference else {
        return Some(format!(
            "{at}: {reached}. Without the Mandelbrot control nothing says whether the CPUs or memory limit it."
        ));
    };
    let share = last.speed_up.value / reference.speed_up.value;
    let known = ratio(&last.speed_up, &reference.speed_up).range;
    let why = match known {
        Some([_, hi]) if hi < BOUND => {
            "bound by memory that the CPUs share: the control, which needs none, gains more"
        }
        Some([lo, _]) if lo >= BOUND => {
            "not bound by memory: it gains as the control does, which needs none"
        }
        _ => "not known well enough to say whether memory limits it; more processes would tell",
    };
    Some(format!(
        "{at}: {reached}, {} of what the control reaches ({} times): {why}.",
        percent(share),
        times(reference.speed_up.value),
    ))
}
