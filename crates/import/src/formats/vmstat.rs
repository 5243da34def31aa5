//! vmstat of procps: processes, memory, swap, blocks, interrupts and shares of the CPUs, sample by sample.

use whyslow_model::Better::{self, Higher, Unsaid};

use crate::number::plain;
use crate::reader::marks;
use crate::zeros::Zeros;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "vmstat",
    what: "vmstat (r b swpd free buff cache si so bi bo in cs us sy id wa st)",
    repeats: "samples of vmstat",
    silent: "the machine, how long a sample was, or what ran meanwhile",
    roles: &[],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &["vmstat"],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 3
}

/// ` r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st`: the columns, without those of `-t`.
fn header(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let columns = words.iter().position(|word| *word == "us")?;
    let shares = words[columns..]
        .iter()
        .take_while(|word| matches!(**word, "us" | "sy" | "id" | "wa" | "st" | "gu"));
    let end = columns + shares.count();
    let own = words.starts_with(&["r", "b"]) && words.contains(&"free") && end >= columns + 3;
    own.then(|| words[..end].to_vec())
}

/// `procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----`
fn is_groups(line: &str) -> bool {
    line.trim_start().starts_with("procs") && line.contains("memory")
}

fn meaning(column: &str) -> (&'static str, Better) {
    match column {
        "us" | "sy" | "id" | "wa" | "st" | "gu" => ("%", Unsaid),
        "bi" | "bo" => ("blocks/s", Higher),
        "in" | "cs" => ("/s", Unsaid),
        "r" | "b" | "w" => ("processes", Unsaid),
        _ => ("", Unsaid),
    }
}

/// A line with its number, whether words stand above it, and its figures.
type Sample<'a> = (usize, bool, Vec<(&'a str, f64)>);

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut columns: Vec<&str> = Vec::new();
    let mut found: Vec<Sample> = Vec::new();
    let mut below_words = false;
    for (number, line) in text.lines() {
        if let Some(names) = header(line) {
            sheet.aside(number);
            columns = names;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let figures: Vec<f64> = words.iter().map_while(|word| plain(word)).collect();
        // Behind the figures may stand the time of `-t`.
        let timed = words.get(columns.len()).is_none_or(|w| w.contains('-'));
        if columns.is_empty() || figures.len() != columns.len() || !timed {
            if is_groups(line) {
                sheet.aside(number);
            } else if line.trim_end().ends_with(':') {
                below_words = true;
            }
            continue;
        }
        let row = columns.iter().copied().zip(figures).collect();
        found.push((number, below_words && !found.is_empty(), row));
        below_words = false;
    }
    let mut zeros = Zeros::new();
    for (column, value) in found.iter().flat_map(|(_, _, row)| row) {
        zeros.add(*column, *value);
    }
    for (number, apart, row) in &found {
        if *apart {
            sheet.apart();
        }
        for (column, value) in row {
            if zeros.mixed(column) {
                sheet.aside(*number);
                continue;
            }
            let (unit, better) = meaning(column);
            sheet.add(
                "",
                Row::new("vmstat", column, unit, better),
                *value,
                *number,
            )?;
        }
    }
    if found.len() > 1 {
        let text = "the first line that vmstat prints is an average since the machine started, unless it was \
                    cut off; here it is a sample like the others";
        sheet.note("samples", text);
    }
    if zeros.any_mixed() {
        sheet.note(
            "samples",
            "columns that are zero in some samples are left out",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn headers() {
        let old = header(
            " r  b  w   swpd   free   buff  cache  si  so    bi    bo   in    cs  us  sy  id",
        );
        assert_eq!(old.map(|columns| columns.len()), Some(16));
        let timed = header(
            " r  b swpd free inact active si so bi bo in cs us sy id wa st gu                 UTC",
        );
        assert_eq!(timed.map(|columns| columns.len()), Some(18));
        assert_eq!(header("it is free for us"), None);
    }
}
