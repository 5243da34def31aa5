//! xdp-bench and its like: packets a second, a line each second.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "xdp-bench",
    what: "xdp-bench (Summary 396,868 rx/s)",
    repeats: "seconds of the run",
    silent: "machine, network card, or size of the packets",
    roles: &[("xdp_bench.", "", Roles::All(Role::LocalBandwidth))],
    looks,
    part: Some(|line| second(line).is_some()),
    known: &[
        "Dropping packets on",
        "Redirecting from",
        "Hairpinning",
        "err,drop/s",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| second(line).is_some()) * 3
}

/// `eth0->eth0    311,210 rx/s    0 err,drop/s    311,208 xmit/s` in parts: each figure with its unit.
fn second(line: &str) -> Option<Vec<(f64, &str)>> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    if name != "Summary" && !name.contains("->") {
        return None;
    }
    let rest: Vec<&str> = words.collect();
    let pairs = rest.chunks(2).map(|pair| match pair {
        [value, unit] if unit.ends_with("/s") => Some((grouped(value)?, *unit)),
        _ => None,
    });
    let figures: Vec<_> = pairs.collect::<Option<_>>()?;
    let received = figures.first().is_some_and(|(_, unit)| *unit == "rx/s");
    received.then_some(figures)
}

/// `$ xdp-bench tx eth0`: what is done with packets.
fn mode(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == "xdp-bench" || word.ends_with("/xdp-bench"))?;
    words.find(|word| !word.starts_with('-'))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut done = "";
    for (number, line) in text.lines() {
        if let Some(figures) = second(line) {
            for (value, unit) in figures {
                // Errors and drops are part of what was sent at the machine, and mostly none.
                if !matches!(unit, "rx/s" | "xmit/s" | "redir/s") || value <= 0.0 {
                    sheet.aside(number);
                    continue;
                }
                let title = format!("xdp-bench {done} {unit}");
                let title = title.replace("  ", " ");
                sheet.add(
                    "",
                    Row::new("xdp_bench", &title, unit, Higher),
                    value,
                    number,
                )?;
            }
        } else if let Some(mode) = mode(line) {
            sheet.aside(number);
            done = mode;
        }
    }
    Ok(())
}
