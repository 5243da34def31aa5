//! Plants each defect of published benchmarks, and asserts that a guard refuses it.
//!
//! Every planted defect is paired with the sound measurement: a guard that refuses everything would
//! fail too.
#![allow(unsafe_code, clippy::unwrap_used)] // the shapes are run on half of a buffer

use std::hint::black_box;

use whyslow_kernels::bandwidth::{Op, Shape, shapes};
use whyslow_kernels::clock::dependent_ops;
use whyslow_model::job::{Answer, Job};
use whyslow_model::record::{ClockFacts, FailureKind};
use whyslow_model::{Better, Point, Unit};
use whyslow_probes::bench::{Bench, Timed, Variant};
use whyslow_probes::buffer::{Buffer, Pages};
use whyslow_probes::clock::{self, Moment};
use whyslow_probes::guard::{self, FILL, Pass};
use whyslow_probes::{Bounds, Names, Probe, Stop};

/// Bytes of the buffers: two pages' worth of grains, and halves that are whole grains too.
const BYTES: usize = 16 << 10;

/// A probe in nanoseconds, of which the fastest is that of a load: one cycle.
const TIME: Probe = Probe {
    id: "test.time",
    title: "a time",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "A planted defect.",
    how: "By a test.",
    needs: &[],
    params: &[],
    names: Names::NONE,
    roles: whyslow_model::role::Roles::All(whyslow_model::role::Role::Compute),
    bounds: Bounds { fastest: 1.0 },
    usual_marks: &[],
    points: |_| Vec::new(),
    measure: |_| Ok(()),
};

/// A probe in bytes a second.
const BANDWIDTH: Probe = Probe {
    id: "test.bandwidth",
    unit: Unit::GbPerS,
    better: Better::Higher,
    bounds: Bounds { fastest: 1e6 },
    ..TIME
};

fn job(clock: Option<ClockFacts>) -> Job {
    Job {
        samples: 3,
        clock,
        ..Job::new(Point::new("test.time"))
    }
}

/// Measures `run`, credited with `work` an iteration, as a probe would.
fn measure(
    probe: &Probe,
    work: f64,
    bytes_per_cycle: Option<u32>,
    run: impl FnMut(u64) -> Result<Timed, Stop>,
) -> Result<(), Stop> {
    let job = job(None);
    let mut bench = Bench::new(&job, probe.bounds, probe.unit)?;
    let mut variant = Variant::new("", work, run);
    variant.bytes_per_cycle = bytes_per_cycle;
    bench.draw(&mut [variant])
}

/// Asserts that a guard refused, with this message.
fn refused(result: Result<(), Stop>, words: &str) {
    match result {
        Err(Stop::Refused(why) | Stop::Short(why)) => assert!(why.contains(words), "{why}"),
        other => panic!("not refused: {other:?}"),
    }
}

/// Every shape of this CPU.
fn all() -> impl Iterator<Item = &'static Shape> {
    [Op::Read, Op::Write, Op::Copy].into_iter().flat_map(shapes)
}

/// Checks a pass of `shape` over the first `walked` bytes against a credit for all bytes.
fn pass(shape: &Shape, source: &mut [u8], walked: usize) -> Result<(), Stop> {
    let mut destination = Buffer::new(BYTES, Pages::Small, 0)?;
    // All new buffers have the same content, so a copy that copies nothing would pass.
    destination.bytes().fill(0);
    // SAFETY: both hold BYTES bytes and start on a page; `walked` is at most that.
    let checksum = unsafe { shape.run(destination.start(), source.as_ptr(), walked, 1, FILL) };
    guard::covers(
        shape,
        &Pass {
            checksum,
            source,
            destination: destination.bytes(),
        },
    )
}

#[test]
fn walking_half_of_the_buffer() {
    for shape in all() {
        let mut source = Buffer::new(BYTES, Pages::Small, 0).unwrap();
        pass(shape, source.bytes(), BYTES).unwrap();
        for walked in [0, BYTES / 2, BYTES - 512] {
            refused(pass(shape, source.bytes(), walked), "every byte");
        }
    }
}

