//! A card: a curve, a table and some sentences at the size that posts and slides show.

use std::fmt::Write;

use super::{Kind, Scale, Theme, escaped, fitted, text_width};
use crate::numbers;

/// Width and height: what social networks show whole.
const WIDTH: f64 = 1200.0;
const HIGH: f64 = 630.0;

/// Distance of everything from the edge.
const EDGE: f64 = 48.0;

/// Longest text of one line, characters.
const LONGEST: usize = 200;

/// The plot: left, top, foot.
const PLOT: [f64; 3] = [108.0, 188.0, 470.0];

/// Between the plot and the table.
const GAP: f64 = 48.0;

/// Left end of a table of two columns, and of one of three.
const TABLE: [f64; 2] = [716.0, 640.0];

/// From the right end of a column to that of the next, and of a third.
const COLUMN: [f64; 2] = [172.0, 118.0];
const RATIO: f64 = 92.0;

/// Height of a row of the table.
const ROW: f64 = 42.0;

/// Lines that the sentence may take.
const LINES: usize = 2;

/// What a card shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Card {
    /// What it is called for those who do not see it.
    pub(crate) label: String,
    /// Above everything: one name, or one for each side.
    pub(crate) names: Vec<String>,
    /// Below the names, a line.
    pub(crate) under: String,
    /// A curve for each side: size in bytes and ns.
    pub(crate) curves: Vec<Vec<(f64, f64)>>,
    /// Upright lines: size in bytes, name, side.
    pub(crate) flags: Vec<(f64, String, usize)>,
    /// The heads of the table's columns.
    pub(crate) heads: Vec<String>,
    /// The rows of the table.
    pub(crate) rows: Vec<CardRow>,
    /// The most important thing.
    pub(crate) sentence: String,
    /// How sure all that is.
    pub(crate) sure: String,
}

/// A row of the table.
#[derive(Debug, Clone)]
pub(crate) struct CardRow {
    pub(crate) name: String,
    /// A value for each column.
    pub(crate) cells: Vec<String>,
    /// The color of the last cell, by name.
    pub(crate) color: &'static str,
}

/// A drawing in the making.
struct Sheet {
    out: String,
    theme: Theme,
}

impl Sheet {
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(text);
    }

    /// A text; `anchor` is start, middle or end.
    fn text(&mut self, (x, y): (f64, f64), size: f64, color: &str, anchor: &str, text: &str) {
        let fill = self.theme.color(color);
        let text = escaped(text, LONGEST);
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{fill}\" text-anchor=\"{anchor}\">{text}</text>\n"
        ));
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, more: &str) {
        let stroke = self.theme.color(color);
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"{more}/>\n"
        ));
    }

    fn rect(&mut self, (x, y): (f64, f64), (wide, high): (f64, f64), color: &str, round: f64) {
        let fill = self.theme.color(color);
        self.put(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"{round}\" fill=\"{fill}\"/>\n"
        ));
    }
}

