//! A script's list of runs in brackets and its score, `[0.089, 0.148]` and `Score:   avg - 0.1385, std - 12.01%`.

use whyslow_model::Better;

use crate::direction::of_page;
use crate::number::plain;
use crate::pattern::after;
use crate::reader::marks;
use crate::{Fault, Reader, Row, Sheet, Text};

pub(crate) const READER: Reader = Reader {
    name: "score-list",
    what: "a list of runs in brackets with its score (Score: avg - 0.1385, std - 12.01%)",
    repeats: "runs",
    silent: "what was measured, or on which machine",
    roles: &[],
    looks,
    part: Some(|line| score(line).is_some() || list(line).is_some()),
    known: &[],
    read,
};

/// A list alone is anybody's; the score is not.
fn looks(text: &Text) -> usize {
    marks(text, |line| score(line).is_some()) * 2
}

/// `Score:   avg - 0.1385, std - 12.01%` as its mean.
fn score(line: &str) -> Option<f64> {
    let rest = after(after(line, "Score:")?, "avg - ")?;
    let (mean, spread) = rest.split_once(',')?;
    after(spread, "std - ")?;
    plain(mean.trim())
}

/// `[0.089, 0.148, 0.147]`
fn list(line: &str) -> Option<Vec<f64>> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let values: Option<Vec<f64>> = inner.split(',').map(|word| plain(word.trim())).collect();
    values.filter(|values| values.len() > 1)
}

fn read(text: &Text, sheet: &mut Sheet) -> Result<(), Fault> {
    // A score may be of a time as well as of a rate.
    let better = of_page(&text.only(|line| score(text.line(line)).is_none()));
    let row = |name: &str| Row::new("score_list", name, "", better.unwrap_or(Better::Unsaid));
    let mut rounds = 0;
    for (number, line) in text.lines() {
        let (values, mean) = (list(line), score(line));
        if values.is_none() && mean.is_none() {
            continue;
        }
        // All in one line are runs of one thing.
        for value in values.unwrap_or_default() {
            rounds += 1;
            sheet.add_once("", row("Score, runs"), value, number, rounds)?;
        }
        if let Some(mean) = mean {
            sheet.add("", row("Score: avg"), mean, number)?;
        }
    }
    Ok(())
}
