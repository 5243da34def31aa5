//! google-benchmark: its table, as printed and as CSV.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::grid::separated;
use crate::number::{grouped, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "google-benchmark",
    what: "google-benchmark, as printed or as CSV (Time, CPU, Iterations)",
    repeats: "runs of a benchmark",
    silent: "processor, compiler, or whether the clock was fixed",
    roles: ROLES,
    looks,
    part: Some(|line| is_header(line) || of_line(line).is_some() || compared(line).is_some()),
    known: &[
        "CPU Caches",
        "L1 ",
        "L2 ",
        "L3 ",
        "Load Average",
        "Run on",
        "CPU s)",
    ],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
    ("google_benchmark.", "mem", Roles::All(Role::MemoryRoutines)),
    (
        "google_benchmark.",
        "copy",
        Roles::All(Role::MemoryRoutines),
    ),
    ("google_benchmark.", "syscall", Roles::All(Role::SystemCall)),
    ("google_benchmark.", "getpid", Roles::All(Role::SystemCall)),
    ("google_benchmark.", "fork", Roles::All(Role::Fork)),
];

/// Units of its times.
const UNITS: [&str; 4] = ["ns", "us", "ms", "s"];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        is_header(line) || of_line(line).is_some() || line.starts_with(CSV)
    }) * 2
        + bare_comparison(text)
}

/// Lines of its compare.py on a page that lacks their header, which posted tables are read by.
fn bare_comparison(text: &Text) -> usize {
    /// One may be a row of anything.
    const FEWEST: usize = 2;
    let headed = text.lines().any(|(_, line)| holds(line, "Time Old"));
    let found = marks(text, |line| compared(line).is_some());
    if headed || found < FEWEST {
        0
    } else {
        found * 2
    }
}

/// `BM_copy/64   -0.0288   -0.0289   966   938   965   937` of compare.py: the name, and the times before and after, of the clock
/// and of the CPU, in nanoseconds unless the benchmark says otherwise.
fn compared(line: &str) -> Option<(&str, [f64; 4])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, ref changes @ .., a, b, c, d] = words[..] else {
        return None;
    };
    let is = |word: &&str| {
        word.starts_with(['+', '-']) && word.len() == 7 && plain(&word[1..]).is_some()
    };
    let both = changes.len() == 2 && changes.iter().all(is) && name.contains(char::is_alphabetic);
    let figures = [plain(a)?, plain(b)?, plain(c)?, plain(d)?];
    both.then_some((name, figures))
}

/// How the header of the CSV begins.
const CSV: &str = "name,iterations,real_time,cpu_time,time_unit";

/// `Benchmark              Time             CPU   Iterations`
fn is_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    matches!(
        words.as_slice(),
        ["Benchmark", "Time", "CPU", "Iterations", ..]
    )
}

/// `BM_memcpy/64   12.3 ns   12.2 ns   57000000 bytes_per_second=4.9G/s` in parts.
struct Line<'a> {
    name: String,
    real: f64,
    cpu: f64,
    unit: &'a str,
    counters: Vec<&'a str>,
}

fn of_line(line: &str) -> Option<Line<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // A name may have spaces: the times are found by their units.
    let at = words.windows(4).position(|w| {
        let times = grouped(w[0]).is_some() && grouped(w[2]).is_some();
        times && w[1] == w[3] && UNITS.contains(&w[1])
    })?;
    let iterations = words.get(at + 4)?;
    if at == 0 || !iterations.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(Line {
        name: words[..at].join(" "),
        real: grouped(words[at])?,
        cpu: grouped(words[at + 2])?,
        unit: words[at + 1],
        counters: words[at + 5..].to_vec(),
    })
}

/// Is the row one that sums up others?
fn is_sum(name: &str) -> bool {
    ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if text.lines().any(|(_, line)| line.starts_with(CSV)) {
        return read_csv(text, sheet);
    }
    let single = |line: &str| of_line(line).is_some_and(|line| !is_sum(&line.name));
    let has_runs = text.lines().any(|(_, line)| single(line));
    let is_comparison = bare_comparison(text) > 0;
    for (number, line) in text.lines() {
        if let Some(rest) = after(line, "Run on (") {
            let cores = rest.split_whitespace().next().unwrap_or_default();
            sheet.state("", "cores", cores);
        } else if let Some(line) = of_line(line) {
            if has_runs && is_sum(&line.name) {
                sheet.aside(number);
                sheet.note(
                    "google-benchmark",
                    "means and the like are left out: the runs are here",
                );
                continue;
            }
            add(&line, number, sheet)?;
        } else if is_header(line) {
            sheet.aside(number);
        } else if let Some((name, [old, new, cpu_old, cpu_new])) =
            compared(line).filter(|_| is_comparison)
        {
            // Of several runs the spread is no time, and the p-value no measurement.
            if ["_stddev", "_cv", "_pvalue"]
                .iter()
                .any(|end| name.ends_with(end))
            {
                sheet.aside(number);
                continue;
            }
            for (side, what, value) in [
                ("Old", "Time", old),
                ("New", "Time", new),
                ("Old", "CPU", cpu_old),
                ("New", "CPU", cpu_new),
            ] {
                let row = Row::new("google_benchmark", &format!("{name} {what}"), "", Lower);
                sheet.add(side, row, value, number)?;
            }
        }
    }
    Ok(())
}

fn add(line: &Line, number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let row = |what: &str, unit: &str, better| {
        Row::new(
            "google_benchmark",
            &format!("{} {what}", line.name),
            unit,
            better,
        )
    };
    sheet.add("", row("Time", line.unit, Lower), line.real, number)?;
    sheet.add("", row("CPU", line.unit, Lower), line.cpu, number)?;
    for counter in &line.counters {
        if let Some((name, value)) = counter.split_once('=')
            && holds(name, "per_second")
            && let Some(value) = value.strip_suffix("/s")
        {
            let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            if let Some(figure) = plain(digits) {
                let unit = format!("{}/s", &value[digits.len()..]);
                sheet.add("", row(name, &unit, Higher), figure, number)?;
            }
        }
    }
    Ok(())
}

fn read_csv(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut in_table = false;
    for (number, line) in text.lines() {
        if line.starts_with(CSV) {
            sheet.aside(number);
            in_table = true;
        } else if in_table && line.contains(',') {
            let read = csv_row(&separated(line, ','), number, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}

fn csv_row(cells: &[&str], number: usize, sheet: &mut Sheet) -> Result<(), Fault> {
    let [name, _, real, cpu, unit, ..] = cells else {
        return Err(Fault::at(
            number,
            "fewer cells than its header has; the line is cut short",
        ));
    };
    if is_sum(name) {
        sheet.aside(number);
        return Ok(());
    }
    let (Some(real), Some(cpu)) = (plain(real), plain(cpu)) else {
        return Err(Fault::at(
            number,
            "its times are no numbers; correct them or take the row out",
        ));
    };
    let line = Line {
        name: (*name).to_owned(),
        real,
        cpu,
        unit,
        counters: Vec::new(),
    };
    add(&line, number, sheet)
}