/// Memory that was only mapped: every page is the kernel's zero page, which stays in L1 for any
/// buffer size.
#[test]
fn reading_pages_that_were_never_written() {
    for shape in all().filter(|s| s.op != Op::Write) {
        // Zeroed memory of this size comes from the kernel untouched; one page more to align it.
        let mut memory = vec![0_u8; BYTES + 4096];
        let at = memory.as_ptr().align_offset(4096);
        refused(
            pass(shape, &mut memory[at..at + BYTES], BYTES),
            "never written",
        );
    }
    // One page among many is enough.
    let mut source = Buffer::new(BYTES, Pages::Small, 0).unwrap();
    guard::written(source.bytes()).unwrap();
    source.bytes()[4096..8192].fill(0);
    refused(guard::written(source.bytes()), "page 1");
}

/// Memory that is mapped and not resident.
#[test]
fn reading_pages_that_are_not_in_memory() {
    let bytes = 1 << 20;
    let written = Buffer::new(bytes, Pages::Small, 0).unwrap();
    guard::resident(written.start().addr(), bytes).unwrap();
    let memory = vec![0_u8; bytes];
    let result = guard::resident(memory.as_ptr().addr(), bytes);
    assert!(matches!(result, Err(Stop::Unavailable(why)) if why.contains("not in memory")));
}

/// A loop that the compiler removed takes the same time for any iteration count.
#[test]
fn a_loop_that_was_removed() {
    let result = measure(&TIME, 1.0, None, |_| Ok(Timed::Outside));
    refused(result, "folded away");
}

/// A loop that was replaced by its result, as compilers do with the sum of all numbers below n. Written out: whether this
/// one does depends on how the standard library's part of the loop was compiled.
#[test]
fn a_loop_that_became_a_formula() {
    let result = measure(&TIME, 1.0, None, |n| {
        let n = black_box(n);
        black_box(n.wrapping_mul(n.wrapping_sub(1)) / 2);
        Ok(Timed::Outside)
    });
    refused(result, "");
}

/// A real loop that does an eighth of what it is credited with: under one cycle per load.
#[test]
fn a_loop_that_lost_most_of_its_turns() {
    let run = |share: u64| {
        move |n: u64| {
            black_box(dependent_ops(n * 64 / share));
            Ok(Timed::Outside)
        }
    };
    measure(&TIME, 64.0, None, run(1)).unwrap();
    refused(measure(&TIME, 64.0, None, run(8)), "not believable");
}

/// The subtracted part was interrupted once: the batch is repeated, and no other is lost.
#[test]
fn a_time_that_is_none_once() {
    let mut batches = 0;
    let result = measure(&TIME, 1.0, None, |n| {
        batches += u32::from(n >= 1_000_000);
        let ns = if batches == 2 { -5.0 } else { n as f64 };
        Ok(Timed::Inside {
            ns,
            marks: Vec::new(),
        })
    });
    result.unwrap();
    assert!(batches >= 4, "{batches} batches for three samples");
}

/// A call that a tracer stops twice takes a millisecond, and a starved guest may take any time: slow is no defect.
#[test]
fn work_that_is_slow_is_measured() {
    for ns in [1.04e6, 1e9, 3.6e12] {
        let result = measure(&TIME, 1.0, None, move |n| {
            Ok(Timed::Inside {
                ns: n as f64 * ns,
                marks: Vec::new(),
            })
        });
        result.unwrap();
    }
    let slow = measure(&BANDWIDTH, 1.0, None, |n| {
        Ok(Timed::Inside {
            ns: n as f64 * 1e6,
            marks: Vec::new(),
        })
    });
    slow.unwrap();
}

/// A time that is not a number, or none at all.
#[test]
fn a_time_that_is_none() {
    for ns in [0.0, -5.0, f64::NAN, f64::INFINITY] {
        let result = measure(&TIME, 1.0, None, move |n| {
            // Calibration sees a sound time.
            let ns = if n < 1_000_000 { n as f64 } else { ns };
            Ok(Timed::Inside {
                ns,
                marks: Vec::new(),
            })
        });
        let refused = matches!(result, Err(Stop::Refused(_) | Stop::Short(_)));
        assert!(refused, "{ns}: {result:?}");
    }
}

