//! Intel Memory Latency Checker: its matrices, peak bandwidths, loaded latencies and transfers.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{holds, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "mlc",
    what: "Intel Memory Latency Checker",
    repeats: "mlc runs",
    silent: "processor, kernel, or whether the prefetchers were off",
    roles: &[
        ("mlc.", "latency", Roles::All(Role::MemoryLatency)),
        ("mlc.", "", Roles::All(Role::MemoryBandwidth)),
    ],
    looks,
    part: Some(|line| holds(line, "Memory Latency Checker") || section(line).is_some()),
    known: &[
        "Memory Latency Checker",
        "Bandwidths are in",
        "Using buffer",
        "Command line",
        "Each iteration took",
    ],
    read,
};

const FAMILY: &str = "mlc";

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "Memory Latency Checker") || section(line).is_some()
    }) * 3
}

/// What the lines below a heading are.
#[derive(Clone, Copy)]
enum Section {
    /// Rows and columns are memory nodes.
    Matrix(&'static str, &'static str, Better),
    /// `ALL Reads        :      93611.4`
    Peaks,
    /// Delay, latency, bandwidth.
    Loaded,
    /// `Local Socket L2->L2 HIT  latency   43.0`, and matrices by writer and reader.
    Transfers,
    /// `Each iteration took 188.9 core clocks ( 90.8 ns)`
    Idle,
}

fn section(line: &str) -> Option<Section> {
    let headings = [
        (
            "Measuring idle latencies (in ns)",
            Section::Matrix("idle latency", "ns", Lower),
        ),
        ("Measuring Peak Injection", Section::Peaks),
        (
            "Measuring Memory Bandwidths between",
            Section::Matrix("bandwidth", "MB/s", Higher),
        ),
        ("Measuring Loaded Latencies", Section::Loaded),
        ("Measuring cache-to-cache", Section::Transfers),
        ("Each iteration took", Section::Idle),
    ];
    let found = headings.iter().find(|(words, _)| holds(line, words));
    found.map(|(_, section)| *section)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut now: Option<Section> = None;
    let mut nodes: Vec<&str> = Vec::new();
    let mut transfer = String::new();
    for (number, line) in text.lines() {
        if let Some(next) = section(line) {
            (now, nodes, transfer) = (Some(next), Vec::new(), String::new());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match now {
            Some(Section::Matrix(name, unit, better)) => {
                let row = || Row::new(FAMILY, name, unit, better);
                let read = matrix(&words, number, &mut nodes, ("from", "to"), &row, sheet);
                sheet.judge(read)?;
            }
            Some(Section::Peaks) => {
                if let Some((name, value)) = line.rsplit_once(':')
                    && let Some(value) = plain(value.trim())
                {
                    let name = format!("peak bandwidth {}", name.trim());
                    sheet.add("", Row::new(FAMILY, &name, "MB/s", Higher), value, number)?;
                }
            }
            Some(Section::Loaded) => loaded(&words, number, sheet)?,
            Some(Section::Transfers) => {
                if let Some((value, name)) = words.split_last()
                    && !name.is_empty()
                    && holds(line, "latency")
                {
                    transfer = words.join(" ");
                    nodes.clear();
                    if let Some(value) = plain(value) {
                        let row = Row::new(FAMILY, &name.join(" "), "ns", Lower);
                        sheet.add("", row, value, number)?;
                    }
                } else if !transfer.is_empty() {
                    let row = || Row::new(FAMILY, &transfer, "ns", Lower);
                    let names = ("writer", "reader");
                    let read = matrix(&words, number, &mut nodes, names, &row, sheet);
                    sheet.judge(read)?;
                }
            }
            Some(Section::Idle) => {
                if let Some((_, rest)) = line.split_once('(')
                    && let Some((value, "ns)")) = number_first(rest)
                {
                    let row = Row::new(FAMILY, "idle latency", "ns", Lower);
                    sheet.add("", row, value, number)?;
                }
                now = None;
            }
            None => {}
        }
    }
    Ok(())
}

/// One line of a matrix of nodes: its header (`Numa node  0  1`) or a row (`0  89.2  139.5`).
fn matrix<'a>(
    words: &[&'a str],
    line: usize,
    nodes: &mut Vec<&'a str>,
    names: (&str, &str),
    row: &dyn Fn() -> Row,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(());
    };
    let is_node = |w: &str| w.bytes().all(|b| b.is_ascii_digit());
    if !is_node(first) {
        if ["Numa", "Memory", "Socket", "Reader", "Writer"].contains(first) {
            let numbers: Vec<&str> = words.iter().copied().filter(|w| is_node(w)).collect();
            if !numbers.is_empty() {
                sheet.aside(line);
                *nodes = numbers;
            }
        }
        return Ok(());
    }
    if nodes.is_empty() || rest.is_empty() {
        return Ok(());
    }
    if rest.len() != nodes.len() {
        let why = format!("{} figures for {} nodes", rest.len(), nodes.len());
        return Err(Fault::at(
            line,
            format!("{why}; the row is cut short or broken"),
        ));
    }
    for (to, cell) in nodes.iter().zip(rest) {
        if *cell == "-" {
            continue;
        }
        let value = plain(cell).ok_or_else(|| {
            let cell = crate::error::quote(cell);
            Fault::at(
                line,
                format!("'{cell}' is no number of a matrix; take the row out"),
            )
        })?;
        let row = row().with(names.0, first).with(names.1, to);
        sheet.add("", row, value, line)?;
    }
    Ok(())
}

/// ` 00000  249.93   106542.5`
fn loaded(words: &[&str], line: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let [delay, latency, bandwidth] = words else {
        return Ok(());
    };
    let (Some(latency), Some(bandwidth)) = (plain(latency), plain(bandwidth)) else {
        return Ok(());
    };
    if !delay.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(());
    }
    let latency_row = Row::new(FAMILY, "loaded latency", "ns", Lower);
    sheet.add("", latency_row.with("delay", delay), latency, line)?;
    let bandwidth_row = Row::new(FAMILY, "loaded bandwidth", "MB/s", Higher);
    sheet.add("", bandwidth_row.with("delay", delay), bandwidth, line)
}
