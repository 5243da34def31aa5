//! Rows of values with intervals along one axis: a forest plot, or values side by side.

use super::svg::{Anchor, Shape, Svg};
use super::{Key, Kind, Place, Scale, Tip, fitted, label, text_width};

/// Rows under each other.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) scale: RowScale,
    /// What the axis is of.
    pub(crate) axis: String,
    /// A band of values that are as good as alike.
    pub(crate) band: Option<[f64; 2]>,
    pub(crate) rows: Vec<ChartRow>,
    /// Is every row needed to read it, on a phone as well?
    pub(crate) whole: bool,
    pub(crate) legend: Vec<Key>,
}

/// What the axis is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowScale {
    /// Ratios, in factors for the worse to the left and for the better to the right.
    Ratio,
    /// Values in one unit, by ratios.
    Value,
    /// Times in ns, by ratios, written in the unit that fits each.
    Time,
}

/// A row. A row without marks is a heading.
#[derive(Debug, Clone)]
pub(crate) struct ChartRow {
    pub(crate) name: String,
    pub(crate) marks: Vec<Mark>,
    /// What stands at the right.
    pub(crate) text: String,
}

/// A value in a row.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Number of a series, or the name of a color.
    pub(crate) color: String,
    pub(crate) value: f64,
    pub(crate) range: Option<[f64; 2]>,
    /// Open where nothing is claimed.
    pub(crate) open: bool,
    /// Other values, drawn faintly: each with its words.
    pub(crate) others: Vec<(f64, Tip)>,
    pub(crate) tip: Tip,
}

/// An interval of ratios is drawn up to so many times as far as the farthest value lies, by logarithms, and at least
/// to this ratio.
const CLIPPED_BEYOND: f64 = 1.6;
const LEAST_SHOWN: f64 = 1.25;

/// Height of a row.
const ROW: f64 = 21.0;

impl Rows {
    pub(super) fn draw(&self, svg: &mut Svg, place: Place) {
        let marks = || self.rows.iter().flat_map(|r| &r.marks);
        // Wide intervals of ratios would press all marks into the middle: they are clipped, with an arrow.
        let farthest = marks().map(|m| m.value.ln().abs()).fold(0.0, f64::max);
        let limit = (farthest * CLIPPED_BEYOND).max(LEAST_SHOWN.ln());
        let clipped = |end: f64| match self.scale {
            RowScale::Ratio => end.ln().clamp(-limit, limit).exp(),
            RowScale::Value | RowScale::Time => end,
        };
        let values = marks().flat_map(|m| {
            let ends = m.range.into_iter().flatten();
            let ends = ends.map(clipped);
            let others = m.others.iter().map(|(v, _)| *v);
            std::iter::once(m.value).chain(ends).chain(others)
        });
        let always = match self.scale {
            // "No difference" is always on it, with a little at both sides.
            RowScale::Ratio => vec![0.97, 1.0, 1.03],
            RowScale::Value | RowScale::Time => Vec::new(),
        };
        let band = self.band.into_iter().flatten();
        let Some(scale) = Scale::over(Kind::Log, values.chain(always).chain(band), 0.03) else {
            svg.text("s", (8.0, svg.y + 16.0), Anchor::Start, "no values to draw");
            svg.y += 24.0;
            return;
        };
        let narrow = place.is_narrow();
        let widest = |of: &dyn Fn(&ChartRow) -> &str| {
            let all = self.rows.iter().map(|r| text_width(of(r), 12.0));
            all.fold(0.0, f64::max)
        };
        let width = place.width();
        let names = widest(&|r| &r.name).min(width * 0.47);
        let texts = widest(&|r| &r.text).min(width * 0.24);
        let (left, right) = if narrow {
            (8.0, width - 10.0)
        } else {
            (names + 18.0, width - texts - 20.0)
        };
        let scale = scale.between(left, right);
        let top = svg.y + 20.0;
        let lead = if narrow { 15.0 } else { 0.0 };
        // Bands and grid first, so that everything else lies on them.
        let height = |row: &ChartRow| {
            if row.marks.is_empty() {
                ROW
            } else {
                ROW + lead
            }
        };
        let foot = top + self.rows.iter().map(height).sum::<f64>();
        if let Some([lo, hi]) = self.band {
            let (a, b) = (scale.at(lo), scale.at(hi));
            svg.rect("m", (a, top), (b - a, foot - top), "");
        }
        self.ticks(svg, &scale, (left, right), (top, foot), narrow);
        let mut y = top;
        for row in &self.rows {
            let middle = y + ROW / 2.0 + if row.marks.is_empty() { 0.0 } else { lead };
            if row.marks.is_empty() {
                svg.text(
                    "h",
                    (4.0, middle + 5.0),
                    Anchor::Start,
                    &fitted(&row.name, 15.0, width),
                );
            } else if narrow {
                // The interval is drawn; here it would take the room of the name.
                let text = row.text.split(" [").next().unwrap_or_default();
                let name = fitted(&row.name, 12.0, width - text_width(text, 11.0) - 12.0);
                svg.text("t", (4.0, y + 13.0), Anchor::Start, &name);
                svg.text("s", (width - 4.0, y + 13.0), Anchor::End, text);
            } else {
                let name = fitted(&row.name, 12.0, names);
                svg.text("t", (left - 10.0, middle + 4.0), Anchor::End, &name);
                svg.text(
                    "t",
                    (right + 12.0, middle + 4.0),
                    Anchor::Start,
                    &fitted(&row.text, 12.0, texts + 8.0),
                );
            }
            for (i, mark) in row.marks.iter().enumerate() {
                // Several marks lie a little above each other.
                let shift = (i as f64 - (row.marks.len() - 1) as f64 / 2.0) * 6.0;
                draw_mark(svg, mark, &scale, middle + shift);
            }
            y += height(row);
        }
        svg.y = foot + 22.0;
        svg.text("s", (right, svg.y), Anchor::End, &self.axis);
        svg.y += 6.0;
    }

