//! The same rows again below another heading: `Without patch`, `With patch`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Lines, MOST, are_settings, label_of, names_side, plain_name};
use crate::Text;
use crate::commands::is_prompt;
use crate::ledger::line_could_be_row;
use crate::pattern::{holds, wide_cells};

/// Most words of a heading.
const WORDS: usize = 10;

/// A heading's line, its name, and the rows below it.
struct Part {
    line: usize,
    name: String,
    labels: BTreeSet<String>,
    /// It is one of several runs of the side.
    run: bool,
}

/// What makes a line a heading, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Its words name a side.
    Words,
    /// It is drawn as one on both ends, `--- reading rows ---`.
    Rule,
    /// A colon at its end; several rows must be the same.
    Colon,
    /// It stands behind an empty line or a command; all rows must be the same.
    Place,
}

/// The sides of such a page.
pub(super) fn lines(text: &Text, by: By) -> Option<Lines<'static>> {
    let found = parts(text, by, false)?;
    // Where an empty line stands on both sides of each heading, another line that stands so is one as well, whatever its
    // words: `no turbo, min/max pct == 100%`.
    let alone = found.iter().all(|part| is_alone(text, part.line));
    let parts = match alone {
        true => parts(text, by, true).filter(|more| {
            let still = |part: &Part| more.iter().any(|other| other.line == part.line);
            more.len() > found.len() && found.iter().all(still)
        }),
        false => None,
    };
    Some(split(text, &parts.unwrap_or(found)))
}

/// Do empty lines stand above and below the line?
fn is_alone(text: &Text, line: usize) -> bool {
    let empty = |line: usize| text.line(line).trim().is_empty();
    (line == 1 || empty(line - 1)) && line < text.count() && empty(line + 1)
}

/// The name of a side in front of which of its runs stands behind it: `sync=disabled, 2nd run`, `patched (run 2)`.
fn without_run(line: &str) -> Option<&str> {
    let bare = line.trim().trim_end_matches(':');
    let bare = bare.strip_suffix(')').unwrap_or(bare);
    let (front, last) = match bare.strip_suffix(" run") {
        Some(front) => front.rsplit_once([' ', '('])?,
        None => {
            let (front, number) = bare.rsplit_once(['#', ' '])?;
            let front = front.trim_end_matches([' ', '#']).strip_suffix("run")?;
            (front, number)
        }
    };
    let digits = last.trim_end_matches(char::is_alphabetic);
    let counted = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && matches!(&last[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    let front = front.trim_end_matches([' ', ',', '(', ';', '-', ':']);
    (counted && front.chars().any(char::is_alphabetic)).then_some(front)
}

/// Is it of words that a heading may have: no row that begins with its figure, nothing typed, no sentence?
fn may_be_heading(words: &str) -> bool {
    /// More are a sentence.
    const WORDS: usize = 16;
    let bare = words.trim();
    bare.starts_with(char::is_alphabetic)
        && !bare.ends_with('.')
        && !bare.contains('|')
        && !is_prompt(bare)
        && bare.split_whitespace().count() <= WORDS
}

/// The headings with the rows below each, of two sides or more; `alone` takes all lines for headings that stand alone.
fn parts(text: &Text, by: By, alone: bool) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut begins = true;
    for (line, words) in text.lines() {
        let behind_empty = begins;
        begins = words.trim().is_empty() || is_prompt(words);
        // `Ryzen 9` over rows with bars is no row.
        let next = if line < text.count() {
            text.line(line + 1)
        } else {
            ""
        };
        let apart = next.contains('|') && !words.contains('|');
        let (bare, run) = match without_run(words) {
            Some(bare) => (bare, true),
            None => (words, false),
        };
        let is = (by != By::Place || behind_empty) && is_heading(bare, by, apart);
        if is || (alone && is_alone(text, line) && may_be_heading(words)) {
            parts.push(Part {
                line,
                name: plain_name(bare),
                labels: BTreeSet::new(),
                run,
            });
        } else if let Some(part) = parts.last_mut().filter(|_| {
            is_row(words) || by == By::Rule && words.contains(|c: char| c.is_ascii_digit())
        }) {
            part.labels.insert(label_of(words));
        }
        if parts.len() > 10 * MOST {
            return None;
        }
    }
    parts = without_repeated(parts);
    // A heading that is drawn is often the name of the one figure below it, which has none of its own.
    if by == By::Rule {
        for part in &mut parts {
            part.labels.remove("");
        }
    }
    parts.retain(|part| !part.labels.is_empty());
    let names: BTreeSet<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let first = parts.first()?;
    let fewest = match by {
        By::Words => 1,
        By::Rule | By::Colon | By::Place => 2,
    };
    let alike = |part: &Part| {
        if by == By::Place && part.labels != first.labels {
            return false;
        }
        let same = part.labels.intersection(&first.labels).count();
        let most = part.labels.len().max(first.labels.len());
        same >= fewest && same * 2 >= most
    };
    let runs = parts.iter().filter(|part| part.run).count();
    let apart = names.len() == parts.len() || (names.len() > 1 && runs == parts.len());
    if !(2..=MOST).contains(&parts.len()) || !apart || !parts.iter().all(alike) {
        return None;
    }
    Some(parts)
}

/// The page as the sides that its parts are.
fn split(text: &Text, parts: &[Part]) -> Lines<'static> {
    let of = |name: &str| {
        let places = (0..parts.len()).filter(|at| parts[*at].name == name);
        let own: Vec<std::ops::Range<usize>> = places
            .map(|at| parts[at].line..parts.get(at + 1).map_or(usize::MAX, |next| next.line))
            .collect();
        // What stands above all of them, such as the name of the test, is said to all.
        let shared = |line: usize, words: &str| line < parts[0].line && !is_row(words);
        let lines = text.lines().map(|(line, words)| {
            if own.iter().any(|own| own.start == line) && is_row(words) {
                // Marked as what it is.
                Cow::Owned(format!("## {words}"))
            } else if own.iter().any(|own| own.contains(&line)) || shared(line, words) {
                Cow::Owned(words.to_owned())
            } else {
                Cow::Borrowed("")
            }
        });
        lines.collect()
    };
    let mut names: Vec<&str> = Vec::new();
    for part in parts {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    let sides = names.into_iter();
    sides.map(|name| (name.to_owned(), of(name))).collect()
}

/// The parts without those whose heading stands in each block, as a tool prints it: their rows belong to the part above.
fn without_repeated(parts: Vec<Part>) -> Vec<Part> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for part in &parts {
        *counts.entry(part.name.clone()).or_default() += 1;
    }
    let mut kept: Vec<Part> = Vec::new();
    for part in parts {
        match kept.last_mut() {
            Some(above) if counts[&part.name] > 1 && !part.run => above.labels.extend(part.labels),
            _ => kept.push(part),
        }
    }
    kept
}

