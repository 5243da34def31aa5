//! Any posted table: rows of a label and figures, below a header that names the sides. Taken only where no
//! other format knows the text.

use std::collections::BTreeSet;

use whyslow_model::Better;

use crate::amount::{Cell, cell};
use crate::cells::cells;
use crate::direction::{
    are_calls, has_units, is_by_tool, is_each, of_lmbench, of_page, of_unit, of_words, unit_in,
};
use crate::error::quote;
use crate::posted::{
    self, Group, Header, Keys, Kind, Line, Named, PostedRow as Posted, ROLES, Section, Whose,
    assumed, is_derived, loose, named, whose,
};
use crate::reader::marks;
use crate::slug::slug;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "columns",
    what: "a posted table of any tool: rows with a label, a column for each side",
    repeats: "rows of the same label",
    silent: "how the figures were measured, or what was run",
    roles: ROLES,
    looks,
    part: None,
    known: &[],
    read,
};

fn looks(text: &Text) -> usize {
    // JSON is no table, also where it is cut short.
    let first = text
        .lines()
        .map(|(_, line)| line.trim())
        .find(|l| !l.is_empty());
    if first.is_some_and(|line| line.starts_with('{')) {
        return 0;
    }
    let is_row = |line: &str| {
        matches!(posted::line(line), Some(Line::Row(_)))
            || posted::named_rows(line).is_some()
            || posted::is_compound(line)
    };
    let rows = marks(text, is_row).min(1);
    let other = || posted::turned(text).is_some() || !loose::groups(text).is_empty();
    rows.max(usize::from(rows == 0 && other()))
}

/// What is known above the rows that are read.
#[derive(Default)]
struct State {
    header: Option<Header>,
    /// Names of columns so far.
    names: Vec<String>,
    /// Words above, the nearest last.
    said: Vec<String>,
    /// More than one group has rows, so that rows need the name of their section.
    several: bool,
    /// Labels that stand in several groups.
    repeated: BTreeSet<String>,
    /// Sides that stand behind a dash in the labels, `alpine317 - musl`.
    dashed: BTreeSet<String>,
    /// Rows of several figures above which no header stands.
    unheaded: usize,
    /// Rows that were read.
    rows: usize,
    /// Cells that stand below no name, and those that were put below one by where they stand.
    moved: usize,
    /// The rows are system calls by name, whose figures are times.
    calls: bool,
    /// The direction that all that the page says has, where it is one.
    page: Option<Better>,
    /// A tool that prints seconds is named on the page.
    tool: bool,
    /// The directions of the rows that were read.
    known: Vec<Better>,
    /// Was a figure read of which no direction is known?
    undirected: bool,
}

impl State {
    /// Says what of the rows is not as a careful author writes them.
    fn remark(&self, sheet: &mut Sheet) {
        if self.unheaded > 0 {
            let rows = if self.unheaded == 1 { "1 row" } else { "rows" };
            if self.unheaded * 2 > self.rows {
                sheet.no_names();
            }
            sheet.note(
                crate::UNNAMED,
                format!(
                    "no line names the columns of {}: their figures are called by their units, or by their place",
                    if self.unheaded == 1 { rows.to_owned() } else { format!("{} {rows}", self.unheaded) }
                ),
            );
        }
        if self.moved > 0 {
            sheet.note(
                "cells",
                format!(
                    "rows with fewer cells than their header has: {}; a cell counts for the name that it stands below",
                    self.moved
                ),
            );
        }
    }
}

/// Most lines of words that are kept for what they say of rows below.
const MOST_SAID: usize = 6;

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let rows = |text: &Text| posted::groups(text).iter().any(|g| !g.rows.is_empty());
    match posted::turned(text).filter(|_| !rows(text)) {
        Some(turned) => {
            let why = turned.better.map(|(_, why)| why);
            read_as(&turned.text, turned.better.map(|(better, _)| better), sheet)?;
            if let Some(why) = why.filter(|_| sheet.figures() > 0) {
                sheet.note(assumed::ABOUT, why);
            }
            Ok(())
        }
        None => read_as(text, of_page(text), sheet),
    }
}

