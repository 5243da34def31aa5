//! Drawings as SVG: the same for the page, for a file and for a picture.
//!
//! A drawing knows numbers, places and words, and nothing of records. Colors are classes: the page
//! gives them light and dark values, a file has one of the two written into it.

mod card;
mod heat;
mod lines;
mod rows;
mod scale;
mod stacks;
mod style;
mod svg;

pub(crate) use card::{Card, CardRow};
pub(crate) use heat::{Cell, Heat};
pub(crate) use lines::{Flag, Lane, Line, Lines, Spot, XAxis};
pub(crate) use rows::{ChartRow, Mark, RowScale, Rows};
pub(crate) use scale::{Kind, Scale};
pub(crate) use stacks::{Stack, Stacks};
pub use style::Theme;
pub(crate) use style::{COLORS, SERIES, rules};
use svg::Svg;
pub(crate) use svg::escaped;

/// Where a drawing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a page as wide as a desk's screen allows; the page has the legend.
    Wide,
    /// In a page on a phone.
    Narrow,
    /// In a file of its own, with title, legend and background.
    File(Theme),
}

impl Place {
    /// Width of the drawing.
    fn width(self) -> f64 {
        match self {
            // Text of 12 units stays readable when the page shows it a little smaller.
            Place::Wide | Place::File(_) => 860.0,
            // The usable width of the narrowest phones.
            Place::Narrow => 344.0,
        }
    }

    fn is_narrow(self) -> bool {
        self == Place::Narrow
    }
}

/// Any of the drawings.
#[derive(Debug, Clone)]
pub(crate) enum Drawing {
    /// Curves.
    Lines(Lines),
    /// Rows of values with intervals.
    Rows(Rows),
    /// A matrix.
    Heat(Heat),
    /// Shares that add up.
    Stacks(Stacks),
}

impl Drawing {
    /// The SVG for `place`, said to be `title`.
    pub(crate) fn svg(&self, title: &str, place: Place) -> String {
        let mut svg = Svg::new(title, place);
        if matches!(place, Place::File(_)) {
            svg.header(title, &self.legend());
        }
        match self {
            Drawing::Lines(lines) => lines.draw(&mut svg, place),
            Drawing::Rows(rows) => rows.draw(&mut svg, place),
            Drawing::Heat(heat) => heat.draw(&mut svg, place),
            Drawing::Stacks(stacks) => stacks.draw(&mut svg, place),
        }
        svg.finish()
    }

    /// What colors and strokes stand for.
    pub(crate) fn legend(&self) -> Vec<Key> {
        match self {
            Drawing::Lines(lines) => lines.legend(),
            Drawing::Rows(rows) => rows.legend.clone(),
            Drawing::Heat(_) => Vec::new(),
            Drawing::Stacks(stacks) => stacks.legend(),
        }
    }
}

/// An entry of a legend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Index of the color.
    pub(crate) color: usize,
    /// Index of the stroke.
    pub(crate) dash: usize,
    /// What it stands for.
    pub(crate) name: String,
    /// Can it be switched off?
    pub(crate) switch: bool,
}

/// About how wide a text is: a little more than most fonts take.
fn text_width(text: &str, size: f64) -> f64 {
    // The advance of the widest usual fonts, those of fixed width.
    const ADVANCE: f64 = 0.6;
    text.chars().count() as f64 * size * ADVANCE
}

/// `text` cut to what fits into `width`.
fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let room = (width / text_width("x", size)).floor().max(1.0) as usize;
    let mut cut: String = text.chars().take(room.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
