//! What the run and the summary noted.

use std::collections::BTreeSet;

use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::View;

/// More are left to the JSON form.
const MOST: usize = 8;

pub(crate) fn section(view: &View<'_>, page: &mut Screen) {
    // What ended the run is said at the top and among what stands out.
    let of_run = view
        .record
        .notes
        .iter()
        .filter(|n| n.about != "budget")
        .map(|n| (n.about.as_str(), n.text.as_str()));
    let of_summary = view
        .summary
        .notes
        .iter()
        .map(|text| ("summary", text.as_str()));
    let mut seen = BTreeSet::new();
    let notes: Vec<_> = of_run
        .chain(of_summary)
        .filter(|note| seen.insert(*note))
        .collect();
    if notes.is_empty() {
        return;
    }
    page.heading("NOTES", "");
    for (about, text) in notes.iter().take(MOST) {
        page.flow(
            0,
            2,
            Text::dim(format!("{about}: ")).and(Style::Plain, text),
        );
    }
    if notes.len() > MOST {
        let more = notes.len() - MOST;
        page.flow(0, 0, Text::dim(format!("and {more} more in the record")));
    }
}
