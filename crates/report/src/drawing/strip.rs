//! A run along its time: what each process took beside its kin, and below it what disturbed the samples.

use super::svg::{Anchor, Shape, Svg};
use super::{Key, Kind, Place, SERIES, Scale, Tip, label, text_width};

/// A run.
#[derive(Debug, Clone)]
pub(crate) struct Strip {
    /// Kinds of dots, with the index of their color.
    pub(crate) kinds: Vec<(String, usize)>,
    pub(crate) dots: Vec<Dot>,
    /// Kinds of disturbances, with the index of their color.
    pub(crate) parts: Vec<(String, usize)>,
    /// Stretches of the run in their order.
    pub(crate) bins: Vec<Bin>,
}

/// A process.
#[derive(Debug, Clone)]
pub(crate) struct Dot {
    /// When it was, s since the run began.
    pub(crate) at_s: f64,
    /// Its value over the usual one of its point.
    pub(crate) ratio: f64,
    pub(crate) kind: usize,
    pub(crate) tip: Tip,
}

/// A stretch of the run.
#[derive(Debug, Clone)]
pub(crate) struct Bin {
    /// Its ends, s since the run began.
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    /// Share of its samples that each kind of disturbance met, 0 to 1.
    pub(crate) shares: Vec<f64>,
    pub(crate) tip: Tip,
}

/// Dots farther off than this, either way, lie at the edge.
const FARTHEST: f64 = 4.0;

impl Strip {
    pub(super) fn legend(&self) -> Vec<Key> {
        let key = |name: String, color: usize| Key {
            color,
            dash: 0,
            name,
            switch: false,
        };
        let above = self.kinds.iter().map(|(name, c)| key(name.clone(), *c));
        let below = self.parts.iter();
        let below = below.map(|(name, c)| key(format!("below: {name}"), *c));
        above.chain(below).collect()
    }

    pub(super) fn draw(&self, svg: &mut Svg, place: Place) {
        let narrow = place.is_narrow();
        let ratios = self.dots.iter().map(|dot| clipped(dot.ratio));
        let ends = self.bins.iter().flat_map(|bin| [bin.from_s, bin.to_s]);
        let times = self.dots.iter().map(|dot| dot.at_s).chain(ends);
        let (Some(x), Some(y)) = (
            Scale::over(Kind::Linear, times.chain([0.0]), 0.01),
            Scale::over(Kind::Log, ratios.chain([0.8, 1.25]), 0.04),
        ) else {
            return;
        };
        let left = if narrow { 44.0 } else { 62.0 };
        let right = place.width() - if narrow { 10.0 } else { 16.0 };
        svg.text(
            "s",
            (4.0, svg.y + 8.0),
            Anchor::Start,
            "time of a process over the median of its point",
        );
        let top = svg.y + 18.0;
        let foot = top + if narrow { 150.0 } else { 190.0 };
        let (x, y) = (x.between(left, right), y.between(foot, top));
        for value in y.ticks(7) {
            let at = y.at(value);
            svg.line("g", (left, at), (right, at));
            let said = format!("{}×", label(value));
            svg.text("s ty", (left - 5.0, at + 4.0), Anchor::End, &said);
        }
        svg.line("a", (left, y.at(1.0)), (right, y.at(1.0)));
        for dot in &self.dots {
            let color = (dot.kind % SERIES).to_string();
            let at = (x.at(dot.at_s), y.at(clipped(dot.ratio)));
            svg.mark(Shape::Dot, &color, at, &dot.tip);
        }
        svg.y = foot + 14.0;
        self.disturbed(svg, &x, (left, right));
        let most = ((right - left) / 60.0) as usize;
        let foot = svg.y;
        let mut free = f64::NEG_INFINITY;
        for value in x.ticks(most).into_iter().filter(|v| *v >= 0.0) {
            let said = label(value);
            let (at, half) = (x.at(value), text_width(&said, 11.0) / 2.0);
            if at - half > free {
                svg.line("a", (at, foot), (at, foot + 4.0));
                svg.text("s tx", (at, foot + 16.0), Anchor::Middle, &said);
                free = at + half + 4.0;
            }
        }
        svg.text(
            "s",
            (right, foot + 31.0),
            Anchor::End,
            "s since the run began",
        );
        svg.y = foot + 36.0;
    }

    /// The lower panel: of the samples of each stretch, those that something disturbed.
    fn disturbed(&self, svg: &mut Svg, x: &Scale, (left, right): (f64, f64)) {
        /// Its height.
        const HIGH: f64 = 60.0;
        let text = "samples disturbed, by what";
        svg.text("s", (4.0, svg.y + 8.0), Anchor::Start, text);
        let foot = svg.y + 16.0 + HIGH;
        let sums = self.bins.iter().map(|bin| bin.shares.iter().sum::<f64>());
        // Round, and never so small that a single sample fills it.
        let most = [0.05, 0.1, 0.25, 0.5];
        let largest = sums.fold(0.0, f64::max);
        let full = most.into_iter().find(|m| largest <= *m).unwrap_or(1.0);
        for share in [0.0, full] {
            let at = foot - share / full * HIGH;
            svg.line("g", (left, at), (right, at));
            let label = format!("{:.0} %", share * 100.0);
            svg.text("s", (left - 5.0, at + 4.0), Anchor::End, &label);
        }
        for bin in &self.bins {
            let (from, to) = (x.at(bin.from_s), x.at(bin.to_s));
            let mut y = foot;
            for (share, (_, color)) in bin.shares.iter().zip(&self.parts) {
                let high = share.clamp(0.0, 1.0) / full * HIGH;
                if high > 0.05 {
                    let class = format!("f{}", color % SERIES);
                    let size = ((to - from - 1.0).max(1.0), high);
                    svg.cell(&class, (from, y - high), size, 0.9, &bin.tip);
                }
                y -= high;
            }
        }
        svg.line("a", (left, foot), (right, foot));
        svg.y = foot;
    }
}

fn clipped(ratio: f64) -> f64 {
    ratio.clamp(1.0 / FARTHEST, FARTHEST)
}
