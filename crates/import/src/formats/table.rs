//! Tables of anybody's making: CSV, TSV, Markdown, or columns of spaces, with a name and a value in
//! each row.
//!
//! A header names the columns: `name` and `value`, and where wanted `unit`, `better` and `system`. Any
//! other column becomes a parameter of the row. Lines `# KEY: TEXT` before the header map other names
//! (`# value: Score` when the column is called Score) or give all rows the same text (`# unit: MB/s`,
//! `# better: higher`, `# system: old`); `# source: TEXT` is kept as a note.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};
use whyslow_model::size;

use crate::aligned;
use crate::amount::{Cell, SPREAD_SIGNS, cell};
use crate::error::quote;
use crate::grid::{self, Separator};
use crate::ledger::line_could_be_row;
use crate::number::plain;
use crate::posted::{Kind, kind};
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "table",
    what: "a table with columns name, value, unit, better, system (CSV, TSV, Markdown or spaces)",
    repeats: "rows of the same name",
    silent: "how the figures were measured, but for what its own columns say",
    roles: ROLES,
    looks,
    part: None,
    known: &[],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
    (
        "table.",
        "first_step_of_latency",
        Roles::All(Role::FirstStep),
    ),
    (
        "table.",
        "rise_to_the_latency_of_memory",
        Roles::All(Role::MemoryRise),
    ),
    ("table.sieve", "", Roles::All(Role::ScalingMemory)),
    ("table.mandelbrot", "", Roles::All(Role::ScalingCompute)),
    ("table.", "saving_of_system_time", Roles::All(Role::Saving)),
    ("table.system_time", "", Roles::All(Role::SystemTime)),
    ("table.user_time", "", Roles::All(Role::UserTime)),
    ("table.real_time", "", Roles::All(Role::RealTime)),
    ("table.memory_bus", "", Roles::All(Role::StatedBus)),
    ("table.system_drive", "", Roles::All(Role::StatedDisk)),
    ("table.disk", "", Roles::All(Role::StatedDisk)),
    ("table.processor_clock", "", Roles::All(Role::StatedClock)),
    ("table.cache", "", Roles::All(Role::StatedCache)),
    ("table.make", "", Roles::All(Role::Application)),
    ("table.mpeg_play", "", Roles::All(Role::Application)),
];

/// Most columns; more is no table of results.
const MOST_COLUMNS: usize = 100;

/// The parts of a row that have a column of their own, with the names that are taken for them.
const PARTS: [(&str, &[&str]); 6] = [
    ("name", &["name", "test", "benchmark", "metric"]),
    ("value", &["value", "result", "score"]),
    ("unit", &["unit", "units"]),
    ("better", &["better", "direction"]),
    ("system", &["system", "host", "machine"]),
    ("run", &["run", "repetition"]),
];
const NAME: usize = 0;
const VALUE: usize = 1;
const UNIT: usize = 2;
const BETTER: usize = 3;
const SYSTEM: usize = 4;

fn looks(text: &Text) -> usize {
    let said = Said::default();
    let found = marks(text, |line| Header::of(line, &said).is_some()).min(1);
    // A column of words, such as `Result` with `OK`, has no values.
    let mut rows = grid::rows(text).map(|row| text.line(row.line));
    let Some(header) = rows.find_map(|line| Header::of(line, &said)) else {
        return found;
    };
    let first = rows.find_map(|line| {
        let cells = header.cells(line);
        let value = header.parts[VALUE].and_then(|at| cells.get(at).copied());
        value.filter(|_| cells.len() == header.names.len())
    });
    match first.map(cell) {
        Some(Cell::Words(word)) if word.starts_with(char::is_alphabetic) => 0,
        _ => found,
    }
}

/// What the lines `# KEY: TEXT` said.
#[derive(Default, Clone)]
struct Said<'a>([Option<&'a str>; PARTS.len()]);

