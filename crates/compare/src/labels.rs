//! Rows of other tools whose labels differ between the sides in what is no part of their name: a commit, a version, a time
//! stamp, the number of threads behind all names, the name of the side itself. Where no row of one side is found on the
//! other, and both have as many of the same units, they are paired in their order. What was paired so is said.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::record::{Outcome, Planned};
use whyslow_model::text::words;
use whyslow_model::{Better, Point, Record};

use crate::Named;

/// Rows paired in their order: longer lists are no two of one layout by chance, but neither read by anybody.
const MOST: usize = 200;

/// Digits of a short name of a commit.
const COMMIT: usize = 7;

/// The records of both sides with one point for each pair, and what is said of it.
pub(crate) struct Paired {
    /// Records of A and of B.
    pub(crate) sides: [Vec<Record>; 2],
    /// One line for the reader.
    pub(crate) text: String,
    /// How many rows of one side were paired with one of the other.
    pub(crate) rows: usize,
}

/// The sides with rows paired whose labels say the same but for what names the side.
pub(crate) fn aligned(a: &[Named<'_>], b: &[Named<'_>]) -> Option<Paired> {
    if !of_other_tools(a, b) {
        return None;
    }
    let (of_a, of_b) = (named(a), named(b));
    let apart = [only(&of_a, &of_b), only(&of_b, &of_a)];
    let (here, there) = (
        alone(a, b, [&apart[0], &apart[1]]),
        alone(b, a, [&apart[1], &apart[0]]),
    );
    let pairs: Vec<(&Planned, &Planned)> = there
        .iter()
        .filter_map(|(key, of_b)| Some(((*here.get(key)?)?, (*of_b)?)))
        .collect();
    if are_same(a, b, &pairs) {
        return None;
    }
    let (first, second) = pairs.first()?;
    let text = format!(
        "{} paired though the labels differ in a version, a commit, a time or the name of the side: \"{}\" with \"{}\"",
        counted(pairs.len()),
        title(first),
        title(second)
    );
    Some(paired(a, b, &pairs, text))
}

/// How many rows of the two sides say the same but for what names the side.
pub fn alike(a: &[Named<'_>], b: &[Named<'_>]) -> usize {
    aligned(a, b).map_or(0, |paired| paired.rows)
}

/// The sides with their rows paired in their order, where none has a namesake and the units are the same one by one.
pub(crate) fn in_order(a: &[Named<'_>], b: &[Named<'_>]) -> Option<Paired> {
    let ([one], [other]) = (a, b) else {
        return None;
    };
    let format = |named: &Named<'_>| {
        named
            .record
            .origin
            .as_ref()
            .map(|origin| origin.format.clone())
    };
    if !of_other_tools(a, b) || format(one) != format(other) {
        return None;
    }
    let (here, there) = (&one.record.plan.points, &other.record.plan.points);
    let alike = |(a, b): (&Planned, &Planned)| {
        let unsaid = a.better == Better::Unsaid || b.better == Better::Unsaid;
        a.symbol == b.symbol && a.unit == b.unit && (a.better == b.better || unsaid)
    };
    if here.is_empty()
        || here.len() > MOST
        || here.len() != there.len()
        || !here.iter().zip(there).all(alike)
    {
        return None;
    }
    let pairs: Vec<(&Planned, &Planned)> = here.iter().zip(there).collect();
    if are_same(a, b, &pairs) {
        return None;
    }
    let (first, second) = pairs.first()?;
    let text = format!(
        "no row of one side is called as one of the other; {} paired in the order in which they stand: \"{}\" with \"{}\"",
        counted(pairs.len()),
        title(first),
        title(second)
    );
    Some(paired(a, b, &pairs, text))
}

