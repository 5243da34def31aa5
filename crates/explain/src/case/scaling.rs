//! What several processes get done beside one.

use whyslow_model::role::Role;
use whyslow_model::{Better, Point};

use super::Moved;

/// What several processes get done beside one, on both sides.
pub(crate) struct Scaling {
    pub(crate) name: String,
    pub(crate) count: f64,
    /// Work done beside one process: `count` at best.
    pub(crate) times: [f64; 2],
}

impl Scaling {
    /// In words.
    pub(crate) fn said(&self) -> String {
        let [a, b] = self.times;
        format!(
            "{:.0} × {} do {a:.2} times the work of one in A and {b:.2} times in B",
            self.count, self.name
        )
    }
}

/// Each kind of work at its largest count against one process.
pub(crate) fn scalings(points: &[Moved<'_>], role: Role) -> Vec<Scaling> {
    let of = || points.iter().filter(|p| p.role == role);
    let mut found: Vec<Scaling> = Vec::new();
    for alone in of().filter(|p| count(&p.point.point) == Some(1.0)) {
        let same = |p: &&Moved<'_>| p.point.point.probe == alone.point.point.probe;
        let most = of()
            .filter(same)
            .filter_map(|p| Some((count(&p.point.point)?, p)))
            .max_by(|(x, _), (y, _)| x.total_cmp(y));
        let Some((count, most)) = most.filter(|(n, _)| *n > 1.0) else {
            continue;
        };
        let rate = |value: f64| match alone.point.better {
            Better::Lower | Better::Unsaid => 1.0 / value,
            Better::Higher => value,
        };
        let times = |one: f64, all: f64| {
            let work = rate(all) / rate(one);
            // Published tables give the time until all have ended; our own loads the time of one unit
            // of work over all CPUs.
            if alone.point.point.get("processes").is_some() {
                work * count
            } else {
                work
            }
        };
        let side = |s: fn(&whyslow_model::comparison::PointComparison) -> f64| {
            times(s(alone.point), s(most.point))
        };
        found.push(Scaling {
            name: work_of(alone).to_owned(),
            count,
            times: [side(|p| p.a.value.value), side(|p| p.b.value.value)],
        });
    }
    found
}

/// How many processes there were.
pub(crate) fn count(point: &Point) -> Option<f64> {
    point.get("processes").or(point.get("procs"))?.parse().ok()
}

/// What one process did: its name without their number, by which rows of a table are told apart.
pub(crate) fn work_of<'a>(point: &'a Moved<'_>) -> &'a str {
    let name = point.name.split_once(" (processes ");
    name.map_or(point.name.as_str(), |(name, _)| name)
}
