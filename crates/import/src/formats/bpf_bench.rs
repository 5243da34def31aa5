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
fn row(line: &str) -> Option<(String, f64, &str)> {
    let (label, rest) = line.split_once(':')?;
    // Authors point at rows: `6.283 ± 0.005M/s << look this`.
    let (rest, _) = rest.split_once("<<").unwrap_or((rest, ""));
    let (rest, _) = rest.split_once("<-").unwrap_or((rest, ""));
    // Behind the rate stands that of each CPU or producer, which follows from it: `(  0.838M/s/cpu)`.
    let (rest, each) = rest.split_once('(').unwrap_or((rest, ""));
    let spread = rest.contains('±') || rest.contains("+-");
    let (name, figure) = match label.trim() {
        "Summary" => {
            let (what, figure) = rest.trim_start().split_once(char::is_whitespace)?;
            let letters = what.bytes().all(|b| b.is_ascii_alphabetic());
            letters.then(|| (format!("Summary: {what}"), figure))?
        }
        label => (label.to_owned(), rest),
    };
    match cell(figure) {
        Cell::Amount(value, unit)
            if spread && unit.ends_with("/s") && !without_cpus(&name).contains(' ') =>
        {
            let name = match producers(value, each) {
                Some(count) => format!("{name} ({count} prod)"),
                None => name,
            };
            Some((name, value, unit))
        }
        _ => None,
    }
}

/// A name without the number of CPUs that it was run on, `uprobe-nop      (16 cpus)`, and without the word of a summary.
fn without_cpus(name: &str) -> &str {
    let name = name.strip_prefix("Summary: ").unwrap_or(name);
    let counted = name.split_once('(').filter(|(_, count)| {
        let count = count.trim_end_matches(')').trim();
        let count = count.trim_end_matches('s').strip_suffix("cpu");
        count.is_some_and(|c| c.trim().parse::<u32>().is_ok())
    });
    counted.map_or(name, |(name, _)| name.trim_end())
}

/// How many producers there were, where a summary says what each did and nothing else tells its lines apart: the whole
/// number that both figures, rounded as they are printed, leave possible.
fn producers(all: f64, each: &str) -> Option<u32> {
    /// Half of the last digit that is printed of each.
    const ROUNDED: f64 = 0.0005;
    let each = each.trim().strip_suffix(')')?.strip_suffix("M/prod")?;
    let each: f64 = each.trim().parse().ok()?;
    let (least, most) = (
        (all - ROUNDED) / (each + ROUNDED),
        (all + ROUNDED) / (each - ROUNDED),
    );
    let mut fitting = (1..=1024_u32).filter(|n| (least..=most).contains(&f64::from(*n)));
    let count = fitting.next()?;
    fitting.next().is_none().then_some(count)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let before = sheet.figures();
    for (number, line) in text.lines() {
        if let Some((name, value, unit)) = row(line) {
            sheet.add(
                "",
                Row::new("bpf_bench", &name, unit, Higher),
                value,
                number,
            )?;
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
