//! Lines whose names and figures stand in the same order: between strokes, `rtt min/avg/max/mdev = 1.1/2.5/7.8/1.9 ms`, or in
//! brackets, `(threads, rate(20)) = (12, 3.5e11)`.

use super::row::{PostedRow, plain_label};
use crate::amount::{Cell, cell, is_digits, is_unit};
use crate::direction::of_unit;
use crate::number::{grouped, plain};

/// More are no names of one line.
const MOST: usize = 8;

/// A row for each figure of such a line. Behind its unit may stand a dash, and the side that it is of.
pub(crate) fn rows(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let line = line.trim();
    if line.contains('|') {
        return None;
    }
    let mut signs = line.match_indices([':', '=']);
    signs
        .find_map(|(at, sign)| of_parts(&line[..at], &line[at + sign.len()..]))
        .or_else(|| tuple(line))
        .or_else(|| Some(vec![of_side(line)?]))
}

/// What programs print of several expressions at once: whole numbers in front say what the others were measured at.
fn tuple(line: &str) -> Option<Vec<PostedRow<'_>>> {
    let (names, figures) = line
        .strip_prefix('(')?
        .strip_suffix(')')?
        .split_once(") = (")?;
    let (names, figures): (Vec<&str>, Vec<&str>) = (
        names.split(", ").map(str::trim).collect(),
        figures.split(", ").map(str::trim).collect(),
    );
    let is_name = |name: &&str| name.starts_with(char::is_alphabetic);
    let several = (2..=MOST).contains(&names.len()) && names.len() == figures.len();
    if !several || !names.iter().all(is_name) {
        return None;
    }
    let keys = figures.iter().take_while(|text| is_digits(text)).count();
    let measured = |figure: &&str| plain(figure).is_some();
    if keys == 0 || keys == figures.len() || !figures[keys..].iter().all(measured) {
        return None;
    }
    let at = names.iter().zip(&figures).take(keys);
    let at: Vec<String> = at.map(|(name, key)| format!("{name} {key}")).collect();
    let own = names.iter().zip(&figures).skip(keys);
    let rows = own.map(|(name, figure)| row(&format!("{} {name}", at.join(" ")), name, figure));
    Some(rows.collect())
}

fn row<'a>(label: &str, first: &'a str, figure: &'a str) -> PostedRow<'a> {
    PostedRow::of_one(plain_label(label), first, figure)
}

/// A figure with the side behind it that it is of, `211 Mbits/sec - 8821cu-2021`, called by its unit.
fn of_side(line: &str) -> Option<PostedRow<'_>> {
    /// More words are a remark.
    const WORDS: usize = 3;
    let (figure, side) = line.split_once(" - ")?;
    let Cell::Amount(_, unit) = cell(figure) else {
        return None;
    };
    let digit = figure.starts_with(|c: char| c.is_ascii_digit());
    let is_name = side.split_whitespace().count() <= WORDS
        && side.starts_with(char::is_alphanumeric)
        && side.contains(char::is_alphabetic)
        && !side.contains([':', '=', ',']);
    (digit && is_name && of_unit(unit).is_some())
        .then(|| row(&format!("{unit} - {side}"), line, figure))
}

fn of_parts<'a>(front: &'a str, behind: &'a str) -> Option<Vec<PostedRow<'a>>> {
    let front = front.trim_end();
    let listed = front.rsplit(char::is_whitespace).next()?;
    let label = front[..front.len() - listed.len()].trim();
    let names: Vec<&str> = listed.split('/').collect();
    let is_name = |name: &&str| {
        let letters = |c: char| c.is_alphanumeric() || "_-%.".contains(c);
        name.starts_with(char::is_alphabetic) && name.chars().all(letters)
    };
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let several = (2..=MOST).contains(&names.len()) && distinct.len() == names.len();
    if !several || !names.iter().all(is_name) {
        return None;
    }
    let (figures, rest) = behind.trim().split_once(' ').unwrap_or((behind.trim(), ""));
    let figures: Vec<&str> = figures.split('/').collect();
    let whole = |figure: &&str| grouped(figure).is_some();
    if figures.len() != names.len() || !figures.iter().all(whole) {
        return None;
    }
    let (unit, side) = match rest.trim().split_once("- ") {
        Some((unit, side)) => (unit.trim(), side.trim()),
        None => (rest.trim(), ""),
    };
    if !is_unit(unit) {
        return None;
    }
    let named = names.into_iter().zip(figures);
    let rows = named.map(|(name, figure)| {
        let label = match side {
            "" => format!("{label} {name}"),
            side => format!("{label} {name} - {side}"),
        };
        PostedRow {
            unit: Some(unit).filter(|unit| !unit.is_empty()),
            ..row(&label, name, figure)
        }
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_figures_between_strokes() {
        let shown = |line: &str| {
            let rows = rows(line).unwrap_or_default();
            let rows = rows.iter().map(|row| {
                let unit = row.unit.unwrap_or_default();
                format!("{}={}{unit}", row.label, row.cells[0])
            });
            rows.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            shown("duration min/max/avg: 142/51,101/147 µs"),
            "duration min=142µs; duration max=51,101µs; duration avg=147µs"
        );
        assert_eq!(
            shown("min/avg = 1.5/2.5 ms - new"),
            "min - new=1.5ms; avg - new=2.5ms"
        );
        assert_eq!(
            shown("211 Mbits/sec - 8821cu-2021"),
            "Mbits/sec - 8821cu-2021=211 Mbits/sec"
        );
        assert_eq!(
            shown("(threads, size, peak(20)) = (12, 3, 3.5e11)"),
            "threads 12 size 3 peak(20)=3.5e11"
        );
        for line in [
            "(a, b) = (1.5, 2.5)",
            "(a, b) = (1, 2)",
            "(a, b) = (1, x)",
            "read/write: 1.5",
            "std dev = 11.2/6.8%",
            "kB/s: 12/13 of 14",
            "a/a: 1/2",
            "12/13: 1/2",
            "12 - 13 ms",
            "211 MB/s - as before, with more threads",
        ] {
            assert_eq!(shown(line), "", "{line}");
        }
    }
}
