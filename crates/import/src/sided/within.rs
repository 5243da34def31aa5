//! The name of a side within longer words of its rows, `BenchmarkGetpidKprobeWithNoMap/getpid`.

use std::borrow::Cow;

use whyslow_model::Record;

use super::{Names, Text, blocks, common};
use crate::Fault;
use crate::ledger::line_could_be_row;

/// Shorter names stand within any word.
const LETTERS: usize = 4;

/// Fewer rows that are alike but for the name may be so by chance.
const FEWEST: usize = 2;

/// What stands in the lines that hold the name of a side, and not that of the other, without it.
pub(super) fn find(text: &Text, file: &str, names: &Names) -> Result<Option<[Record; 2]>, Fault> {
    let [a, b] = names.0.each_ref().map(|name| name.trim());
    if a.len() < LETTERS || b.len() < LETTERS {
        return Ok(None);
    }
    let place = |line: &str, name: &str| {
        let (lower, name) = (line.to_ascii_lowercase(), name.to_ascii_lowercase());
        let mut found = lower.match_indices(&name).map(|(at, _)| at);
        found.next().filter(|_| found.next().is_none())
    };
    // The lines that are of a side: where the name begins in them.
    let places = |own: &str, other: &str| -> Vec<Option<usize>> {
        let lines = text.lines().map(|(_, line)| match place(line, other) {
            Some(_) => None,
            None => place(line, own),
        });
        lines.collect()
    };
    let (in_a, in_b) = (places(a, b), places(b, a));
    let few = |places: &[Option<usize>]| places.iter().flatten().count() < FEWEST;
    if few(&in_a) || few(&in_b) {
        return Ok(None);
    }
    let of = |own: &str, places: &[Option<usize>]| -> Result<Text<'static>, Fault> {
        let lines = text
            .lines()
            .zip(places)
            .map(|((_, line), place)| match place {
                Some(at) => Cow::Owned(format!("{}{}", &line[..*at], &line[at + own.len()..])),
                None if line_could_be_row(line) => Cow::Borrowed(""),
                None => Cow::Borrowed(line),
            });
        Text::of_lines(&lines.collect::<Vec<Cow<str>>>())
    };
    let (of_a, of_b) = (of(a, &in_a)?, of(b, &in_b)?);
    let found = blocks::read(text, [&of_a, &of_b], file, names)?;
    Ok(found.filter(|[a, b]| {
        let alike = common(a, b);
        alike >= FEWEST && alike * 2 >= a.plan.points.len().max(b.plan.points.len())
    }))
}
