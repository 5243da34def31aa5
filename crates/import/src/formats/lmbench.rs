//! The summary that lmbench 2 and 3 print over one or more result files.

use std::collections::HashMap;

use whyslow_model::Better;
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::lmbench::names::{self, FAMILY, TABLES, Table};
use crate::lmbench::table::{cut, expanded, is_rest, is_row, ruler, words};
use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "lmbench",
    what: "summary tables of lmbench 2 and 3",
    repeats: "lmbench runs",
    silent: "processor, memory, compiler, settings of the kernel, or how often each figure was measured",
    roles: ROLES,
    looks,
    part: Some(|line| table_of(line).is_some()),
    known: &["L M B E N C H"],
    read,
};

/// What its rows are about; the first that fits counts.
pub(super) const ROLES: &[RowRoles] = &[
    ("lmbench.mhz", "", Roles::All(Role::Clock)),
    ("lmbench.stream", "", Roles::All(Role::MemoryBandwidth)),
    ("lmbench.null", "", Roles::All(Role::SystemCall)),
    ("lmbench.stat", "", Roles::All(Role::FileMetadata)),
    ("lmbench.open_close", "", Roles::All(Role::FileMetadata)),
    ("lmbench.select", "", Roles::All(Role::Descriptors)),
    ("lmbench.sig_", "", Roles::All(Role::Signal)),
    ("lmbench.fork", "", Roles::All(Role::Fork)),
    ("lmbench.exec", "", Roles::All(Role::ProgramStart)),
    ("lmbench.sh_proc", "", Roles::All(Role::ProgramStart)),
    ("lmbench.ctxsw", "size=0K", Roles::All(Role::SwitchAnyCpu)),
    ("lmbench.ctxsw", "", Roles::All(Role::SwitchWithData)),
    ("lmbench.pipe_latency", "", Roles::All(Role::SwitchAnyCpu)),
    ("lmbench.", "tcp_conn", Roles::All(Role::LocalLatency)),
    ("lmbench.file_reread", "", Roles::All(Role::FileCached)),
    ("lmbench.mmap_reread", "", Roles::All(Role::FileMapped)),
    ("lmbench.file_", "", Roles::All(Role::FileCreate)),
    ("lmbench.mmap", "", Roles::All(Role::Fault)),
    ("lmbench.prot_fault", "", Roles::All(Role::Fault)),
    ("lmbench.page_fault", "", Roles::All(Role::Fault)),
    ("lmbench.bcopy_libc", "", Roles::All(Role::MemoryRoutines)),
    ("lmbench.bcopy_hand", "", Roles::All(Role::MemoryBandwidth)),
    ("lmbench.mem_read", "", Roles::All(Role::MemoryBandwidth)),
    ("lmbench.mem_write", "", Roles::All(Role::MemoryBandwidth)),
    ("lmbench.l1_latency", "", Roles::All(Role::L1)),
    ("lmbench.l2_latency", "", Roles::All(Role::L2)),
    ("lmbench.main_mem", "", Roles::All(Role::MemoryLatency)),
    ("lmbench.rand_mem", "", Roles::All(Role::MemoryLatency)),
    ("lmbench.integer", "", Roles::All(Role::Compute)),
    ("lmbench.int64", "", Roles::All(Role::Compute)),
    ("lmbench.float", "", Roles::All(Role::Compute)),
    ("lmbench.double", "", Roles::All(Role::Compute)),
    ("lmbench.", "bandwidth", Roles::All(Role::LocalBandwidth)),
    ("lmbench.", "_latency", Roles::All(Role::LocalLatency)),
];

/// Lines between a table's title and its ruler at most: the header's two or three, a warning, two
/// rulers, and what a mail program broke in two.
const HEADER: usize = 10;

fn looks(text: &Text) -> usize {
    marks(text, |line| table_of(line).is_some()) * 2
}

