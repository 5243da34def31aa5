//! A table with named rows and columns whose cells may have several lines.

use crate::text::{Style, Text};

/// Columns between two columns.
const GAP: usize = 2;

/// The lines of one cell.
pub(crate) type Cell = Vec<Text>;

/// A table; every row has as many cells as there are heads.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    heads: Vec<String>,
    rows: Vec<(String, Vec<Cell>)>,
}

impl Grid {
    pub(crate) fn new(heads: impl IntoIterator<Item = String>) -> Self {
        Grid {
            heads: heads.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty, surplus ones are dropped.
    pub(crate) fn row(&mut self, name: impl Into<String>, mut cells: Vec<Cell>) {
        cells.resize(self.heads.len(), Cell::new());
        self.rows.push((name.into(), cells));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table in lines of at most `width` columns. Columns that do not fit beside each other
    /// come in further blocks below.
    pub(crate) fn lines(&self, width: usize) -> Vec<Text> {
        let names = self
            .rows
            .iter()
            .map(|(name, _)| name.chars().count())
            .max()
            .unwrap_or(0);
        let wide: Vec<usize> = (0..self.heads.len())
            .map(|column| self.width(column))
            .collect();
        let room = width.saturating_sub(names);
        let mut lines = Vec::new();
        for block in blocks(&wide, room) {
            if !lines.is_empty() {
                lines.push(Text::default());
            }
            let mut head = Text::default();
            let mut at = names + GAP;
            for column in block.clone() {
                head = head.pad(at).and(Style::Dim, &self.heads[column]);
                at += wide[column] + GAP;
            }
            if !head.is_empty() && self.heads.iter().any(|h| !h.is_empty()) {
                lines.push(head);
            }
            for (name, cells) in &self.rows {
                let cells = &cells[block.clone()];
                if cells.iter().all(|cell| cell.iter().all(Text::is_empty)) {
                    continue;
                }
                let high = cells.iter().map(Vec::len).max().unwrap_or(0);
                for line in 0..high {
                    let name = if line == 0 { name.as_str() } else { "" };
                    let mut text = Text::plain(name);
                    let mut at = names + GAP;
                    for (cell, wide) in cells.iter().zip(&wide[block.clone()]) {
                        if let Some(content) = cell.get(line) {
                            text = text.pad(at).then(content.clone());
                        }
                        at += wide + GAP;
                    }
                    lines.push(text);
                }
            }
        }
        lines
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
        let widest = cells.flatten().map(Text::width).max().unwrap_or(0);
        widest.max(self.heads[column].chars().count())
    }
}

/// Ranges of columns that fit into `room`, of about equal number.
fn blocks(wide: &[usize], room: usize) -> Vec<std::ops::Range<usize>> {
    let most = |limit: usize| {
        let mut blocks: Vec<std::ops::Range<usize>> = Vec::new();
        let mut used = 0;
        for (column, wide) in wide.iter().enumerate() {
            match blocks.last_mut() {
                Some(last) if used + wide + GAP <= room && last.len() < limit => {
                    last.end += 1;
                    used += wide + GAP;
                }
                _ => {
                    blocks.push(column..column + 1);
                    used = wide + GAP;
                }
            }
        }
        blocks
    };
    let needed = most(usize::MAX).len().max(1);
    most(wide.len().div_ceil(needed).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(["one", "two", "three"].map(str::to_owned));
        grid.row(
            "a",
            vec![
                vec![Text::plain("1"), Text::plain("x")],
                vec![Text::plain("2")],
                vec![Text::plain("3")],
            ],
        );
        grid
    }

    fn shown(width: usize) -> Vec<String> {
        grid()
            .lines(width)
            .iter()
            .map(|l| l.render(width, false))
            .collect()
    }

    #[test]
    fn aligns_and_splits_into_blocks() {
        assert_eq!(shown(40), ["   one  two  three", "a  1    2    3", "   x"]);
        assert_eq!(
            shown(12),
            ["   one  two", "a  1    2", "   x", "", "   three", "a  3"]
        );
    }
}
