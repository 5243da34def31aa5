//! Tables of BYTE's rows as people publish them: names in the first column, a system a column, or the
//! columns of a report.

use crate::grid;
use crate::ledger::could_be_row;
use crate::number::grouped;
use crate::pattern::{holds, wide_cells};
use crate::{Fault, Sheet, Text};

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    /// Figures of a system of that name; a number tells columns of one name apart.
    Figures { system: String, which: String },
    /// The unit of the figures.
    Unit,
    /// Index scores, beside their raw figures or alone.
    Index,
    /// What is no result: the baseline, the time it took, the passes.
    Other,
}

/// The columns of a table, and whether it says that its figures are index scores.
#[derive(Debug, Clone)]
struct Header {
    columns: Vec<Column>,
    index: bool,
}

/// Said where index values repeat what stands above them.
const LEFT_OUT: &str =
    "the table of index values is left out: the figures that it is made of are here";

/// Makes the row of a name, a unit and the number of its column.
pub(crate) type Rows = fn(&str, &str, &str) -> crate::Row;

/// Reads every table. `unit_of` has the unit of a known row, and `row` makes one.
pub(crate) fn read(
    text: &Text,
    sheet: &mut Sheet,
    unit_of: fn(&str) -> Option<&'static str>,
    row: Rows,
) -> Result<(), Fault> {
    let mut header: Option<Header> = None;
    let mut begun = false;
    // Words above a table may say what its figures are.
    let mut index = false;
    let mut scores = Scores::None;
    for cells in grid::rows(text) {
        let printed = text.line(cells.line);
        let whole = nameless_first(printed, cells.cells);
        let (line, cells) = (cells.line, whole_name(printed, whole));
        scores = scores.at(&cells);
        if scores == Scores::Below {
            let first = cells.first().copied().unwrap_or_default();
            let own = ["INDEX VALUES", "TEST", "SUM of", "AVERAGE"];
            if unit_of(first).is_some() || own.iter().any(|name| first.starts_with(name)) {
                sheet.note("byte", LEFT_OUT);
                sheet.aside(line);
            }
            continue;
        }
        if header.is_none() && !begun && cells.len() < 2 {
            // Before the first table there is only prose.
            sheet.aside(line);
        }
        let named = cells.first().copied().unwrap_or_default();
        let figures = cells.iter().skip(1).filter(|c| figure(c).is_some()).count();
        if figures == 0 {
            if cells.len() >= 2 && unit_of(named).is_none() {
                sheet.aside(line);
                header = match header.take() {
                    // What the columns hold, below what they are called: `INDEX  INDEX`.
                    Some(above) if !begun && above.is_said_by(&cells) => Some(Header {
                        index: index || says_index(cells[1]),
                        ..above
                    }),
                    _ => Some(Header::of(&cells, index)),
                };
            } else if !named.is_empty() && !could_be_row(&cells) {
                index = says_index(named);
                sheet.apart();
            }
            continue;
        }
        let known = unit_of(named);
        let Some(header) = header
            .clone()
            .or_else(|| known.map(|_| Header::without(cells.len(), index)))
        else {
            // What the page says above it.
            if !begun {
                sheet.aside(line);
            }
            continue;
        };
        let read = add(line, &cells, known.unwrap_or_default(), &header, row, sheet);
        sheet.judge(read)?;
        begun = true;
    }
    Ok(())
}

/// Where the table of index values is that version 3 prints below its figures, which are the same once more.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scores {
    None,
    /// Figures with their units were there.
    Above,
    Below,
}

impl Scores {
    /// The same behind a line of these cells.
    fn at(self, cells: &[&str]) -> Scores {
        let units = ["lps", "lpm", "KBps", "MWIPS"];
        let has_unit = |cell: &&str| figure(cell).is_some_and(|(_, unit)| units.contains(&unit));
        match self {
            _ if cells.iter().skip(1).any(has_unit) => Scores::Above,
            Scores::Above if cells.first().is_some_and(|c| c.starts_with("INDEX VALUES")) => {
                Scores::Below
            }
            other => other,
        }
    }
}

/// The cells of a header that has no name above its first column: it begins with spaces, and names systems alone.
fn nameless_first<'a>(line: &'a str, mut cells: Vec<&'a str>) -> Vec<&'a str> {
    /// Names of rows are longer than this: what begins behind stands above the figures.
    const FIRST_COLUMN: usize = 16;
    let indent = line.len() - line.trim_start().len();
    let words = cells
        .iter()
        .all(|cell| cell.split_whitespace().count() == 1);
    if indent >= FIRST_COLUMN && cells.len() >= 2 && words && !line.contains(['|', '\t', ',', ';'])
    {
        cells.insert(0, "");
    }
    cells
}

/// A name with a wide gap in it is one cell: `File Read  (10 seconds)`.
fn whole_name<'a>(line: &'a str, mut cells: Vec<&'a str>) -> Vec<&'a str> {
    if let [first, second, ..] = cells.as_slice()
        && second.starts_with('(')
        && second.ends_with(')')
        && let Some(start) = line.find(first)
        && let Some(end) = line[start..].find(second)
    {
        let name = &line[start..start + end + second.len()];
        cells.remove(1);
        cells[0] = name;
    }
    cells
}

