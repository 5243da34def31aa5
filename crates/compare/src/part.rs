//! A part of a record as a side of its own: one number of copies against another, one kind of pages against another.

mod crossed;
mod each;
mod rows;

use std::collections::BTreeSet;

use whyslow_model::Record;
use whyslow_model::record::Planned;
use whyslow_model::text::{MINISTAT_SIGNS, words};

use crate::names::family;
use crate::names::system_of;
use crate::runs::runs;

pub use each::{beside, pieces};

/// Why there is no such part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// No point has the parameter.
    #[error("no point of it has the parameter {name}; there are {there}")]
    NoParameter {
        /// The parameter.
        name: String,
        /// Those that there are.
        there: String,
    },
    /// No system, row or parameter is called so.
    #[error("no part of that name in it; there is {there}")]
    Nothing {
        /// The systems that there are.
        there: String,
    },
    /// No point has the parameter with that value.
    #[error("{name} is nowhere {value} in it; it is {there}")]
    NoValue {
        /// The parameter.
        name: String,
        /// Its value.
        value: String,
        /// The values that there are.
        there: String,
    },
}

fn list(mut words: Vec<&str>) -> String {
    words.sort_unstable();
    words.dedup();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(", "),
    }
}

/// The points of `record` whose parameter `name` is `value`, without that parameter, so that they stand beside those
/// of another value.
///
/// # Errors
/// When no point has it.
pub fn part(record: &Record, name: &str, value: &str) -> Result<Record, PartError> {
    let params = || record.plan.points.iter().flat_map(|p| &p.point.params);
    let values: Vec<&str> = params()
        .filter(|(n, _)| n == name)
        .map(|(_, v)| v.as_str())
        .collect();
    if values.is_empty() {
        return Err(PartError::NoParameter {
            name: name.to_owned(),
            there: list(params().map(|(n, _)| n.as_str()).collect()),
        });
    }
    if !values.contains(&value) {
        return Err(PartError::NoValue {
            name: name.to_owned(),
            value: value.to_owned(),
            there: list(values),
        });
    }
    let mut cut = record.clone();
    cut.plan.points.retain(|p| p.point.get(name) == Some(value));
    cut.processes.retain(|p| p.point.get(name) == Some(value));
    let points = cut.plan.points.iter_mut().map(|p| &mut p.point);
    for point in points.chain(cut.processes.iter_mut().map(|p| &mut p.point)) {
        point.params.retain(|(n, _)| n != name);
    }
    Ok(cut)
}

/// The one record that `part` means among those of a file: a system by its name, by the words of it or by its place
/// (`2`, `second column`, `Benchmark 2`); points with one value of a parameter (`copies=8`, or the value alone); or the
/// row of that name in all systems, where the rows of a table are what is compared. Several systems may be runs of one
/// side, `old-0, old-1` or `old-0 to old-4`.
///
/// # Errors
/// When nothing is called so.
pub fn choose(records: &[Record], part: &str) -> Result<Record, PartError> {
    if let Some(found) = runs(records, part) {
        return Ok(found);
    }
    if let Some(at) = system(records, part) {
        return Ok(records[at].clone());
    }
    // A system and a parameter of it.
    if let Some((name, rest)) = part.split_once(',')
        && let Some(at) = system(records, name)
        && let Some((name, value)) = rest.split_once('=')
    {
        return self::part(&records[at], name.trim(), value.trim());
    }
    if let ([record], Some((name, value))) = (records, part.split_once('='))
        && !name.contains(' ')
    {
        return self::part(record, name, value);
    }
    if let Some(at) = sign(records, part) {
        return Ok(records[at].clone());
    }
    if let [record] = records
        && let Some((name, value)) = exact(record, part)
    {
        return self::part(record, &name, &value);
    }
    if let Some(row) = row(records, part).or_else(|| crossed::crossed(records, part)) {
        return Ok(row);
    }
    if let [record] = records
        && let Some((name, value)) = valued(record, part)
    {
        return self::part(record, &name, &value);
    }
    if let [record] = records
        && let Some(found) = rows::edge(record, part).or_else(|| rows::labelled(record, part))
    {
        return Ok(found);
    }
    if let Some(found) = labelled(records, part) {
        return Ok(found);
    }
    let place = ordinal(part).and_then(|at| records.get(at.checked_sub(1)?));
    place.cloned().ok_or_else(|| PartError::Nothing {
        there: parts(records),
    })
}

