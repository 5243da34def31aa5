//! hdparm and ioping: rates and latencies of a device.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::number_in_front;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "disk-tools",
    what: "hdparm -tT and ioping (Timing cached reads, ioping statistics)",
    repeats: "runs of hdparm or ioping",
    silent: "the device, or what else used it",
    roles: &[
        ("disk.timing_cached", "", Roles::All(Role::MemoryBandwidth)),
        (
            "disk.timing_buffer_cache",
            "",
            Roles::All(Role::MemoryBandwidth),
        ),
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
    after(line, "Timing ")?;
    let (name, rest) = line.trim().split_once(':')?;
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

/// What ioping says of the times of its requests.
const SPREAD: [&str; 4] = ["min", "avg", "max", "mdev"];

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

/// The device that a line says it is about: `/dev/sda:` of hdparm, `--- /dev/sdf (block device 1.75 TiB) ioping statistics ---`.
fn device(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = line
        .strip_suffix(':')
        .filter(|name| name.starts_with("/dev/"))
    {
        return Some(name);
    }
    let rest = line.strip_prefix("--- ")?;
    let (name, _) = rest
        .strip_suffix("ioping statistics ---")?
        .split_once(" (")?;
    Some(name)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // One device is what the side is of, and is called otherwise on the other side.
    let mut devices: Vec<&str> = text.lines().filter_map(|(_, line)| device(line)).collect();
    devices.sort_unstable();
    devices.dedup();
    let mut commands = Commands::of(text);
    let mut of = "";
    for (number, line) in text.lines() {
        if let Some(name) = device(line) {
            sheet.aside(number);
            of = name;
            continue;
        }
        if commands.at(line) {
            sheet.aside(number);
            continue;
        }
        let row = |title: &str, unit: &str, better| {
            let row = Row::new("disk", title, unit, better);
            match devices.len() > 1 && !of.is_empty() {
                true => row.with("device", of).titled(&format!("{title} {of}")),
                false => row,
            }
        };
        if let Some((name, value, unit)) = timing(line) {
            sheet.add("", row(name, unit, Higher), value, number)?;
        } else if let Some([operations, bytes]) = total(line) {
            let title = "requests completed";
            let requests = commands.on(row(title, operations.1, Higher));
            sheet.add("", requests, operations.0, number)?;
            let bytes_row = row(&format!("{title}, bytes"), bytes.1, Higher);
            sheet.add("", commands.on(bytes_row), bytes.0, number)?;
        } else if line.trim_start().starts_with("generated ") && line.contains(" requests in ") {
            // As many as it was told to make.
            sheet.aside(number);
        } else if let Some(parts) = spread(line) {
            for (name, (value, unit)) in SPREAD.iter().zip(parts) {
                let row = row(&format!("{} {name}", SPREAD.join("/")), unit, Lower);
                sheet.add("", commands.on(row), value, number)?;
            }
        }
    }
    Ok(())
}