/// Bytes counted and not touched: eight times those of the pass.
#[test]
fn bytes_that_were_not_touched() {
    for shape in all() {
        let Some(limit) = shape.bytes_per_cycle_limit() else {
            continue;
        };
        let source = Buffer::new(BYTES, Pages::Small, 0).unwrap();
        let destination = Buffer::new(BYTES, Pages::Small, 0).unwrap();
        let credited = |times: f64| {
            let touched = if shape.op == Op::Copy {
                2 * BYTES
            } else {
                BYTES
            } as f64;
            measure(&BANDWIDTH, touched * times, Some(limit), |passes| {
                // SAFETY: both hold BYTES bytes, start on a page, and are used by this thread only.
                let sum =
                    unsafe { shape.run(destination.start(), source.start(), BYTES, passes, FILL) };
                black_box(sum);
                Ok(Timed::Outside)
            })
        };
        credited(1.0).unwrap();
        // At 16 KiB every core reaches at least a hundredth of its port limit.
        refused(credited(100.0), "does not touch");
    }
}

/// The same, on numbers only: four 64-byte loads a cycle at 5 GHz move 1,280 GB/s.
#[test]
fn more_than_the_ports_can_move() {
    guard::port_limit(1_280.0, 256, 5.0, 1).unwrap();
    guard::port_limit(2_560.0, 256, 5.0, 2).unwrap();
    refused(guard::port_limit(1_500.0, 256, 5.0, 1), "does not touch");
    refused(guard::port_limit(3_000.0, 256, 5.0, 2), "2 core(s)");
}

/// A clock that steps by `step_ns`, derived from the real one.
fn coarse(step_ns: f64) -> impl FnMut() -> Moment {
    let mut shown = Moment::now();
    move || {
        let now = Moment::now();
        if now.since(shown) >= step_ns {
            shown = now;
        }
        shown
    }
}

#[test]
fn a_clock_of_milliseconds() {
    let sound = clock::measure().unwrap();
    let resolution_ns = clock::resolution(coarse(1e6));
    assert!(resolution_ns >= 1e6, "{resolution_ns}");
    let facts = ClockFacts {
        resolution_ns,
        ..sound
    };
    refused(clock::check(&facts), "too coarse");
    let job = job(Some(facts));
    refused(
        Bench::new(&job, TIME.bounds, TIME.unit).map(drop),
        "too coarse",
    );
    // A batch of one clock step would have an error of 100 %.
    refused(guard::batch_long_enough(1e6, resolution_ns), "1,000 steps");
    guard::batch_long_enough(1e6, sound.resolution_ns).unwrap();
}

/// Batches too short even for a good clock, by the count of a process that was held up: the draw finds its own.
#[test]
fn a_batch_that_is_too_short() {
    let mut job = job(None);
    job.iterations.insert(String::new(), 1);
    let mut bench = Bench::new(&job, TIME.bounds, TIME.unit).unwrap();
    let mut work = Variant::new("", 64.0, |n| {
        black_box(dependent_ops(n * 64));
        Ok(Timed::Outside)
    });
    bench.draw(std::slice::from_mut(&mut work)).unwrap();
    drop(work);
    let measured = bench.finish();
    assert!(measured.iterations[""] > 1, "{measured:?}");
    assert_eq!(measured.draws.len(), 1);
}

/// A refusal by a guard reaches the record as a failure, not as a number.
#[test]
fn a_refusal_is_an_answer_of_its_own() {
    let mut job = job(None);
    job.point = Point::new("cpu.clock");
    job.clock = Some(ClockFacts {
        resolution_ns: 1e6,
        ..clock::measure().unwrap()
    });
    match whyslow_probes::worker::measure(&job) {
        Answer::Failed(failure) => assert_eq!(failure.how, FailureKind::Refused, "{failure:?}"),
        Answer::Measured(measured) => panic!("{measured:?}"),
    }
}