/// Are the figures of all pairs the same ones of one file? Then they are one row each, which stands on both sides.
fn are_same(a: &[Named<'_>], b: &[Named<'_>], pairs: &[(&Planned, &Planned)]) -> bool {
    let file = |named: &Named<'_>| named.name.split('#').next().map(str::to_owned);
    let files =
        |side: &[Named<'_>]| -> BTreeSet<Option<String>> { side.iter().map(file).collect() };
    let values = |side: &[Named<'_>], point: &Point| -> Vec<Outcome> {
        let processes = side.iter().flat_map(|named| &named.record.processes);
        let own = processes.filter(|process| process.point == *point);
        own.map(|process| process.outcome.clone()).collect()
    };
    let same =
        |(of_a, of_b): &(&Planned, &Planned)| values(a, &of_a.point) == values(b, &of_b.point);
    files(a) == files(b) && pairs.iter().all(same)
}

fn counted(rows: usize) -> String {
    match rows {
        1 => "1 row is".to_owned(),
        n => format!("{n} rows are"),
    }
}

fn of_other_tools(a: &[Named<'_>], b: &[Named<'_>]) -> bool {
    a.iter().chain(b).all(|named| named.record.origin.is_some())
}

fn title(planned: &Planned) -> &str {
    planned.title.as_deref().unwrap_or(&planned.point.probe)
}

/// The words that a side is called by: its system, and the part of its file.
fn named(side: &[Named<'_>]) -> BTreeSet<String> {
    let of = |named: &Named<'_>| {
        let system = named
            .record
            .origin
            .as_ref()
            .map_or("", |origin| origin.system.as_str());
        let part = named.name.rsplit_once('#').map_or("", |(_, part)| part);
        [words(system), words(part)].concat()
    };
    side.iter().flat_map(of).collect()
}

fn only(own: &BTreeSet<String>, other: &BTreeSet<String>) -> BTreeSet<String> {
    own.difference(other).cloned().collect()
}

/// What tells a row from the others of its side, whatever the side is.
type Key = (Vec<String>, Vec<(String, String)>, Option<String>, Better);

/// The rows of a side that the other lacks, by what is left of their labels; none where several are left alike.
fn alone<'a>(
    side: &[Named<'a>],
    other: &[Named<'a>],
    [own, others]: [&BTreeSet<String>; 2],
) -> BTreeMap<Key, Option<&'a Planned>> {
    let theirs: BTreeSet<&Point> = other
        .iter()
        .flat_map(|named| &named.record.plan.points)
        .map(|planned| &planned.point)
        .collect();
    let rows: Vec<&Planned> = side
        .iter()
        .flat_map(|named| &named.record.plan.points)
        .collect();
    let threads = threads_of_all(&rows);
    let mut found: BTreeMap<Key, Option<&Planned>> = BTreeMap::new();
    for planned in rows {
        let named = bare(title(planned), own, others, threads);
        let key = (
            named,
            planned.point.params.clone(),
            planned.symbol.clone(),
            planned.better,
        );
        // Of a name that the other side has too, the row there is meant.
        let known = theirs.contains(&planned.point);
        let entry = found.entry(key);
        entry
            .and_modify(|one| {
                if known || one.is_none_or(|one| one.point != planned.point) {
                    *one = None;
                }
            })
            .or_insert((!known).then_some(planned));
    }
    found.retain(|(named, ..), _| !named.is_empty());
    found
}

/// The number behind the last dash of all names, `Pipe-8`: how many threads all were run with.
fn threads_of_all<'a>(rows: &[&'a Planned]) -> Option<&'a str> {
    let of = |planned: &&'a Planned| {
        let (_, number) = title(planned).split_whitespace().next()?.rsplit_once('-')?;
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
    };
    let first = rows.first().and_then(of)?;
    rows.iter()
        .all(|planned| of(planned) == Some(first))
        .then_some(first)
}

/// The words of a label without those that a version, a commit, a time or the name of the side is.
fn bare(
    label: &str,
    own: &BTreeSet<String>,
    others: &BTreeSet<String>,
    threads: Option<&str>,
) -> Vec<String> {
    let fractions = label
        .split_whitespace()
        .filter(|word| is_fraction(word))
        .count();
    let kept = label.split_whitespace().filter(|word| {
        // Two fractions in a label are measured themselves; one may be a size.
        !(is_stamp(word) || fractions > 1 && is_fraction(word))
    });
    let kept = kept.map(|word| match threads {
        Some(threads) => word
            .strip_suffix(threads)
            .and_then(|word| word.strip_suffix('-'))
            .unwrap_or(word),
        None => word,
    });
    let all: Vec<String> = kept
        .flat_map(words)
        .filter(|word| !is_stamp(word))
        .collect();
    let left: Vec<String> = all
        .iter()
        .filter(|word| !own.contains(*word) && !others.contains(*word))
        .cloned()
        .collect();
    // What is nothing but the name of the side says nothing of the row.
    left
}

