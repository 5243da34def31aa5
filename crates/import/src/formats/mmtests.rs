//! Tables of MMTests' compare-kernels: a mean for each test, a column for each kernel, the change in brackets.

use whyslow_model::Better::{self, Higher, Lower};
use whyslow_model::role::{Role, Roles, RowRoles};

use crate::number::{grouped, plain};
use crate::pattern::wide_cells;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "mmtests",
    what: "tables of MMTests (Amean, Hmean, with the change in brackets)",
    repeats: "tables of one test",
    silent: "machine, or the single runs behind each mean",
    roles: ROLES,
    looks,
    part: Some(|line| row(line).is_some()),
    known: &[],
    read,
};

const ROLES: &[RowRoles] = &[
    ("mmtests.", "pipetest", Roles::All(Role::SwitchAnyCpu)),
    ("mmtests.", "hackbench", Roles::All(Role::SwitchAnyCpu)),
    ("mmtests.", "bench", Roles::All(Role::SwitchAnyCpu)),
    ("mmtests.", "netperf", Roles::All(Role::SwitchAnyCpu)),
    ("mmtests.", "fault", Roles::All(Role::Fault)),
    ("mmtests.", "syscall", Roles::All(Role::SystemCall)),
    ("mmtests.", "fork", Roles::All(Role::Fork)),
    ("mmtests.", "gitsource", Roles::All(Role::Programs)),
    ("mmtests.", "stream", Roles::All(Role::MemoryBandwidth)),
    ("mmtests.", "elsp", Roles::All(Role::RealTime)),
    ("mmtests.", "elapsed", Roles::All(Role::RealTime)),
    ("mmtests.", "user", Roles::All(Role::UserTime)),
    ("mmtests.", "syst", Roles::All(Role::SystemTime)),
];

/// How rows begin, and which direction is good where the changes do not tell. Harmonic means are of rates.
const KINDS: &[(&str, Option<Better>)] = &[
    ("Amean", Some(Lower)),
    ("BAmean", Some(Lower)),
    ("Hmean", Some(Higher)),
    ("BHmean", Some(Higher)),
    ("Gmean", None),
    ("Lmean", Some(Lower)),
    ("Min", None),
    ("Max", None),
    ("1st-qrtle", None),
    ("2nd-qrtle", None),
    ("3rd-qrtle", None),
    ("Ops", None),
    ("Lat", Some(Lower)),
    ("Trimean", Some(Lower)),
    ("Duration", Some(Lower)),
];

/// Rows that say how far runs were apart.
const SPREADS: &[&str] = &[
    "Stddev",
    "CoeffVar",
    "MinDelta",
    "MaxDelta",
    "CV",
    "BCoeffVar",
];

/// A row in parts.
struct Means<'a> {
    label: Vec<&'a str>,
    values: Vec<f64>,
    /// Changes against the first column, percent.
    changes: Vec<f64>,
}

fn looks(text: &Text) -> usize {
    marks(text, |line| row(line).is_some()) * 2
}

/// `Duration User       39766.24    47802.92`: the time of the whole test, without changes.
fn duration(line: &str) -> Option<Means<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["Duration", what, figures @ ..] = words.as_slice() else {
        return None;
    };
    let values: Option<Vec<f64>> = figures.iter().map(|word| grouped(word)).collect();
    let values = values.filter(|values| !values.is_empty() && !what.is_empty())?;
    Some(Means {
        label: words[..2].to_vec(),
        changes: vec![0.0; values.len()],
        values,
    })
}

/// `Amean     12       2.3507 (   0.00%)      2.3360 *   0.62%*`
fn row(line: &str) -> Option<Means<'_>> {
    let words = line.split(|c: char| c.is_whitespace() || "()*".contains(c));
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    let kind = words.first()?;
    let stem = kind.split('-').next().unwrap_or(kind);
    let known = KINDS.iter().any(|(k, _)| k == kind || *k == stem) || SPREADS.contains(&stem);
    let percent = |word: &&str| word.strip_suffix('%').and_then(plain);
    let columns = words.iter().filter(|w| percent(w).is_some()).count();
    let start = words.len().checked_sub(2 * columns)?;
    if !known || columns == 0 || start < 1 {
        return None;
    }
    let (label, figures) = words.split_at(start);
    let values = figures
        .iter()
        .step_by(2)
        .map(|w| grouped(w))
        .collect::<Option<Vec<f64>>>()?;
    let changes = figures
        .iter()
        .skip(1)
        .step_by(2)
        .map(percent)
        .collect::<Option<Vec<f64>>>()?;
    Some(Means {
        label: label.to_vec(),
        values,
        changes,
    })
}

impl Means<'_> {
    /// Is it a spread?
    fn is_spread(&self) -> bool {
        let stem = self.label[0].split('-').next().unwrap_or_default();
        SPREADS.contains(&stem)
    }

    /// Which direction is good: a change above zero is one for the better.
    fn better(&self) -> Option<Better> {
        let first = self.values.first()?;
        let told = self
            .values
            .iter()
            .zip(&self.changes)
            .find_map(|(value, change)| {
                let more = value - first;
                let better = if (more > 0.0) == (*change > 0.0) {
                    Higher
                } else {
                    Lower
                };
                (*change != 0.0 && more != 0.0).then_some(better)
            });
        let stem = self.label[0].split('-').next().unwrap_or_default();
        let kind = KINDS
            .iter()
            .find(|(k, _)| *k == self.label[0] || *k == stem);
        told.or_else(|| kind.and_then(|(_, better)| *better))
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // Lines of words since the last row: the test's name, versions, names of the columns.
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut test = String::new();
    for (number, line) in text.lines() {
        let Some(means) = row(line).or_else(|| duration(line)) else {
            if !line.trim().is_empty() {
                above.push((number, line));
            }
            continue;
        };
        if !above.is_empty() {
            (test, names) = headings(&above, means.values.len(), &names, sheet);
            above.clear();
        }
        let read = add(&means, number, &names, &test, sheet);
        sheet.judge(read)?;
    }
    Ok(())
}