/// The rows of several quantities whose labels have `part` in them.
fn labelled(records: &[Record], part: &str) -> Option<Record> {
    let found: Vec<(&str, Record)> = records
        .iter()
        .filter_map(|record| Some((system_of(record), rows::labelled(record, part)?)))
        .collect();
    let named = found.len() > 1 && found.iter().all(|(name, _)| !name.is_empty());
    let parts = found.iter().map(|(name, own)| ((*name).to_owned(), own));
    named.then(|| crossed::together(parts, part))?
}

/// What parts there are: systems by name, or parameters.
fn parts(records: &[Record]) -> String {
    let systems: Vec<&str> = records
        .iter()
        .map(system_of)
        .filter(|s| !s.is_empty())
        .collect();
    if !systems.is_empty() {
        return list(systems);
    }
    let points = || records.iter().flat_map(|r| &r.plan.points);
    let names = points()
        .flat_map(|p| &p.point.params)
        .map(|(n, _)| n.as_str());
    let names = match list(names.collect()).as_str() {
        "none" => String::new(),
        names => format!("NAME=VALUE with {names}"),
    };
    let titles: Vec<&str> = points().filter_map(|p| p.title.as_deref()).collect();
    match (names.as_str(), rows(&titles)) {
        ("", None) => "nothing that has a name".to_owned(),
        (names, None) => names.to_owned(),
        ("", Some(rows)) => rows,
        (names, Some(rows)) => format!("{names}; {rows}"),
    }
}

/// The rows that there are, each once and in their order.
fn rows(titles: &[&str]) -> Option<String> {
    /// More are not read.
    const MOST: usize = 8;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let once: Vec<&str> = titles
        .iter()
        .copied()
        .filter(|title| seen.insert(title))
        .collect();
    let shown = once.iter().take(MOST).map(|title| format!("\"{title}\""));
    let shown: Vec<String> = shown.collect();
    let more = match once.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (once.len() > 1).then(|| format!("{}{more} as rows", shown.join(", ")))
}

/// The one system that `name` means: it is called so, or it is the only one whose name ends with these words, has them
/// all, or has none but most of them.
fn system(records: &[Record], name: &str) -> Option<usize> {
    // Signs are part of a name where others have the same words: `a + b`, `a - b`.
    let plain = |text: &str| {
        let bare = text.trim().trim_matches(['*', '`', ':']);
        let words: Vec<&str> = bare.split_whitespace().collect();
        words.join(" ").to_lowercase()
    };
    let same = |record: &Record| {
        let own = plain(system_of(record));
        !own.is_empty() && own == plain(name)
    };
    if let Some(at) = records.iter().position(same) {
        return Some(at);
    }
    let mut wanted = words(name);
    let of: Vec<Vec<String>> = records.iter().map(|r| words(system_of(r))).collect();
    // `a == b` and `a != b` have the same words.
    let mut worded = of
        .iter()
        .enumerate()
        .filter(|(_, own)| !own.is_empty() && **own == wanted);
    match (worded.next(), worded.next()) {
        (Some((at, _)), None) => return Some(at),
        (Some(_), Some(_)) => return None,
        _ => {}
    }
    // What a diff marks its sides with is no word.
    let mut begins = records.iter().enumerate().filter(|(_, r)| {
        let rest = system_of(r).strip_prefix(name.trim());
        !name.trim().is_empty() && rest.is_some_and(|r| r.is_empty() || r.starts_with(' '))
    });
    if let (Some((at, _)), None) = (begins.next(), begins.next()) {
        return Some(at);
    }
    // `mimalloc run` means the system whose runs were numbered.
    if wanted.len() > 1 && !of.iter().flatten().any(|word| word == "run") {
        wanted.retain(|word| word != "run");
        if let Some(at) = of.iter().position(|own| *own == wanted) {
            return Some(at);
        }
    }
    if wanted.is_empty() {
        // `<` and `>` mean the sides of a diff.
        let signed = |r: &Record| !name.trim().is_empty() && system_of(r).ends_with(name.trim());
        let mut found = records.iter().enumerate().filter(|(_, r)| signed(r));
        let first = found.next().map(|(at, _)| at);
        return first.filter(|_| found.next().is_none());
    }
    let only = |is: &dyn Fn(&[String]) -> bool| {
        let mut found = of.iter().enumerate().filter(|(_, own)| is(own));
        let first = found.next();
        first.filter(|_| found.next().is_none()).map(|(at, _)| at)
    };
    only(&|own| own.ends_with(&wanted))
        .or_else(|| only(&|own| wanted.iter().all(|word| own.contains(word))))
        .or_else(|| {
            // Few of the words are those of another name that begins alike.
            let most = |own: &[String]| own.len() * 2 > wanted.len();
            only(&|own| most(own) && own.iter().all(|word| wanted.contains(word)))
        })
        // `old time/op` of a header means `old`.
        .or_else(|| {
            // What stands in brackets behind it is of another: `SLUB (dynamic)`.
            let bracketed = name.contains(" (");
            only(&|own| !own.is_empty() && !bracketed && wanted.starts_with(own))
        })
        // `rows with [linux-2.5.68]`
        .or_else(|| {
            let within = |own: &[String]| wanted.windows(own.len()).any(|run| run == own);
            only(&|own| own.len() > 1 && within(own))
        })
}

