//! Rows that begin with the name of a side, each with one figure or several.

use super::{
    Found, Names, Text, amount, are_near, cells, has_fractions, heading, is_same, keyed, listed,
    named,
};
use crate::amount::{Cell, SPREAD_SIGNS, cell};
use crate::commands::behind_prompt;
use crate::direction::of_unit;
use crate::number::are_within;
use crate::pattern::wide_cells;
use crate::posted::{self, parts};
use crate::prose::is_prose;
use std::borrow::Cow;

/// Lines above a row among which the names of its columns are looked for.
const ABOVE: usize = 40;

/// The figures of rows that a side is the label of.
pub(super) fn find<'a>(text: &'a Text<'_>, names: &Names) -> Vec<Found<'a>> {
    let mut found: Vec<Found> = Vec::new();
    // The table that each figure is of, by the words above its header.
    let mut tables: Vec<&str> = Vec::new();
    let mut table = Above::default();
    let mut last_cells: Vec<&str> = Vec::new();
    let mut closed = false;
    let mut rests: Vec<String> = Vec::new();
    let mut kinds: Vec<String> = Vec::new();
    let exact = names.exact(text);
    for (number, line) in text.lines() {
        // Figures behind a prompt are those of a command, or of what a program writes over.
        if behind_prompt(line).is_some() {
            continue;
        }
        let mut own = row_cells(line);
        // A row that begins with a bar, below one that does not, has an empty cell in front.
        let begins = line.trim_start().starts_with('|');
        let inserted = begins && !closed && own.len() + 1 == last_cells.len();
        if inserted {
            own.insert(0, "");
        }
        closed = begins && !inserted;
        // An empty cell in front is that of the row above.
        if line.contains('|') && own.len() == last_cells.len() {
            let empty = own.iter_mut().zip(&last_cells);
            let empty = empty.take_while(|(cell, _)| cell.trim().is_empty());
            empty.for_each(|(cell, above)| *cell = above);
        }
        last_cells.clone_from(&own);
        if let Some((side, listed)) = keyed::find(line, names) {
            let above = heading(text, number);
            for (title, value, unit) in listed {
                tables.push(above);
                rests.push(String::new());
                kinds.push(String::new());
                found.push(Found {
                    own: Cow::Borrowed(""),
                    side,
                    title,
                    near: vec![above],
                    value,
                    unit,
                    line: number,
                });
            }
            continue;
        }
        if let Some((side, span)) = names.literal(line) {
            let rest = literal(text, number, &own, (side, span), &mut found);
            tables.resize(found.len(), table.of_row(text, number));
            rests.resize(found.len(), rest);
            kinds.resize(found.len(), String::new());
            continue;
        }
        let mut figures: Vec<(usize, (f64, &str))> = own
            .iter()
            .enumerate()
            .flat_map(|(at, text)| figures_of(text).into_iter().map(move |own| (at, own)))
            .collect();
        let side_of = |text: &str| {
            let named = names.side(text);
            named.filter(|side| names.may_mean(*side, text, exact))
        };
        let mut labels: Vec<usize> = (0..own.len())
            .filter(|at| side_of(own[*at]).is_some())
            .collect();
        // A cell that is a name outweighs those that hold one among other words: `vanilla + tweak   vanilla   1500`.
        let whole = |at: &usize| (0..2).any(|side| is_same(own[*at], &names.0[side]));
        if labels.iter().any(whole) {
            labels.retain(whole);
        }
        let Some(label) = labels.first() else {
            continue;
        };
        let header = header(text, number, own.len()).or_else(|| spread_header(text, number, &own));
        if let Some(names) = &header {
            figures.extend(shares(&own, names));
            figures.sort_by_key(|(at, _)| *at);
        }
        // A label behind the figures is none but in a column of its own, and a line of two sides is no row of one.
        let Some(last) = figures.last() else {
            continue;
        };
        let sides: Vec<Option<usize>> = labels.iter().map(|at| side_of(own[*at])).collect();
        let behind = *label > last.0;
        let column = header.is_some() && line.contains('|') && whole(label);
        if behind && !column || sides.iter().any(|side| *side != sides[0]) {
            continue;
        }
        let Some(side) = sides[0] else { continue };
        // The words behind a list say what follows from it.
        let above = match listed(line) {
            Some(_) => section(text, number),
            None => heading(text, number),
        };
        let table = table.of_row(text, number);
        // The unit of a row may stand behind all of it.
        let of_row = own.last().copied();
        let of_row = of_row.filter(|unit| of_unit(unit).is_some() && amount(unit).is_none());
        // Without names several figures of one size are runs; what differs more was measured of several things.
        let own_figures: Vec<f64> = figures
            .iter()
            .filter(|(at, _)| behind || at > label)
            .map(|(_, (value, _))| *value)
            .collect();
        let (several, runs) = (own_figures.len() > 1, are_near(&own_figures));
        // `1010.2 1012.5 1015.4 MB/s`: the unit behind the last of several runs is of all.
        let of_last = figures.last().map(|(_, (_, unit))| *unit);
        let of_last =
            of_last.filter(|unit| header.is_none() && runs && several && of_unit(unit).is_some());
        let of_row = of_row.or(of_last);
        let first = figures.first().map_or(*label, |(at, _)| *at);
        let front = if behind { first } else { *label };
        let others: Vec<&str> = (0..front).map(|at| own[at].trim()).collect();
        let words = words_behind(&own, *label, header.is_some());
        for (at, (value, unit)) in figures.into_iter().filter(|(at, _)| behind || at > label) {
            let column = header.as_ref().and_then(|names| names.get(at).copied());
            // A key in front of the figure, `time  1.5 s`.
            let key = at.checked_sub(1).filter(|before| before != label);
            let key = key
                .map(|before| own[before])
                .filter(|key| amount(key).is_none());
            // The line of names says nothing of a column but its own name.
            let near = match column.is_some() && cells(above).len() > 2 {
                true => Vec::new(),
                false => vec![above],
            };
            let place = format!("column {}", at.abs_diff(*label));
            let title = match column.or(key) {
                None if several && !runs => place.as_str(),
                known => known.unwrap_or(above),
            };
            // Two columns of one name are two things.
            let before = header.as_ref().zip(column).map_or(0, |(names, own)| {
                names.iter().take(at).filter(|name| **name == own).count()
            });
            let title = match before {
                0 => format!("{} {title}", others.join(" ")),
                before => format!("{} {title} {}", others.join(" "), before + 1),
            };
            tables.push(table);
            rests.push(names.rest(side, own[*label]));
            kinds.push(words.clone());
            found.push(Found {
                own: Cow::Borrowed(""),
                side,
                title: title.trim().trim_matches([':', '*', '`']).to_owned(),
                near,
                value,
                unit: match (unit, of_row) {
                    ("", Some(of_row)) => of_row,
                    (unit, _) => unit,
                },
                line: number,
            });
        }
    }
    named::by_label(&mut found, &rests);
    named::by_front(&mut found, &rests);
    named::by_words(&mut found, &kinds);
    named::by_front(&mut found, &tables);
    named::without_trials(&mut found);
    named::by_key(&mut found);
    named::by_turn(&mut found);
    found
}

