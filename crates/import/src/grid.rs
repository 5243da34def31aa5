//! Tables as people write them down: Markdown, CSV, TSV, columns of spaces, or one cell a line as
//! web pages become when their text is copied.

use std::collections::HashMap;

use crate::Text;
use crate::pattern::wide_cells;

/// Cells of a stacked row that are shown when it is quoted: enough to find it.
const MOST_SHOWN: usize = 8;

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cells<'a> {
    /// Where it begins.
    pub(crate) line: usize,
    /// The line behind it.
    pub(crate) end: usize,
    /// Its cells, trimmed.
    pub(crate) cells: Vec<&'a str>,
}

/// All lines of the input as cells, without those that only draw the table. Empty lines and prose
/// have one cell or none.
pub(crate) fn rows<'a>(text: &'a Text) -> Box<dyn Iterator<Item = Cells<'a>> + 'a> {
    if is_cell_a_line(text) {
        return Box::new(stacked(text).into_iter());
    }
    let lines = text.lines().map(|(line, text)| Cells {
        line,
        end: line + 1,
        cells: cells(text),
    });
    Box::new(lines.filter(|c| !is_ruler(&c.cells)))
}

/// What stands between the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// `|`, also at both ends.
    Bar,
    /// A tab, `;` or `,`.
    Sign(char),
    /// Two spaces or more.
    Gap,
}

/// The separator that a line has.
pub(crate) fn separator(line: &str) -> Separator {
    if line.contains('|') {
        return Separator::Bar;
    }
    // Behind a tab at its end a line has no cell.
    let line = line.trim();
    let sign = ['\t', ';', ','].into_iter().find(|s| line.contains(*s));
    // Tabs that only fill up a line of columns with gaps are gaps themselves.
    let gap = |cell: &str| cell.trim().contains("  ");
    if sign == Some('\t') && line.split('\t').any(gap) {
        return Separator::Gap;
    }
    sign.map_or(Separator::Gap, Separator::Sign)
}

/// The cells of a line, by the separator that it has: `|`, tab, `,` or `;`, or wide gaps.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    cells_at(line, separator(line))
}

/// The cells of a line at `separator`, whatever else is in it.
pub(crate) fn cells_at(line: &str, separator: Separator) -> Vec<&str> {
    let line = line.trim();
    match separator {
        Separator::Bar => {
            let inner = line.strip_prefix('|').unwrap_or(line);
            let inner = inner.strip_suffix('|').unwrap_or(inner);
            inner.split('|').map(plain).collect()
        }
        Separator::Sign(sign) => separated(line, sign),
        Separator::Gap => wide_cells(line),
    }
}

/// Names of columns with a number each where a name appears several times.
pub(crate) fn numbered(header: &[&str]) -> Vec<(String, String)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for name in header {
        *seen.entry(name).or_default() += 1;
    }
    let mut before: HashMap<&str, usize> = HashMap::new();
    let mut columns = Vec::with_capacity(header.len());
    for &name in header {
        let which = before.entry(name).or_default();
        *which += 1;
        let several = seen.get(name).is_some_and(|count| *count > 1);
        let which = if several {
            which.to_string()
        } else {
            String::new()
        };
        columns.push((name.to_owned(), which));
    }
    columns
}

/// The row that begins in `line`, as it may be shown.
pub(crate) fn row_text(text: &Text, line: usize) -> String {
    let first = text.line(line);
    if first.trim() != "|" {
        return first.to_owned();
    }
    let cells = (line + 1..=text.count()).map(|l| text.line(l).trim());
    let cells = cells
        .take_while(|c| c.ends_with('|') && *c != "|")
        .take(MOST_SHOWN);
    format!("| {}", cells.collect::<Vec<_>>().join(" "))
}

/// A cell without the marks of Markdown for bold and code.
fn plain(cell: &str) -> &str {
    cell.trim().trim_matches(['*', '`']).trim()
}

/// Splits at `separator`, but not inside of double quotes.
pub(crate) fn separated(line: &str, separator: char) -> Vec<&str> {
    let mut cells = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, c) in line.char_indices() {
        if c == '"' {
            quoted = !quoted;
        } else if c == separator && !quoted {
            cells.push(&line[start..at]);
            start = at + c.len_utf8();
        }
    }
    cells.push(&line[start..]);

    cells
        .into_iter()
        .map(|cell| {
            let cell = cell.trim();
            let quoted = cell.len() >= 2 && cell.starts_with('"') && cell.ends_with('"');
            if quoted {
                cell[1..cell.len() - 1].trim()
            } else {
                cell
            }
        })
        .collect()
}

/// Do the cells only draw the table?
pub(crate) fn is_ruler(cells: &[&str]) -> bool {
    let drawn = |cell: &&str| cell.chars().all(|c| "-=:+ ".contains(c));
    cells.iter().any(|c| !c.is_empty()) && cells.iter().all(drawn)
}

/// Is the table written with each cell on its own line, ended by `|`, and rows begun by a lone `|`?
fn is_cell_a_line(text: &Text) -> bool {
    /// Two rows of a table of two columns have as many.
    const ENOUGH: usize = 3;
    text.lines()
        .filter(|(_, line)| line.trim() == "|")
        .take(ENOUGH)
        .count()
        == ENOUGH
}

fn stacked<'a>(text: &'a Text) -> Vec<Cells<'a>> {
    let mut rows: Vec<Cells> = Vec::new();
    let mut open = false;
    for (line, cell) in text.lines() {
        let cell = cell.trim();
        if cell == "|" {
            rows.push(Cells {
                line,
                end: line + 1,
                cells: Vec::new(),
            });
            open = true;
        } else if let (true, Some(inner), Some(row)) =
            (open, cell.strip_suffix('|'), rows.last_mut())
        {
            row.cells.push(plain(inner));
            row.end = line + 1;
        } else if open || !cell.is_empty() {
            // Prose ends a row, and is kept for the units that it may name.
            open = false;
            rows.push(Cells {
                line,
                end: line + 1,
                cells: vec![cell],
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Vec<String>> {
        let text = Text::read(text.as_bytes()).unwrap();
        rows(&text)
            .map(|r| r.cells.iter().map(|c| (*c).to_owned()).collect())
            .collect()
    }

    #[test]
    fn reads_the_same_table_in_every_dress() {
        let same = [["Test", "a b", "c"], ["Pipe", "1.5", "2"]];
        for text in [
            "| Test | a b | **c** |\n|------|:---:|---|\n| Pipe | 1.5 | 2 |\n",
            "Test,a b,c\nPipe,1.5,2\n",
            "Test\ta b\tc\nPipe\t1.5\t2\n",
            "\"Test\";a b;c\nPipe;1.5;2\n",
            "Test    a b   c\n----    ---   ---\nPipe    1.5   2\n",
        ] {
            assert_eq!(read(text), same, "{text}");
        }
        let stacked = "prose\n|\nTest |\na b |\nc |\n|\nPipe |\n1.5 |\n2 |\n|\nx |\n";
        assert_eq!(read(stacked)[1..3], same);
        assert_eq!(separated("a,\"b, c\",d", ','), ["a", "b, c", "d"]);
    }
}
