//! sysbench, of versions 0.4 to 1.1: memory, and the CPU, threads and mutex tests.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds, labelled, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "sysbench",
    what: "sysbench (memory, cpu, threads, mutex)",
    repeats: "sysbench runs",
    silent: "machine, compiler, or placement of the threads",
    roles: &[
        ("sysbench.", "test=threads", Roles::All(Role::SwitchAnyCpu)),
        ("sysbench.", "test=mutex", Roles::All(Role::SwitchAnyCpu)),
        ("sysbench.", "test=fileio", Roles::All(Role::FileDevice)),
        ("sysbench.", "test=oltp", Roles::All(Role::Application)),
        ("sysbench.memory", "", Roles::All(Role::MemoryBandwidth)),
        ("sysbench.", "test=cpu", Roles::All(Role::Compute)),
        ("sysbench.events", "", Roles::All(Role::Compute)),
    ],
    looks,
    part: Some(|line| {
        rate(line).is_some()
            || operations(line).is_some()
            || per_second(line).is_some()
            || work_rate(line).is_some()
            || file_rate(line).is_some()
    }),
    known: &[
        "sysbench ",
        "Extra file open flags",
        "files, ",
        "ratio for combined",
        "Number of threads",
        "Total operations",
        "Operations performed",
        "block size",
        "transfer size",
        "total size",
        "total time",
        "execution time",
        "events (avg",
        "prime numbers limit",
        "Prime numbers limit",
        "Maximum prime",
        "total number of events",
        "min:",
        "avg:",
        "max:",
        "sum:",
        "percentile",
        "avg/stddev",
        "random number",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "sysbench")
            || rate(line).is_some()
            || operations(line).is_some()
            || per_second(line).is_some()
            || work_rate(line).is_some()
            || file_rate(line).is_some()
            || is_statistic(line)
    }) * 2
}

/// `100.00 MiB transferred (2109.38 MiB/sec)` as its name, rate and unit; stars around it are marks of Markdown.
fn rate(line: &str) -> Option<(&str, f64, &str)> {
    let (front, rest) = line.split_once("transferred (")?;
    let name = front.split_whitespace().last()?;
    let (value, unit) = number_first(rest.trim_start_matches('*'))?;
    let unit = unit.trim_end_matches('*').strip_suffix(')')?;
    // Before 1.0 it prints MB for what it counts in 2^20 bytes.
    let unit = match unit.trim_end_matches('*') {
        "MB/sec" => "MiB/sec",
        unit => unit,
    };
    unit.ends_with("/sec").then_some((name, value, unit))
}

/// `Total operations: 102400 (2160007.86 per second)` as its name and rate.
fn operations(line: &str) -> Option<(&str, f64)> {
    let (label, rest) = line.split_once('(')?;
    let (value, unit) = number_first(rest.trim_start_matches('*'))?;
    let (name, _) = label.split_once(':')?;
    let named = holds(name, "operations");
    let each = unit.starts_with("per second") || unit.starts_with("ops/sec");
    (named && each).then_some((name.trim(), value))
}

/// `events per second:  1234.56`
fn per_second(line: &str) -> Option<f64> {
    after(line, "events per second:").and_then(plain)
}

/// Lines of its statistics that no other tool prints, where the rest was cut off.
fn is_statistic(line: &str) -> bool {
    let lines = [
        "total number of events:",
        "events (avg/stddev):",
        "execution time (avg/stddev):",
    ];
    lines.iter().any(|begin| after(line, begin).is_some())
}

/// Latencies by the labels of all versions: how the line begins, the title.
const LATENCIES: [(&str, &str); 6] = [
    ("min:", "latency min"),
    ("avg:", "latency avg"),
    ("max:", "latency max"),
    ("95th percentile:", "latency 95th percentile"),
    (
        "approx.  95 percentile:",
        "latency 95th percentile, approx. 95 percentile",
    ),
    ("99th percentile:", "latency 99th percentile"),
];

/// Rates of the tests of databases and files: how the line begins, the unit, whether more is better.
const RATES: [(&str, &str, bool); 12] = [
    ("transactions:", "transactions/s", true),
    ("queries:", "queries/s", true),
    ("read/write requests:", "requests/s", true),
    ("other operations:", "operations/s", true),
    ("deadlocks:", "deadlocks/s", false),
    ("ignored errors:", "errors/s", false),
    ("reconnects:", "reconnects/s", false),
    ("reads/s:", "reads/s", true),
    ("writes/s:", "writes/s", true),
    ("fsyncs/s:", "fsyncs/s", true),
    ("read, MiB/s:", "MiB/s", true),
    ("written, MiB/s:", "MiB/s", true),
];