/// A size that a column is of, `256k`, `1m`, `64`.
fn step(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match text[digits.len()..].to_lowercase().as_str() {
        "k" | "kb" | "kib" => 1e3,
        "m" | "mb" | "mib" => 1e6,
        "g" | "gb" | "gib" => 1e9,
        _ => return amount(text).map(|(value, _)| value),
    };
    digits.parse::<f64>().ok().map(|value| value * scale)
}

/// The figures of a cell: one, or the ends of a range, `1700-1800 records/s`, which are the least and the most of its runs.
fn figures_of(text: &str) -> Vec<(f64, &str)> {
    if let Some(figure) = amount(text) {
        return vec![figure];
    }
    if let Some(runs) = runs_of(text) {
        return runs;
    }
    let ends = posted::range(text).unwrap_or_default();
    let unit = ends
        .last()
        .and_then(|most| amount(most))
        .map_or("", |(_, unit)| unit);
    let ends = ends.into_iter().filter_map(amount);
    ends.map(|(value, _)| (value, unit)).collect()
}

/// The runs of one thing that a cell lists, `35188, 37426, 35140, 37640`.
fn runs_of(text: &str) -> Option<Vec<(f64, &str)>> {
    /// Two may be a range, or a figure with what it is of.
    const FEWEST: usize = 3;
    /// Runs of one thing are no further apart, a factor.
    const NEAR: f64 = 2.0;
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let figures: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
    let figures = figures.filter(|figures| figures.len() >= FEWEST && text.contains(", "))?;
    let positive = figures.iter().all(|figure| *figure > 0.0);
    let runs = positive && are_within(&figures, NEAR);
    runs.then(|| figures.into_iter().map(|f| (f, "")).collect())
}

