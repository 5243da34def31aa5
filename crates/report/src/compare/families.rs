//! Points that move together, by what they are about: a line each.

use whyslow_model::comparison::{Comparison, Family, FamilyVerdict};

use crate::grid::Grid;
use crate::page::Screen;
use crate::text::{Style, Text};

/// `+4.1 % [2.0, 6.2]`, `x2.6 [2.5, 2.7]`: how much longer B takes.
fn longer(family: &Family) -> (String, String) {
    let [lo, hi] = family.range;
    let far = family
        .times_longer
        .ln()
        .abs()
        .max(lo.ln().abs())
        .max(hi.ln().abs());
    // From twice on a factor reads better than a percentage.
    if far >= 2f64.ln() {
        let digits = |v: f64| {
            if v >= 9.95 {
                format!("{v:.0}")
            } else {
                format!("{v:.2}")
            }
        };
        return (
            format!("×{}", digits(family.times_longer)),
            format!("[{}, {}]", digits(lo), digits(hi)),
        );
    }
    let percent = |v: f64| format!("{:+.1}", (v - 1.0) * 100.0);
    (
        format!("{} %", percent(family.times_longer)),
        format!("[{}, {}]", percent(lo), percent(hi)),
    )
}

fn verdict(family: &Family) -> Text {
    match family.verdict {
        FamilyVerdict::Slower => Text::strong("slower"),
        FamilyVerdict::Faster => Text::strong("faster"),
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
        "how much longer B takes; the mean of the points of each",
    );
    let mut grid = Grid::new(["longer", "95 %", "points", ""].map(str::to_owned));
    for family in &comparison.families {
        let (mean, range) = longer(family);
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
