//! What placement alone can do to a point, by simulation: never a claim, only how far the mechanism reaches.

use whyslow_model::{Record, id, size};
use whyslow_sim::like::{Placements, placements};
use whyslow_stats::record::summarise;

use crate::case::{Case, Moved};
use crate::words;

/// Placements that are simulated: enough for a share in percent.
const COUNT: u32 = 99;

/// Their first seed: the same records give the same line.
const SEED: u64 = 1;

/// A line on the point of random loads on ordinary pages that moved most within the cache that pages are placed for; none
/// where nothing of the kind moved, or a record does not tell its caches.
pub(crate) fn line(case: &Case<'_>) -> Option<String> {
    let fits = |moved: &&Moved<'_>| {
        let point = &moved.point.point;
        moved.moved
            && point.probe == id::MEM_LATENCY
            && point.get("order") == Some("random")
            && point.get("pages") == Some("4k")
    };
    let mut points: Vec<&Moved<'_>> = case.points.iter().filter(fits).collect();
    points.sort_by(|x, y| y.worse.abs().total_cmp(&x.worse.abs()));
    points.iter().find_map(|moved| of(case, moved))
}

fn of(case: &Case<'_>, moved: &Moved<'_>) -> Option<String> {
    let bytes = size::parse(moved.point.point.get("size")?)?;
    let a = Side::of(case.a, bytes)?;
    let b = Side::of(case.b, bytes)?;
    let [least, most] = a.times();
    let values = [&moved.point.a, &moved.point.b].map(|side| side.value.value);
    let lies = |side: &Side, value: f64| beyond(side.slower_than(value));
    Some(format!(
        "by simulation, pages of 4 KiB anywhere on A's {} ({}, {}-way, LRU) make {} {least:.2} to {most:.2} times what evenly spread ones do; A lies {} of {COUNT} placements on its cache, B {} on its own",
        a.found.level,
        words::bytes(a.found.bytes as f64),
        a.found.ways,
        moved.name,
        lies(&a, values[0]),
        lies(&b, values[1]),
    ))
}

/// `above 40 %`.
fn beyond(share: f64) -> String {
    match share {
        share if share >= 1.0 => "above all".to_owned(),
        share if share <= 0.0 => "below all".to_owned(),
        share => format!("above {:.0} %", 100.0 * share),
    }
}

/// Simulated placements of one side, and what a load costs there.
struct Side {
    found: Placements,
    /// ns of a load that is served by the level, and by what lies below it.
    ns: [f64; 2],
}

impl Side {
    /// None where the size does not collide in the level, or more than fits into it.
    fn of(record: &Record, bytes: u64) -> Option<Side> {
        let found = placements(record, bytes, COUNT, SEED).ok()?;
        if bytes > found.bytes || found.misses.iter().all(|share| *share == 0.0) {
            return None;
        }
        let levels = summarise(record).levels;
        let own = levels.iter().position(|level| level.name == found.level)?;
        let ns = [own, own + 1].map(|at| levels.get(at).map(|level| level.latency_ns.value));
        let [Some(hit), Some(miss)] = ns else {
            return None;
        };
        Some(Side {
            found,
            ns: [hit, miss],
        })
    }

    fn all(&self) -> impl Iterator<Item = f64> {
        let [hit, miss] = self.ns;
        let shares = self.found.misses.iter();
        shares.map(move |share| hit + share * (miss - hit))
    }

    /// The fastest and the slowest placement, against pages that do not collide.
    fn times(&self) -> [f64; 2] {
        let ends = self.all().fold([f64::MAX, 0.0], |[least, most], ns| {
            [ns.min(least), ns.max(most)]
        });
        ends.map(|ns| ns / self.ns[0])
    }

    /// The share of placements that are faster than a value.
    fn slower_than(&self, value: f64) -> f64 {
        let faster = self.all().filter(|ns| *ns < value).count();
        faster as f64 / self.found.misses.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_lies_among_what_placements_cost() {
        let side = Side {
            found: Placements {
                level: "L2".to_owned(),
                bytes: 1 << 20,
                ways: 16,
                misses: vec![0.0, 0.1, 0.2, 0.4],
            },
            ns: [4.0, 14.0],
        };
        assert_eq!(side.times(), [1.0, 2.0]);
        for (value, wanted) in [(3.9, "below all"), (5.5, "above 50 %"), (9.0, "above all")] {
            assert_eq!(beyond(side.slower_than(value)), wanted);
        }
    }
}
