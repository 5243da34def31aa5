//! Two figures in each cell with a sign between them, of which the header says whose they are, `Sys before / after`, or the
//! arrow: what it comes from was before.

use std::borrow::Cow;
use std::collections::BTreeSet;

use whyslow_model::Record;
use whyslow_model::text::words;

use super::{Names, Text, amount, blocks, cells};
use crate::Fault;
use crate::amount::{Cell, cell};
use crate::number::grouped;

/// What stands between the two.
const SIGNS: [&str; 6] = ["/", "->", "-->", "=>", "==>", "→"];

/// Words of the side that an arrow comes from.
const BEFORE: &[&str] = &[
    "before",
    "old",
    "base",
    "baseline",
    "vanilla",
    "orig",
    "original",
    "without",
    "unpatched",
    "mainline",
    "stock",
    "default",
    "off",
];

/// Words of the side that an arrow goes to.
const AFTER: &[&str] = &[
    "after",
    "new",
    "patched",
    "with",
    "optimized",
    "tuned",
    "on",
    "modified",
];

/// The sides of such a page.
pub(super) fn find(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    let header = text.lines().find_map(|(_, line)| named(line, names));
    let arrows = || {
        let lines = text.lines().map(|(_, line)| line);
        let mut pairs = lines.filter(|line| of_place(line, 0).is_some());
        let mut all = pairs.clone().count() > 0;
        all &= pairs.all(|line| !has_sign(line, |sign| sign == "/"));
        all.then(|| by_words(names)).flatten()
    };
    let Some([a, b]) = header.map(|(order, _)| order).or_else(arrows) else {
        return Ok(None);
    };
    // Where the pairs have spaces, a stroke without them is within a name.
    let spaced = text.lines().any(|(_, line)| of_place(line, 0).is_some());
    let of = |place: usize| {
        let part = |line: &str| match spaced {
            true => of_place(line, place),
            false => of_tight_place(line, place),
        };
        // What stands in cells below one another, without pairs, are the numbers that their columns were measured at.
        let counts: BTreeSet<usize> = text
            .lines()
            .filter_map(|(_, line)| Some(numbers(&part(line)?).1.len()))
            .collect();
        let lines = text
            .lines()
            .map(|(_, line)| match (named(line, names), part(line)) {
                (Some((_, bare)), _) => Cow::Owned(bare),
                (None, Some(own)) => Cow::Owned(own),
                (None, None) => steps(line, &counts).map_or(Cow::Borrowed(line), Cow::Owned),
            });
        Text::of_lines(&lines.collect::<Vec<_>>())
    };
    blocks::read(text, [&of(a)?, &of(b)?], file, names)
}

/// The words in front of a line's last words that are figures, and these.
fn numbers(line: &str) -> (&str, Vec<&str>) {
    let mut front = line.trim_end();
    let mut found = Vec::new();
    loop {
        let last = front.rsplit(char::is_whitespace).next().unwrap_or_default();
        if grouped(last).is_none() {
            break;
        }
        found.push(last);
        front = front[..front.len() - last.len()].trim_end();
    }
    found.reverse();
    (front, found)
}

/// A line of growing whole numbers, as many as rows of pairs have, as the names of their columns: `SPD index : 2  10  100`.
fn steps(line: &str, counts: &BTreeSet<usize>) -> Option<String> {
    /// Two may be a row of both sides.
    const FEWEST: usize = 3;
    let (label, steps) = numbers(line);
    let whole: Option<Vec<u64>> = steps.iter().map(|text| text.parse().ok()).collect();
    let whole = whole.filter(|whole| whole.len() >= FEWEST && counts.contains(&whole.len()))?;
    let label = label.trim().trim_end_matches([':', '=', ' ']);
    let words = label.starts_with(char::is_alphabetic) && cells(label).len() == 1;
    let grows = whole.windows(2).all(|pair| pair[0] < pair[1]);
    let columns = steps.iter().map(|step| format!("   {label} {step}"));
    (words && grows).then(|| format!("case{}", columns.collect::<String>()))
}

/// The places of the two by words that say which was first.
fn by_words(names: &Names) -> Option<[usize; 2]> {
    let [a, b] = names.0.each_ref().map(|name| {
        let own = words(name);
        let has = |list: &[&str]| own.iter().any(|word| list.contains(&word.as_str()));
        (has(BEFORE), has(AFTER))
    });
    match (a, b) {
        ((true, false), (false, true)) => Some([0, 1]),
        ((false, true), (true, false)) => Some([1, 0]),
        _ => None,
    }
}

