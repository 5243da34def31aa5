//! A matrix of values as a heat map.

use super::svg::{Anchor, Svg};
use super::{Kind, Place, Scale, Tip, fitted, text_width};
use crate::numbers;

/// A matrix; what is large is dark.
#[derive(Debug, Clone)]
pub(crate) struct Heat {
    /// Names of rows and columns.
    pub(crate) names: Vec<String>,
    pub(crate) cells: Vec<Cell>,
    /// What rows and columns are.
    pub(crate) axis: String,
    /// Unit of the values.
    pub(crate) unit: String,
    /// Index of the color.
    pub(crate) color: usize,
}

/// A value of the matrix.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) value: f64,
    pub(crate) tip: Tip,
}

/// Above so many cells a side their values are not written into them.
const WRITTEN: usize = 16;

impl Heat {
    pub(super) fn draw(&self, svg: &mut Svg, place: Place) {
        let Some(scale) = Scale::over(Kind::Log, self.cells.iter().map(|c| c.value), 0.0) else {
            svg.text("s", (8.0, svg.y + 16.0), Anchor::Start, "no values to draw");
            svg.y += 24.0;
            return;
        };
        let count = self.names.len().max(1) as f64;
        let widest = self.names.iter().map(|n| text_width(n, 11.0));
        let left = widest.fold(20.0, f64::max).min(90.0) + 10.0;
        // Small matrices need not fill the page.
        let side = ((place.width() - left - 10.0) / count).min(64.0);
        let top = svg.y + 20.0;
        // Names as dense as they can be read.
        let every = (text_width("000", 11.0) / side).ceil().max(1.0) as usize;
        for (i, name) in self.names.iter().enumerate().step_by(every) {
            let at = i as f64 * side + side / 2.0;
            let name = fitted(name, 11.0, (side * every as f64).max(left - 12.0));
            svg.text("s", (left + at, top - 6.0), Anchor::Middle, &name);
            svg.text("s", (left - 6.0, top + at + 4.0), Anchor::End, &name);
        }
        svg.text("s", (4.0, top - 6.0), Anchor::Start, &self.axis);
        for cell in &self.cells {
            let from = (
                left + cell.column as f64 * side,
                top + cell.row as f64 * side,
            );
            let share = scale.at(cell.value);
            let opacity = opacity(share);
            let class = format!("f{}", self.color);
            svg.cell(&class, from, (side - 1.0, side - 1.0), opacity, &cell.tip);
            if self.names.len() <= WRITTEN && side > 26.0 {
                let class = if opacity > 0.5 { "on" } else { "s" };
                let middle = (from.0 + side / 2.0, from.1 + side / 2.0 + 4.0);
                svg.text(class, middle, Anchor::Middle, &numbers::rough(cell.value));
            }
        }
        svg.y = top + count * side + 16.0;
        self.ramp(svg, left);
    }

    /// What light and dark stand for.
    fn ramp(&self, svg: &mut Svg, left: f64) {
        let values = || self.cells.iter().map(|c| c.value).filter(|v| v.is_finite());
        let (low, high) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        let low = format!("{} {}", numbers::rough(low), self.unit);
        svg.text("s", (left, svg.y + 9.0), Anchor::Start, &low);
        let from = left + text_width(&low, 11.0) + 8.0;
        for i in 0..12 {
            let place = (from + f64::from(i) * 10.0, svg.y);
            let opacity = format!(r#" fill-opacity="{:.2}""#, opacity(f64::from(i) / 11.0));
            svg.rect(&format!("f{}", self.color), place, (10.0, 11.0), &opacity);
        }
        let high = format!("{} {}", numbers::rough(high), self.unit);
        svg.text("s", (from + 128.0, svg.y + 9.0), Anchor::Start, &high);
        svg.y += 16.0;
    }
}

/// How dark a share of the scale is. Half dark is left out: no text could be read on it.
fn opacity(share: f64) -> f64 {
    if share < 0.5 {
        0.06 + share * 0.4
    } else {
        0.76 + (share - 0.5) * 0.48
    }
}
