//! CrystalDiskMark and KDiskMark: rates of a drive, as their text has them.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "crystaldiskmark",
    what: "CrystalDiskMark (Sequential 1MiB (Q=  8, T= 1):  3576.613 MB/s)",
    repeats: "runs of CrystalDiskMark",
    silent: "machine or file system",
    roles: &[("crystaldiskmark.", "", Roles::All(Role::FileDevice))],
    looks,
    part: Some(|line| of_line(line).is_some()),
    known: &[
        "byte/s [SATA",
        "bytes/s [SATA",
        "KB = 1000",
        "CrystalDiskMark",
        "Profile:",
        "Test:",
        "Test :",
        "Time:",
        "Date:",
        "Date :",
        "OS:",
        "OS :",
        "Mode:",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| of_line(line).is_some()) * 3
}

/// One line: what was done, and the figures of it.
struct Line<'a> {
    name: &'a str,
    rate: f64,
    unit: &'a str,
    iops: Option<f64>,
    /// With its unit.
    latency: Option<(f64, &'a str)>,
}

/// `Sequential 1MiB (Q=  8, T= 1):  3576.613 MB/s [   3410.9 IOPS] <  2344.33 us>`
fn of_line(line: &str) -> Option<Line<'_>> {
    let (name, rest) = line.trim().split_once(':')?;
    let known = name.starts_with("Sequential") || name.starts_with("Random");
    if let Some(short) = short(name, rest) {
        return Some(short);
    }
    let (rate, rest) = number_in_front(rest)?;
    let unit = rest.split_whitespace().next()?;
    let inner = |open, close| {
        let (_, behind) = rest.split_once(open)?;
        number_in_front(behind.split_once(close)?.0)
    };
    (known && unit == "MB/s").then(|| Line {
        name: name.trim_end(),
        rate,
        unit,
        iops: inner('[', ']').filter(|i| i.1 == "IOPS").map(|i| i.0),
        latency: inner('<', '>'),
    })
}

/// `4KB Q8T8 Read: 697MB/s IOPS=178685`
fn short<'a>(name: &'a str, rest: &'a str) -> Option<Line<'a>> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [rate, iops] = words[..] else { return None };
    let named = name.ends_with(" Read") || name.ends_with(" Write");
    let (rate, unit) = number_in_front(rate)?;
    (named && unit == "MB/s").then_some(Line {
        name: name.trim_end(),
        rate,
        unit,
        iops: Some(plain(iops.strip_prefix("IOPS=")?)?),
        latency: None,
    })
}

/// `[Read]`: the part that follows.
fn part(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mix = name.starts_with("Mix");
    (mix || ["Read", "Write"].contains(&name)).then_some(name)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut section = "";
    for (number, line) in text.lines() {
        if let Some(name) = part(line) {
            sheet.aside(number);
            section = name;
        }
        let Some(line) = of_line(line) else {
            continue;
        };
        // Older versions have it in the name.
        let whole = match section.is_empty() || holds(line.name, section) {
            true => line.name.to_owned(),
            false => format!("{section} {}", line.name),
        };
        let row = |what: &str, unit: &str, better| {
            Row::new("crystaldiskmark", &format!("{whole}{what}"), unit, better)
        };
        sheet.add("", row("", line.unit, Higher), line.rate, number)?;
        if let Some(iops) = line.iops {
            sheet.add("", row(" IOPS", "IOPS", Higher), iops, number)?;
        }
        if let Some((latency, unit)) = line.latency {
            sheet.add("", row(" latency", unit, Lower), latency, number)?;
        }
    }
    Ok(())
}
