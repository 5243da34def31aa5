//! R's summaries of a sample: the least, the quartiles, the mean and the most.

use whyslow_model::Better;

use crate::direction::of_words;
use crate::number::plain;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "r-summary",
    what: "R's summary (Min. 1st Qu. Median Mean 3rd Qu. Max.)",
    repeats: "summaries",
    silent: "what was measured, on which machine, or how often",
    roles: &[],
    looks,
    part: Some(is_header),
    known: &["NA's"],
    read,
};

/// The names of its columns.
const COLUMNS: [&str; 6] = ["Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max."];

fn looks(text: &Text) -> usize {
    marks(text, is_header) * 5
}

fn is_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let words = words.join(" ");
    let words = words.strip_suffix(" NA's").unwrap_or(&words);
    words == COLUMNS.join(" ")
}

/// The figures of a row, without the count of what is missing.
fn figures(line: &str, columns: usize) -> Option<Vec<f64>> {
    let figures: Option<Vec<f64>> = line.split_whitespace().map(plain).collect();
    let mut figures = figures.filter(|figures| figures.len() == columns)?;
    figures.truncate(COLUMNS.len());
    Some(figures)
}

/// How many columns a header has.
fn width(line: &str) -> usize {
    COLUMNS.len() + usize::from(line.trim_end().ends_with("NA's"))
}

/// The rows below headers, with their lines.
fn rows(text: &Text) -> Vec<(usize, Vec<f64>)> {
    let mut width_of = None;
    let mut rows = Vec::new();
    for (number, line) in text.lines() {
        if is_header(line) {
            width_of = Some(width(line));
        } else if let Some(found) = width_of.and_then(|columns| figures(line, columns)) {
            rows.push((number, found));
        }
    }
    rows
}

/// The direction that the page says.
fn direction(text: &Text) -> Better {
    let words = text.lines().filter(|(_, line)| !is_header(line));
    let mut said = words.filter_map(|(_, line)| of_words(line));
    said.next().unwrap_or(Better::Unsaid)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let rows = rows(text);
    let better = direction(text);
    let mut rows = rows.into_iter().peekable();
    for (number, line) in text.lines() {
        if is_header(line) {
            sheet.aside(number);
        } else if let Some((_, values)) = rows.next_if(|(row, _)| *row == number) {
            for (name, value) in COLUMNS.iter().zip(values) {
                let row = Row::new("r_summary", name, "", better);
                sheet.add("", row, value, number)?;
            }
        } else if line.chars().any(char::is_alphabetic) {
            // What another command summarized is no repetition.
            sheet.apart();
        }
    }
    Ok(())
}
