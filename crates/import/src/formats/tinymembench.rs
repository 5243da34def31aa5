//! tinymembench: bandwidths of copies and fills, and latencies of random reads.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::pattern::{after, holds, number_first};
use crate::reader::marks;
use crate::slug::slug;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "tinymembench",
    what: "tinymembench, its bandwidths and latencies",
    repeats: "tinymembench runs",
    silent: "machine, compiler, or CPU; latencies are over that of the first cache, not whole",
    roles: &[
        ("tinymembench.single_random_read", "", Roles::LatencyBySize),
        ("tinymembench.dual_random_read", "", Roles::LatencyBySize),
        // The memory of a graphics device, which the CPU reads uncached.
        ("tinymembench.", "framebuffer", Roles::All(Role::Other)),
        (
            "tinymembench.standard_",
            "",
            Roles::All(Role::MemoryRoutines),
        ),
        ("tinymembench.libc_", "", Roles::All(Role::MemoryRoutines)),
        ("tinymembench.", "", Roles::All(Role::MemoryBandwidth)),
    ],
    looks,
    part: Some(|line| bandwidth(line).is_some() || is_latency_header(line)),
    known: &["tinymembench v", "==", "bandwidth test", "latency test"],
    read,
};

const FAMILY: &str = "tinymembench";

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        bandwidth(line).is_some() || is_latency_header(line) || holds(line, "tinymembench v")
    }) * 2
}

/// Words of its tests: one is in every name.
const TESTS: [&str; 8] = [
    "copy",
    "fill",
    "scan",
    "memcpy",
    "memset",
    "memchr",
    "2-pass",
    "framebuffer",
];

/// ` C copy backwards      :   7153.3 MB/s (3, 3.7%)` in parts. The first letter stands behind a space, unless that
/// was lost where the name is surely its own. What is in brackets is the spread and the count of repeats.
fn bandwidth(line: &str) -> Option<(&str, f64)> {
    let (name, rest) = line
        .rsplit_once(" : ")
        .or_else(|| line.rsplit_once("  :"))?;
    let (value, unit) = number_first(rest)?;
    let mut unit = unit.split_whitespace();
    let rated = unit.next() == Some("MB/s") && unit.next().is_none_or(|w| w.starts_with('('));
    let named = line.starts_with(' ') || TESTS.iter().any(|test| holds(name, test));
    (rated && named).then_some((name.trim(), value))
}

/// `block size : single random read / dual random read, [MADV_NOHUGEPAGE]`
fn is_latency_header(line: &str) -> bool {
    line.trim_start().starts_with("block size") && holds(line, "single random read")
}

/// `   1024 :    0.0 ns          /     0.1 ns` in parts.
fn latency(line: &str) -> Option<(&str, f64, Option<f64>)> {
    let (block, rest) = line.split_once(':')?;
    let (single, rest) = number_first(rest)?;
    let rest = rest.strip_prefix("ns")?.trim_start();
    let dual = rest.strip_prefix('/').and_then(number_first);
    let block = block.trim();
    block
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| (block, single, dual.map(|d| d.0)))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // What the header of a table of latencies says of the pages.
    let mut pages: Option<&str> = None;
    let mut commands = Commands::of(text);
    for (number, line) in text.lines() {
        if commands.at(line) {
            pages = None;
        } else if is_latency_header(line) {
            let option = line.rsplit_once('[').and_then(|(_, o)| o.split_once(']'));
            pages = Some(option.map_or("", |(option, _)| option));
        } else if let Some((name, value)) = bandwidth(line) {
            let row = commands.on(Row::new(FAMILY, name, "MB/s", Higher));
            sheet.add("", row, value, number)?;
        } else if let (Some(pages), Some((block, single, dual))) = (pages, latency(line)) {
            let row = |what| commands.on(latency_row(what, pages, block));
            sheet.add("", row("single random read"), single, number)?;
            if let Some(dual) = dual {
                sheet.add("", row("dual random read"), dual, number)?;
            }
        } else if let Some(flags) = after(line, "CFLAGS:") {
            sheet.state("", "flags", flags);
        }
    }
    Ok(())
}

/// A row of a table of latencies. Its name is its table's and its line's: either may be what it is called by.
fn latency_row(what: &str, pages: &str, block: &str) -> Row {
    let table = match pages {
        "" => String::new(),
        pages => format!(" [{pages}]"),
    };
    let row = Row::new(FAMILY, &format!("{what}{table} {block}"), "ns", Lower);
    let row = row.id(FAMILY, &slug(what)).with("block", block);
    let row = match pages {
        "" => row,
        "MADV_NOHUGEPAGE" => row.with("pages", "nohuge"),
        "MADV_HUGEPAGE" => row.with("pages", "huge"),
        other => row.with("pages", other),
    };
    match block.parse() {
        Ok(bytes) => row.sized(bytes),
        Err(_) => row,
    }
}