impl Card {
    /// The SVG.
    pub(crate) fn svg(&self, theme: Theme) -> String {
        let mut sheet = Sheet {
            out: String::new(),
            theme,
        };
        self.head(&mut sheet);
        self.plot(&mut sheet);
        self.table(&mut sheet);
        self.foot(&mut sheet);
        let (ground, label) = (theme.color("page"), escaped(&self.label, LONGEST));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HIGH}\" \
             viewBox=\"0 0 {WIDTH} {HIGH}\" font-family=\"system-ui, sans-serif\">\n<title>{label}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HIGH}\" fill=\"{ground}\"/>\n{}</svg>\n",
            sheet.out
        )
    }

    /// Has the table a third column? An index, as its places are lists.
    fn wide(&self) -> usize {
        usize::from(self.heads.len() > 2)
    }

    fn head(&self, sheet: &mut Sheet) {
        let room = WIDTH - 2.0 * EDGE;
        if let [name] = self.names.as_slice() {
            let name = fitted(name, 36.0, room);
            sheet.text((EDGE, 78.0), 36.0, "ink", "start", &name);
        } else {
            for (side, name) in self.names.iter().enumerate() {
                let y = 62.0 + 36.0 * side as f64;
                sheet.rect((EDGE, y - 19.0), (20.0, 20.0), &color(side), 4.0);
                let name = fitted(name, 26.0, room - 34.0);
                sheet.text((EDGE + 34.0, y), 26.0, "ink", "start", &name);
            }
        }
        let y = if self.names.len() > 1 { 130.0 } else { 116.0 };
        let under = fitted(&self.under, 19.0, room);
        sheet.text((EDGE, y), 19.0, "dim", "start", &under);
    }

    fn plot(&self, sheet: &mut Sheet) {
        let [left, top, foot] = PLOT;
        let right = TABLE[self.wide()] - GAP;
        let all = || self.curves.iter().flatten();
        let (Some(x), Some(y)) = (
            Scale::over(Kind::Log, all().map(|p| p.0), 0.01),
            Scale::over(Kind::Log, all().map(|p| p.1), 0.06),
        ) else {
            return;
        };
        let (x, y) = (x.between(left, right), y.between(foot, top));
        sheet.text(
            (EDGE, top - 20.0),
            17.0,
            "dim",
            "start",
            "ns a load, by working set",
        );
        for value in y.ticks(7) {
            let at = y.at(value);
            sheet.line((left, at), (right, at), "grid", " stroke-width=\"1.5\"");
            sheet.text(
                (left - 10.0, at + 6.0),
                17.0,
                "dim",
                "end",
                &super::label(value),
            );
        }
        for value in x.octaves(6) {
            let at = x.at(value);
            let label = numbers::size(value as u64);
            sheet.text((at, foot + 28.0), 17.0, "dim", "middle", &label);
        }
        sheet.line((left, foot), (right, foot), "edge", " stroke-width=\"1.5\"");
        for (size, name, side) in &self.flags {
            let at = x.at(*size);
            let dash = " stroke-width=\"1.5\" stroke-dasharray=\"5 5\"";
            sheet.line((at, top), (at, foot), &color(*side), dash);
            // Names of the second side stand below those of the first.
            let y = top + 14.0 + 22.0 * *side as f64;
            sheet.text((at - 6.0, y), 17.0, &color(*side), "end", name);
        }
        for (side, curve) in self.curves.iter().enumerate() {
            let places = curve
                .iter()
                .map(|(size, ns)| format!("{:.1},{:.1}", x.at(*size), y.at(*ns)));
            let places = places.collect::<Vec<_>>().join(" ");
            let stroke = sheet.theme.color(&color(side));
            sheet.put(format_args!(
                "<polyline points=\"{places}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"4\" \
                 stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
            ));
        }
    }

    fn table(&self, sheet: &mut Sheet) {
        let right = WIDTH - EDGE;
        let table = TABLE[self.wide()];
        let last = right - 14.0;
        let end = |column: usize| match (self.wide(), column) {
            (0, 0) => last - COLUMN[0],
            (1, 0) => last - RATIO - COLUMN[1],
            (1, 1) => last - RATIO,
            _ => last,
        };
        let top = PLOT[1] - 20.0;
        for (column, head) in self.heads.iter().enumerate() {
            sheet.text((end(column), top), 17.0, "dim", "end", head);
        }
        for (at, row) in self.rows.iter().enumerate() {
            let y = top + 14.0 + ROW * at as f64;
            if at % 2 == 0 {
                sheet.rect((table, y), (right - table, ROW), "card", 6.0);
            }
            let base = y + ROW * 0.5 + 7.0;
            let first = row.cells.iter().position(|c| !c.is_empty()).unwrap_or(0);
            let cell = row.cells.get(first).map_or("", String::as_str);
            let room = end(first) - text_width(cell, 19.0) - table - 22.0;
            let name = fitted(&row.name, 19.0, room);
            sheet.text((table + 14.0, base), 19.0, "ink", "start", &name);
            let last = row.cells.len().saturating_sub(1);
            for (column, cell) in row.cells.iter().enumerate() {
                let color = if column == last { row.color } else { "ink" };
                sheet.text((end(column), base), 19.0, color, "end", cell);
            }
        }
    }

    fn foot(&self, sheet: &mut Sheet) {
        let room = WIDTH - 2.0 * EDGE;
        for (at, line) in wrapped(&self.sentence, 21.0, room).iter().enumerate() {
            let y = 542.0 + 28.0 * at as f64;
            sheet.text((EDGE, y), 21.0, "ink", "start", line);
        }
        let sure = fitted(&self.sure, 16.0, room);
        sheet.text((EDGE, 606.0), 16.0, "dim", "start", &sure);
    }
}

/// The color of a side, by name.
fn color(side: usize) -> String {
    format!("c{side}")
}

/// `text` in at most [`LINES`] lines; what does not fit is cut.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > LINES {
        let rest = lines.split_off(LINES - 1).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| fitted(line, size, width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_after_its_lines() {
        let lines = wrapped("one two three four five six seven", 10.0, 66.0);
        assert_eq!(lines, ["one two", "three four…"]);
        assert_eq!(wrapped("one", 10.0, 66.0), ["one"]);
        assert!(wrapped("", 10.0, 66.0).is_empty());
    }
}