/// Which column is which.
struct Header<'a> {
    /// What stands between the cells of its rows too; none where every space does.
    separator: Option<Separator>,
    /// Column of each part.
    parts: [Option<usize>; PARTS.len()],
    /// All column names.
    names: Vec<&'a str>,
}

impl<'a> Header<'a> {
    /// The cells of a row of it.
    fn cells<'r>(&self, row: &'r str) -> Vec<&'r str> {
        match self.separator {
            Some(separator) => grid::cells_at(row, separator),
            None => row.split_whitespace().collect(),
        }
    }

    /// The cells of a row with as many as there are names: its spread may stand in the cell of its value, `11.5 ± 0.3`, and a
    /// cell that it lacks is empty.
    fn filled<'r>(&self, header: &str, row: &'r str) -> Vec<&'r str> {
        let mut cells = self.cells(row);
        let derived = |at: usize| {
            self.names
                .get(at)
                .is_some_and(|name| kind(name) == Kind::Derived)
        };
        let spread = |text: &str| SPREAD_SIGNS.iter().any(|sign| text.contains(sign));
        if cells.len() + 1 == self.names.len()
            && let Some(at) = cells.iter().position(|text| spread(text))
            && derived(at + 1)
        {
            cells.insert(at + 1, "");
        }
        if cells.len() < self.names.len()
            && let Some(filled) = aligned::filled(header, row)
            && filled.len() == self.names.len()
        {
            return filled;
        }
        cells
    }

    /// The header in `line`, if it is one.
    fn of(line: &'a str, said: &Said) -> Option<Self> {
        let cells = grid::cells(line);
        let separator = (cells.len() >= 2).then(|| grid::separator(line));
        let names = match separator {
            Some(_) => cells,
            None => line.split_whitespace().collect(),
        };
        if !(2..=MOST_COLUMNS).contains(&names.len()) {
            return None;
        }
        let mut parts = [None; PARTS.len()];
        for (part, column) in parts.iter_mut().enumerate() {
            let is = |name: &&str| match said.0[part] {
                Some(said) if names.contains(&said) => **name == *said,
                _ => PARTS[part]
                    .1
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(name)),
            };
            *column = names.iter().position(is);
        }
        (parts[NAME].is_some() && parts[VALUE].is_some() && parts[NAME] != parts[VALUE]).then_some(
            Header {
                separator,
                parts,
                names,
            },
        )
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut said = Said::default();
    let mut header: Option<(Header, &str)> = None;
    for row in grid::rows(text) {
        let line = text.line(row.line);
        if let Some(comment) = line.trim_start().strip_prefix('#') {
            sheet.aside(row.line);
            if !directive(comment, &mut said, sheet) {
                sheet.apart();
            }
            continue;
        }
        if row.cells.len() < 2 && line.trim().is_empty() {
            continue;
        }
        if let Some(next) = Header::of(line, &said) {
            sheet.aside(row.line);
            header = Some((next, line));
        } else if let Some((header, names)) = &header {
            let cells = header.filled(names, line);
            let read = figure(header, &said, (line, cells), row.line, sheet);
            sheet.judge(read)?;
        } else {
            // A page may say anything above its table.
            sheet.aside(row.line);
        }
    }
    if header.is_none() {
        return Err(Fault::whole(
            "has no line that names the columns; begin the table with `name,value,unit,better`, or say \
             which columns they are with lines like `# value: Score`",
        ));
    }
    Ok(())
}

/// Takes in what a comment says; false when it says something that is not known here.
fn directive<'a>(comment: &'a str, said: &mut Said<'a>, sheet: &mut Sheet) -> bool {
    let Some((key, rest)) = comment.split_once(':') else {
        return comment.trim().is_empty();
    };
    let (key, rest) = (key.trim(), rest.trim());
    if key.eq_ignore_ascii_case("source") || key.eq_ignore_ascii_case("note") {
        sheet.note("source", rest);
    } else if let Some(part) = PARTS
        .iter()
        .position(|(name, _)| name.eq_ignore_ascii_case(key))
    {
        said.0[part] = Some(rest).filter(|r| !r.is_empty());
    } else {
        return false;
    }
    true
}

