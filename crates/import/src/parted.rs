//! The same row below headings of its own is no repetition: `Copying:` above one time, `Removing:` above another.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::text::AT_ONCE;

use crate::Text;
use crate::commands::behind_prompt;
use crate::figure::Figure;
use crate::headed::is_numbered;
use crate::number::are_within;

/// Longer texts are logs, in which any line may stand above a figure.
const MOST_LINES: usize = 5_000;

/// Repetitions of one thing are nearer to each other than this, a factor.
const FAR: f64 = 1.5;

/// Most words of a heading.
const WORDS: usize = 16;

/// Longest heading in a title, characters.
const LONGEST: usize = 80;

/// Words of headings above repetitions of one thing.
const REPEATED: [&str; 9] = [
    "run",
    "runs",
    "pass",
    "iteration",
    "round",
    "attempt",
    "try",
    "again",
    "trial",
];

/// Keeps the figures of one row apart that stand below different headings, where these set a number of what works at once or the
/// figures are too far from each other to be repetitions.
pub(crate) fn by_heading(figures: &mut Vec<Figure>, text: &Text) {
    if text.count() > MOST_LINES {
        return;
    }
    let mut rows = rows(figures);
    if rows.is_empty() {
        return;
    }
    let shapes = shapes(text);
    let headings = headings(figures, text, &shapes);
    let below = |at: usize| headings[figures[at].line.min(headings.len() - 1)];
    rows.retain(|(_, own)| {
        let all: BTreeSet<usize> = own.iter().map(|at| below(*at)).collect();
        all.len() > 1 && !all.contains(&0)
    });
    let set = |at: &usize| is_setting(text.line(below(*at)), &shapes);
    let apart = |own: &[usize]| own.iter().all(set) || are_far(figures, own, &below);
    if !rows.iter().any(|(_, own)| apart(own)) {
        return;
    }
    let told = rows.iter().flat_map(|(_, own)| own);
    let mut named: Vec<(usize, usize)> = told.map(|at| (*at, below(*at))).collect();
    // Another side may have each row once: it stands below the same headings.
    let used: BTreeSet<usize> = named.iter().map(|(_, line)| *line).collect();
    let sides: BTreeSet<&str> = rows.iter().map(|(side, _)| side.as_str()).collect();
    for (at, figure) in figures.iter().enumerate().filter(|(_, f)| f.line > 0) {
        if !sides.contains(figure.system.as_str()) && used.contains(&below(at)) {
            named.push((at, below(at)));
        }
    }
    for (at, line) in named {
        let figure = &mut figures[at];
        let heading = name(text.line(line), &figure.system);
        let title = format!("{heading} {}", figure.row.title);
        figure.row = figure.row.clone().with("below", &heading).titled(&title);
    }
    // At how many it was measured was not measured itself.
    figures.retain(|figure| !used.contains(&figure.line));
}

/// The rows that stand in several lines, each with its side and the places of its figures.
fn rows(figures: &[Figure]) -> Vec<(String, Vec<usize>)> {
    let mut rows: BTreeMap<(&str, String, &str, u32), Vec<usize>> = BTreeMap::new();
    for (at, figure) in figures.iter().enumerate().filter(|(_, f)| f.line > 0) {
        let (row, side) = (&figure.row, figure.system.as_str());
        let key = (
            side,
            row.point.to_string(),
            row.title.as_str(),
            figure.stretch,
        );
        rows.entry(key).or_default().push(at);
    }
    let several = |own: &[usize]| {
        let first = figures[own[0]].line;
        own.iter().any(|at| figures[*at].line != first)
    };
    let found = rows.into_iter().filter(|(_, own)| several(own));
    found
        .map(|((side, ..), own)| (side.to_owned(), own))
        .collect()
}

/// Are the means below the headings further from each other than repetitions are?
fn are_far(figures: &[Figure], own: &[usize], below: &dyn Fn(usize) -> usize) -> bool {
    let mut parts: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for at in own {
        let part = parts.entry(below(*at)).or_default();
        part.push(figures[*at].value);
    }
    let means = parts
        .values()
        .map(|values| values.iter().sum::<f64>() / values.len() as f64);
    !are_within(&means.collect::<Vec<_>>(), FAR)
}

/// For each line the heading above it, 0 where there is none that is there once.
fn headings(figures: &[Figure], text: &Text, shapes: &BTreeMap<String, usize>) -> Vec<usize> {
    let taken: BTreeSet<usize> = figures.iter().map(|figure| figure.line).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, line) in text.lines() {
        *counts.entry(line.trim()).or_default() += 1;
    }
    let mut last = 0;
    let mut found = vec![0];
    for (number, line) in text.lines() {
        found.push(last);
        let said = is_command(line.trim()) || is_setting(line, shapes);
        if said || (!taken.contains(&number) && is_heading(line)) {
            // What stands above each of them tells none from the others.
            last = if counts[line.trim()] == 1 { number } else { 0 };
        }
    }
    found
}

/// How many lines of the page are of each shape, whatever their numbers are.
fn shapes(text: &Text) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, line) in text.lines() {
        *counts.entry(shape(line)).or_default() += 1;
    }
    counts
}

