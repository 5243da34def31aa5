//! Core-to-core latency matrices: core-to-core-latency (terminal and CSV) and CoherencyLatency.

use whyslow_model::Better::Lower;
use whyslow_model::role::{Role, Roles};

use crate::grid::separated;
use crate::number::plain;
use crate::pattern::{after, holds};
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "core-to-core",
    what: "matrices of core-to-core latencies, as CSV or as printed",
    repeats: "matrices",
    silent: "processor, clock, or memory that the line was on; both directions are one figure in half matrices",
    roles: &[("core_to_core.", "", Roles::All(Role::CoreToCore))],
    looks,
    part: None,
    known: &[
        "Num cores",
        "Num iterations",
        "Num samples",
        "Min  latency",
        "Max  latency",
        "Mean latency",
        "Cache line offset",
        "CPU:",
        "Running CAS",
        "Samples:",
        "Iterations:",
    ],
    read,
};

/// Most cores: larger machines do not exist, and the square of it bounds the work.
const MOST: usize = 4096;

fn looks(text: &Text) -> usize {
    let named = |line: &str| {
        holds(line, "latency on a single shared cache line")
            || after(line, "Cache line offset:").is_some()
    };
    let matrix = matrix_of_cells(text).map_or(0, |matrix| matrix.rows.len());
    marks(text, named) * 3 + marks(text, is_spread_row) + printed(text).min(3) + matrix.min(3)
}

/// `2   52±1   26±0`
fn is_spread_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let spread = |word: &str| {
        let parts = word.split_once('±');
        parts.is_some_and(|(value, by)| plain(value).is_some() && plain(by).is_some())
    };
    words.next().is_some_and(number) && words.clone().next().is_some() && words.all(spread)
}

/// Rows of a printed matrix under a header that begins with a word, `CPU  0  1  2`, or that counts them.
fn printed(text: &Text) -> usize {
    let (mut width, mut least) = (0, 0);
    let mut rows = 0;
    for (_, line) in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(cores) = worded_header(&words) {
            (width, least, rows) = (cores.len(), cores.len(), 0);
        } else if rows == 0 && is_counted(&words) {
            // Without a word, only what leaves out the diagonal is known for a matrix.
            (width, least, rows) = (words.len(), words.len() - 1, 0);
        } else if width > 0 && words.len() == least + 1 && words[0] == rows.to_string() {
            rows += 1;
        }
    }
    // A table of anything may begin like this; one with as many rows as columns is a matrix.
    if rows > 0 && rows == width { rows } else { 0 }
}

/// `0     1     2     3`: cores counted from none, which core_latency prints above a matrix without its diagonal.
fn is_counted(words: &[&str]) -> bool {
    let counted = |(at, word): (usize, &&str)| *word == at.to_string();
    words.len() > 2 && is_header(words) && words.iter().enumerate().all(counted)
}

/// The cores of `CPU  0  1  2`, which c2clat prints.
fn worded_header<'a>(words: &[&'a str]) -> Option<Vec<&'a str>> {
    let (first, cores) = words.split_first()?;
    let named = ["cpu", "core", "cores", "from/to", "from\\to"];
    let is = named
        .iter()
        .any(|name| first.trim_end_matches(':').eq_ignore_ascii_case(name));
    (is && is_header(cores)).then(|| cores.to_vec())
}

/// A file that is nothing but a matrix of latencies: its cells, and the names of its cores.
struct Matrix<'a> {
    /// Empty where they are counted.
    names: Vec<&'a str>,
    /// The line that the names stand in.
    header: Option<usize>,
    rows: Vec<(usize, Vec<&'a str>)>,
}

