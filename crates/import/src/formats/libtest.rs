//! The benchmarks of Rust's libtest, `cargo bench`, and of harnesses that print as it does.

use whyslow_model::Better::{Higher, Lower};

use crate::number::{grouped, number_in_front};
use crate::pattern::after;
use crate::posted::ROLES;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "libtest",
    what: "cargo bench by libtest (test NAME ... bench: 1,234 ns/iter (+/- 56))",
    repeats: "runs of one benchmark",
    silent: "the machine, the compiler, or how often each was run",
    roles: ROLES,
    looks,
    part: Some(|line| benchmark(line).is_some()),
    known: &["running ", "test result:", "test ", "Running ", "Finished "],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| benchmark(line).is_some()) * 3
}

/// A benchmark: its name, ns for an iteration, and MB/s where it says how much one handles. The spread between them is
/// that of its samples, from the least to the most.
struct Benchmark<'a> {
    name: &'a str,
    ns: f64,
    rate: Option<f64>,
}

/// `test name ... bench:     114,381 ns/iter (+/- 13,282) = 87 MB/s`
fn benchmark(line: &str) -> Option<Benchmark<'_>> {
    let (name, rest) = after(line, "test ")?.split_once("... bench:")?;
    let (time, behind) = rest.trim_start().split_once(" ns/iter")?;
    let rate = behind.split_once(") = ").and_then(|(_, rate)| {
        let (value, unit) = number_in_front(rate.trim().trim_matches('`'))?;
        (unit == "MB/s").then_some(value)
    });
    Some(Benchmark {
        name: name.trim(),
        ns: grouped(time.trim())?,
        rate,
    })
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    for (number, line) in text.lines() {
        let Some(found) = benchmark(line) else {
            continue;
        };
        let row = Row::new("columns", found.name, "ns/iter", Lower);
        sheet.add("", row, found.ns, number)?;
        if let Some(rate) = found.rate.filter(|rate| *rate > 0.0) {
            let row = Row::new("columns", &format!("{} rate", found.name), "MB/s", Higher);
            sheet.add("", row, rate, number)?;
        }
    }
    Ok(())
}
