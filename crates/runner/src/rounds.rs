//! The order of work: rounds of every point once, each round in an order of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use whyslow_model::Point;
use whyslow_probes::PointPlan;
use whyslow_probes::bench::shuffle;

/// From this much memory on, points of a round follow each other, bytes. A guest with free page reporting gives memory that
/// nothing uses back to its host within seconds, and the next process that touches it waits for the host: 0.7 s for huge
/// pages of 256 MiB instead of 0.06 s. What a process has just freed is still there; huge pages seldom come from what base
/// pages freed, so that those of a round follow each other too.
const MUCH: u64 = 16 << 20;

/// Positions of `points` in the order of `round`. The same for the same seed, so that a resumed
/// run goes on in the order it began.
pub(crate) fn order(points: &[&PointPlan], seed: u64, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ (u64::from(round) << 32) ^ 0x5eed);
    shuffle(&mut order, &mut rng);
    let has_much = |index: &usize| points[*index].size_bytes >= Some(MUCH);
    let first = order.iter().position(has_much).unwrap_or(order.len());
    let mut rest = order.split_off(first);
    let is_huge = |index: &usize| points[*index].point.get("pages") == Some("thp");
    // Stable: among themselves all kinds stay in random order.
    rest.sort_by_key(|index| (!has_much(index), has_much(index) && is_huge(index)));
    order.append(&mut rest);
    order
}

/// What points take, learned while they are measured.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    of_point: BTreeMap<Point, Duration>,
    /// By probe, the most times that a process took as long as guessed.
    of_probe: BTreeMap<String, f64>,
}

impl Costs {
    /// A process of a point took this long.
    pub(crate) fn learn(&mut self, plan: &PointPlan, took: Duration) {
        let times = took.as_secs_f64() / guess(plan).as_secs_f64();
        let most = self.of_probe.entry(plan.point.probe.clone()).or_default();
        *most = most.max(times);
        self.of_point.insert(plan.point.clone(), took);
    }

    /// What a process of the point will take: as long as the last, or a guess, by as much wrong as it was
    /// for others of the probe.
    pub(crate) fn of(&self, plan: &PointPlan) -> Duration {
        let of_point = self.of_point.get(&plan.point).copied();
        of_point.unwrap_or_else(|| {
            let times = self.of_probe.get(&plan.point.probe).copied();
            guess(plan).mul_f64(times.unwrap_or(1.0))
        })
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
        let plans: Vec<PointPlan> = (0..50)
            .map(|n| {
                let pages = if n % 15 == 0 { "thp" } else { "4k" };
                let point = format!("x.y{{n={n},pages={pages}}}").parse().unwrap();
                let size_bytes = (n % 5 == 0).then_some(MUCH << (n / 10));
                PointPlan {
                    size_bytes,
                    ..PointPlan::new(point)
                }
            })
            .collect();
        let plans: Vec<&PointPlan> = plans.iter().collect();
        let rounds: Vec<_> = (1..=5).map(|r| order(&plans, 42, r)).collect();
        for (i, round) in rounds.iter().enumerate() {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..50).collect::<Vec<_>>());
            assert!(rounds[..i].iter().all(|earlier| earlier != round));
            // Those with much memory follow each other, wherever the first of them stands, in no order of size.
            let much: Vec<usize> = (0..50).filter(|at| round[*at] % 5 == 0).collect();
            assert_eq!(much.last().unwrap() - much[0], much.len() - 1);
            assert!(!much.iter().map(|at| round[*at]).is_sorted());
            let huge: Vec<usize> = (0..50).filter(|at| round[*at] % 15 == 0).collect();
            assert_eq!(huge.last().unwrap() - huge[0], huge.len() - 1);
        }
        assert_eq!(order(&plans, 42, 3), rounds[2]);
    }

    #[test]
    fn what_is_not_known_of_a_point_is_told_by_others_of_its_kind() {
        let plan = |point: &str| PointPlan::new(point.parse().unwrap());
        let mut costs = Costs::default();
        let [a, b, other] = ["x.y{n=1}", "x.y{n=2}", "x.z"].map(plan);
        let guessed = costs.of(&a);
        costs.learn(&a, 8 * guessed);
        let near = |cost: Duration, wanted: Duration| {
            (cost.as_secs_f64() / wanted.as_secs_f64() - 1.0).abs() < 1e-6
        };
        assert!(near(costs.of(&b), 8 * guessed), "{:?}", costs.of(&b));
        assert!(near(costs.of(&other), guessed));
        costs.learn(&a, guessed);
        assert!(near(costs.of(&a), guessed) && near(costs.of(&b), 8 * guessed));
    }
}
