//! cyclictest: latencies of timers, by thread.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "cyclictest",
    what: "cyclictest (T: 0 ... Min: 3 Act: 5 Avg: 4 Max: 17)",
    repeats: "threads of cyclictest",
    silent: "machine, kernel, or the load beside it",
    roles: &[("cyclictest.", "", Roles::All(Role::Sleep))],
    looks,
    part: Some(|line| thread(line) || summary(line).is_some()),
    known: &["policy:", "/dev/cpu_dma_latency", "loadavg"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| thread(line) || summary(line).is_some()) * 3
}

/// `T: 0 ( 1234) P:80 I:1000 C: 10000 Min: 3 Act: 5 Avg: 4 Max: 17`
fn thread(line: &str) -> bool {
    after(line, "T:").is_some() && line.contains("Min:") && line.contains("Max:")
}

/// `# Avg Latencies: 00004 00003`: what it is of, and the figures.
fn summary(line: &str) -> Option<(&str, &str)> {
    // Where all lines begin with the mark of a comment, it is taken off.
    let rest = after(line, "#").unwrap_or(line.trim());
    let (name, figures) = rest.split_once(" Latencies:")?;
    matches!(name, "Min" | "Avg" | "Max").then_some((name, figures))
}

/// A line of a few words above summaries, such as a setting that was tried: `slice 3000000`.
fn heading(line: &str) -> Option<&str> {
    /// More are a sentence.
    const WORDS: usize = 4;
    let line = line.trim().trim_end_matches(':');
    let named = line.starts_with(char::is_alphabetic) && !line.contains("policy");
    (named && line.split_whitespace().count() <= WORDS).then_some(line)
}

/// The headings that have summaries right below them.
fn sections<'a>(text: &'a Text<'_>) -> BTreeSet<&'a str> {
    let mut above = None;
    let mut sections = BTreeSet::new();
    for (_, line) in text.lines() {
        if summary(line).is_some() {
            sections.extend(above.take());
        } else if !line.trim().is_empty() {
            above = heading(line);
        }
    }
    sections
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // With -N it counts nanoseconds, which shows nowhere but in the command.
    let nano = text
        .lines()
        .any(|(_, line)| line.contains("cyclictest") && line.contains(" -N"));
    let unit = if nano { "ns" } else { "us" };
    let sections = sections(text);
    let mut section = "";
    let row = |name: &str, section: &str| {
        let row = Row::new("cyclictest", &format!("{name} latency"), unit, Lower);
        if section.is_empty() {
            return row;
        }
        let title = format!("{section} {name} latency");
        row.with("section", section).titled(&title)
    };
    let threads = text.lines().any(|(_, line)| thread(line));
    let mut rounds: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for (number, line) in text.lines() {
        if thread(line) {
            for name in ["Min", "Avg", "Max"] {
                let printed = line.split_once(&format!("{name}:"));
                let value = printed.and_then(|(_, rest)| plain(rest.split_whitespace().next()?));
                if let Some(value) = value {
                    sheet.add("", row(name, ""), value, number)?;
                }
            }
        } else if let Some(next) = heading(line)
            && sections.len() > 1
            && sections.contains(next)
        {
            sheet.aside(number);
            section = next;
        } else if let Some((name, figures)) = summary(line) {
            if threads {
                sheet.aside(number);
                continue;
            }
            let round = rounds.entry((name, section)).or_default();
            for value in figures.split_whitespace().filter_map(plain) {
                // Each is a thread's, as lines of threads are.
                *round += 1;
                sheet.add_once("", row(name, section), value, number, *round)?;
            }
        }
    }
    Ok(())
}
