//! Tests of memory routines by where the memory is (armmem's test programs, lowlevel-blt-bench): L1, L2, M, T, R, RT.

use whyslow_model::Better::Higher;
use whyslow_model::role::{Role, Roles};

use crate::grid;
use crate::number::plain;
use crate::pattern::at_colon;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "armmem",
    what: "tests of memory routines: columns L1, L2, M, T, R, RT (armmem, lowlevel-blt-bench)",
    repeats: "lines of the same test",
    silent: "machine, routine, or unit of the figures",
    roles: &[("armmem.", "", Roles::All(Role::MemoryRoutines))],
    looks,
    part: None,
    known: &["reference memcpy speed"],
    read,
};

/// Its columns: L1 and L2, memory, across tiles, at random, at random in small pieces.
const COLUMNS: [&str; 8] = ["L1", "L2", "M", "T", "HT", "VT", "R", "RT"];

fn looks(text: &Text) -> usize {
    marks(text, |line| {
        header(line).is_some() || labelled(line).is_some()
    }) * 2
}

/// `L1,     L2,     M,      T,      R,      RT`
fn header(line: &str) -> Option<Vec<&'static str>> {
    let cells: Vec<&str> = line
        .split([',', ' ', '\t', '|', ';'])
        .filter(|c| !c.is_empty())
        .collect();
    let known = |cell: &&str| COLUMNS.iter().find(|column| *column == cell).copied();
    let columns: Vec<&str> = cells.iter().map_while(known).collect();
    (columns.len() == cells.len() && columns.starts_with(&["L1", "L2", "M"])).then_some(columns)
}

/// `src_8888 =  L1: 416.3  L2: 366.8  M: 53.5 ( 12.10%)  HT: ...` in parts: the test, and its figures by column.
fn labelled(line: &str) -> Option<(&str, Vec<(&'static str, f64)>)> {
    let (test, rest) = line.split_once('=')?;
    let mut figures = Vec::new();
    for column in COLUMNS {
        let label = format!(" {column}:");
        let Some((_, value)) = rest.split_once(label.as_str()) else {
            continue;
        };
        figures.push((column, plain(value.split_whitespace().next()?)?));
    }
    (figures.len() >= 3).then_some((test.trim(), figures))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut columns: Vec<&str> = Vec::new();
    let mut test = "";
    for (number, line) in text.lines() {
        if let Some(found) = header(line) {
            sheet.aside(number);
            columns = found;
        } else if let Some((test, figures)) = labelled(line) {
            for (column, value) in figures {
                sheet.add("", row(column, test), value, number)?;
            }
        } else if columns.is_empty() {
            // The name of the routine stands above the columns.
            test = at_colon(line).map_or(test, |(name, _)| name);
        } else {
            let read = figures(line, &columns, test, number, sheet);
            sheet.judge(read)?;
        }
    }
    Ok(())
}

fn row(column: &str, test: &str) -> Row {
    let row = Row::new("armmem", column, "", Higher);
    if test.is_empty() {
        row
    } else {
        row.with("test", test)
    }
}

/// `1157.85, 1158.05, 1040.53, 518.08, 124.88,  46.15`
fn figures(
    line: &str,
    columns: &[&str],
    test: &str,
    number: usize,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let cells = match line.contains([',', ';', '|', '\t']) {
        true => grid::cells(line),
        false => line.split_whitespace().collect(),
    };
    let values: Option<Vec<f64>> = cells.iter().map(|cell| plain(cell)).collect();
    let Some(values) = values else {
        // Words between the lines; what could be a row is refused.
        return Ok(());
    };
    if values.len() != columns.len() {
        let why = format!("{} figures under {} columns", values.len(), columns.len());
        return Err(Fault::at(
            number,
            format!("{why}; the line is cut short or broken"),
        ));
    }
    for (column, value) in columns.iter().zip(values) {
        sheet.add("", row(column, test), value, number)?;
    }
    Ok(())
}
