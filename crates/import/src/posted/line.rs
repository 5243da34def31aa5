//! One line of a page: a row with its label and cells, or words.

use whyslow_model::text::AT_ONCE;

use crate::amount::{Cell, cell};
use crate::cells::cells;
use crate::clock::clock;
use crate::direction::{is_bytes, of_unit};
use crate::pattern::in_brackets;

use super::listed;
use super::names::is_size;
use super::parts::{is_figures, parts, words};
use super::remarks::{without_comment, without_remark};
use super::row::{PostedRow, plain_label};
use super::stamped::is_stamp;
use super::versus;

/// Words of a label: more are a sentence.
const LABEL: usize = 13;

/// The cells of a line that has figures and changes alone, as the second half of a broken row does.
pub(crate) fn rest(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = cells(line.trim()).into_iter().flat_map(parts).collect();
    let is = |text: &&str| match cell(text) {
        Cell::Amount(..) | Cell::Change => true,
        Cell::Words(unit) => of_unit(unit).is_some(),
        Cell::Broken | Cell::Nothing => false,
    };
    let begins = |text: &&str| !matches!(cell(text), Cell::Words(_));
    (cells.first().is_some_and(begins) && cells.iter().all(is)).then_some(cells)
}

/// What a line is.
#[derive(Debug)]
pub(crate) enum Line<'a> {
    Row(PostedRow<'a>),
    /// Words in the cells that they have.
    Words(Vec<&'a str>),
}

/// A row without the rule in front of it, `======IOPS (WRITE): 179856.12 in 0.56 seconds`; a heading has one on both sides.
fn underlined(line: &str) -> &str {
    let bare = line.trim_start_matches('=');
    let ruled = bare.len() + 2 < line.len() && bare.starts_with(char::is_alphabetic);
    let figure = bare.split_once(": ").map_or("", |(_, figure)| figure);
    match ruled && figure.starts_with(|c: char| c.is_ascii_digit()) && !line.ends_with('=') {
        true => bare,
        false => line,
    }
}

/// The line taken apart; none where there is nothing in it.
pub(crate) fn of(line: &str) -> Option<Line<'_>> {
    let bare = underlined(without_remark(without_comment(line.trim())));
    // A list of a row a line has commas between them: `noop: 3m25s,`.
    let bare = match bare.strip_suffix(',') {
        Some(row) if row.contains(": ") && !row.contains(['|', ',']) => row,
        _ => bare,
    };
    let drawn = |c: char| "-=_+|*~:. \t".contains(c);
    if bare.chars().all(drawn) {
        return None;
    }
    if is_missing(bare) {
        return None;
    }
    let words = ["#", "$ ", "//", "==="]
        .iter()
        .any(|sign| bare.starts_with(sign));
    let cells = cells(bare);
    if is_ruler(&cells) {
        return None;
    }
    // `# of Threads   before   after` is a header all the same.
    if words && !(bare.starts_with('#') && cells.len() > 2) {
        return Some(Line::Words(vec![bare]));
    }
    if words || bare.ends_with("...") {
        return Some(Line::Words(cells));
    }
    let row = versus::row(bare)
        .or_else(|| versus::bracketed(bare))
        .or_else(|| listed::spoken(bare))
        .or_else(|| listed::rated(bare))
        .or_else(|| listed::dashed(bare))
        .or_else(|| listed::in_time(bare))
        .or_else(|| listed::averaged(bare))
        .or_else(|| row(&cells, is_barred(bare, &cells)).filter(|row| !is_command(bare, row)))
        .filter(|row| is_row(row) || (bare.contains('|') && is_wide(row)));
    // A command ends with the value of an option, and `Setup 2:` is a heading.
    let row = row.filter(|row| {
        let option = ends_with_option(row) && !bare.contains(&format!("{}: ", row.label));
        !(option || cells.len() == 1 && bare.ends_with(':'))
    });
    let row = row.filter(|row| !says_how_many(row));
    Some(row.map_or(Line::Words(cells), Line::Row))
}

/// Are all cells but the first rules? Each line of some reports begins with the name of the machine, also that below a header.
pub(crate) fn is_ruler(cells: &[&str]) -> bool {
    let ruled = |text: &&str| text.len() > 2 && text.chars().all(|c| "-= ".contains(c));
    cells.len() > 1 && cells.iter().skip(1).all(ruled)
}

/// Has the row no figure, `bsearch4: N/A`? Then it names none of the rows below.
pub(crate) fn is_missing(line: &str) -> bool {
    line.rsplit_once(": ").is_some_and(|(_, figure)| {
        !line.contains('|') && !figure.trim().is_empty() && cell(figure) == Cell::Nothing
    })
}