/// Percentages below the name of a quantity, `Throughput`, `CPU usage`, which are measured themselves.
fn shares<'a>(own: &[&'a str], names: &[&str]) -> Vec<(usize, (f64, &'a str))> {
    let of = |(at, text): (usize, &&'a str)| {
        let text = text.trim();
        let value: f64 = text.strip_suffix('%')?.trim_end().parse().ok()?;
        let plain = text.starts_with(|c: char| c.is_ascii_digit());
        let name = names.get(at).filter(|name| !name.trim().is_empty())?;
        let quantity = matches!(posted::kind(name), posted::Kind::Values(_));
        let unit = &text[text.len() - 1..];
        (plain && quantity && !name.contains('%')).then_some((at, (value, unit)))
    };
    own.iter().enumerate().filter_map(of).collect()
}

/// The cells of a line: also figures that single spaces or commas part, and not what follows from them behind an arrow,
/// `AVX2 6.143  6.154 6.130 => 6.14`.
fn row_cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = match line.split_once(" => ") {
        Some((front, _)) if parts(front.rsplit("  ").next().unwrap_or(front)).len() > 1 => front,
        _ => line,
    };
    if let Some((name, figure)) = listed(line) {
        return vec![name, figure];
    }
    // `case1 (near)   throughput: 1057 KB/s`
    if let Some((label, figure)) = line.rsplit_once(": ")
        && !line.contains('|')
        && amount(figure).is_some()
        && cells(figure.trim()).len() == 1
        && cells(label).iter().all(|cell| amount(cell).is_none())
    {
        return vec![label, figure.trim()];
    }
    // `big endian, old: bw=201.5 MiB/s`
    if let Some((label, named)) = line.rsplit_once(": ")
        && !line.contains('|')
        && let Some((key, figure)) = named.split_once('=')
        && key.starts_with(char::is_alphabetic)
        && amount(figure).is_some()
        && amount(label).is_none()
    {
        return vec![label, key, figure];
    }
    let found = cells(line);
    let own: Vec<&str> = match found[..] {
        [one] => match posted::line(one) {
            Some(posted::Line::Row(row)) if row.cells.len() > 1 => {
                let front = one.find(row.cells[0]).map_or("", |at| &one[..at]);
                front.split_whitespace().chain(row.cells).collect()
            }
            _ => found,
        },
        // `KVM    - Avg. 1038.48 IOPS`
        [_, second] if second.starts_with("- ") && amount(second).is_none() => {
            match posted::line(line) {
                Some(posted::Line::Row(row)) if row.cells.len() == 1 => {
                    let front = line.find(row.cells[0]).map_or("", |at| &line[..at]);
                    vec![front.trim_end(), row.cells[0]]
                }
                _ => found,
            }
        }
        // `(1-1)  plain, 128 KB: 3.2   2.5   11.8`
        [first, second, ..] if found.len() > 3 && amount(first).is_none() => {
            match second.rsplit_once(": ") {
                Some((words, figure)) if amount(figure).is_some() && !line.contains('|') => {
                    [&[first, words, figure][..], &found[2..]].concat()
                }
                _ => found,
            }
        }
        _ => found,
    };
    if line.contains('|') {
        return own;
    }
    own.into_iter()
        .map(|cell| cell.trim_start_matches([':', '=', ' ']))
        .flat_map(|cell| match between_commas(cell) {
            Some(figures) => figures,
            None if amount(cell).is_none() => parts(cell),
            None => vec![cell],
        })
        .collect()
}

