//! Why a slow node is slow: explained beside an ordinary node of its group.

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use whyslow_compare::{Named, Options, compare};
use whyslow_explain::explain;
use whyslow_model::explanation::CauseVerdict;
use whyslow_model::fleet::{FleetNode, NodeCause, NodeVerdict, NodeWhy};
use whyslow_model::store;

use crate::report::Assembled;

/// Causes that are named.
const CAUSES: usize = 3;

/// Explains the first `most` slow nodes of a report, whose records are below `folder`, with `threads` threads.
pub fn why(assembled: &mut Assembled, folder: &Path, most: usize, threads: usize) {
    let Assembled { report, records } = assembled;
    let groups = &report.groups;
    let slow = report.nodes.iter_mut();
    let slow = slow.filter(|node| node.verdict == NodeVerdict::Slow);
    let next = Mutex::new(slow.take(most));
    let one = |node: &mut FleetNode| {
        let group = groups.iter().find(|group| group.id == node.group);
        let medoid = group.and_then(|group| group.medoid.as_ref());
        let against = medoid.filter(|medoid| **medoid != node.node)?;
        let (record, other) = records.get(&node.node).zip(records.get(against))?;
        Some(of(folder, node, record, against, other))
    };
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, most.max(1)) {
            scope.spawn(|| {
                // Simulated caches make one take seconds, so each thread takes the next.
                while let Some(node) = next.lock().ok().and_then(|mut next| next.next()) {
                    node.why = one(node);
                }
            });
        }
    });
}

fn of(folder: &Path, node: &FleetNode, record: &str, against: &str, other: &str) -> NodeWhy {
    let mut why = NodeWhy {
        against: against.to_owned(),
        against_record: other.to_owned(),
        record: record.to_owned(),
        answer: String::new(),
        causes: Vec::new(),
    };
    let read =
        store::read(&folder.join(other)).and_then(|a| Ok((a, store::read(&folder.join(record))?)));
    let (a, b) = match read {
        Ok(both) => both,
        Err(error) => {
            why.answer = format!("cannot be explained: {error}");
            return why;
        }
    };
    let (named_a, named_b) = (
        Named {
            name: against,
            record: &a,
        },
        Named {
            name: &node.node,
            record: &b,
        },
    );
    match compare(&[named_a], &[named_b], &Options::default()) {
        Err(error) => why.answer = format!("cannot be explained: {error}"),
        Ok(comparison) => {
            let found = explain(&comparison, &a, &b);
            why.answer = found.answer;
            let likely = found.causes.into_iter();
            let likely = likely.filter(|cause| cause.verdict <= CauseVerdict::Consistent);
            why.causes = likely
                .take(CAUSES)
                .map(|cause| NodeCause {
                    cause: cause.cause,
                    title: cause.title,
                    verdict: cause.verdict,
                })
                .collect();
        }
    }
    why
}
