//! Takes numbers of lines away: the column that numbers the rows of a table with bars, `| # | Test | old | new |`, and
//! those that a site for pasted text puts in front of every line, `  1. $ ./bench`.

use std::borrow::Cow;

use super::line_end;

/// What is written above such numbers.
const NAMES: [&str; 10] = [
    "#", "n", "no", "no.", "nr", "nr.", "№", "num", "idx", "index",
];

/// `whole` without such columns.
pub(crate) fn unnumbered(whole: Cow<'_, str>) -> Cow<'_, str> {
    let whole = spaced(whole);
    if !whole.contains('|') {
        return whole;
    }
    let end = line_end(&whole);
    let mut lines: Vec<&str> = whole.split(end).collect();
    let mut changed = false;
    for table in lines.chunk_by_mut(|a, b| a.contains('|') == b.contains('|')) {
        if !is_numbered(table) {
            continue;
        }
        let rests = table.iter().map(|line| Some(split(line)?.1));
        if let Some(rests) = rests.collect::<Option<Vec<&str>>>() {
            table.copy_from_slice(&rests);
            changed = true;
        }
    }
    match changed {
        true => Cow::Owned(lines.join(end)),
        false => whole,
    }
}

/// The same of tables without bars, whose next column is sizes or words: `no.  Size  old  new` over `1  10M  5 s  6 s`. Columns
/// stay where they are.
fn spaced(whole: Cow<'_, str>) -> Cow<'_, str> {
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let mut made: Vec<Cow<str>> = lines.iter().map(|line| Cow::Borrowed(*line)).collect();
    let mut changed = false;
    for (at, line) in lines.iter().enumerate() {
        let named = |(name, _): &(&str, &str)| NAMES[1..].contains(&name.to_lowercase().as_str());
        if !front(line).as_ref().is_some_and(named) {
            continue;
        }
        let rows = lines[at + 1..].iter().enumerate().map_while(|(row, line)| {
            let (first, rest) = front(line)?;
            let next = rest.split_whitespace().next()?;
            let labelled = is_bytes(next) || next.starts_with(char::is_alphabetic);
            (first == (row + 1).to_string() && labelled).then_some(())
        });
        let count = rows.count();
        if count < 2 {
            continue;
        }
        changed = true;
        for line in &mut made[at..=at + count] {
            let Some((first, _)) = front(line) else {
                continue;
            };
            let (begin, length) = (line.len() - line.trim_start().len(), first.len());
            let blank = " ".repeat(first.chars().count());
            let mut plain = line.clone().into_owned();
            plain.replace_range(begin..begin + length, &blank);
            *line = Cow::Owned(plain);
        }
    }
    match changed {
        true => Cow::Owned(made.join(end)),
        false => whole,
    }
}

/// Is it a size, `10M`, `64KiB`?
fn is_bytes(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let known = ["K", "M", "G", "KB", "MB", "GB", "KiB", "MiB", "GiB"];
    unit.len() < word.len() && known.contains(&unit)
}

/// The first word of a line without bars that a gap follows, and what stands behind it.
fn front(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim_start();
    let end = bare.find(char::is_whitespace)?;
    let (first, rest) = bare.split_at(end);
    let gap = rest.starts_with('\t') || rest.starts_with("  ");
    (gap && !line.contains('|')).then_some((first, rest))
}

/// `whole` without the numbers of lists, `1. first: 5.5 s`, `2. second: 6.5 s` in lines that follow each other.
pub(crate) fn unordered(whole: Cow<'_, str>) -> Cow<'_, str> {
    /// One alone is the number of a section.
    const FEWEST: usize = 2;
    if !whole.contains("1. ") {
        return whole;
    }
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let item = |line: &str, count: usize| -> Option<usize> {
        let start = line.len() - line.trim_start().len();
        let rest = line[start..].strip_prefix(&format!("{count}. "))?;
        let named = rest
            .trim_start()
            .starts_with(|c: char| c.is_alphabetic() || "`*\"'".contains(c));
        let measured = rest.contains(|c: char| c.is_ascii_digit());
        (named && measured).then(|| line.len() - rest.len())
    };
    let mut made: Vec<Cow<str>> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let count = (0..lines.len() - at)
            .take_while(|more| item(lines[at + more], more + 1).is_some())
            .count();
        for (more, line) in lines[at..at + count].iter().enumerate() {
            let from = item(line, more + 1).filter(|_| count >= FEWEST);
            made.push(match from {
                Some(from) => Cow::Owned(" ".repeat(from) + &line[from..]),
                None => Cow::Borrowed(*line),
            });
        }
        if count == 0 {
            made.push(Cow::Borrowed(lines[at]));
        }
        at += count.max(1);
    }
    match made.iter().any(|line| matches!(line, Cow::Owned(_))) {
        true => Cow::Owned(made.join(end)),
        false => whole,
    }
}

/// `whole` without a number in front of each of its lines.
pub(crate) fn unlisted(whole: Cow<'_, str>) -> Cow<'_, str> {
    /// Fewer lines may be a list.
    const FEWEST: usize = 6;
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let shown = &lines[..last.map_or(0, |last| last + 1)];
    let bare: Option<Vec<&str>> = shown
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let line = line.trim_start();
            let rest = line.strip_prefix(&(at + 1).to_string())?;
            let rest = rest.strip_prefix(['.', ':', '|'])?;
            (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
        })
        .collect();
    // A curve has a figure behind each of its points.
    let without = |line: &&&str| !line.chars().any(|c| c.is_ascii_digit());
    match bare {
        Some(bare)
            if bare.len() >= FEWEST && bare.iter().filter(without).count() * 4 >= bare.len() =>
        {
            Cow::Owned(bare.join(end) + end)
        }
        _ => whole,
    }
}

/// The first cell of a row, and the row from the next one on.
fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let (first, rest) = inner.split_once('|')?;
    Some((first.trim(), &inner[inner.len() - rest.len() - 1..]))
}

/// Is the first column named so, are its cells numbers that follow each other, and is the next column words?
fn is_numbered(table: &[&str]) -> bool {
    let Some((name, _)) = table.first().and_then(|line| split(line)) else {
        return false;
    };
    let drawn = |line: &&&str| line.chars().any(|c| !"|-:=+ \t".contains(c));
    let rows: Vec<(&str, &str)> = table
        .iter()
        .skip(1)
        .filter(drawn)
        .filter_map(|line| split(line))
        .collect();
    let numbers: Option<Vec<u32>> = rows.iter().map(|(first, _)| first.parse().ok()).collect();
    let follow = numbers.is_some_and(|numbers| {
        numbers.first().is_some_and(|first| *first < 2)
            && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1])
    });
    let words = |(_, rest): &(&str, &str)| {
        split(rest).is_some_and(|(next, _)| {
            let digit = next.starts_with(|c: char| c.is_ascii_digit());
            next.contains(char::is_alphabetic) && !digit && next.parse::<f64>().is_err()
        })
    };
    let name = name.trim_matches(['*', '`', ' ']).to_lowercase();
    NAMES.contains(&name.as_str()) && rows.len() > 1 && follow && rows.iter().all(words)
}

