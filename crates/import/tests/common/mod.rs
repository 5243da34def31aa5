//! The samples, imported records as text, and the numbers that stand in an input.
#![allow(dead_code)] // each test uses what it needs
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use whyslow_import::{Imported, import};
use whyslow_model::record::Outcome;
use whyslow_model::{Better, Record};

pub(crate) fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/data")
}

/// Every sample: its format, its file's name, its bytes.
pub(crate) fn samples() -> Vec<(String, String, Vec<u8>)> {
    let mut samples = Vec::new();
    let mut folders: Vec<_> = fs::read_dir(data())
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    folders.sort();
    for folder in folders {
        let format = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            samples.push((format.clone(), name, fs::read(&file).unwrap()));
        }
    }
    samples
}

/// All values of a record, by point, in the order of rounds.
pub(crate) fn values(record: &Record) -> Vec<(String, u32, f64)> {
    let mut values = Vec::new();
    for process in &record.processes {
        let Outcome::Draws(draws) = &process.outcome else {
            panic!("an imported process failed");
        };
        for series in draws.iter().flat_map(|d| &d.series) {
            assert_eq!(series.work, 1.0);
            for ns in &series.ns {
                values.push((process.point.to_string(), process.round, *ns));
            }
        }
    }
    values
}

/// What an import gave, as text for people.
pub(crate) fn shown(imported: &Imported) -> String {
    let formats: Vec<&str> = imported.formats.iter().map(|f| f.name()).collect();
    let (kept, refused) = (imported.kept, imported.refused);
    let mut text = format!("{}: {kept} kept, {refused} refused\n", formats.join(", "));
    for row in &imported.refusals {
        text += &format!("refused {}: {} | {}\n", row.line, row.text, row.why);
    }
    for record in &imported.systems {
        text += &format!("\n== {}\n", record.origin.as_ref().unwrap().system);
        let values = values(record);
        for planned in &record.plan.points {
            let point = planned.point.to_string();
            let printed: Vec<String> = values
                .iter()
                .filter(|(p, ..)| *p == point)
                .map(|(_, round, value)| match round {
                    1 => value.to_string(),
                    n => format!("#{n} {value}"),
                })
                .collect();
            let arrow = match planned.better {
                Better::Lower => '-',
                Better::Higher => '+',
                Better::Unsaid => '?',
            };
            let size = planned
                .size_bytes
                .map_or(String::new(), |b| format!(" ({b} bytes)"));
            text += &format!(
                "{point}{size} | {} | {arrow}{} | {}\n",
                planned.title.as_deref().unwrap_or_default(),
                planned.symbol.as_deref().unwrap_or_default(),
                printed.join(" ")
            );
        }
        for skipped in &record.plan.skipped {
            text += &format!("skipped {}: {}\n", skipped.what, skipped.why);
        }
        for (name, value) in &record.origin.as_ref().unwrap().stated {
            text += &format!("stated {name}: {value}\n");
        }
        // The first note is the same for all of a format.
        for note in &record.notes[1..] {
            text += &format!("note {}: {}\n", note.about, note.text);
        }
    }
    text
}

