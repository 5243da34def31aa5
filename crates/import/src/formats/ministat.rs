//! What ministat prints: a legend of the sides, then count, least, most, median, mean and deviation of each.

use whyslow_model::text::MINISTAT_SIGNS;

use crate::commands::is_prompt;
use crate::direction::of_words;
use crate::number::plain;
use crate::posted::ROLES;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "ministat",
    what: "ministat (N, Min, Max, Median, Avg, Stddev by side)",
    repeats: "files that ministat was given",
    silent: "what was measured, beyond the words above each block, and the single values",
    roles: ROLES,
    looks,
    part: None,
    known: &[
        "Difference at",
        "No difference proven",
        "Student's t",
        "+/-",
    ],
    read,
};

fn looks(text: &Text) -> usize {
    marks(text, is_header) * 4
}

fn is_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words == ["N", "Min", "Max", "Median", "Avg", "Stddev"]
}

/// `x without_patch`
fn legend(line: &str) -> Option<(&str, &str)> {
    let (sign, name) = line.trim().split_once(' ')?;
    let named = name
        .trim()
        .starts_with(|c: char| c.is_alphabetic() || "./_".contains(c));
    (MINISTAT_SIGNS.contains(&sign) && named).then_some((sign, name.trim()))
}

/// `x  10   2491089   5834307   5398375   4244335   1596244.9`: the sign, median and mean.
fn figures(line: &str) -> Option<(&str, [f64; 2])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [sign, numbers @ ..] = words.as_slice() else {
        return None;
    };
    let numbers: Option<Vec<f64>> = numbers.iter().map(|word| plain(word)).collect();
    match numbers.as_deref() {
        Some([_, _, _, median, mean, _]) if MINISTAT_SIGNS.contains(sign) => {
            Some((sign, [*median, *mean]))
        }
        _ => None,
    }
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    let mut sides: Vec<(&str, &str)> = Vec::new();
    let (mut heading, mut named) = ("", false);
    let tests = tests(text);
    for (number, line) in text.lines() {
        if is_header(line) {
            sheet.aside(number);
            named = false;
        } else if let Some((sign, name)) = legend(line) {
            sheet.aside(number);
            if !named {
                sides.clear();
            }
            named = true;
            sides.push((sign, name));
        } else if let Some((sign, [median, mean])) = figures(line) {
            let side = sides.iter().find(|(own, _)| *own == sign);
            let side = side.map_or(sign, |(_, name)| name);
            let test = tests
                .iter()
                .find_map(|test| Some((side.strip_suffix(test)?, *test)));
            let (side, title) = match test {
                Some((side, test)) => (side, test.trim_start_matches(APART)),
                None if heading.is_empty() => (side, "result"),
                None => (side, heading),
            };
            let better = of_words(title).or_else(|| of_page(text));
            let better = better.unwrap_or(whyslow_model::Better::Unsaid);
            for (what, value) in [("", mean), (" (median)", median)] {
                let row = Row::new("columns", &format!("{title}{what}"), "", better);
                sheet.add(side, row, value, number)?;
            }
        } else if line.chars().any(char::is_alphabetic)
            && !line.trim().starts_with('|')
            && !is_prompt(line)
            && !READER.known.iter().any(|said| line.contains(said))
        {
            heading = line.trim().trim_end_matches(':');
        }
    }
    Ok(())
}

/// What parts the side from the test in the name of a file.
const APART: [char; 3] = ['.', '_', '-'];

/// The ends that the files of each block have in common, where several blocks have files of the same sides: `.inet4` and `.inet6`
/// of `off.inet4`, `on.inet4`, `off.inet6` and `on.inet6`.
fn tests<'t>(text: &'t Text) -> Vec<&'t str> {
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    for (_, line) in text.lines() {
        match (legend(line), blocks.last_mut()) {
            (Some((_, name)), Some(block)) => block.push(name),
            (None, Some(block)) if is_header(line) && !block.is_empty() => blocks.push(Vec::new()),
            _ => {}
        }
    }
    blocks.retain(|block| !block.is_empty());
    let end = |block: &[&'t str]| -> Option<&'t str> {
        let (first, rest) = block.split_first()?;
        let mut ends = first.match_indices(APART).map(|(at, _)| &first[at..]);
        ends.find(|end| {
            !rest.is_empty()
                && rest
                    .iter()
                    .all(|name| name.len() > end.len() && name.ends_with(end))
        })
    };
    let ends: Option<Vec<&str>> = blocks.iter().map(|block| end(block)).collect();
    let Some(ends) = ends.filter(|ends| ends.len() > 1) else {
        return Vec::new();
    };
    let fronts = |at: usize| -> Vec<&str> {
        let names = blocks[at].iter();
        names
            .map(|name| &name[..name.len() - ends[at].len()])
            .collect()
    };
    let same = (1..blocks.len()).all(|at| fronts(at) == fronts(0));
    let distinct: std::collections::BTreeSet<&&str> = ends.iter().collect();
    if same && distinct.len() == ends.len() {
        ends
    } else {
        Vec::new()
    }
}

/// The direction that the page's words say.
fn of_page(text: &Text) -> Option<whyslow_model::Better> {
    let mut said = text.lines().filter(|(_, line)| legend(line).is_none());
    said.find_map(|(_, line)| of_words(line))
}
