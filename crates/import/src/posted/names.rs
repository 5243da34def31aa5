//! What the name of a column says: a side, a measured quantity, what it was measured at, or no result at all.

use std::collections::BTreeSet;

use crate::direction::{of_unit, of_words, unit_in};
use crate::pattern::in_brackets;
use crate::sides::names_side;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Results of the side, or of the quantity, that the column names.
    Values(String),
    /// What the row was measured at, beside its label: `Threads`, `Boost`.
    Key(String),
    /// Units of the row.
    Unit,
    /// Differences, ratios, spreads: what follows from values.
    Derived,
}

/// Words of columns that hold no results.
const DERIVED: &[&str] = &[
    "diff",
    "difference",
    "delta",
    "ratio",
    "speedup",
    "improvement",
    "stdev",
    "stddev",
    "deviation",
    "variance",
    "regression",
    "coeffvar",
];

/// Whole names of such columns: within a name they may be part of a side's.
const DERIVED_NAMES: &[&str] = &[
    "change",
    "changes",
    "improv",
    "gain",
    "std",
    "std dev",
    "std. dev",
    "std. dev.",
    "err",
    "error",
    "cov",
    "cv",
    "var",
    "rel",
    "relative",
    "impact",
    "sd",
    "vs",
    "uplift",
    "pct",
    "percent",
    "ci",
    "p",
    "p-value",
    "loss",
    "overhead",
    "+/-",
    "%",
];

/// Names of the size that columns are of.
pub(super) const SIZES: &[&str] = &[
    "threads",
    "clients",
    "processes",
    "groups",
    "tasks",
    "cpus",
    "cores",
    "copies",
    "size",
    "workers",
    "nr",
    "jobs",
    "procs",
    "thread",
    "nodes",
    "vcpus",
    "load",
    "thr",
    "users",
    "connections",
    "streams",
    "reclen",
    "blocksize",
    "bs",
    "qd",
    "iodepth",
    "stride",
];

/// Names of the column of labels.
pub(super) const TESTS: &[&str] = &[
    "test",
    "tests",
    "benchmark",
    "bench",
    "metric",
    "name",
    "kernel",
    "version",
    "workload",
    "config",
    "case",
    "percentile",
    "operation",
    "program",
];

/// Names of labels that are what is compared.
pub(super) const COMPARED: &[&str] = &[
    "allocator",
    "malloc",
    "libc",
    "glibc",
    "governor",
    "compiler",
    "hypervisor",
    "build",
    "setup",
    "variant",
    "configuration",
];

/// Names of columns that count repetitions.
const REPEATS: &[&str] = &[
    "run",
    "iteration",
    "iter",
    "trial",
    "attempt",
    "no",
    "repetition",
    "pass",
    "round",
    "measurement",
];

/// Words of columns with counts of runs.
const COUNTS: &[&str] = &[
    "runs",
    "samples",
    "n",
    "cnt",
    "nres",
    "calls",
    "passes",
    "baseline_index",
];

/// More columns in front of a quantity are tests.
const MOST_KEYS: usize = 4;

/// Sizes that a test is given, and that are never its result.
const GIVEN: [&str; 10] = [
    "transfer size",
    "message size",
    "msg size",
    "packet size",
    "payload size",
    "request size",
    "buffer size",
    "block size",
    "record size",
    "chunk size",
];

/// What a test was given beside sizes.
const SETTINGS: [&str; 6] = [
    "pipeline",
    "depth",
    "batch",
    "concurrency",
    "parallelism",
    "ranks",
];

/// Takes numbers of what works at once, `Pipeline`, `io_threads`, in front of two sides and what follows from these for what
/// tells rows apart.
fn take_settings(columns: &mut [Kind]) {
    if !columns.contains(&Kind::Derived) {
        return;
    }
    let given = |kind: &Kind| match kind {
        Kind::Values(name) => {
            let plain = |c: char| c.is_alphabetic() || "_- ".contains(c);
            let lower = name.to_lowercase();
            let known = SETTINGS.contains(&lower.as_str()) || is_size(name);
            known && name.chars().all(plain) && of_words(name).is_none() && !names_side(name)
        }
        _ => false,
    };
    let sides = columns.iter().enumerate();
    let sides = sides.filter(|(_, kind)| matches!(kind, Kind::Values(_)) && !given(kind));
    let Some((behind, _)) = sides.rev().nth(1) else {
        return;
    };
    let settings: Vec<usize> = (0..behind).filter(|at| given(&columns[*at])).collect();
    for at in settings {
        if let Kind::Values(name) = &mut columns[at] {
            columns[at] = Kind::Key(std::mem::take(name));
        }
    }
}