/// The cells of a file that is nothing but square matrices of latencies with nothing on their diagonals, at commas,
/// semicolons or tabs, with or without the numbers of the cores around them.
fn matrix_of_cells<'a>(text: &'a Text) -> Option<Matrix<'a>> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for (number, line) in text.lines() {
        if line.trim().is_empty() && !line.contains('\t')
            || after(line, "Cache line offset:").is_some()
        {
            continue;
        }
        lines.push((number, line));
        if lines.len() > MOST {
            return None;
        }
    }
    let sign = [',', ';', '\t']
        .into_iter()
        .find(|sign| lines.iter().all(|(_, l)| l.contains(*sign)))?;
    let mut rows: Vec<(usize, Vec<&str>)> = lines
        .iter()
        .map(|(number, line)| (*number, separated_whole(line, sign)))
        .collect();
    if rows.iter().any(|(_, cells)| cells.len() > MOST) {
        return None;
    }
    let first = rows.first().map(|(line, _)| *line);
    let names = named_cores(&mut rows);
    let header = first.filter(|_| !names.is_empty());
    let number = |cell: &&str| is_none(cell) || plain(cell).is_some();
    let numbers = rows.iter().all(|(_, cells)| cells.iter().all(&number));
    (numbers && squares(&rows)).then_some(Matrix {
        names,
        header,
        rows,
    })
}

/// The cells of a line, also of one that begins or ends with separators.
fn separated_whole(line: &str, sign: char) -> Vec<&str> {
    match sign {
        '\t' => line.split('\t').map(str::trim).collect(),
        sign => separated(line, sign),
    }
}

/// Takes the numbers of the cores off a matrix that has them above and in front.
fn named_cores<'a>(rows: &mut Vec<(usize, Vec<&'a str>)>) -> Vec<&'a str> {
    let Some((_, header)) = rows.first() else {
        return Vec::new();
    };
    let names: Vec<&str> = header.iter().skip(1).copied().collect();
    let whole = |cell: &&str| !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit());
    let in_front = rows
        .iter()
        .skip(1)
        .map(|(_, cells)| cells.first().copied().unwrap_or_default());
    if names.len() < 2 || !names.iter().all(whole) || !in_front.eq(names.iter().copied()) {
        return Vec::new();
    }
    rows.remove(0);
    for (_, cells) in rows {
        cells.remove(0);
    }
    names
}

/// Are they square matrices with nothing on the diagonal?
fn squares(rows: &[(usize, Vec<&str>)]) -> bool {
    let Some((_, first)) = rows.first() else {
        return false;
    };
    let size = first.len();
    let square = size >= 2
        && rows.len().is_multiple_of(size)
        && rows.iter().all(|(_, cells)| cells.len() == size);
    let mut diagonal = rows
        .iter()
        .enumerate()
        .map(|(i, (_, cells))| cells.get(i % size));
    square && diagonal.all(|cell| cell.is_some_and(|cell| is_none(cell)))
}

/// What stands where there is no pair.
fn is_none(cell: &str) -> bool {
    matches!(cell, "" | "x" | "-" | "X" | "nan" | "NaN") || plain(cell) == Some(0.0)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if let Some(matrix) = matrix_of_cells(text) {
        return read_cells(&matrix, sheet);
    }
    let mut test = String::new();
    let mut cores: Vec<&str> = Vec::new();
    let mut rows = 0;
    // Is the diagonal blank?
    let mut gap = false;
    for (number, line) in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if holds(line, ") ") && holds(line, "latency") {
            test = slug(line.split_once(") ").map_or(line, |(_, name)| name));
            cores.clear();
        } else if let Some(named) = worded_header(&words) {
            sheet.aside(number);
            (cores, rows) = (named, 0);
        } else if is_header(&words)
            && rows == 0
            && (cores.is_empty() || line.starts_with(' '))
            && !(words.len() == cores.len() + 1 && words.first() == cores.first())
        {
            sheet.aside(number);
            cores = words;
        } else if let Some(cpu) = after(line, "CPU:") {
            sheet.state("", "cpu", cpu);
        } else if cores.is_empty() {
        } else if words.first() == cores.get(rows) {
            // Half a matrix has no figure in its first row.
            if rows == 0 {
                gap = words.len() == cores.len();
            }
            let read = printed_row(&words, number, &cores, (&test, gap), sheet);
            sheet.judge(read)?;
            rows += 1;
            if rows == cores.len() {
                (cores, rows) = (Vec::new(), 0);
            }
        } else if let Some(first) = words
            .first()
            .filter(|w| w.bytes().all(|b| b.is_ascii_digit()))
        {
            let why = format!("row {first} does not follow the order of the columns");
            sheet.refuse(number, why);
        }
    }
    if text.lines().any(|(_, line)| holds(line, "Mean latency:")) {
        sheet.note(
            "core-to-core",
            "the smallest, largest and mean latency are left out: the pairs are here",
        );
    }
    if rows > 0 {
        sheet.note(
            "core-to-core",
            "the matrix ends before its last row: the pairs of the cores behind are not here",
        );
    }
    Ok(())
}