/// The place of a side that ministat draws as `x` or `+`.
fn sign(records: &[Record], part: &str) -> Option<usize> {
    let is = |record: &Record| {
        record
            .origin
            .as_ref()
            .is_some_and(|o| o.format == "ministat")
    };
    // Its table begins each row with the sign and how many values there are, `x 9`.
    let words: Vec<&str> = part.split_whitespace().collect();
    let first = match words[..] {
        [sign] => sign,
        [sign, count] if records.len() == 2 && count.parse::<u32>().is_ok() => sign,
        _ => return None,
    };
    let place = MINISTAT_SIGNS.iter().position(|sign| *sign == first)?;
    (place < records.len() && records.iter().all(is)).then_some(place)
}

/// The place that `second column`, `Benchmark 2` or `2` names, from 1.
fn ordinal(part: &str) -> Option<usize> {
    const NAMED: [(&str, usize); 7] = [
        ("first", 1),
        ("left", 1),
        ("second", 2),
        ("right", 2),
        ("third", 3),
        ("fourth", 4),
        ("fifth", 5),
    ];
    let words = words(part);
    let place = |word: &String| NAMED.iter().find(|(name, _)| name == word);
    let named = words.iter().find_map(place).map(|(_, at)| *at);
    let number = || words.last().and_then(|word| word.parse().ok());
    let counted = ["benchmark", "run", "column", "system", "part"];
    let is_place = words.len() == 1 || words.iter().any(|word| counted.contains(&word.as_str()));
    named.or_else(|| number().filter(|_| is_place))
}

/// The one parameter of a record that is `text` to the letter, where another has the same words: `aes-128 cbc`,
/// `aes-128-cbc`. Or the one that ends with it, as the name of a method does that stands without its package.
fn exact(record: &Record, text: &str) -> Option<(String, String)> {
    /// A shorter end is one of many things.
    const SHORTEST: usize = 8;
    let text: String = text
        .trim()
        .chars()
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .collect();
    let params = || record.plan.points.iter().flat_map(|p| &p.point.params);
    let one = |is: &dyn Fn(&str) -> bool| {
        let found: BTreeSet<&(String, String)> = params().filter(|(_, value)| is(value)).collect();
        let mut found = found.into_iter();
        let first = found.next().cloned();
        first.filter(|_| found.next().is_none())
    };
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let alike = params().filter(|(_, value)| letters(value) == letters(&text));
    let several = alike.collect::<BTreeSet<_>>().len() > 1;
    let ends =
        |value: &str| text.len() >= SHORTEST && value.len() > text.len() && value.ends_with(&text);
    match several {
        true => one(&|value| value == text),
        false => one(&ends).filter(|_| !params().any(|(_, value)| *value == text)),
    }
}

