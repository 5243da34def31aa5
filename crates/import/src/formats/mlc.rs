//! Intel Memory Latency Checker: its matrices, peak bandwidths, loaded latencies and transfers.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::matrix::{OfCell, is_node, matrix};
use crate::number::plain;
use crate::pattern::{after, holds, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "mlc",
    what: "Intel Memory Latency Checker",
    repeats: "mlc runs",
    silent: "processor, kernel, or whether the prefetchers were off",
    roles: &[
        ("mlc.local_socket", "", Roles::All(Role::CoreToCore)),
        ("mlc.remote_socket", "", Roles::All(Role::CoreToCore)),
        (
            "mlc.idle_latency{",
            "from=",
            Roles::ByParams(OWN_LATENCY, Role::Numa),
        ),
        (
            "mlc.bandwidth{",
            "from=",
            Roles::ByParams(OWN_BANDWIDTH, Role::Numa),
        ),
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

/// Nodes of which a matrix may have that of a node's own memory.
macro_rules! own {
    ($role:expr; $($node:literal)+) => {
        &[$((&[("from", $node), ("to", $node)], $role)),+]
    };
}
type ByNodes = &'static [(&'static [(&'static str, &'static str)], Role)];
const OWN_LATENCY: ByNodes =
    own!(Role::MemoryLatency; "0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11");
const OWN_BANDWIDTH: ByNodes =
    own!(Role::MemoryBandwidth; "0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11");

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "Memory Latency Checker") || section(line).is_some()
    }) * 3
        + marks(text, |line| {
            is_matrix_header(line) || is_loaded_header(line)
        })
}

/// What the lines below a heading are.
#[derive(Clone, Copy)]
enum Section {
    /// Rows and columns are memory nodes.
    Matrix(&'static Measured),
    /// The same where its heading is not there.
    Unnamed,
    /// `ALL Reads        :      93611.4`
    Peaks,
    /// Delay, latency, bandwidth.
    Loaded,
    /// `Local Socket L2->L2 HIT  latency   43.0`, and matrices by writer and reader.
    Transfers,
    /// `Each iteration took 188.9 core clocks ( 90.8 ns)`
    Idle,
}

/// What a matrix holds.
struct Measured {
    /// As the tool calls it.
    title: &'static str,
    id: &'static str,
    unit: &'static str,
    better: Better,
}

impl Measured {
    fn row(&self, from: &str, to: &str) -> Row {
        let row = Row::new(
            FAMILY,
            &format!("{}, {from} {to}", self.title),
            self.unit,
            self.better,
        );
        row.id(FAMILY, self.id)
    }
}

static LATENCIES: Measured = Measured {
    title: "idle latencies",
    id: "idle_latency",
    unit: "ns",
    better: Lower,
};

static BANDWIDTHS: Measured = Measured {
    title: "Memory Bandwidths",
    id: "bandwidth",
    unit: "MB/s",
    better: Higher,
};

/// Latencies in nanoseconds are below it and bandwidths in MB/s above, whatever the memory is.
const LATENCY_BELOW: f64 = 2000.0;

fn section(line: &str) -> Option<Section> {
    let headings = [
        ("Measuring idle latenc", Section::Matrix(&LATENCIES)),
        ("Measuring Peak", Section::Peaks),
        (
            "Measuring Memory Bandwidths between",
            Section::Matrix(&BANDWIDTHS),
        ),
        ("Measuring Loaded Latenc", Section::Loaded),
        ("Measuring cache-to-cache", Section::Transfers),
        ("Each iteration took", Section::Idle),
    ];
    let found = headings.iter().find(|(words, _)| holds(line, words));
    found.map(|(_, section)| *section)
}

/// What a line is the first of where its heading was cut off, behind the lines of `now`.
fn headless(line: &str, now: Option<Section>) -> Option<Section> {
    let in_matrix = matches!(
        now,
        Some(Section::Matrix(_) | Section::Unnamed | Section::Transfers)
    );
    if is_matrix_header(line) {
        (!in_matrix).then_some(Section::Unnamed)
    } else if is_loaded_header(line) {
        Some(Section::Loaded)
    } else if after(line, "ALL Reads").is_some() {
        Some(Section::Peaks)
    } else if holds(line, "Socket L") && holds(line, "latency") {
        Some(Section::Transfers)
    } else {
        None
    }
}

/// `Numa node   0   1`
fn is_matrix_header(line: &str) -> bool {
    let nodes = after(line, "Numa node");
    nodes.is_some_and(|nodes| !nodes.is_empty() && nodes.split_whitespace().all(is_node))
}

/// `Inject  Latency  Bandwidth`
fn is_loaded_header(line: &str) -> bool {
    after(line, "Inject").is_some_and(|rest| after(rest, "Latency").is_some())
}

/// What is known of the lines that follow.
#[derive(Default)]
struct State<'a> {
    section: Option<Section>,
    /// The columns of the matrix, once its header was there.
    nodes: Vec<&'a str>,
    /// Which transfers a matrix is of.
    transfer: String,
    /// The options of the run, where runs of the file differ in nothing else.
    options: &'a str,
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut state = State::default();
    let apart = differ_in_options(text);
    for (number, line) in text.lines() {
        if let Some(options) = options_of(line).filter(|_| apart) {
            state = State {
                options,
                ..State::default()
            };
        }
        let begins = section(line).or_else(|| headless(line, state.section));
        if let Some(next) = begins {
            state = State {
                section: Some(next),
                options: state.options,
                ..State::default()
            };
        }
        self::line(line, number, &mut state, sheet)?;
    }
    Ok(())
}

