//! Tables of the kernel test robot: two commits, a change between them, and the name behind.

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::number::{grouped, plain};
use crate::pattern::{holds, in_brackets};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "test-robot",
    what: "tables of the kernel test robot (value, %change, value, name)",
    repeats: "tables of the same figure",
    silent: "how often each figure was measured; counts of how a test ran are left out",
    roles: ROLES,
    looks,
    part: Some(|line| of_line(without_setting(line).0).is_some()),
    known: &["%stddev", "%change", "%reproduction", "fail:runs"],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
    ("test_robot.perf_stat", "", Roles::All(Role::Count)),
    ("test_robot.turbostat", "", Roles::All(Role::Count)),
    ("test_robot.", "context_switches", Roles::All(Role::Count)),
    ("test_robot.", "percent_of_cpu", Roles::All(Role::Count)),
    ("test_robot.fsmark", "", Roles::All(Role::FileCreate)),
    ("test_robot.stream_", "", Roles::All(Role::MemoryBandwidth)),
    ("test_robot.hackbench_", "", Roles::All(Role::SwitchAnyCpu)),
    (
        "test_robot.lmbench",
        "bandwidth",
        Roles::All(Role::MemoryBandwidth),
    ),
    (
        "test_robot.",
        "context_switch",
        Roles::All(Role::SwitchAnyCpu),
    ),
    ("test_robot.", "pipe", Roles::All(Role::SwitchAnyCpu)),
    ("test_robot.", "memcpy", Roles::All(Role::MemoryRoutines)),
    ("test_robot.", "page_fault", Roles::All(Role::Fault)),
    ("test_robot.", "mmap", Roles::All(Role::Fault)),
    ("test_robot.", "fork", Roles::All(Role::Fork)),
];

/// How names of results end, and which direction is good; of counters those that say what work costs.
const RESULTS: [(&str, Better); 43] = [
    ("_ops", Higher),
    ("ops_per_sec", Higher),
    (".ops", Higher),
    ("throughput", Higher),
    ("_MBps", Higher),
    ("_bandwidth", Higher),
    ("Throughput_tps", Higher),
    ("Throughput_total_tps", Higher),
    ("score", Higher),
    ("workload", Higher),
    ("elapsed_time", Lower),
    (".system_time", Lower),
    (".user_time", Lower),
    ("time.elapsed_time.max", Lower),
    ("latency", Lower),
    (".processes", Higher),
    (".threads", Higher),
    ("jobs-per-min", Higher),
    ("jobs_per_min", Higher),
    ("files_per_sec", Higher),
    ("ThroughputBoth_tps", Higher),
    ("ThroughputBoth_total_tps", Higher),
    ("time.voluntary_context_switches", Lower),
    ("time.involuntary_context_switches", Lower),
    ("time.percent_of_cpu_this_job_got", Higher),
    ("-misses", Lower),
    ("-miss-rate%", Lower),
    (".MPKI", Lower),
    (".cpi", Lower),
    (".ipc", Higher),
    (".path-length", Lower),
    ("cycles-between-cache-misses", Higher),
    // Lines that another CPU has changed: what they cost is why they are counted.
    (".HITM.total", Lower),
    (".HITM.local", Lower),
    (".HITM.remote", Lower),
    ("vm-scalability.median", Higher),
    ("free_time", Lower),
    ("per_second", Higher),
    ("time_per_request", Lower),
    ("_per_iteration", Lower),
    (".bps", Higher),
    ("turbostat.PkgWatt", Lower),
    ("turbostat.RAMWatt", Lower),
];

/// What the names of monitors begin with that the robot runs beside every test: how the machine did, of which no direction
/// is good by itself.
const MONITORS: [&str; 22] = [
    "boot-time",
    "cpuidle",
    "diskstats",
    "interrupts",
    "iostat",
    "kmsg",
    "latency_stats",
    "meminfo",
    "mpstat",
    "numa-",
    "numa_",
    "numastat",
    "perf-",
    "perf_",
    "proc-",
    "sched_debug",
    "slabinfo",
    "softirqs",
    "turbostat",
    "uptime",
    "vmstat",
    "buddyinfo",
];

/// The robot prints a hundred rows and more; of so few each counter was chosen by hand, and differs for a reason.
const QUOTED: usize = 8;

/// Words within a test's own names that say the direction where no end does.
const WORDS: [(&str, Better); 16] = [
    ("iops", Higher),
    ("clat_", Lower),
    ("slat_", Lower),
    ("latency_mean", Lower),
    ("latency_stddev", Lower),
    ("nanosecs", Lower),
    ("usecs", Lower),
    ("_time_per_", Lower),
    ("ms/op", Lower),
    ("ops/s", Higher),
    ("MB/sec", Higher),
    ("mb/s", Higher),
    ("Mbps", Higher),
    ("per_sec", Higher),
    ("throughput_", Higher),
    ("GFlops", Higher),
];

