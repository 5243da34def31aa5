//! What moved together.

use whyslow_model::comparison::{Comparison, Group};

use super::words;
use crate::numbers::counted;
use crate::page::Screen;
use crate::text::{Style, Text};

pub(crate) fn section(comparison: &Comparison, page: &mut Screen) {
    let Some(first) = comparison.groups.first() else {
        return;
    };
    if first.real {
        page.heading("MOVED TOGETHER", "B against A");
    } else {
        page.heading(
            "RATIOS, BY WHAT MOVED TOGETHER",
            "B against A; no claim about chance",
        );
    }
    for group in &comparison.groups {
        one(comparison, group, page);
    }
}

/// How the points of a group or of a kind within it moved, from their ratios in the direction in which more is better.
pub(crate) fn span(comparison: &Comparison, [low, high]: [f64; 2], points: &[u32]) -> String {
    let quantity = words::quantity_of(comparison, points);
    quantity
        .span_of_worse([-high.ln(), -low.ln()])
        .replace(" %", "\u{a0}%")
}

/// All points of a group.
pub(crate) fn all(group: &Group) -> Vec<u32> {
    let points = group.members.iter().flat_map(|m| &m.points);
    points.copied().collect()
}

fn one(comparison: &Comparison, group: &Group, page: &mut Screen) {
    let points = all(group);
    let head = Text::strong(span(comparison, [group.low, group.high], &points)).and(
        Style::Dim,
        format!(
            "{}{}",
            words::GAP,
            counted(points.len() as u64, "point", "points")
        ),
    );
    page.flow(2, 2, head);
    let mut text = Text::default();
    for (i, kin) in group.members.iter().enumerate() {
        let gap = if i == 0 { "" } else { ", " };
        text = text
            .and(Style::Plain, gap)
            .and(Style::Plain, kin.name.as_str());
        // A group of one kind has said its span.
        if group.members.len() > 1 {
            text = text.and(
                Style::Dim,
                format!(" {}", span(comparison, [kin.low, kin.high], &kin.points)),
            );
        }
        if kin.points.len() > 1 && group.members.len() > 1 {
            text = text.and(Style::Dim, format!(" ({})", kin.points.len()));
        }
    }
    page.flow(4, 4, text);
}
