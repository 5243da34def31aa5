//! Pages that hold two sides or more in any tool's layout: a diff, two figures a row, rows beside each other, rows with
//! the side's name in front, headings that name the side. Each side becomes a text of its own, with the same line
//! numbers, which its format then reads as if it had been alone.

mod beside;
mod headings;
mod prefixes;

use std::borrow::Cow;

use headings::By;

use crate::aligned;
use crate::ledger::line_could_be_row;
use crate::number::grouped;
use crate::{Fault, Text};

/// More sides are no comparison.
pub(crate) const MOST: usize = 12;

/// Larger inputs are logs and not pages put together by hand, lines.
const MOST_LINES: usize = 20_000;

/// One side of a page.
pub(crate) struct Side {
    /// What the page calls it.
    pub(crate) name: String,
    pub(crate) text: Text<'static>,
}

impl Side {
    /// The lines that are its name, which are no rows: `With bandwidth 500000:`.
    pub(crate) fn headings(&self) -> impl Iterator<Item = usize> {
        let named = self.text.lines();
        let named = named.filter(|(_, line)| !line.is_empty() && plain_name(line) == self.name);
        named.map(|(line, _)| line)
    }
}

/// The lines of each side, empty where a line is not of it.
type Lines<'a> = Vec<(String, Vec<Cow<'a, str>>)>;

/// The sides of a page in every way in which it can be seen as one of several, the surest first.
pub(crate) fn sides(text: &Text) -> Result<Vec<Vec<Side>>, Fault> {
    if text.count() > MOST_LINES {
        return Ok(Vec::new());
    }
    let ways = [
        diff(text),
        pairs(text),
        beside::lines(text),
        prefixes::lines(text),
        headings::lines(text, By::Words),
        headings::lines(text, By::Rule),
        headings::lines(text, By::Colon),
        headings::lines(text, By::Place),
    ];
    let made = ways.into_iter().flatten().map(|way| {
        let sides = way.into_iter().map(|(name, lines)| {
            let text = Text::of_lines(&lines)?;
            Ok(Side { name, text })
        });
        sides.collect()
    });
    made.collect()
}

/// Lines of a diff: `< ` of the first file, `> ` of the second; or `-` and `+` below a hunk's `@@`, where those in both
/// begin with a space.
fn diff(text: &Text) -> Option<Lines<'static>> {
    unified(text).or_else(|| plain_diff(text))
}

/// The two files of a unified diff, called by its signs.
fn unified(text: &Text) -> Option<Lines<'static>> {
    let quoted = |number: usize| text.quoted(number);
    (1..=text.count()).find(|number| quoted(*number).starts_with("@@ -"))?;
    let of = |own: char| -> Vec<Cow<'static, str>> {
        let lines = (1..=text.count()).map(|number| {
            let line = quoted(number);
            let of_diff = ["diff ", "index ", "--- ", "+++ ", "@@ "];
            let mut signs = line.chars();
            match signs.next() {
                Some(sign) if sign == own && !of_diff.iter().any(|of| line.starts_with(of)) => {
                    Cow::Owned(signs.as_str().to_owned())
                }
                Some(' ') => Cow::Owned(signs.as_str().to_owned()),
                _ => Cow::Borrowed(""),
            }
        });
        lines.collect()
    };
    let (old, new) = (of('-'), of('+'));
    let changed = |own: char| {
        let lines = (1..=text.count()).map(quoted);
        lines
            .filter(|line| line.starts_with(own) && line_could_be_row(&line[1..]))
            .count()
    };
    (changed('-') > 0 && changed('+') > 0)
        .then(|| vec![("lines with -".into(), old), ("lines with +".into(), new)])
}

/// The two files as `diff` prints them without options.
fn plain_diff(text: &Text) -> Option<Lines<'static>> {
    let of = |mark: &str| -> Vec<Cow<'static, str>> {
        let lines = (1..=text.count()).map(|number| {
            let line = text.quoted(number);
            let own = line.strip_prefix(mark);
            own.or_else(|| line.strip_prefix(' ')?.strip_prefix(mark))
                .map_or(Cow::Borrowed(""), |rest| Cow::Owned(rest.to_owned()))
        });
        lines.collect()
    };
    let (old, new) = (of("< "), of("> "));
    let rows = |lines: &[Cow<str>]| lines.iter().filter(|l| line_could_be_row(l)).count();
    (rows(&old) >= 2 && rows(&new) >= 2)
        .then(|| vec![("lines with <".into(), old), ("lines with >".into(), new)])
}

