//! io_uring: operations submitted through shared memory.
#![allow(unsafe_code)]

use std::fs::{self, File};
use std::io;

use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::uring::{Entry, Queues};

const BATCH: (&str, &str) = ("batch", "operations submitted with one system call");

/// Most operations at once.
const DEPTH: u32 = 32;

/// A probe of this family.
const fn queued(
    id: &'static str,
    title: &'static str,
    params: &'static [(&'static str, &'static str)],
    what: &'static str,
    how: &'static str,
    points: fn(&PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs: &[
            "io_uring: Linux 5.6, and not forbidden by kernel.io_uring_disabled or a container",
        ],
        params,
        names: Names::NONE,
        roles: Roles::All(Role::SystemCall),
        // 20 cycles: less than an entry of the queue costs.
        bounds: Bounds { fastest: 20.0 },
        usual_marks: &[],
        points,
        measure,
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    queued(
        "os.io_uring_nop",
        "io_uring no-op",
        &[BATCH],
        "A no-op io_uring operation: the cost of the queues plus a share of the system call.",
        "One call submits the batch and waits for all of it; no library, no polling thread. Each result is checked.",
        |_| {
            BATCHES
                .map(|batch| plan(Point::new("os.io_uring_nop").with("batch", batch), false))
                .into()
        },
        nop,
    ),
    queued(
        "os.io_uring_read",
        "io_uring read",
        &[
            BATCH,
            (
                "from",
                "zero (a byte of /dev/zero, as os.read) or file (4 KiB of a cached file)",
            ),
        ],
        "A read through io_uring, per read, without disk I/O.",
        "As os.io_uring_nop. Both kinds of file can be read immediately, so no kernel thread is involved.",
        |_| {
            let each = |from: &'static str| {
                let point = move |batch| {
                    Point::new("os.io_uring_read")
                        .with("batch", batch)
                        .with("from", from)
                };
                BATCHES.map(|batch| plan(point(batch), from == "file"))
            };
            ["zero", "file"].into_iter().flat_map(each).collect()
        },
        read,
    ),
];

const BATCHES: [u32; 2] = [1, DEPTH];

fn plan(point: Point, scratch: bool) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        scratch,
        extra: true,
        ..PointPlan::new(point)
    })
}

fn nop(bench: &mut Bench) -> Result<(), Stop> {
    repeat(bench, &Entry::nop())
}

fn read(bench: &mut Bench) -> Result<(), Stop> {
    const BYTES: usize = 4096;
    let mut buffer = vec![0x5a_u8; BYTES];
    let (file, bytes) = match bench.param("from")? {
        "zero" => (
            File::open("/dev/zero").map_err(|e| Stop::unavailable("/dev/zero", e))?,
            1,
        ),
        _ => {
            let own = OwnFile::new(bench, "read")?;
            fs::write(own.path(), &buffer).map_err(|e| own.failed(e))?;
            (own.open()?, BYTES)
        }
    };
    repeat(bench, &Entry::read(&file, &mut buffer[..bytes]))
}

fn repeat(bench: &mut Bench, entry: &Entry<'_>) -> Result<(), Stop> {
    let batch = bench.param("batch")?.parse::<u32>().ok();
    let batch = batch
        .filter(|batch| (1..=DEPTH).contains(batch))
        .ok_or_else(|| Stop::Unavailable(format!("batch must be from 1 to {DEPTH}")))?;
    let mut queues = Queues::new(DEPTH).map_err(no_queues)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", f64::from(batch), |n| {
            for _ in 0..n {
                let done = queues.submit(entry, batch);
                done.map_err(|e| Stop::unavailable("io_uring", e))?;
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// Why there are no queues, and what to do.
fn no_queues(error: io::Error) -> Stop {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => Stop::Unavailable(
            "io_uring: not in this kernel, or hidden by a container; Linux 5.6 or later with CONFIG_IO_URING is needed".into(),
        ),
        Some(libc::EPERM | libc::EACCES) => Stop::Unavailable(
            "io_uring: forbidden here; see the setting kernel.io_uring_disabled and the container's seccomp profile".into(),
        ),
        _ => Stop::unavailable("io_uring", error),
    }
}