/// Is all that it says of how many things there are, `Host to Device Bandwidth, 1 Device(s)`? Seconds may be written so too.
fn says_how_many(row: &PostedRow) -> bool {
    let [only] = row.cells[..] else { return false };
    let things = only.trim().strip_suffix("(s)");
    let things = things.and_then(|text| text.split_whitespace().next_back());
    things.is_some_and(|word| of_unit(word).is_none())
}

/// Is it a program that was started with options and whole numbers, `./switch --test=yield 0 0`?
fn is_command(line: &str, row: &PostedRow) -> bool {
    let whole = |text: &&str| !matches!(cell(text), Cell::Amount(value, unit) if !unit.is_empty() || value.fract() != 0.0);
    let options = line.matches(" --").count();
    let started = line.starts_with("./") && line.contains(" -");
    (started || options > 1) && !line.contains(['|', ':']) && row.cells.iter().all(whole)
}

/// Is it a row of a table between bars, of which more cells are words than figures?
fn is_wide(row: &PostedRow) -> bool {
    /// Fewer are rows of words, but for a figure with its unit.
    const CELLS: usize = 4;
    let figures = row.amounts();
    let measured =
        |text: &&str| matches!(cell(text), Cell::Amount(_, unit) if of_unit(unit).is_some());
    let fewest = if row.cells.iter().any(measured) {
        CELLS - 1
    } else {
        CELLS
    };
    row.cells.len() >= fewest
        && figures > 0
        && figures * 4 >= row.cells.len()
        && !row.label.is_empty()
}

/// Is the last word before the row's only figure an option, `sched pipe -l 400000`?
fn ends_with_option(row: &PostedRow) -> bool {
    let last = row.label.split_whitespace().next_back().unwrap_or_default();
    let option = last.trim_start_matches('-');
    let name = option.starts_with(|c: char| c.is_ascii_alphabetic());
    row.cells.len() == 1 && last.starts_with('-') && name && row.label.contains(' ')
}

/// The cells with the label in front that stands behind them, `105.9   101.2   -4.4% JZ4775`.
fn label_first<'a>(cells: &[&'a str]) -> Option<Vec<&'a str>> {
    let (last, front) = cells.split_last()?;
    // `| 0.011 | 0.33 | 0.034 | System.Memory.Copy |`
    let figure =
        |text: &&str| matches!(cell(text), Cell::Amount(..) | Cell::Change | Cell::Nothing);
    let first = front
        .first()
        .is_some_and(|text| matches!(cell(text), Cell::Amount(..)));
    let name = last.starts_with(char::is_alphabetic)
        && !last.contains(' ')
        && last.contains(['.', '_', '(', ':'])
        && of_unit(last).is_none();
    if name && first && front.len() > 1 && front.iter().all(figure) {
        return Some([&[*last], front].concat());
    }
    let (change, label) = last.split_once(char::is_whitespace)?;
    let amount = |text: &&str| matches!(cell(text), Cell::Amount(..));
    let is = change.ends_with('%')
        && cell(change) == Cell::Change
        && front.iter().all(amount)
        && front.len() > 1
        && label.trim_start().starts_with(char::is_alphabetic);
    is.then(|| [&[label.trim()], front, &[change]].concat())
}

/// Do bars part the line, and no cell behind its label has a name of its own? Then the label is all of the first:
/// `| send/threads:4 | 847 | 400 |`.
fn is_barred(line: &str, cells: &[&str]) -> bool {
    line.contains('|') && !cells.iter().skip(1).any(|cell| cell.contains(':'))
}

