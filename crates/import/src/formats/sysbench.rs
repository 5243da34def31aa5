//! sysbench, of versions 0.4 to 1.1: memory, and the CPU, threads and mutex tests.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds, labelled, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "sysbench",
    what: "sysbench (memory, cpu, threads, mutex)",
    repeats: "sysbench runs",
    silent: "machine, compiler, or placement of the threads",
    roles: &[
        ("sysbench.", "test=threads", Roles::All(Role::SwitchAnyCpu)),
        ("sysbench.", "test=mutex", Roles::All(Role::SwitchAnyCpu)),
        ("sysbench.", "test=fileio", Roles::All(Role::FileDevice)),
        ("sysbench.memory", "", Roles::All(Role::MemoryBandwidth)),
        ("sysbench.", "test=cpu", Roles::All(Role::Compute)),
        ("sysbench.events", "", Roles::All(Role::Compute)),
    ],
    looks,
    part: Some(|line| {
        rate(line).is_some() || operations(line).is_some() || per_second(line).is_some()
    }),
    known: &[
        "sysbench ",
        "Number of threads",
        "Total operations",
        "Operations performed",
        "block size",
        "transfer size",
        "total size",
        "total time",
        "execution time",
        "events (avg",
        "prime numbers limit",
        "Prime numbers limit",
        "Maximum prime",
        "total number of events",
        "min:",
        "avg:",
        "max:",
        "sum:",
        "percentile",
        "avg/stddev",
        "random number",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "sysbench")
            || rate(line).is_some()
            || operations(line).is_some()
            || per_second(line).is_some()
    }) * 2
}

/// `100.00 MiB transferred (2109.38 MiB/sec)` as rate and unit.
fn rate(line: &str) -> Option<(f64, &str)> {
    let (_, rest) = line.split_once("transferred (")?;
    let (value, unit) = number_first(rest)?;
    let unit = unit.strip_suffix(')')?;
    unit.ends_with("/sec").then_some((value, unit))
}

/// `Total operations: 102400 (2160007.86 per second)` as its rate.
fn operations(line: &str) -> Option<f64> {
    let (label, rest) = line.split_once('(')?;
    let (value, unit) = number_first(rest)?;
    let named = holds(label, "operations");
    (named && (unit.starts_with("per second") || unit.starts_with("ops/sec"))).then_some(value)
}

/// `events per second:  1234.56`
fn per_second(line: &str) -> Option<f64> {
    after(line, "events per second:").and_then(plain)
}

/// Latencies by the labels of all versions: how the line begins, the title.
const LATENCIES: [(&str, &str); 4] = [
    ("min:", "latency min"),
    ("avg:", "latency avg"),
    ("max:", "latency max"),
    ("95th percentile:", "latency 95th percentile"),
];

/// A figure of a test that is not of memory: its title, value, unit, and whether more is better.
fn other(line: &str) -> Option<(&'static str, f64, &'static str, bool)> {
    if let Some(value) = per_second(line) {
        return Some(("events per second", value, "events/s", true));
    }
    if let Some(rest) = after(line, "total time:") {
        return Some(("total time", plain(rest.strip_suffix('s')?)?, "s", false));
    }
    if let Some(rest) = after(line, "total number of events:") {
        return Some(("total number of events", plain(rest)?, "events", true));
    }
    let row = |(begin, title): &(&str, &'static str)| {
        let rest = after(line, begin).or_else(|| after(line, &format!("approx.  {begin}")))?;
        Some((
            *title,
            plain(rest.strip_suffix("ms").unwrap_or(rest))?,
            "ms",
            false,
        ))
    };
    LATENCIES.iter().find_map(row)
}

/// The test that ran: `Doing CPU performance benchmark`, `CPU speed:`.
fn test_of(line: &str) -> Option<&'static str> {
    let tests = [
        ("CPU speed", "cpu"),
        ("Prime numbers limit", "cpu"),
        ("Doing CPU performance", "cpu"),
        ("Maximum prime number", "cpu"),
        ("Doing thread subsystem", "threads"),
        ("Doing mutex performance", "mutex"),
        ("File operations:", "fileio"),
    ];
    tests
        .iter()
        .find(|(begin, _)| after(line, begin).is_some())
        .map(|(_, test)| *test)
}

/// What the run was asked for, by parameter: the labels of all versions.
const OPTIONS: [(&str, &[&str]); 4] = [
    ("operation", &["operation:", "Memory operations type:"]),
    ("block", &["block size:", "Memory block size:"]),
    ("scope", &["scope:", "Memory scope type:"]),
    ("threads", &["Number of threads:"]),
];

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut options: [Option<&str>; OPTIONS.len()] = [None; OPTIONS.len()];
    let row = |name: &str, unit: &str, options: &[Option<&str>]| {
        let row = Row::new("sysbench", name, unit, Higher);
        let said = OPTIONS.iter().zip(options);
        said.fold(row, |row, ((name, _), value)| match value {
            Some(value) => row.with(name, value),
            None => row,
        })
    };
    // Operations a second are the same figure over the size of a block.
    let has_rates = text.lines().any(|(_, line)| rate(line).is_some());
    let mut test = "";
    // How many events there were follows from how long it ran, or the other way round; the rate says both.
    let has_rate = text.lines().any(|(_, line)| per_second(line).is_some());
    for (number, line) in text.lines() {
        if let Some(next) = test_of(line) {
            test = next;
        }
        if line.starts_with("sysbench ") || line.starts_with("Running the test") {
            options = [None; OPTIONS.len()];
        }
        for ((_, labels), value) in OPTIONS.iter().zip(&mut options) {
            if let Some(said) = labels.iter().find_map(|label| labelled(line, label)) {
                *value = Some(said);
            }
        }
        if let Some((value, unit)) = rate(line) {
            sheet.add("", row("memory transferred", unit, &options), value, number)?;
        } else if let Some(value) = operations(line).filter(|_| !has_rates) {
            sheet.add(
                "",
                row("memory operations", "ops/sec", &options),
                value,
                number,
            )?;
        } else if !has_rates && let Some((title, value, unit, more)) = other(line) {
            if has_rate && title.starts_with("total") {
                sheet.aside(number);
                continue;
            }
            let row = Row::new("sysbench", title, unit, if more { Higher } else { Lower });
            let row = if test.is_empty() {
                row
            } else {
                row.with("test", test)
            };
            let threads = options.last().copied().flatten();
            let row = threads.map_or(row.clone(), |count| row.with("threads", count));
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
