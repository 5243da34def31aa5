//! dbench and tbench.

use whyslow_model::Better::{Higher, Lower, Unsaid};
use whyslow_model::role::{Role, Roles};

use super::time;
use crate::number::plain;
use crate::pattern::{after, number_first};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "dbench",
    what: "dbench and tbench (Throughput 123.4 MB/sec 8 clients 8 procs)",
    repeats: "runs with as many clients",
    silent: "machine, whether it is dbench or tbench, or the file system",
    // Rows of times have the roles of their own format.
    roles: &[
        ("dbench.count", "", Roles::All(Role::Count)),
        ("dbench.", "", Roles::All(Role::SwitchAnyCpu)),
    ],
    looks,
    // Times below a rate are of the same run.
    part: Some(|line| {
        throughput(line).is_some() || heading(line).is_some() || time::is_times(line)
    }),
    known: &[
        "Operation",
        "warmup",
        "execute",
        "cleanup",
        "Connect",
        "dbench version",
        "tbench",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| throughput(line).is_some()) * 2
}

/// A rate, its unit, what stands behind it.
fn throughput(line: &str) -> Option<(f64, &str, &str)> {
    let (value, rest) = number_first(after(line, "Throughput")?)?;
    let (unit, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (unit.ends_with("/sec") || unit.ends_with("/s")).then_some((value, unit, rest))
}

/// `dbench 48`, `$ ./tbench 8 127.0.0.1`, `time dbench -t 60 16`: what was run, and with how many clients.
fn heading(line: &str) -> Option<(&'static str, &str)> {
    let bare = line.trim().trim_start_matches(['$', '#']).trim();
    let mut words = bare.trim_end_matches(':').split_whitespace().peekable();
    words.next_if_eq(&"time");
    let program = words.next()?.rsplit('/').next()?;
    let program = ["dbench", "tbench"].into_iter().find(|p| *p == program)?;
    let is_count = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let mut clients = None;
    for word in words {
        let address = word.contains(['.', '/']) || word == "localhost";
        match word {
            "client" | "clients" | "procs" | "processes" if clients.is_some() => {}
            // The last number is theirs: others are of options.
            word if is_count(word) => clients = Some(word),
            word if word.starts_with('-') || address => {}
            _ => return None,
        }
    }
    Some((program, clients?))
}

/// `16 clients started`, as old versions print.
fn started(line: &str) -> Option<&str> {
    let clients = line.trim().strip_suffix(" clients started")?;
    clients
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then_some(clients)
}

/// A run, which goes on as long as nothing else is said.
#[derive(Default)]
struct Run<'a> {
    /// What was run, where a heading says it.
    program: &'a str,
    clients: Option<&'a str>,
    /// Has its rate been read?
    done: bool,
}

impl Run<'_> {
    /// A row of the times of the run.
    fn timed(&self, row: Row) -> Row {
        let Some(clients) = self.clients.filter(|_| self.done) else {
            return row;
        };
        let title = match self.program {
            "" => format!("{clients} clients {}", row.title),
            program => format!("{program} {clients} {}", row.title),
        };
        row.with("clients", clients).titled(&title)
    }
}

/// Operations of the load, as dbench's table and tbench's name them.
const OPERATIONS: [&str; 18] = [
    "NTCreateX",
    "Close",
    "Rename",
    "Unlink",
    "Deltree",
    "Mkdir",
    "Rmdir",
    "Qpathinfo",
    "Qfileinfo",
    "Qfsinfo",
    "Sfileinfo",
    "Find",
    "WriteX",
    "ReadX",
    "LockX",
    "UnlockX",
    "Flush",
    "Qwrite",
];

/// ` NTCreateX    5761605     0.172   312.057`: the operation, how often it was done, its average and its largest latency
/// in ms.
fn operation(line: &str) -> Option<(&str, [f64; 3])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, figures @ ..] = &words[..] else {
        return None;
    };
    let figures: Vec<f64> = figures.iter().filter_map(|word| plain(word)).collect();
    let figures: [f64; 3] = figures.try_into().ok()?;
    (words.len() == 4 && OPERATIONS.contains(name)).then_some((*name, figures))
}