/// The test that lines above a table name, and the names of its columns.
fn headings(
    above: &[(usize, &str)],
    columns: usize,
    before: &[String],
    sheet: &mut Sheet,
) -> (String, Vec<String>) {
    let mut names: Vec<String> = before.to_vec();
    let mut versions: Vec<String> = Vec::new();
    let mut test = String::new();
    for (line, words) in above {
        let mut cells: Vec<&str> = words.split_whitespace().collect();
        // `4)` counts the tables of a mail. Right above the rows the first word may name what their labels count.
        let last = above.last().is_some_and(|(own, _)| own == line);
        let names_labels = last && words.starts_with([' ', '\t']) && columns > 1;
        if cells.len() == columns + 1 && (is_count(cells[0]) || names_labels) {
            cells.remove(0);
        }
        if let Some(parts) = grown_together(above, *line, columns) {
            cells = parts;
        }
        let listed: Vec<&str> = words.split(", ").map(str::trim).collect();
        if listed.len() == columns && columns > 1 {
            cells = listed;
        }
        // A name may have spaces: `6.9-rc2(with ">")`.
        let wide = wide_cells(words);
        if cells.len() > columns && wide.len() == columns && columns > 1 {
            cells = wide;
        }
        let indented = words.starts_with([' ', '\t']);
        if cells.len() == columns && (indented || columns > 2) {
            sheet.aside(*line);
            versions =
                std::mem::replace(&mut names, cells.iter().map(|c| (*c).to_owned()).collect());
        } else if cells.len() <= 8 && !words.trim_matches(['=', '-', ' ']).is_empty() {
            test = words.trim().trim_end_matches(':').to_owned();
        }
    }
    // Columns of one name are told apart by the line above.
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < names.len() && versions.len() == names.len() {
        let both = versions.iter().zip(&names).map(|(v, n)| format!("{v} {n}"));
        names = both.collect();
    }
    // A column without a name below its version is called by the version alone.
    if versions.len() == names.len() {
        for (name, version) in names.iter_mut().zip(&versions) {
            if name.is_empty() {
                name.clone_from(version);
            }
        }
    }
    (test, names)
}

/// `4)`
fn is_count(word: &str) -> bool {
    let digits = word.strip_suffix([')', '.']);
    digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

/// The names in `line` of which long ones have grown together: each is printed right-aligned in the width of the version
/// above it, and one that is longer pushes what follows.
fn grown_together<'a>(
    above: &[(usize, &'a str)],
    line: usize,
    columns: usize,
) -> Option<Vec<&'a str>> {
    let at = above.iter().position(|(own, _)| *own == line)?;
    let (words, versions) = (above[at].1, above.get(at.checked_sub(1)?)?.1);
    let ends = versions
        .split_whitespace()
        .map(|word| word.as_ptr() as usize - versions.as_ptr() as usize + word.len());
    let ends: Vec<usize> = ends.collect();
    if ends.len() != columns || words.split_whitespace().count() >= columns {
        return None;
    }
    let last = *ends.last()?;
    let mut rest = words.trim_end();
    let mut names = Vec::new();
    for (column, end) in ends.iter().enumerate() {
        let start = if column == 0 { 0 } else { ends[column - 1] };
        let width = match rest.starts_with(' ') {
            true => end - start,
            // Too long for its column: what is left beyond the columns that follow.
            false => rest.len().checked_sub(last - end)?,
        };
        names.push(rest.get(..width)?.trim());
        rest = &rest[width..];
    }
    // The first column may have no name of its own.
    let is_name = |(at, name): (usize, &&str)| !name.contains(' ') && (at == 0 || !name.is_empty());
    (rest.is_empty() && names.iter().enumerate().all(is_name)).then_some(names)
}

/// What columns are called that nothing names.
const PLACES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

fn add(
    means: &Means,
    line: usize,
    names: &[String],
    test: &str,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    if means.is_spread() {
        sheet.aside(line);
        return Ok(());
    }
    let places: Vec<String>;
    let names = match names.is_empty() {
        true => {
            let own = PLACES[..means.values.len().min(PLACES.len())].iter();
            places = own.map(|place| format!("{place} column")).collect();
            &places
        }
        false => names,
    };
    if names.len() != means.values.len() {
        let why = "the names of the kernels do not stand above it; copy the table with its header";
        return Err(Fault::at(line, why));
    }
    // Neither its mean nor its changes may say it.
    let better = means.better().unwrap_or(Better::Unsaid);
    let unit = if means.label[0] == "Duration" {
        "s"
    } else {
        ""
    };
    let row = Row::new("mmtests", &means.label.join(" "), unit, better);
    let row = if test.is_empty() {
        row
    } else {
        row.with("test", test)
    };
    for (name, value) in names.iter().zip(&means.values) {
        sheet.add(name, row.clone(), *value, line)?;
    }
    Ok(())
}
