//! Damaged records, and what has to hold for each: it is refused in one line, or read, and then nothing is
//! printed that is no number.
#![allow(dead_code)] // each user takes what it needs
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_compare::{Named, Options, compare};
use whyslow_model::document::Document;
use whyslow_model::record::{End, Line, Record};
use whyslow_model::store::{self, Journal};
use whyslow_model::text::is_hidden;

/// What numbers of a record are replaced by.
const NUMBERS: [&str; 16] = [
    "0",
    "-0",
    "-1",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e309",
    "null",
    "1e20",
    "0.1",
    "3",
    "18446744073709551615",
    "4294967296",
    "1e-20",
    "\"x\"",
];

/// What is put between the bytes of a line.
const PIECES: [&str; 12] = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\u001b[2J",
    "\\u202e",
    "[]",
    "{}",
    "null",
];

pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }
}

/// A record as it lies on disk: the lines but for the footer, and the file.
pub(crate) struct Sample {
    lines: Vec<String>,
    file: Vec<u8>,
    record: Record,
}

/// Points of the sample, spread over those of the usual record; processes of each.
const POINTS: usize = 8;
const PROCESSES: usize = 3;

/// A small record with points of every kind.
pub(crate) fn sample(folder: &Path) -> Sample {
    let (mut record, _) = crate::common::usual();
    let every = record.plan.points.len().div_ceil(POINTS);
    record.plan.points = record.plan.points.iter().step_by(every).cloned().collect();
    let mut seen = std::collections::HashMap::new();
    let points: Vec<_> = record.plan.points.iter().map(|p| p.point.clone()).collect();
    record.processes.retain(|process| {
        let count = seen.entry(process.point.clone()).or_insert(0);
        *count += 1;
        points.contains(&process.point) && *count <= PROCESSES
    });
    record.states.truncate(1);
    let mut lines = vec![Line::Header(record.header.clone())];
    lines.extend(record.host.clone().map(Line::Host));
    lines.extend(
        record
            .states
            .iter()
            .map(|s| Line::State(Box::new(s.clone()))),
    );
    lines.extend(record.clock.map(Line::Clock));
    lines.push(Line::Plan(record.plan.clone()));
    let processes = record.processes.iter();
    lines.extend(processes.map(|p| Line::Process(Box::new(p.clone()))));
    lines.extend(record.notes.iter().cloned().map(Line::Note));
    lines.extend(record.neighbours.clone().map(Line::Neighbours));
    let path = folder.join("sample");
    let mut journal = Journal::create(&path).unwrap();
    for line in &lines {
        journal.add(line).unwrap();
    }
    journal.close(End::Complete, "later".into(), &[]).unwrap();
    Sample {
        lines: lines
            .iter()
            .map(|l| serde_json::to_string(l).unwrap())
            .collect(),
        file: fs::read(&path).unwrap(),
        record: store::read(&path).unwrap(),
    }
}

/// Places of the numbers in a line of JSON, outside of its texts.
fn numbers(line: &str) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut quoted, mut start) = (Vec::new(), false, None);
    for (at, c) in line.char_indices() {
        let part = !quoted && (c.is_ascii_digit() || "+-.eE".contains(c));
        match (part, start) {
            (true, None) if c.is_ascii_digit() || c == '-' => start = Some(at),
            (false, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
        if c == '"' && !line[..at].ends_with('\\') {
            quoted = !quoted;
        }
    }
    found
}

/// The record with up to four damages, each to a line; or to the bytes of the file.
pub(crate) fn damaged(sample: &Sample, dice: &mut Dice) -> Vec<u8> {
    if dice.below(8) == 0 {
        let mut bytes = sample.file.clone();
        for _ in 0..=dice.below(4) {
            let at = dice.below(bytes.len());
            match dice.below(3) {
                0 => bytes[at] ^= 1 << dice.below(8),
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, dice.below(256) as u8),
            }
        }
        return bytes;
    }
    let mut lines = sample.lines.clone();
    // Host and state are most of the text, and hardly anything is computed from them.
    if dice.below(8) > 0 {
        lines.drain(1..3);
    }
    for _ in 0..=dice.below(4) {
        let at = dice.below(lines.len());
        match dice.below(10) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[at].clone();
                lines.insert(dice.below(lines.len()), line);
            }
            2 => {
                let line = &mut lines[at];
                let mut place = dice.below(line.len() + 1);
                while !line.is_char_boundary(place) {
                    place -= 1;
                }
                line.insert_str(place, PIECES[dice.below(PIECES.len())]);
            }
            _ => {
                let all = numbers(&lines[at]);
                for _ in 0..=dice.below(3) {
                    if let Some(range) = all.get(dice.below(all.len())) {
                        let number = NUMBERS[dice.below(NUMBERS.len())];
                        // Only the last place is still where it was.
                        lines[at].replace_range(range.clone(), number);
                        break;
                    }
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    let mut text = lines.join("\n") + "\n";
    // Without a footer, as of a killed run, or with one that fits what is there.
    if dice.below(2) == 0 {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        text += &format!(
            "{{\"kind\":\"footer\",\"hash\":\"{hash}\",\"end\":\"complete\",\"finished\":\"\"}}\n"
        );
    }
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
}

/// Reads the record at `path`; none where it was refused, which is held to be one visible line.
pub(crate) fn check(path: &Path) -> Option<Record> {
    match store::read(path) {
        Ok(record) => Some(record),
        Err(error) => {
            let error = error.to_string();
            assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
            None
        }
    }
}

/// Holds what must hold of all that is printed of a record, alone and beside the sample.
pub(crate) fn check_printed(record: Record, sample: &Sample) {
    let look = crate::common::plain(80);
    let summary = whyslow_stats::record::summarise(&record);
    let named = |name, record| Named { name, record };
    let options = Options::default();
    let sides = [[named("a", &sample.record)], [named("b", &record)]];
    let found = compare(&sides[0], &sides[1], &options);
    let compared = found.as_ref().map(|c| whyslow_report::comparison(c, look));
    let texts = [
        whyslow_report::table(&record, &summary, look),
        whyslow_report::summary(&record, &summary, look),
        whyslow_report::csv(&record, &summary),
        compared.unwrap_or_default(),
    ];
    for text in &texts {
        let hidden = |c: char| is_hidden(c) && c != '\n';
        assert!(!text.contains(hidden), "{text:?}");
        let mut words = text.split(|c: char| c.is_whitespace() || "[](),×±".contains(c));
        let bad = words.find(|w| {
            let word = w.trim_start_matches(['-', '+']);
            matches!(word, "inf" | "NaN" | "nan" | "infinity")
        });
        assert!(bad.is_none(), "{text}");
    }
    let json = serde_json::to_string(&Document {
        record,
        summary,
        load: Vec::new(),
    })
    .unwrap();
    assert!(!json.contains("NaN") && !json.contains("inf,"), "{json}");
}
