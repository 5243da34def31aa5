//! Bars of shares that add up to a whole.

use super::svg::{Anchor, Svg};
use super::{Key, Place, Tip, fitted, text_width};

/// Bars under each other.
#[derive(Debug, Clone)]
pub(crate) struct Stacks {
    /// What the parts are, with the index of their color.
    pub(crate) parts: Vec<(String, usize)>,
    pub(crate) bars: Vec<Stack>,
    /// What the shares are of.
    pub(crate) axis: String,
}

/// A bar.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    pub(crate) name: String,
    /// Share of each part, 0 to 1.
    pub(crate) shares: Vec<f64>,
    /// What stands at the right.
    pub(crate) text: String,
    /// Words for each part.
    pub(crate) tips: Vec<Tip>,
}

/// Height of a bar with its gap.
const BAR: f64 = 20.0;
/// Between the parts of a bar.
const GAP: f64 = 1.5;
/// The least width of a part that has room for its series' shape.
const STAMPED: f64 = 14.0;

impl Stacks {
    pub(super) fn legend(&self) -> Vec<Key> {
        let keys = self.parts.iter().map(|(name, color)| Key {
            color: *color,
            dash: 0,
            name: name.clone(),
            switch: false,
        });
        keys.collect()
    }

    pub(super) fn draw(&self, svg: &mut Svg, place: Place) {
        let narrow = place.is_narrow();
        let width = place.width();
        let widest = |of: &dyn Fn(&Stack) -> &str| {
            let all = self.bars.iter().map(|r| text_width(of(r), 12.0));
            all.fold(0.0, f64::max)
        };
        let names = widest(&|b| &b.name).min(width * 0.47);
        let texts = widest(&|b| &b.text).min(width * 0.25);
        let (left, right) = if narrow {
            (4.0, width - 4.0)
        } else {
            (names + 14.0, width - texts - 16.0)
        };
        for bar in &self.bars {
            if narrow {
                let name = fitted(&bar.name, 12.0, width - text_width(&bar.text, 12.0) - 16.0);
                svg.text("t", (left, svg.y + 12.0), Anchor::Start, &name);
                svg.text("s", (right, svg.y + 12.0), Anchor::End, &bar.text);
                svg.y += 16.0;
            } else {
                let name = fitted(&bar.name, 12.0, names);
                svg.text("t", (left - 8.0, svg.y + 13.0), Anchor::End, &name);
                let text = fitted(&bar.text, 12.0, texts + 6.0);
                svg.text("t", (right + 8.0, svg.y + 13.0), Anchor::Start, &text);
            }
            let mut x = left;
            for (i, (share, (_, color))) in bar.shares.iter().zip(&self.parts).enumerate() {
                let share = if share.is_finite() {
                    share.clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let wide = share * (right - left);
                // As many marks whatever the width.
                if share > 0.001 {
                    let tip = bar.tips.get(i).cloned().unwrap_or_default();
                    let class = format!("f{color}");
                    // A gap tells parts of one gray apart.
                    let drawn = (wide - GAP).max(wide / 2.0);
                    svg.cell(&class, (x, svg.y + 2.0), (drawn, BAR - 6.0), 0.9, &tip);
                    if wide >= STAMPED {
                        let middle = (x + drawn / 2.0, svg.y + 2.0 + (BAR - 6.0) / 2.0);
                        svg.stamp(*color, middle);
                    }
                }
                x += wide;
            }
            svg.y += BAR;
        }
        for (share, anchor) in [(0.0, Anchor::Start), (1.0, Anchor::End)] {
            let at = left + share * (right - left);
            let label = format!("{:.0} %", share * 100.0);
            svg.text("s", (at, svg.y + 11.0), anchor, &label);
        }
        let middle = f64::midpoint(left, right);
        svg.text("s", (middle, svg.y + 11.0), Anchor::Middle, &self.axis);
        svg.y += 18.0;
    }
}
