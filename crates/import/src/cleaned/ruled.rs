//! Simple tables of reStructuredText, whose columns are those of the lines `=====  ===` that draw them.

use std::borrow::Cow;

/// Where the columns begin, in characters, if the line draws at least two.
fn columns(line: &str) -> Option<Vec<usize>> {
    let drawn = line.trim();
    let whole = !drawn.is_empty() && drawn.chars().all(|c| c == '=' || c == ' ');
    let mut begins = Vec::new();
    let mut before = ' ';
    for (place, c) in line.chars().enumerate() {
        if c == '=' && before != '=' {
            begins.push(place);
        }
        before = c;
    }
    (whole && begins.len() > 1).then_some(begins)
}

/// The cells of a row; none where one reaches over the gap in front of the next column.
fn cells(line: &str, columns: &[usize]) -> Option<Vec<String>> {
    let letters: Vec<char> = line.chars().collect();
    let cell = |(at, from): (usize, &usize)| {
        let to = columns.get(at + 1).copied().unwrap_or(letters.len());
        let gap = to.checked_sub(1).and_then(|place| letters.get(place));
        if at + 1 < columns.len() && gap.is_some_and(|c| !c.is_whitespace()) {
            return None;
        }
        let own = letters.get(*from..to.min(letters.len()));
        Some(own.unwrap_or_default().iter().collect::<String>())
    };
    columns.iter().enumerate().map(cell).collect()
}

/// The names above a line that draws each of them as long as it is, `--------- ------`, with gaps between them.
fn spaced(names: &str, drawn: &str) -> Option<String> {
    let groups: Vec<&str> = drawn.split_whitespace().collect();
    let sign = groups
        .first()?
        .chars()
        .next()
        .filter(|c| "-=".contains(*c))?;
    let whole = groups.iter().all(|group| group.chars().all(|c| c == sign));
    let single = !names.trim().contains("  ") && !names.contains(['\t', '|']);
    if groups.len() < 2 || !whole || !single || groups.iter().all(|group| group.len() < 3) {
        return None;
    }
    let mut words = names.split_whitespace();
    let mut made: Vec<String> = Vec::new();
    for group in groups {
        let mut name = words.next()?.to_owned();
        while name.chars().count() < group.len() {
            name = format!("{name} {}", words.next()?);
        }
        made.push(name);
    }
    let parted = made.iter().any(|name| name.contains(' '));
    (words.next().is_none() && parted).then(|| made.join("  "))
}

/// `whole` with gaps between names that the line below tells apart.
pub(crate) fn named(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !whole.contains("-- --") && !whole.contains("== ==") {
        return whole;
    }
    let end = super::line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let below = lines.iter().skip(1).map(Some).chain([None]);
    let made: Vec<Cow<str>> = lines
        .iter()
        .zip(below)
        .map(
            |(line, below)| match below.and_then(|drawn| spaced(line, drawn)) {
                Some(names) => Cow::Owned(names),
                None => Cow::Borrowed(*line),
            },
        )
        .collect();
    Cow::Owned(made.join(end))
}

/// `whole` with bars between the cells of such tables: rows that lack a cell, and names of several words, are then read as
/// they stand. Numbers of lines stay.
pub(crate) fn barred(whole: Cow<'_, str>) -> Cow<'_, str> {
    let rulers = || whole.lines().filter(|line| columns(line).is_some());
    if !whole.contains("= =") && !whole.contains("=  ") || rulers().take(2).count() < 2 {
        return whole;
    }
    let lines: Vec<&str> = whole.lines().collect();
    let mut made: Vec<Cow<str>> = lines.iter().map(|line| Cow::Borrowed(*line)).collect();
    let mut at = 0;
    while at < lines.len() {
        let Some(own) = columns(lines[at]) else {
            at += 1;
            continue;
        };
        // The lines that draw one table are alike: above its names, below them, and at its end.
        let drawn = |line: &&str| columns(line).as_ref() == Some(&own);
        let body = lines[at..]
            .iter()
            .take_while(|line| !line.trim().is_empty());
        let end = at + body.count();
        let last = (at + 1..end).rev().find(|line| drawn(&lines[*line]));
        let Some(last) = last else {
            at = end.max(at + 1);
            continue;
        };
        let rows: Option<Vec<Option<Vec<String>>>> = lines[at..=last]
            .iter()
            .map(|line| match drawn(line) {
                true => Some(None),
                false => cells(line, &own).map(Some),
            })
            .collect();
        for (line, row) in (at..).zip(rows.into_iter().flatten()) {
            if let Some(row) = row {
                made[line] = Cow::Owned(format!("| {} |", row.join(" | ")));
            }
        }
        at = last + 1;
    }
    Cow::Owned(made.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_long_as_they_are_drawn() {
        let of = |text: &str| named(text.into()).into_owned();
        assert_eq!(
            of("Lock Type 2.4GHz 2.9GHz\n--------- ------ ------\nRead lock 17.0 13.5\n"),
            "Lock Type  2.4GHz  2.9GHz\n--------- ------ ------\nRead lock 17.0 13.5\n"
        );
        for kept in [
            "a b\n--- ---\n1 2\n",
            "a sentence\n-- --\n",
            "two words  x\n--------- ---\n",
        ] {
            assert_eq!(of(kept), kept);
        }
    }

    #[test]
    fn columns_are_where_they_are_drawn() {
        let text = "== == ====\nA    B\n== == ====\n2 X  1.5\n\n   8 two words\n";
        assert_eq!(barred(text.into()), text, "not closed");
        let text = "=== == ====\nA   n  B\n=== == ====\n2 X    1.5\n    8\n=== == ====\nend\n";
        let made = barred(text.into());
        let made: Vec<Vec<&str>> = made
            .lines()
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        assert_eq!(made[1], ["", "A", "n", "B", ""]);
        assert_eq!(made[3], ["", "2 X", "", "1.5", ""]);
        assert_eq!(made[4], ["", "", "8", "", ""]);
        assert_eq!(made[6], ["end"]);
        // A cell that goes over the next.
        let over = "== ==\na  b\nword 1\n== ==\n";
        assert_eq!(barred(over.into()), over);
    }
}
