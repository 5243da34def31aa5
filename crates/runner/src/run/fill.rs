//! The rest of a budget: further processes where they narrow intervals the most for their time.
//!
//! How widely the processes of a point vary is taken from all points of its kind together, never from the point alone:
//! points that happened to vary little would else stay with few processes, and intervals that are too narrow.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use whyslow_model::record::{End, Record};
use whyslow_model::{Point, size};
use whyslow_stats::record::values;
use whyslow_stats::student::{mean_interval, quantile};
use whyslow_stats::summary::COVERAGE;

use super::pace::Rounds;
use super::{RunSession, Step};
use crate::event::Event;
use crate::request::RunError;
use crate::rounds::order;

/// Most processes of a point in a run that fills its time: beyond it, what the processes of one boot have in common
/// weighs more than their number.
const MOST: u32 = 12;

/// An interval this narrow, as a share of its value, needs no further process: usual margins of comparisons are wider.
const NARROW: f64 = 0.01;

/// The spread of a kind of which nothing is known, as a standard deviation of logarithms.
const UNKNOWN: f64 = 0.1;

/// Times that the rest is shared out: workers that took less than expected leave time.
const SHARES: u32 = 4;

/// Octaves of working sets that make one kind: spreads differ by the level that a size is of.
const OCTAVES: u32 = 3;

impl RunSession<'_> {
    /// Spends what is left of the budget.
    pub(super) fn fill(&mut self, run: &Rounds<'_>) -> Result<End, RunError> {
        let Some(until) = self.until(u32::MAX) else {
            return Ok(End::Complete);
        };
        for share in 0..SHARES {
            let shares = self.shares(run);
            let left = until.saturating_duration_since(Instant::now());
            let extra = allot(&shares, left);
            let mut turns: Vec<usize> = Vec::new();
            for (index, &times) in extra.iter().enumerate() {
                turns.extend((0..times).map(|_| index));
            }
            // An order of its own, beyond those of rounds.
            let seed = !self.book.record.header.seed;
            let plans: Vec<_> = turns.iter().map(|turn| &run.points[*turn]).collect();
            let order = order(&plans, seed, share);
            let had = self.book.record.processes.len();
            let mut ran = 0;
            for turn in order {
                let plan = &run.points[turns[turn]];
                if self.workers.given_up(&plan.point) || self.too_long(plan, Some(until)) {
                    continue;
                }
                if self.book.is_full() {
                    return Ok(End::Complete);
                }
                self.book.tell(Event::Step {
                    done: had + ran,
                    total: had + turns.len(),
                    left: until.saturating_duration_since(Instant::now()),
                    next: &plan.point,
                });
                let round = self.last_round(&plan.point) + 1;
                match self.process(plan, round, ran as u32, run.clock, Some(until))? {
                    Step::Done => ran += 1,
                    Step::Stopped => return Ok(End::Interrupted),
                    // What was planned is there.
                    Step::OutOfTime => return Ok(End::Complete),
                }
            }
            if ran == 0 {
                break;
            }
        }
        Ok(End::Complete)
    }

    fn last_round(&self, point: &Point) -> u32 {
        let own = self.book.record.processes.iter();
        let own = own.filter(|process| process.point == *point);
        own.map(|process| process.round).max().unwrap_or(0)
    }

    fn shares(&self, run: &Rounds<'_>) -> Vec<Share> {
        let spreads = spreads(&self.book.record);
        let share = |plan: &whyslow_probes::PointPlan| {
            let kind = kind(&plan.point, plan.size_bytes);
            Share {
                have: match self.workers.given_up(&plan.point) {
                    true => MOST,
                    false => self.last_round(&plan.point),
                },
                spread: spreads.get(&kind).copied().unwrap_or(UNKNOWN),
                takes: self.costs.of(plan),
            }
        };
        run.points.iter().map(share).collect()
    }
}

/// What decides whether a point is worth another process.
#[derive(Debug, Clone, Copy)]
struct Share {
    have: u32,
    /// Standard deviation of the logarithms between processes of its kind.
    spread: f64,
    takes: Duration,
}

