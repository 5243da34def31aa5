//! Any posted table: rows of a label and figures, below a header that names the sides. Taken only where no
//! other format knows the text.

use whyslow_model::Better;
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::amount::{Cell, cell};
use crate::direction::{of_unit, of_words, unit_in};
use crate::error::quote;
use crate::posted::{self, Group, Header, Kind, Line, PostedRow as Posted};
use crate::reader::marks;
use crate::sides::names_side;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "columns",
    what: "a posted table of any tool: rows with a label, a column for each side",
    repeats: "rows of the same label",
    silent: "how the figures were measured, or what was run",
    roles: ROLES,
    looks,
    part: None,
    known: &[],
    read,
};

const fn all(part: &'static str, role: Role) -> RowRoles {
    ("columns.", part, Roles::All(role))
}

/// What its rows are about, by words of their labels and of what stands above them; the first that fits counts.
const ROLES: &[RowRoles] = &[
    all("hackbench", Role::SwitchAnyCpu),
    all("schbench", Role::SwitchAnyCpu),
    all("tbench", Role::SwitchAnyCpu),
    all("netperf", Role::SwitchAnyCpu),
    all("context_switches", Role::Count),
    all("context_switch", Role::SwitchAnyCpu),
    all("c_switch", Role::Count),
    all("sleeps", Role::Count),
    all("percent_cpu", Role::Count),
    all("ctxsw", Role::SwitchAnyCpu),
    all("wakeup", Role::SwitchAnyCpu),
    all("pipe_throughput", Role::SystemCall),
    all("bw_pipe", Role::LocalBandwidth),
    all("pipe_bandwidth", Role::LocalBandwidth),
    all("pipe", Role::SwitchAnyCpu),
    all("getppid", Role::SystemCall),
    all("getpid", Role::SystemCall),
    all("syscall", Role::SystemCall),
    all("system_call", Role::SystemCall),
    all("null_call", Role::SystemCall),
    all("signal", Role::Signal),
    // Words that have the name of a call in them.
    all("execution", Role::RealTime),
    all("openssl", Role::Compute),
    all("execl", Role::ProgramStart),
    all("exec", Role::ProgramStart),
    all("shell", Role::Programs),
    all("scripts", Role::Programs),
    all("process_creation", Role::Fork),
    all("fork", Role::Fork),
    all("clone", Role::Fork),
    all("page_fault", Role::Fault),
    all("mmap_reread", Role::FileMapped),
    all("mmap", Role::Fault),
    all("munmap", Role::Fault),
    all("open", Role::FileMetadata),
    all("columns.stat", Role::FileMetadata),
    all("simple_stat", Role::FileMetadata),
    all("fstat", Role::FileMetadata),
    all("create", Role::FileCreate),
    all("unlink", Role::FileCreate),
    all("delete", Role::FileCreate),
    all("select", Role::Descriptors),
    all("poll", Role::Descriptors),
    all("file_copy", Role::FileDevice),
    all("reread", Role::FileCached),
    all("triad", Role::MemoryBandwidth),
    all("memcpy", Role::MemoryRoutines),
    all("memset", Role::MemoryRoutines),
    all("bcopy", Role::MemoryRoutines),
    all("bandwidth", Role::MemoryBandwidth),
    all("memory_latency", Role::MemoryLatency),
    all("mem_latency", Role::MemoryLatency),
    all("main_mem", Role::MemoryLatency),
    all("dhrystone", Role::Compute),
    all("whetstone", Role::Compute),
    all("coremark", Role::Compute),
    all("events_per_second", Role::Compute),
    all("stream", Role::MemoryBandwidth),
    all("copy", Role::MemoryBandwidth),
    all("compil", Role::Programs),
    all("build", Role::Programs),
    all("futex", Role::SwitchAnyCpu),
    all("sched", Role::SwitchAnyCpu),
    all("elapsed", Role::RealTime),
    all("wall", Role::RealTime),
    all("columns.real", Role::RealTime),
    all("user_time", Role::UserTime),
    all("columns.user", Role::UserTime),
    all("system_time", Role::SystemTime),
    all("columns.sys", Role::SystemTime),
];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        matches!(posted::line(line), Some(Line::Row(_)))
    })
    .min(1)
}

