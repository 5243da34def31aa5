//! Documents fetched from a server on this host.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use whyslow_model::role::{Role, Roles};
use whyslow_model::{Better, Point, Unit, size};

use crate::bench::{Bench, Timed, Variant};
use crate::peer::Peer;
use crate::placed::{CPUS, NEEDS, USUAL, label_pair, ways};
use crate::probe::{Bounds, Names, Offer, PlanContext, PointPlan, Probe, Stop};
use crate::wire::listen;

/// This family's probes.
pub const PROBES: &[Probe] = &[Probe {
    id: "net.http",
    title: "document by HTTP",
    unit: Unit::Ns,
    better: Better::Lower,
    what: "One document fetched from another process on this host over a new connection: connect, request, all bytes, close.",
    how: "A minimal HTTP/1.0 server keeps the document in memory and writes header and document at once; the client reads to the end in 64 KiB pieces and checks status and length; time per document. lmbench fetches a list of pages of different sizes and reports bytes a second over all; its server maps a file of 4 KiB or more for each request.",
    needs: &[NEEDS, "the loopback interface"],
    params: &[("size", "bytes of the document"), CPUS],
    names: Names {
        lmbench: &["lat_http", "lmhttp"],
        ..Names::NONE
    },
    roles: Roles::ByParams(
        &[(&[("cpus", "same-cpu")], Role::SwitchSameCpu)],
        Role::LocalLatency,
    ),
    // 1,000 cycles: less than making a connection.
    bounds: Bounds { fastest: 1_000.0 },
    usual_marks: USUAL,
    points,
    measure,
}];

/// A small page, a picture, a photograph.
const SIZES: [u64; 3] = [1 << 10, 64 << 10, 1 << 20];

/// Bytes per read of the client.
const PIECE: usize = 64 << 10;

/// Longest request that the server accepts; a browser's is a tenth of that.
const REQUEST_BYTES: usize = 4 << 10;

const REQUEST: &[u8] = b"GET /document HTTP/1.0\r\n\r\n";

fn points(ctx: &PlanContext) -> Vec<Offer> {
    let mut offers = Vec::new();
    for bytes in SIZES {
        for (name, cpus) in ways(ctx) {
            let point = Point::new("net.http").with("size", size::format(bytes));
            offers.push(Offer::Point(PointPlan {
                cpus,
                size_bytes: Some(bytes),
                draws: 1,
                // 4 ms holds ten or more of the largest document.
                batch_ns: 4e6,
                extra: true,
                suites: &["lmbench"],
                ..PointPlan::new(point.with("cpus", name))
            }));
        }
    }
    offers
}

fn measure(bench: &mut Bench) -> Result<(), Stop> {
    let bytes = bench.size()?;
    let (listener, at) = listen()?;
    let document = document(bytes);
    let response = response(&document);
    let cpu = bench.job.randomization.cpus.get(1).copied();
    let _server = Peer::start(cpu, move || serve(&listener, &response))?;
    label_pair(bench)?;
    let failed = |e: io::Error| Stop::unavailable("fetching a document over 127.0.0.1", e);
    let mut piece = vec![0; PIECE];
    let mut whole = Vec::new();
    fetch(at, &mut piece, |part| whole.extend_from_slice(part)).map_err(failed)?;
    if body(&whole) != Some(&document) {
        return Err(Stop::Refused("the document was corrupted".into()));
    }
    let expected = whole.len();
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", 1.0, |n| {
            for _ in 0..n {
                let mut got = 0;
                fetch(at, &mut piece, |part| got += part.len()).map_err(failed)?;
                if got != expected {
                    return Err(Stop::Refused(format!(
                        "a document of {expected} bytes with its header arrived as {got}"
                    )));
                }
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

/// `bytes` bytes of text, each page unlike the previous one.
fn document(bytes: usize) -> Vec<u8> {
    (0..bytes)
        .map(|i| b'a' + ((i + i / 4096) % 26) as u8)
        .collect()
}

fn response(document: &[u8]) -> Vec<u8> {
    let mut response = format!(
        "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        document.len()
    )
    .into_bytes();
    response.extend(document);
    response
}

/// The document in a response of status 200 with the declared length.
fn body(response: &[u8]) -> Option<&[u8]> {
    let end = response.windows(4).position(|w| w == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&response[..end]).ok()?;
    let length = head
        .lines()
        .find_map(|l| l.strip_prefix("Content-Length: "))?;
    let body = &response[end + 4..];
    (head.starts_with("HTTP/1.0 200 ") && length.parse() == Ok(body.len())).then_some(body)
}

/// One document: connect, request, pass on every piece of the response, close.
fn fetch(at: SocketAddr, piece: &mut [u8], mut part: impl FnMut(&[u8])) -> io::Result<()> {
    let mut server = TcpStream::connect(at)?;
    server.write_all(REQUEST)?;
    loop {
        match server.read(piece)? {
            0 => return Ok(()),
            n => part(&piece[..n]),
        }
    }
}

/// Answers requests sequentially. A client that disconnects loses only its own request.
fn serve(listener: &TcpListener, response: &[u8]) {
    while let Ok((mut caller, _)) = listener.accept() {
        let _ = answer(&mut caller, response);
    }
}

fn answer(caller: &mut (impl Read + Write), response: &[u8]) -> io::Result<()> {
    let mut request = [0; REQUEST_BYTES];
    let mut got = 0;
    while !request[..got].ends_with(b"\r\n\r\n") {
        match caller.read(&mut request[got..])? {
            // It disconnected, or the request is too long.
            0 => return caller.write_all(b"HTTP/1.0 400 Bad Request\r\n\r\n"),
            n => got += n,
        }
    }
    match &request[..got] {
        REQUEST => caller.write_all(response),
        _ => caller.write_all(b"HTTP/1.0 404 Not Found\r\n\r\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server's response to `request`.
    fn said(request: &[u8]) -> String {
        struct Caller<'a>(&'a [u8], Vec<u8>);
        impl Read for Caller<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                // Byte by byte, as over a slow link.
                let most = into.len().min(1);
                self.0.read(&mut into[..most])
            }
        }
        impl Write for Caller<'_> {
            fn write(&mut self, from: &[u8]) -> io::Result<usize> {
                self.1.write(from)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut caller = Caller(request, Vec::new());
        answer(&mut caller, &response(b"text")).unwrap();
        String::from_utf8(caller.1).unwrap()
    }

    #[test]
    fn the_server_knows_one_document() {
        assert_eq!(body(said(REQUEST).as_bytes()), Some(&b"text"[..]));
        assert!(said(b"GET /other HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 404"));
        assert!(said(b"GET /docu").starts_with("HTTP/1.0 400"));
        assert!(said(&[b'x'; 2 * REQUEST_BYTES]).starts_with("HTTP/1.0 400"));
    }

    #[test]
    fn a_response_must_be_as_long_as_it_says() {
        let mut short = response(b"text");
        short.pop();
        assert_eq!(body(&short), None);
        assert_eq!(body(b"HTTP/1.0 404 Not Found\r\n\r\n"), None);
    }

    #[test]
    fn a_document_comes_over_unchanged() {
        let (listener, at) = listen().unwrap();
        let page = document(100_000);
        let all = response(&page);
        let _server = Peer::start(None, move || serve(&listener, &all)).unwrap();
        for _ in 0..3 {
            let mut got = Vec::new();
            fetch(at, &mut [0; PIECE], |part| got.extend_from_slice(part)).unwrap();
            assert_eq!(body(&got), Some(&page[..]));
        }
    }
}
