//! The Phoronix Test Suite as it prints while it runs: the results of each test, and their mean.

use whyslow_model::Better;
use whyslow_model::role::{Role, Roles};

use crate::direction::of_unit;
use crate::number::{grouped, number_in_front};
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "phoronix",
    what: "the Phoronix Test Suite's text (Started Run 1, Average: 110914 MIPS, Deviation: 0.31%)",
    repeats: "runs of the test",
    silent: "what the tests were built with, or what else ran",
    roles: &[("phoronix.", "", Roles::All(Role::Application))],
    looks,
    part: Some(|line| average(line).is_some() || is_started(line)),
    known: &[
        "Test 1 of",
        "Test ",
        "Estimated ",
        "Started Run",
        "Running Pre-Test",
        "Running Post-Test",
        "Deviation:",
        "Std. Error",
        "Samples:",
        "Comparison of",
        "OpenBenchmarking",
        "pts/",
        "local/",
        "median result",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    let started = marks(text, is_started);
    let averages = marks(text, |line| average(line).is_some());
    let spread = marks(text, |line| {
        after(line, "Deviation:").is_some() || holds(line, "Estimated Trial Run Count")
    });
    match averages > 0 && started + spread > 0 {
        true => (started + averages + spread) * 3,
        false => 0,
    }
}

fn is_started(line: &str) -> bool {
    after(line, "Started Run ").is_some()
}

/// `    Average: 110914 MIPS`
fn average(line: &str) -> Option<(f64, &str)> {
    let rest = after(line, "Average:")?;
    let (digits, unit) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((grouped(digits)?, unit.trim()))
}

/// Is the side of a page that is read a suite of tests? The next suite is no other side of it.
fn is_suite(text: &Text, side: &str) -> bool {
    let mut lines = text.lines().map(|(_, line)| line.trim());
    let named = |line: &str| line.trim_start_matches(['#', ' ']).trim_end_matches(':') == side;
    let mut below = lines.by_ref().skip_while(|line| !named(line)).skip(1);
    let first = below.find(|line| !line.is_empty()).unwrap_or_default();
    !side.is_empty()
        && ["pts/", "local/", "system/"]
            .iter()
            .any(|begin| first.starts_with(begin))
}

/// The name of what follows, `7-Zip Compression 1.10:` or `    Test: Compression Rating:`.
fn name(line: &str) -> Option<&str> {
    let bare = line.trim().strip_suffix(':')?;
    let named = bare.chars().any(char::is_alphabetic) && bare.len() < 200;
    (named && bare != "Average").then_some(bare)
}

/// A result alone on its line.
fn result(line: &str) -> Option<f64> {
    let bare = line.trim();
    match number_in_front(bare) {
        Some((value, "")) => Some(value),
        _ => grouped(bare),
    }
}

/// A test: what it is called, and the results that stand below that with their lines.
#[derive(Default)]
struct Test<'a> {
    suite: &'a str,
    name: &'a str,
    results: Vec<(usize, f64)>,
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if is_suite(text, sheet.side_name()) {
        return Ok(());
    }
    let mut test = Test::default();
    for (number, line) in text.lines() {
        if let Some((mean, unit)) = average(line) {
            let title = match (test.suite, test.name) {
                ("", name) | (name, "") => name.to_owned(),
                (suite, name) => format!("{suite}, {name}"),
            };
            let title = if title.is_empty() {
                "Average".to_owned()
            } else {
                title
            };
            let better = of_unit(unit).unwrap_or(Better::Unsaid);
            let row = || Row::new("phoronix", &title, unit, better);
            // The mean says no more than the results that are there.
            match test.results.is_empty() {
                true => sheet.add("", row(), mean, number)?,
                false => sheet.aside(number),
            }
            for (at, value) in std::mem::take(&mut test.results) {
                sheet.add("", row(), value, at)?;
            }
        } else if let Some(found) = name(line) {
            sheet.aside(number);
            // What is tested is set in, its suite is not.
            match line.starts_with([' ', '\t']) {
                true => test.name = found,
                false => {
                    test = Test {
                        suite: found,
                        ..Test::default()
                    };
                }
            }
            test.results.clear();
        } else if let Some(value) =
            result(line).filter(|_| !test.name.is_empty() || !test.suite.is_empty())
        {
            test.results.push((number, value));
        }
    }
    Ok(())
}
