//! usemem of vm-scalability: bytes touched, the time that it took, and the time to give them back, a line a process.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "usemem",
    what: "usemem of vm-scalability (N bytes / N usecs = N KB/s)",
    repeats: "processes of usemem",
    silent: "machine, kernel, or what the memory was swapped to",
    roles: &[("usemem.", "", Roles::All(Role::Fault))],
    looks,
    part: Some(|line| touched(line).is_some() || freed(line).is_some()),
    known: &[],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| touched(line).is_some()) * 3 + marks(text, |line| freed(line).is_some())
}

/// `2717908992 bytes / 4826062 usecs = 549973 KB/s`: the time, the rate and its unit. The bytes are what was asked for.
fn touched(line: &str) -> Option<(f64, f64, &str)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [bytes, "bytes", "/", time, "usecs", "=", rate, unit] => {
            grouped(bytes)?;
            Some((grouped(time)?, grouped(rate)?, unit))
        }
        _ => None,
    }
}

/// `397853 usecs to free memory`
fn freed(line: &str) -> Option<f64> {
    let time = line.trim().strip_suffix("to free memory")?;
    grouped(time.trim().strip_suffix("usecs")?.trim())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let mut add = |name, unit, better, value| {
            sheet.add("", Row::new("usemem", name, unit, better), value, number)
        };
        if let Some((time, rate, unit)) = touched(line) {
            add("throughput", unit, Higher, rate)?;
            add("time to touch memory", "usecs", Lower, time)?;
        } else if let Some(time) = freed(line) {
            add("time to free memory", "usecs", Lower, time)?;
        }
    }
    Ok(())
}
