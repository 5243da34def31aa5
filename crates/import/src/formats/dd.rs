//! dd, of GNU, busybox and BSD: how long it copied, and how fast.

use std::collections::BTreeSet;

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::number_in_front;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "dd",
    what: "dd (N bytes (...) copied, 1.5 s, 1.4 GB/s)",
    repeats: "runs of dd",
    silent: "machine, file system, device, or whether the data was in memory",
    roles: &[("dd.", "", Roles::All(Role::FileDevice))],
    looks,
    part: Some(|line| copied(line).is_some()),
    known: &["records in", "records out", "dd if=", "dd of="],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| copied(line).is_some()) * 3
}

/// What one line says.
struct Copied<'a> {
    bytes: &'a str,
    seconds: f64,
    rate: f64,
    unit: &'a str,
}

/// `2147483648 bytes (2.0GB) copied, 47.4 seconds, 43.2MB/s`, `... bytes transferred in 1.5 secs (7158 bytes/sec)`
fn copied(line: &str) -> Option<Copied<'_>> {
    let (bytes, rest) = line.trim().split_once(" bytes ")?;
    let whole = !bytes.is_empty() && bytes.bytes().all(|b| b.is_ascii_digit());
    let (time, rate) = match rest.split_once("copied, ") {
        Some((_, rest)) => rest.split_once(", ")?,
        None => {
            let (_, rest) = rest.split_once("transferred in ")?;
            let (time, rate) = rest.split_once('(')?;
            (time, rate.strip_suffix(')')?)
        }
    };
    let (seconds, unit) = number_in_front(time)?;
    let is_time = ["s", "sec", "secs", "seconds"].contains(&unit);
    let (rate, unit) = number_in_front(rate)?;
    let is_rate = unit.ends_with("/s") || unit.ends_with("/sec");
    (whole && is_time && is_rate).then_some(Copied {
        bytes,
        seconds,
        rate,
        unit,
    })
}

/// What a command does, `dd if=/dev/zero of=file bs=1M`, also behind `sudo` or within another command: where from and to
/// says whether it reads or writes.
fn done(line: &str) -> Option<&'static str> {
    let (_, options) = line.split_once("dd ")?;
    let of = |key: &str| {
        let mut words = options.split_whitespace();
        words.find_map(|word| word.trim_start_matches(['"', '\'']).strip_prefix(key))
    };
    let (from, to) = (of("if="), of("of="));
    let (null, zero) = (to == Some("/dev/null"), from == Some("/dev/zero"));
    match (from, to) {
        (None, None) => None,
        (Some(_), Some(_)) if null && zero => Some("passed on"),
        (Some(_), _) if null => Some("read"),
        (Some(_), Some(_)) if zero || from == Some("/dev/urandom") => Some("written"),
        _ => Some("copied"),
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let all = text.lines().filter_map(|(_, line)| copied(line));
    let sizes: BTreeSet<&str> = all.map(|copied| copied.bytes).collect();
    let ways = text.lines().filter_map(|(_, line)| done(line));
    let ways: BTreeSet<&str> = ways.collect();
    let mut way = "copied";
    for (number, line) in text.lines() {
        // Reading and writing are two things; commands of one kind are repetitions.
        way = done(line).filter(|_| ways.len() > 1).unwrap_or(way);
        let Some(copied) = copied(line) else {
            continue;
        };
        // The time goes with the size; the rate is of any.
        let time = Row::new("dd", &format!("{way}, time"), "s", Lower).with("bytes", copied.bytes);
        sheet.add("", time, copied.seconds, number)?;
        let rate = Row::new("dd", &format!("{way}, rate"), copied.unit, Higher);
        let rate = match sizes.len() > 1 {
            true => rate.with("bytes", copied.bytes),
            false => rate,
        };
        sheet.add("", rate, copied.rate, number)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_read_or_write() {
        for (line, done) in [
            (
                "$ dd if=/dev/zero of=/mnt/a bs=8k conv=fdatasync",
                Some("written"),
            ),
            (
                "time sh -c \"dd if=/dev/zero of=f bs=8k && sync\"; rm f",
                Some("written"),
            ),
            ("sudo dd if=/mnt/a of=/dev/null bs=8k", Some("read")),
            ("dd if=/dev/zero of=/dev/null", Some("passed on")),
            ("dd if=/dev/sda of=/dev/sdb", Some("copied")),
            ("we added 7 of them", None),
        ] {
            assert_eq!(super::done(line), done, "{line}");
        }
    }
}
