//! `perf stat`: counters, what follows from them, and times.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::number::grouped;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "perf-stat",
    what: "perf stat (counters, seconds time elapsed)",
    repeats: "perf stat runs",
    silent: "machine, kernel, or what else ran",
    roles: ROLES,
    looks,
    part: Some(|line| of_line(line).is_some()),
    known: &["Performance counter stats", "not supported", "not counted"],
    read,
};

const ROLES: &[RowRoles] = &[
    (
        "perf_stat.seconds_time_elapsed",
        "",
        Roles::All(Role::RealTime),
    ),
    ("perf_stat.seconds_user", "", Roles::All(Role::UserTime)),
    ("perf_stat.seconds_sys", "", Roles::All(Role::SystemTime)),
    ("perf_stat.ghz", "", Roles::All(Role::Clock)),
    ("perf_stat.", "", Roles::All(Role::Count)),
];

/// Ratios that stand behind `#`, with the direction that is good. The others are rates of the counter beside them.
const RATIOS: [(&str, &str, Better); 3] = [
    ("CPUs utilized", "CPUs", Higher),
    ("GHz", "GHz", Higher),
    ("insn per cycle", "per cycle", Higher),
];

/// A figure of a line.
struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    better: Better,
}

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        holds(line, "Performance counter stats")
            || holds(line, "seconds time elapsed")
            || is_counter(line)
            || parted(line).is_some()
    })
    .max(bare(text))
        * 2
}

/// Lines of counters that are all known, where nothing else that perf prints is left of it; few might be anything.
fn bare(text: &Text) -> usize {
    const FEWEST: usize = 3;
    let known = [
        "misses",
        "faults",
        "loads",
        "stores",
        "branches",
        "switches",
        "migrations",
        "tlb",
    ];
    let count = marks(text, |line| {
        of_line(line).is_some_and(|figure| known.iter().any(|part| holds(&figure.name, part)))
    });
    if count >= FEWEST { count } else { 0 }
}

/// A counter with what follows from it.
fn is_counter(line: &str) -> bool {
    line.contains(" # ") && of_line(line).is_some()
}

/// The words of a line without its spread: `( +-  7.75% )` and `+- 0.977`.
fn words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.get(1).is_some_and(|w| *w == "+-" || *w == "±") && words.len() > 3 {
        words.drain(1..3);
    }
    words
}

/// A line of `perf stat -x,`: `417273877343,,cpu-cycles,0.24%,55509246222,38.46,1.53,insn per cycle`.
fn parted(line: &str) -> Option<Figure> {
    let cells: Vec<&str> = line.split([',', ';']).map(str::trim).collect();
    let [value, unit, name, rest @ ..] = &cells[..] else {
        return None;
    };
    let digits = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let more = rest
        .first()
        .is_some_and(|cell| cell.is_empty() || cell.parse::<f64>().is_ok() || cell.ends_with('%'));
    let unit = match *unit {
        "" => "events",
        "msec" => "msec",
        _ => return None,
    };
    (digits && more && is_event(name)).then_some(Figure {
        name: (*name).to_owned(),
        value: value.parse().ok()?,
        unit,
        better: Lower,
    })
}

/// The figure in front.
fn of_line(line: &str) -> Option<Figure> {
    if let Some(figure) = parted(line) {
        return Some(figure);
    }
    let front = line.split('#').next().unwrap_or(line);
    let front = front.split("( +-").next().unwrap_or(front);
    let front = front.split("(+-").next().unwrap_or(front);
    let words = words(front);
    let (first, rest) = words.split_first()?;
    let value = grouped(first)?;
    let known = |name: &str, unit, better| {
        Some(Figure {
            name: name.to_owned(),
            value,
            unit,
            better,
        })
    };
    match rest {
        ["seconds", "time", "elapsed"] => known("seconds time elapsed", "s", Lower),
        ["seconds", "user"] => known("seconds user", "s", Lower),
        ["seconds", "sys"] => known("seconds sys", "s", Lower),
        ["msec", name, ..] | [name @ ("task-clock" | "cpu-clock"), "(msec)"] => {
            known(name, "msec", Lower)
        }
        [name] | [name, "(scaled", ..] if is_event(name) => known(name, "events", Lower),
        [name, share] if is_event(name) && share.starts_with('(') && share.ends_with("%)") => {
            known(name, "events", Lower)
        }
        _ => None,
    }
}

/// Could it be the name of an event, rather than a unit or a word?
fn is_event(name: &str) -> bool {
    /// Events whose name is one plain word.
    const PLAIN: [&str; 8] = [
        "cycles",
        "instructions",
        "branches",
        "faults",
        "cs",
        "migrations",
        "context-switches",
        "page-faults",
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_:/.,=".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let sign = name.contains(['-', ':', '_']) && !name.contains("/s");
    starts && name.chars().all(plain) && (PLAIN.contains(&name) || sign)
}

/// What stands behind `#` and is a figure of its own.
fn ratio(line: &str) -> Option<Figure> {
    let (_, behind) = line.split_once('#')?;
    let (value, _) = crate::pattern::number_first(behind)?;
    let (name, unit, better) = RATIOS.iter().find(|(name, ..)| holds(behind, name))?;
    Some(Figure {
        name: (*name).to_owned(),
        value,
        unit,
        better: *better,
    })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if line.contains("<not ") {
            let why = "the machine did not count it";
            sheet.refuse(number, why);
        } else if let Some(figure) = of_line(line) {
            for figure in [Some(figure), ratio(line)].into_iter().flatten() {
                let row = Row::new("perf_stat", &figure.name, figure.unit, figure.better);
                sheet.add("", row, figure.value, number)?;
            }
        }
    }
    Ok(())
}
