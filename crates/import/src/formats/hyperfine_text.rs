//! What hyperfine prints on a terminal.

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "hyperfine-text",
    what: "what hyperfine prints (Time (mean ± σ): 1.2 s ± 0.1 s)",
    repeats: "benchmarks of one command",
    silent: "machine, shell, or the single runs",
    roles: &[
        ("hyperfine.user", "", Roles::All(Role::UserTime)),
        ("hyperfine.system", "", Roles::All(Role::SystemTime)),
        ("hyperfine.", "", Roles::All(Role::RealTime)),
    ],
    looks,
    part: Some(|line| command(line).is_some() || is_time(line)),
    known: &[
        "faster than",
        "slower than",
        "times ",
        "Warning",
        "Summary",
        "runs",
        "ran",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        is_time(line) || after(line, "Range (min").is_some()
    }) * 3
}

fn is_time(line: &str) -> bool {
    after(line, "Time (mean").is_some() || after(line, "Time (abs").is_some()
}

/// The command of `Benchmark 1: sleep 1` and `Benchmark #1: sleep 1`.
fn command(line: &str) -> Option<&str> {
    let rest = after(line, "Benchmark ")?;
    let (count, command) = rest.split_once(": ")?;
    let count = count.trim_start_matches('#');
    (!count.is_empty() && count.bytes().all(|b| b.is_ascii_digit())).then_some(command.trim())
}

/// The figures in front of units of time, in order: `1.2 s ±  0.1 s    [User: 1.1 s, System: 0.1 s]`.
fn times(text: &str) -> Vec<(f64, &str)> {
    let signs = |c: char| c.is_whitespace() || "[],|".contains(c);
    let words: Vec<&str> = text.split(signs).filter(|w| !w.is_empty()).collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let unit = ["s", "ms", "us", "µs", "ns"]
            .iter()
            .find(|u| **u == pair[1])?;
        Some((plain(pair[0])?, *unit))
    });
    pairs.collect()
}

/// What a mailer has put on further lines, to the bracket that closes.
fn rest_of(text: &Text, number: usize, used: &str, sheet: &mut Sheet) -> String {
    const MOST: usize = 3;
    let mut whole = used.to_owned();
    let next = number + 1..=(number + MOST).min(text.count());
    for (at, line) in next.map(|at| (at, text.line(at))) {
        if is_time(line) || command(line).is_some() {
            break;
        }
        sheet.aside(at);
        whole = format!("{whole} {}", line.trim());
        if line.contains(']') {
            break;
        }
    }
    whole
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let commands = text
        .lines()
        .filter(|(_, line)| command(line).is_some())
        .count();
    let (mut system, mut only) = ("", "");
    for (number, line) in text.lines() {
        let row = |what: &str, unit: &str| Row::new("hyperfine", what, unit, Lower);
        if let Some(command) = command(line) {
            sheet.aside(number);
            // One command alone is what the file is about; of several each is a side.
            (system, only) = if commands > 1 {
                (command, "")
            } else {
                ("", command)
            };
            sheet.note("hyperfine", format!("the command was: {command}"));
        } else if is_time(line) {
            let (_, rest) = line.split_once("):").unwrap_or(("", line));
            let (time, used) = rest.split_once('[').unwrap_or((rest, ""));
            if let Some((value, unit)) = times(time).first() {
                let row = row(format!("Time (mean ± σ) {only}").trim(), unit);
                let row = row.id("hyperfine", "time_mean");
                sheet.add(system, row, *value, number)?;
            }
            // A mailer breaks the line before its figures: `[User:`, `31750.902 s,`, `System: 4564.246 s]`.
            let used = match used.contains(']') || used.is_empty() {
                true => used.to_owned(),
                false => rest_of(text, number, used, sheet),
            };
            for part in used.split(',') {
                let named = [("User:", "User time"), ("System:", "System time")];
                let found = named.iter().find(|(begin, _)| holds(part, begin));
                if let Some((_, title)) = found
                    && let Some((value, unit)) = times(part).first()
                {
                    sheet.add(system, row(title, unit), *value, number)?;
                }
            }
        } else if let Some(rest) = after(line, "Range (min") {
            let (_, rest) = rest.split_once("):").unwrap_or(("", rest));
            for (title, (value, unit)) in ["Range min", "Range max"].into_iter().zip(times(rest)) {
                sheet.add(system, row(title, unit), value, number)?;
            }
        }
    }
    Ok(())
}