/// `transactions:   10020  (333.85 per sec.)` and `reads/s:   1234.56`: the title, the rate, the unit.
fn work_rate(line: &str) -> Option<(&'static str, f64, &'static str, bool)> {
    let of = |(begin, unit, more): &(&'static str, &'static str, bool)| {
        let rest = after(line, begin)?;
        let value = match rest.split_once('(') {
            Some((_, rate)) => {
                number_first(rate)
                    .filter(|(_, unit)| unit.starts_with("per sec"))?
                    .0
            }
            None if begin.contains("/s:") => plain(rest)?,
            None => return None,
        };
        Some((begin.trim_end_matches(':'), value, *unit, *more))
    };
    RATES.iter().find_map(of)
}

/// `Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (2.6Mb/sec)` and `166.67 Requests/sec executed` of old
/// versions.
fn file_rate(line: &str) -> Option<(&'static str, f64, &'static str, bool)> {
    if let Some((front, _)) = line.split_once(" Requests/sec executed") {
        return Some((
            "Requests/sec executed",
            plain(front.trim())?,
            "requests/s",
            true,
        ));
    }
    let (_, rest) = line.split_once("Total transferred ")?;
    let (value, unit) = number_in_front(rest.split_once('(')?.1)?;
    // What it calls Mb are 2^20 bytes.
    let unit = match unit.trim_end_matches(')') {
        "Mb/sec" => "MiB/s",
        "Gb/sec" => "GiB/s",
        "Kb/sec" => "KiB/s",
        _ => return None,
    };
    Some(("total transferred", value, unit, true))
}

/// A figure of a test that is not of memory: its title, value, unit, and whether more is better.
fn other(line: &str) -> Option<(&'static str, f64, &'static str, bool)> {
    if let Some(value) = per_second(line) {
        return Some(("events per second", value, "events/s", true));
    }
    if let Some(found) = work_rate(line).or_else(|| file_rate(line)) {
        return Some(found);
    }
    if let Some(rest) = after(line, "total time:") {
        return Some(("total time", plain(rest.strip_suffix('s')?)?, "s", false));
    }
    if let Some(rest) = after(line, "total number of events:") {
        return Some(("total number of events", plain(rest)?, "events", true));
    }
    let row = |(begin, title): &(&str, &'static str)| {
        let rest = after(line, begin)?;
        Some((
            *title,
            plain(rest.strip_suffix("ms").unwrap_or(rest))?,
            "ms",
            false,
        ))
    };
    LATENCIES.iter().find_map(row)
}

/// The test that ran: `Doing CPU performance benchmark`, `CPU speed:`.
fn test_of(line: &str) -> Option<&'static str> {
    let tests = [
        ("CPU speed", "cpu"),
        ("Prime numbers limit", "cpu"),
        ("Doing CPU performance", "cpu"),
        ("Maximum prime number", "cpu"),
        ("Doing thread subsystem", "threads"),
        ("Doing mutex performance", "mutex"),
        ("File operations:", "fileio"),
        ("Doing random", "fileio"),
        ("Doing sequential", "fileio"),
        ("Extra file open flags", "fileio"),
        ("SQL statistics:", "oltp"),
        ("OLTP test statistics:", "oltp"),
    ];
    tests
        .iter()
        .find(|(begin, _)| after(line, begin).is_some())
        .map(|(_, test)| *test)
}

/// What the run was asked for, by parameter: the labels of all versions.
const OPTIONS: [(&str, &[&str]); 4] = [
    ("operation", &["operation:", "Memory operations type:"]),
    ("block", &["block size:", "Memory block size:"]),
    ("scope", &["scope:", "Memory scope type:"]),
    ("threads", &["Number of threads:"]),
];

/// Which of them is the size of a block.
const BLOCK: usize = 1;

type Options<'a> = [Option<&'a str>; OPTIONS.len()];

/// What the lines of one run have.
#[derive(Debug, Default, Clone, Copy)]
struct Run<'a> {
    /// Rates of memory, and what they were measured with.
    rates: bool,
    blocks: bool,
    /// How many events there were follows from how long it ran, or the other way round; the rate says both.
    rate: bool,
    work: bool,
    /// What stands above it, where nothing in it says its test.
    heading: &'a str,
    /// Statistics of files alone are those of the test of files.
    files: bool,
}