fn figure(
    header: &Header,
    said: &Said,
    (text, cells): (&str, Vec<&str>),
    line: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let fits = cells.len() == header.names.len();
    if !fits && !line_could_be_row(text) {
        // Words after a table, or between two.
        sheet.apart();
        return Ok(());
    }
    if cells.len() != header.names.len() {
        let why = format!(
            "{} cells under a header of {}",
            cells.len(),
            header.names.len()
        );
        return Err(Fault::at(
            line,
            format!("{why}; fill the row up or take it out"),
        ));
    }
    let part = |part: usize| {
        let own = header.parts[part].and_then(|at| cells.get(at).copied());
        // A key that named a column is no text for all rows.
        let all = said.0[part].filter(|s| !header.names.contains(s));
        own.filter(|c| !c.is_empty()).or(all).unwrap_or_default()
    };
    let printed = part(VALUE);
    // A spread is no part of the value.
    let spread = SPREAD_SIGNS
        .iter()
        .find_map(|sign| printed.split_once(sign));
    let printed = spread.map_or(printed, |(value, _)| value.trim());
    if matches!(printed, "" | "-" | "--" | "n/a" | "N/A") {
        return Err(Fault::at(line, "no value in it"));
    }
    let (digits, own_unit) = printed.split_once(' ').unwrap_or((printed, ""));
    let (digits, own_unit) = match digits.strip_suffix('%') {
        Some(digits) => (digits, "%"),
        None => (digits, own_unit.trim()),
    };
    let value = plain(digits).ok_or_else(|| {
        let printed = quote(printed);
        let how = "write it with digits and a decimal point only, without commas";
        Fault::at(line, format!("'{printed}' is no number; {how}"))
    })?;
    let unit = if part(UNIT).is_empty() {
        own_unit
    } else {
        part(UNIT)
    };
    let better = match (direction(part(BETTER), unit), part(BETTER)) {
        (Some(better), _) => better,
        (None, "" | "unsaid") => Better::Unsaid,
        (None, said) => {
            let said = quote(said);
            return Err(Fault::at(
                line,
                format!("'{said}' is no direction; write lower or higher, or leave it out"),
            ));
        }
    };
    let mut row = Row::new("table", part(NAME), unit, better);
    // What follows from the value, or counts its runs, is nothing that it was measured at.
    let plain_columns = (0..cells.len()).filter(|at| {
        !header.parts.contains(&Some(*at)) && kind(header.names[*at]) != Kind::Derived
    });
    for at in plain_columns {
        let (name, value) = (slug(header.names[at]), cells[at]);
        if value.is_empty() {
            continue;
        }
        row = row.with(&name, value);
        if let ("size", Some(bytes)) = (name.as_str(), size::parse(value)) {
            row = row.sized(bytes);
        }
    }
    sheet.add(part(SYSTEM), row, value, line)
}

/// Which direction is good: as said, or as the unit has it.
fn direction(said: &str, unit: &str) -> Option<Better> {
    let said = said.to_ascii_lowercase();
    match said.as_str() {
        "lower" | "smaller" | "less" | "min" | "down" => return Some(Lower),
        "higher" | "bigger" | "larger" | "more" | "max" | "up" => return Some(Higher),
        _ => {}
    }
    let unit = unit.to_ascii_lowercase();
    let times = [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "us",
        "µs",
        "ns",
        "microseconds",
        "nanoseconds",
    ];
    let rates = [
        "lps", "lpm", "fps", "mips", "mwips", "mflops", "gflops", "hz", "mhz", "ghz",
    ];
    if times.contains(&unit.as_str()) || unit.ends_with("/op") || unit.ends_with("/call") {
        Some(Lower)
    } else if rates.contains(&unit.as_str())
        || ["/s", "/sec", "/min", "bps", "ops/ms", "ops/us", "ops/ns"]
            .iter()
            .any(|end| unit.ends_with(end))
    {
        Some(Higher)
    } else {
        None
    }
}
