//! STREAM, as its C and Fortran versions print it.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::stream_table::Header;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "stream",
    what: "STREAM and BabelStream (Copy, Scale, Add, Triad)",
    repeats: "STREAM runs",
    silent: "machine, compiler and its flags, kind of stores, or placement of the threads",
    roles: &[("stream.", "", Roles::All(Role::MemoryBandwidth))],
    looks,
    part: Some(is_part),
    known: &[
        "Array size",
        "Version:",
        "Offset",
        "Total memory required",
        "Memory per array",
        "Each kernel",
        "Each test",
        "granularity",
        "clock ticks",
        "Number of Threads",
        "STREAM version",
        "Failed Validation",
        "Validates",
        "bytes per",
        "Function",
        "times",
    ],
    read,
};

const KERNELS: [&str; 7] = ["Copy", "Scale", "Add", "Triad", "Mul", "Dot", "Nstream"];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        is_header(line) || holds(line, "STREAM version")
    }) * 3
        + marks(text, |line| Header::of(line).is_some()) * 2
        + marks(text, |line| figures(line, false).is_some())
}

/// A line that begins or is a STREAM run.
fn is_part(line: &str) -> bool {
    is_header(line) || holds(line, "STREAM version") || after(line, "Array size =").is_some()
}

/// `Function    Best Rate MB/s  Avg time     Min time     Max time`, in all its spellings; of BabelStream
/// `Function    MBytes/sec  Min (sec)   Max         Average`.
fn is_header(line: &str) -> bool {
    after(line, "Function").is_some_and(|rest| {
        (holds(rest, "Rate") && holds(rest, "time"))
            || (after(rest, "MBytes/sec").is_some() && holds(rest, "Average"))
    })
}

/// What the times behind a rate are.
type Times = [&'static str; 3];

/// As the current version has them.
const TIMES: Times = ["Avg time", "Min time", "Max time"];

/// The same by the header.
fn times_of(header: &str) -> Times {
    if holds(header, "MBytes/sec") {
        ["Min time", "Max time", "Avg time"]
    } else if holds(header, "RMS") {
        ["RMS time", "Min time", "Max time"]
    } else {
        TIMES
    }
}

/// What sets runs of one file apart.
#[derive(Default, Clone, Copy)]
struct Run<'a> {
    array: &'a str,
    threads: &'a str,
    /// Of its table, once its header was there.
    times: Option<Times>,
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let several = several_threads(text);
    let mut run = Run::default();
    let mut commands = Commands::of(text);
    let mut table: Option<Header> = None;
    for (number, line) in text.lines() {
        commands.at(line);
        if let Some(header) = Header::of(line) {
            sheet.aside(number);
            table = Some(header);
            continue;
        }
        if let Some(rest) = after(line, "Array size =") {
            run.array = rest.split([' ', ',']).next().unwrap_or_default();
        } else if let Some(threads) = threads_of(line) {
            // One number for the whole file is a fact of the side: files of other numbers have the same rows.
            sheet.state("", "copies", threads);
            run.threads = if several { threads } else { "" };
        } else if let Some(flags) = after(line, "CFLAGS =") {
            sheet.state("", "flags", flags);
        } else if is_header(line) {
            run.times = Some(times_of(line));
        } else if let Some(figures) = figures(line, run.times.is_some()) {
            add(&figures, run, &commands, number, sheet)?;
        } else if let Some(table) = &table {
            let read = table.row(line, number, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}

/// Are there runs of different numbers of threads?
fn several_threads(text: &Text) -> bool {
    let mut numbers = text.lines().filter_map(|(_, line)| threads_of(line));
    let first = numbers.next();
    first.is_some_and(|first| numbers.any(|other| other != first))
}

fn add(
    figures: &Figures,
    run: Run,
    commands: &Commands,
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let row = |title: &str, unit: &str, better| {
        let row = Row::new("stream", title, unit, better);
        let sets = [("array", run.array), ("threads", run.threads)];
        let said = sets.into_iter().filter(|(_, value)| !value.is_empty());
        commands.on(said.fold(row, |row, (name, value)| row.with(name, value)))
    };
    sheet.add(
        "",
        row(figures.kernel, "MB/s", Higher),
        figures.rate,
        number,
    )?;
    let names = run.times.unwrap_or(TIMES);
    for (what, time) in names.into_iter().zip(figures.times) {
        let title = format!("{} {what}", figures.kernel);
        sheet.add("", row(&title, "s", Lower), time, number)?;
    }
    Ok(())
}

/// `Number of Threads counted = 2`, which counts, over `requested`.
fn threads_of(line: &str) -> Option<&str> {
    let rest = after(line, "Number of Threads counted")?;
    rest.trim_start_matches([' ', '='])
        .split_whitespace()
        .next()
}

/// `Copy:   12345.6   0.01   0.01   0.01` in parts.
struct Figures {
    kernel: &'static str,
    rate: f64,
    times: [f64; 3],
}

/// Below a header the name needs no colon.
fn figures(line: &str, in_table: bool) -> Option<Figures> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, rest) = words.split_first()?;
    let name = match name.strip_suffix(':') {
        Some(name) => name,
        None if in_table => name,
        None => return None,
    };
    let kernel = *KERNELS.iter().find(|k| k.eq_ignore_ascii_case(name))?;
    // Of which nodes it was, `0->0`, says no figure.
    let rest = match rest.split_first() {
        Some((nodes, rest)) if nodes.contains("->") => rest,
        _ => rest,
    };
    let values: Option<Vec<f64>> = rest.iter().map(|w| plain(w)).collect();
    match values?.as_slice() {
        [rate, times @ ..] => Some(Figures {
            kernel,
            rate: *rate,
            times: times.try_into().ok()?,
        }),
        [] => None,
    }
}
