//! iperf and iperf3: intervals, streams, their sums, and what the sender and the receiver say at the end.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Better::{Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "iperf",
    what: "iperf and iperf3 (Interval, Transfer, Bitrate, Retr, Jitter, sender, receiver)",
    repeats: "iperf runs",
    silent: "the machines, or what lies between them",
    roles: &[
        ("iperf.retr", "", Roles::All(Role::Count)),
        ("iperf.cwnd", "", Roles::All(Role::Count)),
        ("iperf.datagrams", "", Roles::All(Role::Count)),
        ("iperf.lost", "", Roles::All(Role::Count)),
        ("iperf.jitter", "", Roles::All(Role::LocalLatency)),
        ("iperf.", "", Roles::All(Role::LocalBandwidth)),
    ],
    looks,
    part: Some(|line| row(line).is_some() || is_header(line)),
    known: &[
        "] local ",
        "connected to",
        "connected with",
        "Connecting to host",
        "connecting to",
        "TCP window size",
        "UDP buffer size",
        "listening on",
        "Accepted connection",
        "datagrams",
        "Sending ",
        "MSS size",
        "Server Report",
        "CPU Utilization",
        "Reverse mode",
        "Test Complete",
        "Cookie:",
        "Starting Test",
        "Time:",
        "received out-of-order",
        "iperf Done",
        "TCP MSS",
        "Linux ",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some() || is_header(line)) * 3
}

/// `[ ID] Interval           Transfer     Bitrate         Retr  Cwnd`
fn is_header(line: &str) -> bool {
    holds(line, "Interval") && holds(line, "Transfer") && line.trim_start().starts_with('[')
}

/// One line of results.
struct Line<'a> {
    /// Of the stream, or `SUM`.
    id: &'a str,
    /// `TX-C` and `RX-S` where both directions are measured at once.
    direction: &'a str,
    start: f64,
    end: f64,
    /// As printed.
    interval: String,
    transfer: Option<(f64, &'a str)>,
    rate: (f64, &'a str),
    rest: Vec<&'a str>,
}

/// Units of amounts and of rates as both versions print them.
fn is_amount(unit: &str) -> bool {
    matches!(
        unit,
        "Bytes"
            | "KBytes"
            | "MBytes"
            | "GBytes"
            | "TBytes"
            | "bits"
            | "Kbits"
            | "Mbits"
            | "Gbits"
            | "Tbits"
    )
}

fn is_rate(unit: &str) -> bool {
    let amount = unit
        .strip_suffix("/sec")
        .or_else(|| unit.strip_suffix("/s"));
    amount.is_some_and(is_amount)
}

/// `[  5]   0.00-10.00  sec  26.3 GBytes  22.6 Gbits/sec    0             sender`, and the same of iperf 2.
fn row(line: &str) -> Option<Line<'_>> {
    let (id, rest) = line.trim().strip_prefix('[')?.split_once(']')?;
    let id = id.trim().trim_start_matches('*');
    let of_stream = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    if !(of_stream || id.starts_with("SUM")) {
        return None;
    }
    let (direction, rest) = match rest.trim_start().strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => ("", rest),
    };
    let (front, rest) = rest.split_once(" sec")?;
    let (start, end) = front.split_once('-')?;
    let (start, end) = (start.trim(), end.trim());
    let words: Vec<&str> = rest.split_whitespace().collect();
    let at = words.iter().position(|word| is_rate(word))?;
    let rate = (plain(words.get(at.checked_sub(1)?)?)?, *words.get(at)?);
    let transfer = match words.get(..at - 1)? {
        [value, unit] if is_amount(unit) => Some((plain(value)?, *unit)),
        [] => None,
        _ => return None,
    };
    Some(Line {
        id,
        direction,
        start: plain(start)?,
        end: plain(end)?,
        interval: format!("{start}-{end}"),
        transfer,
        rate,
        rest: words[at + 1..].to_vec(),
    })
}

/// Lines that begin another run: what it says first, or the command that was typed.
fn begins(line: &str) -> bool {
    let first = [
        "Connecting to host",
        "Accepted connection",
        "iperf Done",
        "Client connecting",
    ];
    let typed = holds(line, "iperf") && ["-c", "-s"].iter().any(|end| has_word(line, end));
    typed || first.iter().any(|begin| after(line, begin).is_some())
}

fn has_word(line: &str, word: &str) -> bool {
    line.split_whitespace().any(|own| own == word)
}

/// What is known of a run before its lines are read.
#[derive(Default)]
struct Run {
    ids: BTreeSet<u64>,
    /// The end of the last interval of each.
    ends: BTreeMap<String, f64>,
}

