//! Creating and deleting small files, separated by the state of the file system.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Variant};
use crate::fresh::{Place, delete, lies_on, make};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::timed::Part;

const SIZE: (&str, &str) = (
    "size",
    "bytes written to each file with one call, without disk I/O",
);

/// A probe of this family; the probes differ only in their texts and work.
const fn files(
    id: &'static str,
    title: &'static str,
    params: &'static [(&'static str, &'static str)],
    texts: [&'static str; 2],
    lmbench: &'static [&'static str],
    points: fn(&PlanContext) -> Vec<Offer>,
    measure: fn(&mut Bench) -> Result<(), Stop>,
) -> Probe {
    let [what, how] = texts;
    Probe {
        id,
        title,
        unit: Unit::Ns,
        better: Better::Lower,
        what,
        how,
        needs: &["a temporary directory with 100 MB free"],
        params,
        names: Names {
            lmbench,
            ..Names::NONE
        },
        roles: Roles::All(Role::FileCreate),
        // 100 cycles: less than one system call with a path.
        bounds: Bounds { fastest: 100.0 },
        usual_marks: &[],
        points,
        measure,
    }
}

/// This family's probes.
pub const PROBES: &[Probe] = &[
    files(
        id::FS_CREATE,
        "create a file",
        &[
            SIZE,
            (
                "after",
                "fresh (no recent deletions in the directory's block group) or deletes (1,000 files deleted in the second before)",
            ),
        ],
        [
            "Creating, writing and closing a new small file, in memory: the page cache and file system metadata, never a disk.",
            "New names in directories of 100, created beforehand. lmbench prints one figure for either state, after=fresh or after=deletes: without a journal ext4 skips over every inode deleted in the last minutes, and lmbench's own deletes, in this run or the one before, make its figure up to 31 times slower. files/s = 1e9 / ns.",
        ],
        &["lat_fs", "0K File Create", "10K File Create"],
        |_| {
            let each = |after| SIZES.map(|size| point(id::FS_CREATE, size).with("after", after));
            [FRESH, DELETES]
                .into_iter()
                .flat_map(each)
                .map(plan)
                .collect()
        },
        create,
    ),
    files(
        id::FS_DELETE,
        "delete a file",
        &[SIZE],
        [
            "Deleting a small file that was just created, in memory, without disk I/O.",
            "unlink() in order of creation; creation is not timed.",
        ],
        &["lat_fs", "0K File Delete", "10K File Delete"],
        |_| SIZES.map(|size| plan(point(id::FS_DELETE, size))).into(),
        remove,
    ),
];

const FRESH: &str = "fresh";
const DELETES: &str = "deletes";

/// lmbench's sizes.
const SIZES: [(&str, usize); 4] = [
    ("0", 0),
    ("1KiB", 1 << 10),
    ("4KiB", 4 << 10),
    ("10KiB", 10 << 10),
];

/// Files deleted before `after=deletes`: an unmistakable factor of sixteen on affected file
/// systems.
const DELETED: usize = 1_000;

fn point(id: &str, (size, _): (&str, usize)) -> Point {
    Point::new(id).with("size", size)
}

fn plan(point: Point) -> Offer {
    Offer::Point(PointPlan {
        draws: 1,
        // Twice the usual batch: some hundred files. More deletions would slow the creation of the
        // next files.
        batch_ns: 2e6,
        scratch: true,
        extra: true,
        suites: &["lmbench"],
        ..PointPlan::new(point)
    })
}

/// What is written to each file.
fn content(bench: &Bench) -> Result<Vec<u8>, Stop> {
    let size = bench.param("size")?;
    let known = SIZES.iter().find(|(name, _)| *name == size);
    let bytes = known
        .ok_or_else(|| Stop::Unavailable(format!("size={size} is not known")))?
        .1;
    Ok(vec![0x5a; bytes])
}

fn note(bench: &mut Bench) {
    if let Some(on) = lies_on(bench.job) {
        bench.note(format!(
            "the files are on {on}, in memory, without disk I/O"
        ));
    }
}

fn create(bench: &mut Bench) -> Result<(), Stop> {
    let content = content(bench)?;
    let mut part = Part::new();
    note(bench);
    for draw in 0..bench.job.draws {
        let mut place = Place::fresh(bench.job, &format!("create{draw}"))?;
        if bench.param("after")? == DELETES {
            let names = place.names(DELETED)?;
            names.iter().try_for_each(|name| make(name, &content))?;
            names.iter().try_for_each(delete)?;
            next_second();
        }
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            let names = place.names(n as usize)?;
            // Kept until the draw is over, so that no batch follows another's deletes.
            part.time(|| names.iter().try_for_each(|name| make(name, &content)))
        })])?;
    }
    Ok(())
}

/// Waits for the next whole second: file systems store deletion times in seconds, and ext4 does reuse
/// inodes deleted in the same second.
fn next_second() {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let passed = Duration::from_nanos(now.subsec_nanos().into());
    // The kernel's coarse clock lags by up to a tick, 10 ms at most.
    std::thread::sleep(Duration::from_millis(1_015).saturating_sub(passed));
}

fn remove(bench: &mut Bench) -> Result<(), Stop> {
    let content = content(bench)?;
    let mut part = Part::new();
    note(bench);
    for draw in 0..bench.job.draws {
        let mut place = Place::fresh(bench.job, &format!("delete{draw}"))?;
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            let names = place.names(n as usize)?;
            names.iter().try_for_each(|name| make(name, &content))?;
            part.time(|| names.iter().try_for_each(delete))
        })])?;
    }
    Ok(())
}
