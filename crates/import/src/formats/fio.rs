//! fio: rates and latencies of each job, and of all together, as versions 2 and 3 print them.

mod runs;

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Better::{self, Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::ledger::line_could_be_row;
use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};
use runs::{Runs, of_run};

pub(crate) const READER: Reader = Reader {
    name: "fio",
    what: "fio (read: IOPS=, BW=, clat percentiles, Run status group)",
    repeats: "jobs of fio",
    silent: "the device, the file system, or the memory of the machine",
    roles: &[
        ("fio.cpu", "", Roles::All(Role::Count)),
        ("fio.disk", "", Roles::All(Role::Count)),
        ("fio.", "", Roles::All(Role::FileDevice)),
    ],
    looks,
    part: Some(|line| job(line).is_some() || rates(line).is_some() || status(line).is_some()),
    known: &[
        "Starting ",
        "Jobs: ",
        "IO depths",
        "issued ",
        "latency   :",
        "Disk stats",
        "ticks=",
        "ios=",
        "Run status group",
        "Laying out IO file",
        "fio-",
        "ioengine=",
        "submit ",
        "complete ",
        "err=",
        "fsync/fdatasync",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let own = marks(text, |line| {
        rates(line).is_some() || status(line).is_some() || holds(line, "clat percentiles")
    });
    own * 4 + marks(text, |line| job(line).is_some())
}

/// `randread: (groupid=0, jobs=1): err= 0: pid=4242`: the name of the job.
fn job(line: &str) -> Option<&str> {
    let (name, rest) = line.trim().split_once(": (groupid=")?;
    rest.contains("err=").then_some(name)
}

/// What is done: `read`, `write`, `trim`, a mix of both, or what a job that was cut out is called.
fn rates(line: &str) -> Option<(&str, &str)> {
    let (front, _) = line
        .split_once("IOPS=")
        .or_else(|| line.split_once("iops="))?;
    let (name, rest) = line.split_once(':')?;
    let (name, rest) = (name.trim(), rest.trim());
    // Authors who keep only a part of it keep percentiles or nothing beside the rate.
    let way = matches!(name, "read" | "write" | "trim" | "mixed");
    let rate = holds(rest, "BW=") || (way && rest.starts_with("IOPS="));
    let named = name.len() < 40 && !name.is_empty() && front.len() > name.len();
    (rate && named).then_some((name, rest))
}

/// `   READ: bw=200MiB/s (210MB/s), ...` and `READ: io=..., aggrb=10240KB/s, ...` of all jobs.
fn status(line: &str) -> Option<(&str, &str)> {
    // An author may say in front of it what was run: `fio of 12 volumes:  WRITE: bw=...`.
    let line = line.trim();
    let ways = ["READ: ", "WRITE: ", "TRIM: ", "MIXED: "];
    let begin = ways.iter().find_map(|way| line.find(way)).unwrap_or(0);
    let begins = begin == 0 || line[..begin].trim_end().ends_with(':');
    let (name, rest) = line.get(begin..).filter(|_| begins)?.split_once(": ")?;
    let is = matches!(name, "READ" | "WRITE" | "TRIM" | "MIXED");
    (is && (holds(rest, "bw=") || holds(rest, "aggrb="))).then_some((name, rest))
}

/// `Run status group 1 (all jobs):`
fn group(line: &str) -> Option<&str> {
    let rest = after(line, "Run status group")?;
    let (number, rest) = rest.split_once(' ')?;
    let digits = number.bytes().all(|b| b.is_ascii_digit());
    (digits && rest.starts_with("(all jobs)")).then_some(number)
}

/// The summary of what a group of jobs did in one way.
struct Summary<'a> {
    group: &'a str,
    /// `READ`, `WRITE`.
    way: &'a str,
    /// How much was moved, as printed.
    moved: &'a str,
}

/// The summaries of a text.
struct Groups<'a> {
    /// By line.
    all: BTreeMap<usize, Summary<'a>>,
    /// What several groups do.
    shared: BTreeSet<&'a str>,
    /// The jobs were cut out: what their lines would say stands here alone.
    alone: bool,
    /// Each group moved what it was told to, which tells them apart.
    by_amount: bool,
}

