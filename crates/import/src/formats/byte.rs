//! BYTE benchmarks 3 and 4 and UnixBench 4 to 6: reports, index tables, and tables of several systems.

use std::collections::HashSet;

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::byte_facts;
use crate::byte_table::{self, not_a_number};
use crate::direction::{of_unit, of_words};
use crate::grid;
use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "byte",
    what: "reports of BYTE benchmarks 3 and 4 and UnixBench 4 to 6, and tables of their rows",
    repeats: "BYTE runs",
    silent: "compiler and its flags, placement on CPUs, or the spread of the passes",
    roles: ROLES,
    looks,
    part: Some(is_part),
    known: &[
        "BYTE UNIX Benchmarks",
        "Benchmark Run:",
        "bogomips",
        "load average",
        "interactive users",
        "CPUs in system",
        "runlevel",
        "Machine:",
        "Filesystem:",
        "/dev/",
        "samples)",
    ],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
    ("byte.", "hrystone", Roles::All(Role::Compute)),
    ("byte.", "whetstone", Roles::All(Role::Compute)),
    ("byte.arithmetic", "", Roles::All(Role::Compute)),
    ("byte.", "hanoi", Roles::All(Role::Compute)),
    ("byte.system_call", "", Roles::All(Role::SystemCall)),
    // Writes and reads of one process: two calls and a small copy.
    ("byte.pipe_throughput", "", Roles::All(Role::SystemCall)),
    ("byte.pipe_based", "", Roles::All(Role::SwitchAnyCpu)),
    ("byte.process_creation", "", Roles::All(Role::Fork)),
    ("byte.execl", "", Roles::All(Role::ProgramStart)),
    ("byte.file_read", "", Roles::All(Role::FileCached)),
    ("byte.file_", "", Roles::All(Role::FileDevice)),
    ("byte.c_compiler", "", Roles::All(Role::Programs)),
    ("byte.shell", "", Roles::All(Role::Programs)),
    ("byte.dc_", "", Roles::All(Role::Programs)),
];

/// How the names of its rows begin, in all versions, with the unit where it is not loops a second.
const NAMES: [(&str, &str); 22] = [
    ("Dhrystone 2", "lps"),
    ("Double-Precision Whetstone", "MWIPS"),
    ("Arithmetic Test", "lps"),
    ("Arithoh", "lps"),
    ("System Call Overhead", "lps"),
    ("Exec System Call Overhead", "lps"),
    ("Pipe Throughput", "lps"),
    ("Pipe-based Context Switching", "lps"),
    ("Process Creation", "lps"),
    ("Execl Throughput", "lps"),
    ("File Read", "KBps"),
    ("File Write", "KBps"),
    ("File Copy", "KBps"),
    ("C Compiler", "lpm"),
    ("Shell scripts", "lpm"),
    ("Dc: sqrt(2)", "lpm"),
    ("Recursion Test", "lps"),
    ("Grep a large file", "lpm"),
    ("Numeric sort", "lps"),
    ("2D graphics", "score"),
    ("3D graphics", "fps"),
    ("Select Test", "lps"),
];

/// Names of the last line of an index table.
const SCORES: [&str; 4] = ["FINAL SCORE", "Index Score", "SUM of", "AVERAGE"];

fn unit_of(name: &str) -> Option<&'static str> {
    let known = NAMES.iter().find(|(begin, _)| after(name, begin).is_some());
    known.map(|(_, unit)| *unit)
}

fn looks(text: &Text) -> usize {
    let named = |line: &str| {
        let line = line.trim_start_matches(['|', ' ', '"']);
        unit_of(line).is_some() || line.starts_with("Concurrency,")
    };
    marks(text, named) * 2
}