/// Reads a page on which the words, where they say a direction, say `page`.
fn read_as(text: &Text, page: Option<Better>, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut groups = posted::groups(text);
    if groups.iter().all(|group| group.rows.is_empty()) {
        groups = loose::groups(text);
    }
    let mut state = State {
        several: groups.iter().filter(|g| !g.rows.is_empty()).count() > 1,
        repeated: posted::repeated(&groups),
        dashed: posted::dashed(&groups),
        calls: {
            let rows = groups.iter().flat_map(|group| &group.rows);
            are_calls(rows.map(|(_, row)| row.label.as_str()))
        },
        page,
        tool: text.lines().any(|(_, line)| is_by_tool(line)),
        ..State::default()
    };
    let before = sheet.clone();
    for group in &groups {
        self::group(group, &mut state, sheet)?;
    }
    state.remark(sheet);
    if !state.undirected || page.is_some() {
        return Ok(());
    }
    // Nothing on the page says which direction is good, or of some rows alone: it may follow from how figures grow.
    let Some((better, why)) = assumed::direction(&groups) else {
        return Ok(());
    };
    if state.known.iter().any(|known| *known != better) {
        return Ok(());
    }
    *sheet = before;
    let mut state = State {
        page: Some(better),
        header: None,
        names: Vec::new(),
        said: Vec::new(),
        undirected: false,
        unheaded: 0,
        rows: 0,
        moved: 0,
        ..state
    };
    for group in &groups {
        self::group(group, &mut state, sheet)?;
    }
    state.remark(sheet);
    if sheet.figures() > 0 {
        sheet.note(assumed::ABOUT, why);
    }
    Ok(())
}

fn group(group: &Group, state: &mut State, sheet: &mut Sheet) -> Result<(), Fault> {
    if group.rows.is_empty() {
        return Ok(());
    }
    let mut rows = group.rows.as_slice();
    if let Some(header) = Header::of_keys(rows) {
        state.header = Some(header);
    } else if let Some(header) = Header::above(group).filter(|h| !h.is_called(sheet.side_name())) {
        if state.header.is_some() {
            // The same rows again below another header are another table.
            sheet.apart();
        }
        state.header = Some(header.spelled(&state.names));
    } else if let Some(((line, first), rest)) = rows.split_first()
        && let Some(header) = Header::of_numbers(first, rest, *line)
    {
        rows = rest;
        state.header = Some(header);
    }
    let whole = state.header.as_ref().and_then(|h| h.with_first(rows));
    if let Some((header, whole)) = &whole {
        state.header = Some(header.clone());
        rows = whole;
    }
    let named = state.header.as_ref().and_then(|h| h.with_keys(rows));
    if let Some((header, named)) = &named {
        state.header = Some(header.clone());
        rows = named;
    }
    if let Some(keyed) = state.header.as_ref().and_then(|h| h.with_key(rows)) {
        state.header = Some(keyed);
    }
    let mut header_line = 0;
    let mut unit_of_all = None;
    if let Some(header) = &state.header {
        header_line = header.line;
        sheet.aside(header.line);
        // `bs   without   with   (MB/s)`
        let behind = cells(group.raw(header.line)).pop();
        unit_of_all = behind.filter(|text| posted::is_bracketed(text));
        state.names.extend(header.names().cloned());
        state.names.dedup();
    }
    let words = group.above.iter().filter(|(line, _)| *line != header_line);
    // What is said above a table with a heading of its own is said of other tables.
    if group
        .above
        .iter()
        .any(|(_, line)| matches!(line, Line::Words(cells) if posted::is_heading(cells)))
    {
        state.said.clear();
    }
    let mut section: Vec<String> = Vec::new();
    for (_, line) in words {
        if let Line::Words(cells) = line {
            let words = cells.join(" ");
            if posted::is_name(&words) {
                section.push(words.clone());
                // What was run, `time benchmark`, is no word of its results; several units are of several columns.
                if !words.trim_start().starts_with("$ ") && !has_units(&words) {
                    state.said.push(words);
                }
            }
        }
    }
    state.said.extend(unit_of_all.map(str::to_owned));
    let extra = state.said.len().saturating_sub(MOST_SAID);
    state.said.drain(..extra);
    let section: Vec<&str> = section.iter().map(String::as_str).collect();
    let section = Section::of(&section);
    // The name of the side is none of its tests.
    let section = match section.name == sheet.side_name() {
        true => Section::default(),
        false => section,
    };
    let remarked = posted::with_remarks(rows);
    let rows = remarked.as_deref().unwrap_or(rows);
    let filled = state
        .header
        .as_ref()
        .and_then(|header| header.filled(group, rows));
    if let Some((_, moved)) = &filled {
        state.moved += moved;
    }
    let rows = filled.as_ref().map_or(rows, |(rows, _)| rows.as_slice());
    let whose = whose(rows, state.header.as_ref(), !section.is_empty());
    let keys = state
        .header
        .as_ref()
        .map(|h| Keys::of(h, rows, state.several));
    let keys = keys.unwrap_or_default();
    let by_key = state.header.as_ref().is_some_and(|h| h.keyed);
    let width = group.width();
    for (line, row) in rows {
        for more in &row.more {
            sheet.aside(*more);
        }
        let above = Above {
            section: &section,
            whose,
            keys: &keys,
            width,
            headed: header_line > 0 && !group.raw(header_line).is_empty(),
        };
        let mut row = keys.labelled(row);
        // `32 threads | ...` below `Running with 32 threads`
        if !row.label.is_empty() && sheet.side_name().contains(&row.label) && by_key {
            row.label.clear();
        }
        let read = self::row(&row, *line, above, state, sheet);
        sheet.judge(read)?;
    }
    Ok(())
}

