//! `bench` of the kernel's BPF self-tests: triggers, as printed or side by side in a table.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::amount::{Cell, cell};
use crate::posted::{self, Group, Header, Kind};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "bpf-bench",
    what: "bench of the kernel's BPF self-tests (uprobe-nop : 3.229 ± 0.002M/s)",
    repeats: "runs of the benchmark",
    silent: "machine, kernel, or the settings of the BPF compiler",
    roles: ROLES,
    looks,
    part: Some(|line| row(line).is_some()),
    known: &["Setting up benchmark", "Benchmark '", "Iter ", "Summary"],
    read,
};

const ROLES: &[RowRoles] = &[
    ("bpf_bench.usermode_count", "", Roles::All(Role::Compute)),
    ("bpf_bench.kernel_count", "", Roles::All(Role::Compute)),
    ("bpf_bench.syscall_count", "", Roles::All(Role::SystemCall)),
    ("bpf_bench.", "probe", Roles::All(Role::SystemCall)),
    ("bpf_bench.", "fentry", Roles::All(Role::SystemCall)),
    ("bpf_bench.", "fexit", Roles::All(Role::SystemCall)),
    ("bpf_bench.", "fmodret", Roles::All(Role::SystemCall)),
    ("bpf_bench.", "tp", Roles::All(Role::SystemCall)),
];

/// How names of its benchmarks begin.
const NAMES: &[&str] = &[
    "usermode-count",
    "kernel-count",
    "syscall-count",
    "uprobe",
    "uretprobe",
    "kprobe",
    "kretprobe",
    "fentry",
    "fexit",
    "fmodret",
    "rawtp",
    "tp",
    "base",
    "usdt",
];

fn is_name(text: &str) -> bool {
    let stem = text.trim();
    NAMES.iter().any(|name| {
        stem.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    })
}

fn looks(text: &Text) -> usize {
    let printed = marks(text, |line| row(line).is_some());
    // Names of a table are words that others use too.
    let named = marks(text, |line| {
        let label = line.trim().trim_start_matches('|').split('|').next();
        label.is_some_and(|l| l.split_whitespace().next().is_some_and(is_name))
    });
    if named >= 3 {
        (printed + named) * 3
    } else {
        printed * 3
    }
}

/// `uprobe-nop  :  3.229 ± 0.002M/s`: the name, the figure, its unit.
fn row(line: &str) -> Option<(&str, f64, &str)> {
    let (label, rest) = line.split_once(':')?;
    let label = label.trim();
    let spread = rest.contains('±') || rest.contains("+-");
    match cell(rest) {
        Cell::Amount(value, unit) if spread && unit.ends_with("/s") && !label.contains(' ') => {
            Some((label, value, unit))
        }
        _ => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let before = sheet.figures();
    for (number, line) in text.lines() {
        if let Some((name, value, unit)) = row(line) {
            sheet.add("", Row::new("bpf_bench", name, unit, Higher), value, number)?;
        }
    }
    if sheet.figures() > before {
        return Ok(());
    }
    for group in posted::groups(text) {
        table(&group, sheet)?;
    }
    Ok(())
}

/// The rows of a table with a column for each side.
fn table(group: &Group, sheet: &mut Sheet) -> Result<(), Fault> {
    let Some(header) = Header::above(group) else {
        return Ok(());
    };
    sheet.aside(header.line);
    for (line, row) in &group.rows {
        if row.cells.len() != header.columns.len() || !is_name(&row.label) {
            continue;
        }
        for (kind, text) in header.columns.iter().zip(&row.cells) {
            if let (Kind::Values(side), Cell::Amount(value, unit)) = (kind, cell(text)) {
                let unit = if unit.is_empty() { "M/s" } else { unit };
                sheet.add(
                    side,
                    Row::new("bpf_bench", &row.label, unit, Higher),
                    value,
                    *line,
                )?;
            }
        }
    }
    Ok(())
}
