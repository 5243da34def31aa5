//! Parts that are rows: those of a matrix, and those whose labels have a name in them.

use std::collections::BTreeSet;

use whyslow_model::record::Planned;
use whyslow_model::text::words;
use whyslow_model::{Point, Record};

use crate::names::family;

/// A row or a column of a matrix, `column 0`, of which each point is between two.
pub(super) fn edge(record: &Record, part: &str) -> Option<Record> {
    let named = words(part);
    let [what, at] = &named[..] else { return None };
    let name = match what.as_str() {
        "row" | "from" => "from",
        "column" | "to" => "to",
        _ => return None,
    };
    super::part(record, name, at).ok()
}

/// The rows whose label has `text` in it, `Bench.old` of `SomeBench.old`, as one record whose points are called after the
/// rest of the label; none where that is none of them, or all.
pub(super) fn labelled(record: &Record, text: &str) -> Option<Record> {
    let text = text.trim().trim_end_matches(':');
    // `-2` of `Name-2` and `Other-2`: how many CPUs Go gave a benchmark.
    let suffix = text.strip_prefix(['-', '/', '@']);
    let suffix = suffix.is_some_and(|digits| digits.parse::<u32>().is_ok());
    if !suffix && !text.chars().any(char::is_alphabetic) {
        return None;
    }
    let begins = text.starts_with(char::is_uppercase);
    let rest = |planned: &Planned| -> Option<String> {
        let title = planned.title.as_deref()?;
        let is = |at: usize| {
            let before = title[..at].chars().next_back();
            let behind = title[at + text.len()..].chars().next();
            let ends = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            // `_avx2` begins with what parts it from the name in front.
            let parted = !text.starts_with(char::is_alphanumeric);
            // A name of several words in one begins each with a capital.
            let camel = begins && before.is_some_and(char::is_lowercase);
            let goes_on = |c: Option<char>| {
                begins && text.ends_with(char::is_lowercase) && c.is_some_and(char::is_uppercase)
            };
            match suffix {
                true => before.is_some() && behind.is_none(),
                false => (ends(before) || parted || camel) && (ends(behind) || goes_on(behind)),
            }
        };
        let (at, _) = title.match_indices(text).find(|(at, _)| is(*at))?;
        let sides = [&title[..at], &title[at + text.len()..]];
        let kept = sides.map(|side| side.trim_matches(|c: char| !c.is_alphanumeric()));
        Some(kept.join(" ").trim().to_owned())
    };
    let renamed: Vec<(&Point, Planned)> = record
        .plan
        .points
        .iter()
        .filter_map(|planned| {
            let rest = rest(planned)?;
            let rest = if rest.is_empty() {
                "result".to_owned()
            } else {
                rest
            };
            let mut own = planned.clone();
            own.point.probe = format!("{}.{}", family(&planned.point), words(&rest).join("_"));
            own.title = Some(rest);
            Some((&planned.point, own))
        })
        .collect();
    let distinct: BTreeSet<&Point> = renamed.iter().map(|(_, own)| &own.point).collect();
    let some = !renamed.is_empty() && renamed.len() < record.plan.points.len();
    if !some || distinct.len() != renamed.len() {
        return None;
    }
    let mut made = record.clone();
    let to = |point: &Point| {
        let found = renamed.iter().find(|(from, _)| *from == point);
        found.map(|(_, own)| own.point.clone())
    };
    made.processes = record
        .processes
        .iter()
        .filter_map(|process| {
            let mut own = process.clone();
            own.point = to(&process.point)?;
            Some(own)
        })
        .collect();
    made.plan.points = renamed.into_iter().map(|(_, own)| own).collect();
    if let Some(origin) = &mut made.origin {
        text.clone_into(&mut origin.system);
    }
    Some(made)
}
