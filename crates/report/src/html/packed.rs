//! The samples of a record, packed so that a page can carry them all.
//!
//! Columns as JSON, deflated, in base64: browsers unpack that themselves. Times are written as the
//! least of a draw and what each lies above it, which halves them; no time is rounded.

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};
use whyslow_model::record::{Draw, Mark, Outcome, Process, Series};
use whyslow_stats::record::{Classes, Cores};

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

/// The columns: of points, of their processes, and of the series in these, each in order. What is
/// alike lies together, so that it packs well.
#[derive(Default)]
struct Columns {
    points: Vec<Value>,
    round: Vec<Value>,
    order: Vec<Value>,
    at: Vec<Value>,
    cpus: Vec<Value>,
    /// Series of each draw of each process.
    draws: Vec<Value>,
    name: Vec<Value>,
    work: Vec<Value>,
    ns: Vec<Value>,
    marks: Vec<Value>,
    ways: Vec<Value>,
    classes: Vec<Value>,
    /// Bytes of text, about.
    size: usize,
}

/// Packs them, point by point in the order planned.
pub(super) fn pack(side: &Side<'_>) -> Packed {
    let classes = Classes::of(side.record);
    let cores = Cores::of([side.record]);
    let mut by_point: HashMap<_, Vec<(usize, &Process, &[Draw])>> = HashMap::new();
    for (index, process) in side.record.processes.iter().enumerate() {
        if let Outcome::Draws(draws) = &process.outcome
            && process.round > 0
        {
            let all = by_point.entry(&process.point).or_default();
            all.push((index, process, draws));
        }
    }
    let mut columns = Columns::default();
    let mut left_out = 0;
    for found in &side.summary.points {
        let Some(processes) = by_point.get(&found.point) else {
            continue;
        };
        if columns.size > MOST {
            left_out += 1;
            continue;
        }
        let symbol = found.symbol.as_deref().unwrap_or(found.unit.symbol());
        columns.points.push(json!({
            "p": short(&found.point.to_string(), 300),
            "u": short(symbol, 40),
            "r": found.unit.is_rate(),
            "from": found.from.as_deref().map(|from| short(from, 80)),
            "n": processes.len(),
        }));
        for (index, process, draws) in processes {
            columns.add(*index, process, draws, &classes, &cores);
        }
    }
    let points = columns.points.len();
    Packed {
        data: base64(&deflated(columns.text().as_bytes())),
        points,
        left_out,
    }
}

impl Columns {
    fn add(
        &mut self,
        index: usize,
        process: &Process,
        draws: &[Draw],
        classes: &Classes,
        cores: &Cores,
    ) {
        self.round.push(json!(process.round));
        self.order.push(json!(process.order));
        // A tenth of a millisecond tells processes apart.
        self.at.push(json!((process.at_ms * 10.0).round() / 10.0));
        let cpus: Vec<String> = process
            .randomization
            .cpus
            .iter()
            .map(u32::to_string)
            .collect();
        self.cpus.push(json!(cpus.join(" ")));
        let counts: Vec<usize> = draws.iter().map(|d| d.series.len()).collect();
        self.draws.push(json!(counts));
        for (d, draw) in draws.iter().enumerate() {
            for (s, series) in draw.series.iter().enumerate() {
                let named = (0..series.ns.len()).map(|i| classes.name_at((index, d, s, i)));
                let beside: Vec<usize> = cores.beside_batches(process, series).collect();
                self.series(series, &named.collect::<Vec<_>>(), &beside);
            }
        }
    }

    fn series(&mut self, series: &Series, classes: &[Option<String>], beside: &[usize]) {
        let marks = series.marks.iter().map(
            |Mark {
                 sample,
                 what,
                 count,
             }| { json!([sample, view::mark(*what), count]) },
        );
        let beside = beside.iter().map(|i| json!([i, view::BESIDE, 1]));
        let marks: Vec<Value> = marks.chain(beside).collect();
        let times = times(&series.ns);
        self.size += times.len() + marks.len() * 24 + series.handover_ns.len() * 20 + 40;
        self.name.push(json!(short(&series.name, 80)));
        self.work.push(json!(series.work));
        self.ns.push(json!(times));
        self.marks.push(if marks.is_empty() {
            json!(0)
        } else {
            json!(marks)
        });
        let none = series.handover_ns.is_empty();
        self.ways.push(if none {
            json!(0)
        } else {
            json!(series.handover_ns)
        });
        let unlabelled = classes.iter().all(Option::is_none);
        self.classes
            .push(if unlabelled { json!(0) } else { json!(classes) });
    }

    fn text(self) -> String {
        json!({
            "points": self.points, "round": self.round, "order": self.order, "at": self.at,
            "cpus": self.cpus, "draws": self.draws, "name": self.name, "work": self.work,
            "ns": self.ns, "marks": self.marks, "ways": self.ways, "classes": self.classes,
        })
        .to_string()
    }
}

/// The first characters of a text.
fn short(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
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
        let all = ns.iter().map(|v| {
            if v.is_finite() {
                v.to_string()
            } else {
                "NaN".into()
            }
        });
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
            out.push(if place > three.len() {
                '='
            } else {
                char::from(DIGITS[digit])
            });
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
        let coded = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
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
