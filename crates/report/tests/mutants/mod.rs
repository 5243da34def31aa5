//! Damaged samples of every import format, and what has to hold for each: no panic, every row accounted
//! for, and nothing printed of what was taken in that is no number or that a terminal obeys.
#![allow(dead_code)] // each user takes what it needs
#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "../../../import/tests/common/mod.rs"]
pub(crate) mod common;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_import::{Format, Imported, import};
use whyslow_model::document::Document;
use whyslow_model::text::is_hidden;
use whyslow_report::Look;

/// What is put into samples besides their own pieces.
const PIECES: [&[u8]; 36] = [
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"|",
    b",",
    b"-",
    b"----",
    b"1",
    b"99.5",
    b"1.5K",
    b".",
    b"e9",
    b"\0",
    b"\"",
    b"{",
    b">",
    b"\xc2\xb1",
    b":",
    b"\xff",
    b"-1",
    b"1e308",
    b"1.8e308",
    b"5e-324",
    b"inf",
    b"NaN",
    b"name,value\n",
    b"0:01.5",
    b"\x1b[2J",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"=cmd|x!A0",
    b"# comment\n",
    b"\nBlock Size | a | a\n1 | 2 | 3\n",
    b"\nPipe Throughput   12345.6 lps   (10.0 s, 7 samples)\n",
    b"999999999999999999999999999999999999999999999999999999999999",
];

/// Figures of a row that the importer takes: nothing measured is beyond them.
const BOUNDS: std::ops::Range<f64> = 1e-20..1e20;

pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }
}

/// Samples of one format.
pub(crate) fn samples(format: Format) -> Vec<Vec<u8>> {
    let all = common::samples().into_iter();
    all.filter(|(name, ..)| name == format.name())
        .map(|(.., bytes)| bytes)
        .collect()
}

/// A sample with up to eight pieces taken out, doubled, swapped for others or cut off.
pub(crate) fn damaged(own: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = own[dice.below(own.len())].clone();
    for _ in 0..dice.below(9) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(16)).min(bytes.len());
        match dice.below(8) {
            0 => bytes.truncate(at),
            1 => {
                let piece = bytes[at..end].to_vec();
                let times = dice.below(40);
                bytes.splice(at..at, piece.repeat(times));
            }
            2 => {
                let other = &own[dice.below(own.len())];
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(200)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
            _ => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Imports `bytes` and holds what must hold of every input. None where it was refused as a whole.
pub(crate) fn check(bytes: &[u8], format: Option<Format>) -> Option<Imported> {
    let imported = match import(bytes, "x", format) {
        Ok(imported) => imported,
        Err(error) => {
            let error = error.to_string();
            assert!(
                error.starts_with("x:") && !error.contains(is_hidden),
                "{error:?}"
            );
            return None;
        }
    };
    assert!(imported.kept > 0, "{imported:?}");
    assert_eq!(imported.refusals.len(), imported.refused.min(10_000));
    for row in &imported.refusals {
        let said = format!("{}{}", row.text, row.why);
        assert!(row.line > 0 && !said.contains(is_hidden), "{row:?}");
    }
    for record in &imported.systems {
        for (point, _, value) in common::values(record) {
            assert!(BOUNDS.contains(&value), "{point} = {value}");
        }
    }
    Some(imported)
}

/// Holds what must hold of all that is printed of an import.
pub(crate) fn check_printed(imported: Imported) {
    let look = Look {
        width: 80,
        color: false,
        ascii: false,
    };
    for record in imported.systems {
        let summary = whyslow_stats::record::summarise(&record);
        let points = summary.points.iter();
        let values = points.filter_map(|p| p.value).flat_map(|v| {
            let [low, high] = v.range.unwrap_or([v.value; 2]);
            [v.value, low, high]
        });
        for value in values {
            assert!(value.is_finite(), "{value}");
        }
        let texts = [
            whyslow_report::table(&record, &summary, look),
            whyslow_report::summary(&record, &summary, look),
            whyslow_report::csv(&record, &summary),
        ];
        // Names are the source's, and may be anything.
        let named_so = {
            let names = format!("{:?}{:?}{:?}", record.plan, record.origin, record.notes);
            ["inf", "NaN", "no number"]
                .iter()
                .any(|bad| names.contains(bad))
        };
        for text in &texts {
            let hidden = |c: char| is_hidden(c) && c != '\n';
            assert!(!text.contains(hidden), "{text:?}");
            let mut words = text.split(|c: char| c.is_whitespace() || "[](),".contains(c));
            let bad = words.any(|w| matches!(w, "inf" | "-inf" | "NaN"));
            assert!(named_so || !(bad || text.contains("no number")), "{text}");
        }
        let document = Document {
            record,
            summary,
            load: Vec::new(),
        };
        let json = serde_json::to_string(&document).unwrap();
        let back: Document = serde_json::from_str(&json).unwrap();
        assert_eq!(back, document);
    }
}