impl<'a> Groups<'a> {
    fn of(text: &'a Text<'_>) -> Self {
        let mut all: BTreeMap<usize, Summary> = BTreeMap::new();
        let mut now = "";
        let mut alone = true;
        // What a group moved in all ways.
        let mut sums: Vec<f64> = Vec::new();
        for (line, words) in text.lines() {
            alone &= job(words).is_none() && rates(words).is_none();
            if let Some(number) = group(words) {
                now = number;
                sums.push(0.0);
            } else if let Some((way, rest)) = status(words) {
                let moved = pairs(rest).into_iter().find(|(key, _)| *key == "io");
                let moved = moved.map_or("", |(_, moved)| moved);
                if let Some(sum) = sums.last_mut() {
                    *sum += bytes(moved);
                }
                let group = now;
                all.insert(line, Summary { group, way, moved });
            }
        }
        // Groups that ran for a time move as much as they can.
        let same = sums.iter().all(|sum| (sum / sums[0] - 1.0).abs() < 0.01);
        let (mut amounts, mut groups) = (BTreeMap::new(), BTreeMap::new());
        let mut shared = BTreeSet::new();
        let mut by_amount = same;
        for Summary { group, way, moved } in all.values() {
            by_amount &= *amounts.entry((*group, *way)).or_insert(*moved) == *moved;
            if *groups.entry(*way).or_insert(*group) != *group {
                shared.insert(*way);
            }
        }
        Groups {
            all,
            shared,
            alone,
            by_amount,
        }
    }

    /// The figures of a summary: names, values as printed, and which way is good.
    fn figures<'b>(&self, rest: &'b str) -> Vec<(&'b str, &'b str, Better)> {
        let figures = pairs(rest).into_iter().filter_map(|(key, value)| {
            let better = match key {
                "bw" | "aggrb" => Higher,
                // The slowest and the fastest job, which are above where jobs are.
                "minb" | "maxb" if self.alone => Higher,
                "mint" | "maxt" if self.alone => Lower,
                _ => return None,
            };
            Some((key, value, better))
        });
        figures.collect()
    }

    /// The row of a figure in `line`, which names its group where several do the same.
    fn row(&self, line: usize, (key, unit, better): (&str, &str, Better)) -> Option<Row> {
        let Summary { group, way, moved } = self.all.get(&line)?;
        let what = if key == "aggrb" { "bw" } else { key };
        let row = Row::new("fio", &format!("all jobs {way} {what}"), unit, better);
        if !self.shared.contains(way) {
            return Some(row);
        }
        let title = match self.by_amount && !moved.is_empty() {
            true => format!("group {group} {way}: io={moved}, {key}"),
            false => format!("group {group} {way}: {key}"),
        };
        Some(row.with("group", group).titled(&title))
    }
}

/// What is said of a device: a name, its figure and the unit.
type Busy = (&'static str, f64, &'static str);

/// `  sdb: ios=1966/12, merge=0/0, ticks=512/91, in_queue=603, util=90.25%`: the device, what it was busy with in ms, and
/// the share of the time that it was busy.
fn disk(line: &str) -> Option<(&str, Vec<Busy>)> {
    let (name, rest) = line.trim().split_once(": ios=")?;
    let mut found = Vec::new();
    for (key, value) in pairs(rest) {
        match key {
            "ticks" => {
                let (reads, writes) = value.split_once('/')?;
                found.push(("ticks read", plain(reads)?, "ms"));
                found.push(("ticks write", plain(writes)?, "ms"));
            }
            "in_queue" => found.push(("in_queue", plain(value)?, "ms")),
            "util" => found.push(("util", plain(value.strip_suffix('%')?)?, "%")),
            _ => {}
        }
    }
    Some((name, found))
}

/// How much an amount such as `3200.0MB` is, 0 where it is none.
fn bytes(text: &str) -> f64 {
    let Some((value, unit)) = number_in_front(text) else {
        return 0.0;
    };
    let power = "KMGT".find(unit.chars().next().unwrap_or('B').to_ascii_uppercase());
    value * 1024f64.powi(power.map_or(0, |at| at as i32 + 1))
}

