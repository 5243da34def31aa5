//! Headers of posted tables: which column is a side, a measured quantity, or none of them.

use crate::amount::{Cell, cell};
use crate::direction::{of_unit, of_words};
use crate::posted::{Group, Line, PostedRow};
use crate::sides::names_side;

/// Lines above the rows among which the header is looked for.
const ABOVE: usize = 6;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Results of the side, or of the quantity, that the column names.
    Values(String),
    /// Units of the row.
    Unit,
    /// Differences, ratios, spreads: what follows from values.
    Derived,
}

/// The columns behind the label.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// The name of the labels, where it has one.
    pub(crate) label: String,
    pub(crate) columns: Vec<Kind>,
    /// The columns are quantities, and rows the sides or tests that they were measured for.
    pub(crate) quantities: bool,
    /// Each figure has its name in front of it, in its own row.
    pub(crate) keyed: bool,
    /// Its line; 0 where it is none of its own.
    pub(crate) line: usize,
}

/// Words of columns that hold no results.
const DERIVED: &[&str] = &[
    "diff",
    "difference",
    "delta",
    "ratio",
    "speedup",
    "improvement",
    "stdev",
    "stddev",
    "deviation",
    "variance",
    "regression",
    "coeffvar",
];

/// Whole names of such columns: within a name they may be part of a side's.
const DERIVED_NAMES: &[&str] = &[
    "change", "changes", "improv", "gain", "std", "std dev", "err", "error", "cov", "cv", "var",
    "rel", "relative", "impact", "sd", "vs", "uplift", "pct", "percent", "ci", "p", "p-value",
    "loss", "overhead", "+/-", "%",
];

/// Names of the size that columns are of.
const SIZES: &[&str] = &[
    "threads",
    "clients",
    "processes",
    "groups",
    "tasks",
    "cpus",
    "cores",
    "copies",
    "size",
    "workers",
    "nr",
    "jobs",
    "procs",
    "thread",
    "nodes",
    "vcpus",
    "load",
];

/// Names of the column of labels.
const TESTS: &[&str] = &[
    "test",
    "tests",
    "benchmark",
    "bench",
    "metric",
    "name",
    "kernel",
    "version",
    "workload",
    "config",
    "case",
    "percentile",
    "operation",
    "program",
];

/// Words of columns with counts of runs.
const COUNTS: &[&str] = &["runs", "samples", "n", "calls", "passes", "baseline_index"];

impl Header {
    /// The header of a group's rows, if there is one above them.
    pub(crate) fn above(group: &Group) -> Option<Header> {
        let width = group.width();
        let near = group.above.iter().rev().take(ABOVE);
        near.filter_map(|(line, words)| match words {
            Line::Words(cells) => Header::of(cells, width, *line).or_else(|| {
                // A column of units is no column of the rows any more.
                let units = group.rows.iter().any(|(_, row)| row.unit.is_some());
                let mut header = Header::of(cells, width + 1, *line).filter(|_| units)?;
                (header.columns.pop()? == Kind::Unit).then_some(header)
            }),
            Line::Row(_) => None,
        })
        .next()
    }

    /// The header in a line of words, for rows with so many cells behind their label.
    fn of(cells: &[&str], width: usize, line: usize) -> Option<Header> {
        let cells: Vec<&str> = match cells {
            [one] => words_or_units(one, width),
            cells => cells.to_vec(),
        };
        let single = width == 1 && cells.len() == 1;
        if cells.len() < width || cells.len() > width + 1 || cells.len() > 60 || single {
            return None;
        }
        let sentence = cells
            .iter()
            .any(|c| c.ends_with('.') || c.split_whitespace().count() > 8);
        if sentence || width == 0 {
            return None;
        }
        let (label, names) = cells.split_at(cells.len() - width);
        let label = label.first().copied().unwrap_or_default();
        let columns: Vec<Kind> = names.iter().map(|name| kind(name)).collect();
        let values = columns.iter().filter(|k| matches!(k, Kind::Values(_)));
        let quantities = values
            .clone()
            .filter(|k| matches!(k, Kind::Values(name) if is_quantity(name)));
        let (values, quantities) = (values.count(), quantities.count());
        (values > 0).then(|| Header {
            label: label.trim_matches([':', '#', ' ']).to_owned(),
            columns,
            quantities: quantities > 0 && quantities == values,
            keyed: false,
            line,
        })
    }

    /// Rows without a header: one figure each, whatever is derived beside it.
    pub(crate) fn none(cells: &[&str]) -> Option<Header> {
        let columns = cells.iter().map(|c| match cell(c) {
            Cell::Amount(..) | Cell::Broken => Kind::Values(String::new()),
            Cell::Words(unit) if of_unit(unit).is_some() => Kind::Unit,
            _ => Kind::Derived,
        });
        let columns: Vec<Kind> = columns.collect();
        let values = columns
            .iter()
            .filter(|k| matches!(k, Kind::Values(_)))
            .count();
        (values == 1).then(|| Header {
            label: String::new(),
            columns,
            quantities: false,
            keyed: false,
            line: 0,
        })
    }