/// A table's kind, or how to read an unknown one.
enum Kind {
    Known(&'static Table),
    Unknown(&'static str, Better),
}

fn table_of(line: &str) -> Option<Kind> {
    let line = line.trim();
    if let Some(table) = TABLES.iter().find(|t| after(line, t.title).is_some()) {
        return Some(Kind::Known(table));
    }
    let better = match () {
        () if holds(line, "smaller is better") => Better::Lower,
        () if holds(line, "bigger is better") => Better::Higher,
        () => return None,
    };
    let units = [
        ("microseconds", "us"),
        ("nanoseconds", "ns"),
        ("MB/s", "MB/s"),
    ];
    let unit = units.iter().find(|(word, _)| holds(line, word));
    Some(Kind::Unknown(unit.map_or("", |u| u.1), better))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // How many rows each system has had in each kind of table.
    let mut rounds: HashMap<(String, String), u32> = HashMap::new();
    let mut line = 1;
    while line <= text.count() {
        match table_of(text.line(line)) {
            Some(kind) => line = read_table(text, line, &kind, sheet, &mut rounds)?,
            None => line += 1,
        }
    }
    Ok(())
}

/// Reads the table whose title is at `title`; returns the line behind it.
fn read_table(
    text: &Text,
    title: usize,
    kind: &Kind,
    sheet: &mut Sheet,
    rounds: &mut HashMap<(String, String), u32>,
) -> Result<usize, Fault> {
    let mut at = title + 1;
    let columns = loop {
        // A title broken by a mail program goes on with `smaller is better`.
        let other = match table_of(text.line(at)) {
            Some(Kind::Known(_)) => true,
            Some(Kind::Unknown(..)) => at > title + 2,
            None => false,
        };
        if at > title + HEADER || at > text.count() || other {
            let name = text.line(title).trim();
            let why = format!(
                "line {title}: '{}' has no ruler of dashes under its header, so it was not read",
                crate::error::quote(name)
            );
            sheet.note("lmbench", why);
            return Ok(title + 1);
        }
        if let Some(columns) = ruler(&expanded(text.line(at))) {
            break columns;
        }
        at += 1;
    };
    // Its heading, in which a row may have gone astray.
    let is_heading = |line: &usize| {
        !text
            .line(*line)
            .split_whitespace()
            .any(|w| plain(w).is_some())
    };
    for line in (title..=at).filter(is_heading) {
        sheet.aside(line);
    }
    let header: Vec<String> = (title + 1..at).map(|l| expanded(text.line(l))).collect();
    // A ruler that a mail program broke goes on in the next line.
    let mut ruler_line = expanded(text.line(at));
    let first_width = ruler_line.chars().count();
    let broken = ruler(&format!("- {}", expanded(text.line(at + 1)).trim())).is_some();
    let columns = if broken {
        ruler_line.push(' ');
        ruler_line += expanded(text.line(at + 1)).trim();
        at += 1;
        sheet.aside(at);
        ruler(&ruler_line).unwrap_or(columns)
    } else {
        columns
    };
    let lead = match kind {
        Kind::Known(table) => table.lead,
        Kind::Unknown(..) => 2,
    };
    let rows = rows_of(kind, &header, &columns, lead);
    at += 1;
    while at <= text.count() {
        let first = expanded(text.line(at));
        if first.trim().is_empty() || table_of(&first).is_some() {
            break;
        }
        if !is_row(&first) {
            // A comment between two rows; what could be a row is refused.
            at += 1;
            continue;
        }
        let here = at;
        let mut line = first;
        let next = expanded(text.line(at + 1));
        if is_rest(&next) {
            if broken {
                let missing = first_width.saturating_sub(line.chars().count());
                line.extend(std::iter::repeat_n(' ', missing));
            }
            line.push(' ');
            // Behind a broken ruler the rest keeps its places.
            line += if broken { next.trim_end() } else { next.trim() };
            at += 1;
        }
        let Some(cut) = sheet.either(cut(&line, here, &columns, lead))? else {
            sheet.aside(at);
            at += 1;
            continue;
        };
        // Of a row that a mail program broke, the line that ends it stands for all.
        if at > here {
            sheet.aside(here);
        }
        if !rows
            .iter()
            .zip(&cut.values)
            .any(|(row, value)| row.is_some() && value.is_some())
        {
            sheet.refuse(at, "no figure in it");
        }
        if let Some(kernel) = kernel_of(&cut.system) {
            sheet.state(&cut.system, "kernel", kernel);
        }
        let kind_name = text_of(kind, text.line(title));
        let round = rounds.entry((cut.system.clone(), kind_name)).or_insert(0);
        *round += 1;
        for (row, value) in rows.iter().zip(&cut.values) {
            if let (Some(row), Some(value)) = (row, value) {
                sheet.add_once(&cut.system, row.clone(), *value, at, *round)?;
            }
        }
        at += 1;
    }
    Ok(at)
}

/// The kernel of `ds10 Linux 2.4.23`; none where the column was too narrow for it.
fn kernel_of(system: &str) -> Option<&str> {
    let (_, release) = system.split_once("Linux ")?;
    let release = release.split_whitespace().next()?;
    let whole = release.starts_with(|c: char| c.is_ascii_digit()) && !release.ends_with(['-', '.']);
    whole.then_some(release)
}

fn text_of(kind: &Kind, title: &str) -> String {
    match kind {
        Kind::Known(table) => table.title.to_owned(),
        Kind::Unknown(..) => title.trim().to_owned(),
    }
}

/// The row that each column behind the leading ones stands for; none for words and for facts that
/// have no good or bad.
fn rows_of(
    kind: &Kind,
    header: &[String],
    columns: &[(usize, usize)],
    lead: usize,
) -> Vec<Option<Row>> {
    let count = columns.len().saturating_sub(lead);
    let (symbol, better) = match kind {
        Kind::Known(table) => (table.symbol, table.better),
        Kind::Unknown(symbol, better) => (*symbol, *better),
    };
    if let Kind::Known(table) = kind {
        let layout = table
            .layouts
            .iter()
            .find(|l| l.len() == count && has_words(header, l.iter().map(|c| c.words)));
        if let Some(layout) = layout {
            let is_figure = |id: &str| !matches!(id, "" | "cache_line_bytes" | "scal_load");
            let row =
                |c: &names::Column| is_figure(c.id).then(|| names::of_column(c, symbol, better));
            return layout.iter().map(row).collect();
        }
    }
    let mut seen: Vec<String> = Vec::new();
    let names = columns.iter().skip(lead).enumerate().map(|(i, &column)| {
        let name = stacked(header, column);
        let usable = !name.is_empty() && !seen.contains(&name);
        let name = if usable {
            name
        } else {
            format!("{name} column {}", i + 1)
        };
        seen.push(name.clone());
        let table = match kind {
            Kind::Known(table) => table.title,
            Kind::Unknown(..) => "",
        };
        let title = format!("{table} {name}");
        Some(Row::new(FAMILY, title.trim(), symbol, better))
    });
    names.collect()
}

/// Does the header hold all these words, in whatever lines a mail program left them?
fn has_words(header: &[String], wanted: impl Iterator<Item = &'static str>) -> bool {
    let normal = |word: &str| match word.to_ascii_lowercase().as_str() {
        "selct" => "slct".to_owned(),
        word => word.to_owned(),
    };
    let mut there: Vec<String> = header
        .iter()
        .flat_map(|line| line.split_whitespace().map(normal))
        .collect();
    let mut wanted = wanted.flat_map(str::split_whitespace).map(normal);
    // The first word of `intgr bit` is printed once in some layouts and above each column in others.
    wanted.all(|word| match there.iter().position(|w| *w == word) {
        Some(at) => {
            there.swap_remove(at);
            true
        }
        None => false,
    })
}

/// The words that stand above a column, from top to bottom.
fn stacked(header: &[String], column: (usize, usize)) -> String {
    let mut name: Vec<&str> = Vec::new();
    for line in header {
        let above = words(line)
            .into_iter()
            .filter(|w| w.start < column.1 && w.end > column.0)
            .filter(|w| w.text.bytes().any(|b| b.is_ascii_alphanumeric()));
        name.extend(above.map(|w| w.text));
    }
    name.join(" ")
}
