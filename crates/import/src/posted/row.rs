//! A row of a table: its label and its cells.

use crate::amount::{Cell, cell};

/// A row's label and the cells behind it, which may be empty.
#[derive(Debug, Clone)]
pub(crate) struct PostedRow<'a> {
    /// As printed, without the colon; empty where the row begins with a figure.
    pub(crate) label: String,
    /// The first cell as it stands.
    pub(crate) first: &'a str,
    pub(crate) cells: Vec<&'a str>,
    /// The unit that stands behind all of them.
    pub(crate) unit: Option<&'a str>,
    /// Lines that it goes on in, where a mailer broke it.
    pub(crate) more: Vec<usize>,
    /// Does its label stand behind its figures?
    pub(crate) behind: bool,
    /// Which of several runs in one cell it is, from 1; 0 where it is no such run.
    pub(crate) round: u32,
}

impl<'a> PostedRow<'a> {
    /// A row of one figure.
    pub(super) fn of_one(label: String, first: &'a str, figure: &'a str) -> Self {
        Self {
            label,
            first,
            cells: vec![figure],
            unit: None,
            more: Vec::new(),
            behind: false,
            round: 0,
        }
    }

    /// How many of its cells are amounts.
    pub(crate) fn amounts(&self) -> usize {
        let is = |text: &&&str| matches!(cell(text), Cell::Amount(..));
        self.cells.iter().filter(is).count()
    }
}

/// A label without its colon and marks.
pub(super) fn plain_label(label: &str) -> String {
    let label = label.trim().trim_end_matches([':', '=', ' ', '.']);
    let label = label.trim_start_matches(['*', '-', '+', '`', ' ']);
    let label = label.trim_end().strip_suffix(" -").unwrap_or(label);
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").trim_matches(['`', '*', '"']).to_owned()
}