/// What is known above the rows that are read.
#[derive(Default)]
struct State {
    header: Option<Header>,
    /// Names of columns so far.
    names: Vec<String>,
    /// Words above, the nearest last.
    said: Vec<String>,
    /// More than one group has rows, so that rows need the name of their section.
    several: bool,
}

/// Most lines of words that are kept for what they say of rows below.
const MOST_SAID: usize = 6;

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let groups = posted::groups(text);
    let mut state = State {
        several: groups.iter().filter(|g| !g.rows.is_empty()).count() > 1,
        ..State::default()
    };
    for group in &groups {
        self::group(group, &mut state, sheet)?;
    }
    Ok(())
}

fn group(group: &Group, state: &mut State, sheet: &mut Sheet) -> Result<(), Fault> {
    if group.rows.is_empty() {
        return Ok(());
    }
    let mut rows = group.rows.as_slice();
    if let Some(header) = Header::above(group) {
        state.header = Some(header.spelled(&state.names));
    } else if let Some(((line, first), rest)) = rows.split_first()
        && let Some((_, below)) = rest.first()
        && let Some(header) = Header::of_numbers(first, below.cells.len(), *line)
    {
        rows = rest;
        state.header = Some(header);
    }
    let mut header_line = 0;
    if let Some(header) = &state.header {
        header_line = header.line;
        sheet.aside(header.line);
        state.names.extend(header.names().cloned());
        state.names.dedup();
    }
    let words = group.above.iter().filter(|(line, _)| *line != header_line);
    let mut section: Vec<String> = Vec::new();
    for (_, line) in words {
        if let Line::Words(cells) = line {
            let words = cells.join(" ");
            if words.len() <= 100 {
                section.push(words.clone());
                state.said.push(words);
            }
        }
    }
    let extra = state.said.len().saturating_sub(MOST_SAID);
    state.said.drain(..extra);
    let from = section.len().saturating_sub(2);
    let section = section[from..].join(" ");
    let section = section.trim_matches(['=', '-', '#', ':', ' ', '*']);
    let whose = whose(rows, state.header.as_ref());
    for (line, row) in rows {
        for more in &row.more {
            sheet.aside(*more);
        }
        let read = self::row(row, *line, section, whose, state, sheet);
        sheet.judge(read)?;
    }
    Ok(())
}

/// Whose the labels of a group's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Tests: the columns are the sides.
    Tests,
    /// Sides: the columns, if any, are what was measured of them.
    Sides,
}

fn whose(rows: &[(usize, Posted)], header: Option<&Header>) -> Whose {
    let sides = rows
        .iter()
        .filter(|(_, row)| names_side(&row.label))
        .count();
    let tests = rows.iter().filter(|(_, row)| is_work(&row.label)).count();
    let by_column = header.is_some_and(|h| h.quantities);
    let named_columns = header.is_some_and(|h| h.names().any(|name| names_side(name)));
    let wide = header.is_some_and(|h| h.names().count() > 1);
    let are_sides = if by_column && wide {
        tests * 2 < rows.len()
    } else {
        (by_column || !wide) && sides == rows.len() && rows.len() > 1 && !named_columns
    };
    if are_sides {
        Whose::Sides
    } else {
        Whose::Tests
    }
}

/// Does a label say what was done, rather than on which side?
fn is_work(label: &str) -> bool {
    let as_row = Row::new("columns", label, "", Better::Lower)
        .point
        .to_string();
    let named = ROLES.iter().any(|(_, part, _)| as_row.contains(part));
    named || of_words(label).is_some()
}

/// The columns of one row: as the header has them, or none but one.
fn columns<'a>(row: &Posted, state: &'a State) -> Result<std::borrow::Cow<'a, Header>, String> {
    use std::borrow::Cow;
    if let Some(header) = &state.header
        && header.columns.len() == row.cells.len()
    {
        return Ok(Cow::Borrowed(header));
    }
    let own = Header::none(&row.cells).map(Cow::Owned);
    match (&state.header, own) {
        (Some(header), Some(own)) if header.names().count() < 2 => Ok(own),
        (None, Some(own)) => Ok(own),
        (Some(header), _) => Err(format!(
            "{} cells under a header of {}; fill the row up or take it out",
            row.cells.len(),
            header.columns.len()
        )),
        (None, None) => Err("several figures, and no header says what they are".into()),
    }
}

