//! Which series of a point can still be its best.

use whyslow_model::record::{Outcome, Planned, Process, Series};

use crate::quantile::median;

/// A series whose fastest batch is slower than the usual batch of the fastest series by more than this cannot become
/// the best. Batches beside a busy core differ by a third, but all of a series, some six in random order among those of
/// the others, are hardly slowed alike.
const BEHIND: f64 = 1.15;

/// The series of `planned` that can still be the best, by the `processes` so far; empty where these say nothing.
///
/// A series is measured by its time per unit of work: its fastest batch against the median batch of the best one, so that
/// it is dropped for what it cannot do, not for a disturbance.
pub fn contenders<'a>(
    planned: &Planned,
    processes: impl IntoIterator<Item = &'a Process>,
) -> Vec<String> {
    let mut times: Vec<(&str, Vec<f64>)> = Vec::new();
    for process in processes {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        if process.point != planned.point {
            continue;
        }
        for series in draws.iter().flat_map(|draw| &draw.series) {
            let known = times.iter().position(|(name, _)| *name == series.name);
            let at = known.unwrap_or_else(|| {
                times.push((&series.name, Vec::new()));
                times.len() - 1
            });
            times[at].1.extend(per_work(series));
        }
    }
    let usual = times.iter().filter_map(|(_, times)| median(times));
    let Some(best) = usual.min_by(f64::total_cmp) else {
        return Vec::new();
    };
    let can_win = |(_, times): &&(&str, Vec<f64>)| times.iter().any(|t| *t <= best * BEHIND);
    let names = times.iter().filter(can_win);
    names.map(|(name, _)| (*name).to_owned()).collect()
}

/// What each batch took for a unit of work, ns.
pub(super) fn per_work(series: &Series) -> impl Iterator<Item = f64> + '_ {
    let times = series.ns.iter().map(|ns| ns / series.work);
    times.filter(|t| t.is_finite() && *t > 0.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use whyslow_model::record::{Draw, Estimator, Randomization, ValueRule};
    use whyslow_model::{Better, Unit};

    fn planned() -> Planned {
        Planned {
            estimator: Estimator::Middle,
            between_runs: 0.0,
            point: "mem.bandwidth{op=read}".parse().unwrap(),
            unit: Unit::GbPerS,
            better: Better::Higher,
            value: ValueRule::Best,
            size_bytes: None,
            usual_marks: Vec::new(),
            title: None,
            symbol: None,
        }
    }

    fn process(point: &str, series: &[(&str, &[f64])]) -> Process {
        let series = series.iter().map(|(name, ns)| Series {
            name: (*name).to_owned(),
            work: 10.0,
            ns: ns.to_vec(),
            marks: Vec::new(),
            handover_ns: Vec::new(),
            slots: Vec::new(),
        });
        Process {
            round: 1,
            order: 0,
            point: point.parse().unwrap(),
            at_ms: 0.0,
            wall_ms: 0.0,
            randomization: Randomization::default(),
            ghz: None,
            slots: None,
            outcome: Outcome::Draws(vec![Draw {
                series: series.collect(),
                ..Draw::default()
            }]),
        }
    }

    #[test]
    fn what_is_slow_in_every_batch_is_dropped_and_what_was_disturbed_is_not() {
        let first = process(
            "mem.bandwidth{op=read}",
            &[
                ("avx", &[100.0, 101.0, 102.0]),
                ("sse", &[160.0, 150.0, 114.0]),
                ("words", &[200.0, 180.0, 120.0]),
            ],
        );
        let other = process("mem.bandwidth{op=write}", &[("words", &[1.0])]);
        assert_eq!(contenders(&planned(), [&first, &other]), ["avx", "sse"]);
        assert!(contenders(&planned(), [&other]).is_empty());
    }
}
