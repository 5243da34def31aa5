//! `perf bench`, one or several benchmarks.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "perf-bench",
    what: "perf bench in its default output",
    repeats: "perf bench runs",
    silent: "machine, kernel, or placement on CPUs; GB/sec of perf are of 2^30 bytes",
    roles: &[
        ("perf.sched_", "", Roles::All(Role::SwitchAnyCpu)),
        ("perf.futex_", "", Roles::All(Role::SwitchAnyCpu)),
        ("perf.syscall_fork", "", Roles::All(Role::Fork)),
        ("perf.syscall_execve", "", Roles::All(Role::ProgramStart)),
        ("perf.syscall_", "", Roles::All(Role::SystemCall)),
        ("perf.epoll_", "", Roles::All(Role::Descriptors)),
        ("perf.mem_", "", Roles::All(Role::MemoryRoutines)),
    ],
    looks,
    part: Some(|line| running(line).is_some() || total(line).is_some()),
    known: &["Run summary"],
    read,
};

fn looks(text: &Text) -> usize {
    // Of a log searched for its times, these alone are left.
    match marks(text, |line| running(line).is_some()) {
        0 => marks(text, |line| total(line).is_some()),
        named => named * 3,
    }
}

/// `Total time: 0.799 [sec]`, as no other tool prints it.
fn total(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["Total", "time:", value, "[sec]"] => Some(value),
        _ => None,
    }
}

/// `# Running 'sched/pipe' benchmark:` and `# Running sched/pipe benchmark...`
fn running(line: &str) -> Option<&str> {
    let rest = after(line, "# Running ")?;
    let name = rest.split_whitespace().next()?.trim_matches('\'');
    (holds(rest, "benchmark") && name.contains('/')).then_some(name)
}

/// A figure that a benchmark printed.
struct Figure<'a> {
    value: f64,
    unit: &'a str,
    line: usize,
    variant: &'a str,
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut name = "";
    let mut variant = "";
    let mut figures: Vec<Figure> = Vec::new();
    for (line, words) in text.lines() {
        if let Some(next) = running(words) {
            keep(name, &mut figures, sheet)?;
            (name, variant) = (next, "");
        } else if name.is_empty() {
            if total(words).is_some()
                && let Some((value, unit)) = sheet.either(figure(words, line))?.flatten()
            {
                let row = Row::new("perf", "Total time", unit, Lower);
                sheet.add("", row, value, line)?;
            }
        } else if let Some(rest) = after(words, "# function '") {
            variant = rest.split('\'').next().unwrap_or_default();
        } else if let Some((value, unit)) = sheet.either(figure(words, line))?.flatten() {
            figures.push(Figure {
                value,
                unit,
                line,
                variant,
            });
            // One benchmark prints a handful; keeping them short bounds what a hostile file costs.
            if figures.len() > 10_000 {
                return Err(Fault::whole(format!(
                    "line {line}: more than 10000 figures of one benchmark"
                )));
            }
        }
    }
    keep(name, &mut figures, sheet)
}

/// A figure with its unit, in the ways in which the benchmarks print them.
fn figure(line: &str, at: usize) -> Result<Option<(f64, &str)>, Fault> {
    let number = |token: &str| {
        grouped(token).ok_or_else(|| {
            let token = crate::error::quote(token);
            Fault::at(
                at,
                format!("'{token}' is no number; run perf bench with LC_ALL=C"),
            )
        })
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["Total", "time:", value, "[sec]"] => Ok(Some((number(value)?, "sec"))),
        ["Averaged", value, unit, ..] if unit.ends_with("/sec") => Ok(Some((number(value)?, unit))),
        [
            value,
            unit @ ("usecs/op" | "nsecs/op" | "ops/sec" | "GB/sec" | "MB/sec" | "KB/sec"
            | "cycles/byte"),
        ] => Ok(Some((number(value)?, unit))),
        // `MB/Sec` in old versions.
        [value, unit, ..]
            if ["GB/sec", "MB/sec", "KB/sec"]
                .iter()
                .any(|u| u.eq_ignore_ascii_case(unit)) =>
        {
            Ok(Some((number(value)?, unit)))
        }
        [verb @ ("Wokeup" | "Requeued" | "[Run"), ..] => {
            // Averages of runs that stand above them carry their spread.
            let mean = line.contains("(+-");
            let value = words
                .iter()
                .position(|w| *w == "ms")
                .and_then(|i| words.get(i.checked_sub(1)?));
            match value {
                Some(value) if mean || *verb == "[Run" => {
                    Ok(Some((number(value)?, if mean { "ms mean" } else { "ms" })))
                }
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// Adds the figures of one benchmark: of those that say the same thing in two units, times and rates of one operation.
fn keep(name: &str, figures: &mut Vec<Figure>, sheet: &mut Sheet) -> Result<(), Fault> {
    /// Which unit tells most, first to last.
    const ORDER: [&str; 4] = ["usecs/op", "nsecs/op", "ops/sec", "sec"];
    let best = ORDER
        .iter()
        .find(|unit| figures.iter().any(|f| f.unit == **unit));
    let has_runs = figures.iter().any(|f| f.unit == "ms");
    let has_others = figures.iter().any(|f| !ORDER.contains(&f.unit));
    for figure in figures.drain(..) {
        let second = figure.unit == "ops/sec" && Some(&figure.unit) != best;
        let told = match figure.unit {
            "ms mean" => has_runs,
            unit if ORDER.contains(&unit) => {
                (Some(&unit) != best && !second) || (unit == "sec" && has_others)
            }
            _ => false,
        };
        if told {
            sheet.aside(figure.line);
            continue;
        }
        let row = row(name, &figure, second);
        sheet.add("", row, figure.value, figure.line)?;
    }
    Ok(())
}

/// The row of a figure; `second` says that another one of the same operations has the benchmark's name for its id.
fn row(name: &str, figure: &Figure, second: bool) -> Row {
    let unit = figure.unit.trim_end_matches(" mean");
    let rate = unit.to_ascii_lowercase().ends_with("/sec");
    let better = if rate { Higher } else { Lower };
    let each = unit.ends_with("/op") || unit == "ops/sec";
    let title = if each {
        format!("{name} {unit}")
    } else {
        name.to_owned()
    };
    let id = slug(if second { &title } else { name });
    let row = Row::new("perf", &title, unit, better).id("perf", &id);
    if figure.variant.is_empty() {
        row
    } else {
        row.with("function", figure.variant)
    }
}
