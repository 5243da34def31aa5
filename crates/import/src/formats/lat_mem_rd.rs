//! What lmbench's `lat_mem_rd` prints when it is run by itself.

use whyslow_model::Better;
use whyslow_model::role::Roles;

use crate::lmbench::curve::at_size;
use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "lat_mem_rd",
    what: "curves of sizes and latencies by lmbench's lat_mem_rd, or bandwidths by its bw_mem",
    repeats: "lat_mem_rd runs",
    silent: "machine, order of the accesses (strided, or random with -t), or page size",
    roles: &[
        ("mem_rd.latency", "", Roles::LatencyBySize),
        ("mem_rd.bandwidth", "", Roles::BandwidthBySize),
    ],
    looks,
    part: None,
    known: &["lat_mem_rd "],
    read,
};

fn looks(text: &Text) -> usize {
    let strides = marks(text, |line| stride_of(line).is_some()) * 2;
    if strides > 0 {
        strides
    } else if bare(text).is_some() {
        2
    } else {
        headed(text).len()
    }
}

/// Pairs with sizes of five decimals, as it prints them, below short headings: the lines and what stands above them. A
/// log that was searched for some sizes looks so.
fn headed<'a>(text: &'a Text) -> Vec<(usize, &'a str)> {
    let five = |line: &str| {
        let decimals = |word: &str| word.split_once('.').is_some_and(|(_, d)| d.len() == 5);
        pair(line).is_some_and(|(mb, ..)| decimals(mb))
    };
    let mut found = Vec::new();
    let mut heading = "";
    for (number, line) in text.lines().map(|(number, line)| (number, line.trim())) {
        if line.is_empty() || line.starts_with(['#', '$']) {
            continue;
        }
        if five(line) {
            found.push((number, heading));
        } else if line.split_whitespace().count() <= 3 {
            heading = line.trim_end_matches(':');
        } else {
            return Vec::new();
        }
    }
    let under = found.iter().all(|(_, heading)| !heading.is_empty());
    if under && found.len() > 1 {
        found
    } else {
        Vec::new()
    }
}

/// The same read.
fn read_headed(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, heading) in headed(text) {
        if let Some((printed, mb, value)) = pair(text.line(number)) {
            let row = at_size(row("latency", "ns", Better::Lower), printed, mb);
            let title = format!("{}, {heading}", row.title);
            sheet.add("", row.with("under", heading).titled(&title), value, number)?;
        }
    }
    // The headings are no rows.
    for (number, line) in text.lines() {
        if pair(line).is_none() {
            sheet.aside(number);
        }
    }
    Ok(())
}

/// `"stride=64`, in all the ways in which it is quoted.
fn stride_of(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .trim_start_matches(['"', '#', ' '])
        .strip_prefix("stride=")?;
    let stride = rest.trim_matches(['"', ' ', ':']);
    let digits = stride.bytes().filter(u8::is_ascii_digit).count();
    (digits > 0 && !stride.contains(' ')).then_some(stride)
}

/// What pairs of numbers are where nothing is said of them.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pairs {
    /// Megabytes and nanoseconds.
    Latencies,
    /// Megabytes and MB/s.
    Bandwidths,
}

/// A size in megabytes and a figure.
fn pair(line: &str) -> Option<(&str, f64, f64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [mb, value] = words.as_slice() else {
        return None;
    };
    // All sizes have a point, which other pairs of numbers need not have.
    let size = plain(mb).filter(|size| mb.contains('.') && *size > 0.0)?;
    Some((mb, size, plain(value)?))
}

/// A text of pairs alone: what lat_mem_rd prints, of ever larger sizes from those within a cache on; or what
/// bw_mem does, a line a call.
fn bare(text: &Text) -> Option<Pairs> {
    /// Fewer sizes are no curve.
    const FEWEST: usize = 4;
    /// The largest size of a first-level cache, in megabytes.
    const WITHIN_CACHE: f64 = 0.2;
    let said = |line: &str| line.trim().is_empty() || line.starts_with(['#', '$']);
    let lines = || text.lines().filter(|(_, line)| !said(line));
    let command = marks(text, |line| {
        line.starts_with(['#', '$']) && holds(line, "bw_mem")
    }) > 0;
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (_, line) in lines() {
        let (_, size, value) = pair(line)?;
        pairs.push((size, value));
    }
    if command && !pairs.is_empty() {
        return Some(Pairs::Bandwidths);
    }
    let rising = pairs.windows(2).all(|w| w[0].0 < w[1].0);
    let first = pairs.first()?;
    // Of a curve of latencies the first sizes are fractions of a megabyte, printed with five decimals.
    let curve = pairs.len() >= FEWEST && rising && first.0 < WITHIN_CACHE;
    // No memory is slower than 2 microseconds, and no bandwidth lower than 100 MB/s.
    let latencies = pairs.iter().all(|(_, value)| *value < 2000.0) && first.1 < 100.0;
    match () {
        () if curve && latencies => Some(Pairs::Latencies),
        () if curve => Some(Pairs::Bandwidths),
        () => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if !text.lines().any(|(_, line)| stride_of(line).is_some())
        && let Some(kind) = bare(text)
    {
        return read_bare(text, kind, sheet);
    }
    if !text.lines().any(|(_, line)| stride_of(line).is_some()) {
        return read_headed(text, sheet);
    }
    let mut stride: Option<&str> = None;
    let mut commands = Commands::of(text);
    for (number, line) in text.lines() {
        commands.at(line);
        if let Some(found) = stride_of(line) {
            sheet.aside(number);
            stride = Some(found);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match (stride, words.as_slice()) {
            (_, []) => stride = None,
            (Some(stride), [mb, latency]) => {
                if let (Some(bytes), Some(value)) = (plain(mb), plain(latency)) {
                    let row = row("latency", "ns", Better::Lower);
                    let row = at_size(row, mb, bytes).with("stride", stride);
                    sheet.add("", commands.on(row), value, number)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_bare(text: &Text, kind: Pairs, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut operation = "";
    let calls = || {
        text.lines()
            .filter_map(|(_, line)| line.split_once("bw_mem "))
    };
    let first = calls().next();
    let differ = first.is_some_and(|(first, _)| calls().any(|(put, _)| put != first));
    let mut put = "";
    for (number, line) in text.lines() {
        if let Some((before, call)) = line.split_once("bw_mem ") {
            // `numactl -m 0 ./bw_mem -P 1 64M rd`
            put = if differ {
                before.trim_matches(['#', '$', ' ', '.', '/'])
            } else {
                ""
            };
            operation = call.split_whitespace().last().unwrap_or_default();
            continue;
        }
        let Some((printed, mb, value)) = pair(line) else {
            continue;
        };
        let row = match kind {
            Pairs::Latencies => at_size(row("latency", "ns", Better::Lower), printed, mb),
            // Its megabytes are of 10^6 bytes.
            Pairs::Bandwidths => {
                let mut row = row("bandwidth", "MB/s", Better::Higher);
                row.title = format!("{}, {printed}", row.title);
                let row = row.with("size", &format!("{printed}MB"));
                row.sized((mb * 1e6) as u64)
            }
        };
        let row = match operation {
            "" => row,
            operation => row.with("operation", operation),
        };
        let row = match put {
            "" => row,
            put => row.with("command", put),
        };
        sheet.add("", row, value, number)?;
    }
    Ok(())
}

fn row(title: &str, unit: &str, better: Better) -> Row {
    Row::new("mem_rd", title, unit, better)
}
