//! mpstat, sar and iostat of sysstat: shares of CPUs, and what devices and networks did, sample by sample.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use whyslow_model::Better::{self, Higher, Lower, Unsaid};

use crate::number::plain;
use crate::reader::marks;
use crate::zeros::Zeros;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "sysstat",
    what: "mpstat, sar and iostat (CPU %usr %nice %sys, IFACE rxpck/s, Device r/s w/s)",
    repeats: "samples of sysstat",
    silent: "the machine, how long a sample was, or what ran meanwhile",
    roles: &[],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &["_x86_64_", "_aarch64_", " CPU)"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 3
}

/// What rows of a table are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Cpu,
    /// One row below the header, of all CPUs.
    AllCpus,
    Device,
    Interface,
    /// Of the machine as a whole, with only the time in front.
    Machine,
}

impl Key {
    fn of(word: &str) -> Option<Key> {
        match word {
            "CPU" => Some(Key::Cpu),
            "avg-cpu:" => Some(Key::AllCpus),
            "Device" | "Device:" | "DEV" => Some(Key::Device),
            "IFACE" => Some(Key::Interface),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Key::Cpu | Key::AllCpus => "cpu",
            Key::Device => "device",
            Key::Interface => "interface",
            Key::Machine => "machine",
        }
    }
}

/// The names of a table.
#[derive(Debug, Clone, PartialEq)]
struct Header<'a> {
    key: Key,
    /// Which word of a row is its label.
    at: Option<usize>,
    columns: Vec<&'a str>,
}

/// When a line was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    None,
    Time,
    Average,
}

/// The words of a line behind its time, `12:00:01 AM`, or `Average:`.
fn stamped(line: &str) -> (Stamp, Vec<&str>) {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let signs = word.matches([':', '时', '分', '時']).count();
        digits >= 5 && signs == 2 && word.starts_with(|c: char| c.is_ascii_digit())
    };
    match words.first() {
        Some(&"Average:" | &"Average") => {
            words.remove(0);
            (Stamp::Average, words)
        }
        Some(word) if is_time(word) => {
            words.remove(0);
            if matches!(words.first(), Some(&"AM" | &"PM")) {
                words.remove(0);
            }
            (Stamp::Time, words)
        }
        _ => (Stamp::None, words),
    }
}

/// Is it the name of a column?
fn is_column(word: &str) -> bool {
    const NAMES: [&str; 22] = [
        "tps", "rtps", "wtps", "dtps", "await", "r_await", "w_await", "d_await", "f_await",
        "svctm", "aqu-sz", "avgqu-sz", "avgrq-sz", "areq-sz", "rareq-sz", "wareq-sz", "dareq-sz",
        "kB_read", "kB_wrtn", "kB_dscd", "Blk_read", "Blk_wrtn",
    ];
    let share = word.len() > 2 && word.starts_with('%');
    let rate = word.strip_suffix("/s").is_some_and(|name| !name.is_empty());
    let total = word.starts_with("MB_") || word.starts_with("GB_");
    share || rate || total || NAMES.contains(&word)
}

/// `12:00:01 AM  CPU  %usr  %nice ...`, `avg-cpu:  %user ...`, `Device  r/s ...  %util`, `12:00:01  proc/s  cswch/s`.
fn header(line: &str) -> Option<Header<'_>> {
    let (stamp, words) = stamped(line);
    let keyed = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, Key::of(word)?)));
    let (key, at) = match keyed {
        Some((at, key)) => (key, Some(at)),
        None if stamp == Stamp::None => return None,
        None => (Key::Machine, None),
    };
    let others = words.iter().enumerate().filter(|(i, _)| Some(*i) != at);
    let columns: Vec<&str> = others.map(|(_, word)| *word).collect();
    let fewest = if key == Key::Cpu { 1 } else { 2 };
    let own = columns.len() >= fewest && columns.iter().all(|word| is_column(word));
    own.then_some(Header {
        key,
        at: at.filter(|_| key != Key::AllCpus),
        columns,
    })
}

/// A line of figures.
struct Sample<'a> {
    stamp: Stamp,
    label: &'a str,
    figures: Vec<f64>,
}

fn sample<'a>(line: &'a str, header: &Header) -> Option<Sample<'a>> {
    let (stamp, mut words) = stamped(line);
    let label = match header.at {
        Some(at) if at < words.len() => words.remove(at),
        Some(_) => return None,
        None if header.key == Key::Machine && stamp == Stamp::None => return None,
        None => "all",
    };
    let figure = |word: &&str| plain(word.strip_suffix('%').unwrap_or(word));
    let figures: Option<Vec<f64>> = words.iter().map(figure).collect();
    let figures = figures.filter(|all| all.len() == header.columns.len())?;
    let named = header.key == Key::Cpu || header.at.is_none() || plain(label).is_none();
    named.then_some(Sample {
        stamp,
        label: label.trim_end_matches(':'),
        figures,
    })
}

/// The unit of a column and which direction is good, where that is the same for everybody.
fn meaning(column: &str) -> (&'static str, Better) {
    let lower = column.to_ascii_lowercase();
    if column.starts_with('%') {
        return ("%", Unsaid);
    }
    if lower.ends_with("await") || column == "svctm" {
        return ("ms", Lower);
    }
    if let Some(what) = lower.strip_suffix("/s") {
        let bytes = [("kb", "kB/s"), ("mb", "MB/s"), ("gb", "GB/s")];
        if let Some((_, unit)) = bytes.iter().find(|(part, _)| what.contains(part)) {
            return (unit, Higher);
        }
        return match what {
            "r" | "w" | "d" | "f" => ("requests/s", Higher),
            "rxpck" | "txpck" => ("packets/s", Higher),
            "rsec" | "wsec" | "rd_sec" | "wr_sec" => ("sectors/s", Higher),
            "blk_read" | "blk_wrtn" | "bread" | "bwrtn" => ("blocks/s", Higher),
            _ if ["err", "drop", "coll"].iter().any(|bad| what.contains(bad)) => ("/s", Lower),
            _ => ("/s", Unsaid),
        };
    }
    match column {
        _ if column.ends_with("tps") => ("requests/s", Higher),
        _ => ("", Unsaid),
    }
}