/// Further processes of each point within `time`: one after the other to whatever narrows its interval the most for the
/// time that it takes.
fn allot(shares: &[Share], time: Duration) -> Vec<u32> {
    // Half-widths of intervals in standard deviations, by processes.
    let halves: Vec<f64> = (0..=MOST)
        .map(|n| match n {
            0 | 1 => f64::INFINITY,
            n => quantile(0.5 + 0.5 * COVERAGE, f64::from(n - 1)) / f64::from(n).sqrt(),
        })
        .collect();
    let mut extra = vec![0; shares.len()];
    let mut left = time;
    loop {
        let gain = |(index, share): (usize, &Share)| {
            let have = share.have + extra[index];
            let half = *halves.get(have as usize)?;
            let next = halves.get(have as usize + 1)?;
            if share.takes > left || share.spread * half < NARROW {
                return None;
            }
            let seconds = share.takes.as_secs_f64().max(1e-3);
            // The first two count for more than any, the shorter first.
            let narrower = if half.is_finite() {
                share.spread * (half - next)
            } else {
                1e6
            };
            Some((narrower / seconds, index))
        };
        let best = shares.iter().enumerate().filter_map(gain);
        let Some((_, index)) = best.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return extra;
        };
        extra[index] += 1;
        left -= shares[index].takes;
    }
}

/// Points that vary alike: of a family, on as many CPUs, at a level or at sizes near each other.
fn kind(point: &Point, bytes: Option<u64>) -> String {
    let family = point.probe.split('.').next().unwrap_or_default();
    let of = |name: &str| point.get(name).unwrap_or_default().to_owned();
    let by_size = point.get("size").and_then(size::parse).or(bytes);
    let place = match point.get("level") {
        Some(level) => level.to_owned(),
        None => by_size.map_or(String::new(), |b| (b.max(1).ilog2() / OCTAVES).to_string()),
    };
    format!("{family} {} {} {place}", of("cpus"), of("pages"))
}

/// Spread of each kind: the middle one of its points, as a few of them have several modes.
fn spreads(record: &Record) -> BTreeMap<String, f64> {
    let mut by_kind: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for part in values(record) {
        let logs: Vec<f64> = part.processes.iter().map(|p| p.value.ln()).collect();
        let sd = mean_interval(&logs, COVERAGE).and_then(|mean| mean.sd);
        if let Some(sd) = sd.filter(|sd| sd.is_finite()) {
            let freedom = logs.len() as f64 - 1.0;
            // The middle of a chi-squared distribution (Wilson and Hilferty), for which the middle is corrected.
            let middle = (1.0 - 2.0 / (9.0 * freedom)).powi(3);
            let kind = kind(&part.planned.point, part.planned.size_bytes);
            by_kind.entry(kind).or_default().push(sd * sd / middle);
        }
    }
    let spread = |variances: Vec<f64>| whyslow_stats::quantile::median(&variances).map(f64::sqrt);
    by_kind
        .into_iter()
        .filter_map(|(kind, variances)| Some((kind, spread(variances)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(have: u32, spread: f64, ms: u64) -> Share {
        Share {
            have,
            spread,
            takes: Duration::from_millis(ms),
        }
    }

    #[test]
    fn what_narrows_most_for_its_time_comes_first() {
        let time = Duration::from_millis(1000);
        // Alike but for their cost: the cheap one is brought to its most before the dear one has anything.
        let extra = allot(&[share(3, 0.1, 10), share(3, 0.1, 900)], time);
        assert_eq!(extra, [MOST - 3, 1]);
        let extra = allot(&[share(3, 0.1, 10), share(3, 0.1, 950)], time);
        assert_eq!(extra, [MOST - 3, 0]);
        // The wider one, and what has no interval yet before all.
        let extra = allot(&[share(3, 0.02, 400), share(3, 0.2, 400)], time);
        assert_eq!(extra, [0, 2]);
        let extra = allot(&[share(1, 0.01, 800), share(3, 0.5, 200)], time);
        assert_eq!(extra, [1, 1]);
    }

    #[test]
    fn what_is_narrow_enough_and_what_has_most_gets_none() {
        let time = Duration::from_secs(60);
        assert_eq!(
            allot(&[share(3, 0.001, 10), share(MOST, 0.5, 10)], time),
            [0, 0]
        );
    }

    #[test]
    fn points_of_a_kind_vary_alike() {
        let of = |point: &str| kind(&point.parse().unwrap(), None);
        assert_eq!(of("os.read"), of("os.stat"));
        assert_eq!(
            of("mem.latency{size=8KiB,pages=4k}"),
            of("mem.latency{size=12KiB,pages=4k}")
        );
        assert_ne!(
            of("mem.latency{size=8KiB,pages=4k}"),
            of("mem.latency{size=8MiB,pages=4k}")
        );
        assert_ne!(
            of("mem.bandwidth{level=L2,cpus=1}"),
            of("mem.bandwidth{level=L2,cpus=all}")
        );
    }
}