    /// The header of rows in which a name stands in front of each figure, the same ones in all: `b/w  1.5 GB/s`.
    pub(crate) fn of_keys(rows: &[(usize, PostedRow)]) -> Option<Header> {
        let keys = |row: &PostedRow| -> Option<Vec<String>> {
            let amount = |at: usize| matches!(cell(row.cells[at]), Cell::Amount(..));
            let figures = (0..row.cells.len()).filter(|at| amount(*at));
            let key = |at: usize| {
                let before = row.cells.get(at.checked_sub(1)?)?.trim_end_matches(':');
                before
                    .starts_with(char::is_alphabetic)
                    .then(|| before.to_owned())
            };
            figures.map(key).collect()
        };
        let ((_, first), more) = rows.split_first()?;
        let own = keys(first)?;
        let same = !more.is_empty() && more.iter().all(|(_, row)| keys(row).as_ref() == Some(&own));
        if !same {
            return None;
        }
        let mut own = own.into_iter();
        let columns = first.cells.iter().map(|text| match cell(text) {
            Cell::Amount(..) => own.next().map_or(Kind::Derived, Kind::Values),
            _ => Kind::Derived,
        });
        Some(Header {
            label: String::new(),
            columns: columns.collect(),
            quantities: true,
            keyed: true,
            line: 0,
        })
    }

    /// Figures without any name: what is compared is where they stand.
    pub(crate) fn of_places(cells: &[&str]) -> Header {
        let mut place = 0;
        let columns = cells.iter().map(|text| match cell(text) {
            Cell::Amount(..) | Cell::Broken => {
                place += 1;
                Kind::Values(place.to_string())
            }
            Cell::Words(unit) if of_unit(unit).is_some() => Kind::Unit,
            _ => Kind::Derived,
        });
        Header {
            label: String::new(),
            columns: columns.collect(),
            quantities: false,
            keyed: false,
            line: 0,
        }
    }

    /// A row of numbers that is the header of those below it: `threads 1 2 4 8`, or versions.
    pub(crate) fn of_numbers(row: &PostedRow, below: usize, line: usize) -> Option<Header> {
        let bare = |text: &&str| matches!(cell(text), Cell::Amount(_, ""));
        if !row.cells.iter().all(bare) || row.cells.is_empty() {
            return None;
        }
        let is = |names: &[&str]| {
            let mut words = row.label.split(|c: char| !c.is_alphanumeric());
            words.any(|w| names.iter().any(|n| n.eq_ignore_ascii_case(w)))
        };
        let numeric =
            cell(&row.label) != Cell::Nothing && !row.label.chars().any(char::is_alphabetic);
        let (label, names): (&str, Vec<String>) = if numeric && row.cells.len() + 1 == below {
            let first = std::iter::once(row.label.clone());
            let all = first.chain(row.cells.iter().map(|c| (*c).to_owned()));
            ("", all.collect())
        } else if row.cells.len() == below && row.cells.len() >= 2 && is(SIZES) {
            let named = row.cells.iter().map(|c| format!("{} {c}", row.label));
            (&row.label, named.collect())
        } else if row.cells.len() == below && is(TESTS) {
            (
                &row.label,
                row.cells.iter().map(|c| (*c).to_owned()).collect(),
            )
        } else {
            return None;
        };
        Some(Header {
            label: label.to_owned(),
            columns: names.into_iter().map(Kind::Values).collect(),
            quantities: false,
            keyed: false,
            line,
        })
    }

    /// Names of the columns with values.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().filter_map(|kind| match kind {
            Kind::Values(name) => Some(name),
            _ => None,
        })
    }

    /// The same with names as they were spelled before, spaces aside.
    pub(crate) fn spelled(mut self, before: &[String]) -> Header {
        let bare = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
        for kind in &mut self.columns {
            if let Kind::Values(name) = kind
                && let Some(known) = before.iter().find(|known| bare(known) == bare(name))
            {
                known.clone_into(name);
            }
        }
        self
    }
}

/// The names in a header with single spaces: its words, or what ends with a unit each, `size old MB/s new MB/s change`.
fn words_or_units(text: &str, width: usize) -> Vec<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= width + 1 || text.contains(['(', '[']) {
        return words;
    }
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let mut names: Vec<&str> = Vec::new();
    let mut start = 0;
    for word in &words {
        let end = place(word) + word.len();
        if of_unit(word).is_some() {
            names.push(text[start..end].trim());
            start = end;
        }
    }
    // Words behind the last unit are names of their own.
    names.extend(text[start..].split_whitespace());
    // The first word is the name of the labels, where more follows before the unit.
    if let Some(first) = names.first().copied()
        && let Some((label, rest)) = first.split_once(' ')
        && rest.contains(' ')
    {
        names.splice(0..1, [label, rest.trim_start()]);
    }
    names
}

/// Is the column's name that of something measured, rather than of a side?
fn is_quantity(name: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or_default();
    let statistic = ["mean", "median", "min", "max", "avg", "average"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(first));
    let known = statistic || of_words(name).is_some() || of_unit(name).is_some() || is_count(name);
    known && !names_side(name) && !name.contains('=')
}

/// Columns of counts that go with times: kernbench's `Sleeps`, `C/Switch`.
fn is_count(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "percent cpu",
        "sleeps",
        "c/switch",
        "context",
        "%cpu",
        "cpu%",
    ]
    .iter()
    .any(|known| name.contains(known))
}

fn kind(name: &str) -> Kind {
    let name = name.trim().trim_matches(['*', '`', '"', ':']).trim();
    let lower = name.to_lowercase();
    let any = |list: &[&str]| {
        let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|w| list.contains(&w))
    };
    if matches!(lower.as_str(), "unit" | "units") {
        return Kind::Unit;
    }
    let cpu = lower.contains("cpu");
    let derived = (lower.contains('%') && !cpu)
        || lower.contains(['±', 'σ', 'Δ', 'δ'])
        || lower.contains("+/-")
        || (any(DERIVED) && !cpu)
        || DERIVED_NAMES.contains(&lower.as_str())
        || (COUNTS.contains(&lower.as_str()));
    if derived || name.is_empty() {
        return Kind::Derived;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    Kind::Values(words.join(" "))
}
