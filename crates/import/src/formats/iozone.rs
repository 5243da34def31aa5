//! iozone's table: rates of reading and writing a file, by its size and that of a record.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles};

use crate::number::plain;
use crate::pattern::holds;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "iozone",
    what: "iozone's table (kB, reclen, write, rewrite, read, reread)",
    repeats: "runs of iozone",
    silent: "machine, file system, or device",
    roles: &[("iozone.", "", Roles::All(Role::FileDevice))],
    looks,
    part: Some(|line| header(line).is_some()),
    known: &[
        "Iozone",
        "Version",
        "File size set",
        "Record Size",
        "Command line",
        "Time Resolution",
        "Processor cache",
        "File stride",
        "Run began",
    ],
    read,
};

/// Columns whose names stand in one line.
const SINGLE: [&str; 8] = [
    "write", "rewrite", "read", "reread", "fwrite", "frewrite", "fread", "freread",
];

/// What the line above says of the columns whose names stand in two: `random`, `bkwd`.
const ABOVE: [&str; 4] = ["random", "bkwd", "record", "stride"];

fn looks(text: &Text) -> usize {
    marks(text, |line| header(line).is_some()) * 5
}

/// A word of a line and the place behind it.
type Placed<'a> = (&'a str, usize);

fn placed(line: &str) -> Vec<Placed<'_>> {
    let words = line.split_whitespace();
    let end = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize + word.len();
    words.map(|word| (word, end(word))).collect()
}

/// `kB  reclen    write  rewrite    read    reread`: the columns behind the two sizes.
fn header(line: &str) -> Option<Vec<Placed<'_>>> {
    let words = placed(line);
    let (sizes, columns) = words.split_at_checked(2)?;
    let is = sizes[0].0.eq_ignore_ascii_case("kB") && sizes[1].0 == "reclen";
    let named = columns
        .iter()
        .all(|(name, _)| name.ends_with("read") || name.ends_with("write"));
    (is && named && !columns.is_empty()).then(|| columns.to_vec())
}

/// Names of the columns with what the line above them says: iozone prints the first two of writing and of reading, and
/// then those of two words, in the order of the words above.
fn names(columns: &[Placed], above: &str) -> Vec<String> {
    let words: Vec<&str> = above.split_whitespace().collect();
    let mut words = match words.iter().all(|word| ABOVE.contains(word)) {
        true => words,
        false => Vec::new(),
    }
    .into_iter();
    let mut seen: Vec<&str> = Vec::new();
    let mut names = Vec::with_capacity(columns.len());
    for (name, _) in columns {
        let first = SINGLE.contains(name) && !seen.contains(name);
        seen.push(name);
        let front = if first { None } else { words.next() };
        names.push(front.map_or_else(|| (*name).to_owned(), |front| format!("{front} {name}")));
    }
    names
}

/// The unit of all rows: what the page says of it, kB/s where it says nothing.
fn unit(text: &Text) -> (&'static str, Better) {
    let says = |part: &str| text.lines().any(|(_, line)| holds(line, part));
    if says("Output is in ops/sec") {
        ("ops/s", Higher)
    } else if says("Output is in microseconds per op") {
        ("us/op", Lower)
    } else {
        ("kB/s", Higher)
    }
}

/// Which column each figure is of: by count, or by where it ends, as figures are set below the ends of the names.
fn columns_of(figures: &[Placed], columns: &[Placed]) -> Option<Vec<usize>> {
    /// A column is at least so wide.
    const NEAR: usize = 3;
    if figures.len() == columns.len() {
        return Some((0..columns.len()).collect());
    }
    let of = |end: usize| {
        columns
            .iter()
            .position(|(_, column)| column.abs_diff(end) < NEAR)
    };
    let found: Option<Vec<usize>> = figures.iter().map(|(_, end)| of(*end)).collect();
    found.filter(|found| found.windows(2).all(|pair| pair[0] < pair[1]))
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let (unit, better) = unit(text);
    let mut table: Option<(Vec<Placed>, Vec<String>)> = None;
    for (number, line) in text.lines() {
        if let Some(columns) = header(line) {
            sheet.aside(number);
            let names = names(&columns, text.line(number - 1));
            table = Some((columns, names));
            continue;
        }
        let words = placed(line);
        let (Some((columns, names)), [size, record, figures @ ..]) = (&table, words.as_slice())
        else {
            continue;
        };
        let values: Option<Vec<f64>> = figures.iter().map(|(word, _)| plain(word)).collect();
        let sizes = [size, record].map(|(word, _)| word.bytes().all(|b| b.is_ascii_digit()));
        let Some(values) = values.filter(|v| !v.is_empty() && sizes == [true, true]) else {
            continue;
        };
        let Some(places) = columns_of(figures, columns) else {
            sheet.refuse(
                number,
                "which of its figures is in which column cannot be told; write them below the ends of the columns' names",
            );
            continue;
        };
        for (at, value) in places.into_iter().zip(values) {
            let title = format!("{}, {} kB, records of {} kB", names[at], size.0, record.0);
            let row = Row::new("iozone", &names[at], unit, better)
                .with("size", size.0)
                .with("record", record.0)
                .titled(&title);
            sheet.add("", row, value, number)?;
        }
    }
    Ok(())
}