/// Every number that stands in the input, read by other means than the importer's.
pub(crate) fn numbers(input: &[u8]) -> HashSet<u64> {
    // Markdown's marks before signs are none of a figure, nor is what clears a terminal.
    let text = String::from_utf8_lossy(input)
        .replace("\\.", ".")
        .replace("\u{1b}[2J", "");
    let bytes = text.as_bytes();
    let mut found = HashSet::new();
    // Minutes in front of seconds, and hours in front of both.
    let timed = |c: char| !(c.is_ascii_digit() || ".:hms".contains(c));
    let pointed = text.replace(',', ".");
    for word in text.split(timed).chain(pointed.split(timed)) {
        let parts: Vec<&str> = word
            .split([':', 'h', 'm', 's'])
            .filter(|p| !p.is_empty())
            .collect();
        let parts: Option<Vec<f64>> = parts.iter().map(|p| p.parse().ok()).collect();
        match parts.as_deref() {
            Some([m, s]) => found.insert((m * 60.0 + s).to_bits()),
            Some([h, m, s]) => found.insert(((h * 60.0 + m) * 60.0 + s).to_bits()),
            _ => false,
        };
    }
    found.extend(durations(&text).map(f64::to_bits));
    let mut at = 0;
    while at < bytes.len() {
        let inside = |b: u8| b.is_ascii_digit() || b == b'.' || b == b',';
        if !inside(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && inside(bytes[at]) {
            at += 1;
        }
        let mantissa = &text[start..at];
        let mut end = at;
        if end < bytes.len() && matches!(bytes[end], b'e' | b'E') {
            end += 1;
            if end < bytes.len() && matches!(bytes[end], b'+' | b'-') {
                end += 1;
            }
            while end < bytes.len() && bytes[end].is_ascii_digit() {
                end += 1;
            }
        }
        // The scale stands behind the exponent, where there is one.
        let scale = match bytes.get(end) {
            Some(b'K' | b'k') => 1e3,
            Some(b'M') => 1e6,
            Some(b'G') => 1e9,
            _ => 1.0,
        };
        // A scale in place of the point, `84k5`.
        let behind = text.get(at + 1..).unwrap_or_default();
        let part = behind
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(behind.len());
        if scale > 1.0
            && let Ok(value) = format!("{mantissa}.{}", &behind[..part]).parse::<f64>()
        {
            found.insert((value * scale).to_bits());
        }
        let mut take = |token: &str| {
            // A locale's points between groups of thousands.
            let mut groups = token.split('.').skip(1).peekable();
            let grouped = groups.peek().is_some() && groups.all(|group| group.len() == 3);
            let whole = if grouped {
                token.replace('.', "")
            } else {
                String::new()
            };
            for token in [
                token.to_owned(),
                whole,
                token.replace(',', ""),
                // A locale's decimal comma.
                token.replace(',', "."),
            ] {
                if let Ok(value) = token.parse::<f64>() {
                    found.insert(value.to_bits());
                    found.insert((value * scale).to_bits());
                }
            }
        };
        take(mantissa);
        take(&text[start..end]);
        mantissa.split(',').for_each(&mut take);
        // The last of several in a line of CSV, with its exponent.
        text[start..end].rsplit(',').take(1).for_each(&mut take);
        // Two columns printed without a space between them.
        if mantissa.len() < 100 {
            for cut in 1..mantissa.len() {
                take(&mantissa[..cut]);
                take(&mantissa[cut..]);
                take(&text[start + cut..end]);
            }
        }
    }
    found
}

/// Times whose parts stand apart, `2m 1.47s`, `1 min, 58s`, in seconds: every run of numbers with ever smaller units.
fn durations(text: &str) -> impl Iterator<Item = f64> {
    let scale = |unit: &str| match unit {
        "h" | "hr" | "hour" | "hours" => Some(3600.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "ms" => Some(1e-3),
        _ => None,
    };
    let kind = |c: char| (c.is_ascii_digit() || c == '.', c.is_ascii_alphabetic());
    let mut pieces: Vec<(&str, (bool, bool))> = Vec::new();
    let mut ended = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let follows = std::mem::replace(&mut ended, end) == at;
        match pieces.last_mut() {
            Some((piece, of)) if follows && *of == kind(c) && *of != (false, false) => {
                *piece = &text[at - piece.len()..end];
            }
            // What parts them is left out, and ends no run.
            _ if c == ' ' || c == ',' => ended = 0,
            _ => pieces.push((&text[at..end], kind(c))),
        }
    }
    let part =
        |pair: &[(&str, (bool, bool))]| Some((pair[0].0.parse::<f64>().ok()?, scale(pair[1].0)?));
    let mut found = Vec::new();
    for start in 0..pieces.len() {
        let (mut sum, mut last) = (0.0, f64::MAX);
        for pair in pieces[start..].chunks_exact(2) {
            let Some((number, scale)) = part(pair).filter(|(_, scale)| *scale < last) else {
                break;
            };
            sum += number * scale;
            last = scale;
            found.push(sum);
        }
    }
    found.into_iter()
}

/// Panics unless every value of every record stands in `input`.
pub(crate) fn assert_all_stand_in(input: &[u8], imported: &Imported) {
    let there = numbers(input);
    for record in &imported.systems {
        for (point, _, value) in values(record) {
            assert!(
                there.contains(&value.to_bits()),
                "{point} = {value} does not stand in the input:\n{}",
                String::from_utf8_lossy(&input[..input.len().min(2000)])
            );
        }
    }
}

/// `system|title|values direction` of each row.
pub(crate) fn rows_of(imported: &Imported) -> Vec<String> {
    let rows = imported.systems.iter().flat_map(|record| {
        let system = record.origin.as_ref().unwrap().system.as_str();
        record.plan.points.iter().map(move |planned| {
            let own = record.processes.iter().filter(|p| p.point == planned.point);
            let values = own.filter_map(|p| match &p.outcome {
                Outcome::Draws(draws) => Some(draws[0].series[0].ns[0].to_string()),
                Outcome::Failed(_) => None,
            });
            let values: Vec<String> = values.collect();
            let title = planned.title.as_deref().unwrap_or_default();
            format!("{system}|{title}|{} {:?}", values.join(" "), planned.better)
        })
    });
    rows.collect()
}

/// Titles and all values of a record.
pub(crate) fn titled(record: &Record) -> Vec<String> {
    let points = record.plan.points.iter().map(|planned| {
        let of = record.processes.iter().filter(|p| p.point == planned.point);
        let values = of.map(|process| match &process.outcome {
            Outcome::Draws(draws) => draws[0].series[0].ns[0].to_string(),
            Outcome::Failed(failure) => panic!("{failure:?}"),
        });
        let values: Vec<String> = values.collect();
        format!(
            "{}: {}",
            planned.title.as_deref().unwrap(),
            values.join(" ")
        )
    });
    points.collect()
}

/// Rows and values of all systems of a page.
fn all_rows(text: &str) -> Vec<String> {
    let imported =
        import(text.as_bytes(), "x.txt", None).unwrap_or_else(|why| panic!("{why:.60} in {text}"));
    let systems = imported.systems.iter();
    systems
        .flat_map(|record| {
            let system = record.origin.as_ref().unwrap().system.clone();
            titled(record)
                .into_iter()
                .map(move |row| format!("{system}| {row}"))
        })
        .collect()
}

/// Asserts that the page has all of these rows, each with its system.
pub(crate) fn assert_rows(text: &str, wanted: &[&str]) {
    let found = all_rows(text);
    for row in wanted {
        assert!(found.iter().any(|own| own == row), "{row} in {found:#?}");
    }
}

/// Holds the rows of each page, `system|title|values direction`, against what a careful reader takes from it.
pub(crate) fn assert_layouts(layouts: &[(&str, &[&str])]) {
    for (page, wanted) in layouts {
        let imported = import(page.as_bytes(), "x", None).unwrap_or_else(|e| panic!("{e}: {page}"));
        assert_all_stand_in(page.as_bytes(), &imported);
        assert_eq!(rows_of(&imported), *wanted, "{page}");
    }
}
