//! Reading and writing one block with one kind of register, by the block's size.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use whyslow_kernels::bandwidth::{Op, Shape, shape};
use whyslow_model::role::Roles;
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::guard;
use crate::probe::{Bounds, CpuChoice, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::sizes::ladder;
use crate::team::Team;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "mem.block",
    title: "block bandwidth",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second that a CPU reads from or writes to one block of memory of a given size with one kind of register; write-allocate traffic is not counted.",
    how: "The same unrolled loop at every size, over pages written before. RAMspeed's MMX and SSE reads (amd64) initialize only 128 bytes and read the kernel's \
          one page of zeros elsewhere, so that its figures above the first-level cache are not memory's; its writes include the first touch of every page, and those around the caches \
          store zeros, which some hosts move twice as fast.",
    needs: &["cpus=all: two CPUs"],
    params: &[
        ("op", "read or write"),
        (
            "unit",
            "int (64-bit general registers), float (x87 on x86-64, else 64-bit floating-point registers), mmx, sse (128 bits), avx (256), avx512; on aarch64 neon (128)",
        ),
        (
            "nt",
            "yes: non-temporal stores, and reads prefetched with the non-temporal hint",
        ),
        ("size", "bytes in the block"),
        ("cpus", "1, or all, each with its own block"),
    ],
    names: Names {
        lmbench: &[],
        byte: &[],
        ramspeed: &[
            "INTmark",
            "FLOATmark",
            "MMXmark",
            "SSEmark",
            "INTEGER & READING",
            "INTEGER & WRITING",
            "FL-POINT & READING",
            "FL-POINT & WRITING",
            "MMX & READING",
            "MMX & WRITING",
            "SSE & READING",
            "SSE & WRITING",
            "MMX (nt) & READING",
            "MMX (nt) & WRITING",
            "SSE (nt) & READING",
            "SSE (nt) & WRITING",
        ],
    },
    roles: Roles::BandwidthBySize,
    // 1 PB/s: beyond any machine; the port limit is checked apart.
    bounds: Bounds { fastest: 1e6 },
    usual_marks: &[],
    points,
    measure,
}];

/// From RAMspeed's smallest block to its usual largest.
const SIZES: [u64; 2] = [1 << 10, 32 << 20];

/// Units and their shapes: name, plain shape, non-temporal read and write.
#[cfg(not(target_arch = "aarch64"))]
const UNITS: &[(&str, &str, [Option<&str>; 2])] = &[
    ("int", "u64", [None, None]),
    ("float", "x87", [None, None]),
    ("mmx", "mmx", [Some("mmx-prefetch"), Some("nt-mmx")]),
    ("sse", "sse2", [Some("sse2-prefetch"), Some("nt-sse2")]),
    ("avx", "avx", [Some("avx-prefetch"), Some("nt-avx")]),
    (
        "avx512",
        "avx512",
        [Some("avx512-prefetch"), Some("nt-avx512")],
    ),
];
#[cfg(target_arch = "aarch64")]
const UNITS: &[(&str, &str, [Option<&str>; 2])] = &[
    ("int", "u64", [None, None]),
    ("float", "f64", [None, None]),
    ("neon", "neon", [Some("neon-prefetch"), Some("nt-neon")]),
];

/// The shape of a unit, if the architecture has it; the CPU may still lack it.
fn shape_name(op: Op, unit: &str, nt: bool) -> Option<&'static str> {
    let &(_, plain, [read, write]) = UNITS.iter().find(|u| u.0 == unit)?;
    match (nt, op) {
        (false, _) => Some(plain),
        (true, Op::Read) => read,
        (true, _) => write,
    }
}

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    let all = ctx.cpus.len() as u64;
    for op in [Op::Read, Op::Write] {
        for (unit, nt) in UNITS.iter().flat_map(|u| [(u.0, false), (u.0, true)]) {
            let Some(name) = shape_name(op, unit, nt) else {
                continue;
            };
            let mut point = Point::new("mem.block")
                .with("op", op_name(op))
                .with("unit", unit);
            if nt {
                point = point.with("nt", "yes");
            }
            if shape(op, name).is_none() {
                offers.push(
                    (
                        point.to_string(),
                        "this CPU has no such registers".to_owned(),
                    )
                        .into(),
                );
                continue;
            }
            for (cpus, threads) in [("1", 1), ("all", all)] {
                if cpus == "all" && all < 2 {
                    continue;
                }
                for bytes in ladder(SIZES[0], SIZES[1].min(ctx.memory_bytes / threads), 1) {
                    let point = point
                        .clone()
                        .with("size", size::format(bytes))
                        .with("cpus", cpus);
                    offers.push(Offer::Point(PointPlan {
                        size_bytes: Some(bytes),
                        cpus: if threads > 1 {
                            CpuChoice::All
                        } else {
                            CpuChoice::One
                        },
                        // Fresh pages matter most where there are few.
                        draws: if bytes <= 4 << 20 { 2 } else { 1 },
                        samples: 4,
                        extra: true,
                        suites: if threads > 1 { &[] } else { &["ramspeed"] },
                        ..PointPlan::new(point)
                    }));
                }
            }
        }
    }
    offers
}

