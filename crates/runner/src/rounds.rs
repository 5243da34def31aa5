//! The order of work: rounds of every point once, each round in an order of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use whyslow_model::Point;
use whyslow_probes::PointPlan;
use whyslow_probes::bench::shuffle;

/// Positions of `points` in the order of `round`. The same for the same seed, so that a resumed
/// run goes on in the order it began.
pub(crate) fn order(points: usize, seed: u64, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points).collect();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ (u64::from(round) << 32) ^ 0x5eed);
    shuffle(&mut order, &mut rng);
    order
}

/// What points take, learned while they are measured.
#[derive(Debug, Default)]
pub(crate) struct Costs(BTreeMap<Point, Duration>);

impl Costs {
    /// A process of `point` took this long.
    pub(crate) fn learn(&mut self, point: &Point, took: Duration) {
        self.0.insert(point.clone(), took);
    }

    /// What a process of the point will take: as long as the last, or a guess.
    pub(crate) fn of(&self, plan: &PointPlan) -> Duration {
        self.0
            .get(&plan.point)
            .copied()
            .unwrap_or_else(|| guess(plan))
    }
}

/// A guess at what a process takes: its batches, its memory written once a draw at 1 GB/s (a chain
/// is linked in random order), and 5 ms to start and end.
fn guess(plan: &PointPlan) -> Duration {
    let batches = f64::from(plan.draws * plan.samples) * plan.batch_ns;
    let fill = plan.size_bytes.unwrap_or(0) as f64 * f64::from(plan.draws);
    Duration::from_nanos((batches * 1.5 + fill) as u64) + Duration::from_millis(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_every_point_once_in_another_order() {
        let rounds: Vec<_> = (1..=5).map(|r| order(50, 42, r)).collect();
        for (i, round) in rounds.iter().enumerate() {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..50).collect::<Vec<_>>());
            assert!(rounds[..i].iter().all(|earlier| earlier != round));
        }
        assert_eq!(order(50, 42, 3), rounds[2]);
    }
}