/// A line with one space on each side of signs that stand alone.
fn tightened(line: &str) -> String {
    let mut out = line.trim_end().to_owned();
    for sign in SIGNS {
        let mut done = String::new();
        let mut rest = out.as_str();
        while let Some(at) = rest.find(sign) {
            let (front, behind) = (&rest[..at], &rest[at + sign.len()..]);
            let alone = front.ends_with(char::is_whitespace) && behind.starts_with(' ');
            match alone {
                true => {
                    done += front.trim_end();
                    done += " ";
                    done += sign;
                    done += " ";
                    rest = behind.trim_start();
                }
                false => {
                    done += &rest[..at + sign.len()];
                    rest = behind;
                }
            }
        }
        done += rest;
        out = done;
    }
    out
}

fn has_sign(line: &str, is: impl Fn(&str) -> bool) -> bool {
    line.split_whitespace()
        .any(|word| SIGNS.contains(&word) && is(word))
}

/// The order in which a header names the two, and the header without them, where it does.
fn named(line: &str, names: &Names) -> Option<([usize; 2], String)> {
    let line = tightened(line);
    let lower = line.to_lowercase();
    let [a, b] = names.0.each_ref().map(|name| name.trim().to_lowercase());
    // Lower case may be of another length.
    if a.is_empty() || b.is_empty() || lower.len() != line.len() {
        return None;
    }
    SIGNS.iter().find_map(|sign| {
        let orders = [([0, 1], [&a, &b]), ([1, 0], [&b, &a])];
        orders.into_iter().find_map(|(order, [first, second])| {
            [
                format!("{first} {sign} {second}"),
                format!("{first}{sign}{second}"),
            ]
            .iter()
            .find(|both| lower.contains(both.as_str()))
            .map(|both| {
                let mut bare = String::new();
                let mut from = 0;
                for (at, _) in lower.match_indices(both.as_str()) {
                    bare += &line[from..at];
                    // What has no other name is called by its place alone.
                    let before = bare.trim_end();
                    if before.is_empty() || before.ends_with('|') || bare.ends_with("  ") {
                        bare += "value";
                    }
                    from = at + both.len();
                }
                (order, bare + &line[from..])
            })
        })
    })
}

/// The line with the figure in that place of each cell that has two; none where no cell has.
fn of_place(line: &str, place: usize) -> Option<String> {
    replaced(line, |text| of_cell(text, place))
}

/// The same of a line whose pairs have no spaces around their strokes.
pub(super) fn of_tight_place(line: &str, place: usize) -> Option<String> {
    replaced(line, |text| of_tight_cell(text, place))
}

