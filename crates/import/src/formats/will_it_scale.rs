//! will-it-scale: what a run prints, and the table of its script.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::number::grouped;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text, grid};

pub(crate) const READER: Reader = Reader {
    name: "will-it-scale",
    what: "will-it-scale (average:12345, or its table of tasks, processes and threads)",
    repeats: "seconds or runs of one test",
    silent: "machine or kernel",
    roles: ROLES,
    looks,
    part: None,
    known: &["min:", "warmup", "measurement"],
    read,
};

const fn all(part: &'static str, role: Role) -> RowRoles {
    ("will_it_scale.", part, Roles::All(role))
}

const ROLES: &[RowRoles] = &[
    all("page_fault", Role::Fault),
    all("mmap", Role::Fault),
    all("brk", Role::Fault),
    all("open", Role::FileMetadata),
    all("context_switch", Role::SwitchAnyCpu),
    all("pipe", Role::SystemCall),
    all("getppid", Role::SystemCall),
    all("signal", Role::Signal),
    all("unlink", Role::FileCreate),
    all("poll", Role::Descriptors),
    all("sched_yield", Role::SwitchAnyCpu),
    all("futex", Role::SystemCall),
    all("malloc", Role::Fault),
    all("read", Role::FileCached),
];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        line.starts_with("testcase:")
            || is_header(line)
            || (after(line, "min:").is_some() && line.contains(" total:"))
    }) * 3
}

/// `tasks,processes,processes_idle,threads,threads_idle,linear`
fn is_header(line: &str) -> bool {
    let cells = grid::separated(line, ',');
    cells.first() == Some(&"tasks") && cells.contains(&"processes") && cells.contains(&"threads")
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut test = String::new();
    let mut columns: Vec<&str> = Vec::new();
    for (number, line) in text.lines() {
        if let Some(name) = after(line, "testcase:") {
            sheet.aside(number);
            test = name.trim().to_owned();
        } else if is_header(line) {
            sheet.aside(number);
            columns = grid::separated(line, ',');
        } else if let Some(value) = after(line, "average:").and_then(|rest| grouped(rest.trim())) {
            let title = if test.is_empty() {
                "average"
            } else {
                test.as_str()
            };
            sheet.add(
                "",
                Row::new("will_it_scale", title, "ops/s", Higher),
                value,
                number,
            )?;
        } else if !columns.is_empty() {
            let cells = grid::separated(line, ',');
            let read = tasks(&columns, &cells, &test, number, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}

/// A line of the script's table: of no tasks it says nothing.
fn tasks(
    columns: &[&str],
    cells: &[&str],
    test: &str,
    line: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let values: Option<Vec<f64>> = cells.iter().map(|c| grouped(c)).collect();
    let Some(values) = values.filter(|v| v.len() == columns.len()) else {
        return Ok(());
    };
    if values.first() == Some(&0.0) {
        sheet.aside(line);
        return Ok(());
    }
    for ((name, value), cell) in columns.iter().zip(&values).zip(cells).skip(1) {
        // Idle shares and the line of perfect scaling are no results.
        if !matches!(*name, "processes" | "threads") || *cell == "0" {
            continue;
        }
        let title = format!("{test} {name}");
        let row = Row::new("will_it_scale", title.trim(), "ops/s", Higher);
        sheet.add("", row.with("tasks", cells[0]), *value, line)?;
    }
    Ok(())
}