impl Run {
    fn take(&mut self, line: &Line<'_>) {
        if let Ok(id) = line.id.parse() {
            self.ids.insert(id);
        }
        let end = self.ends.entry(line.id.to_owned()).or_default();
        *end = end.max(line.end);
    }

    /// Which of several streams it is, from 1: their own numbers are those of sockets, which differ from run to run.
    fn stream(&self, id: &str) -> Option<usize> {
        let id: u64 = id.parse().ok()?;
        let place = self.ids.iter().position(|own| *own == id)?;
        (self.ids.len() > 1).then_some(place + 1)
    }

    /// Is a line that does not say so the sum of all intervals? Ends differ by what was still on its way.
    fn is_total(&self, line: &Line<'_>) -> bool {
        const NEAR: f64 = 0.9;
        let last = self.ends.get(line.id).copied().unwrap_or(line.end);
        line.start == 0.0 && line.end >= last * NEAR
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut runs: Vec<Run> = vec![Run::default()];
    for (_, line) in text.lines() {
        if begins(line) {
            runs.push(Run::default());
        } else if let (Some(found), Some(run)) = (row(line), runs.last_mut()) {
            run.take(&found);
        }
    }
    let mut runs = runs.iter();
    let mut run = runs.next();
    let mut commands = Commands::of(text);
    for (number, line) in text.lines() {
        let command = commands.at(line);
        if begins(line) {
            run = runs.next();
            sheet.aside(number);
        } else if is_header(line) || command {
            sheet.aside(number);
        } else if let (Some(found), Some(run)) = (row(line), run) {
            add(&found, run, &commands, number, sheet)?;
        }
    }
    Ok(())
}

fn add(
    line: &Line<'_>,
    run: &Run,
    commands: &Commands,
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    // What is left out at the start is no result.
    if line.rest.contains(&"(omitted)") {
        sheet.aside(number);
        return Ok(());
    }
    let end = line
        .rest
        .last()
        .copied()
        .filter(|w| matches!(*w, "sender" | "receiver"));
    let what = match end {
        Some(side) => side.to_owned(),
        None if run.is_total(line) => "total".to_owned(),
        None => format!("{} sec", line.interval),
    };
    let stream = run.stream(line.id);
    let sum = line.id.starts_with("SUM");
    let of = match (sum, stream) {
        (true, _) => format!("SUM {what}"),
        (false, Some(stream)) => format!("stream {stream} {what}"),
        (false, None) => what.clone(),
    };
    let of = format!("{of} {}", line.direction);
    let row = |name: &str, unit: &str, better| {
        let row = Row::new("iperf", &format!("{of} {name}"), unit, better);
        let mut row = row
            .id("iperf", name)
            .with("at", what.trim_end_matches(" sec"));
        if sum {
            row = row.with("stream", "SUM");
        } else if let Some(stream) = stream {
            row = row.with("stream", &stream.to_string());
        }
        if !line.direction.is_empty() {
            row = row.with("direction", line.direction);
        }
        commands.on(row)
    };
    let (value, unit) = line.rate;
    sheet.add("", row("bitrate", unit, Higher), value, number)?;
    if let Some((value, unit)) = line.transfer {
        sheet.add("", row("transfer", unit, Higher), value, number)?;
    }
    let rest = match end {
        Some(_) => &line.rest[..line.rest.len() - 1],
        None => &line.rest[..],
    };
    match rest {
        // TCP: what was sent again, and the window.
        [retr] => {
            if let Some(value) = plain(retr) {
                sheet.add("", row("retr", "packets", Lower), value, number)?;
            }
        }
        [retr, window, unit] if is_amount(unit) => {
            if let (Some(retr), Some(window)) = (plain(retr), plain(window)) {
                sheet.add("", row("retr", "packets", Lower), retr, number)?;
                sheet.add("", row("cwnd", unit, Unsaid), window, number)?;
            }
        }
        // UDP: jitter, lost and all datagrams.
        [jitter, "ms", lost, ..] => {
            if let Some(value) = plain(jitter) {
                sheet.add("", row("jitter", "ms", Lower), value, number)?;
            }
            // `0/ 893 (0%)` is printed by iperf 2.
            let all = rest.get(3).copied().unwrap_or_default();
            let all = lost.split_once('/').map(|(lost, own)| match own {
                "" => (lost, all),
                own => (lost, own),
            });
            if let Some((lost, all)) = all
                && let (Some(lost), Some(all)) = (plain(lost), plain(all))
            {
                sheet.add("", row("lost", "datagrams", Lower), lost, number)?;
                sheet.add("", row("datagrams", "datagrams", Unsaid), all, number)?;
            }
        }
        _ => {}
    }
    Ok(())
}