/// The line with what `of` makes of each cell that it takes apart; none where it takes none.
fn replaced(line: &str, of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let line = tightened(line);
    let own = cells(&line);
    let mut pairs: Vec<Option<String>> = own.iter().map(|text| of(text)).collect();
    // `6 / 192M | 9686 / 9472`: what a row is called has figures of its own, those in front of a colon.
    if own.len() > 1 && pairs.iter().skip(1).any(Option::is_some) {
        pairs[0] = own[0]
            .rsplit_once(": ")
            .and_then(|(label, behind)| Some(format!("{label}: {}", of(behind)?)));
    }
    let mut out = String::new();
    let mut from = 0;
    let mut any = false;
    for (text, pair) in own.iter().zip(&pairs) {
        let Some(pair) = pair else {
            continue;
        };
        let start = (text.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
        out += line.get(from..start)?;
        out += pair;
        from = start + text.len();
        any = true;
    }
    out += line.get(from..)?;
    any.then_some(out)
}

/// The figures in that place of a cell whose pairs have no space around the stroke, `300/290`, `178.31/164.15 (-8.63%)`, with
/// the words in front of them and the unit behind.
pub(super) fn of_tight_cell(text: &str, place: usize) -> Option<String> {
    let pair = |word: &str| -> Option<String> {
        let parts: Vec<&str> = word.trim_end_matches([',', ';']).split('/').collect();
        let [first, second] = parts[..] else {
            return None;
        };
        let digit = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
        let (of_first, of_second) = (amount(first)?, amount(second)?);
        if !digit(first) || !digit(second) {
            return None;
        }
        let (mine, unit, other) = match place {
            0 => (first, of_first.1, of_second.1),
            _ => (second, of_second.1, of_first.1),
        };
        Some(match unit {
            "" => format!("{mine} {other}").trim_end().to_owned(),
            _ => mine.to_owned(),
        })
    };
    let mut out: Vec<Cow<str>> = Vec::new();
    let mut any = false;
    for word in text.split_whitespace() {
        match pair(word) {
            Some(own) => {
                any = true;
                out.push(Cow::Owned(own));
            }
            // What follows from the two is none of one.
            None if any && cell(word) == Cell::Change => {}
            None => out.push(Cow::Borrowed(word)),
        }
    }
    any.then(|| out.join(" "))
}

/// The figure in that place of a cell such as `2130 / 2096 -1.59%`, with the words in front of it, and with the unit of the
/// other where it has none itself.
fn of_cell(text: &str, place: usize) -> Option<String> {
    let at = SIGNS.iter().find_map(|sign| {
        let spaced = format!(" {sign} ");
        let (front, behind) = text.split_once(spaced.as_str())?;
        (!SIGNS
            .iter()
            .any(|sign| behind.contains(&format!(" {sign} "))))
        .then_some((front, behind))
    });
    let (front, behind) = at?;
    let (start, first) = last_figure(front)?;
    let second = first_figure(behind)?;
    let (mine, other) = if place == 0 {
        (first, second)
    } else {
        (second, first)
    };
    let (_, unit) = amount(mine)?;
    let (_, unit_of_other) = amount(other)?;
    let unit = match unit {
        "" if !unit_of_other.is_empty() => format!(" {unit_of_other}"),
        _ => String::new(),
    };
    Some(format!("{}{mine}{unit}", &front[..start]))
}

/// The longest end of a text that is a figure with its unit, and where it begins.
fn last_figure(text: &str) -> Option<(usize, &str)> {
    let at = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let starts: Vec<usize> = text.split_whitespace().map(at).collect();
    let found = starts.into_iter().find(|at| {
        let digit = text[*at..].starts_with(|c: char| c.is_ascii_digit());
        digit && matches!(cell(&text[*at..]), Cell::Amount(..))
    })?;
    Some((found, text[found..].trim_end()))
}

/// The figure with its unit that a text begins with.
fn first_figure(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let ends = text
        .match_indices(char::is_whitespace)
        .map(|(at, _)| at)
        .chain([text.len()]);
    let parts = ends.map(|end| text[..end].trim_end_matches([',', ';', ':']));
    // The number, and the unit that stands apart from it.
    let mut fitting = parts.take(2).filter(|part| amount(part).is_some());
    let first = fitting.next()?;
    Some(fitting.next().unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_in_cells() {
        let shown = |line: &str, place| of_place(line, place).unwrap_or_default();
        assert_eq!(
            shown(
                "  6  / 192M | 9686 / 9472  -2.21% | 2130  / 2096   -1.59%",
                1
            ),
            "  6 / 192M | 9472  | 2096 "
        );
        assert_eq!(shown("real:   100.2s  /  95.1s", 0), "real:   100.2s");
        assert_eq!(
            shown("- fork: 123.4 us -> 110.2 us (-10.7%)", 1),
            "- fork: 110.2 us"
        );
        assert_eq!(shown("fork: 123 -> 110 us", 0), "fork: 123 us");
        assert_eq!(shown("a/b  1.5  2.5", 0), "");
    }

    #[test]
    fn pairs_without_spaces() {
        let shown = |line: &str, place| of_tight_place(line, place).unwrap_or_default();
        assert_eq!(
            shown(
                "clients-1   178.31/164.15   ( -8.63%)   204.12/186.17   ( -9.64%)",
                1
            ),
            "clients-1   164.15   ( -8.63%)   186.17   ( -9.64%)"
        );
        assert_eq!(
            shown("TX2 : 300/290    8.5/290 Mbps", 0),
            "TX2 : 300    8.5 Mbps"
        );
        assert_eq!(shown("time  12s/11s +8%", 1), "time  11s");
        assert_eq!(shown("a/b  kB/s  12/a", 1), "");
        let columns = |line: &str| steps(line, &BTreeSet::from([3])).unwrap_or_default();
        assert_eq!(
            columns("Policy index    : 2     10    100"),
            "case   Policy index 2   Policy index 10   Policy index 100"
        );
        assert_eq!(columns("Policy index    : 2     10"), "");
        assert_eq!(columns("result    20     10    100"), "");
    }

    #[test]
    fn headers_that_name_both() {
        let names = Names(["before".to_owned(), "after".to_owned()]);
        let found = named(
            " -j / Mem  | Sys before / after  | Real before / after",
            &names,
        );
        assert_eq!(
            found,
            Some(([0, 1], " -j / Mem  | Sys   | Real ".to_owned()))
        );
        let turned = Names(["new".to_owned(), "old".to_owned()]);
        assert_eq!(
            named("case    old / new", &turned).map(|(order, _)| order),
            Some([1, 0])
        );
    }
}