/// The name of a column in all versions.
fn canonical(column: &str) -> &str {
    match column.trim_start_matches('%') {
        "user" => "usr",
        "system" => "sys",
        "avgqu-sz" => "aqu-sz",
        name => name,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // Averages wait for the end: they count only where their samples are not there.
    let mut averages: Vec<(usize, Rc<Header>, Sample)> = Vec::new();
    let mut samples: Vec<(usize, Rc<Header>, Sample)> = Vec::new();
    let mut now: Option<Rc<Header>> = None;
    let mut headings: BTreeSet<usize> = BTreeSet::new();
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            now = Some(Rc::new(found));
        } else if let Some((header, found)) = now
            .as_ref()
            .and_then(|header| Some((Rc::clone(header), sample(line, header)?)))
        {
            if header.key == Key::AllCpus {
                now = None;
            }
            match found.stamp {
                Stamp::Average => averages.push((number, header, found)),
                _ => samples.push((number, header, found)),
            }
        } else if line.trim_end().ends_with(':') && stamped(line).0 == Stamp::None {
            headings.insert(number);
        } else if line.trim_start().starts_with("Linux ") {
            sheet.aside(number);
        }
    }
    let mut labels: BTreeMap<Key, BTreeSet<&str>> = BTreeMap::new();
    for (_, header, sample) in samples.iter().chain(&averages) {
        labels.entry(header.key).or_default().insert(sample.label);
    }
    let mut zeros = Zeros::new();
    for (_, header, sample) in &samples {
        for (column, value) in header.columns.iter().zip(&sample.figures) {
            zeros.add((header.key, sample.label, *column), *value);
        }
    }
    // Devices of one lone sample can only be held against each other.
    let beside = labels.get(&Key::Device).map_or(0, BTreeSet::len);
    let beside = labels.len() == 1 && beside > 1 && samples.len() + averages.len() == beside;
    let mut all: Vec<&(usize, Rc<Header>, Sample)> = samples.iter().chain(&averages).collect();
    all.sort_by_key(|(number, ..)| *number);
    for (number, header, sample) in all {
        if headings.first().is_some_and(|heading| heading < number) {
            headings.retain(|heading| heading > number);
            sheet.apart();
        }
        for (column, value) in header.columns.iter().zip(&sample.figures) {
            let key = (header.key, sample.label, *column);
            let left_out = match sample.stamp {
                Stamp::Average => zeros.knows(&key) && !zeros.mixed(&key),
                _ => zeros.mixed(&key),
            };
            if left_out {
                sheet.aside(*number);
                continue;
            }
            let (unit, better) = meaning(column);
            let id = format!("{} {}", header.key.name(), canonical(column));
            let row = Row::new("sysstat", &id, unit, better);
            // The device of the other side may be called otherwise.
            let alone = labels
                .get(&header.key)
                .is_some_and(|labels| labels.len() < 2);
            let system = if beside { sample.label } else { "" };
            let (row, title) = match header.key {
                _ if beside => (row, (*column).to_owned()),
                Key::Machine => (row, (*column).to_owned()),
                Key::AllCpus => (row, format!("avg-cpu {column}")),
                Key::Cpu if sample.label == "all" => (row, format!("CPU all {column}")),
                Key::Cpu => (
                    row.with("cpu", sample.label),
                    format!("CPU {} {column}", sample.label),
                ),
                _ if alone => (row, format!("{} {column}", sample.label)),
                key => (
                    row.with(key.name(), sample.label),
                    format!("{} {column}", sample.label),
                ),
            };
            sheet.add(system, row.titled(&title), *value, *number)?;
        }
    }
    if zeros.any_mixed() {
        sheet.note(
            "samples",
            "columns that are zero in some samples are left out, but for their averages",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_versions() {
        for (line, key, columns) in [
            ("CPU    %usr   %nice    %sys   %idle", Key::Cpu, 4),
            (
                "12:00:01 AM  CPU  %user %nice %system %idle intr/s",
                Key::Cpu,
                5,
            ),
            ("Average:  CPU  %usr %idle", Key::Cpu, 2),
            (
                "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
                Key::AllCpus,
                6,
            ),
            (
                "Device:  rrqm/s wrqm/s r/s w/s rsec/s avgrq-sz await svctm %util",
                Key::Device,
                9,
            ),
            ("r/s rkB/s r_await %util Device", Key::Device, 4),
            (
                "11时21分54秒  IFACE  rxpck/s  txpck/s %ifutil",
                Key::Interface,
                3,
            ),
            ("12:00:01  proc/s  cswch/s", Key::Machine, 2),
        ] {
            let found = header(line).map(|h| (h.key, h.columns.len()));
            assert_eq!(found, Some((key, columns)), "{line}");
        }
        for line in [
            "CPU model name",
            "r/s w/s",
            "Device Boot Start End",
            "CPU load is at 5 %",
            "12:00:01 all 1.5 2.5",
        ] {
            assert_eq!(header(line), None, "{line}");
        }
    }
}