fn op_name(op: Op) -> &'static str {
    if op == Op::Read { "read" } else { "write" }
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let op = match bench.param("op")? {
        "read" => Op::Read,
        "write" => Op::Write,
        other => return Err(Stop::Unavailable(format!("op={other} is not known"))),
    };
    let (unit, nt) = (
        bench.param("unit")?,
        bench.job.point.get("nt") == Some("yes"),
    );
    let shape = shape_name(op, unit, nt)
        .and_then(|name| shape(op, name))
        .ok_or_else(|| {
            Stop::Unavailable(format!(
                "unit={unit}: this CPU has no such registers for this operation"
            ))
        })?;
    prove(shape)?;
    let (bytes, offset) = (
        bench.size()?,
        bench.job.randomization.buffer_offset as usize,
    );
    let team = Rc::new(Team::on(&bench.job.randomization.cpus)?);
    bench.work_of(&team);
    let everyone: Vec<usize> = (0..team.len()).collect();
    for _ in 0..bench.job.draws {
        let blocks = Arc::new(team.gather(move |_| block(bytes, offset))?);
        for block in blocks.iter() {
            bench.lies_on(block);
        }
        let mut variant = Variant::by_team("", (bytes * team.len()) as f64, |passes, around| {
            let blocks = blocks.clone();
            let worked = team.work(&everyone, around, passes, move |me, passes| {
                std::hint::black_box(run(shape, &blocks[me], bytes, passes));
            })?;
            Ok(Timed::ByTeam(worked))
        });
        variant.bytes_per_cycle = shape.bytes_per_cycle_limit();
        bench.draw(&mut [variant])?;
    }
    Ok(())
}

/// A block of words that are also normal floating-point numbers: some cores take a hundred times
/// longer to load other values with x87.
fn block(bytes: usize, offset: usize) -> Result<Buffer, Stop> {
    let mut block = Buffer::new(bytes, Pages::Small, offset)?;
    block.bytes().fill(guard::FILL as u8);
    Ok(block)
}

fn run(shape: &Shape, block: &Buffer, bytes: usize, passes: u64) -> u64 {
    let none = std::ptr::null_mut();
    let (dst, src) = match shape.op {
        Op::Read => (none, block.start()),
        _ => (block.start(), none),
    };
    // SAFETY: the block holds `bytes` bytes, was written, and is used by one thread.
    unsafe { shape.run(dst, src, bytes, passes, guard::FILL) }
}

/// Bytes for verifying that the shape touches what it is credited with; the loop is the same for
/// every size.
const PROOF_BYTES: usize = 16 << 10;

/// Verifies that `shape` touches every byte it is credited with.
fn prove(shape: &Shape) -> Result<(), Stop> {
    let mut block = Buffer::new(PROOF_BYTES, Pages::Small, 0)?;
    let source = block.bytes().to_vec();
    let checksum = if shape.name == "x87" && shape.op == Op::Read {
        // An x87 load cannot be checked, and these words are not normal numbers.
        shape.expected_checksum(&source, 1)
    } else {
        run(shape, &block, PROOF_BYTES, 1)
    };
    let destination = block.bytes().to_vec();
    guard::covers(
        shape,
        &guard::Pass {
            checksum,
            source: &source,
            destination: &destination,
        },
    )
}