/// Figures between commas without spaces, `12,13.46,218`, which are no groups of digits.
fn between_commas(text: &str) -> Option<Vec<&str>> {
    let figures: Vec<&str> = text.split(',').collect();
    let plain = |text: &&str| text.parse::<f64>().is_ok();
    let grouped = figures.iter().skip(1).all(|text| text.len() == 3);
    (figures.len() > 2 && !grouped && figures.iter().all(plain)).then_some(figures)
}

/// The figures of a row of which a part is the name of a side; what stands in front of that part is returned.
fn literal<'a>(
    text: &'a Text<'_>,
    number: usize,
    own: &[&'a str],
    (side, (start, end)): (usize, (usize, usize)),
    found: &mut Vec<Found<'a>>,
) -> String {
    let line = text.line(number);
    let header = header(text, number, own.len());
    let mut front: Vec<&str> = Vec::new();
    for (at, cell) in own.iter().enumerate() {
        let place = (cell.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
        if place.is_some_and(|at| at < start) {
            front.push(cell.trim());
        }
        let within = place.is_none_or(|at| at < end);
        let Some((value, unit)) = amount(cell).filter(|_| !within) else {
            continue;
        };
        let column = header.as_ref().and_then(|names| names.get(at).copied());
        let title = column
            .unwrap_or("result")
            .trim_matches([':', '*', '`', '"']);
        found.push(Found {
            own: Cow::Borrowed(""),
            side,
            title: title.trim().to_owned(),
            near: match column {
                Some(_) => Vec::new(),
                None => vec![heading(text, number)],
            },
            value,
            unit,
            line: number,
        });
    }
    front.join(" ").to_lowercase()
}

/// The words of a row's cells between the name of its side and its first figure, below a line of names.
fn words_behind(own: &[&str], label: usize, headed: bool) -> String {
    let behind = own.iter().skip(label + 1);
    let words = behind.take_while(|cell| amount(cell).is_none());
    let words: Vec<&str> = words.map(|cell| cell.trim()).filter(|_| headed).collect();
    words.join(" ").trim().to_owned()
}

/// The words above the table that rows are of.
#[derive(Default)]
struct Above<'a> {
    words: &'a str,
    /// The last row, 0 before the first.
    row: usize,
}

impl<'a> Above<'a> {
    /// Of the row in `number`; rows behind an empty line or a title are of another table.
    fn of_row(&mut self, text: &'a Text<'_>, number: usize) -> &'a str {
        let mut between = (self.row + 1..number).map(|line| text.line(line).trim());
        let parted = between.any(|line| line.is_empty() || is_title(line));
        if self.row == 0 || parted {
            self.words = section(text, number);
        }
        self.row = number;
        self.words
    }
}

/// Words with a colon behind them, `no_load:`, `larger packets, 1024 bytes:`.
fn is_title(line: &str) -> bool {
    const WORDS: usize = 12;
    let whole = !line.contains('|') && wide_cells(line).len() == 1;
    line.ends_with(':') && whole && line.split_whitespace().count() <= WORDS
}

