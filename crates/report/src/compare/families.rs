//! Points that move together, by what they are about: a line each.

use whyslow_model::comparison::{Comparison, Family, FamilyVerdict};

use super::words;
use crate::grid::Grid;
use crate::page::Screen;
use crate::text::{Style, Text};

/// `+4.1 %` and `[+2.0, +6.2]`, or `×2.60` and `[2.50, 2.70]`: B over A.
fn change(family: &Family) -> (String, String) {
    let quantity = family.quantity;
    let ratio = quantity.turned(family.times_longer.ln()).exp();
    let range = quantity.turned_range(family.range.map(f64::ln));
    (
        words::ratio(ratio),
        words::range(ratio, range.map(f64::exp)),
    )
}

fn verdict(family: &Family) -> Text {
    let way = |worse: f64| family.quantity.way(family.quantity.turned(worse));
    match family.verdict {
        FamilyVerdict::Slower => Text::strong(format!("{} {}", words::WORSE, way(1.0))),
        FamilyVerdict::Faster => Text::strong(format!("{} {}", words::BETTER, way(-1.0))),
        FamilyVerdict::Same => Text::plain("the same"),
        FamilyVerdict::Open => Text::dim("open"),
        FamilyVerdict::Untested => Text::dim("untested"),
    }
}

pub(crate) fn section(comparison: &Comparison, page: &mut Screen) {
    if comparison.families.is_empty() {
        return;
    }
    page.heading(
        "BY FAMILY",
        "B against A, the mean of the points of each; a time unless they are all rates",
    );
    let mut grid = Grid::new(["B / A", "95 %", "points", ""].map(str::to_owned));
    for family in &comparison.families {
        let (mean, range) = change(family);
        grid.row(
            format!("  {}", family.name),
            vec![
                vec![Text::default().and(Style::Plain, mean)],
                vec![Text::dim(range)],
                vec![Text::dim(family.points.to_string())],
                vec![verdict(family)],
            ],
        );
    }
    page.grid(&grid);
}