/// A line that begins a report, or one of its rows.
fn is_part(line: &str) -> bool {
    let line = line.trim_start_matches(['|', ' ', '"', '*', '`']);
    let begins = [
        "BYTE UNIX Benchmarks",
        "Benchmark Run:",
        "System -- ",
        "Concurrency,",
    ];
    unit_of(line).is_some() || begins.iter().any(|begin| after(line, begin).is_some())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if text
        .lines()
        .any(|(_, line)| line.starts_with("Concurrency,"))
    {
        return read_csv(text, sheet);
    }
    let is_report = text.lines().any(|(n, line)| {
        raw(line).is_some()
            || raw_broken(line, text.line(n + 1)).is_some()
            || index_columns(line).is_some()
    });
    if is_report {
        read_report(text, sheet)
    } else {
        byte_table::read(text, sheet, unit_of, |name, unit, which| {
            let row = row(name, unit, "");
            if which.is_empty() {
                row
            } else {
                row.with("column", which)
            }
        })
    }
}

/// `Pipe Throughput   12345.6 lps   (10.0 s, 7 samples)` in parts: name, value, unit.
fn raw(line: &str) -> Option<(&str, f64, &str)> {
    let (front, passes) = line.trim_end().rsplit_once('(')?;
    if !passes.ends_with("samples)") && !passes.ends_with("sample)") {
        return None;
    }
    figure_before(front)
}

/// The same where a mail program put the end of the line on the next, `next`.
fn raw_broken<'a>(line: &'a str, next: &str) -> Option<(&'a str, f64, &'a str)> {
    let (front, passes) = line.trim_end().rsplit_once('(')?;
    let ends = ["samples)", "sample)"].contains(&next.trim());
    let timed = passes.contains("sec") || passes.contains(" s,");
    (ends && timed && !passes.contains(')')).then(|| figure_before(front))?
}

/// `Pipe Throughput   12345.6 lps` in parts.
fn figure_before(front: &str) -> Option<(&str, f64, &str)> {
    let (front, unit) = front.trim_end().rsplit_once(char::is_whitespace)?;
    let (name, value) = front.trim_end().rsplit_once(char::is_whitespace)?;
    Some((name.trim(), plain(value)?, unit))
}

/// Is it the header of an index table? Then the number of its columns behind the name.
fn index_columns(line: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [.., "BASELINE", "RESULT", "INDEX"] => Some(3),
        _ => None,
    }
}

/// What is known of the rows that follow in a report.
#[derive(Default)]
struct State {
    system: String,
    /// How many copies ran at once, where runs of the file differ in that.
    copies: String,
    /// Rows that had their raw line in this run; the index table prints the same figure again.
    printed: HashSet<String>,
    in_index: bool,
}

fn read_report(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let several = several_copies(text);
    let mut state = State::default();
    for (number, line) in text.lines() {
        let next = text.line(number + 1);
        if let Some(name) = system_of(line) {
            sheet.aside(number);
            if name.0 {
                state = State {
                    system: name.1,
                    ..State::default()
                };
            } else {
                state.system = format!("{} {}", state.system, name.1);
            }
        } else if let Some(copies) = copies_of(line) {
            sheet.aside(number);
            // One number for the whole file is a fact of the side: files of other numbers have the same rows.
            sheet.state("", "copies", copies);
            state.copies = if several { copies } else { "" }.to_owned();
            state.printed.clear();
        } else if index_columns(line).is_some() {
            sheet.aside(number);
            state.in_index = true;
        } else if let Some((name, value, unit)) = raw(line).or_else(|| raw_broken(line, next)) {
            state.in_index = false;
            state.printed.insert(name.to_owned());
            sheet.add(&state.system, row(name, unit, &state.copies), value, number)?;
        } else if state.in_index {
            let read = index_line(line, number, &state, sheet);
            sheet.judge(read)?;
        }
        byte_facts::state(line, sheet);
    }
    Ok(())
}

/// The number of copies in `running 8 parallel copies of tests`.
fn copies_of(line: &str) -> Option<&str> {
    let (_, running) = line.split_once("running ")?;
    let mut words = running.split_whitespace();
    let count = words.next().filter(|count| plain(count).is_some())?;
    words
        .next()
        .is_some_and(|word| word == "parallel")
        .then_some(count)
}

/// Are there runs of different numbers of copies?
fn several_copies(text: &Text) -> bool {
    let mut numbers = text.lines().filter_map(|(_, line)| copies_of(line));
    let first = numbers.next();
    first.is_some_and(|first| numbers.any(|other| other != first))
}

