//! The benchmarks of John the Ripper and of hashcat: hashes a second of each kind.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "password-crackers",
    what: "john --test and hashcat -b (Benchmarking:, c/s real, Speed.#1, H/s)",
    repeats: "runs of the benchmark",
    silent: "the processor or graphics device, or its clock",
    roles: &[("crack.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| hash(line).is_some() || rates(line).is_some() || device(line).is_some()),
    known: &[
        "OpenMP threads",
        "test limited",
        "Speed for cost",
        "starting in benchmark",
        "Device #",
        "OpenCL API",
        "CUDA API",
        "Optimizers",
        "optimized-kernel",
        "workload-profile",
        "Started:",
        "Stopped:",
        "MCU",
        "Hashmode:",
        "Hash-Mode",
        "Benchmarking:",
        "(total Speed",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| rates(line).is_some() || device(line).is_some()) * 4
}

/// The kind of hash that follows: `Benchmarking: bcrypt ("$2a$05", 32 iterations) [Blowfish 32/64 X3]... DONE`, and
/// hashcat's `* Hash-Mode 0 (MD5)`, `Hashmode: 1000 - NTLM`. Where it runs, `(8xOMP)`, is no part of its name.
fn hash(line: &str) -> Option<&str> {
    if let Some(rest) = after(line, "Benchmarking:") {
        return Some(rest.split("...").next()?.trim());
    }
    let bare = line.trim().trim_start_matches(['*', ' ']);
    let rest = after(bare, "Hash-Mode ").or_else(|| after(bare, "Hashmode:"))?;
    Some(rest.trim())
}

/// A number with a suffix for thousands, as both print it: `51200K`.
fn count(word: &str) -> Option<f64> {
    let scaled = |sign: char, scale: f64| Some(plain(word.strip_suffix(sign)?)? * scale);
    plain(word)
        .or_else(|| scaled('K', 1e3))
        .or_else(|| scaled('M', 1e6))
        .or_else(|| scaled('G', 1e9))
}

/// `Many salts: 51200K c/s real, 6425K c/s virtual`: the name and both rates.
fn rates(line: &str) -> Option<(&str, f64, Option<f64>)> {
    let (name, rest) = line.trim().split_once(':')?;
    if !matches!(
        name,
        "Many salts" | "Only one salt" | "Raw" | "Short" | "Long"
    ) {
        return None;
    }
    let (real, rest) = rest.split_once(" c/s")?;
    let of_cpu = rest
        .trim_start_matches(" real")
        .trim_start_matches(',')
        .split_once(" c/s")
        .and_then(|(value, _)| count(value.trim()));
    Some((name, count(real.trim())?, of_cpu))
}

/// `Speed.#1.........: 24943.1 MH/s (50.75ms) @ Accel:64 ...`: the device, the rate with its unit, and the time of a
/// run of the kernel.
fn device(line: &str) -> Option<(&str, f64, &str, Option<f64>)> {
    let (name, rest) = line.trim().split_once(':')?;
    let name = name.trim_end_matches('.');
    let device = name
        .strip_prefix("Speed.")
        .or_else(|| name.strip_prefix("Speed.Dev."))?;
    let mut words = rest.split_whitespace();
    let value = plain(words.next()?)?;
    let unit = words.next().filter(|unit| unit.ends_with("H/s"))?;
    let time = words
        .next()
        .and_then(|word| plain(word.strip_prefix('(')?.strip_suffix("ms)")?));
    Some((device, value, unit, time))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut kind = "";
    for (number, line) in text.lines() {
        if let Some((name, real, of_cpu)) = rates(line) {
            let row =
                |what: &str| Row::new("crack", &format!("{kind} {name} {what}"), "c/s", Higher);
            sheet.add("", row("real"), real, number)?;
            if let Some(value) = of_cpu {
                sheet.add("", row("virtual"), value, number)?;
            }
        } else if let Some((device, value, unit, time)) = device(line) {
            let title = format!("{kind} {device}");
            sheet.add("", Row::new("crack", &title, unit, Higher), value, number)?;
            if let Some(value) = time.filter(|value| *value > 0.0) {
                let row = Row::new("crack", &format!("{title} kernel"), "ms", Lower);
                sheet.add("", row, value, number)?;
            }
        } else if let Some(name) = hash(line) {
            sheet.aside(number);
            kind = name;
        }
    }
    Ok(())
}