/// Rows with two figures and a stroke or an arrow between them: `Simple read: 1.2071 / 0.7270 microseconds`.
fn pairs(text: &Text) -> Option<Lines<'static>> {
    let rows = text
        .lines()
        .filter(|(_, line)| line_could_be_row(line) || pair(line).is_some());
    if text.lines().any(|(_, line)| names_pair(line)) {
        return None;
    }
    let paired: Vec<Pair> = text.lines().filter_map(|(_, line)| pair(line)).collect();
    // All rows but a few; and several, where it is a stroke, which may stand for many things.
    let fewest = if paired.iter().all(|pair| pair.arrow) {
        1
    } else {
        3
    };
    if paired.len() < fewest || paired.len() * 10 < rows.count() * 8 {
        return None;
    }
    let named = named_pair(text);
    let of = |second: bool| {
        let lines = text.lines().map(|(number, line)| {
            Cow::Owned(match pair(line) {
                _ if named.is_some_and(|(header, _)| header == number) => String::new(),
                Some(pair) if second => format!("{}{}{}", pair.front, pair.second, pair.behind),
                Some(pair) => format!("{}{}{}", pair.front, pair.first, pair.behind_first),
                None => line.to_owned(),
            })
        });
        lines.collect()
    };
    let [first, second] = named.map_or(["first of each pair", "second of each pair"], |(_, n)| n);
    Some(vec![(first.into(), of(false)), (second.into(), of(true))])
}

/// The line of words above the first pair that has a name over each of its figures, and these names.
fn named_pair<'a>(text: &'a Text<'_>) -> Option<(usize, [&'a str; 2])> {
    /// Lines above the pairs among which it is looked for.
    const ABOVE: usize = 3;
    let (first, line) = text.lines().find(|(_, line)| pair(line).is_some())?;
    let figures = pair(line).map(|pair| [pair.first, pair.second])?;
    let above = (first.saturating_sub(ABOVE).max(1)..first).rev();
    above
        .filter(|number| text.line(*number).chars().any(char::is_alphabetic))
        .find_map(
            |number| match aligned::over(text.line(number), line, &figures)?[..] {
                [first, second] if first != second => Some((number, [first, second])),
                _ => None,
            },
        )
}

/// Does the line name the two figures of each pair, `block size : single read / dual read`? Then they are two quantities,
/// unless the names are those of sides.
fn names_pair(line: &str) -> bool {
    let Some((left, right)) = line.split_once(" / ") else {
        return false;
    };
    let left = left.rsplit([':', '|', '(']).next().unwrap_or(left);
    let right = right.split([',', '[', '|', ')']).next().unwrap_or(right);
    let named = |name: &str| {
        let words = name.split_whitespace().count();
        let letters = |c: char| c.is_alphabetic() || "_- ".contains(c);
        (1..=4).contains(&words) && name.chars().all(letters) && !names_side(name)
    };
    let unit = |name: &str| crate::direction::of_unit(name.trim()).is_some();
    named(left) && named(right) && !unit(left) && !unit(right)
}

/// A line with two figures for one row.
struct Pair<'a> {
    front: &'a str,
    first: &'a str,
    second: &'a str,
    /// What stands behind the first, and behind the second: without a unit that is the second's alone.
    behind_first: &'a str,
    behind: &'a str,
    arrow: bool,
}

