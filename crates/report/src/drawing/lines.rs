//! Curves over a size or a count.

use super::svg::{Anchor, Shape, Svg};
use super::{Key, Kind, Place, SERIES, Scale, Tip, fitted, label, text_width};
use crate::numbers;

/// What is along the horizontal axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum XAxis {
    /// Bytes, by octaves.
    Bytes,
    /// A count, by ratios.
    Count,
    /// A number, evenly.
    Number,
}

/// Curves over each other.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    pub(crate) x: XAxis,
    pub(crate) x_name: String,
    pub(crate) y_name: String,
    pub(crate) lines: Vec<Line>,
    /// Rows of flags below the axis.
    pub(crate) lanes: Vec<Lane>,
    /// A value that is drawn as a line of its own, such as "no difference".
    pub(crate) reference: Option<f64>,
}

/// One curve.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) color: usize,
    pub(crate) dash: usize,
    pub(crate) spots: Vec<Spot>,
}

/// One place of a curve.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Least and largest beside it, drawn as a band.
    pub(crate) band: Option<[f64; 2]>,
    pub(crate) tip: Tip,
}

/// Flags of one kind.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    pub(crate) name: String,
    pub(crate) color: usize,
    /// Claimed rather than measured.
    pub(crate) open: bool,
    pub(crate) flags: Vec<Flag>,
}

/// A named place on the horizontal axis.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    pub(crate) x: f64,
    /// The interval of the place.
    pub(crate) ends: Option<[f64; 2]>,
    pub(crate) name: String,
    pub(crate) tip: Tip,
}

/// Height of a row of flags.
const LANE: f64 = 19.0;

impl Lines {
    pub(super) fn legend(&self) -> Vec<Key> {
        let keys = self.lines.iter().map(|line| Key {
            color: line.color % SERIES,
            dash: line.dash,
            name: line.name.clone(),
            switch: true,
        });
        keys.collect()
    }

    pub(super) fn draw(&self, svg: &mut Svg, place: Place) {
        let spots = || self.lines.iter().flat_map(|l| &l.spots);
        let ys = || {
            let band = spots().filter_map(|s| s.band).flatten();
            spots().map(|s| s.y).chain(band).chain(self.reference)
        };
        let positive = ys().all(|y| !y.is_finite() || y > 0.0);
        let (y_kind, x_kind) = (
            if positive && self.reference.is_none() {
                Kind::Log
            } else {
                Kind::Linear
            },
            if self.x == XAxis::Number {
                Kind::Linear
            } else {
                Kind::Log
            },
        );
        let all_x = spots().map(|s| s.x);
        let (Some(x), Some(y)) = (
            Scale::over(x_kind, all_x, 0.02),
            Scale::over(y_kind, ys(), 0.05),
        ) else {
            svg.text("s", (8.0, svg.y + 16.0), Anchor::Start, "no values to draw");
            svg.y += 24.0;
            return;
        };
        let narrow = place.is_narrow();
        let high = if narrow { 230.0 } else { 330.0 };
        let left = if narrow { 44.0 } else { 62.0 };
        let right = place.width() - if narrow { 10.0 } else { 16.0 };
        svg.text("s", (4.0, svg.y + 8.0), Anchor::Start, &self.y_name);
        let top = svg.y + 18.0;
        let foot = top + high;
        let (x, y) = (x.between(left, right), y.between(foot, top));
        self.axes(svg, &x, &y, (left, right, top, foot), narrow);
        for (i, line) in self.lines.iter().enumerate() {
            svg.open(i);
            curve(svg, line, &x, &y);
            svg.close();
        }
        svg.y = foot + 36.0;
        for lane in &self.lanes {
            self.lane(svg, lane, &x, (left, right, top, foot));
        }
    }

