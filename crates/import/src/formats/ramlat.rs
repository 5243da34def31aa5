//! ramlat: latency by the size of the memory, for one and several loads at once.

use whyslow_model::Better::{Higher, Lower};
use whyslow_model::role::Roles;

use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ramlat",
    what: "ramlat (size: 1x32 2x32 1x64 2x64 1xPTR 2xPTR 4xPTR 8xPTR)",
    repeats: "runs of ramlat",
    silent: "the kind of pages, or how the memory is fitted",
    roles: &[
        ("ramlat.latency", "", Roles::LatencyBySize),
        ("ramlat.rate", "", Roles::BandwidthBySize),
    ],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &["Executing ramlat", "Executing benchmark"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 10
}

/// `size:  1x32  2x32  1x64 ...`: what each column loads.
fn header(line: &str) -> Option<Vec<&str>> {
    let columns: Vec<&str> = after(line, "size:")?.split_whitespace().collect();
    let is = |word: &&str| {
        word.split_once('x').is_some_and(|(count, what)| {
            count.bytes().all(|b| b.is_ascii_digit()) && !count.is_empty() && !what.is_empty()
        })
    };
    (columns.len() >= 2 && columns.iter().all(is)).then_some(columns)
}

/// `  128k: 5.071 5.002 ...`: the size as printed, in bytes, and the figures.
fn row(line: &str) -> Option<(&str, u64, Vec<&str>)> {
    let (size, rest) = line.trim().split_once(':')?;
    let digits = size.trim_end_matches(['k', 'K', 'M', 'G']);
    let scale = match &size[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    let bytes = digits.parse::<u64>().ok()?.checked_mul(scale)?;
    Some((size, bytes, rest.split_whitespace().collect()))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut columns: Vec<&str> = Vec::new();
    // Without -n it prints how many accesses there were in a second.
    let in_ns = !text.lines().any(|(_, line)| holds(line, "accesses"));
    let (id, unit, better) = match in_ns {
        true => ("latency", "ns", Lower),
        false => ("rate", "accesses/s", Higher),
    };
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            columns = found;
        } else if let Some((size, bytes, figures)) = row(line).filter(|_| !columns.is_empty()) {
            if figures.len() > columns.len() || figures.is_empty() {
                let why = format!("{} figures under {} columns", figures.len(), columns.len());
                sheet.refuse(number, format!("{why}; the row is broken"));
                continue;
            }
            for (column, figure) in columns.iter().zip(figures) {
                let Some(value) = plain(figure) else {
                    let figure = crate::error::quote(figure);
                    sheet.refuse(
                        number,
                        format!("'{figure}' is no number; is the row broken?"),
                    );
                    break;
                };
                let row = Row::new("ramlat", &format!("{size}: {column}"), unit, better);
                let row = row.id("ramlat", id).with("load", column).with("size", size);
                sheet.add("", row.sized(bytes), value, number)?;
            }
        }
    }
    Ok(())
}
