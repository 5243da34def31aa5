//! Two texts of one layout that no format knows: lines of the same words hold the same figures. What tells rows of the
//! same words apart, and what the page was told, is the same on both sides.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Better;

use super::headers::{distinct, headed};
use super::pieces::{Brackets, Piece, Placed, pieces};
use super::{Found, Text, are_near, heading};
use crate::cells::cells;
use crate::commands::{is_prompt, typed};
use crate::direction::{is_bytes, of_unit, of_words};
use crate::posted;

/// More figures in a line are a log's.
const MOST: usize = 12;

/// A comment is of so many lines below it at most.
const NEAR: usize = 12;

/// Words of a number that says how often something was measured.
const COUNTS: [&str; 6] = ["samples", "runs", "run", "repeats", "repetitions", "reps"];

/// Lines above a row that can name its columns.
const ABOVE: usize = 3;

/// The figures that two texts have in common.
pub(super) fn find<'a>(texts: [&'a Text<'_>; 2]) -> Vec<Found<'a>> {
    let [mut a, mut b] = texts.map(lines);
    if !a.keys().any(|key| b.contains_key(key)) {
        (a, b) = (without_own(&a, &b), without_own(&b, &a));
    }
    let mut found: Vec<Found> = Vec::new();
    for (key, own) in &a {
        let Some(other) = b.get(key) else { continue };
        for (title, sides) in paired(own, other) {
            for (side, lines) in sides.into_iter().enumerate() {
                for (line, place) in lines {
                    let figure = line.figures[place];
                    found.push(Found {
                        own: own_words(line, place),
                        side,
                        title: title.clone(),
                        near: vec![line.words, line.above],
                        value: figure.value,
                        unit: figure.unit,
                        line: line.number,
                    });
                }
            }
        }
    }
    found
}

/// The words that are a figure's own: the one behind it, or where that says nothing and no unit stands there, those in
/// front of it.
fn own_words<'a>(line: &Line<'a>, place: usize) -> Cow<'a, str> {
    let figure = line.figures[place];
    match figure.unit.is_empty() && of_words(figure.next).is_none() {
        true => Cow::Owned(line.called[place].clone()),
        false => Cow::Borrowed(figure.next),
    }
}

/// The lines of a text by their words.
type ByWords<'a> = BTreeMap<(String, usize), Vec<Line<'a>>>;

/// The lines by their words without those that all of them have and the other side has not: what the side is.
fn without_own<'a>(own: &ByWords<'a>, other: &ByWords<'a>) -> ByWords<'a> {
    let of = |lines: &ByWords| -> BTreeSet<String> {
        let mut labels = lines.keys().map(|(label, _)| -> BTreeSet<String> {
            label.split_whitespace().map(str::to_owned).collect()
        });
        let first = labels.next().unwrap_or_default();
        labels.fold(first, |common, label| &common & &label)
    };
    let own_words = &of(own) - &of(other);
    let mut made = ByWords::new();
    for ((label, count), lines) in own {
        let kept: Vec<&str> = label
            .split_whitespace()
            .filter(|word| !own_words.contains(*word))
            .collect();
        let lines = lines.iter().cloned();
        made.entry((kept.join(" "), *count))
            .or_default()
            .extend(lines);
    }
    made
}

/// A line with figures.
#[derive(Debug, Clone)]
struct Line<'a> {
    number: usize,
    words: &'a str,
    above: &'a str,
    label: String,
    figures: Vec<Placed<'a>>,
    /// What each of the figures is called beside the label, empty where nothing says it.
    called: Vec<String>,
}

/// The figures of each side that one title has.
type Sides<'l, 'a> = [Vec<(&'l Line<'a>, usize)>; 2];

