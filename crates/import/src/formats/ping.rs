//! ping: times of replies, and its summary.

use std::collections::BTreeSet;

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ping",
    what: "ping (64 bytes from ...: time=0.528 ms; rtt min/avg/max/mdev)",
    repeats: "replies of a host, or pings",
    silent: "machines, kernels, or what lies between them",
    roles: &[("ping.", "", Roles::All(Role::LocalLatency))],
    looks,
    part: Some(|line| reply(line).is_some() || summary(line).is_some()),
    known: &["PING ", "packets transmitted", "ping statistics"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        reply(line).is_some() || summary(line).is_some()
    }) * 3
}

/// A reply.
struct Reply<'a> {
    /// `64 bytes from 10.0.0.1`
    title: &'a str,
    host: &'a str,
    value: f64,
    unit: &'a str,
}

/// `64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.528 ms`
fn reply(line: &str) -> Option<Reply<'_>> {
    let line = line.trim();
    let (size, rest) = line.split_once(" bytes from ")?;
    size.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    let (_, behind) = rest.split_once("time=")?;
    // Addresses of version 6 have colons themselves.
    let end = [": icmp_seq", ": seq"]
        .iter()
        .find_map(|sign| rest.find(sign))?;
    let (value, unit) = number_in_front(behind)?;
    let unit = unit.split_whitespace().next()?;
    Some(Reply {
        title: &line[..line.len() - rest.len() + end],
        host: &rest[..end],
        value,
        unit,
    })
}

/// `rtt min/avg/max/mdev = 0.5/0.6/0.7/0.1 ms` as names, figures and the unit.
fn summary(line: &str) -> Option<(Vec<&str>, Vec<f64>, &str)> {
    let rest = after(line, "rtt ").or_else(|| after(line, "round-trip "))?;
    let (names, rest) = rest.split_once('=')?;
    let names: Vec<&str> = names.trim().split('/').collect();
    let mut words = rest.split_whitespace();
    let figures: Option<Vec<f64>> = words.next()?.split('/').map(plain).collect();
    let unit = words.next()?.trim_end_matches(',');
    let figures = figures.filter(|figures| figures.len() == names.len())?;
    (names.len() > 2 && names[0] == "min").then_some((names, figures, unit))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let replies = || text.lines().filter_map(|(_, line)| reply(line));
    let hosts: BTreeSet<&str> = replies().map(|reply| reply.host).collect();
    let mut host = "";
    let row = |name: &str, unit: &str, host: &str| {
        let row = Row::new("ping", name, unit, Lower);
        match hosts.len() > 1 && !host.is_empty() {
            true => row.with("host", host),
            false => row,
        }
    };
    for (number, line) in text.lines() {
        if let Some(reply) = reply(line) {
            host = reply.host;
            let row = row("round trip", reply.unit, host).titled(reply.title);
            sheet.add("", row, reply.value, number)?;
        } else if let Some((names, figures, unit)) = summary(line) {
            for (name, value) in names.iter().zip(figures) {
                let title = format!("rtt {} {name}", names.join("/"));
                let row = row(&format!("rtt {name}"), unit, host).titled(&title);
                sheet.add("", row, value, number)?;
            }
        }
    }
    Ok(())
}
