//! A record held against itself, on the terminal.

use whyslow_compare::selfcheck::{NOISY, PLANTED, SelfCheck};

use crate::Look;
use crate::grid::Grid;
use crate::numbers::{counted, percent, times};
use crate::page::Screen;
use crate::text::{Style, Text};

/// Noisy points that are named.
const NAMED: usize = 10;

/// The page.
pub(crate) fn page(check: &SelfCheck, look: Look) -> String {
    let mut page = Screen::new(look);
    page.flow(
        0,
        0,
        Text::strong(format!(
            "The record against itself: its {} processes a point split into halves, {} times",
            check.processes, check.splits
        )),
    );
    page.flow(
        2,
        2,
        Text::plain(format!(
            "{} of the splits have at least one point called real (5 % by design; more where what \
         drifts moves many points at once)",
            percent(check.reports_with_false)
        )),
    );
    page.heading(
        "FAMILIES",
        "false: p < 5 % though nothing differs; found: a planted slowdown",
    );
    let heads = ["points", "false", "covered", "largest"].map(str::to_owned);
    let planted = PLANTED.map(|p| format!("{} found", percent(p)));
    let mut grid = Grid::new(heads.into_iter().chain(planted));
    for family in &check.families {
        let cell = |text: String| vec![Text::plain(text)];
        let mut cells = vec![
            cell(family.points.to_string()),
            cell(percent(family.false_share)),
            cell(percent(family.coverage)),
            cell(format!("×{}", factor(family.largest))),
        ];
        cells.extend(family.found.map(|found| cell(percent(found))));
        grid.row(format!("  {}", family.name), cells);
    }
    page.grid(&grid);
    page.flow(
        2,
        2,
        Text::dim(
            "A half has half the processes: two whole records find smaller differences than this.",
        ),
    );
    if !check.noisy.is_empty() {
        let remark = format!(
            "differ from themselves in more than {} of the splits",
            percent(NOISY)
        );
        page.heading("NOISY HERE", &remark);
        for (name, share) in check.noisy.iter().take(NAMED) {
            page.flow(
                2,
                4,
                Text::plain(name).and(
                    Style::Dim,
                    format!("{}{}", super::words::GAP, percent(*share)),
                ),
            );
        }
        if check.noisy.len() > NAMED {
            page.flow(
                2,
                2,
                Text::dim(format!("and {} more", check.noisy.len() - NAMED)),
            );
        }
    }
    if check.left_out > 0 {
        page.flow(
            2,
            2,
            Text::dim(format!(
                "{} left out: too few processes, or values at or below zero",
                counted(check.left_out.into(), "point", "points")
            )),
        );
    }
    page.finish()
}

fn factor(ratio: f64) -> String {
    if ratio < 2.0 {
        format!("{ratio:.2}")
    } else {
        times(ratio)
    }
}
