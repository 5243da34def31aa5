//! `cryptsetup benchmark`: derivation of keys, and ciphers of disks.

use whyslow_model::Better::{self, Higher};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "cryptsetup",
    what: "cryptsetup benchmark (PBKDF2, argon2, Algorithm, Encryption, Decryption)",
    repeats: "runs of cryptsetup benchmark",
    silent: "the processor, or which driver the kernel took",
    roles: &[("cryptsetup.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(is_own),
    known: &["Tests are approximate", "PBKDF2-whirlpool      N/A"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, is_own) * 4
}

fn is_own(line: &str) -> bool {
    is_header(line)
        || derivation(line).is_some()
        || memory_hard(line).is_some()
        || cipher(line).is_some()
}

/// `#     Algorithm |       Key |      Encryption |      Decryption`, in the words of any language.
fn is_header(line: &str) -> bool {
    let english = ["Algorithm", "Encryption", "Decryption"];
    let line = line.trim();
    let drawn = line.starts_with('#') && line.matches('|').count() == 3;
    english.iter().all(|word| holds(line, word))
        || drawn && !line.contains(|c: char| c.is_ascii_digit())
}

/// `PBKDF2-sha256    1627594 iterations per second for 256-bit key`
fn derivation(line: &str) -> Option<(&str, f64)> {
    let (front, _) = line.trim().split_once(" iterations per second")?;
    let mut words = front.split_whitespace();
    let name = words.next().filter(|name| name.starts_with("PBKDF2"))?;
    Some((name, plain(words.next()?)?))
}

/// `argon2id      4 iterations, 1048576 memory, 4 parallel threads (CPUs) for 256-bit key`: how often within the time
/// that was asked for.
fn memory_hard(line: &str) -> Option<(&str, f64, f64)> {
    let line = line.trim();
    let (name, rest) = line
        .split_once(' ')
        .filter(|(name, _)| name.starts_with("argon2"))?;
    let (count, rest) = rest.trim().split_once(" iterations, ")?;
    let (memory, _) = rest.split_once(" memory")?;
    Some((name, plain(count)?, plain(memory)?))
}

/// A rate with its unit.
type Rate = (f64, &'static str);

/// `        aes-xts        256b      2163.7 MiB/s      2138.2 MiB/s`: the cipher with its key, and both rates.
fn cipher(line: &str) -> Option<(String, [Option<Rate>; 2])> {
    let line = line.replace('|', " ");
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, key) = (words.first()?, words.get(1)?);
    let bits = |key: &str| {
        key.trim_end_matches("b")
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    if !(name.contains('-') && bits(key) && key.ends_with('b')) {
        return None;
    }
    let rest = &words[2..];
    let mut rates = [None, None];
    let mut at = 0;
    for rate in &mut rates {
        // Either way may not be there.
        if rest.get(at) == Some(&"N/A") {
            at += 1;
            continue;
        }
        let value = plain(rest.get(at)?)?;
        let unit = match *rest.get(at + 1)? {
            "MiB/s" => "MiB/s",
            "MB/s" => "MB/s",
            "GiB/s" => "GiB/s",
            "KiB/s" => "KiB/s",
            _ => return None,
        };
        *rate = Some((value, unit));
        at += 2;
    }
    Some((format!("{name} {key}"), rates))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let row =
            |title: &str, unit: &str, better: Better| Row::new("cryptsetup", title, unit, better);
        if is_header(line) {
            sheet.aside(number);
        } else if let Some((name, value)) = derivation(line) {
            sheet.add("", row(name, "iterations/s", Higher), value, number)?;
        } else if let Some((name, count, memory)) = memory_hard(line) {
            sheet.add(
                "",
                row(&format!("{name} iterations"), "iterations", Higher),
                count,
                number,
            )?;
            sheet.add(
                "",
                row(&format!("{name} memory"), "KiB", Higher),
                memory,
                number,
            )?;
        } else if let Some((name, rates)) = cipher(line) {
            sheet.aside(number);
            for (way, rate) in ["encryption", "decryption"].iter().zip(rates) {
                if let Some((value, unit)) = rate {
                    sheet.add(
                        "",
                        row(&format!("{name} {way}"), unit, Higher),
                        value,
                        number,
                    )?;
                }
            }
        }
    }
    Ok(())
}