/// The direction of a result; of names that end alike the longest counts. What a test says of itself is a figure even where
/// its direction is not known; what a monitor counts is none.
fn direction(name: &str) -> Option<Better> {
    let ends = RESULTS.iter().filter(|(end, _)| name.ends_with(end));
    if let Some((_, better)) = ends.max_by_key(|(end, _)| end.len()) {
        return Some(*better);
    }
    let monitor = MONITORS.iter().any(|begin| name.starts_with(begin)) || name.contains(".time.");
    // Shares of a distribution: more of one means less of another.
    let word = WORDS.iter().find(|(word, _)| name.contains(word));
    match word {
        _ if monitor => None,
        Some((_, better)) if !name.ends_with('%') || name.contains("clat_") => Some(*better),
        _ => Some(Unsaid),
    }
}

fn looks(text: &Text) -> usize {
    let header = |line: &str| holds(line, "%stddev") && holds(line, "%change");
    marks(text, header) * 3 + marks(text, |line| of_line(without_setting(line).0).is_some())
}

/// `12345 ±  2%     -11.2%      10965 ±  1%  will-it-scale.per_thread_ops` in parts: a figure of each commit, the changes
/// between them left out, and the name.
fn of_line(line: &str) -> Option<(Vec<f64>, &str)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, rest) = words.split_last()?;
    // Older tables have a row for each setting, `machine/micro/hackbench/600%-process-pipe`, and one of all.
    let rest = match rest.split_last() {
        Some((&"TOTAL" | &"GEO-MEAN", front)) => front,
        _ => rest,
    };
    let dotted = name.contains('.') || is_setting_path(name);
    let named = dotted && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let (first, mut rest) = figure(rest)?;
    let mut figures = vec![first];
    while let Some((change, behind)) = rest.split_first() {
        // Of shares it is the difference itself.
        let bare = change.trim_end_matches('%').strip_prefix(['+', '-']);
        bare.and_then(plain)?;
        let (next, behind) = figure(behind)?;
        figures.push(next);
        rest = behind;
    }
    (named && figures.len() > 1).then_some((figures, name))
}

/// Is it the name of a row of an older table, `lkp-ib03/micro/ebizzy/400%-5-30`: the machine, the kind, the test, its setting?
fn is_setting_path(name: &str) -> bool {
    name.matches('/').count() >= 3 && !name.starts_with('/')
}

/// What rows of an older table are of: the name of the row of all below them.
fn of_all<'a>(text: &'a Text, number: usize) -> Option<&'a str> {
    let below = (number + 1..=text.count()).map(|at| text.line(at));
    let rows = below.take_while(|line| !line.trim().is_empty());
    let mut all = rows.filter_map(|line| {
        let (front, name) = line.trim_end().rsplit_once(char::is_whitespace)?;
        ["TOTAL", "GEO-MEAN"]
            .iter()
            .any(|all| front.ends_with(all))
            .then_some(name)
    });
    all.next()
}

/// Are all words of a line figures, spreads and changes? So is the front of a row that a mail
/// has broken off.
fn is_front(line: &str) -> bool {
    let part = |word: &str| {
        let word = word
            .trim_start_matches(['±', '~', '+', '-'])
            .trim_end_matches('%');
        word.is_empty() || plain(word).is_some() || grouped(word).is_some()
    };
    let mut words = line.split_whitespace();
    words.clone().count() > 1 && words.all(part)
}

/// A row with the lines below it that a mail has broken off, where they make it whole: as many figures as there are sides,
/// and a name. The number of its last line as well.
fn whole(text: &Text, number: usize, sides: usize) -> Option<(String, usize)> {
    /// Names of more commits than that are not printed beside each other.
    const MOST: usize = 4;
    let mut row = text.line(number).to_owned();
    if !is_front(&row) {
        return None;
    }
    for below in number + 1..=(number + MOST).min(text.count()) {
        let line = text.line(below);
        row = format!("{row} {}", line.trim());
        let fits = of_line(without_setting(&row).0);
        if let Some((figures, _)) = fits {
            return (figures.len() == sides).then_some((row, below));
        }
        if !is_front(&format!("{line} 0")) {
            return None;
        }
    }
    None
}

/// Names of commits over several lines, which a mail has broken, down to the ruler below them.
fn commits_over<'a>(text: &'a Text<'_>, number: usize) -> Option<(Vec<&'a str>, usize)> {
    let mut names = Vec::new();
    let mut at = number;
    loop {
        let words: Vec<&str> = text.line(at).split_whitespace().collect();
        let is = |word: &&str| is_commit_name(word) || is_release(word);
        if words.is_empty() || !words.iter().all(is) {
            break;
        }
        names.extend(words);
        at += 1;
    }
    let rulers = (at..=text.count()).map_while(|below| ruler(text.line(below)));
    let parts: usize = rulers.sum();
    (names.len() > 2 && parts == names.len() && are_apart(&names)).then_some((names, at - 1))
}