    fn ticks(
        &self,
        svg: &mut Svg,
        scale: &Scale,
        (left, right): (f64, f64),
        (top, foot): (f64, f64),
        narrow: bool,
    ) {
        let apart = if narrow { 46.0 } else { 54.0 };
        let most = ((right - left) / apart) as usize;
        let mut free = f64::NEG_INFINITY;
        let ticks = match self.scale {
            RowScale::Ratio => ratio_ticks(scale, apart),
            RowScale::Value | RowScale::Time => scale.ticks(most),
        };
        for value in ticks {
            let at = scale.at(value);
            svg.line("g", (at, top), (at, foot));
            let said = match self.scale {
                RowScale::Ratio => ratio_words(value),
                RowScale::Value => label(value),
                RowScale::Time => {
                    let scale = crate::numbers::Scale::of(whyslow_model::Unit::Ns, value);
                    format!("{} {}", label(value / scale.by), scale.name)
                }
            };
            let half = text_width(&said, 11.0) / 2.0;
            if at - half > free {
                svg.text("s tx", (at, top - 5.0), Anchor::Middle, &said);
                free = at + half + 4.0;
            }
        }
        if self.scale == RowScale::Ratio {
            svg.line("a", (scale.at(1.0), top), (scale.at(1.0), foot));
        }
    }
}

fn draw_mark(svg: &mut Svg, mark: &Mark, scale: &Scale, y: f64) {
    for (value, tip) in &mark.others {
        svg.mark(Shape::Tick, &mark.color, (scale.at(*value), y), tip);
    }
    if let Some([lo, hi]) = mark.range {
        let stroke = match mark.color.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("w c{}", mark.color),
            false => format!("w s{}", mark.color),
        };
        svg.line(&stroke, (scale.at(lo), y), (scale.at(hi), y));
        // What goes on beyond an end has an arrow there.
        for (end, back) in [(lo, 5.0), (hi, -5.0)] {
            if !scale.holds(end) {
                let at = scale.at(end);
                svg.line(&stroke, (at + back, y - 4.0), (at, y));
                svg.line(&stroke, (at + back, y + 4.0), (at, y));
            }
        }
    }
    let shape = if mark.open { Shape::Ring } else { Shape::Big };
    svg.mark(shape, &mark.color, (scale.at(mark.value), y), &mark.tip);
}

/// Ratios that read well, from none outward as far apart as `apart`.
fn ratio_ticks(scale: &Scale, apart: f64) -> Vec<f64> {
    const ROUND: [f64; 17] = [
        1.01, 1.02, 1.03, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1e3,
        1e4,
    ];
    let below = |up: f64| 1.0 / up;
    let mut ticks = vec![1.0];
    for side in [ROUND, ROUND.map(below)] {
        let mut last = scale.at(1.0);
        for value in side.into_iter().filter(|v| scale.holds(*v)) {
            if (scale.at(value) - last).abs() >= apart {
                last = scale.at(value);
                ticks.push(value);
            }
        }
    }
    ticks.sort_by(f64::total_cmp);
    ticks
}

/// A tick of a ratio on an axis whose right is better: `1.2×` on both sides of `same`, as the side says which.
fn ratio_words(ratio: f64) -> String {
    let by = ratio.max(1.0 / ratio);
    if by < 1.0 + 1e-9 {
        return "same".to_owned();
    }
    let text = format!("{by:.2}");
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}
