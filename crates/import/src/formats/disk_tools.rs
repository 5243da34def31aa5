//! hdparm and ioping: rates and latencies of a device.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::number_in_front;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "disk-tools",
    what: "hdparm -tT and ioping (Timing cached reads, ioping statistics)",
    repeats: "runs of hdparm or ioping",
    silent: "the device, or what else used it",
    roles: &[
        ("disk.cached", "", Roles::All(Role::MemoryBandwidth)),
        ("disk.", "", Roles::All(Role::FileDevice)),
    ],
    looks,
    part: Some(|line| timing(line).is_some() || spread(line).is_some() || total(line).is_some()),
    known: &[
        "HDIO_",
        "geometry",
        "readahead",
        "readonly",
        "multcount",
        "<<<",
        ">>>",
        "ioping statistics",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let own = marks(text, |line| timing(line).is_some() || total(line).is_some());
    own * 5
}

/// ` Timing cached reads:   1650 MB in  2.00 seconds = 824.80 MB/sec`: the name and the rate.
fn timing(line: &str) -> Option<(&str, f64, &str)> {
    let rest = after(line, "Timing ")?;
    let (name, rest) = rest.split_once(':')?;
    let (_, rate) = rest.split_once('=')?;
    let (value, unit) = number_in_front(rate)?;
    let unit = unit.split_whitespace().next()?;
    unit.ends_with("/sec").then_some((name, value, unit))
}

/// What `9 requests completed in 3.78 ms, 36 KiB read, 2.38 k iops, 9.30 MiB/s` says: operations a second, and bytes, each
/// with its unit.
type Total<'a> = [(f64, &'a str); 2];

fn total(line: &str) -> Option<Total<'_>> {
    let (_, rest) = line.split_once(" requests completed in ")?;
    let parts: Vec<&str> = rest.split(", ").collect();
    let [.., operations, bytes] = parts[..] else {
        return None;
    };
    let operations = number_in_front(operations)?;
    let bytes = number_in_front(bytes)?;
    let is = matches!(operations.1, "iops" | "k iops" | "M iops") && bytes.1.ends_with("/s");
    is.then_some([operations, bytes])
}

/// `min/avg/max/mdev = 312.5 us / 420.1 us / 512.3 us / 45.6 us`
fn spread(line: &str) -> Option<Vec<(f64, &str)>> {
    let rest = after(line, "min/avg/max/mdev =")?;
    let parts = rest.split(" / ").map(|part| {
        let (value, unit) = number_in_front(part)?;
        let is = matches!(unit.trim(), "ns" | "us" | "ms" | "s" | "min");
        is.then(|| (value, unit.trim()))
    });
    let parts: Option<Vec<(f64, &str)>> = parts.collect();
    parts.filter(|parts| parts.len() == 4)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((name, value, unit)) = timing(line) {
            sheet.add("", Row::new("disk", name, unit, Higher), value, number)?;
        } else if let Some([operations, bytes]) = total(line) {
            let row = Row::new("disk", "requests", operations.1, Higher);
            sheet.add("", row, operations.0, number)?;
            let row = Row::new("disk", "requests, bytes", bytes.1, Higher);
            sheet.add("", row, bytes.0, number)?;
        } else if line.trim_start().starts_with("generated ") && line.contains(" requests in ") {
            // As many as it was told to make.
            sheet.aside(number);
        } else if let Some(parts) = spread(line) {
            for (name, (value, unit)) in ["min", "avg", "max", "mdev"].iter().zip(parts) {
                let row = Row::new("disk", &format!("latency {name}"), unit, Lower);
                sheet.add("", row, value, number)?;
            }
        }
    }
    Ok(())
}
