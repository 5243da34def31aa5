//! Tables of the kernel test robot: two commits, a change between them, and the name behind.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::number::{grouped, plain};
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "test-robot",
    what: "tables of the kernel test robot (value, %change, value, name)",
    repeats: "tables of the same figure",
    silent: "how often each figure was measured; counts of how a test ran are left out",
    roles: ROLES,
    looks,
    part: Some(|line| of_line(line).is_some()),
    known: &["%stddev", "%change", "%reproduction", "fail:runs"],
    read,
};

/// What its rows are about; the first that fits counts.
const ROLES: &[RowRoles] = &[
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

/// How names of results end, and which direction is good.
const RESULTS: [(&str, Better); 15] = [
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
];

fn looks(text: &Text) -> usize {
    let header = |line: &str| holds(line, "%stddev") && holds(line, "%change");
    marks(text, header) * 3 + marks(text, |line| of_line(line).is_some())
}

/// `12345 ±  2%     -11.2%      10965 ±  1%  will-it-scale.per_thread_ops` in parts: the two figures and the name.
fn of_line(line: &str) -> Option<(f64, f64, &str)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, rest) = words.split_last()?;
    let named = name.contains('.') && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let (before, rest) = figure(rest)?;
    let (change, rest) = rest.split_first()?;
    let changed = change.ends_with('%') && change.starts_with(['+', '-']);
    let (after, rest) = figure(rest)?;
    (named && changed && rest.is_empty()).then_some((before, after, name))
}

/// What mail makes of `±`.
const PLUS_MINUS: [&str; 3] = ["+-", "A+-", "?"];

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
fn commits(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let commit = |word: &str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    match words.as_slice() {
        [a, b] if [a, b].iter().all(|w| commit(w) || is_release(w)) && a != b => Some((a, b)),
        _ => None,
    }
}

/// Two names above a ruler of two parts, whatever they are.
fn above_ruler<'a>(text: &'a Text, number: usize) -> Option<(&'a str, &'a str)> {
    let ruler: Vec<&str> = text.line(number + 1).split_whitespace().collect();
    let drawn = |part: &&str| part.len() > 7 && part.bytes().all(|b| b == b'-');
    let names: Vec<&str> = text.line(number).split_whitespace().collect();
    match names.as_slice() {
        [a, b] if ruler.len() == 2 && ruler.iter().all(drawn) && a != b => Some((a, b)),
        _ => None,
    }
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
    let (mut before, mut after) = ("before", "after");
    for (number, line) in text.lines() {
        if is_commit(line) {
            sheet.aside(number);
        } else if let Some((a, b)) = commits(line).or_else(|| above_ruler(text, number)) {
            sheet.aside(number);
            (before, after) = (a, b);
        } else if let Some((a, b, name)) = of_line(line) {
            let Some((_, better)) = RESULTS.iter().find(|(end, _)| name.ends_with(end)) else {
                sheet.refuse(
                    number,
                    "a count of how the test ran, of which no direction is good",
                );
                continue;
            };
            for (side, value) in [(before, a), (after, b)] {
                sheet.add(
                    side,
                    Row::new("test_robot", name, "", *better),
                    value,
                    number,
                )?;
            }
        }
    }
    Ok(())
}
