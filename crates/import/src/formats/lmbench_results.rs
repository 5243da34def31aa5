//! The result files that lmbench itself writes, one for each run.

use whyslow_model::Better::{self, Higher, Lower};

use crate::lmbench::curve::at_size;
use crate::lmbench::names::{FAMILY, of_line};
use crate::number::plain;
use crate::pattern::{after, at_colon, number_first};
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "lmbench-results",
    what: "result files of lmbench (results/<arch>-<os>/<host>.N)",
    repeats: "lmbench runs",
    silent: "processor, compiler, settings of the kernel, or the spread behind each figure",
    roles: super::lmbench::ROLES,
    looks,
    part: None,
    known: &[],
    read,
};

/// Units as lmbench writes them: the word, the symbol, which direction is good.
const UNITS: [(&str, &str, Better); 9] = [
    ("microseconds", "us", Lower),
    ("nanoseconds", "ns", Lower),
    ("milliseconds", "ms", Lower),
    ("MB/sec", "MB/s", Higher),
    ("KB/sec", "KB/s", Higher),
    ("MB/s", "MB/s", Higher),
    ("KB/s", "KB/s", Higher),
    ("pages", "pages", Higher),
    ("bytes", "B", Higher),
];

fn looks(text: &Text) -> usize {
    // Others print a label and a figure too.
    let sure = marks(text, |line| {
        let label = of_unit(line).map(|(label, ..)| label);
        line.starts_with("[lmbench") || is_ctx(line) || label.is_some_and(is_label)
    });
    if sure == 0 {
        return 0;
    }
    2 * sure
        + marks(text, |line| {
            of_unit(line).is_some_and(|(label, ..)| !is_label(label))
        })
}

/// Is it how a line of lmbench begins?
fn is_label(label: &str) -> bool {
    const BEGINNINGS: [&str; 18] = [
        "Simple ",
        "Select on ",
        "Signal handler ",
        "Protection fault",
        "Pipe latency",
        "Pipe bandwidth",
        "AF_UNIX ",
        "Process fork",
        "Pagefaults on ",
        "Faults on ",
        "File ",
        "UDP latency",
        "TCP latency",
        "TCP/IP ",
        "RPC/",
        "Socket bandwidth",
        "integer ",
        "STREAM ",
    ];
    BEGINNINGS.iter().any(|begin| label.starts_with(begin))
}

/// A line `Label: 1.5 microseconds` in parts.
fn of_unit(line: &str) -> Option<(&str, f64, &'static str, Better)> {
    let (label, rest) = at_colon(line)?;
    let (value, unit) = number_first(rest)?;
    let mut words = unit.split_whitespace();
    let unit = words.next()?;
    // A second figure of the same kind is a column of another table.
    if words.any(|word| word == unit) {
        return None;
    }
    let (_, symbol, better) = UNITS.iter().find(|(word, ..)| *word == unit)?;
    let known = label.len() > 2 && label.starts_with(|c: char| c.is_ascii_alphabetic());
    known.then_some((label, value, *symbol, *better))
}

fn is_ctx(line: &str) -> bool {
    line.starts_with("\"size=")
}

/// What the lines `size value` that follow a heading mean.
#[derive(Clone)]
enum Block {
    /// Nothing known: no heading yet, or one behind which there are no figures.
    None,
    /// Processes and switch time, at a working set of this size.
    Switches(String),
    /// File size, files, creates and deletes a second.
    Files,
    /// Megabytes and a latency or bandwidth under the heading's name.
    Sizes(Row),
    /// The same where it is a latency curve, whose sizes are of 2^20 bytes.
    Curve(Row),
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut system = String::new();
    let mut block = Block::None;
    let mut load = "";
    let numbered = is_numbered(text);
    let mut section = "";
    for (number, line) in text.lines() {
        if let Some(rest) = line.strip_prefix("[lmbench") {
            sheet.aside(number);
            system = host_of(rest);
            block = Block::None;
            if let Some(kernel) = kernel_of(rest) {
                sheet.state(&system, "kernel", kernel);
            }
        } else if numbered && is_number(line) {
            sheet.aside(number);
            section = line.trim();
        } else if line.starts_with('[') || line.is_empty() {
            // What the run was told, and its date.
            sheet.aside(number);
            block = Block::None;
        } else if let Some((label, value, symbol, better)) = of_unit(line) {
            let row = of_line(&short(label), symbol, better);
            sheet.add(&system, in_section(row, section), value, number)?;
        } else if let Some((label, rest)) =
            at_colon(line).filter(|(label, _)| label.ends_with("parallelism"))
        {
            if let Some(value) = plain(rest) {
                let row = Row::new(FAMILY, label, "", Higher);
                sheet.add(&system, row, value, number)?;
            }
        } else if line.starts_with("Memory load latency") || line.starts_with("Random load latency")
        {
            load = if line.starts_with('M') {
                "strided"
            } else {
                "random"
            };
            block = Block::None;
        } else if let Some(next) = heading(line, load) {
            sheet.aside(number);
            block = next;
        } else {
            figure(line, number, &block, &system, sheet)?;
        }
    }
    Ok(())
}