/// The clients of the run that a table of operations belongs to: those of the rate that stands below it.
fn clients_below(text: &Text, from: usize) -> Option<String> {
    let below = text.lines().skip_while(|(number, _)| *number < from);
    let (_, _, rest) = below.into_iter().find_map(|(_, line)| throughput(line))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let at = words.iter().position(|w| w.starts_with("client"))?;
    words.get(at.checked_sub(1)?).map(|s| (*s).to_owned())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut run = Run::default();
    for (number, line) in text.lines() {
        if let Some((program, clients)) = heading(line) {
            sheet.aside(number);
            run = Run {
                program,
                clients: Some(clients),
                done: false,
            };
            continue;
        }
        if let Some(clients) = started(line) {
            sheet.aside(number);
            if run.done {
                run = Run::default();
            }
            run.clients = Some(clients);
            continue;
        }
        let times = time::rows(line, number);
        if !times.is_empty() {
            for (row, value) in times {
                if let Some(value) = sheet.either(value)? {
                    sheet.add("", run.timed(row), value, number)?;
                }
            }
            continue;
        }
        if let Some((name, [count, average, largest])) = operation(line) {
            let at = clients_below(text, number);
            let figures = [
                ("Count", "", Unsaid, count),
                ("AvgLat", "ms", Lower, average),
                ("MaxLat", "ms", Lower, largest),
            ];
            for (what, unit, better, value) in figures {
                let row = Row::new("dbench", &format!("{name} {what}"), unit, better)
                    .id("dbench", &what.to_lowercase())
                    .with("operation", name);
                let row = match &at {
                    Some(clients) => row.with("clients", clients),
                    None => row,
                };
                sheet.add("", row, value, number)?;
            }
            continue;
        }
        let Some((value, unit, rest)) = throughput(line) else {
            // Times below other words are not known to be of the run.
            if run.done && !line.trim().is_empty() {
                run = Run::default();
            }
            continue;
        };
        if run.done {
            run = Run::default();
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let before = |word: &str| {
            let at = words.iter().position(|w| w.starts_with(word))?;
            words.get(at.checked_sub(1)?).copied()
        };
        let printed = before("client").or_else(|| before("proc"));
        let clients = printed.or(run.clients);
        let word = match before("client").is_none() && printed.is_some() {
            true => "procs",
            false => "clients",
        };
        let headed = if printed.is_none() { run.program } else { "" };
        run.clients = clients;
        run.done = true;
        let row = |what: &str, unit: &str, better| {
            let title = match (clients, headed) {
                (Some(clients), "") => format!("{what} {clients} {word}"),
                (Some(clients), program) => format!("{program} {clients} {what}"),
                (None, _) => what.to_owned(),
            };
            let row = Row::new("dbench", &title, unit, better).id("dbench", &what.to_lowercase());
            match clients {
                Some(clients) => row.with("clients", clients),
                None => row,
            }
        };
        sheet.add("", row("Throughput", unit, Higher), value, number)?;
        let latency = words.iter().position(|w| w.starts_with("max_latency="));
        if let Some(at) = latency
            && let Some((_, digits)) = words[at].split_once('=')
            && let Some(value) = plain(digits)
        {
            let unit = words.get(at + 1).copied().unwrap_or("ms");
            sheet.add("", row("max_latency", unit, Lower), value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_the_program_and_its_clients() {
        for (line, named) in [
            ("dbench 48", Some(("dbench", "48"))),
            ("$ time ./dbench -t 60 16", Some(("dbench", "16"))),
            ("tbench 8 127.0.0.1", Some(("tbench", "8"))),
            ("dbench 4 clients:", Some(("dbench", "4"))),
            ("dbench run 3", None),
            ("dbench of 2.4.7", None),
            ("dbench", None),
        ] {
            assert_eq!(heading(line), named, "{line}");
        }
        assert_eq!(started("16 clients started"), Some("16"));
        assert_eq!(started("all clients started"), None);
    }
}