/// `sysbench 1.0.20 (using system LuaJIT 2.0.5)`, with which each run begins.
fn begins(line: &str) -> bool {
    let version = after(line, "sysbench ");
    version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// The runs of a text, by the lines that they begin in; what stands in front of the first is of it.
fn runs<'a>(text: &'a Text) -> Vec<(usize, Run<'a>)> {
    let (_, blocks) = OPTIONS[BLOCK];
    let mut runs: Vec<(usize, Run)> = vec![(1, Run::default())];
    let mut begun = false;
    let mut heading = "";
    for (number, line) in text.lines() {
        if begins(line) {
            if begun {
                runs.push((number, Run::default()));
            }
            begun = true;
            if let Some((_, run)) = runs.last_mut() {
                run.heading = heading;
            }
            heading = "";
        } else if line.chars().any(char::is_alphabetic) {
            let heads = !line.contains(':') && !line.starts_with([' ', '\t']);
            heading = if heads { line.trim() } else { "" };
        }
        let Some((_, run)) = runs.last_mut() else {
            continue;
        };
        run.rates |= rate(line).is_some();
        run.blocks |= blocks.iter().any(|label| labelled(line, label).is_some());
        run.rate |= per_second(line).is_some();
        run.files |= file_rate(line).is_some();
        run.work |= work_rate(line).is_some() || file_rate(line).is_some();
    }
    runs
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut options: Options = Options::default();
    let runs = runs(text);
    let mut run = Run::default();
    let mut test = "";
    let threads = Threads::of(text);
    let headed = headings(text) > 1;
    let mut system = "";
    for (number, line) in text.lines() {
        if let Some((_, own)) = runs.iter().find(|(start, _)| *start == number) {
            run = *own;
            test = if run.files { "fileio" } else { "" };
        }
        if let Some(next) = test_of(line) {
            test = next;
        }
        if line.starts_with("sysbench ") || line.starts_with("Running the test") {
            options = Options::default();
        }
        if let Some(name) = heading(line).filter(|_| headed) {
            system = name;
        }
        for ((_, labels), value) in OPTIONS.iter().zip(&mut options) {
            if let Some(said) = labels.iter().find_map(|label| labelled(line, label)) {
                *value = Some(said);
            }
        }
        if let Some((name, value, unit)) = rate(line) {
            let row = Row::new("sysbench", &format!("{name} transferred"), unit, Higher);
            let row = with(row.id("sysbench", "memory_transferred"), &options, threads);
            sheet.add(system, row, value, number)?;
        } else if let Some((name, value)) = operations(line).filter(|_| !(run.rates && run.blocks))
        {
            let row = Row::new("sysbench", name, "ops/sec", Higher);
            let row = row.id("sysbench", "memory_operations");
            sheet.add(system, with(row, &options, threads), value, number)?;
        } else if is_count(line) {
            sheet.aside(number);
        } else if !run.rates
            && let Some((title, value, unit, more)) = other(line)
        {
            if (run.rate || run.work) && title.starts_with("total") && !unit.ends_with("/s")
                || value == 0.0
            {
                sheet.aside(number);
                continue;
            }
            // Old versions say that it is not exact, behind a comma here.
            let (name, _) = title.split_once(", approx.").unwrap_or((title, ""));
            let row = Row::new("sysbench", name, unit, if more { Higher } else { Lower });
            let row = row.titled(title);
            let row = match (test, run.heading) {
                ("", "") => row,
                // Two of its tests print no word that is of one of them alone.
                ("", heading) if runs.len() > 1 => row.with("test", &heading.to_lowercase()),
                ("", _) => row,
                (test, _) => row.with("test", test),
            };
            // The CPU test's other options are not its own.
            let count = options.last().copied().flatten();
            let count = count.filter(|_| threads == Threads::Several);
            let row = count.map_or(row.clone(), |count| row.with("threads", count));
            sheet.add(system, row, value, number)?;
        }
    }
    if let Threads::All(threads) = threads {
        sheet.state("", "copies", threads);
    }
    Ok(())
}

/// `read:   140280`: how many queries of a kind there were, which the rates below say.
fn is_count(line: &str) -> bool {
    let begins = ["read:", "write:", "other:", "total:"];
    let count = begins.iter().find_map(|begin| after(line, begin));
    count.is_some_and(|count| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()))
}

/// How many threads the runs of a file have.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Threads<'a> {
    Unsaid,
    /// The same number: a fact of the side, as files of other numbers have the same rows.
    All(&'a str),
    /// Different numbers, which set the rows apart.
    Several,
}

impl<'a> Threads<'a> {
    fn of(text: &'a Text) -> Self {
        let numbers = text
            .lines()
            .filter_map(|(_, line)| labelled(line, "Number of threads:"));
        numbers.fold(Threads::Unsaid, |all, number| match all {
            Threads::Unsaid => Threads::All(number),
            Threads::All(other) if other == number => all,
            _ => Threads::Several,
        })
    }
}

/// `row` with what its run was asked for.
fn with(row: Row, options: &Options, threads: Threads) -> Row {
    let said = OPTIONS.iter().zip(options);
    said.fold(row, |row, ((name, _), value)| match value {
        Some(_) if *name == "threads" && threads != Threads::Several => row,
        Some(value) => row.with(name, value),
        None => row,
    })
}

/// The name of the part of a page that a heading begins, `## Live CD`.
fn heading(line: &str) -> Option<&str> {
    let name = line
        .trim_start()
        .strip_prefix('#')?
        .trim_matches(['#', ' ', ':']);
    (!name.is_empty()).then_some(name)
}

/// How many headings have a figure below them.
fn headings(text: &Text) -> usize {
    let (mut count, mut open) = (0, false);
    for (_, line) in text.lines() {
        if heading(line).is_some() {
            open = true;
        } else if open && (rate(line).is_some() || operations(line).is_some()) {
            (count, open) = (count + 1, false);
        }
    }
    count
}