/// The pairs of a line, `min=81, avg= 612.25, 99.00th=[  988]`.
fn pairs(line: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('=') {
        let key = line[..at]
            .rsplit([' ', ',', '(', '|'])
            .next()
            .unwrap_or_default();
        let rest = line[at + 1..].trim_start();
        let value = match rest.strip_prefix('[') {
            Some(inner) => inner.split(']').next().unwrap_or_default().trim(),
            None => rest.split([',', ' ', '(', ')']).next().unwrap_or_default(),
        };
        if !key.is_empty() && !key.ends_with('>') {
            found.push((key, value));
        }
    }
    found
}

/// A number as printed, `51.2k`, `1015.1k`, `200MiB/s`, with its unit.
fn amount(text: &str) -> Option<(f64, &str)> {
    let (value, unit) = number_in_front(text)?;
    Some(match unit {
        "k" => (value * 1e3, ""),
        "M" => (value * 1e6, ""),
        unit => (value, unit),
    })
}

/// `    clat (usec): min=81, max=9120, ...`: what, the unit, and the figures.
fn latency(line: &str) -> Option<(&str, &str, &str)> {
    let (front, rest) = line.split_once(':')?;
    let (what, unit) = front.trim().split_once('(')?;
    let unit = unit.trim().strip_suffix(')')?.trim();
    let what = what.trim();
    let known = matches!(
        what,
        "slat" | "clat" | "lat" | "sync" | "clat prio 0/0" | "bw"
    );
    (known && rest.contains("min=")).then_some((what, unit, rest))
}

/// `    clat percentiles (usec):`: what of, and the unit.
fn percentiles(line: &str) -> Option<(&str, &str)> {
    let (what, rest) = line.trim().split_once(" percentiles (")?;
    Some((what, rest.split(')').next()?.trim()))
}

/// What is being read.
#[derive(Default)]
struct Place<'a> {
    job: &'a str,
    /// `read`, `write`.
    way: &'a str,
    /// The latency whose percentiles follow, and their unit.
    of: (&'a str, &'a str),
}

