//! Figures of the Linux kernel performance tests (LKP) and the like: `stream.copy_bandwidth_MBps,31280.4`.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "lkp",
    what: "figures of LKP tests, TEST.FIGURE_UNIT,VALUE or TEST.FIGURE_UNIT: VALUE",
    repeats: "lines of the same figure",
    silent: "machine, options of the test, or how the figures were summed up",
    roles: &[
        ("lkp.stream_", "", Roles::All(Role::MemoryBandwidth)),
        ("lkp.", "bandwidth", Roles::All(Role::MemoryBandwidth)),
        ("lkp.", "memcpy", Roles::All(Role::MemoryRoutines)),
        ("lkp.", "latency", Roles::All(Role::MemoryLatency)),
    ],
    looks,
    part: None,
    known: &[],
    read,
};

/// Units behind the last `_` of a name: how they end it, the symbol, which direction is good.
const UNITS: [(&str, &str, Better); 14] = [
    ("MBps", "MB/s", Higher),
    ("GBps", "GB/s", Higher),
    ("KBps", "KB/s", Higher),
    ("MB_s", "MB/s", Higher),
    ("MB/s", "MB/s", Higher),
    ("ops_per_sec", "ops/s", Higher),
    ("ops_per_s", "ops/s", Higher),
    ("per_second", "/s", Higher),
    ("throughput", "", Higher),
    ("ops", "ops", Higher),
    ("ns", "ns", Lower),
    ("us", "us", Lower),
    ("ms", "ms", Lower),
    ("seconds", "s", Lower),
];

/// Words of names that are sums of figures with a unit.
const SUMS: [&str; 4] = ["_harmonicMean", "_mean", "_stddev", "_max"];

fn looks(text: &Text) -> usize {
    marks(text, |line| of_line(line).is_some())
}

/// The name and the number of a line.
fn of_line(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once([',', ':', '\t'])?;
    let (name, value) = (name.trim(), value.trim());
    let (test, figure) = name.split_once('.')?;
    // Settings of the kernel are named alike.
    if ["kernel", "vm", "net", "fs", "dev", "user"].contains(&test) {
        return None;
    }
    let plain_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || "._-/".contains(c))
    };
    (plain_name(test) && plain_name(figure) && figure.contains('_') && plain(value).is_some())
        .then_some((name, value))
}

/// The unit of a figure of that name, and which direction is good; none where it is a size or a count.
fn unit_of(name: &str) -> Option<(&'static str, Better)> {
    let base = SUMS
        .iter()
        .find_map(|sum| name.strip_suffix(sum))
        .unwrap_or(name);
    let found = UNITS.iter().find(|(end, ..)| {
        let rest = base.strip_suffix(end);
        rest.is_some_and(|rest| rest.ends_with(['_', '.', '-']))
    });
    found.map(|(_, symbol, better)| (*symbol, *better))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let Some((name, printed)) = of_line(line) else {
            continue;
        };
        if holds(name, "element_size") || holds(name, "array_size") {
            sheet.note("lkp", format!("{name} is {printed}"));
            sheet.aside(number);
        } else if let (Some((unit, better)), Some(value)) = (unit_of(name), plain(printed)) {
            sheet.add("", Row::new("lkp", name, unit, better), value, number)?;
        } else {
            sheet.refuse(
                number,
                "which direction of it is good is not said by its name",
            );
        }
    }
    Ok(())
}
