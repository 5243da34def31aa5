//! Speed tests of the kernel's tcrypt module: cycles or operations of each size of block.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "tcrypt",
    what: "speed tests of tcrypt (test 0 (16 byte blocks, ...): 753 cycles/operation)",
    repeats: "runs of the speed test",
    silent: "machine, or what else ran; of how many operations it is the fastest or the mean",
    roles: &[("tcrypt.", "", Roles::All(Role::Compute))],
    looks,
    part: Some(|line| test(line).is_some()),
    known: &["testing speed of"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| test(line).is_some()) * 3
}

/// What was measured in a row: its figure, its unit, and which direction is good.
type Figure<'a> = (f64, &'a str, Better);

/// `tcrypt: test  1 (   64 byte blocks,   16 bytes per update,   4 updates):   2305 cycles/operation,   36 cycles/byte` in
/// parts: its name with single spaces, and the figures.
fn test(line: &str) -> Option<(String, Vec<Figure<'_>>)> {
    let line = line.trim();
    let line = line.strip_prefix("tcrypt:").unwrap_or(line).trim_start();
    let (name, rest) = line.strip_prefix("test")?.split_once("):")?;
    let (count, sizes) = name.split_once('(')?;
    let sizes: Vec<&str> = sizes.split_whitespace().collect();
    let counted = count.trim().parse::<u32>().is_ok();
    if !counted || !holds(name, "byte block") {
        return None;
    }
    let name = format!("test {} ({})", count.trim(), sizes.join(" "));
    let words: Vec<&str> = rest.split_whitespace().collect();
    let figures = match words.as_slice() {
        // `1 operation in 270 cycles (16 bytes)`
        [_, "operation" | "operations", "in", cycles, "cycles", ..] => {
            vec![(grouped(cycles)?, "cycles/operation", Lower)]
        }
        // `3412345 operations in 1 seconds (54597520 bytes)`: other times are other figures, and the bytes follow.
        [count, "operations", "in", "1", "seconds" | "second", ..] => {
            vec![(grouped(count)?, "operations/s", Higher)]
        }
        _ => rest.split(", ").map(amount).collect::<Option<_>>()?,
    };
    Some((name, figures))
}

/// `753 cycles/operation`, `2341 opers/sec`
fn amount(text: &str) -> Option<Figure<'_>> {
    let (value, unit) = text.trim().split_once(char::is_whitespace)?;
    let unit = unit.trim();
    let better = match unit {
        "cycles/operation" | "cycles/byte" => Lower,
        "opers/sec" | "bytes/sec" => Higher,
        _ => return None,
    };
    Some((grouped(value)?, unit, better))
}

/// `testing speed of async cmac(aes) (cmac(aes-aesni)) encryption`: what is tested. The driver in brackets is what two sides
/// differ in.
fn heading(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("testing speed of ")?;
    let words = rest
        .split_whitespace()
        .filter(|word| !word.starts_with('('));
    Some(words.collect::<Vec<_>>().join(" "))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut tested: Vec<String> = text.lines().filter_map(|(_, l)| heading(l)).collect();
    tested.sort_unstable();
    tested.dedup();
    let mut front = String::new();
    for (number, line) in text.lines() {
        if let Some(name) = heading(line) {
            sheet.aside(number);
            if tested.len() > 1 {
                front = format!("{name} ");
            }
        } else if let Some((name, figures)) = test(line) {
            let several = figures.len() > 1;
            for (value, unit, better) in figures {
                let title = match several {
                    true => format!("{front}{name} {unit}"),
                    false => format!("{front}{name}"),
                };
                // Of small blocks cycles of a byte may be rounded to none.
                if value > 0.0 {
                    sheet.add("", Row::new("tcrypt", &title, unit, better), value, number)?;
                } else {
                    sheet.aside(number);
                }
            }
        }
    }
    Ok(())
}