/// Figures of one row further apart than this factor, a logarithm, may have different units.
const NEAR: f64 = 2.3;

/// What the rows of a group have in common.
#[derive(Clone, Copy)]
struct Above<'a> {
    section: &'a Section,
    whose: Whose,
    keys: &'a Keys,
    /// Cells behind the label that most of its rows have.
    width: usize,
    /// Does its header stand right above?
    headed: bool,
}

fn row(
    row: &Posted,
    line: usize,
    above: Above<'_>,
    state: &mut State,
    sheet: &mut Sheet,
) -> Result<(), Fault> {
    let Above {
        section,
        whose,
        keys,
        width,
        headed,
    } = above;
    let mut labelled = None;
    let header = match Header::of_row(row, state.header.as_ref()) {
        Ok(header) => header.into_owned(),
        Err(why) => {
            // The header of a table above is none of this one.
            let found = Header::unheaded(row).filter(|_| row.cells.len() == width && !headed);
            let (header, row) = found.ok_or_else(|| Fault::at(line, why))?;
            state.unheaded += 1;
            labelled = Some(row);
            header
        }
    };
    let row = labelled.as_ref().unwrap_or(row);
    let share = !row.label.chars().any(char::is_alphanumeric) && row.label.contains('%');
    if share || (whose == Whose::Sides && is_derived(&row.label)) {
        return Err(Fault::at(line, "what follows from the other rows"));
    }
    let pairs = || header.columns.iter().zip(&row.cells);
    let own_unit = pairs().find_map(|(kind, text)| match (kind, cell(text)) {
        (Kind::Unit, Cell::Words(unit)) => Some(unit),
        // `Metric: rps`; `min` is the least of several.
        (Kind::Values(_) | Kind::Key(_), Cell::Words(unit)) => {
            Some(unit).filter(|unit| *unit != "min" && of_unit(unit).is_some())
        }
        _ => None,
    });
    // Runs have the unit that their mean is printed with.
    let of_mean = || {
        let means = pairs().filter(|(kind, _)| header.runs && **kind == Kind::Derived);
        let mut units = means.filter_map(|(_, text)| match cell(text) {
            Cell::Amount(_, unit) => Some(unit).filter(|unit| !unit.is_empty()),
            _ => None,
        });
        units.next()
    };
    // One figure of a row may say the unit of all: `7.776 µs | 7.773 | 7.763`.
    let of_first = || {
        let values = pairs().filter(|(kind, _)| matches!(kind, Kind::Values(_)));
        let amounts = values.filter_map(|(_, text)| match cell(text) {
            Cell::Amount(value, unit) => Some((value, unit)),
            _ => None,
        });
        let amounts: Vec<(f64, &str)> = amounts.collect();
        let mut stated = amounts.iter().filter(|(_, unit)| !unit.is_empty());
        let (of, unit) = stated.next()?;
        let alone = stated.next().is_none() && !header.quantities;
        let near = amounts
            .iter()
            .all(|(value, _)| (value / of).ln().abs() < NEAR);
        (alone && near && of_unit(unit).is_some()).then_some(*unit)
    };
    let own_unit = own_unit.or(row.unit).or_else(of_mean).or_else(of_first);
    let mut kept = 0;
    for (kind, text) in pairs() {
        let Kind::Values(column) = kind else {
            continue;
        };
        let (value, unit) = match cell(text) {
            Cell::Amount(value, unit) => (value, unit),
            Cell::Nothing | Cell::Change | Cell::Words(_) => continue,
            Cell::Broken => {
                let why = format!(
                    "'{}' is no number; correct it or take the row out",
                    quote(text)
                );
                return Err(Fault::at(line, why));
            }
        };
        let unit = if unit.is_empty() {
            own_unit.unwrap_or_default()
        } else {
            unit
        };
        let named = named(row, column, &header, whose, section, &state.dashed);
        let (unit, better) = unit_and_direction((value, unit), &named, column, state);
        let mut made = Row::new("columns", &named.title, unit, better);
        for (name, size) in keys.sizes(row) {
            let title = format!("{}, {name} {size}", made.title);
            made = made.with(&slug(name), size).titled(&title);
        }
        if state.several && !section.is_empty() {
            made = made.with("section", &section.name);
            // Where the columns are no sides, sections may be.
            let again = whose == Whose::Sides && state.repeated.contains(&row.label);
            let short = match again {
                true => Some(section.brief()),
                false => section.short.clone(),
            };
            if let Some(short) = short.filter(|s| !named.title.starts_with(s)) {
                made = made.titled(&format!("{short} {}", named.title));
            }
        }
        kept += 1;
        match (header.runs, row.round) {
            (true, _) => sheet.add_once(&named.system, made, value, line, kept)?,
            (false, 0) => sheet.add(&named.system, made, value, line)?,
            (false, round) => sheet.add_once(&named.system, made, value, line, round)?,
        }
        match better {
            Better::Unsaid => state.undirected = true,
            known => state.known.push(known),
        }
    }
    if kept == 0 {
        return Err(Fault::at(
            line,
            "no measured amount in it, only changes or words",
        ));
    }
    state.rows += 1;
    Ok(())
}

