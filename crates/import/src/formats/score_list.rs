//! A script's list of runs in brackets and its score, `[0.089, 0.148]` and `Score:   avg - 0.1385, std - 12.01%`.

use whyslow_model::Better;

use crate::number::plain;
use crate::pattern::after;
use crate::posted::assumed;
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
    let all: Vec<f64> = {
        let lines = text.lines();
        let of = |line| list(line).or_else(|| score(line).map(|mean| vec![mean]));
        lines.filter_map(|(_, line)| of(line)).flatten().collect()
    };
    let direction = assumed::of(&all);
    let row = |name: &str, better: Better| Row::new("score_list", name, "", better);
    let mut rounds = 0;
    for (number, line) in text.lines() {
        let (values, mean) = (list(line), score(line));
        if values.is_none() && mean.is_none() {
            continue;
        }
        let Some((better, why)) = direction else {
            sheet.refuse(
                number,
                "which direction is good is not said; use the format table with `# better: higher`",
            );
            continue;
        };
        // All in one line are runs of one thing.
        for value in values.unwrap_or_default() {
            rounds += 1;
            sheet.add_once("", row("Score, runs", better), value, number, rounds)?;
        }
        if let Some(mean) = mean {
            sheet.add("", row("Score: avg", better), mean, number)?;
        }
        sheet.note(assumed::ABOUT, why);
    }
    Ok(())
}
