//! Remote procedure calls between two processes on this host.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use whyslow_model::id;
use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit};

use crate::bench::{Bench, Timed, Variant};
use crate::peer::Peer;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::rpc::{self, CALL_BYTES, MESSAGE_BYTES, Records};
use crate::wire::{PATIENCE, no_loopback, tcp_pair};

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: id::NET_RPC,
    title: "remote procedure call",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "A call of an ONC RPC null procedure (RFC 5531) in another process on this host: encoding, sending, waiting, decoding, on both sides.",
    how: "Client and server encode and check the messages themselves, without portmapper or RPC library; both poll before they read, as the libraries do; over TCP each message is a marked record. lmbench's call carries one character and uses the RPC library, which polls once more over TCP and passes address options over UDP; without a portmapper its columns stay empty.",
    needs: &[NEEDS, "the loopback interface"],
    params: &[("over", "udp or tcp"), CPUS],
    names: Names {
        lmbench: &["lat_rpc", "RPC/UDP", "RPC/TCP"],
        ..Names::NONE
    },
    roles: Roles::ByParams(
        &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
        Role::LocalLatency,
    ),
    // 300 cycles: less than the six system calls of a call.
    bounds: Bounds { fastest: 300.0 },
    usual_marks: USUAL,
    points,
    measure,
}];

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    for over in ["udp", "tcp"] {
        for (name, cpus) in ways(ctx) {
            offers.push(Offer::Point(PointPlan {
                cpus,
                draws: 1,
                // 2 ms holds 40 or more of the slowest, which take up to 50 us for a wake-up.
                batch_ns: 2e6,
                extra: true,
                suites: &["lmbench"],
                ..PointPlan::new(
                    Point::new(id::NET_RPC)
                        .with("over", over)
                        .with("cpus", name),
                )
            }));
        }
    }
    offers
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let cpu = bench.job.randomization.cpus.get(1).copied();
    match bench.param("over")? {
        "udp" => {
            let (here, there) = sockets().map_err(|e| no_loopback("UDP", e))?;
            let _server = Peer::start(cpu, move || serve_datagrams(&there))?;
            calls(bench, |xid| {
                here.send(&rpc::call(xid))?;
                wait(&here, Some(&LIMIT))?;
                let mut reply = [0; MESSAGE_BYTES];
                let got = here.recv(&mut reply)?;
                Ok(rpc::done(&reply[..got], xid))
            })
        }
        "tcp" => {
            let (mut here, there) = tcp_pair().map_err(|e| no_loopback("TCP", e))?;
            let _server = Peer::start(cpu, move || serve_stream(there))?;
            let mut records = Records::default();
            calls(bench, move |xid| {
                send(&mut here, &rpc::call(xid))?;
                let reply = records
                    .next(&mut Polled(&here, Some(&LIMIT)))?
                    .ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(rpc::done(reply, xid))
            })
        }
        other => Err(Stop::Unavailable(format!("over={other} is not known"))),
    }
}

/// Sockets of a client and a server; the server's is unconnected, as usual for servers.
fn sockets() -> io::Result<(UdpSocket, UdpSocket)> {
    let server = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let client = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    client.connect(server.local_addr()?)?;
    Ok((client, server))
}

fn calls(bench: &mut Bench, mut call: impl FnMut(u32) -> io::Result<bool>) -> Result<(), Stop> {
    label_pair(bench)?;
    let mut xid = bench.job.randomization.seed as u32;
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 0..n {
                xid = xid.wrapping_add(1);
                let done =
                    call(xid).map_err(|e| Stop::unavailable("the RPC server did not answer", e))?;
                if !done {
                    return Err(Stop::Refused("the RPC server gave a wrong answer".into()));
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// A client's timeout; a server waits indefinitely.
const LIMIT: Timespec = Timespec {
    tv_sec: PATIENCE.as_secs() as i64,
    tv_nsec: 0,
};

/// Waits until there is something to read, or the timeout.
fn wait(socket: impl AsFd, limit: Option<&Timespec>) -> io::Result<()> {
    match poll(&mut [PollFd::new(&socket, PollFlags::IN)], limit)? {
        0 => Err(io::ErrorKind::TimedOut.into()),
        _ => Ok(()),
    }
}

/// A stream that polls before each read only: a record that arrived with the previous one needs no
/// poll.
struct Polled<'a>(&'a TcpStream, Option<&'a Timespec>);

impl Read for Polled<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        wait(self.0, self.1)?;
        self.0.read(into)
    }
}

fn serve_datagrams(socket: &UdpSocket) -> io::Result<()> {
    let mut message = [0; MESSAGE_BYTES];
    loop {
        wait(socket, None)?;
        let (got, from) = socket.recv_from(&mut message)?;
        if let Some(reply) = rpc::answer(&message[..got]) {
            socket.send_to(reply.bytes(), from)?;
        }
    }
}

fn serve_stream(mut stream: TcpStream) -> io::Result<()> {
    let mut records = Records::default();
    loop {
        let Some(message) = records.next(&mut Polled(&stream, None))? else {
            return Ok(());
        };
        if let Some(reply) = rpc::answer(message) {
            send(&mut stream, reply.bytes())?;
        }
    }
}

fn send(stream: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let mut buffer = [0; 4 + CALL_BYTES];
    stream.write_all(rpc::record(message, &mut buffer)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_answers_over_both() {
        let (client, server) = sockets().unwrap();
        let _peer = Peer::start(None, move || serve_datagrams(&server)).unwrap();
        let mut reply = [0; 64];
        for xid in [1, 2] {
            client.send(&rpc::call(xid)).unwrap();
            let got = client.recv(&mut reply).unwrap();
            assert!(rpc::done(&reply[..got], xid));
        }
        let (mut client, server) = tcp_pair().unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let _peer = Peer::start(None, move || serve_stream(server)).unwrap();
        let mut records = Records::default();
        for xid in [1, 2] {
            send(&mut client, &rpc::call(xid)).unwrap();
            let reply = records.next(&mut client).unwrap().unwrap();
            assert!(rpc::done(reply, xid));
        }
        // Not a call: no answer, and the connection stays open. Both arrive in one piece, so the
        // server must not poll for data it has already read.
        let mut both = rpc::record(&[0; 4], &mut [0; 8]).unwrap().to_vec();
        both.extend(rpc::record(&rpc::call(3), &mut [0; 64]).unwrap());
        client.write_all(&both).unwrap();
        assert!(rpc::done(records.next(&mut client).unwrap().unwrap(), 3));
        client.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
    }
}