/// The unit of a figure and which direction is good, by what stands nearest to it; unsaid where nothing says it.
fn unit_and_direction<'a>(
    (value, unit): (f64, &'a str),
    named: &'a Named,
    column: &'a str,
    state: &'a State,
) -> (&'a str, Better) {
    /// Times of a tool that prints seconds are smaller.
    const LARGE: f64 = 1e4;
    let said = || {
        let label = state.header.as_ref().map(|h| h.label.as_str());
        let words = state.said.iter().rev().map(String::as_str);
        label.into_iter().chain(words)
    };
    let stated = (unit.is_empty()).then(|| {
        let mut texts = [named.title.as_str(), column].into_iter().chain(said());
        // `A76 / 2112 MHz` is the name of a side.
        let last = |text: &'a str| {
            let mut words = text.split_whitespace();
            let word = words.next_back();
            let before = words.next_back();
            let number = before.is_some_and(|word| word.parse::<f64>().is_ok());
            // `min` beside `max` is the least of several, and no minutes.
            let least = before.is_none() && word == Some("min");
            word.filter(|_| !number && !least)
        };
        texts.find_map(|text| {
            let word = last(text).filter(|word| of_unit(word).is_some());
            // `events per second` is no time.
            unit_in(text).or(word.filter(|_| !is_each(text)))
        })
    });
    let unit = stated.flatten().unwrap_or(unit);
    // The column of `events per second` is the unit of its rows.
    let unit = match unit.is_empty() && is_each(column) && column != named.title {
        true => column,
        false => unit,
    };
    let mut texts = [named.title.as_str(), column].into_iter().chain(said());
    let by_name = || {
        state
            .calls
            .then_some(Better::Lower)
            .or_else(|| of_lmbench(&named.title))
    };
    // hackbench's own figures are seconds: a large whole number beside its name is none of them.
    let is_large = unit.is_empty() && value >= LARGE && value.fract() == 0.0;
    let other = |text: &str| is_large && is_by_tool(text);
    let better = of_unit(unit)
        .or_else(|| texts.find_map(|text| of_words(text).filter(|_| !other(text))))
        .or_else(by_name)
        .or(state.page.filter(|_| !(state.tool && is_large)));
    (unit, better.unwrap_or(Better::Unsaid))
}