fn row(
    row: &Posted,
    line: usize,
    section: &str,
    whose: Whose,
    state: &State,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let header = columns(row, state).map_err(|why| Fault::at(line, why))?;
    let pairs = || header.columns.iter().zip(&row.cells);
    let own_unit = pairs().find_map(|(kind, text)| match (kind, cell(text)) {
        (Kind::Unit, Cell::Words(unit)) => Some(unit),
        _ => None,
    });
    let own_unit = own_unit.or(row.unit);
    let figures = |kind: &Kind| matches!(kind, Kind::Values(_));
    let mut kept = 0;
    for (kind, text) in pairs().filter(|(kind, _)| figures(kind)) {
        let Kind::Values(column) = kind else {
            continue;
        };
        let (value, unit) = match cell(text) {
            Cell::Amount(value, unit) => (value, unit),
            Cell::Nothing | Cell::Change | Cell::Words(_) => continue,
            Cell::Broken => {
                let why = format!(
                    "'{}' is no number; correct it or take the row out",
                    quote(text)
                );
                return Err(Fault::at(line, why));
            }
        };
        let unit = if unit.is_empty() {
            own_unit.unwrap_or_default()
        } else {
            unit
        };
        let named = named(row, column, &header, whose, section);
        let (unit, better) = unit_and_direction(unit, &named, column, state)
            .ok_or_else(|| Fault::at(line, undirected(&named.title)))?;
        let mut made = Row::new("columns", &named.title, unit, better);
        if state.several && !section.is_empty() {
            made = made.with("section", section);
        }
        sheet.add(&named.system, made, value, line)?;
        kept += 1;
    }
    if kept == 0 {
        return Err(Fault::at(
            line,
            "no measured amount in it, only changes or words",
        ));
    }
    Ok(())
}

fn undirected(title: &str) -> String {
    format!(
        "which direction of '{}' is good is not said; name the unit, or use the format table with `# better: higher`",
        quote(title)
    )
}

/// What a figure is called: its system and its row.
struct Named {
    system: String,
    title: String,
}

fn named(row: &Posted, column: &str, header: &Header, whose: Whose, section: &str) -> Named {
    let numeric = !row.label.chars().any(char::is_alphabetic);
    let label = if numeric && !header.label.is_empty() {
        format!("{} {}", header.label, row.label)
    } else {
        row.label.clone()
    };
    let plain = [
        "value", "result", "results", "score", "mean", "average", "avg",
    ];
    let nameless = column.is_empty() || plain.iter().any(|p| p.eq_ignore_ascii_case(column));
    match whose {
        Whose::Sides => {
            let title = match (nameless, section) {
                (false, _) => column.to_owned(),
                (true, "") => "result".to_owned(),
                (true, section) => section.to_owned(),
            };
            Named {
                system: label,
                title,
            }
        }
        Whose::Tests if header.quantities && header.names().count() > 1 => Named {
            system: String::new(),
            title: format!("{label} {column}"),
        },
        Whose::Tests => Named {
            system: if nameless || header.quantities {
                String::new()
            } else {
                column.to_owned()
            },
            title: label,
        },
    }
}

/// The unit of a figure and which direction is good, by what stands nearest to it.
fn unit_and_direction<'a>(
    unit: &'a str,
    named: &'a Named,
    column: &'a str,
    state: &'a State,
) -> Option<(&'a str, Better)> {
    let said = || state.said.iter().rev().map(String::as_str);
    let stated = (unit.is_empty()).then(|| {
        let mut texts = [named.title.as_str(), column].into_iter().chain(said());
        let last = |text: &'a str| text.split_whitespace().next_back();
        texts.find_map(|text| unit_in(text).or_else(|| last(text).filter(|w| of_unit(w).is_some())))
    });
    let unit = stated.flatten().unwrap_or(unit);
    let mut texts = [named.title.as_str(), column]
        .into_iter()
        .chain(state.header.as_ref().map(|h| h.label.as_str()))
        .chain(said());
    let better = of_unit(unit).or_else(|| texts.find_map(of_words))?;
    Some((unit, better))
}
