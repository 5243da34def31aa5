//! Messages between ranks: the OSU micro-benchmarks and the Intel MPI Benchmarks, a row a size of message.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::{after, wide_cells};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "mpi",
    what: "OSU micro-benchmarks and Intel MPI Benchmarks (# Size  Latency (us), #bytes #repetitions t[usec])",
    repeats: "runs of one benchmark of messages",
    silent: "the machines, or where the ranks were placed",
    roles: &[
        ("mpi.", "bandwidth", Roles::All(Role::LocalBandwidth)),
        ("mpi.", "mb_s", Roles::All(Role::LocalBandwidth)),
        ("mpi.", "mbytes", Roles::All(Role::LocalBandwidth)),
        ("mpi.", "rate", Roles::All(Role::LocalBandwidth)),
        ("mpi.", "", Roles::All(Role::LocalLatency)),
    ],
    looks,
    part: Some(|line| header(line).is_some() || test(line).is_some()),
    known: &["# OSU", "# Send Buffer", "#processes", "# ( ", "# Datatype"],
    read,
};

fn looks(text: &Text) -> usize {
    let headed = marks(text, |line| header(line).is_some());
    let named = marks(text, |line| test(line).is_some());
    if headed > 0 { (headed + named) * 6 } else { 0 }
}

/// A column behind the size: its name with its unit, the unit, which way is good; none for what is a count.
type Column = Option<(String, String, Better)>;

/// `# Size          Latency (us)`, `#bytes #repetitions      t[usec]   Mbytes/sec`: the columns behind the size.
fn header(line: &str) -> Option<Vec<Column>> {
    let line = line.trim();
    let rest = after(line, "#")?;
    if let Some(rest) = rest.strip_prefix("bytes") {
        let columns: Vec<Column> = rest.split_whitespace().map(column).collect();
        let is = columns.len() > 1 && rest.trim_start().starts_with("#repetitions");
        return is.then_some(columns);
    }
    let rest = rest.strip_prefix("Size")?;
    let columns: Vec<Column> = wide_cells(rest).into_iter().map(column).collect();
    columns.iter().any(Option::is_some).then_some(columns)
}

/// What a column holds, by its unit: `Latency (us)`, `Avg Latency(us)`, `MB/s`, `Messages/s`, `t_avg[usec]`.
fn column(name: &str) -> Column {
    let unit = match name.split_once(['(', '[']) {
        Some((_, unit)) => unit.trim_end_matches([')', ']']),
        None => name,
    };
    let better = match unit.to_ascii_lowercase().as_str() {
        "us" | "usec" | "ms" | "ns" => Lower,
        unit if unit.ends_with("/s") || unit.ends_with("/sec") => Higher,
        _ => return None,
    };
    Some((name.trim().to_owned(), unit.to_owned(), better))
}

/// What is run: `# OSU MPI Latency Test v5.6.2`, `# Benchmarking PingPong`.
fn test(line: &str) -> Option<&str> {
    let rest = after(line.trim(), "#")?;
    if let Some(name) = rest.strip_prefix("Benchmarking ") {
        return Some(name.trim());
    }
    let name = rest.strip_prefix("OSU ")?;
    // Its version is no part of what it is.
    let end = name
        .find(" Test")
        .or_else(|| name.rfind(" v"))
        .unwrap_or(name.len());
    Some(name[..end].trim())
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut tests: Vec<&str> = text.lines().filter_map(|(_, line)| test(line)).collect();
    tests.sort_unstable();
    tests.dedup();
    let mut columns: Vec<Column> = Vec::new();
    let mut of = "";
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            columns = found;
            continue;
        }
        if let Some(name) = test(line) {
            sheet.aside(number);
            of = name;
            columns.clear();
            continue;
        }
        let mut words = line.split_whitespace();
        let Some(size) = words.next().filter(|_| !columns.is_empty()) else {
            continue;
        };
        let values: Option<Vec<f64>> = words.map(plain).collect();
        let is_size = size.bytes().all(|b| b.is_ascii_digit());
        let Some(values) = values.filter(|v| is_size && v.len() == columns.len()) else {
            continue;
        };
        sheet.aside(number);
        for (column, value) in columns.iter().zip(values) {
            let Some((name, unit, better)) = column.as_ref().filter(|_| value > 0.0) else {
                continue;
            };
            let mut row = Row::new("mpi", name, unit, *better).with("bytes", size);
            let mut title = format!("{size} {name}");
            if tests.len() > 1 && !of.is_empty() {
                row = row.with("test", of);
                title = format!("{of} {title}");
            }
            sheet.add("", row.titled(&title), value, number)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_both() {
        let names = |line: &str| -> Vec<String> {
            let columns = header(line).unwrap_or_default();
            columns
                .into_iter()
                .flatten()
                .map(|(name, ..)| name)
                .collect()
        };
        assert_eq!(names("# Size          Latency (us)"), ["Latency (us)"]);
        assert_eq!(
            names("# Size      Bandwidth (MB/s)   Message Rate (messages/s)"),
            ["Bandwidth (MB/s)", "Message Rate (messages/s)"]
        );
        assert_eq!(
            names("# Size     Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"),
            ["Avg Latency(us)", "Min Latency(us)", "Max Latency(us)"]
        );
        assert_eq!(
            names("       #bytes #repetitions      t[usec]   Mbytes/sec"),
            ["t[usec]", "Mbytes/sec"]
        );
        assert!(header("# Size of the file is 12").is_none());
    }
}