/// Is it a number with a fraction?
fn is_fraction(word: &str) -> bool {
    word.contains('.') && word.parse::<f64>().is_ok()
}

/// Is it the name of a commit, a version of three parts or more, a date, or a time of the day?
fn is_stamp(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = word.len() >= COMMIT && word.bytes().all(|b| b.is_ascii_hexdigit());
    let commit = hexadecimal && digits > 0 && digits + 1 < word.len();
    let of = |sign: char| {
        let parts = word.trim_start_matches('v').split(sign);
        let numbers = parts.clone().take(3);
        parts.count() > 2
            && numbers
                .clone()
                .all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    commit || of('.') || of(':') || (of('-') && digits >= 6) || (of('_') && digits >= 8)
}

/// The sides with the names of A's rows for those of B's, and the titles of both where they differ.
fn paired(
    a: &[Named<'_>],
    b: &[Named<'_>],
    pairs: &[(&Planned, &Planned)],
    text: String,
) -> Paired {
    let both: BTreeMap<&Point, (String, Better)> = pairs
        .iter()
        .map(|(a, b)| {
            // What one of them alone says of the direction is not said of the other.
            let better = if a.better == b.better {
                a.better
            } else {
                Better::Unsaid
            };
            (&a.point, (format!("{} / {}", title(a), title(b)), better))
        })
        .collect();
    let to: BTreeMap<&Point, &Point> = pairs.iter().map(|(a, b)| (&b.point, &a.point)).collect();
    let retitled = |side: &[Named<'_>]| -> Vec<Record> {
        let record = |named: &Named<'_>| {
            let mut record = named.record.clone();
            for planned in &mut record.plan.points {
                if let Some((title, better)) = both.get(&planned.point) {
                    planned.title = Some(title.clone());
                    planned.better = *better;
                }
            }
            record
        };
        side.iter().map(record).collect()
    };
    let renamed = |side: &[Named<'_>]| -> Vec<Record> {
        let record = |named: &Named<'_>| {
            let mut record = named.record.clone();
            for planned in &mut record.plan.points {
                if let Some(point) = to.get(&planned.point) {
                    if let Some((title, better)) = both.get(point) {
                        planned.title = Some(title.clone());
                        planned.better = *better;
                    }
                    (*point).clone_into(&mut planned.point);
                }
            }
            for process in &mut record.processes {
                if let Some(point) = to.get(&process.point) {
                    (*point).clone_into(&mut process.point);
                }
            }
            record
        };
        side.iter().map(record).collect()
    };
    Paired {
        sides: [retitled(a), renamed(b)],
        text,
        rows: pairs.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_without_what_names_the_side() {
        let side = |text: &str| -> BTreeSet<String> { words(text).into_iter().collect() };
        for (label, own, threads, wanted) in [
            ("read 9cb34a2 all", "", None, "read all"),
            ("linux 6.1.12 pipe", "", None, "linux pipe"),
            ("2021-07-30 pipe at 12:00:05", "", None, "pipe at"),
            ("Pipe-8", "", Some("8"), "pipe"),
            ("old pipe 64", "old", None, "pipe 64"),
            ("000 2294.063 -- 2542.249", "", None, "000"),
            // One number may be a size, and a word of letters is none of a commit.
            ("read 0.5 MB", "", None, "read 0.5 mb"),
            ("accede effaced 1234567", "", None, "accede effaced 1234567"),
        ] {
            let found = bare(label, &side(own), &BTreeSet::new(), threads);
            assert_eq!(found.join(" "), wanted, "{label}");
        }
    }
}
