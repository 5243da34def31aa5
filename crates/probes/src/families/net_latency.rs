//! Messages and connections between two processes on this host.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};

use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::peer::Peer;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::scratch::OwnFile;
use crate::wire::{Wire, listen, no_loopback};

/// 200 cycles: less than the four system calls of a round trip.
const BOUNDS: Bounds = Bounds { fastest: 200.0 };

/// This family's probes.
pub const PROBES: &[Probe] = &[
    Probe {
        id: id::NET_LATENCY,
        title: "message round trip",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "One byte to another process on this host and one byte back: two context switches and four system calls.",
        how: "Two processes and one connection (UNIX stream pair, connected UDP or TCP over 127.0.0.1 with TCP_NODELAY); time per round trip. lmbench runs unpinned, which changed its figures up to fourfold between runs; its UDP message has 4 bytes.",
        needs: &[NEEDS, "over=udp, tcp: the loopback interface"],
        params: &[("over", "unix, udp or tcp"), CPUS],
        names: Names {
            lmbench: &["lat_unix", "lat_udp", "lat_tcp", "AF UNIX", "UDP", "TCP"],
            ..Names::NONE
        },
        roles: Roles::ByParams(
            &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
            Role::LocalLatency,
        ),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |ctx| points(ctx, id::NET_LATENCY, &["unix", "udp", "tcp"]),
        measure: round_trips,
    },
    Probe {
        id: id::NET_CONNECT,
        title: "connect and close",
        unit: Unit::Ns,
        better: Better::Lower,
        what: "Creating a socket, connecting it to a server on this host that accepts and closes, and closing it.",
        how: "socket, connect and close in a loop against a second process, to a TCP port chosen by the kernel on 127.0.0.1 or to a socket file in the temporary directory; a batch ends when its last connection has been served. The side that closes first (here the caller, as in lmbench) leaves a TCP port in TIME_WAIT for a minute; some hundred per process. lmbench's server has a backlog of 100; on the caller's CPU more connections arrive before it is scheduled, and each that finds the backlog full costs a second, so that its figure is then milliseconds.",
        needs: &[
            NEEDS,
            "over=tcp: the loopback interface",
            "over=unix: a temporary directory with a short path",
        ],
        params: &[("over", "tcp or unix"), CPUS],
        names: Names {
            lmbench: &["lat_connect", "lat_unix_connect", "TCP conn"],
            ..Names::NONE
        },
        roles: Roles::ByParams(
            &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
            Role::LocalLatency,
        ),
        bounds: BOUNDS,
        usual_marks: USUAL,
        points: |ctx| points(ctx, id::NET_CONNECT, &["tcp", "unix"]),
        measure: connections,
    },
];

fn points(ctx: &PlanContext, id: &str, kinds: &[&str]) -> Vec<Offer> {
    let mut offers = Vec::new();
    for &over in kinds {
        for (name, cpus) in ways(ctx) {
            offers.push(Offer::Point(PointPlan {
                cpus,
                draws: 1,
                // 2 ms holds 40 or more of the slowest, which take up to 50 us for a wake-up.
                batch_ns: 2e6,
                // Directory of the socket files.
                scratch: id == id::NET_CONNECT && over == "unix",
                extra: true,
                suites: &["lmbench"],
                ..PointPlan::new(Point::new(id).with("over", over).with("cpus", name))
            }));
        }
    }
    offers
}

fn round_trips(bench: &mut Bench) -> Result<(), Stop> {
    let (mut here, mut there) = Wire::pair(bench.param("over")?)?;
    let _peer = Peer::start(bench.job.randomization.cpus.get(1).copied(), move || {
        let mut byte = [0];
        while matches!(there.read(&mut byte), Ok(1)) && there.write_all(&byte).is_ok() {}
    })?;
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |trips| {
            for trip in 0..trips {
                // Numbered, so that an answer to another message is detected.
                let mut byte = [trip as u8];
                let answered = here
                    .write_all(&byte)
                    .and_then(|()| here.read(&mut byte))
                    .map_err(|e| Stop::unavailable("the other process did not answer", e))?;
                if (answered, byte) != (1, [trip as u8]) {
                    return Err(Stop::Unavailable(
                        "the other process exited, or gave a wrong answer".into(),
                    ));
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

fn connections(bench: &mut Bench) -> Result<(), Stop> {
    let cpu = bench.job.randomization.cpus.get(1).copied();
    match bench.param("over")? {
        "tcp" => {
            let (listener, at) = listen()?;
            let _peer = Peer::start(cpu, move || {
                while let Ok((mut end, _)) = listener.accept() {
                    until_closed(&mut end);
                }
            })?;
            let once = || TcpStream::connect(at).map_err(|e| no_loopback("connecting by TCP", e));
            connect(bench, once, TcpStream::shutdown)
        }
        "unix" => {
            let file = OwnFile::new(bench, "socket")?;
            let path = file.path();
            let listener = UnixListener::bind(path).map_err(|e| {
                Stop::Unavailable(format!(
                    "a socket at {}: {e}; set TMPDIR to a directory with a short path",
                    path.display()
                ))
            })?;
            let _peer = Peer::start(cpu, move || {
                while let Ok((mut end, _)) = listener.accept() {
                    until_closed(&mut end);
                }
            })?;
            let once = || {
                UnixStream::connect(path)
                    .map_err(|e| Stop::unavailable("connecting to a UNIX socket", e))
            };
            connect(bench, once, UnixStream::shutdown)
        }
        other => Err(Stop::Unavailable(format!("over={other} is not known"))),
    }
}

/// Reads until the other side has closed; the server does this so that the caller always closes
/// first.
fn until_closed(end: &mut impl Read) {
    while matches!(end.read(&mut [0]), Ok(1..)) {}
}

/// The server accepts connections in order, so once it has closed the last of a batch, all of its
/// work is in the batch's time; connections still in the backlog would count only half of the cost.
fn connect<S: Read>(
    bench: &mut Bench,
    mut once: impl FnMut() -> Result<S, Stop>,
    shut: impl Fn(&S, Shutdown) -> io::Result<()>,
) -> Result<(), Stop> {
    label_pair(bench)?;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 1..n {
                once()?;
            }
            let mut last = once()?;
            shut(&last, Shutdown::Write)
                .map_err(|e| Stop::unavailable("closing a connection", e))?;
            until_closed(&mut last);
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}