#[cfg(test)]
mod tests {
    use super::{unlisted, unnumbered};

    #[test]
    fn numbers_of_lines_are_taken_off() {
        let of = |text: &str| unlisted(text.into()).into_owned();
        assert_eq!(
            of("  1. $ ./bench\n  2.\n  3. real 1.5\n  4. user 0.5\n  5.  \n  6. done\n\n"),
            " $ ./bench\n\n real 1.5\n user 0.5\n  \n done\n"
        );
        for kept in [
            "1: 10.5\n2: 11.5\n3: 12\n4: 13\n5: 14\n6: 15\n",
            "1. one\n2. two\n",
            "1. a\n2. b\n3. c\n4. d\n5. e\n7. f\n",
            "",
        ] {
            assert_eq!(of(kept), kept);
        }
    }

    #[test]
    fn numbers_of_rows_are_taken_off() {
        let of = |text: &str| unnumbered(text.into()).into_owned();
        assert_eq!(
            of("| # | Test | old |\n|---|---|---|\n| 1 | a | 5 |\n| 2 | b | 6 |\n"),
            "| Test | old |\n|---|---|\n| a | 5 |\n| b | 6 |\n"
        );
        assert_eq!(
            of("No. | x | y\n0 | a | 5\n1 | b | 6"),
            "| x | y\n| a | 5\n| b | 6"
        );
        assert_eq!(
            of("no.  Size   old  new\n1    10M    5 s  6 s\n2    100M   7 s  8 s\nend\n"),
            "     Size   old  new\n     10M    5 s  6 s\n     100M   7 s  8 s\nend\n"
        );
        for kept in [
            "n   old  new\n1   5    6\n2   7    8\n",
            "| # | old | new |\n|---|---|---|\n| 1 | 4 | 5 |\n| 2 | 5 | 6 |\n",
            "| # | Test | old |\n|---|---|---|\n| 1 | a | 5 |\n| 4 | b | 6 |\n",
            "| Threads | Test | old |\n|---|---|---|\n| 1 | a | 5 |\n| 2 | b | 6 |\n",
            "| a |\n",
        ] {
            assert_eq!(of(kept), kept);
        }
    }
}
