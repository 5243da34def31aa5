//! Batches on several CPUs report core-to-core latency and busy SMT siblings.

#![allow(clippy::unwrap_used)] // test helpers

use whyslow_linux::affinity::allowed;
use whyslow_model::job::{Answer, Job};
use whyslow_model::record::Randomization;
use whyslow_probes::clock;
use whyslow_probes::worker::measure;

const TRIES: usize = 4;

#[test]
fn each_batch_has_its_hand_over_and_its_looks() {
    let cpus: Vec<u32> = allowed().unwrap().into_iter().take(2).collect();
    if cpus.len() < 2 {
        eprintln!("skipped: one CPU is allowed");
        return;
    }
    for point in [
        "mem.bandwidth{op=read,size=16KiB,cpus=all}",
        "cpu.core_to_core{a=0,b=1}",
    ] {
        of(point, &cpus);
    }
}

fn of(point: &str, cpus: &[u32]) {
    let job = || Job {
        randomization: Randomization {
            cpus: cpus.to_vec(),
            ..Randomization::default()
        },
        samples: 3,
        batch_ns: 5e5,
        clock: Some(clock::measure().unwrap()),
        size_bytes: Some(16 << 10),
        ..Job::new(point.parse().unwrap())
    };
    // A neighbor on the core while the clock is measured makes sound batches look too fast, and guards refuse them: the
    // next process of a run measures anew, as here.
    let mut refusals = Vec::new();
    let measured = (0..TRIES).find_map(|_| match measure(&job()) {
        Answer::Measured(measured) => Some(measured),
        refused => {
            refusals.push(format!("{refused:?}"));
            None
        }
    });
    let Some(measured) = measured else {
        panic!("{point} was never measured: {refusals:#?}");
    };
    for series in &measured.draws[0].series {
        assert_eq!(series.ns.len(), 3, "{series:?}");
        assert_eq!(series.handover_ns.len(), 3, "{series:?}");
        assert_eq!(series.slots.len(), 3, "{series:?}");
        let looks = series.slots.iter().flatten();
        assert!(looks.copied().all(|slots| slots > 0.0), "{series:?}");
    }
}
