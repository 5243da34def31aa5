//! A field of character cells in which a line is drawn with braille dots, two by four in a cell.

use crate::text::{Style, Text};

/// The bit of a dot by its column and row in the cell, as Unicode orders the braille patterns.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// The pattern without dots.
const BLANK: u32 = 0x2800;

/// The field. Places are shares from 0 (left, bottom) to 1 (right, top).
#[derive(Debug)]
pub(crate) struct Canvas {
    columns: usize,
    rows: usize,
    dots: Vec<u32>,
    marks: Vec<Option<char>>,
}

impl Canvas {
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Canvas {
            columns,
            rows,
            dots: vec![0; columns * rows],
            marks: vec![None; columns * rows],
        }
    }

    /// Joins places by straight lines.
    pub(crate) fn line(&mut self, places: impl Iterator<Item = (f64, f64)>) {
        let (wide, high) = (self.columns * 2 - 1, self.rows * 4 - 1);
        let mut before: Option<(f64, f64)> = None;
        for (x, y) in places {
            let to = (x * wide as f64, (1.0 - y) * high as f64);
            let from = before.unwrap_or(to);
            let steps = (to.0 - from.0)
                .abs()
                .max((to.1 - from.1).abs())
                .ceil()
                .max(1.0);
            for step in 0..=steps as usize {
                let share = step as f64 / steps;
                let at = |a: f64, b: f64| (a + (b - a) * share).round().max(0.0) as usize;
                self.dot(at(from.0, to.0).min(wide), at(from.1, to.1).min(high));
            }
            before = Some(to);
        }
    }

    fn dot(&mut self, x: usize, y: usize) {
        self.dots[y / 4 * self.columns + x / 2] |= DOTS[x % 2][y % 4];
    }

    /// Puts a mark, unless another is there.
    pub(crate) fn mark(&mut self, x: f64, y: f64, mark: char) {
        let column = (x * (self.columns - 1) as f64).round() as usize;
        let cell = self.row_of(y) * self.columns + column.min(self.columns - 1);
        self.marks[cell].get_or_insert(mark);
    }

    /// The row of a height.
    pub(crate) fn row_of(&self, y: f64) -> usize {
        let dot = ((1.0 - y) * (self.rows * 4 - 1) as f64).round().max(0.0) as usize;
        (dot / 4).min(self.rows - 1)
    }

    /// The rows from the top. The line hides the marks that lie on it.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Text> + '_ {
        self.dots
            .chunks(self.columns)
            .zip(self.marks.chunks(self.columns))
            .map(|(dots, marks)| {
                let mut text = Text::default();
                for (&dots, mark) in dots.iter().zip(marks) {
                    let pattern = char::from_u32(BLANK + dots).unwrap_or(' ');
                    match mark {
                        _ if dots != 0 => text.push(Style::Plain, pattern.encode_utf8(&mut [0; 4])),
                        Some(mark) => text.push(Style::Accent, mark.encode_utf8(&mut [0; 4])),
                        None => text.push(Style::Plain, " "),
                    }
                }
                text
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(canvas: &Canvas) -> Vec<String> {
        canvas.rows().map(|r| r.render(80, false)).collect()
    }

    #[test]
    fn draws_from_corner_to_corner() {
        let mut canvas = Canvas::new(4, 2);
        canvas.line([(0.0, 0.0), (1.0, 1.0)].into_iter());
        assert_eq!(shown(&canvas), ["  ⡠⠊", "⡠⠊"]);
    }

    #[test]
    fn line_hides_marks_and_the_first_mark_stays() {
        let mut canvas = Canvas::new(3, 1);
        canvas.line([(0.0, 0.5)].into_iter());
        canvas.mark(0.0, 0.5, 'o');
        canvas.mark(1.0, 0.5, 'x');
        canvas.mark(1.0, 0.5, 'o');
        assert_eq!(shown(&canvas), ["⠄ x"]);
    }
}
