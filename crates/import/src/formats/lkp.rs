//! Comparisons by the kernel's test robot (LKP): the old value, the change, the new one, the name.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::direction::of_words;
use crate::number::scaled;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "lkp",
    what: "comparisons of the kernel test robot (12345 ± 3% +7.5% 13270 will-it-scale.per_process_ops)",
    repeats: "rows of the same name",
    silent: "the single runs, or how many there were",
    roles: ROLES,
    looks,
    part: Some(|line| row(line).is_some()),
    known: &["commit:", "%stddev", "%change"],
    read,
};

const fn all(part: &'static str, role: Role) -> RowRoles {
    ("lkp.", part, Roles::All(role))
}

const ROLES: &[RowRoles] = &[
    all("lkp.perf_", Role::Count),
    all("lkp.proc_", Role::Count),
    all("lkp.turbostat", Role::Count),
    all("lkp.vmstat", Role::Count),
    all("lkp.mpstat", Role::Count),
    all("lkp.sched_debug", Role::Count),
    all("lkp.numa", Role::Count),
    all("lkp.meminfo", Role::Count),
    all("lkp.slabinfo", Role::Count),
    all("context_switches", Role::Count),
    all("page_faults", Role::Count),
    all("lkp.hackbench", Role::SwitchAnyCpu),
    all("lkp.tbench", Role::SwitchAnyCpu),
    all("lkp.netperf", Role::SwitchAnyCpu),
    all("lkp.stream", Role::MemoryBandwidth),
    all("lkp.unixbench", Role::Other),
    all("user_time", Role::UserTime),
    all("system_time", Role::SystemTime),
    all("elapsed_time", Role::RealTime),
];

/// A row in parts.
struct Change<'a> {
    old: &'a str,
    new: &'a str,
    name: &'a str,
}

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        row(line).is_some() || (line.contains("%stddev") && line.contains("%change"))
    }) * 2
}

/// `5611223 ±  2%     +34.9%    7567076        unixbench.score`
fn row(line: &str) -> Option<Change<'_>> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let name = words.pop()?;
    let named = name.contains('.') && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let (old, rest) = words.split_first()?;
    let rest = spread(rest);
    let (change, rest) = rest.split_first()?;
    let (new, rest) = rest.split_first()?;
    let percent = change.starts_with(['+', '-']) && change.trim_end_matches('%').len() > 1;
    let figures = scaled(old).is_some() && scaled(new).is_some();
    (named && percent && figures && spread(rest).is_empty()).then_some(Change { old, new, name })
}

/// Words without `± 2%` or `±2%` in front.
fn spread<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    match words {
        ["±", _, rest @ ..] => rest,
        [first, rest @ ..] if first.starts_with('±') => rest,
        _ => words,
    }
}

/// Which direction is good, where the name says it; of counters more is more work.
fn better(name: &str) -> Option<Better> {
    let words = name.replace(['_', '.'], " ");
    let known = [
        "per_process_ops",
        "per_thread_ops",
        "ops",
        "score",
        "throughput",
        "workload",
    ];
    if known.iter().any(|end| name.ends_with(end))
        || name.ends_with("_per_sec")
        || name.ends_with("_MBps")
    {
        return Some(Higher);
    }
    let tools = [
        "perf-stat.",
        "vmstat.",
        "turbostat.",
        "mpstat.",
        "proc-vmstat.",
        "perf-profile.",
        "sched_debug.",
    ];
    if tools.iter().any(|tool| name.starts_with(tool)) {
        return Some(Lower);
    }
    of_words(&words)
}

/// Is it a commit's name, cut short?
fn is_hash(word: &str) -> bool {
    word.len() >= 10 && word.bytes().all(|b| b.is_ascii_hexdigit())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut sides = (String::from("before"), String::from("after"));
    let mut commits: Vec<String> = Vec::new();
    let mut after_commit = false;
    for (number, line) in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(Change { old, new, name }) = row(line) {
            let Some(better) = better(name) else {
                sheet.refuse(number, "its name does not say which direction is good");
                continue;
            };
            for (side, printed) in [(&sides.0, old), (&sides.1, new)] {
                if let Some(value) = scaled(printed) {
                    sheet.add(side, Row::new("lkp", name, "", better), value, number)?;
                }
            }
        } else if words.len() > 1 && words.iter().all(|w| is_hash(w)) {
            sheet.aside(number);
        } else if words == ["commit:"] {
            sheet.aside(number);
            commits.clear();
            after_commit = true;
        } else if after_commit && !words.is_empty() {
            sheet.aside(number);
            // `8e7f82deb0 ("title of the change")`
            commits.push(words[0].to_owned());
            after_commit = commits.len() < 2;
            if let [a, b] = commits.as_slice() {
                sides = (a.clone(), b.clone());
            }
        }
    }
    Ok(())
}