/// Takes sizes in front that a test was given for what tells rows apart, beside anything measured.
fn take_given(columns: &mut [Kind]) {
    let given = |kind: &Kind| match kind {
        Kind::Values(name) => GIVEN.iter().any(|size| name.to_lowercase().contains(size)),
        _ => false,
    };
    let front = columns.iter().take_while(|kind| given(kind)).count();
    if front == columns.len() {
        return;
    }
    for kind in &mut columns[..front] {
        if let Kind::Values(name) = kind {
            *kind = Kind::Key(std::mem::take(name));
        }
    }
}

/// Columns in front of the first measured quantity say what it was measured at, where none is a side's. Beside one that
/// has its unit, `Cost(ns)`, other words are no results.
pub(super) fn find_keys(columns: &mut [Kind]) {
    take_given(columns);
    take_settings(columns);
    let name = |kind: &Kind| match kind {
        Kind::Values(name) => Some(name.clone()),
        _ => None,
    };
    let is = |kind: &Kind, of: &dyn Fn(&str) -> bool| name(kind).is_some_and(|name| of(&name));
    let Some(first) = columns.iter().position(|kind| is(kind, &is_quantity)) else {
        return;
    };
    let side = columns.iter().any(|kind| is(kind, &names_side));
    let (front, behind) = columns.split_at_mut(first);
    let all = behind
        .iter()
        .all(|kind| name(kind).is_none_or(|name| is_quantity(&name)));
    let with_unit = behind.iter().any(|kind| {
        is(kind, &|name| {
            name.contains(['(', '[']) && unit_in(name).is_some()
        })
    });
    // Statistics stand beside tests as well, `fib  sort  AVG`.
    let plain = behind
        .iter()
        .any(|kind| is(kind, &|name| !is_statistic(name)));
    if side || !plain || front.len() > MOST_KEYS || !(all || with_unit) {
        return;
    }
    for kind in front {
        if let Some(name) = name(kind) {
            let bare = name.to_lowercase();
            let bare = bare.trim_end_matches(['#', '.', ' ']);
            *kind = match bare.is_empty() || REPEATS.contains(&bare) {
                true => Kind::Derived,
                false => Kind::Key(name),
            };
        }
    }
    for kind in behind {
        if is(kind, &|name| !is_quantity(name)) {
            *kind = Kind::Derived;
        }
    }
}

/// Is the column's name that of a size or a number of what works at once?
pub(crate) fn is_size(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| SIZES.iter().any(|size| size.eq_ignore_ascii_case(word)))
}

/// Is the column's name that of something measured, rather than of a side?
pub(super) fn is_quantity(name: &str) -> bool {
    // `A76 / 2112 MHz` is at which clock it was.
    let mut words = name.split_whitespace().rev();
    let unit = words.next().is_some_and(|word| of_unit(word).is_some());
    if unit && words.next().is_some_and(|word| word.parse::<f64>().is_ok()) {
        return false;
    }
    let known = is_statistic(name)
        || of_words(name).is_some()
        || of_unit(name).is_some()
        || unit_in(name).is_some()
        || is_count(name);
    known && !names_side(name) && !name.contains('=')
}

/// Is it a unit in brackets?
pub(crate) fn is_bracketed(text: &str) -> bool {
    in_brackets(text).is_some_and(|inner| of_unit(inner).is_some())
}

pub(crate) fn is_statistic(name: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or_default();
    ["mean", "median", "min", "max", "avg", "average"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(first))
}

