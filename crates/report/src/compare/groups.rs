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
        page.heading("MOVED TOGETHER", "speed of B over speed of A");
    } else {
        page.heading(
            "RATIOS, BY WHAT MOVED TOGETHER",
            "speed of B over speed of A; no claim about chance",
        );
    }
    for group in &comparison.groups {
        one(group, page);
    }
}

fn one(group: &Group, page: &mut Screen) {
    let points: usize = group.members.iter().map(|m| m.points.len()).sum();
    let head = Text::strong(words::span(group.low, group.high)).and(
        Style::Dim,
        format!(
            "{}{}",
            words::GAP,
            counted(points as u64, "point", "points")
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
            text = text.and(Style::Dim, format!(" {}", words::span(kin.low, kin.high)));
        }
        if kin.points.len() > 1 && group.members.len() > 1 {
            text = text.and(Style::Dim, format!(" ({})", kin.points.len()));
        }
    }
    page.flow(4, 4, text);
}