/// What a run was asked for: `Command line parameters: --idle_latency -c0 -j1`
fn options_of(line: &str) -> Option<&str> {
    after(line, "Command line parameters:").filter(|options| !options.is_empty())
}

/// Does the file have the same test with several options?
fn differ_in_options(text: &Text) -> bool {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    let mut options = "";
    for (_, line) in text.lines() {
        if let Some(found) = options_of(line) {
            options = found;
        } else if section(line).is_some() {
            let test = line.get(..TEST).unwrap_or(line);
            if seen
                .iter()
                .any(|(other, its)| *other == test && *its != options)
            {
                return true;
            }
            if seen.len() < MOST_RUNS {
                seen.push((test, options));
            }
        }
    }
    false
}

/// So many bytes of a heading tell which test it is: figures stand behind.
const TEST: usize = 19;

/// Runs of one file that are held against each other.
const MOST_RUNS: usize = 100;

/// A row of a matrix of the nodes that load against those that have the memory.
fn nodes_row<'a>(
    words: &[&'a str],
    number: usize,
    nodes: &mut Vec<&'a str>,
    row: OfCell<'_>,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let read = matrix(words, number, nodes, ("from", "to"), row, sheet);
    sheet.judge(read)
}

fn line<'a>(
    line: &'a str,
    number: usize,
    state: &mut State<'a>,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match state.section {
        Some(Section::Matrix(measured)) => {
            let options = state.options;
            let row = |from: &str, to: &str, _| with_options(measured.row(from, to), options);
            nodes_row(&words, number, &mut state.nodes, &row, sheet)
        }
        Some(Section::Unnamed) => {
            let row = |from: &str, to: &str, value| match value < LATENCY_BELOW {
                true => LATENCIES.row(from, to),
                false => BANDWIDTHS.row(from, to),
            };
            nodes_row(&words, number, &mut state.nodes, &row, sheet)
        }
        Some(Section::Peaks) => peak(line, number, state.options, sheet),
        Some(Section::Loaded) => loaded(&words, number, state.options, sheet),
        Some(Section::Transfers) => transfer(line, &words, number, state, sheet),
        Some(Section::Idle) => {
            state.section = None;
            idle(line, number, state.options, sheet)
        }
        None => Ok(()),
    }
}

/// `row`, kept apart from that of other options.
fn with_options(row: Row, options: &str) -> Row {
    match options {
        "" => row,
        options => row.with("options", options),
    }
}

/// `ALL Reads        :      93611.4`
fn peak(line: &str, number: usize, options: &str, sheet: &mut Sheet) -> Result<(), Fault> {
    if let Some((name, value)) = line.rsplit_once(':')
        && let Some(value) = plain(value.trim())
    {
        let name = format!("peak bandwidth {}", name.trim());
        let row = with_options(Row::new(FAMILY, &name, "MB/s", Higher), options);
        sheet.add("", row, value, number)?;
    }
    Ok(())
}

/// `Each iteration took 188.9 core clocks ( 90.8 ns)`
fn idle(line: &str, number: usize, options: &str, sheet: &mut Sheet) -> Result<(), Fault> {
    if let Some((_, rest)) = line.split_once('(')
        && let Some((value, "ns)")) = number_first(rest)
    {
        let row = Row::new(FAMILY, "idle latency", "ns", Lower);
        sheet.add("", with_options(row, options), value, number)?;
    }
    Ok(())
}

/// A transfer with its figure, the heading of a matrix of transfers, or a line of that.
fn transfer<'a>(
    line: &str,
    words: &[&'a str],
    number: usize,
    state: &mut State<'a>,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    if let Some((value, name)) = words.split_last()
        && !name.is_empty()
        && holds(line, "latency")
    {
        state.transfer = words.join(" ");
        state.nodes.clear();
        return match plain(value) {
            Some(value) => {
                let row = Row::new(FAMILY, &name.join(" "), "ns", Lower);
                sheet.add("", row, value, number)
            }
            None => Ok(()),
        };
    }
    if state.transfer.is_empty() {
        return Ok(());
    }
    let name = state.transfer.clone();
    let row = |_: &str, _: &str, _| Row::new(FAMILY, &name, "ns", Lower);
    let names = ("writer", "reader");
    let read = matrix(words, number, &mut state.nodes, names, &row, sheet);
    sheet.judge(read)
}

/// ` 00000  249.93   106542.5`
fn loaded(words: &[&str], line: usize, options: &str, sheet: &mut Sheet) -> Result<(), Fault> {
    let [delay, latency, bandwidth] = words else {
        return Ok(());
    };
    let (Some(latency), Some(bandwidth)) = (plain(latency), plain(bandwidth)) else {
        return Ok(());
    };
    if !delay.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(());
    }
    let latency_row = with_options(Row::new(FAMILY, "loaded latency", "ns", Lower), options);
    sheet.add("", latency_row.with("delay", delay), latency, line)?;
    let bandwidth_row = with_options(
        Row::new(FAMILY, "loaded bandwidth", "MB/s", Higher),
        options,
    );
    sheet.add("", bandwidth_row.with("delay", delay), bandwidth, line)
}