/// Is it a row, also one whose figures have their names in front of them: `AVG  Elapsed: 0.59  Copy: 169.3 MiB/s`,
/// `free(8): 0=14/21 Average=15/22`?
fn is_row(line: &str) -> bool {
    let named = |(at, _): (usize, &str)| {
        let behind = line[at + 1..].trim_start();
        let begins = behind.starts_with(|c: char| c.is_ascii_digit()) || are_settings(behind);
        begins && line[at + 1..].starts_with(char::is_whitespace)
    };
    line_could_be_row(line) || line.match_indices(':').any(named)
}

fn is_heading(line: &str, by: By, apart: bool) -> bool {
    let bare = line.trim();
    let ends = bare.ends_with(':');
    let words = bare.split_whitespace().count();
    let named = bare.chars().any(char::is_alphabetic);
    let drawn = bare.ends_with('.') || bare.starts_with(['$', '|']) || is_prompt(bare);
    if !named || words > WORDS || drawn {
        return false;
    }
    // Columns have names too, and tools print headings of their own.
    let single = wide_cells(bare).len() == 1 || bare.starts_with('#');
    let own = ["Average", "Latency", "statistics", "fairness", "Options"];
    if !single || own.iter().any(|word| holds(bare, word)) {
        return false;
    }
    // A run of several is no side.
    let run = [
        "run",
        "pass",
        "iteration",
        "benchmark",
        "round",
        "attempt",
        "try",
    ];
    let mut parts = bare.split(|c: char| !c.is_alphabetic());
    if parts.any(|w| run.iter().any(|r| r.eq_ignore_ascii_case(w))) {
        return false;
    }
    match by {
        By::Words => names_side(bare) && (ends || !is_row(bare)),
        By::Rule => is_ruled(bare),
        By::Colon => ends && !line.starts_with(' '),
        By::Place => is_place_heading(bare) && (apart || !is_row(bare)),
    }
}

/// Do the same signs stand on both ends: `--- words ---`, `=== words ===`?
fn is_ruled(bare: &str) -> bool {
    /// Fewer may be a minus or a mark of emphasis.
    const FEWEST: usize = 3;
    ['-', '=', '*', '#'].iter().any(|sign| {
        let front = bare.chars().take_while(|c| c == sign).count();
        let behind = bare.chars().rev().take_while(|c| c == sign).count();
        front >= FEWEST && behind >= FEWEST
    })
}

/// Few words that are neither a command nor what a tool prints above its rows?
fn is_place_heading(bare: &str) -> bool {
    /// Most words: more are a sentence or a command.
    const WORDS: usize = 6;
    let printed = [
        "running",
        "time",
        "summary",
        "warning",
        "measuring",
        "using",
        "system",
    ];
    let first = bare.split(|c: char| !c.is_alphanumeric()).next();
    let first = first.unwrap_or_default().to_lowercase();
    // Words that go on from a sentence begin small; a name such as `musl` may.
    let count = bare.split_whitespace().count();
    let small = bare.starts_with(char::is_alphabetic) && (bare.ends_with(':') || count <= 2);
    let begins =
        small || bare.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '#');
    begins
        && count <= WORDS
        && !printed.contains(&first.as_str())
        && !bare.contains([';', '=', '`', '{'])
        && !bare.contains("--")
        && !bare.ends_with(',')
}
