//! Curves over working-set size in the terminal, both axes logarithmic.

mod axes;
mod canvas;

use whyslow_model::summary::Level;

use crate::text::{Style, Text};
use axes::{Axis, flags, size_ticks};
use canvas::Canvas;

/// Columns left of the plot: `200 ns ┤`.
const LEFT: usize = 8;

/// Wider plots say no more.
const WIDEST: usize = 100;

/// Fewest sizes that make a curve.
const FEWEST: usize = 3;

/// One curve.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) name: String,
    /// Bytes and ns, ascending by bytes.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Marks of the curves after the first, which is a line.
const MARKS: [char; 8] = ['o', '+', 'x', '*', '#', '=', '%', '@'];

/// Draws the first curve as a line and the others as marks where they leave it. Levels are flagged
/// below, at the sizes that they act as and that are claimed for them. `None` if the first curve
/// has too few points.
pub(crate) fn plot(curves: &[Curve], levels: &[Level], width: usize) -> Option<Vec<Text>> {
    let first = curves.first().filter(|c| c.points.len() >= FEWEST)?;
    let columns = width
        .min(WIDEST)
        .checked_sub(LEFT + 1)
        .filter(|&c| c >= 16)?;
    let rows = if columns < 60 { 10 } else { 13 };
    let all = || curves.iter().flat_map(|c| &c.points);
    let x = Axis::over(all().map(|p| p.0), 1.0)?;
    let y = Axis::over(all().map(|p| p.1), 1.12)?;
    let mut canvas = Canvas::new(columns, rows);
    canvas.line(
        first
            .points
            .iter()
            .map(|&(size, ns)| (x.share(size), y.share(ns))),
    );
    for (curve, mark) in curves[1..].iter().zip(MARKS) {
        for &(size, ns) in &curve.points {
            canvas.mark(x.share(size), y.share(ns), mark);
        }
    }
    let ticks = y.steps(rows);
    let mut lines = Vec::new();
    for (row, content) in canvas.rows().enumerate() {
        let tick = ticks.iter().find(|(share, _)| canvas.row_of(*share) == row);
        let label = tick.map_or(String::new(), |(_, value)| format!("{value} ns"));
        let edge = if tick.is_some() { '┤' } else { '│' };
        lines.push(Text::dim(format!("{label:>width$}{edge}", width = LEFT)).then(content));
    }
    lines.extend(size_ticks(&x, columns).into_iter().map(|(axis, line)| {
        let lead = if axis {
            format!("{:LEFT$}└", "")
        } else {
            format!("{:w$}", "", w = LEFT + 1)
        };
        Text::dim(lead + &line)
    }));
    let acts = levels
        .iter()
        .filter_map(|l| Some((l.name.as_str(), l.capacity_bytes.as_ref()?.value)));
    let claimed = levels
        .iter()
        .filter_map(|l| Some((l.name.as_str(), l.claimed_bytes? as f64)));
    let mut flag = |name: &str, sign: char, places: Vec<(&str, f64)>| {
        let within: Vec<(&str, usize)> = places
            .into_iter()
            .filter(|(_, bytes)| x.holds(*bytes))
            .map(|(n, bytes)| (n, column(&x, bytes, columns)))
            .collect();
        if !within.is_empty() {
            let text = Text::dim(format!("{name:>LEFT$} "));
            lines.push(text.and(Style::Plain, flags(&within, sign, columns)));
        }
    };
    flag("measured", '▲', acts.collect());
    flag("claimed", '△', claimed.collect());
    Some(lines)
}

/// What the marks stand for, in one paragraph.
pub(crate) fn legend(curves: &[Curve]) -> Text {
    let mut text = Text::default();
    for (i, curve) in curves.iter().enumerate() {
        let (style, sign) = match i {
            0 => (Style::Plain, "⠒⠒".to_owned()),
            _ => (
                Style::Accent,
                MARKS.get(i - 1).map_or(String::new(), char::to_string),
            ),
        };
        let gap = if i == 0 { "" } else { "   " };
        // The sign stays with its name when the line is broken.
        let name = format!("{}{}", crate::text::TIE, curve.name.replace(' ', "\u{a0}"));
        text = text
            .and(Style::Plain, gap)
            .and(style, sign)
            .and(Style::Dim, name);
    }
    text
}

/// How many curves can be told apart.
pub(crate) const MOST: usize = MARKS.len() + 1;

/// The column of a size.
fn column(x: &Axis, bytes: f64, columns: usize) -> usize {
    (x.share(bytes) * (columns - 1) as f64).round() as usize
}