/// The lines of a text by their words, figures and units aside.
fn lines<'a>(text: &'a Text<'_>) -> ByWords<'a> {
    let mut found = ByWords::new();
    let mut comment = (0, "");
    // What stands above the first line of some words stands above their repetitions right below.
    let mut last: (String, &str) = (String::new(), "");
    // The last row, and the lines over those that stand right above each other.
    let mut before = 0;
    let mut over = Vec::new();
    for (number, line) in text.lines() {
        // A comment is of the lines below it.
        if line.trim_start().starts_with("# ") {
            comment = (number, line.trim_start().trim_start_matches(['#', ' ']));
            continue;
        }
        // Numbers of a command are what it was told.
        if is_prompt(line) || typed(line).is_some() {
            continue;
        }
        let Some(Apart {
            label,
            figures,
            called,
        }) = row(posted::unstamped(line))
        else {
            continue;
        };
        let follows = before + 1 == number;
        if !follows {
            over = names_over(text, number);
        }
        before = number;
        let above = match follows && last.0 == label {
            true => last.1,
            false if comment.0 > 0 && comment.0 + NEAR > number => comment.1,
            false => heading(text, number),
        };
        last = (label.clone(), above);
        // The label in front is also of the first.
        let named = called.iter().skip(1).any(|name| !name.is_empty());
        let called = match figures.len() > 1 && !named {
            true => headed(text, &over, line, &figures).unwrap_or(called),
            false => called,
        };
        // Rows without words are told apart by what stands over them.
        let key = match label.is_empty() {
            true => (called.join(" ").to_lowercase(), figures.len()),
            false => (spelled(&label), figures.len()),
        };
        found.entry(key).or_default().push(Line {
            number,
            words: line,
            above,
            label,
            figures,
            called,
        });
    }
    found
}