/// The header of a printed matrix: core numbers.
fn is_header(words: &[&str]) -> bool {
    let number = |w: &&str| !w.is_empty() && w.len() <= 5 && w.bytes().all(|b| b.is_ascii_digit());
    words.len() >= 2 && words.len() <= MOST && words.iter().all(number)
}

/// `2   52±1   26±0`: the pairs with the cores before it, or with all, or with all but its own where there is a `gap`.
fn printed_row(
    words: &[&str],
    line: usize,
    cores: &[&str],
    (test, gap): (&str, bool),
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let Some((from, cells)) = words.split_first() else {
        return Ok(());
    };
    if cells.len() > cores.len() {
        return Err(Fault::at(
            line,
            format!("{} figures for {} cores", cells.len(), cores.len()),
        ));
    }
    if cells.is_empty() {
        sheet.aside(line);
    }
    let from_at = cores
        .iter()
        .position(|core| core == from)
        .unwrap_or_default();
    let others = cores.iter().enumerate();
    let others = others.filter(|(at, _)| !(gap && *at == from_at));
    for ((to_at, to), cell) in others.zip(cells) {
        let digits = cell.split('±').next().unwrap_or(cell);
        if from == to && is_none(digits) {
            continue;
        }
        let pair = Pair {
            names: (from, to),
            at: (from_at, to_at),
        };
        add(&pair, digits, test, line, sheet)?;
    }
    Ok(())
}

/// The cores of a figure: their names, and its row and column, which are what it is called by where they have none.
struct Pair<'a> {
    names: (&'a str, &'a str),
    at: (usize, usize),
}

fn add(
    pair: &Pair<'_>,
    digits: &str,
    test: &str,
    line: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let value = plain(digits).ok_or_else(|| {
        let digits = crate::error::quote(digits);
        Fault::at(
            line,
            format!("'{digits}' is no latency; correct it or leave the cell empty"),
        )
    })?;
    let (row, column) = pair.at;
    let title = format!("latency, row {row} column {column} (counted from 0)");
    let row = Row::new("core_to_core", &title, "ns", Lower).id("core_to_core", "latency");
    let row = if test.is_empty() {
        row
    } else {
        row.with("test", test)
    };
    let (from, to) = pair.names;
    sheet.add("", row.with("from", from).with("to", to), value, line)
}

fn read_cells(matrix: &Matrix, sheet: &mut Sheet) -> Result<(), Fault> {
    if let Some(line) = matrix.header {
        sheet.aside(line);
    }
    for (at, (line, cells)) in matrix.rows.iter().enumerate() {
        let row = at % cells.len();
        let name = |at: usize| match matrix.names.get(at) {
            Some(name) => (*name).to_owned(),
            None => at.to_string(),
        };
        for (column, cell) in cells.iter().enumerate().filter(|(_, c)| !is_none(c)) {
            let pair = Pair {
                names: (&name(row), &name(column)),
                at: (row, column),
            };
            let read = add(&pair, cell, "", *line, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}
