//! Rows of one label that are several things measured one after the other: phases of a program of which each prints the same
//! words. Their figures are far apart, and as far apart in the same order on the other side; runs of one thing are not.

use std::collections::BTreeMap;

use whyslow_model::record::{Planned, Process};
use whyslow_model::{Point, Record};

/// More lines of one label are samples over time, which rise and fall on both sides alike.
const MOST: usize = 12;

/// The next larger figure of a side is this many times as large at least: runs come in clusters.
const STEP: f64 = 1.15;

/// The largest of three figures and more is so many times the least: noisy runs differ by less.
const APART: f64 = 1.5;

/// The same of two, whose order is the same on both sides by chance half of the time.
const TWO_APART: f64 = 3.0;

/// The name of the parameter that says which of the lines of that label a figure stands in.
const PLACE: &str = "line";

/// Makes a row of its own of each figure of such a label in both records, so that each is compared with that in its place.
pub fn phases(a: &mut Record, b: &mut Record) {
    let (of_a, of_b) = (figures(a), figures(b));
    let found: Vec<Point> = of_a
        .iter()
        .filter(|(point, own)| {
            let other = of_b.get(*point);
            other.is_some_and(|other| are_phases(own, other))
        })
        .map(|(point, _)| (*point).clone())
        .collect();
    for point in found {
        part(a, &point);
        part(b, &point);
    }
}

/// The figures of each row in the order of the source.
fn figures(record: &Record) -> BTreeMap<&Point, Vec<f64>> {
    let mut found: BTreeMap<&Point, Vec<f64>> = BTreeMap::new();
    for process in &record.processes {
        let own = found.entry(&process.point).or_default();
        own.extend(process.outcome.numbers());
    }
    found
}

/// Are the figures those of several things, and those of the other side of the same ones in the same order?
fn are_phases(own: &[f64], other: &[f64]) -> bool {
    let order = |figures: &[f64]| {
        let mut order: Vec<usize> = (0..figures.len()).collect();
        order.sort_by(|a, b| figures[*a].total_cmp(&figures[*b]));
        order
    };
    let apart = |figures: &[f64]| {
        let order = order(figures);
        let steps = order
            .windows(2)
            .all(|pair| figures[pair[1]] >= figures[pair[0]] * STEP);
        let (least, most) = (figures[order[0]], figures[order[order.len() - 1]]);
        let factor = if figures.len() > 2 { APART } else { TWO_APART };
        steps && least > 0.0 && most > least * factor
    };
    let counts = (2..=MOST).contains(&own.len()) && own.len() == other.len();
    counts && apart(own) && apart(other) && order(own) == order(other)
}

/// Makes rows of the figures of one.
fn part(record: &mut Record, point: &Point) {
    let placed = |place: usize| point.clone().with(PLACE, place);
    let mut count = 0;
    for process in record.processes.iter_mut().filter(|p| p.point == *point) {
        count += 1;
        *process = Process {
            point: placed(count),
            round: 1,
            ..process.clone()
        };
    }
    let Some(at) = record.plan.points.iter().position(|p| p.point == *point) else {
        return;
    };
    let whole = record.plan.points.remove(at);
    let parts = (1..=count).map(|place| Planned {
        point: placed(place),
        title: whole
            .title
            .as_ref()
            .map(|title| format!("{title}, line {place}")),
        ..whole.clone()
    });
    record.plan.points.splice(at..at, parts);
}

#[cfg(test)]
mod tests {
    use super::are_phases;

    #[test]
    fn phases_and_runs() {
        // As far apart on both sides, and in the same order.
        assert!(are_phases(&[13.5, 205.5, 17.0], &[31.5, 241.5, 43.0]));
        assert!(are_phases(&[10.0, 95.0], &[12.0, 90.0]));
        // In another order.
        assert!(!are_phases(&[13.5, 205.5, 17.0], &[31.5, 43.0, 241.5]));
        // Runs, one of which was disturbed or the first with cold caches.
        assert!(!are_phases(&[95.0, 10.0, 10.1], &[90.0, 11.0, 11.5]));
        assert!(!are_phases(&[10.0, 10.5, 11.0], &[12.0, 12.5, 13.0]));
        assert!(!are_phases(&[10.0, 18.0], &[12.0, 20.0]));
        assert!(!are_phases(&[10.0, 95.0], &[12.0, 90.0, 91.0]));
        assert!(!are_phases(&[10.0], &[12.0]));
        assert!(!are_phases(&[], &[]));
    }
}
