//! The samples of a record, packed so that a page can carry them all.
//!
//! Columns as JSON, deflated, in base64: browsers unpack that themselves. Times are written as the
//! least of a batch and what each lies above it, which halves them; nothing is rounded.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};
use whyslow_model::record::{Draw, Mark, Outcome, Process, Series};
use whyslow_stats::record::Classes;

use crate::charts::Side;
use crate::view;

/// Bytes of JSON before packing that a side may take. A standard run takes half a megabyte; what is
/// beyond stays in the record.
const MOST: usize = 24 << 20;

/// The packed samples of a side, and how many of its points they are of.
pub(super) struct Packed {
    pub(super) data: String,
    pub(super) points: usize,
    pub(super) left_out: usize,
}

/// Packs them, point by point in the order planned.
pub(super) fn pack(side: &Side<'_>) -> Packed {
    let classes = Classes::of(side.record);
    let mut by_point: std::collections::HashMap<_, Vec<(usize, &Process, &[Draw])>> =
        std::collections::HashMap::new();
    for (index, process) in side.record.processes.iter().enumerate() {
        if let Outcome::Draws(draws) = &process.outcome
            && process.round > 0
        {
            by_point.entry(&process.point).or_default().push((index, process, draws));
        }
    }
    let (mut text, mut points, mut left_out) = (String::from("["), 0, 0);
    for found in &side.summary.points {
        let Some(processes) = by_point.get(&found.point) else {
            continue;
        };
        let all: Vec<Value> = processes
            .iter()
            .map(|(index, process, draws)| one(*index, process, draws, &classes))
            .collect();
        let name: String = found.point.to_string().chars().take(300).collect();
        let symbol = found.symbol.as_deref().unwrap_or(found.unit.symbol());
        let symbol: String = symbol.chars().take(40).collect();
        let entry = json!({
            "p": name, "u": symbol, "r": found.unit.is_rate(), "from": found.from, "x": all,
        })
        .to_string();
        if text.len() + entry.len() > MOST {
            left_out += 1;
            continue;
        }
        if points > 0 {
            text.push(',');
        }
        text += &entry;
        points += 1;
    }
    text.push(']');
    Packed {
        data: base64(&deflated(text.as_bytes())),
        points,
        left_out,
    }
}

/// A process: round, order, start, CPUs, and its draws of series.
fn one(index: usize, process: &Process, draws: &[Draw], classes: &Classes) -> Value {
    let draws: Vec<Value> = draws
        .iter()
        .enumerate()
        .map(|(d, draw)| {
            let series = draw.series.iter().enumerate();
            let series = series.map(|(s, series)| {
                let named = (0..series.ns.len()).map(|i| classes.name_at((index, d, s, i)));
                of_series(series, named.collect())
            });
            Value::Array(series.collect())
        })
        .collect();
    json!([process.round, process.order, process.at_ms, process.luck.cpus, draws])
}

fn of_series(series: &Series, classes: Vec<Option<String>>) -> Value {
    let marks = series.marks.iter().map(|Mark { sample, what, count }| {
        json!([sample, view::mark(*what), count])
    });
    let marks: Vec<Value> = marks.collect();
    let name: String = series.name.chars().take(80).collect();
    let mut parts = vec![json!(name), json!(series.work), json!(times(&series.ns))];
    let labelled = classes.iter().any(Option::is_some);
    if !marks.is_empty() || labelled {
        parts.push(if marks.is_empty() { Value::Null } else { Value::Array(marks) });
    }
    if labelled {
        parts.push(json!(series.handover_ns));
        parts.push(json!(classes));
    }
    Value::Array(parts)
}

/// Largest whole number that a float holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Times as text.
fn times(ns: &[f64]) -> String {
    let whole = |v: &f64| v.fract() == 0.0 && v.abs() < EXACT;
    if ns.is_empty() {
        return String::new();
    }
    if !ns.iter().all(whole) {
        let all = ns.iter().map(|v| if v.is_finite() { v.to_string() } else { "NaN".into() });
        return format!("={}", all.collect::<Vec<_>>().join(" "));
    }
    let least = ns.iter().copied().fold(f64::INFINITY, f64::min);
    let above = ns.iter().map(|v| (v - least).to_string());
    let all: Vec<String> = std::iter::once(least.to_string()).chain(above).collect();
    all.join(" ")
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// Base64 with padding (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(three.get(i).copied().unwrap_or(0)));
        let all = a << 16 | b << 8 | c;
        for place in 0..4 {
            let digit = (all >> (18 - 6 * place) & 63) as usize;
            out.push(if place > three.len() { '=' } else { char::from(DIGITS[digit]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|t| base64(t.as_bytes())), coded);
    }

    #[test]
    fn times_come_back_as_they_were() {
        assert_eq!(times(&[120.0, 100.0, 105.0]), "100 20 0 5");
        assert_eq!(times(&[1.5, 2.0]), "=1.5 2");
        assert_eq!(times(&[f64::NAN, 2.0]), "=NaN 2");
        assert_eq!(times(&[]), "");
    }
}