    fn axes(
        &self,
        svg: &mut Svg,
        x: &Scale,
        y: &Scale,
        (left, right, top, foot): (f64, f64, f64, f64),
        narrow: bool,
    ) {
        for value in y.ticks(if narrow { 6 } else { 9 }) {
            let at = y.at(value);
            svg.line("g", (left, at), (right, at));
            svg.text("s ty", (left - 5.0, at + 4.0), Anchor::End, &label(value));
        }
        let most = ((right - left) / if narrow { 62.0 } else { 74.0 }) as usize;
        let mut ticks = match self.x {
            XAxis::Bytes | XAxis::Count => x.octaves(most),
            XAxis::Number => x.ticks(most),
        };
        // There is no round, and no number of jobs, between whole ones.
        let mut places = self.lines.iter().flat_map(|l| &l.spots).map(|s| s.x);
        if self.x == XAxis::Number && places.all(|x| x.fract() == 0.0) {
            ticks.retain(|value| value.fract() == 0.0);
        }
        for value in ticks {
            let at = x.at(value);
            svg.line("g", (at, top), (at, foot));
            let said = match self.x {
                XAxis::Bytes => numbers::size(value as u64),
                _ => label(value),
            };
            svg.text("s tx", (at, foot + 15.0), Anchor::Middle, &said);
        }
        if let Some(value) = self.reference.filter(|v| y.holds(*v)) {
            svg.line("a", (left, y.at(value)), (right, y.at(value)));
        }
        svg.line("a", (left, foot), (right, foot));
        svg.text("s", (right, foot + 30.0), Anchor::End, &self.x_name);
    }

    fn lane(
        &self,
        svg: &mut Svg,
        lane: &Lane,
        x: &Scale,
        (left, right, top, foot): (f64, f64, f64, f64),
    ) {
        let y = svg.y;
        let color = lane.color % SERIES;
        let mut free = left;
        let mut flags: Vec<&Flag> = lane.flags.iter().filter(|f| x.holds(f.x)).collect();
        flags.sort_by(|a, b| a.x.total_cmp(&b.x));
        // The name of the lane stands before the first flag, or behind the last.
        let first = flags.first().map_or(right, |f| x.at(f.x) - 8.0);
        let name = fitted(&lane.name, 11.0, right - left);
        let wide = text_width(&name, 11.0);
        if wide < first - 4.0 {
            svg.text("s", (4.0, y + 9.0), Anchor::Start, &name);
        } else {
            svg.y += 13.0;
            svg.text("s", (4.0, y + 6.0), Anchor::Start, &name);
        }
        let y = svg.y;
        for flag in flags {
            let at = x.at(flag.x);
            let dash = if lane.open { 2 } else { 0 };
            svg.line(&format!("v c{color} d{dash}"), (at, top), (at, foot));
            if let Some(ends) = flag.ends {
                let [low, high] = ends.map(|end| (x.at(end), y));
                svg.line(&format!("w c{color}"), low, high);
            }
            let shape = if lane.open { Shape::OpenUp } else { Shape::Up };
            svg.mark(shape, &color.to_string(), (at, y), &flag.tip);
            let wide = text_width(&flag.name, 11.0);
            // Behind the interval, where it is long.
            let from = flag.ends.map_or(at, |[_, high]| x.at(high).max(at)) + 7.0;
            if from >= free && from + wide <= right {
                svg.text("s", (from, y + 9.0), Anchor::Start, &flag.name);
                free = from + wide + 10.0;
            }
        }
        svg.y += LANE;
    }
}

/// A curve with its band and its places.
fn curve(svg: &mut Svg, line: &Line, x: &Scale, y: &Scale) {
    let color = line.color % SERIES;
    let banded: Vec<(f64, [f64; 2])> = line
        .spots
        .iter()
        .filter_map(|s| Some((s.x, s.band?)))
        .collect();
    if banded.len() > 1 {
        let upper = banded.iter().map(|(at, band)| (x.at(*at), y.at(band[1])));
        let lower = banded
            .iter()
            .rev()
            .map(|(at, band)| (x.at(*at), y.at(band[0])));
        let places: Vec<(f64, f64)> = upper.chain(lower).collect();
        svg.polygon(&format!("b f{color}"), &places);
    }
    let places: Vec<(f64, f64)> = line.spots.iter().map(|s| (x.at(s.x), y.at(s.y))).collect();
    svg.polyline(&format!("l c{color} d{}", line.dash), &places);
    for (spot, place) in line.spots.iter().zip(places) {
        svg.mark(Shape::Dot, &color.to_string(), place, &spot.tip);
    }
}