/// The label and the cells behind it; `barred` says that bars part them.
fn row<'a>(cells: &[&'a str], barred: bool) -> Option<PostedRow<'a>> {
    let turned = label_first(cells);
    let behind = turned.is_some();
    let cells = turned.as_deref().unwrap_or(cells);
    let (first, rest) = cells.split_first()?;
    let made = |label: String, cells: Vec<&'a str>, unit: Option<&'a str>| PostedRow {
        label,
        first,
        cells,
        unit,
        more: Vec::new(),
        behind,
        round: 0,
    };
    let (label, mut own) = split(first, !rest.is_empty(), barred);
    // `gettimeofday:    vdso: 907 nsec/call` has one name in two parts, and so has `case2 (far)   throughput: 1056 KB/s`.
    if let [only] = rest
        && own.is_empty()
        && !matches!(cell(only.trim_end_matches('`')), Cell::Amount(..))
        && (label.trim_end().ends_with(':') && only.contains(':')
            || only.contains(": ")
            // `KVM    - Avg. 1038.48 IOPS`
            || only.starts_with("- "))
    {
        let (more, figures) = split(only, false, false);
        if !figures.is_empty() {
            let label = format!("{} {}", plain_label(label), plain_label(more));
            return Some(made(label, figures, None));
        }
    }
    // `(1-1)  plain, 128 KB: 3.2   2.5   11.8`: the words in front of the colon go on with the label.
    let goes_on = match rest.split_first() {
        Some((second, more)) if own.is_empty() && more.len() > 1 && !barred => second
            .rsplit_once(": ")
            .filter(|(words, figure)| {
                words.contains(char::is_alphabetic)
                    && matches!(cell(figure), Cell::Amount(..))
                    && !more.iter().any(|text| text.contains(':'))
            })
            .map(|(words, figure)| (words, figure, more)),
        _ => None,
    };
    if let Some((words, figure, more)) = goes_on {
        own.push(figure);
        own.extend(more.iter().copied().flat_map(parts));
        let unit = take_unit(&mut own);
        return Some(made(plain_label(&format!("{label} {words}")), own, unit));
    }
    // `a - b    - 252s`
    let dashed = label.contains(" - ");
    // `sched pipe   : 1.5 (+/- 2 %)    1.4 (+/- 1 %)`: the colon ends the label in a column of its own.
    let undashed = |text: &&'a str| match (text.strip_prefix("- "), text.strip_prefix(": ")) {
        (Some(figure), _) if dashed => figure.trim_start(),
        (_, Some(figure)) if matches!(cell(figure), Cell::Amount(..)) => figure.trim_start(),
        _ => text,
    };
    own.extend(rest.iter().map(undashed).flat_map(parts));
    // What the author thinks of it: `(slower)`.
    if own.len() > 1 && own.last().is_some_and(|last| is_remark(last)) {
        own.pop();
    }
    let unit = take_unit(&mut own);
    Some(made(plain_label(label), own, unit))
}

/// Is it a word in brackets, of which nothing follows?
fn is_remark(text: &str) -> bool {
    in_brackets(text).is_some_and(|inner| {
        let letters = inner.chars().all(|c| c.is_alphabetic() || c == ' ');
        letters && !inner.is_empty() && of_unit(inner).is_none()
    })
}

/// Takes the unit away that stands behind all figures, where it does.
pub(crate) fn take_unit<'a>(cells: &mut Vec<&'a str>) -> Option<&'a str> {
    match cells.last().map(|text| cell(text)) {
        Some(Cell::Words(unit)) if cells.len() > 1 && of_unit(unit).is_some() => cells.pop(),
        _ => None,
    }
}

/// A first cell of words and a figure, `Context Switches 85380`, as the label and the figure.
pub(super) fn cells_of_label(first: &str) -> Option<(String, &str)> {
    let (label, figure) = first.rsplit_once(' ')?;
    let is = matches!(cell(figure), Cell::Amount(..)) && label.chars().any(char::is_alphabetic);
    is.then(|| (plain_label(label), figure))
}

/// Is the colon at that place one of a time, `Total time: 27:37 min`?
fn is_in_clock(text: &str, at: usize) -> bool {
    let digits = |c: char| c.is_ascii_digit() || c == ':';
    let start = text[..at].trim_end_matches(digits).len();
    let beside = start < at && text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let named = text[..start].contains(char::is_alphabetic);
    let time = text[start..].trim_end_matches('`');
    // `create 4:28 delete 1:03`; with hours it is when something was.
    let first = time.split_whitespace().next().unwrap_or(time);
    let within = first.matches(':').count() == 1 && clock(first).is_some();
    beside && named && (clock(time).is_some() || within)
}

