//! Connections between processes on this host: socket pairs of the kind that a point names, and
//! listeners.
#![allow(unsafe_code)]

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::stop::Stop;

/// Longer than anything on one host takes. Without a limit, a lost datagram or a dead peer would
/// block forever.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// One end of a connection.
#[derive(Debug)]
pub enum Wire {
    /// A stream socket of the UNIX family.
    Unix(UnixStream),
    /// TCP over the loopback interface.
    Tcp(TcpStream),
    /// UDP over the loopback interface, connected: a message is a datagram.
    Udp(UdpSocket),
}

impl Wire {
    /// Both ends of a new connection: `unix`, `tcp` or `udp`. The kernel chooses the ports.
    ///
    /// # Errors
    /// When the kind is not known, or the host has no such sockets or no loopback interface.
    pub fn pair(over: &str) -> Result<(Wire, Wire), Stop> {
        let (a, b) = match over {
            "unix" => {
                let (a, b) = UnixStream::pair()
                    .map_err(|e| Stop::unavailable("a pair of UNIX sockets", e))?;
                (Wire::Unix(a), Wire::Unix(b))
            }
            "tcp" => {
                let (a, b) = tcp_pair().map_err(|e| no_loopback("TCP", e))?;
                (Wire::Tcp(a), Wire::Tcp(b))
            }
            "udp" => {
                let (a, b) = udp_pair().map_err(|e| no_loopback("UDP", e))?;
                (Wire::Udp(a), Wire::Udp(b))
            }
            other => return Err(Stop::Unavailable(format!("over={other} is not known"))),
        };
        for end in [&a, &b] {
            end.be_patient()
                .map_err(|e| Stop::unavailable("a socket's time limit", e))?;
        }
        Ok((a, b))
    }

    fn be_patient(&self) -> io::Result<()> {
        match self {
            Wire::Unix(s) => s.set_read_timeout(Some(PATIENCE)),
            Wire::Tcp(s) => s.set_read_timeout(Some(PATIENCE)),
            Wire::Udp(s) => s.set_read_timeout(Some(PATIENCE)),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Wire::Unix(s) => s.read(into),
            Wire::Tcp(s) => s.read(into),
            Wire::Udp(s) => s.recv(into),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Wire::Unix(s) => s.write(from),
            Wire::Tcp(s) => s.write(from),
            Wire::Udp(s) => s.send(from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Listen backlog. A server on the caller's CPU may be scheduled only after several milliseconds, in
/// which some hundred connections are made; one that finds the backlog full is retried after a whole
/// second. This is the kernel's own limit (`net.core.somaxconn`).
const WAITING: libc::c_int = 4096;

/// A listener on the loopback interface at a port chosen by the kernel, with its address.
///
/// # Errors
/// When there is no loopback interface.
pub fn listen() -> Result<(TcpListener, SocketAddr), Stop> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| no_loopback("TCP", e))?;
    let at = listener.local_addr().map_err(|e| no_loopback("TCP", e))?;
    // SAFETY: listening again on our own listener only changes the backlog. If the kernel refuses,
    // the library's smaller backlog remains.
    unsafe { libc::listen(listener.as_raw_fd(), WAITING) };
    Ok((listener, at))
}

/// The host refused something over its loopback interface.
pub fn no_loopback(what: &str, error: io::Error) -> Stop {
    Stop::Unavailable(format!(
        "{what} over 127.0.0.1: {error}; is the interface 'lo' up?"
    ))
}

/// Both ends of a new TCP connection over the loopback interface, with TCP_NODELAY.
///
/// # Errors
/// When there is no loopback interface.
pub fn tcp_pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let here = TcpStream::connect_timeout(&listener.local_addr()?, PATIENCE)?;
    // Any process on the host may have connected meanwhile; accept only our own end.
    let there = loop {
        let (there, from) = listener.accept()?;
        if from == here.local_addr()? {
            break there;
        }
    };
    for end in [&here, &there] {
        end.set_nodelay(true)?;
    }
    Ok((here, there))
}

fn udp_pair() -> io::Result<(UdpSocket, UdpSocket)> {
    let here = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let there = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    here.connect(there.local_addr()?)?;
    there.connect(here.local_addr()?)?;
    Ok((here, there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for over in ["unix", "tcp", "udp"] {
            let (mut a, mut b) = Wire::pair(over).unwrap();
            a.write_all(b"there").unwrap();
            let mut got = [0; 16];
            assert_eq!(b.read(&mut got).unwrap(), 5, "{over}");
            b.write_all(b"back").unwrap();
            assert_eq!(a.read(&mut got).unwrap(), 4, "{over}");
            assert_eq!(&got[..4], b"back");
        }
        assert!(Wire::pair("pigeon").is_err());
    }

    #[test]
    fn two_pairs_do_not_hear_each_other() {
        for over in ["unix", "tcp", "udp"] {
            let (mut a, mut b) = Wire::pair(over).unwrap();
            let (mut c, mut d) = Wire::pair(over).unwrap();
            a.write_all(b"a").unwrap();
            c.write_all(b"c").unwrap();
            let mut got = [0; 4];
            assert_eq!((b.read(&mut got).unwrap(), got[0]), (1, b'a'), "{over}");
            assert_eq!((d.read(&mut got).unwrap(), got[0]), (1, b'c'), "{over}");
        }
    }
}
