//! Benchmark.js and the many harnesses for JavaScript that print as it does.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::number::grouped;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "benchmark-js",
    what: "Benchmark.js (name x 1,234 ops/sec ±1.18% (83 runs sampled))",
    repeats: "runs of the benchmark",
    silent: "the engine, its version, or the machine",
    roles: &[("benchmark_js.", "", Roles::All(Role::Other))],
    looks,
    part: Some(|line| row(line).is_some()),
    known: &["Fastest is", "__Machine", "__Run", "runs sampled"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 3
}

/// `undici - stream x 1,197 ops/sec ±1.66% (262 runs sampled)`: the name, which may hold an ` x ` of its own, and the
/// rate. Tables have a harness of their own.
fn row(line: &str) -> Option<(&str, f64)> {
    if line.contains('|') || line.matches("ops/sec").count() != 1 {
        return None;
    }
    let (front, rest) = line.trim().split_once(" ops/sec")?;
    let sampled = rest.contains('±') || rest.contains("run") || rest.contains("+-");
    let cross = front.rfind(" x ").map(|at| (at, " x ".len()));
    let times = front.rfind(" × ").map(|at| (at, " × ".len()));
    let (at, length) = cross.max(times)?;
    let name = front[..at].trim().trim_start_matches(['>', '*', '-', ' ']);
    let value = grouped(front[at + length..].trim())?;
    (sampled && !name.is_empty()).then_some((name, value))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        if let Some((name, value)) = row(line) {
            let row = Row::new("benchmark_js", name, "ops/sec", Higher);
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