/// Is it the name of a repetition alone: `run 1`, `Run2`, `pass #3`?
pub(crate) fn is_run(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = name.len() - word.len();
    let word = word.trim_end_matches(['#', ' ', '_', '-']);
    let one = word.strip_suffix('s').unwrap_or(word);
    let known = REPEATS.contains(&word) || REPEATS.contains(&one);
    (1..=3).contains(&count) && word != "no" && known
}

/// Columns of counts that go with times: kernbench's `Sleeps`, `C/Switch`.
fn is_count(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "percent cpu",
        "sleeps",
        "c/switch",
        "context",
        "%cpu",
        "cpu%",
    ]
    .iter()
    .any(|known| name.contains(known))
        || name == "cpu"
}

/// Takes columns that are runs for nameless ones, and what follows from them, such as their mean, for none; says whether
/// there are any.
pub(super) fn take_runs(columns: &mut [Kind]) -> bool {
    let is = |kind: &Kind, of: fn(&str) -> bool| matches!(kind, Kind::Values(name) if of(name));
    let runs = columns.iter().filter(|kind| is(kind, is_run)).count();
    let others = |kind: &Kind| !is(kind, is_run) && !is(kind, is_statistic);
    let values = |kind: &&Kind| matches!(kind, Kind::Values(_));
    // The same runs again are of another side.
    let names: BTreeSet<&String> = columns
        .iter()
        .filter_map(|kind| match kind {
            Kind::Values(name) if is_run(name) => Some(name),
            _ => None,
        })
        .collect();
    if runs < 2 || names.len() < runs || columns.iter().filter(values).any(others) {
        return false;
    }
    for kind in columns {
        *kind = match is(kind, is_run) {
            true => Kind::Values(String::new()),
            false => Kind::Derived,
        };
    }
    true
}

/// Is the name that of what follows from other figures: `Improvement %`, `Δ`?
pub(crate) fn is_derived(name: &str) -> bool {
    !name.is_empty() && kind(name) == Kind::Derived
}

/// Does a name speak of a share? A number in front of the sign, `99 % in`, `50%`, says how many took no longer.
fn has_share(name: &str) -> bool {
    let interval = name
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "ci" | "conf" | "confidence"));
    let counted = |(at, _): (usize, &str)| {
        let number = name[..at]
            .trim_end()
            .ends_with(|c: char| c.is_ascii_digit());
        number && name[at + 1..].contains(char::is_alphabetic)
    };
    name.contains('%') && (interval || !name.match_indices('%').all(counted))
}

/// Takes the columns of the side called `Diff` for such, where another is called `Base` and a third `Base/Diff`.
pub(crate) fn name_diffs(names: &[&str], columns: &mut [Kind]) {
    let ratio = |name: &&str| {
        matches!(
            name.trim().to_lowercase().as_str(),
            "base/diff" | "diff/base"
        )
    };
    if !names.iter().any(ratio) {
        return;
    }
    for (name, column) in names.iter().zip(columns) {
        let name = name.trim();
        let base = name.strip_prefix("Diff").map(|rest| format!("Base{rest}"));
        if base.is_some_and(|base| names.iter().any(|other| other.trim() == base)) {
            *column = Kind::Values(name.to_owned());
        }
    }
}

pub(crate) fn kind(name: &str) -> Kind {
    let name = name.trim().trim_matches(['*', '`', '"', ':']).trim();
    let lower = name.to_lowercase();
    let any = |list: &[&str]| {
        let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|w| list.contains(&w))
    };
    if matches!(lower.as_str(), "unit" | "units") {
        return Kind::Unit;
    }
    // Behind the stroke stands what follows from the figure: `patched / speedup`.
    if let Some((front, behind)) = name.split_once(" / ")
        && kind(behind) == Kind::Derived
        && let Kind::Values(front) = kind(front)
    {
        return Kind::Values(front);
    }
    let cpu = lower.contains("cpu");
    let derived = (has_share(&lower) && !cpu)
        || lower.contains(['±', 'σ', 'Δ', 'δ'])
        || lower.contains("+/-")
        || (any(DERIVED) && !cpu)
        || DERIVED_NAMES.contains(&lower.as_str())
        || (COUNTS.contains(&lower.as_str()));
    if derived || name.is_empty() {
        return Kind::Derived;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    Kind::Values(words.join(" "))
}
