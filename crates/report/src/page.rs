//! A page of lines that are never wider than the terminal.

use crate::Look;
use crate::grid::Grid;
use crate::text::{Style, Text};

/// Running text is not set wider than this: longer lines are hard to follow.
const READABLE: usize = 110;

/// Lines in the making.
#[derive(Debug)]
pub(crate) struct Screen {
    look: Look,
    lines: Vec<Text>,
    /// Places of lines that are not cut to the width.
    whole: Vec<usize>,
}

impl Screen {
    pub(crate) fn new(look: Look) -> Self {
        Screen {
            look,
            lines: Vec::new(),
            whole: Vec::new(),
        }
    }

    /// Columns that may be used.
    pub(crate) fn width(&self) -> usize {
        self.look.width.min(READABLE)
    }

    /// A line as it is.
    pub(crate) fn line(&mut self, line: Text) {
        self.lines.push(line);
    }

    /// The same, however long: what is to be copied must not be cut.
    pub(crate) fn whole(&mut self, line: Text) {
        self.whole.push(self.lines.len());
        self.lines.push(line);
    }

    /// An empty line and a title with a remark; both on one line if they fit.
    pub(crate) fn heading(&mut self, title: &str, remark: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Text::default());
        }
        // Tied to the title, so that both spaces stay when the line is wrapped.
        let gap = if remark.is_empty() { "" } else { "\u{a0} " };
        self.flow(
            0,
            0,
            Text::strong(title)
                .and(Style::Dim, gap)
                .and(Style::Dim, remark),
        );
    }

    /// Wrapped text: the first line begins in column `first`, the others in column `rest`.
    pub(crate) fn flow(&mut self, first: usize, rest: usize, text: Text) {
        self.hang(Text::default().pad(first), rest, &text);
    }

    /// A name in a column of `columns` from column `indent` on, and wrapped text beside it.
    pub(crate) fn field(&mut self, indent: usize, columns: usize, name: &str, text: Text) {
        let at = indent + columns + 1;
        let first = Text::default()
            .pad(indent)
            .and(Style::Plain, name)
            .pad(at - 1)
            .and(Style::Plain, " ");
        self.hang(first, at, &text);
    }

    /// `first`, with `text` behind it and further lines from column `rest` on.
    fn hang(&mut self, first: Text, rest: usize, text: &Text) {
        let room = self.width().saturating_sub(rest.max(first.width()));
        for (i, line) in text.wrap(room).into_iter().enumerate() {
            let start = if i == 0 {
                first.clone()
            } else {
                Text::default().pad(rest)
            };
            self.lines.push(start.then(line));
        }
    }

    /// A table, in as many blocks as the width needs.
    pub(crate) fn grid(&mut self, grid: &Grid) {
        let lines = grid.lines(self.width());
        self.lines.extend(lines);
    }

    /// Short entries of a name and a value, as many beside each other as fit.
    pub(crate) fn tiles(&mut self, tiles: &[(String, Text)]) {
        // Three columns keep a value apart from the next name.
        const GAP: usize = 3;
        let names = tiles
            .iter()
            .map(|(name, _)| name.chars().count())
            .max()
            .unwrap_or(0)
            + 2;
        let values = tiles
            .iter()
            .map(|(_, value)| value.width())
            .max()
            .unwrap_or(0);
        let wide = names + values + GAP;
        let across = ((self.width() + GAP) / wide).clamp(1, 3);
        let down = tiles.len().div_ceil(across);
        for row in 0..down {
            let mut line = Text::default();
            for (i, (name, value)) in tiles.iter().skip(row).step_by(down).enumerate() {
                let start = i * wide;
                line = line
                    .pad(start)
                    .and(Style::Plain, name)
                    .pad(start + names)
                    .then(value.clone());
            }
            self.lines.push(line);
        }
    }

    /// The page as text, each line ended.
    pub(crate) fn finish(self) -> String {
        let mut out = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            let width = match self.whole.contains(&at) {
                true => usize::MAX,
                false => self.look.width,
            };
            let line = line.render(width, self.look.color);
            match self.look.ascii {
                true => out.extend(line.chars().map(crate::text::ascii)),
                false => out.push_str(&line),
            }
            out.push('\n');
        }
        out
    }
}