/// `49aef7175cc6eb70`
fn is_commit_name(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The setting that a row's name ends with or that a mail has broken off to the next line, `(nr_threads= 1)`: its name
/// and its value.
fn setting(text: &str) -> Option<(&str, &str)> {
    let inner = in_brackets(text.trim())?;
    let (name, value) = inner.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let is = |part: &str| !part.is_empty() && part.split_whitespace().count() == 1;
    (is(name) && is(value)).then_some((name, value))
}

/// A row without the setting that its name ends with.
fn without_setting(line: &str) -> (&str, Option<(&str, &str)>) {
    let parts = line.rfind('(').map(|at| line.split_at(at));
    match parts.and_then(|(row, rest)| Some((row, setting(rest)?))) {
        Some((row, found)) => (row, Some(found)),
        None => (line, None),
    }
}

/// What mail makes of `±`.
const PLUS_MINUS: [&str; 5] = ["+-", "A+-", "?", "\\261", "~"];

/// A figure and its spread, and the words behind.
fn figure<'a, 'b>(words: &'b [&'a str]) -> Option<(f64, &'b [&'a str])> {
    let (first, mut rest) = words.split_first()?;
    let value = plain(first).or_else(|| grouped(first))?;
    if let Some((spread, behind)) = rest.split_first()
        && (spread.starts_with('±') || PLUS_MINUS.contains(spread))
    {
        rest = behind;
        // `± 2%` and `±2%`.
        if *spread == "±" || PLUS_MINUS.contains(spread) {
            rest = rest.split_first()?.1;
        }
    }
    Some((value, rest))
}

/// A line of the commits' names, `aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbb`.
fn commits(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is = |word: &&str| is_commit_name(word) || is_release(word);
    (words.len() == 2 && words.iter().all(is) && words[0] != words[1]).then_some(words)
}

/// Names above a ruler of as many parts, whatever they are.
fn above_ruler<'a>(text: &'a Text, number: usize) -> Option<Vec<&'a str>> {
    let names: Vec<&str> = text.line(number).split_whitespace().collect();
    let fits = names.len() > 1 && ruler(text.line(number + 1)) == Some(names.len());
    (fits && are_apart(&names)).then_some(names)
}

/// The number of parts of a line that are all drawn, `---------------- ---------------------------`, if it is one.
fn ruler(line: &str) -> Option<usize> {
    let drawn = |part: &str| part.len() > 7 && part.bytes().all(|b| b == b'-');
    let parts = line.split_whitespace();
    let count = parts.clone().count();
    (count > 0 && { parts }.all(drawn)).then_some(count)
}

/// Is none of the names there twice?
fn are_apart(names: &[&str]) -> bool {
    (1..names.len()).all(|at| !names[..at].contains(&names[at]))
}

/// `1234567890 ("mm: copy in batches")`
fn is_commit(line: &str) -> bool {
    let parts = line.trim().split_once(" (\"");
    parts.is_some_and(|(commit, _)| commit.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// `v6.1-rc4`
fn is_release(word: &str) -> bool {
    word.strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut sides = vec!["before", "after"];
    // The last line that a row above has taken.
    let mut taken = 0;
    let rows = text
        .lines()
        .filter_map(|(_, line)| of_line(without_setting(line).0));
    let mut results = rows
        .clone()
        .filter(|(_, name)| is_setting_path(name) || direction(name).is_some());
    let counts_alone = results.next().is_none();
    let quoted = rows.count() <= QUOTED;
    for (number, line) in text.lines() {
        if number <= taken {
            sheet.aside(number);
            continue;
        }
        let joined = whole(text, number, sides.len());
        let line = match &joined {
            Some((row, last)) => {
                taken = *last;
                row.as_str()
            }
            None => line,
        };
        if is_commit(line) {
            sheet.aside(number);
        } else if let Some((names, last)) = commits_over(text, number) {
            sheet.aside(number);
            taken = last;
            sides = names;
            continue;
        } else if let Some(names) = commits(text.line(number)).or_else(|| above_ruler(text, number))
        {
            sheet.aside(number);
            sides = names;
            continue;
        }
        let (row, mut at) = without_setting(line);
        if let Some((figures, name)) = of_line(row) {
            let below = setting(text.line(number + 1)).filter(|_| at.is_none());
            if below.is_some() {
                sheet.aside(number + 1);
                at = below;
            }
            let all = if is_setting_path(name) {
                of_all(text, number)
            } else {
                None
            };
            // Counts alone are what the report is about, and so are the few of an excerpt.
            let better = direction(all.unwrap_or(name));
            let Some(better) = better.or((counts_alone || quoted).then_some(Unsaid)) else {
                sheet.refuse(
                    number,
                    "a count of how the test ran, of which no direction is good",
                );
                continue;
            };
            if figures.len() != sides.len() {
                sheet.refuse(
                    number,
                    "it has more or fewer figures than there are commits above",
                );
                continue;
            }
            let title = match row.split_whitespace().rev().nth(1) {
                Some(all @ ("TOTAL" | "GEO-MEAN")) => format!("{all} {name}"),
                _ => name.to_owned(),
            };
            for (side, value) in sides.iter().zip(figures) {
                let row = Row::new("test_robot", &title, "", better);
                let row = at.map_or(row.clone(), |(setting, at)| {
                    row.with(setting, at)
                        .titled(&format!("{name} ({setting}={at})"))
                });
                sheet.add(side, row, value, number)?;
            }
        }
    }
    Ok(())
}
