//! The C library's memory routines.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::hint::black_box;

use whyslow_kernels::bandwidth::{Op, shapes};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::guard::{self, FILL};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::level_sizes;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::MEM_LIBC,
    title: "C library's copy, fill, compare",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that memcpy, memset and memcmp of the C library move on one CPU; a copy counts bytes read plus bytes written, a comparison the bytes of both blocks; write-allocate traffic is not counted.",
    how: "The functions of the C library that this whyslow is linked with (named in the record's header), called by address on whole blocks. lmbench counts a copied byte once, so its Bcopy is half of this figure, and its size is that of one block, not of both. Its bzero writes zeros, which some machines move faster; memset here writes a nonzero byte.",
    needs: &[],
    params: &[
        (
            "op",
            "memcpy, memset or memcmp; each of two blocks has half of the working set",
        ),
        (
            "level",
            "the level as measured in this run; its size is in the record",
        ),
        ("size", "bytes in the working set, in place of level"),
    ],
    names: Names {
        lmbench: &["bw_mem bcopy", "bw_mem bzero", "Bcopy (libc)"],
        ..Names::NONE
    },
    roles: Roles::All(Role::MemoryRoutines),
    // 1 PB/s: beyond any machine; the port limit is checked apart.
    bounds: Bounds { fastest: 1e6 },
    usual_marks: &[],
    points,
    measure,
}];

/// The working set of lmbench's `bw_mem 8m bcopy`: two blocks of that size.
const LMBENCH_COPY: u64 = 16 << 20;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    if ctx.sized_by.is_none() {
        let why = "the latency curve gave no levels to take sizes from";
        offers.push(("mem.libc{level=*}".to_owned(), why.to_owned()).into());
    }
    for op in ["memcpy", "memset", "memcmp"] {
        // lmbench has no comparison.
        let suites: &[&str] = if op == "memcmp" { &[] } else { &["lmbench"] };
        let point = || Point::new(id::MEM_LIBC).with("op", op);
        for (level, bytes) in level_sizes(ctx, 1) {
            offers.push(match bytes {
                Ok(bytes) => plan(point().with("level", &level), bytes, suites),
                Err(why) => {
                    let what = format!("mem.libc{{op={op},level={level}}}");
                    (what, why.to_owned()).into()
                }
            });
        }
        let bytes = LMBENCH_COPY;
        if bytes <= ctx.memory_bytes {
            offers.push(plan(
                point().with("size", size::format(bytes)),
                bytes,
                suites,
            ));
        }
    }
    offers
}

fn plan(point: Point, bytes: u64, suites: &'static [&'static str]) -> Offer {
    let large = bytes >= 64 << 20;
    Offer::Point(PointPlan {
        size_bytes: Some(bytes),
        // A large buffer averages over its pages and takes long to fill.
        draws: if large { 1 } else { 2 },
        samples: 3,
        extra: true,
        suites,
        ..PointPlan::new(point)
    })
}

type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
type Fill = unsafe extern "C" fn(*mut c_void, c_int, usize) -> *mut c_void;
type Compare = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;

/// A function called through an opaque address: the compiler would replace a function it knows with
/// its own code.
#[derive(Debug, Clone, Copy)]
enum Routine {
    Copy(Copy),
    Fill(Fill),
    Compare(Compare),
}

impl Routine {
    fn named(op: &str) -> Result<Routine, Stop> {
        match op {
            "memcpy" => Ok(Routine::Copy(black_box(libc::memcpy as Copy))),
            "memset" => Ok(Routine::Fill(black_box(libc::memset as Fill))),
            "memcmp" => Ok(Routine::Compare(black_box(libc::memcmp as Compare))),
            other => Err(Stop::Unavailable(format!("op={other} is not known"))),
        }
    }

    /// Runs once over both blocks, or over the first if it needs one. Returns memcmp's result.
    fn run(self, first: &mut Buffer, second: Option<&Buffer>) -> c_int {
        let bytes = first.len();
        let to = first.start().cast::<c_void>();
        let from = second
            .map_or(std::ptr::null_mut(), Buffer::start)
            .cast::<c_void>();
        debug_assert!(second.is_none_or(|second| second.len() == bytes));
        // SAFETY: both blocks are mapped, written, `bytes` long, and do not overlap; the first is
        // borrowed exclusively. `Blocks` has a second block wherever one is used.
        unsafe {
            match self {
                Routine::Copy(copy) => {
                    copy(to, from, bytes);
                    0
                }
                Routine::Fill(fill) => {
                    fill(to, FILL as u8 as c_int, bytes);
                    0
                }
                Routine::Compare(compare) => compare(to, from, bytes),
            }
        }
    }