/// The words above a table: the nearest line above the row in `number` that is one cell of words and follows an empty
/// line, the start, or a drawn one, or that is a title.
fn section<'a>(text: &'a Text<'_>, number: usize) -> &'a str {
    let named = |line: &usize| {
        let own = text.line(*line).trim();
        let before = *line == 1 || text.line(*line - 1).chars().all(|c| "-=*_ ".contains(c));
        let parts = cells(own);
        let remarked = parts.len() == 2 && parts[1].starts_with('(') && parts[1].ends_with(')');
        let title = is_title(own);
        let words = own.chars().any(char::is_alphabetic) && (parts.len() == 1 || remarked || title);
        (before || title) && words && amount(own).is_none()
    };
    let line = (number.saturating_sub(ABOVE).max(1)..number)
        .rev()
        .find(named);
    let own = line.map(|line| text.line(line).trim());
    own.unwrap_or_default()
        .trim_matches(['#', '=', '-', '*', ':', ' '])
}

/// The same for a row whose spread stands in the cell of its figure, `4.096 ± 0.012`, and has a name of its own above.
fn spread_header<'a>(text: &'a Text<'_>, number: usize, own: &[&str]) -> Option<Vec<&'a str>> {
    let spread = |cell: &&str| SPREAD_SIGNS.iter().any(|sign| cell.contains(sign));
    let at = own.iter().position(spread)?;
    let mut names = header(text, number, own.len() + 1)?;
    (names.len() == own.len() + 1).then(|| {
        names.remove(at + 1);
        names
    })
}

/// The names of the columns of a row with so many cells: the nearest line above of as many words, or of one less.
fn header<'a>(text: &'a Text<'_>, number: usize, width: usize) -> Option<Vec<&'a str>> {
    let above = || (number.saturating_sub(ABOVE).max(1)..number).rev();
    let names_of = |line: usize, is: &dyn Fn(&[&str]) -> bool| {
        let whole = text.line(line).trim();
        let mut own = match listed(whole).is_some() || is_prose(whole) {
            true => Vec::new(),
            false => cells(whole),
        };
        // A line of names with single spaces.
        if let [one] = own[..]
            && width > 2
        {
            own = posted::with_options(one.trim_start_matches(['#', ' ']));
        }
        // A unit behind the names is of all.
        if own.len() > 2 && own.last().is_some_and(|last| posted::is_bracketed(last)) {
            own.pop();
        }
        let words = own.iter().any(|cell| cell.chars().any(char::is_alphabetic));
        let csv = text.line(line).contains(',') && own.len() > width;
        let fits = own.len() == width || own.len() + 1 == width || csv;
        let empty = own.iter().filter(|cell| cell.trim().is_empty()).count();
        let words = words && empty < 2.max(own.len() / 2);
        (is(&own) && words && fits && own.len() > 1 && !has_fractions(whole)).then_some(own)
    };
    let words = |text: &&str| figures_of(text).is_empty() && cell(text) != Cell::Change;
    let plain = |own: &[&str]| own.iter().all(words);
    // The sizes that a row was measured at may be its columns: `size, 64, 128, 256`, `100 bytes | 500 bytes`.
    let steps = |own: &[&str]| {
        let sizes: Vec<f64> = own.iter().filter_map(|cell| step(cell)).collect();
        let grow = sizes.windows(2).all(|pair| pair[0] < pair[1]);
        let shrink = sizes.windows(2).all(|pair| pair[0] > pair[1]);
        let named = own.first().is_some_and(|first| amount(first).is_none());
        sizes.len() > 2 && (grow || shrink) && named
    };
    let mut lines = above().filter_map(|line| names_of(line, &plain));
    // Of a table's rows that grow the first is the line of names.
    let table = above().take_while(|line| !text.line(*line).trim().is_empty());
    let first = table.filter_map(|line| names_of(line, &steps)).last();
    let names = lines
        .next()
        .or(first)
        .or_else(|| above().find_map(|line| names_of(line, &steps)));
    let mut names = names?;
    if names.len() < width {
        names.insert(0, "");
    }
    Some(names)
}
