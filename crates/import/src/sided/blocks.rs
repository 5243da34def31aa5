//! Blocks of lines below a line that names a side, up to the line that names the other.

use std::borrow::Cow;

use whyslow_model::Record;
use whyslow_model::text::words;

use super::{Names, Text, amount, cells, of_sheet};
use crate::{Fault, Sheet, into};

/// What stands below the names of the two sides, each read as if it stood alone.
pub(super) fn find(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    let mut sides: Vec<Option<usize>> = Vec::new();
    let mut now = None;
    for (_, line) in text.lines() {
        let named = is_heading(line, names).then(|| names.side(line)).flatten();
        if named.is_some() {
            now = named;
            sides.push(None);
        } else {
            sides.push(now);
        }
    }
    let mut sheet = Sheet::default();
    for side in [0, 1] {
        let lines = text.lines().zip(&sides).map(|((_, line), of)| match of {
            Some(of) if *of == side => Cow::Borrowed(line),
            _ => Cow::Borrowed(""),
        });
        let lines: Vec<Cow<str>> = lines.collect();
        if lines.iter().all(|line| line.trim().is_empty()) {
            return Ok(None);
        }
        let own = Text::of_lines(&lines)?;
        sheet.side(&names.0[side]);
        if into(&mut sheet, &own, None).is_err() {
            return Ok(None);
        }
    }
    of_sheet(sheet, text, file, names)
}

/// Is it a line that names a side and measures nothing? The numbers in the name itself are none of its figures.
fn is_heading(line: &str, names: &Names) -> bool {
    let Some(side) = names.side(line) else {
        return false;
    };
    let figures = cells(line.trim())
        .into_iter()
        .filter(|cell| amount(cell).is_some());
    let own = words(&names.0[side]);
    figures
        .flat_map(words)
        .all(|word| own.contains(&word) || word.parse::<f64>().is_err())
}
