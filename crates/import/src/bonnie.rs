//! What the layouts of bonnie++ share: the names of its rows, and its figures as printed.

pub(crate) mod csv;
pub(crate) mod wiki;

use whyslow_model::Better::{Higher, Lower, Unsaid};

use crate::Row;
use crate::number::plain;

/// What is measured of files of data: where its rates stand under the table's headings.
pub(crate) const DATA: [&str; 6] = [
    "Sequential Output Per Chr",
    "Sequential Output Block",
    "Sequential Output Rewrite",
    "Sequential Input Per Chr",
    "Sequential Input Block",
    "Random Seeks",
];

/// What is measured of many small files.
pub(crate) const FILES: [&str; 6] = [
    "Sequential Create Create",
    "Sequential Create Read",
    "Sequential Create Delete",
    "Random Create Create",
    "Random Create Read",
    "Random Create Delete",
];

/// A figure as printed: the number and its unit; none where it was too fast to be measured.
pub(crate) fn figure(text: &str) -> Option<Option<(f64, &'static str)>> {
    let text = text.trim_matches('*');
    if !text.is_empty() && text.bytes().all(|b| b == b'+') {
        return Some(None);
    }
    let scaled = |sign: char, unit| Some(Some((plain(text.strip_suffix(sign)?)?, unit)));
    plain(text)
        .map(|value| Some((value, "")))
        .or_else(|| scaled('k', "KiB/s"))
        .or_else(|| scaled('m', "MiB/s"))
        .or_else(|| scaled('g', "GiB/s"))
}

/// The row of a rate.
pub(crate) fn rate(name: &str, printed: &'static str) -> Row {
    let unit = match (
        printed,
        name.starts_with("Sequential") && !name.contains("Create"),
    ) {
        ("", true) => "KiB/s",
        ("", false) => "/s",
        (printed, _) => printed,
    };
    Row::new("bonnie", name, unit, Higher)
}

/// The row of how busy the CPUs were.
pub(crate) fn busy(name: &str) -> Row {
    let row = Row::new("bonnie", &format!("{name} %CP"), "%", Unsaid);
    row.id("bonnie", "cpu").with("of", name)
}

/// The row of the longest that one operation took.
pub(crate) fn latency(name: &str, unit: &'static str) -> Row {
    Row::new("bonnie", &format!("{name} Latency"), unit, Lower)
}

/// A latency as printed, `5549ms`.
pub(crate) fn duration(text: &str) -> Option<(f64, &'static str)> {
    let of = |unit: &'static str| Some((plain(text.strip_suffix(unit)?)?, unit));
    of("us").or_else(|| of("ms")).or_else(|| of("s"))
}

/// The names of a table's groups of columns.
pub(crate) fn names(data: bool) -> [&'static str; 6] {
    match data {
        true => DATA,
        false => FILES,
    }
}
