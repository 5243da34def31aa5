//! What drifts from run to run of one host, where each side is one run or a few.
//!
//! Processes of one run agree more closely with each other than with those of another run. Where boots or hosts are the
//! units, they hold that variance themselves; where processes are, it is added as the probes declare it
//! (`between_runs` in the plan of a record).

use std::collections::BTreeSet;

use whyslow_model::Record;
use whyslow_model::comparison::Repeated;

use crate::join::Pair;
use crate::side::Gathered;

/// Variance of the logarithm of the ratio between the sides of a pair, besides that of their processes.
pub(crate) fn variance(pair: &Pair<'_>, level: Repeated, sides: [&Gathered<'_>; 2]) -> f64 {
    if level != Repeated::Process || one_run(sides) {
        return 0.0;
    }
    let (a, b) = (pair.a, pair.b);
    let declared = a.planned.between_runs.max(b.planned.between_runs);
    let runs = [a, b].map(|side| {
        let records: BTreeSet<usize> = side.values.iter().map(|(record, _)| *record).collect();
        records.len().max(1) as f64
    });
    declared * declared * (1.0 / runs[0] + 1.0 / runs[1])
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