/// A label in small letters, its decimals without zeros at the end: `50.0000th` is `50.0th`.
fn spelled(label: &str) -> String {
    let of = |word: &str| {
        let word = word.trim_matches(['*', ':']).to_lowercase();
        let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let (number, rest) = word.split_at(end.unwrap_or(word.len()));
        match number.contains('.').then(|| number.parse::<f64>()) {
            Some(Ok(value)) => format!("{value}{rest}"),
            _ => word,
        }
    };
    label
        .split_whitespace()
        .map(of)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Is it the number of a run, `#2`?
fn is_count(word: &str) -> bool {
    let digits = word.strip_prefix('#').unwrap_or_default();
    (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The label of a line, its figures, and what each is called beside it.
struct Apart<'a> {
    label: String,
    figures: Vec<Placed<'a>>,
    called: Vec<String>,
}

/// Takes a line apart.
fn row(line: &str) -> Option<Apart<'_>> {
    let pieces = pieces(line, Brackets::Figures)?;
    let mut label: Vec<&str> = Vec::new();
    let mut figures: Vec<Placed> = Vec::new();
    // Words in front of each figure, and behind the last.
    let mut between: Vec<Vec<&str>> = vec![Vec::new()];
    for piece in pieces {
        match piece {
            Piece::Figure(figure) => {
                figures.push(figure);
                between.push(Vec::new());
            }
            // Which run it was, `#2`, names nothing that was measured.
            Piece::Word(word) if label.is_empty() && is_count(word) => {}
            Piece::Word(word) => {
                let word = match word.trim_end_matches([':', '=']) {
                    "" => word,
                    bare => bare,
                };
                label.push(word);
                between.last_mut()?.push(word);
            }
        }
    }
    let named = label
        .iter()
        .any(|word| word.contains(char::is_alphanumeric));
    if !named {
        label.clear();
    }
    let of_unit = figures.len() == 1 && !figures[0].unit.is_empty();
    if figures.is_empty() || figures.len() > MOST || !(named || figures.len() > 1 || of_unit) {
        return None;
    }
    if of_unit && label.is_empty() {
        label.push(figures[0].unit);
    }
    // `a/b/c = 1 / 2 / 3`
    let listed: Vec<String> = between[0]
        .iter()
        .map(|word| word.split('/').map(str::to_owned).collect::<Vec<_>>())
        .find(|parts| parts.len() == figures.len() && parts.len() > 1)
        .unwrap_or_default();
    let trailing = between[0].is_empty();
    let called = (0..figures.len()).map(|at| {
        if let Some(name) = listed.get(at) {
            return name.clone();
        }
        let words = match trailing {
            true => &between[at + 1],
            false if at == 0 && figures.len() == 1 => return String::new(),
            false => &between[at],
        };
        let named = words
            .iter()
            .filter(|word| word.contains(char::is_alphabetic));
        named.copied().collect::<Vec<_>>().join(" ")
    });
    let called = distinct(called.collect());
    let plain = |c: char| matches!(c, ':' | '=' | '*' | '`' | ' ' | ',' | '-' | '|');
    Some(Apart {
        label: label.join(" ").trim_matches(plain).to_owned(),
        figures,
        called,
    })
}

/// The lines right above the row in line `first` that can name its columns, the nearest first.
fn names_over(text: &Text, first: usize) -> Vec<usize> {
    (1..first)
        .rev()
        .take(ABOVE)
        .take_while(|line| {
            let line = text.line(*line);
            !line.trim().is_empty() && row(line).is_none() && !is_prompt(line)
        })
        .filter(|line| !posted::is_ruler(&cells(text.line(*line).trim())))
        .collect()
}

/// The figures of lines of the same words on both sides, by what they are called.
fn paired<'l, 'a>(a: &'l [Line<'a>], b: &'l [Line<'a>]) -> Vec<(String, Sides<'l, 'a>)> {
    let count = a[0].figures.len();
    let column = |lines: &[Line], at: usize| -> Vec<u64> {
        let values = lines.iter().map(|line| line.figures[at].value.to_bits());
        values.collect()
    };
    let same = |at: usize| {
        let (mut own, mut other) = (column(a, at), column(b, at));
        own.sort_unstable();
        other.sort_unstable();
        own == other
    };
    let bare = |at: usize| a.iter().chain(b).all(|line| is_told(&line.figures[at]));
    let several = a.len() > 1 || b.len() > 1;
    // What is the same on both sides was not measured, where it is a number as a user gives one.
    let counted = |at: usize| COUNTS.contains(&a[0].figures[at].next);
    let told = |at: &usize| same(*at) && (bare(*at) || a.len() > FEW);
    let mut told: Vec<usize> = (0..count).filter(told).collect();
    // Beside how often it was measured stands a result: `50.0th: 1 (3556427 samples)`.
    if !several && (0..count).all(|at| told.contains(&at) || counted(at)) && (0..count).any(counted)
    {
        told.clear();
    }
    let keys: Vec<usize> = match several {
        true => keys(a, b, &same),
        false => Vec::new(),
    };
    // What it was told is a part of a line's name: `8589934592 bytes copied`.
    let said: BTreeSet<usize> = told
        .iter()
        .copied()
        .filter(|at| bare(*at))
        .chain(keys.iter().copied())
        .collect();
    let measured = (0..count).filter(|at| !told.contains(at) && !keys.contains(at));
    let measured: Vec<usize> = measured.collect();
    let mut found: BTreeMap<String, Sides> = BTreeMap::new();
    let mut add = |title: String, side: usize, line: &'l Line<'a>, at: usize| {
        found.entry(title).or_default()[side].push((line, at));
    };
    let runs = |at: usize| {
        [a, b].iter().all(|lines| {
            let values: Vec<f64> = lines.iter().map(|line| line.figures[at].value).collect();
            are_near(&values)
        })
    };
    let headings = |lines: &[Line<'a>]| -> Vec<&'a str> {
        let mut found: Vec<&str> = lines.iter().map(|line| line.above).collect();
        found.sort_unstable();
        found
    };
    let distinct: BTreeSet<&str> = a.iter().map(|line| line.above).collect();
    let names = |lines: &[Line]| -> BTreeSet<Vec<String>> {
        lines.iter().map(|line| line.called.clone()).collect()
    };
    let agreed = names(a) == names(b);
    // Lines below headings of their own are no runs of one thing, also where the other side has fewer.
    let apart = |lines: &[Line]| {
        let own: BTreeSet<&str> = lines.iter().map(|line| line.above).collect();
        own.len() == lines.len() && !own.contains("")
    };
    let shared = || b.iter().any(|line| distinct.contains(line.above));
    let by_heading = match headings(a) == headings(b) {
        true => distinct.len() == a.len(),
        false => apart(a) && apart(b) && shared(),
    };
    // A spread is no result beside others, as what stands over a column says it.
    // Of how many bytes a rate is says no more of it, and a time of more bytes is none of the same work.
    let unit = |at: usize| a[0].figures[at].unit;
    let rated = (0..count).any(|at| of_unit(unit(at)) == Some(Better::Higher));
    let unequal = (0..count).any(|at| is_bytes(unit(at)) && !same(at));
    let of_size =
        |at: usize| is_bytes(unit(at)) || unequal && of_unit(unit(at)) == Some(Better::Lower);
    // Beside a result the word is that of its own figure.
    let result = |at: &usize| {
        let mut others = (0..count).filter(|other| other != at);
        others.any(|other| !posted::is_derived(one_name(a, b, other)))
    };
    let spread = |at: &usize| {
        let name = one_name(a, b, *at);
        counted(*at)
            || (rated && of_size(*at))
            || (posted::is_derived(name) && (result(at) || !a[0].label.contains(name)))
    };
    let measured: Vec<usize> = measured.into_iter().filter(|at| !spread(at)).collect();
    let alone = measured.len() == 1;
    // Of more lines on one side it is not known which stands for which, unless they are runs of one thing in all they say.
    let repeated = measured.iter().all(|at| runs(*at));
    for at in measured {
        for (side, lines) in [a, b].into_iter().enumerate() {
            for (place, line) in lines.iter().enumerate() {
                let called = match agreed {
                    true => line.called[at].as_str(),
                    false => one_name(a, b, at),
                };
                let label = a[0].label.as_str();
                let own = title(
                    (label, line),
                    &said,
                    at,
                    if alone { None } else { Some(called) },
                );
                let own = match several && keys.is_empty() {
                    true if by_heading => format!("{} {own}", line.above),
                    true if a.len() != b.len() && !repeated => continue,
                    true if runs(at) => own,
                    true if a.len() == b.len() => format!("{own}, line {}", place + 1),
                    _ => own,
                };
                add(own.trim().to_owned(), side, line, at);
            }
        }
    }
    let both = |sides: &Sides| sides.iter().all(|side| !side.is_empty());
    found.into_iter().filter(|(_, sides)| both(sides)).collect()
}

/// Is a figure called by its place?
pub(super) fn is_placed(title: &str) -> bool {
    let words: Vec<&str> = title.split_whitespace().collect();
    // Units of several cells of one row name none of them.
    let repeated = words
        .windows(3)
        .any(|three| three[0] == three[1] && three[1] == three[2]);
    title.contains("figure ") || title.contains(", line ") || repeated
}

/// Is it a number as a user gives one: whole, with no unit but that of a size?
fn is_told(figure: &Placed) -> bool {
    figure.bare || (figure.value.fract() == 0.0 && is_bytes(figure.unit))
}

/// The same in more lines than this is no chance.
const FEW: usize = 2;

/// The figures in front that tell lines of the same words apart on both sides.
fn keys(a: &[Line], b: &[Line], same: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let count = a[0].figures.len();
    let bare = |at: usize| a.iter().chain(b).all(|line| is_told(&line.figures[at]));
    let tuples = |lines: &[Line], width: usize| -> BTreeSet<Vec<u64>> {
        let of = |line: &Line| {
            let front = line.figures[..width].iter();
            front.map(|figure| figure.value.to_bits()).collect()
        };
        lines.iter().map(of).collect()
    };
    // One column that has the same figures on both sides, each once.
    let alone = (0..count).find(|at| {
        let values = |lines: &[Line]| -> BTreeSet<u64> {
            let own = lines.iter().map(|line| line.figures[*at].value.to_bits());
            own.collect()
        };
        same(*at) && values(a).len() == a.len() && count > 1
    });
    if let Some(at) = alone {
        return vec![at];
    }
    for width in 1..count {
        if !(0..width).all(|at| bare(at) || same(at)) {
            break;
        }
        let (own, other) = (tuples(a, width), tuples(b, width));
        let apart = own.len() == a.len() && other.len() == b.len();
        let common = own.intersection(&other).count();
        if apart && common > 0 && common * 2 >= a.len().max(b.len()) {
            return (0..width).collect();
        }
    }
    Vec::new()
}

/// What the figures at `at` are called by the lines of one side, where those of the other say less or something else.
fn one_name<'l>(a: &'l [Line], b: &'l [Line], at: usize) -> &'l str {
    let mut names = a.iter().chain(b).map(|line| line.called[at].as_str());
    names.find(|name| !name.is_empty()).unwrap_or_default()
}

/// What the figure at `at` of a line is called; `called` is what tells it from the others.
fn title(
    (label, line): (&str, &Line),
    said: &BTreeSet<usize>,
    at: usize,
    called: Option<&str>,
) -> String {
    let numbers = said.iter().map(|key| {
        let figure = line.figures[*key];
        match figure.text.ends_with(figure.unit) {
            true => figure.text.to_owned(),
            false => format!("{} {}", figure.text, figure.unit),
        }
    });
    let mut parts: Vec<String> = std::iter::once(label.to_owned()).chain(numbers).collect();
    match called {
        None if !label.is_empty() => {}
        None => parts.push(line.called[at].clone()),
        Some("") => {
            let before = (0..at).filter(|at| !said.contains(at)).count();
            parts.push(format!("figure {}", before + 1));
        }
        Some(name) if label.contains(name) => parts.push(format!("({name})")),
        Some(name) => parts.push(name.to_owned()),
    }
    parts.join(" ").trim().to_owned()
}
