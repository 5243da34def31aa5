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
            let title = if heading.is_empty() {
                "result"
            } else {
                heading
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
        {
            heading = line.trim().trim_end_matches(':');
        }
    }
    Ok(())
}

/// The direction that the page's words say.
fn of_page(text: &Text) -> Option<whyslow_model::Better> {
    let mut said = text.lines().filter(|(_, line)| legend(line).is_none());
    said.find_map(|(_, line)| of_words(line))
}
