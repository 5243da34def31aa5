//! What an operation of each kind takes more or less.

use whyslow_model::explanation::{Explanation, Price, Unpriced};
use whyslow_model::text::time_added;

use crate::page::Screen;
use crate::text::{Style, Text};

/// A difference in time that stays on its line.
fn time(ns: f64) -> String {
    time_added(ns).replace(' ', "\u{a0}")
}

fn price(price: &Price) -> Text {
    let range = price.range.map_or_else(String::new, |[lo, hi]| {
        format!(" [{}, {}]", time(lo), time(hi))
    });
    let rows = if price.explains == 1 { "row" } else { "rows" };
    Text::strong(&price.mechanism).and(
        Style::Plain,
        format!(
            ": {}{range}; explains {} {rows} of {}, {:.0}\u{a0}% of the added time",
            time(price.each_ns),
            price.explains,
            price.rows,
            price.share * 100.0
        ),
    )
}

fn unpriced(row: &Unpriced, first: Option<&Price>) -> Text {
    let mut text = format!(
        ": {} an operation, of which {} is not explained",
        time(row.added_ns),
        time(row.left_ns)
    );
    if let Some((times, first)) = row.would_be.filter(|n| *n >= 2.0).zip(first) {
        text += &format!("; it would be {times:.0} times {}", first.mechanism);
    }
    Text::plain(&row.row).and(Style::Plain, text)
}

/// The section; nothing where no price was found.
pub(super) fn section(explanation: &Explanation, page: &mut Screen) {
    if explanation.prices.is_empty() {
        return;
    }
    page.heading(
        "TIME ADDED TO AN OPERATION",
        "one price each, fitted to all rows",
    );
    for found in &explanation.prices {
        page.flow(2, 4, price(found));
    }
    for row in &explanation.unpriced {
        page.flow(2, 4, unpriced(row, explanation.prices.first()));
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_read_at_a_glance() {
        assert_eq!(time(150.4), "+150\u{a0}ns");
        assert_eq!(time(-8179.0), "-8.2\u{a0}us");
        assert_eq!(time(2.868e6), "+2.9\u{a0}ms");
    }
}
