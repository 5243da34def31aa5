//! Points that no other part of the page has a place for.

use crate::page::Screen;
use crate::summary::system::values;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

/// More are left to the table of all points.
const MOST: usize = 12;

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &Shown<'a>) {
    let rest: Vec<_> = view
        .summary
        .points
        .iter()
        .filter(|p| !shown.contains(&p.point))
        .collect();
    if rest.is_empty() {
        return;
    }
    page.heading("OTHER POINTS", "[95 % interval]");
    for point in rest.iter().take(MOST) {
        let mut text = Text::plain(point.point.to_string()).and(Style::Plain, "  ");
        let each = point.value.is_none() && point.classes.is_empty() && !point.series.is_empty();
        if each {
            text = text.and(
                Style::Dim,
                format!("{} values, each for itself", point.series.len()),
            );
        } else {
            for (i, value) in values(view, point).into_iter().enumerate() {
                text = text
                    .and(Style::Plain, if i == 0 { "" } else { " " })
                    .then(value);
            }
        }
        page.flow(0, 4, text);
    }
    if rest.len() > MOST {
        let more = rest.len() - MOST;
        page.flow(
            0,
            0,
            Text::dim(format!("and {more} more in the table of all points")),
        );
    }
}
