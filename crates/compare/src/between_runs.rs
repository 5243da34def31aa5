//! What drifts from run to run of one host, where each side is one run or a few.
//!
//! Processes of one run agree more closely with each other than with those of another run. Where boots or hosts are the
//! units, they hold that variance themselves; where processes are, it is added: at most what the probes declare (`between_runs` in
//! the plan of a record) and a share of the spread of processes, and of that as much as all points show together.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Record;
use whyslow_model::comparison::Repeated;
use whyslow_stats::drift::share;
use whyslow_stats::welch::Welch;

use crate::join::Pair;
use crate::side::Gathered;

/// Of the variance between processes of one run, so much again is between runs of a minute: where processes of a run differ
/// more, so do runs. Chosen from seven sets of quick runs on one guest, quiet and crowded (docs/intervals.md).
const COMMON: f64 = 0.15;

/// As many processes a run those sets had. With more, a run takes longer, and more of what drifts is within it: of three to
/// five such runs taken as one, intervals with this held 1.0 in 92 to 100 %.
const MOST_PROCESSES: f64 = 4.0;

/// What drifts between the runs of a pair, besides the spread of their processes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Drift {
    /// Standard deviation that the probe declares: points with the same one drift alike.
    kind: f64,
    /// Variance of the logarithm of the ratio as the probe declares it: no number of processes lessens it.
    pub(crate) declared: f64,
    /// In addition, in terms of the variance that the spread of processes gives the same logarithm.
    common: f64,
}

impl Drift {
    /// Variance of the logarithm of a ratio, of which `within` is what the spread of processes gives.
    pub(crate) fn variance(&self, within: f64) -> f64 {
        self.declared + self.common * within
    }

    /// So large a share of the variance.
    fn times(self, share: f64) -> Drift {
        Drift {
            declared: share * self.declared,
            common: share * self.common,
            ..self
        }
    }
}

/// Takes of each drift the share that the runs show in all points that drift alike, each with its test within the runs.
pub(crate) fn as_seen<'t>(tests: impl Iterator<Item = (&'t Welch, &'t mut Drift)>) {
    let mut kinds: BTreeMap<u64, Vec<(&Welch, &mut Drift)>> = BTreeMap::new();
    for (within, drift) in tests {
        // Not below zero, so that bits stand in the order of values.
        kinds
            .entry(drift.kind.to_bits())
            .or_default()
            .push((within, drift));
    }
    for mut points in kinds.into_values() {
        let allowed: Vec<(Welch, f64)> = points
            .iter()
            .map(|(within, drift)| (**within, drift.variance(within.se.powi(2))))
            .collect();
        let share = share(&allowed);
        for (_, drift) in &mut points {
            **drift = drift.times(share);
        }
    }
}

/// What drifts between the sides of a pair, with `units` of each.
pub(crate) fn drift(
    pair: &Pair<'_>,
    level: Repeated,
    sides: [&Gathered<'_>; 2],
    units: [usize; 2],
) -> Drift {
    let (a, b) = (pair.a, pair.b);
    let declared = a.planned.between_runs.max(b.planned.between_runs);
    if level != Repeated::Process || declared <= 0.0 || one_run(sides) {
        return Drift::default();
    }
    let runs = [a, b].map(|side| {
        let records: BTreeSet<usize> = side.values.iter().map(|(record, _)| *record).collect();
        records.len().max(1) as f64
    });
    let each = [0, 1].map(|i| runs[i] / units[i].max(1) as f64);
    let processes = 2.0 / (each[0] + each[1]);
    Drift {
        kind: declared,
        declared: declared * declared * (1.0 / runs[0] + 1.0 / runs[1]),
        common: COMMON * processes.min(MOST_PROCESSES),
    }
}

/// Are both sides parts of one and the same run?
fn one_run([a, b]: [&Gathered<'_>; 2]) -> bool {
    let run = |record: &Record| {
        let host = record.host.as_deref().map(|h| h.id.id.clone());
        (host, record.header.started.clone())
    };
    let mut runs = a.records.iter().chain(b.records).map(|n| run(n.record));
    let first = runs.next();
    runs.all(|other| Some(&other) == first.as_ref())
}
