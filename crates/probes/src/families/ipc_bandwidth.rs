//! Bandwidth between processes.

use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::unix::net::UnixStream;

use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::buffer::{Buffer, Pages};
use crate::peer::Peer;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::wire::Wire;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::IPC_BANDWIDTH,
    title: "bandwidth between processes",
    unit: Unit::GbPerS,
    better: Better::Higher,
    what: "Bytes a second from one process to another through the kernel, which copies each byte in and out; a byte that arrives is counted once.",
    how: "At the reader's request the other process writes pieces of 64 KiB into a pipe of default size, a UNIX stream or TCP over 127.0.0.1 with default buffer sizes; timed by the reader until it has read them all, in pieces of 64 KiB. The bytes are not inspected. lmbench counts the same way, but requests larger TCP buffers.",
    needs: &[NEEDS, "over=tcp: the loopback interface"],
    params: &[("over", "pipe, unix or tcp"), CPUS],
    names: Names {
        lmbench: &["bw_pipe", "bw_unix", "bw_tcp", "Pipe", "AF UNIX", "TCP"],
        ..Names::NONE
    },
    roles: Roles::All(Role::LocalBandwidth),
    // 200 GB/s: two copies at once faster than any core's L2.
    bounds: Bounds { fastest: 200.0 },
    usual_marks: USUAL,
    points,
    measure,
}];

/// Bytes per call: as in lmbench and many programs, and the capacity of a pipe.
const PIECE: usize = 64 << 10;

/// Pieces compared in the verification: more than the initial size of any of the three buffers.
const PROOF: u64 = 8;

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    for over in ["pipe", "unix", "tcp"] {
        for (name, cpus) in ways(ctx) {
            let point = Point::new(id::IPC_BANDWIDTH).with("over", over);
            offers.push(Offer::Point(PointPlan {
                cpus,
                draws: 1,
                // 10 ms moves 10 MB or more: several times the largest of the kernel's buffers.
                batch_ns: 1e7,
                extra: true,
                suites: &["lmbench"],
                ..PointPlan::new(point.with("cpus", name))
            }));
        }
    }
    offers
}

/// The read end and the write end.
enum Way {
    Pipe(PipeReader, PipeWriter),
    Wire(Wire, Wire),
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let way = match bench.param("over")? {
        "pipe" => {
            let (out, into) = pipe().map_err(|e| Stop::unavailable("a pipe", e))?;
            Way::Pipe(out, into)
        }
        over => {
            let (out, into) = Wire::pair(over)?;
            Way::Wire(out, into)
        }
    };
    match way {
        Way::Pipe(out, into) => flow(bench, out, into),
        Way::Wire(out, into) => flow(bench, out, into),
    }
}

fn flow(bench: &mut Bench, mut out: impl Read, into: impl Write) -> Result<(), Stop> {
    let offset = bench.job.randomization.buffer_offset as usize;
    let (mut orders, taken) =
        UnixStream::pair().map_err(|e| Stop::unavailable("a pair of UNIX sockets", e))?;
    let cpu = bench.job.randomization.cpus.get(1).copied();
    let _writer = Peer::start(cpu, move || write_on_order(taken, into, offset))?;
    // Allocated after the fork, so that no page is shared with the other process.
    let mut piece = Buffer::new(PIECE, Pages::Small, offset)?;
    let mut sent = Buffer::new(PIECE, Pages::Small, offset)?;
    let broke = |e: io::Error| Stop::unavailable("the writing process broke off", e);
    for order in 1..=PROOF {
        orders.write_all(&1u64.to_ne_bytes()).map_err(broke)?;
        piece.bytes().fill(0);
        out.read_exact(piece.bytes()).map_err(broke)?;
        if piece.bytes() != sent.bytes() {
            return Err(Stop::Refused(format!("piece {order} was corrupted")));
        }
    }
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", PIECE as f64, |pieces| {
            orders.write_all(&pieces.to_ne_bytes()).map_err(broke)?;
            let mut left = pieces * PIECE as u64;
            while left > 0 {
                let most = left.min(PIECE as u64) as usize;
                match out.read(&mut piece.bytes()[..most]).map_err(broke)? {
                    0 => return Err(broke(io::ErrorKind::UnexpectedEof.into())),
                    got => left -= got as u64,
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// The other process: writes the ordered number of pieces, until there are no more orders.
fn write_on_order(mut orders: UnixStream, mut into: impl Write, offset: usize) -> io::Result<()> {
    let mut piece = Buffer::new(PIECE, Pages::Small, offset).map_err(io::Error::other)?;
    let mut order = [0; 8];
    loop {
        orders.read_exact(&mut order)?;
        for _ in 0..u64::from_ne_bytes(order) {
            into.write_all(piece.bytes())?;
        }
    }
}
