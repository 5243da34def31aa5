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
    let of = |own: &str, other: &str| -> Result<(Text<'static>, usize), Fault> {
        let mut count = 0;
        let lines = text
            .lines()
            .map(|(_, line)| match (place(line, own), place(line, other)) {
                (Some(at), None) => {
                    count += 1;
                    Cow::Owned(format!("{}{}", &line[..at], &line[at + own.len()..]))
                }
                (None, None) if !line_could_be_row(line) => Cow::Borrowed(line),
                _ => Cow::Borrowed(""),
            });
        let lines: Vec<Cow<str>> = lines.collect();
        Ok((Text::of_lines(&lines)?, count))
    };
    let ((of_a, in_a), (of_b, in_b)) = (of(a, b)?, of(b, a)?);
    if in_a < FEWEST || in_b < FEWEST {
        return Ok(None);
    }
    let found = blocks::read(text, [&of_a, &of_b], file, names)?;
    Ok(found.filter(|[a, b]| {
        let alike = common(a, b);
        alike >= FEWEST && alike * 2 >= a.plan.points.len().max(b.plan.points.len())
    }))
}