/// The system that stands behind the name of a row, `Execl Throughput[linux-2.5.69]`.
fn system_behind(name: &str) -> Option<(&str, &str)> {
    let (name, system) = name.strip_suffix(']')?.split_once('[')?;
    Some((name.trim(), system)).filter(|(name, system)| !name.is_empty() && !system.is_empty())
}

/// Does the text say that figures are index scores?
fn says_index(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|w| {
        ["index", "indices", "indexes"]
            .iter()
            .any(|i| w.eq_ignore_ascii_case(i))
    })
}

impl Header {
    fn of(cells: &[&str], index: bool) -> Header {
        let names = cells.get(1..).unwrap_or_default();
        let is = |name: &str, words: &[&str]| words.iter().any(|w| name.eq_ignore_ascii_case(w));
        // The columns of a report, of one system.
        let raw = ["Result", "Score", "Results", "Scores"];
        let report = names.iter().any(|n| is(n, &["Index", "Baseline"]));
        let columns = grid::numbered(names).into_iter().map(|(name, which)| {
            let no_result = ["Baseline", "Time", "Iters.", "Iters", "Samples"];
            if report && is(&name, &no_result) {
                Column::Other
            } else if report && is(&name, &["Index"]) {
                Column::Index
            } else if is(&name, &["Unit", "Units"]) {
                Column::Unit
            } else {
                let system = if report && is(&name, &raw) {
                    String::new()
                } else {
                    name
                };
                Column::Figures { system, which }
            }
        });
        let first = cells.first().is_some_and(|first| says_index(first));
        Header {
            columns: columns.collect(),
            index: index || first,
        }
    }

    /// Do these cells say of each of the columns, which have names already, what is in it?
    fn is_said_by(&self, cells: &[&str]) -> bool {
        let kinds = &cells[1..];
        let words = ["index", "result", "score"];
        let same = kinds.iter().all(|kind| kind == &kinds[0]);
        kinds.len() == self.columns.len()
            && kinds.len() > 1
            && same
            && words.iter().any(|word| kinds[0].eq_ignore_ascii_case(word))
    }

    /// A table that begins with its rows.
    fn without(cells: usize, index: bool) -> Header {
        let names = vec![""; cells.saturating_sub(1)];
        let columns = grid::numbered(&names).into_iter();
        Header {
            columns: columns
                .map(|(system, which)| Column::Figures { system, which })
                .collect(),
            index,
        }
    }
}

/// The number of a cell, and the unit that stands behind it: `1234.5 lps`.
fn figure(cell: &str) -> Option<(f64, &str)> {
    let (digits, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    Some((grouped(digits)?, unit.trim()))
}

fn add(
    line: usize,
    cells: &[&str],
    unit: &str,
    header: &Header,
    row: Rows,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    // A change behind the last column needs no name of its own.
    let change = |text: &&str| {
        let share = text
            .strip_suffix('%')
            .map(|n| n.trim().trim_start_matches(['+', '-']));
        share.is_some_and(|share| grouped(share).is_some())
    };
    let cells = match cells.split_last() {
        Some((last, rest)) if rest.len() == header.columns.len() + 1 && change(last) => rest,
        _ => cells,
    };
    if cells.len() != header.columns.len() + 1 {
        let why = format!(
            "{} cells under a header of {}",
            cells.len(),
            header.columns.len() + 1
        );
        return Err(Fault::at(
            line,
            format!("{why}; fill the table up or leave the row out"),
        ));
    }
    let name = wide_cells(cells[0]).join(" ");
    let (name, of_row) = match system_behind(&name) {
        Some((name, system)) => (name.to_owned(), system.to_owned()),
        None => (name, String::new()),
    };
    let columns = || header.columns.iter().zip(&cells[1..]);
    let own_unit = columns().find(|(column, _)| **column == Column::Unit);
    let unit = own_unit.map_or(unit, |(_, cell)| *cell);
    // The sum of a report has an index and no raw figure.
    let is_score = header.index || holds(&name, "Index Score") || holds(&name, "FINAL SCORE");
    let raw = columns()
        .any(|(column, cell)| matches!(column, Column::Figures { .. }) && figure(cell).is_some());
    for (column, cell) in columns() {
        let (system, which) = match column {
            Column::Figures { system, which } => (system.as_str(), which.as_str()),
            Column::Index if !raw => ("", ""),
            _ => continue,
        };
        // No result is a share: what ends in percent is a change between columns.
        let change = cell.ends_with('%');
        if change || matches!(*cell, "" | "-" | "--" | "---" | "----" | "n/a") {
            continue;
        }
        let (value, own) = figure(cell).ok_or_else(|| not_a_number(line, cell))?;
        let unit = match () {
            () if is_score || *column == Column::Index => "index",
            () if own.is_empty() => unit,
            () => own,
        };
        let system = format!("{of_row} {system}");
        sheet.add(system.trim(), row(&name, unit, which), value, line)?;
    }
    Ok(())
}

/// A fault for a cell that should be a number.
pub(crate) fn not_a_number(line: usize, cell: &str) -> Fault {
    let cell = crate::error::quote(cell);
    Fault::at(
        line,
        format!("'{cell}' is no number; correct it or take the row out"),
    )
}
