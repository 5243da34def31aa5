//! yabs: fio with blocks of four sizes, iperf3 to places of the world, and Geekbench, of a rented server.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::grid::{self, Separator};
use crate::number::{number_in_front, plain};
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "yabs",
    what: "yabs (fio Disk Speed Tests, Block Size | 4k (IOPS), iperf3 Network Speed Tests)",
    repeats: "runs of yabs",
    silent: "what else used the host, the disk, or the line",
    roles: &[
        ("yabs.fio", "", Roles::All(Role::FileDevice)),
        ("yabs.send", "", Roles::All(Role::LocalBandwidth)),
        ("yabs.recv", "", Roles::All(Role::LocalBandwidth)),
        ("yabs.ping", "", Roles::All(Role::LocalLatency)),
        ("yabs.", "", Roles::All(Role::Compute)),
    ],
    looks,
    part: Some(|line| blocks(line).is_some() || places(line).is_some()),
    known: &[
        "Processor ",
        "CPU cores ",
        "AES-NI",
        "VM-x",
        "RAM ",
        "Swap ",
        "Disk ",
        "Distro",
        "Kernel",
        "Uptime",
        "VM Type",
        "IPv4/IPv6",
        "Disk Speed Tests",
        "Full Test",
        "Geekbench",
        "Yet-Another",
        "YABS",
        "http",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        blocks(line).is_some() || places(line).is_some()
    }) * 6
}

/// `Block Size | 4k            (IOPS) | 64k           (IOPS)`: the sizes.
fn blocks(line: &str) -> Option<Vec<&str>> {
    let cells = bars(line);
    let (first, sizes) = cells.split_first()?;
    let sizes: Option<Vec<&str>> = sizes
        .iter()
        .filter(|cell| !cell.is_empty())
        .map(|cell| Some(cell.strip_suffix("(IOPS)")?.trim()))
        .collect();
    (*first == "Block Size")
        .then_some(sizes?)
        .filter(|s| !s.is_empty())
}

/// `Provider        | Location (Link)           | Send Speed      | Recv Speed      | Ping`: the columns.
fn places(line: &str) -> Option<Vec<&str>> {
    let cells = bars(line);
    let is = cells.first() == Some(&"Provider") && cells.iter().any(|c| holds(c, "Send Speed"));
    is.then_some(cells)
}

fn bars(line: &str) -> Vec<&str> {
    match line.contains('|') {
        true => grid::cells_at(line, Separator::Bar),
        false => Vec::new(),
    }
}

/// What is above a row.
enum Head<'a> {
    Nothing,
    Blocks(Vec<&'a str>),
    Places(Vec<&'a str>),
}

/// `380.79 MB/s  (95.1k)`: the rate, its unit, and requests a second.
fn cell(text: &str) -> Option<(f64, &str, Option<f64>)> {
    let (rate, count) = text.split_once('(').unwrap_or((text, ""));
    let (value, unit) = number_in_front(rate)?;
    let count = number_in_front(count.trim_end_matches(')')).and_then(|(value, unit)| match unit {
        "k" => Some(value * 1e3),
        "m" | "M" => Some(value * 1e6),
        "" => Some(value),
        _ => None,
    });
    let unit = unit.trim();
    unit.ends_with("/s").then_some((value, unit, count))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut head = Head::Nothing;
    for (number, line) in text.lines() {
        if let Some(found) = blocks(line) {
            sheet.aside(number);
            head = Head::Blocks(found);
            continue;
        }
        if let Some(found) = places(line) {
            sheet.aside(number);
            head = Head::Places(found);
            continue;
        }
        let cells = bars(line);
        let Some((label, rest)) = cells.split_first() else {
            if !line.trim_matches(['-', ' ']).is_empty() {
                head = Head::Nothing;
            }
            continue;
        };
        match &head {
            Head::Blocks(sizes) if ["Read", "Write", "Total"].contains(label) => {
                for (size, text) in sizes.iter().zip(rest) {
                    let Some((value, unit, count)) = cell(text) else {
                        continue;
                    };
                    let title = format!("{size} {label}");
                    let row = Row::new("yabs", &format!("fio {title}"), unit, Higher);
                    sheet.add("", row.titled(&title), value, number)?;
                    if let Some(count) = count.filter(|count| *count > 0.0) {
                        let row = Row::new("yabs", &format!("fio {title} IOPS"), "IOPS", Higher);
                        sheet.add("", row.titled(&format!("{title} IOPS")), count, number)?;
                    }
                }
            }
            Head::Places(columns) => {
                let place = cells.iter().zip(columns).take(2).map(|(cell, _)| *cell);
                let place: Vec<&str> = place.collect();
                for (column, text) in columns.iter().zip(&cells).skip(2) {
                    let Some((value, unit)) = number_in_front(text) else {
                        continue;
                    };
                    let better = if unit.contains('/') { Higher } else { Lower };
                    let row = Row::new("yabs", column, unit.trim(), better);
                    let title = format!("{} {column}", place.join(" "));
                    let row = row.with("place", &place.join(" ")).titled(&title);
                    sheet.add("", row, value, number)?;
                }
            }
            _ => {
                let cores = ["Single Core", "Multi Core"].contains(label);
                if let Some(value) = rest.first().and_then(|v| plain(v)).filter(|_| cores) {
                    sheet.add("", Row::new("yabs", label, "points", Higher), value, number)?;
                }
            }
        }
    }
    Ok(())
}