/// Is the line a number alone, such as that of the core that the next run was put on?
fn is_number(line: &str) -> bool {
    let number = line.trim();
    !number.is_empty() && number.len() <= 5 && number.bytes().all(|b| b.is_ascii_digit())
}

/// Do numbers alone stand above the same lines again and again?
fn is_numbered(text: &Text) -> bool {
    let mut lines = text
        .lines()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().is_some_and(|(_, line)| is_number(line));
    first && lines.all(|(_, line)| is_number(line) || of_unit(line).is_some())
}

/// The row of the part that a number begins. Its name has the number in front, as the page has it above.
fn in_section(mut row: Row, section: &str) -> Row {
    if section.is_empty() {
        return row;
    }
    row.title = format!("{section} {}", row.title);
    row.with("section", section)
}

/// `2.4.23` from `3.0 results for Linux ds10 2.4.23 #1 ...]`.
fn kernel_of(rest: &str) -> Option<&str> {
    let (_, host) = rest.split_once("for Linux ")?;
    host.split_whitespace()
        .nth(1)
        .map(|word| word.trim_end_matches(']'))
}

/// `ds10 Linux 2.4.23` from `3.0 results for Linux ds10 2.4.23 #1 ...]`.
fn host_of(rest: &str) -> String {
    let mut words = rest.split_whitespace().skip_while(|w| *w != "for").skip(1);
    let (kind, host, release) = (words.next(), words.next(), words.next());
    let words = [host, kind, release].into_iter().flatten();
    let words: Vec<&str> = words.map(|w| w.trim_end_matches(']')).collect();
    words.join(" ")
}

/// A label without the name of the file that was used.
fn short(label: &str) -> String {
    let words = label.split_whitespace();
    let words: Vec<&str> = words.filter(|w| !w.starts_with('/')).collect();
    words.join(" ")
}

fn heading(line: &str, load: &str) -> Option<Block> {
    if let Some(rest) = line.strip_prefix("\"size=") {
        let size = rest.split_whitespace().next().unwrap_or_default();
        return Some(Block::Switches(size.to_ascii_uppercase()));
    }
    if let Some(stride) = line.strip_prefix("\"stride=") {
        let row = Row::new(FAMILY, "memory load latency", "ns", Lower);
        let row = if load.is_empty() {
            row
        } else {
            row.with("order", load)
        };
        return Some(Block::Curve(row.with("stride", stride)));
    }
    if line.starts_with("\"File system latency") {
        return Some(Block::Files);
    }
    if line.starts_with("\"mappings") {
        return Some(Block::Sizes(Row::new(FAMILY, "mappings", "us", Lower)));
    }
    let name = line.trim_start_matches('"');
    if name == "Memory load parallelism" {
        return Some(Block::Sizes(Row::new(FAMILY, name, "", Higher)));
    }
    let bandwidth = ["bandwidth", "bcopy"]
        .iter()
        .any(|word| name.contains(word));
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (bandwidth && begins && !name.contains(':'))
        .then(|| Block::Sizes(Row::new(FAMILY, name, "MB/s", Higher)))
}

fn figure(
    line: &str,
    number: usize,
    block: &Block,
    system: &str,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match (block, words.as_slice()) {
        (Block::Switches(size), [procs, time]) => {
            if let (Some(_), Some(time)) = (plain(procs), plain(time)) {
                let title = format!("{procs}p/{size} ctxsw");
                let row = Row::new(FAMILY, &title, "us", Lower).id(FAMILY, "ctxsw");
                let row = row.with("procs", procs).with("size", size);
                sheet.add(system, row, time, number)?;
            }
        }
        (Block::Files, [size, _, creates, deletes])
            if after(size, "0").is_some() || size.ends_with('k') =>
        {
            // -1 is what lmbench prints where it has no figure.
            if [creates, deletes]
                .iter()
                .all(|w| plain(w).is_none_or(|v| v < 0.0))
            {
                sheet.refuse(number, "no figure in it");
            }
            for (what, value) in [("creates", creates), ("deletes", deletes)] {
                if let Some(value) = plain(value).filter(|v| *v >= 0.0) {
                    let row = Row::new(FAMILY, &format!("file {what}"), "files/s", Higher);
                    sheet.add(system, row.with("size", &slug(size)), value, number)?;
                }
            }
        }
        (Block::Curve(row), [size, value]) => {
            if let (Some(mb), Some(value)) = (plain(size), plain(value)) {
                sheet.add(system, at_size(row.clone(), size, mb), value, number)?;
            }
        }
        (Block::Sizes(row), [size, value] | [size, value, "MB/sec"]) => {
            if let (Some(_), Some(value)) = (plain(size), plain(value)) {
                let row = row.clone().with("size", &format!("{size}MB"));
                sheet.add(system, row, value, number)?;
            }
        }
        // Programs' own messages stand between the results.
        _ => {}
    }
    Ok(())
}