    /// The port limit for such work, bytes per cycle.
    fn port_limit(self) -> Option<u32> {
        let op = match self {
            Routine::Copy(_) => Op::Copy,
            Routine::Fill(_) => Op::Write,
            Routine::Compare(_) => Op::Read,
        };
        shapes(op)
            .iter()
            .filter_map(|s| s.bytes_per_cycle_limit())
            .max()
    }
}

/// One or two blocks of memory and the routine.
struct Blocks {
    routine: Routine,
    first: Buffer,
    second: Option<Buffer>,
}

impl Blocks {
    /// A working set of `bytes`, `offset` bytes into its pages.
    fn of(routine: Routine, bytes: usize, offset: usize) -> Result<Blocks, Stop> {
        let two = !matches!(routine, Routine::Fill(_));
        let bytes = if two { bytes / 2 } else { bytes };
        let block = || Buffer::new(bytes, Pages::Small, offset);
        Ok(Blocks {
            routine,
            first: block()?,
            second: two.then(block).transpose()?,
        })
    }

    /// Bytes credited to one pass.
    fn counted(&self) -> usize {
        self.first.len() * (1 + usize::from(self.second.is_some()))
    }

    fn pass(&mut self) -> c_int {
        black_box(self.routine.run(&mut self.first, self.second.as_ref()))
    }

    /// Verifies that a pass processes every byte it is credited with.
    fn prove(&mut self) -> Result<(), Stop> {
        let refuse = |what: &str| Err(Stop::Refused(format!("the C library's {what}")));
        match self.routine {
            Routine::Copy(_) => {
                self.first.bytes().fill(0);
                self.pass();
                let second = self.second.as_mut().map(Buffer::bytes);
                if second.as_deref() != Some(self.first.bytes()) {
                    return refuse("memcpy did not copy every byte");
                }
            }
            Routine::Fill(_) => {
                self.pass();
                if self.first.bytes().iter().any(|&b| b != FILL as u8) {
                    return refuse("memset did not fill every byte");
                }
            }
            Routine::Compare(_) => {
                let last = self.first.len() - 1;
                for at in [0, last / 2, last] {
                    if self.pass() != 0 {
                        return refuse("memcmp found a difference where there is none");
                    }
                    self.first.bytes()[at] ^= 1;
                    if self.pass() == 0 {
                        return refuse("memcmp did not find a byte that differs");
                    }
                    self.first.bytes()[at] ^= 1;
                }
            }
        }
        Ok(())
    }
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let routine = Routine::named(bench.param("op")?)?;
    let bytes = bench.size()?;
    let offset = bench.job.randomization.buffer_offset as usize;
    for _ in 0..bench.job.draws {
        let mut blocks = Blocks::of(routine, bytes, offset)?;
        blocks.prove()?;
        guard::written(blocks.first.bytes())?;
        bench.lies_on(&blocks.first);
        if let Some(second) = &blocks.second {
            bench.lies_on(second);
        }
        let mut variant = Variant::new("", blocks.counted() as f64, |passes| {
            for _ in 0..passes {
                blocks.pass();
            }
            Ok(Timed::Outside)
        });
        variant.bytes_per_cycle = routine.port_limit();
        bench.draw(&mut [variant])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routines_do_their_work() {
        for op in ["memcpy", "memset", "memcmp"] {
            let routine = Routine::named(op).unwrap();
            let mut blocks = Blocks::of(routine, 64 << 10, 64).unwrap();
            blocks.prove().unwrap();
            assert_eq!(blocks.counted(), 64 << 10, "{op}");
        }
        assert!(Routine::named("memmove").is_err());
    }

    #[test]
    fn a_routine_that_does_nothing_is_refused() {
        unsafe extern "C" fn no_copy(to: *mut c_void, _: *const c_void, _: usize) -> *mut c_void {
            to
        }
        unsafe extern "C" fn no_fill(to: *mut c_void, _: c_int, _: usize) -> *mut c_void {
            to
        }
        unsafe extern "C" fn all_equal(_: *const c_void, _: *const c_void, _: usize) -> c_int {
            0
        }
        for idle in [
            Routine::Copy(no_copy),
            Routine::Fill(no_fill),
            Routine::Compare(all_equal),
        ] {
            let mut blocks = Blocks::of(idle, 16 << 10, 0).unwrap();
            assert!(blocks.prove().is_err(), "{idle:?}");
        }
    }
}
