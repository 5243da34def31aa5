//! db_bench of LevelDB, RocksDB and those made after them: time and rate of each benchmark, and its percentiles.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::{number_in_front, plain};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Commands, Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "db_bench",
    what: "db_bench of LevelDB and RocksDB (fillrandom : 3.1 micros/op 320000 ops/sec; 35.4 MB/s)",
    repeats: "runs of db_bench",
    silent: "the device, the memory that was left for caching, or the compiler",
    roles: &[("db_bench.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| bench(line).is_some()),
    known: &[
        "Keys:",
        "Values:",
        "Entries:",
        "Prefix:",
        "Keys per prefix",
        "RawSize:",
        "FileSize:",
        "Write rate:",
        "Read rate:",
        "Compression",
        "Memtablerep",
        "Perf Level",
        "Snappy",
        "LevelDB:",
        "RocksDB:",
        "Date:",
        "CPU:",
        "CPUCache:",
        "finished ",
        "DB path",
        " COUNT : ",
        "entries]",
        " ]",
        "Set seed",
        "Initializing",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| bench(line).is_some()) * 3
}

/// `fillrandom   :       3.125 micros/op 319975 ops/sec 3.125 seconds 1000000 operations;   35.4 MB/s (...)`: the
/// benchmark, the time of an operation, and the rest.
fn bench(line: &str) -> Option<(&str, f64, &str)> {
    let (name, rest) = line.split_once(" : ").or_else(|| line.split_once(':'))?;
    let name = name.trim();
    let (value, rest) = number_in_front(rest)?;
    let rest = rest.strip_prefix("micros/op")?;
    let named = !name.is_empty() && name.len() < 80 && name.split_whitespace().count() <= 4;
    named.then_some((name, value, rest.trim_start_matches([';', ',', ' '])))
}

/// The figures behind the time of an operation: what they are called, the unit, the value, and which direction is good.
fn rates(rest: &str) -> Vec<(&'static str, &str, f64, Better)> {
    // What stands in brackets is what was found, or a remark.
    let rest = rest.split(" (").next().unwrap_or_default();
    let words: Vec<&str> = rest
        .split([' ', ';', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let value = plain(pair[0])?;
        match pair[1] {
            "ops/sec" | "op/s" | "Kop/s" => Some(("rate", pair[1], value, Higher)),
            "MB/s" | "GB/s" | "KB/s" => Some(("throughput", pair[1], value, Higher)),
            _ => None,
        }
    });
    pairs.collect()
}

/// `Count: 64000000 Average: 104.0052  StdDev: 63.28`, `Min: 0  Median: 58.0  Max: 10936`, and `Percentiles: P50: 58.00
/// P75: ...`: each name with its figure.
fn histogram(line: &str) -> Option<Vec<(String, f64)>> {
    let begins = ["Count:", "Min:", "Percentiles:"];
    let begin = begins.iter().find(|begin| after(line, begin).is_some())?;
    let rest = match *begin {
        "Percentiles:" => after(line, begin)?,
        _ => line,
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let mut figures = Vec::new();
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        figures.push((name.strip_suffix(':')?.to_owned(), plain(value)?));
    }
    Some(figures)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut commands = Commands::of(text);
    let mut bench_name = "";
    for (number, line) in text.lines() {
        if commands.at(line) {
            sheet.aside(number);
        } else if let Some((name, value, rest)) = bench(line) {
            bench_name = name;
            let row = |what: &str, unit: &str, better| {
                let row = Row::new("db_bench", &format!("{name} {what}"), unit, better);
                commands.on(row)
            };
            let time = Row::new("db_bench", name, "micros/op", Lower);
            sheet.add("", commands.on(time), value, number)?;
            for (what, unit, value, better) in rates(rest) {
                sheet.add("", row(what, unit, better), value, number)?;
            }
        } else if let Some(figures) = histogram(line).filter(|_| !bench_name.is_empty()) {
            sheet.aside(number);
            for (name, value) in figures {
                // How many there were, and how far apart, is no time.
                if matches!(name.as_str(), "Count" | "StdDev") {
                    continue;
                }
                let title = format!("{bench_name} {name}");
                let row = Row::new("db_bench", &title, "micros", Lower);
                sheet.add("", commands.on(row), value, number)?;
            }
        } else if is_bucket(line) {
            sheet.aside(number);
        } else if holds(line, "RocksDB:") && holds(line, "version") {
            sheet.state("", "other", line);
        }
    }
    Ok(())
}

/// `[       0,       1 ]  1817212   2.839%   2.839% #`
fn is_bucket(line: &str) -> bool {
    let line = line.trim();
    let begins = line.starts_with(['[', '(']) && line.contains(',');
    begins && line.matches('%').count() == 2
}
