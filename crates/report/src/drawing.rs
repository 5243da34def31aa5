//! Drawings as SVG: the same for the page, for a file and for a picture.
//!
//! A drawing knows numbers, places and words, and nothing of records. Colors are classes: the page
//! gives them light and dark values, a file has one of the two written into it.

mod card;
mod heat;
mod lines;
mod mini;
mod rows;
mod scale;
mod stacks;
mod strip;
mod style;
mod svg;

pub(crate) use card::{Card, CardRow};
pub(crate) use heat::{Cell, Heat};
pub(crate) use lines::{Flag, Lane, Line, Lines, Spot, XAxis};
pub(crate) use mini::{Curve, Minis};
pub(crate) use rows::{ChartRow, Mark, RowScale, Rows};
pub(crate) use scale::{Kind, Scale, label};
pub(crate) use stacks::{Stack, Stacks};
pub(crate) use strip::{Bin, Dot, Strip};
pub use style::Theme;
pub(crate) use style::{COLORS, Glyph, SERIES, glyph, rules};
use svg::Svg;
pub(crate) use svg::{escaped, sign};

/// Where a drawing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a page as wide as a desk's screen allows; the page has the legend.
    Wide,
    /// In a page on a phone.
    Narrow,
    /// Among many in a page.
    Mini,
    /// In a file of its own, so many units wide, with title, legend and background.
    File(Theme, u16),
}

/// Units below which a drawing is laid out as on a phone.
const NARROW: u16 = 500;

impl Place {
    /// Width of the drawing.
    fn width(self) -> f64 {
        match self {
            // Text of 12 units stays readable when the page shows it a little smaller.
            Place::Wide => 860.0,
            Place::File(_, width) => f64::from(width),
            // The usable width of the narrowest phones.
            Place::Narrow => 344.0,
            // Two beside each other on a phone.
            Place::Mini => 172.0,
        }
    }

    fn is_narrow(self) -> bool {
        matches!(self, Place::Narrow | Place::File(_, ..NARROW))
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
    /// A run along its time.
    Strip(Strip),
}

impl Drawing {
    /// The SVG for `place`, said to be `title`.
    pub(crate) fn svg(&self, title: &str, place: Place) -> String {
        let mut svg = Svg::new(title, place);
        if matches!(place, Place::File(..)) {
            svg.header(title, &self.legend());
        }
        match self {
            Drawing::Lines(lines) => lines.draw(&mut svg, place),
            Drawing::Rows(rows) => rows.draw(&mut svg, place),
            Drawing::Heat(heat) => heat.draw(&mut svg, place),
            Drawing::Stacks(stacks) => stacks.draw(&mut svg, place),
            Drawing::Strip(strip) => strip.draw(&mut svg, place),
        }
        svg.finish()
    }

    /// The same with the first rows alone, where it has many.
    pub(crate) fn shortened(&self) -> Drawing {
        /// Rows that fit below an answer on a phone.
        const ROWS: usize = 4;
        let mut drawing = self.clone();
        match &mut drawing {
            Drawing::Rows(rows) if !rows.whole => rows.rows.truncate(ROWS),
            Drawing::Stacks(stacks) => stacks.bars.truncate(ROWS),
            _ => {}
        }
        drawing
    }

    /// What colors and strokes stand for.
    pub(crate) fn legend(&self) -> Vec<Key> {
        match self {
            Drawing::Lines(lines) => lines.legend(),
            Drawing::Rows(rows) => rows.legend.clone(),
            Drawing::Heat(_) => Vec::new(),
            Drawing::Stacks(stacks) => stacks.legend(),
            Drawing::Strip(strip) => strip.legend(),
        }
    }
}

/// What is said of a mark that is pointed at, and the point that it is of, whose samples it leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) text: String,
    pub(crate) point: String,
}

impl Tip {
    /// Of a value of `point`.
    pub(crate) fn of(point: &whyslow_model::Point, text: String) -> Tip {
        Tip {
            text,
            point: point.to_string(),
        }
    }
}

impl From<String> for Tip {
    /// Of no point.
    fn from(text: String) -> Tip {
        Tip {
            text,
            point: String::new(),
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
