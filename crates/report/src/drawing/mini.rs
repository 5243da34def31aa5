//! Small charts of the same axes beside each other, each with one record over the first.

use super::svg::{Anchor, Svg};
use super::{Kind, Place, Scale, text_width};
use crate::numbers;

/// Places of a curve.
pub(crate) type Curve = Vec<(f64, f64)>;

/// What all small charts share: the axes, and the curve of the first record.
#[derive(Debug, Clone)]
pub(crate) struct Minis {
    x: Scale,
    y: Scale,
    back: Curve,
}

impl Minis {
    /// Over all `curves`, sizes in bytes and values in ns, of which the first is drawn in all; none where these hold nothing.
    pub(crate) fn over(curves: &[Curve]) -> Option<Minis> {
        let places = || curves.iter().flatten();
        Some(Minis {
            x: Scale::over(Kind::Log, places().map(|p| p.0), 0.02)?,
            y: Scale::over(Kind::Log, places().map(|p| p.1), 0.05)?,
            back: curves.first()?.clone(),
        })
    }

    /// The chart of one record, said to be `title`.
    pub(crate) fn svg(&self, title: &str, curve: &Curve, color: usize) -> String {
        let mut svg = Svg::new(title, Place::Mini);
        let (left, right) = (34.0, Place::Mini.width() - 6.0);
        let (top, foot) = (svg.y, svg.y + 84.0);
        let (x, y) = (self.x.between(left, right), self.y.between(foot, top));
        let mut free = f64::INFINITY;
        for value in y.ticks(4) {
            let at = y.at(value);
            svg.line("g", (left, at), (right, at));
            if free - at > 12.0 {
                let said = super::label(value);
                svg.text("s ty", (left - 4.0, at + 4.0), Anchor::End, &said);
                free = at;
            }
        }
        // From the right, where the last one ends with the axis; what would touch it is left out.
        let mut free = f64::INFINITY;
        for value in x.octaves(3).into_iter().rev() {
            let at = x.at(value);
            let label = numbers::size(value as u64);
            let half = text_width(&label, 11.0) / 2.0;
            let at = at.min(right + 4.0 - half);
            if at + half < free {
                svg.text("s", (at, foot + 14.0), Anchor::Middle, &label);
                free = at - half - 3.0;
            }
        }
        svg.line("a", (left, foot), (right, foot));
        let placed = |curve: &Curve| -> Curve {
            let places = curve.iter();
            places.map(|(size, ns)| (x.at(*size), y.at(*ns))).collect()
        };
        svg.polyline("v sopen", &placed(&self.back));
        svg.polyline(&format!("l c{}", color % super::SERIES), &placed(curve));
        svg.y = foot + 16.0;
        svg.finish()
    }
}
