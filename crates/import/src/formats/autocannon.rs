//! autocannon: requests a second of a web server, and how long they took.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{grouped, number_in_front};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "autocannon",
    what: "autocannon (Stat, Avg, Stdev, Max of Latency, Req/Sec, Bytes/Sec)",
    repeats: "runs of autocannon",
    silent: "machines, the server, or what lies between them",
    roles: &[("autocannon.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| columns(line).is_some() || statistics(line).is_some()),
    known: &[
        "Running ",
        "connections",
        "requests in",
        "Req/Bytes counts",
        "# of samples",
        "errors (",
        "2xx responses",
        "autocannon",
        "Now using",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    // wrk has rows of these names too, below other columns.
    match marks(text, |line| columns(line).is_some()) {
        0 => 0,
        tables => (tables + marks(text, |line| statistics(line).is_some())) * 3,
    }
}

/// The words of a line, without the bars between its cells.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| c.is_whitespace() || c == '|' || c == '│';
    line.split(apart).filter(|word| !word.is_empty())
}

/// `Stat         Avg     Stdev    Max`, with percentiles in front in later versions: the names of the columns.
fn columns(line: &str) -> Option<Vec<&str>> {
    let mut words = words(line);
    let names: Vec<&str> = match words.next()? {
        "Stat" => words.collect(),
        _ => return None,
    };
    let known = |name: &&str| ["Avg", "Stdev", "Max", "Min"].contains(name) || name.ends_with('%');
    let all = names.len() > 2 && names.iter().all(known);
    (all && names.contains(&"Avg") && names.contains(&"Stdev")).then_some(names)
}

/// `Bytes/Sec    2.08 MB 84.44 kB 2.23 MB`: the name, and each figure with its unit.
fn statistics(line: &str) -> Option<(&'static str, Vec<(f64, &str)>)> {
    let mut words = words(line).peekable();
    let first = words.next()?;
    let name = ["Latency", "Req/Sec", "Bytes/Sec"];
    let name = name.into_iter().find(|name| *name == first)?;
    let unit = words.next_if(|word| word.starts_with('(') && word.ends_with(')'));
    let unit = unit.map_or("", |unit| unit.trim_matches(['(', ')']));
    let mut figures: Vec<(f64, &str)> = Vec::new();
    for word in words {
        let sticking =
            number_in_front(word).filter(|(_, unit)| unit.chars().all(char::is_alphabetic));
        match grouped(word).map(|value| (value, unit)).or(sticking) {
            Some(figure) => figures.push(figure),
            // A unit stands behind its figure.
            None if word.chars().all(char::is_alphabetic) => figures.last_mut()?.1 = word,
            None => return None,
        }
    }
    (figures.len() > 2).then_some((name, figures))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut names: Vec<&str> = Vec::new();
    for (number, line) in text.lines() {
        if let Some(found) = columns(line) {
            names = found;
            continue;
        }
        let Some((name, figures)) = statistics(line) else {
            continue;
        };
        if figures.len() != names.len() {
            let why = format!("{} figures below {} names", figures.len(), names.len());
            sheet.judge(Err(Fault::at(number, why)))?;
            continue;
        }
        for (column, (value, unit)) in names.iter().zip(figures) {
            let better = match name == "Latency" || *column == "Stdev" {
                true => Lower,
                false => Higher,
            };
            let unit = match (name, unit) {
                ("Latency", "") => "ms".to_owned(),
                ("Latency", unit) => unit.to_owned(),
                ("Req/Sec", _) => "requests/s".to_owned(),
                (_, "") => "B/s".to_owned(),
                (_, unit) => format!("{unit}/s"),
            };
            let row = Row::new("autocannon", &format!("{name} {column}"), &unit, better);
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