/// Lines right above lines of rates that are a name and no figures of fio.
fn headings(text: &Text) -> Vec<usize> {
    /// Longer lines are sentences.
    const LONGEST: usize = 60;
    let mut found = Vec::new();
    let mut above: Option<(usize, &str)> = None;
    for (number, line) in text.lines().filter(|(_, line)| !line.trim().is_empty()) {
        if rates(line).is_some() {
            let named = above.filter(|(_, above)| {
                let own = rates(above).is_some() || status(above).is_some();
                let own = own || latency(above).is_some() || above.contains("th=[");
                let known = READER.known.iter().any(|part| holds(above, part));
                let known = known || line_could_be_row(above);
                !own && !known && above.trim().len() <= LONGEST && !above.contains(": ")
            });
            found.extend(named.map(|(number, _)| number));
        }
        above = Some((number, line));
    }
    found
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut jobs: Vec<&str> = text.lines().filter_map(|(_, line)| job(line)).collect();
    jobs.sort_unstable();
    jobs.dedup();
    // Where the lines of jobs were cut out, what stands above the rates says what was run.
    let headed = match jobs.is_empty() {
        true => headings(text),
        false => Vec::new(),
    };
    let several = jobs.len() > 1 || headed.len() > 1;
    let groups = Groups::of(text);
    // One device is called otherwise on the other side.
    let mut devices: Vec<&str> = text
        .lines()
        .filter_map(|(_, line)| Some(disk(line)?.0))
        .collect();
    devices.sort_unstable();
    devices.dedup();
    let disks = devices.len();
    let mut place = Place::default();
    let mut commands = Commands::of(text);
    let runs = Runs::of(text);
    let mut told = "";
    for (number, line) in text.lines() {
        if commands.at(line) {
            sheet.aside(number);
            continue;
        }
        told = runs.at(number).unwrap_or(told);
        let apart = |row: Row| commands.on(of_run(row, told));
        let add = |sheet: &mut Sheet, title: &str, unit: &str, better: Better, value: f64| {
            let of_job = several && !place.job.is_empty();
            let title = match of_job {
                true => format!("{} {title}", place.job),
                false => title.to_owned(),
            };
            let row = apart(Row::new("fio", &title, unit, better));
            match value > 0.0 {
                true => sheet.add("", row, value, number),
                // Nothing took no time, and none is no rate.
                false => {
                    sheet.aside(number);
                    Ok(())
                }
            }
        };
        let way = place.way;
        if headed.contains(&number) {
            sheet.aside(number);
            place = Place {
                job: line.trim(),
                ..Place::default()
            };
        } else if let Some(name) = job(line) {
            sheet.aside(number);
            place = Place {
                job: name,
                ..Place::default()
            };
        } else if let Some((name, rest)) = rates(line) {
            for (key, value) in pairs(rest) {
                let figure = amount(value);
                match (key.to_ascii_lowercase().as_str(), figure) {
                    ("iops", Some((value, ""))) => {
                        add(sheet, &format!("{name} IOPS"), "IOPS", Higher, value)?;
                    }
                    ("bw", Some((value, unit))) => {
                        add(sheet, &format!("{name} BW"), unit, Higher, value)?;
                    }
                    (key, Some((value, ""))) if key.ends_with("th") => {
                        add(sheet, &format!("{name} clat {key}"), "", Lower, value)?;
                    }
                    _ => {}
                }
            }
            place.way = name;
        } else if let Some((_, rest)) = status(line) {
            for (key, value, better) in groups.figures(rest) {
                if let Some((value, unit)) = amount(value)
                    && let Some(row) = groups.row(number, (key, unit, better))
                {
                    sheet.add("", apart(row), value, number)?;
                }
            }
        } else if let Some((device, figures)) = disk(line).filter(|_| groups.alone) {
            sheet.aside(number);
            for (what, value, unit) in figures.into_iter().filter(|(_, value, _)| *value > 0.0) {
                let row = Row::new("fio", &format!("disk {what}"), unit, Unsaid);
                let row = match disks > 1 {
                    true => row
                        .with("device", device)
                        .titled(&format!("{device} {what}")),
                    false => row,
                };
                sheet.add("", apart(row), value, number)?;
            }
        } else if let Some((what, unit, rest)) = latency(line) {
            for (key, value) in pairs(rest) {
                let better = match (what, key) {
                    ("bw", "min" | "max" | "avg") => Higher,
                    (_, "min" | "max" | "avg" | "stdev") => Lower,
                    _ => continue,
                };
                if let Some((value, "")) = amount(value) {
                    add(sheet, &format!("{way} {what} {key}"), unit, better, value)?;
                }
            }
        } else if let Some(of) = percentiles(line) {
            sheet.aside(number);
            place.of = of;
        } else if line.contains("th=[") {
            sheet.aside(number);
            let (what, unit) = place.of;
            for (key, value) in pairs(line) {
                if let Some((value, "")) = amount(value) {
                    add(sheet, &format!("{way} {what} {key}"), unit, Lower, value)?;
                }
            }
        } else if after(line, "iops").is_some_and(|rest| rest.starts_with(':')) {
            for (key, value) in pairs(line) {
                let better = match key {
                    "min" | "max" | "avg" => Higher,
                    "stdev" => Lower,
                    _ => continue,
                };
                if let Some((value, "")) = amount(value) {
                    add(sheet, &format!("{way} iops {key}"), "IOPS", better, value)?;
                }
            }
        } else if after(line, "cpu").is_some_and(|rest| rest.starts_with(':')) {
            sheet.aside(number);
            for (key, value) in pairs(line) {
                let figure = amount(value.trim_end_matches('%'));
                let unit = if value.ends_with('%') { "%" } else { "" };
                if let Some((value, "")) = figure {
                    add(sheet, &format!("cpu {key}"), unit, Unsaid, value)?;
                }
            }
        } else if after(line, "lat (").is_some() && line.contains('%') {
            // How many took how long: shares of all, which the percentiles say too.
            sheet.aside(number);
        }
    }
    Ok(())
}
