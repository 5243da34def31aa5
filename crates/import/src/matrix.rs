//! Matrices of memory nodes, as the Memory Latency Checker prints them.

use crate::error::quote;
use crate::number::plain;
use crate::{Fault, Row, Sheet};

/// Makes the row of a cell of its two nodes and its figure.
pub(crate) type OfCell<'a> = &'a dyn Fn(&str, &str, f64) -> Row;

/// Is the word the number of a node?
pub(crate) fn is_node(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// One line of a matrix of nodes: its header (`Numa node  0  1`) or a row (`0  89.2  139.5`).
pub(crate) fn matrix<'a>(
    words: &[&'a str],
    line: usize,
    nodes: &mut Vec<&'a str>,
    names: (&str, &str),
    row: OfCell<'_>,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(());
    };
    if !is_node(first) {
        if ["Numa", "Memory", "Socket", "Reader", "Writer"].contains(first) {
            let numbers: Vec<&str> = words.iter().copied().filter(|w| is_node(w)).collect();
            if !numbers.is_empty() {
                sheet.aside(line);
                *nodes = numbers;
            }
        }
        return Ok(());
    }
    if nodes.is_empty() || rest.is_empty() {
        return Ok(());
    }
    if rest.len() != nodes.len() {
        let why = format!("{} figures for {} nodes", rest.len(), nodes.len());
        return Err(Fault::at(
            line,
            format!("{why}; the row is cut short or broken"),
        ));
    }
    for (to, cell) in nodes.iter().zip(rest) {
        if *cell == "-" {
            continue;
        }
        let value = plain(cell).ok_or_else(|| {
            let cell = quote(cell);
            Fault::at(
                line,
                format!("'{cell}' is no number of a matrix; take the row out"),
            )
        })?;
        let row = row(first, to, value).with(names.0, first).with(names.1, to);
        sheet.add("", row, value, line)?;
    }
    Ok(())
}
