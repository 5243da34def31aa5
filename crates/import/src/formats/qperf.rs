//! qperf: bandwidth and latency of sockets and verbs, a section a test.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{grouped, number_in_front};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "qperf",
    what: "qperf (tcp_bw:, bw = 1.44 GB/sec, latency = 47.4 us)",
    repeats: "runs of qperf",
    silent: "the machines, or what lies between them",
    roles: &[
        ("qperf.", "latency", Roles::All(Role::LocalLatency)),
        ("qperf.", "lat_", Roles::All(Role::LocalLatency)),
        ("qperf.", "cpu", Roles::All(Role::Other)),
        ("qperf.", "", Roles::All(Role::LocalBandwidth)),
    ],
    looks,
    part: Some(|line| figure(line).is_some() || test(line).is_some()),
    // What a test did in all is its rate times how long it was told to run.
    known: &[
        "_bytes ",
        "_msgs ",
        "msg_size ",
        "time ",
        "timeout ",
        "cpus_used ",
        "cost ",
        "_user ",
        "_kernel ",
        "_intr ",
        "_wait ",
        "_idle ",
        "port ",
        "_time ",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let tests = marks(text, |line| test(line).is_some());
    let figures = marks(text, |line| figure(line).is_some());
    if tests > 0 && figures > 0 {
        (tests + figures) * 3
    } else {
        0
    }
}

/// `tcp_bw:`, `rc_rdma_write_lat:`
fn test(line: &str) -> Option<&str> {
    let name = line.trim().strip_suffix(':')?;
    let (kind, what) = name.rsplit_once('_')?;
    let known = ["bw", "lat", "mr", "rate"].contains(&what);
    let begins = [
        "tcp", "udp", "sdp", "sctp", "rds", "rc", "uc", "ud", "xrc", "ver",
    ];
    let begins = begins.contains(&kind.split('_').next()?);
    (known && begins).then_some(name)
}

/// `    bw          =     1.44 GB/sec`: the name, the value, the unit, and which way is good.
fn figure(line: &str) -> Option<(&str, f64, &str, Better)> {
    let (name, rest) = line.split_once('=')?;
    let name = name.trim();
    let better = match name {
        "bw" | "send_bw" | "recv_bw" | "msg_rate" => Higher,
        "latency" => Lower,
        _ => return None,
    };
    let (value, unit) = match number_in_front(rest) {
        Some(found) => found,
        None => {
            let (digits, unit) = rest.trim().split_once(' ')?;
            (grouped(digits)?, unit)
        }
    };
    let unit = unit.trim();
    (!unit.is_empty()).then_some((name, value, unit, better))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut of = "";
    for (number, line) in text.lines() {
        if let Some(name) = test(line) {
            sheet.aside(number);
            of = name;
        } else if let Some((name, value, unit, better)) = figure(line).filter(|_| !of.is_empty()) {
            let title = format!("{of} {name}");
            sheet.add("", Row::new("qperf", &title, unit, better), value, number)?;
        }
    }
    Ok(())
}