/// The one parameter of a record that has `text` as a value.
fn valued(record: &Record, text: &str) -> Option<(String, String)> {
    let wanted = words(text);
    let params = record.plan.points.iter().flat_map(|p| &p.point.params);
    let mut fitting: Vec<(String, String)> = params
        .filter(|(name, value)| {
            let own = words(value);
            let both: Vec<String> = own.iter().cloned().chain(words(name)).collect();
            !own.is_empty()
                && (own == wanted || {
                    // `10 threads` of a parameter `threads`.
                    wanted.iter().all(|w| both.contains(w))
                        && own.iter().all(|w| wanted.contains(w))
                })
        })
        .cloned()
        .collect();
    fitting.sort_unstable();
    fitting.dedup();
    match &fitting[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// The row called `name` in all systems, as one record whose points are called after the systems; where several
/// tables have such a row, also after what else its title says.
fn row(records: &[Record], name: &str) -> Option<Record> {
    let wanted = words(name);
    if wanted.is_empty() {
        return None;
    }
    let title = |planned: &Planned| planned.title.as_deref().map(words);
    let mut made: Option<Record> = None;
    for record in records {
        let points = || record.plan.points.iter();
        let one = |is: &dyn Fn(&[String]) -> bool| {
            let mut own = points().filter(|p| title(p).is_some_and(|title| is(&title)));
            own.next().filter(|_| own.next().is_none())
        };
        let has = |own: &[String]| own.windows(wanted.len()).any(|run| run == wanted);
        let named = name.chars().any(char::is_alphabetic);
        let found = one(&|own| own == wanted).or_else(|| one(&has).filter(|_| named));
        let found: Vec<(&Planned, String)> = match found {
            Some(planned) => vec![(planned, String::new())],
            None if named => {
                let units = by_unit(points(), &wanted);
                if units.is_empty() {
                    apart(points(), &wanted)
                } else {
                    units
                }
            }
            None => Vec::new(),
        };
        // A table of one column may not name it.
        let column = Some(system_of(record)).filter(|name| !name.is_empty());
        for (planned, table) in found {
            let column = match (column, table.as_str()) {
                (Some(column), "") => column.to_owned(),
                (Some(column), table) => format!("{table} {column}"),
                (None, "") => "result".to_owned(),
                (None, table) => table.to_owned(),
            };
            let mut point = planned.point.clone();
            let family = family(&planned.point);
            point.probe = format!("{family}.{}", words(&column).join("_"));
            let renamed = Planned {
                point: point.clone(),
                title: Some(column),
                ..planned.clone()
            };
            let processes = record.processes.iter().filter(|p| p.point == planned.point);
            let processes = processes.cloned().map(|mut process| {
                process.point = point.clone();
                process
            });
            let target = made.get_or_insert_with(|| without_points(record, name));
            target.processes.extend(processes);
            target.plan.points.push(renamed);
        }
    }
    made
}

/// The record, called `name`, before any point is put into it.
fn without_points(record: &Record, name: &str) -> Record {
    let mut empty = record.clone();
    empty.plan.points.clear();
    empty.processes.clear();
    if let Some(origin) = &mut empty.origin {
        name.clone_into(&mut origin.system);
    }
    empty
}

/// The rows of several lists that are called so and nothing else, each of which has a unit of its own.
fn by_unit<'a>(
    points: impl Iterator<Item = &'a Planned>,
    wanted: &[String],
) -> Vec<(&'a Planned, String)> {
    let own =
        points.filter(|planned| planned.title.as_deref().map(words).as_deref() == Some(wanted));
    let found: Vec<(&Planned, String)> = own
        .filter_map(|planned| Some((planned, planned.symbol.clone()?)))
        .collect();
    let units: BTreeSet<&str> = found.iter().map(|(_, unit)| unit.as_str()).collect();
    match found.len() > 1 && units.len() == found.len() {
        true => found,
        false => Vec::new(),
    }
}

/// The rows of several tables whose titles have the words `wanted` and one word or more each that tells them apart.
fn apart<'a>(
    points: impl Iterator<Item = &'a Planned>,
    wanted: &[String],
) -> Vec<(&'a Planned, String)> {
    let rest = |planned: &Planned| -> Option<String> {
        let own = words(planned.title.as_deref()?);
        let at = own.windows(wanted.len()).position(|run| run == wanted)?;
        let rest = [&own[..at], &own[at + wanted.len()..]].concat();
        Some(rest.join(" "))
    };
    let found: Vec<(&Planned, String)> = points
        .filter_map(|planned| Some((planned, rest(planned)?)))
        .collect();
    // Labels that begin with the words are meant before those that have them behind others.
    let begins = |planned: &Planned| {
        let title = planned.title.as_deref().map(words);
        title.is_some_and(|own| own.starts_with(wanted))
    };
    let first: Vec<(&Planned, String)> = found
        .iter()
        .filter(|(planned, _)| begins(planned))
        .cloned()
        .collect();
    let found = if first.is_empty() { found } else { first };
    let names: BTreeSet<&str> = found.iter().map(|(_, rest)| rest.as_str()).collect();
    match names.len() == found.len() && !names.contains("") {
        true => found,
        false => Vec::new(),
    }
}
