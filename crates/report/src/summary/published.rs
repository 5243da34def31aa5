//! Figures that are published and whyslow did not measure: where they are from, and each row under
//! its own name.

use crate::numbers::{counted, full};
use crate::page::Screen;
use crate::text::{Style, Text};
use crate::view::{Shown, View};

pub(crate) fn section<'a>(view: &View<'a>, page: &mut Screen, shown: &mut Shown<'a>) {
    let Some(origin) = &view.record.origin else {
        return;
    };
    let mut entry = |name: &str, text: String| page.field(0, 7, name, Text::plain(text));
    if !origin.system.is_empty() {
        entry("system", origin.system.clone());
    }
    entry("source", format!("{} ({})", origin.file, origin.format));
    let rows = counted(view.summary.points.len() as u64, "row", "rows");
    let repeated = match view.process_range() {
        Some((_, most)) if most > 1 => {
            format!(", up to {most} {} a row", origin.unit_of_repetition)
        }
        _ => ", one figure a row: nothing is known of how they vary".to_owned(),
    };
    entry(
        "figures",
        format!("{rows}{repeated}; published, not measured by whyslow"),
    );
    page.heading("ROWS", "[95 % interval]");
    for point in &view.summary.points {
        shown.insert(&point.point);
        let name = match &point.title {
            Some(title) => title.clone(),
            None => point.point.to_string(),
        };
        let mut text = Text::plain(name).and(Style::Plain, "  ");
        text = match &point.value {
            Some(value) => text.then(full(point.unit, value)),
            None => text.and(Style::Dim, "no figure"),
        };
        if let Some(symbol) = &point.symbol {
            text = text.and(Style::Dim, format!("  {symbol}"));
        }
        page.flow(0, 4, text);
    }
}
