//! Tables that were copied from a page as text, one cell a line: names of columns, then of each row its name and its figures.
//!
//! ```text
//! Test
//! before
//! after
//! read
//! 538
//! 761
//! ```

use std::borrow::Cow;
use std::ops::Range;

use super::line_end;

/// Columns of figures: a name above a single figure is a list and no table.
const COLUMNS: std::ops::RangeInclusive<usize> = 2..=12;

/// Rows at least, and where there are several columns.
const ROWS: usize = 3;
const ROWS_OF_SEVERAL: usize = 2;
const SEVERAL: usize = 3;

/// Words of a figure with its unit.
const WORDS: usize = 3;

/// A line that is one cell: which line it is, and what stands in it.
struct Cell<'a> {
    at: usize,
    text: &'a str,
}

impl Cell<'_> {
    fn is_figure(&self) -> bool {
        let bare = self.text.trim_start_matches(['-', '+', '~', '<', '>']);
        let figure = bare.starts_with(|c: char| c.is_ascii_digit());
        // What was not measured.
        let missing = matches!(self.text, "-" | "–" | "—" | "N/A" | "n/a");
        missing || figure && self.text.split_whitespace().count() <= WORDS
    }
}

/// A table within the cells: what stands in front of its names of columns, and its rows.
struct Table {
    corner: Option<usize>,
    columns: usize,
    rows: Range<usize>,
}

/// `whole` with such tables as rows between bars, each on the line of its name.
pub(super) fn rowed(whole: Cow<'_, str>) -> Cow<'_, str> {
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let mut out: Option<Vec<String>> = None;
    for run in runs(&lines) {
        let Some(table) = table(&run) else { continue };
        let out = out.get_or_insert_with(|| lines.iter().map(|l| (*l).to_owned()).collect());
        let heads = table.rows.start - table.columns..table.rows.start;
        let first = table.corner.unwrap_or(heads.start);
        for cell in &run[first..table.rows.end] {
            out[cell.at].clear();
        }
        let row = |name: &str, cells: &[Cell<'_>]| {
            let cells: Vec<&str> = cells.iter().map(|cell| cell.text).collect();
            format!("| {name} | {} |", cells.join(" | "))
        };
        let corner = table.corner.map_or("", |at| run[at].text);
        out[run[first].at] = row(corner, &run[heads]);
        for cells in run[table.rows].chunks(table.columns + 1) {
            if let [name, figures @ ..] = cells {
                out[name.at] = row(name.text, figures);
            }
        }
    }
    out.map_or(whole, |lines| Cow::Owned(lines.join(end)))
}

/// Lines of one cell each that follow each other; blank ones between them do not count.
fn runs<'a>(lines: &[&'a str]) -> Vec<Vec<Cell<'a>>> {
    let mut runs: Vec<Vec<Cell<'a>>> = vec![Vec::new()];
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim().trim_end_matches('|').trim_end();
        let one = !text.contains(['|', '\t']) && !text.contains("  ");
        match (text.is_empty(), one) {
            (true, _) => {}
            (false, true) => runs.last_mut().into_iter().for_each(|run| {
                run.push(Cell { at, text });
            }),
            (false, false) => runs.push(Vec::new()),
        }
    }
    runs
}

/// The table with the most cells.
fn table(run: &[Cell<'_>]) -> Option<Table> {
    let figures: Vec<bool> = run.iter().map(Cell::is_figure).collect();
    let is_row = |at: usize, columns: usize| {
        let row = figures.get(at..=at + columns);
        row.is_some_and(|row| !row[0] && row[1..].iter().all(|figure| *figure))
    };
    let mut best: Option<Table> = None;
    for columns in COLUMNS {
        let mut at = columns;
        while at < run.len() {
            let rows = (at..).step_by(columns + 1);
            let count = rows.take_while(|at| is_row(*at, columns)).count();
            let least = if columns >= SEVERAL {
                ROWS_OF_SEVERAL
            } else {
                ROWS
            };
            let named = figures[at - columns..at].iter().all(|figure| !figure);
            if count < least || !named {
                at += 1;
                continue;
            }
            let rows = at..at + count * (columns + 1);
            at = rows.end;
            if best
                .as_ref()
                .is_none_or(|best| best.rows.len() < rows.len())
            {
                // Right in front of the names of columns, that of the names of rows.
                let head = rows.start - columns;
                let corner = head
                    .checked_sub(1)
                    .filter(|corner| !figures[*corner] && run[*corner].at + 1 == run[head].at);
                best = Some(Table {
                    corner,
                    columns,
                    rows,
                });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_their_own_lines_are_rows() {
        let text = "$ bench -t 20\n|\nold |\nnew |\nwrite |\n384 |\n697 MB/s |\nread |\n179 |\n- |\nseek |\n87 |\n86 |\n";
        let rows = "$ bench -t 20\n|\n|  | old | new |\n\n| write | 384 | 697 MB/s |\n\n\n| read | 179 | - |\n\n\n| seek | 87 | 86 |\n\n\n";
        assert_eq!(rowed(Cow::Borrowed(text)), rows);
        let text = "Env\na\nb\nc\n\none host\n1\n2\n3\n\ntwo hosts\n4\n5\n6\n";
        let rows = "| Env | a | b | c |\n\n\n\n\n| one host | 1 | 2 | 3 |\n\n\n\n\n| two hosts | 4 | 5 | 6 |\n\n\n\n";
        assert_eq!(rowed(Cow::Borrowed(text)), rows);
        for text in [
            "reads\n1\nwrites\n2\nseeks\n3\n",
            "a  1\nb  2\n",
            "a\nb\n1\n2\n",
            "first\nsecond\nread\n1\n2\nwrite\n3\n",
        ] {
            assert_eq!(rowed(Cow::Borrowed(text)), text);
        }
    }
}