/// A line in parts, where it has such a pair.
fn pair(line: &str) -> Option<Pair<'_>> {
    let signs = [" / ", " -> ", " --> ", " => ", " → ", " ==> "];
    let (sign, (left, right)) = signs
        .iter()
        .find_map(|sign| Some((*sign, line.split_once(sign)?)))?;
    // `./saturate 0 32 -> 224mS`: what was started, and how long it took.
    if right.contains(sign) || line.trim_start().starts_with("./") {
        return None;
    }
    let left = without_spread(left.trim_end());
    let word =
        |text: &str| text.len() - text.rsplit(char::is_whitespace).next().map_or(0, str::len);
    let mut start = word(left);
    // The unit may stand behind both.
    let is = |text: &str| grouped(text.split_whitespace().next().unwrap_or_default()).is_some();
    if !is(&left[start..]) && crate::direction::of_unit(&left[start..]).is_some() {
        start = word(left[..start].trim_end());
    }
    let right = right.trim_start();
    let end = right.find(char::is_whitespace).unwrap_or(right.len());
    let (first, second) = (&left[start..], &right[..end]);
    let plain = crate::amount::cell(first);
    let same = matches!(plain, crate::amount::Cell::Amount(..))
        && matches!(crate::amount::cell(second), crate::amount::Cell::Amount(..));
    // What the first says of its unit the second says too, or has another of its own.
    let behind = &right[end..];
    let parted = first.split_once(char::is_whitespace).filter(|_| is(first));
    let (first, behind_first) = match parted {
        Some((digits, unit)) => match own_unit(behind) {
            Some((own, rest)) if own != unit.trim() => (first, rest),
            _ => (digits, behind),
        },
        None => (first, behind),
    };
    let arrow = sign != " / ";
    let certain = arrow || (grouped(first).is_some() && grouped(second).is_some());
    (same && certain && start > 0).then_some(Pair {
        front: &line[..start],
        first,
        second,
        behind_first,
        behind,
        arrow,
    })
}

/// The unit that a text begins with, and the rest.
fn own_unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find([' ', ':', ',']).unwrap_or(text.len());
    let (unit, rest) = text.split_at(end);
    crate::direction::of_unit(unit).map(|_| (unit, rest))
}

/// A figure without the spread behind it, `183 ms +- 4 ms`.
fn without_spread(text: &str) -> &str {
    let sign = [" +- ", " ± ", " +/- "]
        .iter()
        .find_map(|sign| text.rsplit_once(sign));
    let amount = |text: &str| matches!(crate::amount::cell(text), crate::amount::Cell::Amount(..));
    match sign {
        Some((front, spread)) if amount(spread) => front.trim_end(),
        _ => text,
    }
}

/// Words that tell one side of a comparison from the other.
const SIDE_WORDS: &[&str] = &[
    "before",
    "after",
    "with",
    "without",
    "w",
    "wo",
    "patched",
    "unpatched",
    "vanilla",
    "base",
    "baseline",
    "optimized",
    "tuned",
    "old",
    "new",
    "mainline",
    "stock",
    "original",
    "patch",
    "disabled",
    "enabled",
    "off",
    "on",
    "host",
    "guest",
    "native",
    "default",
    "unmodified",
    "modified",
];

/// Does the text name a side?
pub(crate) fn names_side(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        SIDE_WORDS
            .iter()
            .any(|side| side.eq_ignore_ascii_case(word))
    })
}

/// Is all of the text names that a figure sticks to, `0=14 Average=15`? With figures behind them they are keys.
fn are_settings(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    let setting = |word: &str| {
        word.split_once('=').is_some_and(|(name, figure)| {
            !name.is_empty() && figure.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    words.peek().is_some() && words.all(setting)
}

/// The name of a row: its words up to the first figure, in lower case.
pub(crate) fn label_of(line: &str) -> String {
    let settled = line
        .match_indices(": ")
        .find(|(at, _)| are_settings(&line[at + 1..]));
    let line = settled.map_or(line, |(at, _)| &line[..at]);
    let words = line.split_whitespace().take_while(|word| {
        let word = word.trim_matches(['(', ')', '*', '|', ',', '~', '=']);
        !word.starts_with(|c: char| c.is_ascii_digit())
    });
    let plain = |word: &str| -> String { word.chars().filter(|c| c.is_alphanumeric()).collect() };
    let words: Vec<String> = words
        .map(|w| plain(w).to_lowercase())
        .filter(|w| !w.is_empty())
        .collect();
    words.join(" ")
}

/// A heading without what draws it.
pub(crate) fn plain_name(heading: &str) -> String {
    let name = heading.trim();
    let name = name.trim_start_matches(['#', '=', '*', '-', '+', '~', '[', ' ']);
    // `1) before this patch`
    let name = match name.split_once(['.', ')']) {
        Some((count, rest))
            if !count.is_empty()
                && count.len() < 3
                && count.bytes().all(|b| b.is_ascii_digit())
                && rest.starts_with(' ') =>
        {
            rest
        }
        _ => name,
    };
    name.trim_matches([':', '=', '*', '-', '~', ' ', ']'])
        .to_owned()
}
