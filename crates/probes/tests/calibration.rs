//! How many iterations a batch has is found by trying, but where one is long enough in any case.

#![allow(clippy::unwrap_used)] // test helpers

use std::time::Duration;

use whyslow_model::job::Job;
use whyslow_model::{Point, Unit};
use whyslow_probes::Bounds;
use whyslow_probes::bench::{Bench, Timed, Variant};

const SAMPLES: u32 = 3;

/// The iterations of each run of work that moves so many bytes an iteration, in a draw of a working set of as many.
fn runs(bytes: u64, llc_bytes: u64) -> Vec<u64> {
    let job = Job {
        samples: SAMPLES,
        size_bytes: Some(bytes),
        llc_bytes,
        ..Job::new(Point::new("test.bandwidth"))
    };
    let mut bench = Bench::new(&job, Bounds { fastest: 1e6 }, Unit::GbPerS).unwrap();
    let mut runs = Vec::new();
    let mut variant = Variant::new("", bytes as f64, |iterations| {
        runs.push(iterations);
        // Slower than the ports of any core, or a guard refuses it.
        std::thread::sleep(Duration::from_millis(20).max(Duration::from_nanos(bytes / 10)));
        Ok(Timed::Outside)
    });
    variant.bytes_per_cycle = Some(64);
    bench.draw(&mut [variant]).unwrap();
    runs
}

#[test]
fn a_pass_that_no_port_makes_short_is_a_batch() {
    // 2.6 ms at 6 GHz: neither tried nor warmed up.
    assert_eq!(runs(1_000_000_000, 1 << 20), [1; SAMPLES as usize]);
    // A cache may hold it, and a pass is a fraction of a batch.
    assert!(runs(1_000_000_000, 1 << 31).len() > SAMPLES as usize);
    assert!(runs(8_000_000, 1 << 20).len() > SAMPLES as usize);
}
