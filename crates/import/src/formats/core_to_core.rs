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
    let matrix = rows_of_csv(text)
        .filter(|rows| rows.len() >= 2)
        .map_or(0, |rows| rows.len());
    marks(text, named) * 3 + marks(text, |line| line.contains('±')) + matrix.min(3)
}

/// The lines of a CSV that is nothing but a square matrix of latencies with an empty diagonal.
fn rows_of_csv<'a>(text: &'a Text) -> Option<Vec<(usize, Vec<&'a str>)>> {
    let mut rows: Vec<(usize, Vec<&str>)> = Vec::new();
    for (number, line) in text.lines() {
        let inside =
            line.contains(',') && !line.contains(|c: char| c.is_ascii_alphabetic() && c != 'x');
        if !inside {
            if line.is_empty() || after(line, "Cache line offset:").is_some() {
                continue;
            }
            return None;
        }
        rows.push((number, separated(line, ',')));
        if rows.len() > MOST || rows.last().is_some_and(|r| r.1.len() > MOST) {
            return None;
        }
    }
    let size = rows.first()?.1.len();
    let square =
        size > 0 && rows.len().is_multiple_of(size) && rows.iter().all(|r| r.1.len() == size);
    let diagonal = rows
        .iter()
        .enumerate()
        .all(|(i, r)| is_none(r.1.get(i % size).copied().unwrap_or_default()));
    (square && diagonal && size >= 2).then_some(rows)
}

/// What stands where there is no pair.
fn is_none(cell: &str) -> bool {
    matches!(cell, "" | "x" | "-" | "X")
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    if let Some(rows) = rows_of_csv(text) {
        return read_csv(&rows, sheet);
    }
    let mut test = String::new();
    let mut cores: Vec<&str> = Vec::new();
    let mut rows = 0;
    for (number, line) in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if holds(line, ") ") && holds(line, "latency") {
            test = slug(line.split_once(") ").map_or(line, |(_, name)| name));
            cores.clear();
        } else if is_header(&words) && (cores.is_empty() || line.starts_with(' ')) && rows == 0 {
            sheet.aside(number);
            cores = words;
        } else if cores.is_empty() {
        } else if words.first() == cores.get(rows) {
            let read = half_row(&words, number, &cores, &test, sheet);
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
        return Err(Fault::at(
            text.count(),
            "the matrix ends before its last row; is the file whole?",
        ));
    }
    Ok(())
}

/// The header of a printed matrix: core numbers.
fn is_header(words: &[&str]) -> bool {
    let number = |w: &&str| !w.is_empty() && w.len() <= 5 && w.bytes().all(|b| b.is_ascii_digit());
    words.len() >= 2 && words.len() <= MOST && words.iter().all(number)
}

/// `2   52±1   26±0`: the pairs with the cores before it.
fn half_row(
    words: &[&str],
    line: usize,
    cores: &[&str],
    test: &str,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let Some((from, cells)) = words.split_first() else {
        return Ok(());
    };
    if cells.len() >= cores.len() {
        return Err(Fault::at(
            line,
            format!("{} figures for {} cores", cells.len(), cores.len()),
        ));
    }
    for (to, cell) in cores.iter().zip(cells) {
        let digits = cell.split('±').next().unwrap_or(cell);
        add(from, to, digits, test, line, sheet)?;
    }
    Ok(())
}

fn add(
    from: &str,
    to: &str,
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
    let row = Row::new("core_to_core", "latency", "ns", Lower);
    let row = if test.is_empty() {
        row
    } else {
        row.with("test", test)
    };
    sheet.add("", row.with("from", from).with("to", to), value, line)
}

fn read_csv(rows: &[(usize, Vec<&str>)], sheet: &mut Sheet) -> Result<(), Fault> {
    for (at, (line, cells)) in rows.iter().enumerate() {
        let size = cells.len();
        for (to, cell) in cells.iter().enumerate().filter(|(_, c)| !is_none(c)) {
            let (from, to) = ((at % size).to_string(), to.to_string());
            let read = add(&from, &to, cell, "", *line, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}