/// A line with one sign for each of its numbers.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for c in line.trim().chars() {
        match c.is_ascii_digit() {
            true if shape.ends_with('0') => {}
            true => shape.push('0'),
            false => shape.push(c),
        }
    }
    shape
}

/// Does the line say at how many of something the rows below were measured, `Running with 2 reader threads`, as others do of
/// other numbers?
fn is_setting(line: &str, shapes: &BTreeMap<String, usize>) -> bool {
    /// More words are a sentence.
    const WORDS: usize = 10;
    let bare = line.trim().trim_start_matches(['-', '*', '#', ' ']);
    let words: Vec<&str> = bare.split_whitespace().collect();
    let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let kind = |word: &str| {
        let bare = word.trim_end_matches([':', ',']).to_lowercase();
        AT_ONCE.contains(&bare.as_str())
    };
    // A figure that was measured has a unit, or a fraction, and nothing behind it.
    let whole = words
        .iter()
        .all(|word| number(word) || !word.contains(|c: char| c.is_ascii_digit()));
    let counted = match words[..] {
        [.., count, last] if number(count) => kind(last),
        [.., count, _, last] if number(count) => kind(last),
        _ => false,
    };
    let begins = bare.starts_with(|c: char| c.is_alphabetic()) || words.len() == 2;
    let others = shapes.get(&shape(line)).is_some_and(|count| *count > 1);
    begins && whole && counted && others && words.len() <= WORDS && !line.contains(['|', '='])
}

/// Is it a line that says what was done: with a colon behind it, a number in front, or drawn as a heading?
fn is_heading(line: &str) -> bool {
    let bare = line.trim();
    let words = || bare.split(|c: char| !c.is_alphanumeric());
    let repeated = words().any(|word| REPEATED.iter().any(|r| r.eq_ignore_ascii_case(word)));
    if repeated || !bare.contains(char::is_alphabetic) || bare.split_whitespace().count() > WORDS {
        return false;
    }
    let colon = bare.ends_with(':') && !line.starts_with(char::is_whitespace);
    let drawn = bare.starts_with("## ") || bare.starts_with("### ");
    colon || is_numbered(bare) || drawn
}

/// Was it typed: behind a prompt, a program of the folder, or a loop of the shell?
fn is_command(bare: &str) -> bool {
    let typed = bare
        .strip_prefix("$ ")
        .or_else(|| behind_prompt(bare))
        .is_some_and(|typed| !typed.is_empty());
    let program = bare.starts_with("./") && bare.contains(' ');
    let shell = bare.starts_with("for ") && bare.contains(" do ");
    typed || program || shell
}

/// What a heading says, without its prompt, what draws it, and the words of the side that it stands on.
fn name(line: &str, system: &str) -> String {
    let bare = line.trim();
    let typed = bare.strip_prefix("$ ").or_else(|| behind_prompt(bare));
    let bare = typed.unwrap_or(bare).trim_matches(['#', ':', ' ']);
    let side: BTreeSet<&str> = system.split_whitespace().collect();
    let own: Vec<&str> = bare
        .split_whitespace()
        .filter(|word| !side.contains(word))
        .collect();
    let name = if own.is_empty() {
        bare.to_owned()
    } else {
        own.join(" ")
    };
    name.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use crate::Text;
    use crate::figure::{Figure, Row};
    use whyslow_model::Better;

    fn titles(text: &str, system: &str, figures: &[(usize, f64)]) -> Vec<String> {
        let text = Text::read(text.as_bytes()).unwrap();
        let of = |(line, value): &(usize, f64)| Figure {
            system: system.to_owned(),
            row: Row::new("time", "real", "s", Better::Lower),
            value: *value,
            line: *line,
            round: None,
            stretch: 0,
        };
        let mut figures: Vec<Figure> = figures.iter().map(of).collect();
        super::by_heading(&mut figures, &text);
        figures.into_iter().map(|figure| figure.row.title).collect()
    }

    #[test]
    fn rows_below_their_own_headings_are_kept_apart() {
        let two = "copy of 4325 files:\nreal 8.4\n\nremoval:\nreal 0.3\n";
        assert_eq!(
            titles(two, "", &[(2, 8.4), (5, 0.3)]),
            ["copy of 4325 files real", "removal real"]
        );
        // Near to each other they may be the same again.
        assert_eq!(titles(two, "", &[(2, 8.4), (5, 8.3)]), ["real", "real"]);
        let runs = "run 1:\nreal 8.4\n\nrun 2:\nreal 0.3\n";
        assert_eq!(titles(runs, "", &[(2, 8.4), (5, 0.3)]), ["real", "real"]);
        let same = "./a -x 1\nreal 8.4\n./a -x 1\nreal 0.3\n";
        assert_eq!(titles(same, "", &[(2, 8.4), (4, 0.3)]), ["real", "real"]);
        let typed = "me@box:~# bench -P 4 copy\nreal 8.4\nme@box:~# bench -P 4 read\nreal 0.3\n";
        assert_eq!(
            titles(typed, "bench -P 4", &[(2, 8.4), (4, 0.3)]),
            ["copy real", "read real"]
        );
        let one = "real 8.4\nremoval:\nreal 0.3\n";
        assert_eq!(titles(one, "", &[(1, 8.4), (3, 0.3)]), ["real", "real"]);
    }
}