/// One line of an index table.
fn index_line(line: &str, number: usize, state: &State, sheet: &mut Sheet) -> Result<(), Fault> {
    let (system, copies) = (state.system.as_str(), state.copies.as_str());
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if SCORES.iter().any(|score| holds(line, score)) {
        let Some(value) = words.pop().and_then(plain) else {
            return Ok(());
        };
        let name = words.join(" ");
        let name = name.trim_end_matches(['.', ' ', ':']);
        return sheet.add(system, row(name, "index", copies), value, number);
    }
    let Some(at) = words.len().checked_sub(3).filter(|at| *at > 0) else {
        return Ok(());
    };
    let (name, figures) = words.split_at(at);
    let name = name.join(" ");
    let result = match figures {
        [base, result, index]
            if [base, index]
                .iter()
                .all(|w| plain(w).is_some() || **w == "---") =>
        {
            plain(result)
        }
        _ => None,
    };
    match result {
        // Its raw figure stands above.
        Some(_) if state.printed.contains(&name) => {
            sheet.aside(number);
            Ok(())
        }
        Some(result) => {
            let unit = unit_of(&name).unwrap_or_default();
            sheet.add(system, row(&name, unit, copies), result, number)
        }
        None => Ok(()),
    }
}

/// The system that a line names: true when another report begins with it, false when it adds to it.
fn system_of(line: &str) -> Option<(bool, String)> {
    if let Some(rest) = after(line, "System -- ") {
        return Some((true, rest.to_owned()));
    }
    if let Some(rest) = after(line, "System: ").filter(|_| line.starts_with(' ')) {
        return Some((true, rest.split(':').next().unwrap_or(rest).to_owned()));
    }
    let rest = after(line, "OS: ").filter(|_| line.starts_with(' '))?;
    let parts: Vec<&str> = rest.split(" -- ").take(2).collect();
    Some((false, parts.join(" ")))
}

fn row(name: &str, unit: &str, copies: &str) -> Row {
    // `Pipe Throughput Test` of version 3 is `Pipe Throughput` of version 5.
    // A row of another tool among them, `99.0000th`, is good as its own words say.
    let better = match unit_of(name) {
        Some(_) => Higher,
        None => of_unit(unit).or_else(|| of_words(name)).unwrap_or(Higher),
    };
    let row = Row::new("byte", name, unit, better);
    if copies.is_empty() {
        row
    } else {
        row.with("copies", copies)
    }
}

/// The CSV that version 6 writes: a header of names, a line for each number of copies.
fn read_csv(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut names: Vec<&str> = Vec::new();
    let mut lines: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    for (number, line) in text.lines() {
        let cells = grid::separated(line, ',');
        match cells.split_first() {
            Some((&"Concurrency", rest)) => {
                sheet.aside(number);
                names = rest.to_vec();
            }
            Some((copies, rest)) if plain(copies).is_some() && !names.is_empty() => {
                lines.push((number, copies, rest.to_vec()));
            }
            _ => {}
        }
    }
    let several = lines.iter().any(|(_, copies, _)| *copies != lines[0].1);
    for (number, copies, cells) in lines {
        sheet.state("", "copies", copies);
        let copies = if several { copies } else { "" };
        let read = csv_row(copies, &names, &cells, number, sheet);
        sheet.judge(read)?;
    }
    Ok(())
}

fn csv_row(
    copies: &str,
    names: &[&str],
    cells: &[&str],
    line: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    if cells.len() != names.len() {
        let why = format!("{} figures for {} names", cells.len(), names.len());
        return Err(Fault::at(
            line,
            format!("{why}; the line is cut short or broken"),
        ));
    }
    for (name, cell) in names.iter().zip(cells) {
        let value = plain(cell).ok_or_else(|| not_a_number(line, cell))?;
        let unit = unit_of(name).unwrap_or_default();
        sheet.add("", row(name, unit, copies), value, line)?;
    }
    Ok(())
}