/// The first cell as a label and what of it is figures. `more` says that other cells follow.
fn split(first: &str, more: bool, barred: bool) -> (&str, Vec<&str>) {
    if more && is_stamp(first) {
        return (first, Vec::new());
    }
    for (at, sign) in first.rmatch_indices([':', '=']) {
        if is_in_clock(first, at) {
            continue;
        }
        let behind = first[at + sign.len()..].trim();
        let spaced = first[at + sign.len()..].starts_with(char::is_whitespace);
        // Within brackets it names what a function was called with: `Read(size: 512, options: None)`.
        let within = first[..at].matches('(').count() > first[..at].matches(')').count();
        if more && barred && (!spaced || within) {
            continue;
        }
        let spaced = spaced || sign == ":";
        let is = !matches!(cell(behind), Cell::Words(_) | Cell::Nothing | Cell::Change);
        if is && spaced && first[..at].chars().any(char::is_alphanumeric) {
            return (&first[..at], vec![behind]);
        }
    }
    if more {
        // `Pipe   1.5   2.5`, or a figure as the label of what follows; before a bar, `Pipe   1.5 | 2.5`.
        let gap = first.rsplit_once("  ").filter(|(label, figure)| {
            label.chars().any(char::is_alphabetic) && matches!(cell(figure), Cell::Amount(..))
        });
        return match gap {
            Some((label, figure)) => (label, vec![figure.trim()]),
            None => (first, Vec::new()),
        };
    }
    // `Copy 1024 bufsize 2000 maxblocks 1582 1244 -21%`: numbers with words behind them are part of the label.
    let bare = |word: &&(usize, &str)| matches!(cell(word.1), Cell::Amount(..) | Cell::Change);
    let all: Vec<(usize, &str)> = words(first).collect();
    let run = all.iter().rev().take_while(bare).count();
    let run = without_size(&all[all.len() - run..]);
    let amounts = run
        .iter()
        .filter(|(_, word)| matches!(cell(word), Cell::Amount(..)));
    if amounts.count() > 1
        && let Some((at, _)) = run.first()
        && first[..*at].contains(char::is_alphabetic)
    {
        return (&first[..*at], parts(&first[*at..]));
    }
    // `Pipe 1.5 lps`: the label ends before the first word from which on all are figures and units.
    let starts: Vec<usize> = words(first).map(|(at, _)| at).collect();
    let from = starts
        .into_iter()
        .find(|at| *at > 0 && is_figures(&first[*at..]) && !begins_with_size(&first[*at..]));
    from.map_or((first, Vec::new()), |at| {
        (&first[..at], parts(&first[at..]))
    })
}

/// Is the first of several figures a number of what worked at once, `2 pinned threads 1547 ns`?
fn begins_with_size(figures: &str) -> bool {
    let size = |text: &str| match cell(text) {
        Cell::Amount(_, unit) => {
            let last = unit.split_whitespace().next_back().unwrap_or_default();
            of_unit(unit).is_none() && is_size(last)
        }
        _ => false,
    };
    let all = parts(figures);
    all.first().is_some_and(|first| size(first))
        && all[1..]
            .iter()
            .any(|text| matches!(cell(text), Cell::Amount(..)) && !size(text))
}

/// Words that are figures, without a size in front of them that ends the label, `stream 18byte 86.22 87.00 +0.90%`: of all it
/// alone has a unit, which is neither good nor bad.
fn without_size<'s, 'w>(run: &'s [(usize, &'w str)]) -> &'s [(usize, &'w str)] {
    let unit = |word: &'w str| match cell(word) {
        Cell::Amount(_, unit) => unit,
        _ => "",
    };
    match run.split_first() {
        Some(((_, first), rest))
            if is_bytes(unit(first))
                && rest.len() > 1
                && rest.iter().all(|(_, word)| unit(word).is_empty()) =>
        {
            rest
        }
        _ => run,
    }
}

/// Is it a row: at least one figure, as many as words, and a label that is no sentence?
fn is_row(row: &PostedRow) -> bool {
    let is = |text: &&&str| matches!(cell(text), Cell::Amount(..) | Cell::Broken);
    let figures = row.cells.iter().filter(is).count();
    let words = row
        .cells
        .iter()
        .filter(|c| matches!(cell(c), Cell::Words(_)))
        .count();
    // `Kernel: 6.1` says on what it was.
    let version = [
        "kernel", "version", "release", "gcc", "clang", "glibc", "linux", "ubuntu",
    ];
    let label = row.label.to_lowercase();
    if row.cells.len() == 1 && version.contains(&label.as_str()) && row.first.contains(':') {
        return false;
    }
    // `sequential writes, 16 threads` says at what the rows below were measured.
    if let [only] = row.cells[..]
        && let Cell::Amount(_, unit) = cell(only)
        && AT_ONCE.iter().any(|word| word.eq_ignore_ascii_case(unit))
    {
        return false;
    }
    let named = !row.label.is_empty() && row.label.split_whitespace().count() <= LABEL;
    named && figures > 0 && (words <= figures || (figures > 1 && is_keyed(&row.cells)))
}

/// Does a name stand in front of each figure, with few words beside them?
fn is_keyed(cells: &[&str]) -> bool {
    let figure = |text: &str| matches!(cell(text), Cell::Amount(..));
    let key = |text: &str| text.starts_with(char::is_alphabetic) && !figure(text);
    let figures = (0..cells.len()).filter(|at| figure(cells[*at]));
    let keyed = |at: usize| at > 0 && key(cells[at - 1]);
    let count = figures.clone().count();
    cells.len() <= 3 * count && figures.into_iter().all(keyed)
}
