//! Decimal commas: figures of a program that ran under a locale such as de_DE.

use std::borrow::Cow;

/// Fewest numbers that can only be decimals: one alone may be a slip.
const FEWEST: usize = 2;

/// What a comma between digits can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comma {
    /// `0,8729`, `12,5`: no group of three digits.
    Decimal,
    /// `1,234`: either.
    Either,
    /// `1,234,567`, `1,234.5`, `a,1,5`: thousands or cells.
    Other,
}

/// `whole` with points for decimal commas, where no comma of it can be anything else.
pub(crate) fn pointed(whole: Cow<'_, str>) -> Cow<'_, str> {
    if !is_written_so(&whole) {
        return whole;
    }
    let lines = whole.split_inclusive('\n').map(|line| {
        let label = label_end(line);
        let mut line = line.to_owned();
        for (start, end) in tokens(&line.clone()).into_iter().rev() {
            if is_pointed(&line[start..end]) && end <= label {
                continue;
            }
            if kind(&line[start..end]).is_some() {
                let pointed = line[start..end].replace(',', ".");
                line.replace_range(start..end, &pointed);
            } else if is_grouped(&line[start..end]) || is_pointed(&line[start..end]) {
                // Columns stay where they are.
                let digits = line[start..end].replace('.', "");
                let width = end - start;
                line.replace_range(start..end, &format!("{digits:>width$}"));
            }
        }
        line
    });
    Cow::Owned(lines.collect())
}

/// Are all commas within numbers decimal ones, and no number has a point but between groups of three digits? `141.394` is
/// one of those where others have two such points.
fn is_written_so(whole: &str) -> bool {
    let mut decimals = 0;
    let (mut grouped, mut pointed) = (0, 0);
    for line in whole.lines() {
        let label = label_end(line);
        for (start, end) in tokens(line) {
            let token = &line[start..end];
            if is_pointed(token) && end <= label {
                continue;
            }
            match kind(token) {
                Some(Comma::Decimal) => decimals += 1,
                // A line that is nothing but such a token is two cells.
                Some(Comma::Either) if token.len() < line.trim().len() => {}
                Some(Comma::Either | Comma::Other) => return false,
                None if is_group(token) => pointed += 1,
                None if is_pointed(token) => return false,
                None => grouped += usize::from(is_grouped(token)),
            }
            if kind(token).is_some() && token.len() == line.trim().len() {
                return false;
            }
        }
    }
    decimals >= FEWEST && (pointed == 0 || grouped > 0)
}

/// Where the label of a row between bars ends, which may be a version, `| 9.2 | 60,5 |`; 0 where it has none.
fn label_end(line: &str) -> usize {
    let bar = line.strip_prefix('|').and_then(|row| row.find('|'));
    bar.map_or(0, |bar| bar + 1)
}

/// Where the words of a line begin and end, without brackets around them.
fn tokens(line: &str) -> Vec<(usize, usize)> {
    let parted = |c: char| c.is_whitespace() || "|;()[]<>\"'".contains(c);
    let words = line.split(parted).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let start = word.as_ptr() as usize - line.as_ptr() as usize;
            // A comma at the end is of the sentence.
            let word = word.trim_end_matches([',', '.', ':']);
            (start, start + word.len())
        })
        .collect()
}

/// What the comma in a word is; none where it has none between digits. A unit may stick to it, `0m1,234s`, `3,5%`.
fn kind(token: &str) -> Option<Comma> {
    let (front, behind) = token.split_once(',')?;
    let digits = |text: &str| text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let after = behind.bytes().take_while(u8::is_ascii_digit).count();
    let before = digits(front);
    if before == 0 || after == 0 {
        return None;
    }
    let unit = &behind[after..];
    let signed = front[..front.len() - before].trim_start_matches(['+', '-', '±', '~', '=']);
    // Minutes in front of seconds.
    let minutes = signed.is_empty()
        || signed
            .strip_suffix(['m', ':'])
            .is_some_and(|m| digits(m) == m.len());
    if behind.contains(',') || unit.contains('.') || !minutes || unit.len() > 8 {
        return Some(Comma::Other);
    }
    let whole = &front[front.len() - before..];
    // Seconds behind minutes are below sixty.
    let grouped = after == 3 && before <= 3 && whole != "0" && signed.is_empty();
    Some(match grouped {
        true => Comma::Either,
        false => Comma::Decimal,
    })
}

/// Is the word a whole number whose groups points part, `7.414.924.848`? Four small ones are an address.
fn is_grouped(token: &str) -> bool {
    let groups: Vec<&str> = token.split('.').collect();
    let digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let address = groups.len() == 4 && groups.iter().all(|group| group.parse::<u8>().is_ok());
    groups.len() > 2
        && groups.iter().all(digits)
        && groups[0].len() < 4
        && groups[1..].iter().all(|group| group.len() == 3)
        && !address
}

/// Is the word `141.394`, which may be two groups of a whole number?
fn is_group(token: &str) -> bool {
    let groups = token.split_once('.');
    let digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    groups.is_some_and(|(first, rest)| {
        (1..=3).contains(&first.len())
            && !first.starts_with('0')
            && rest.len() == 3
            && digits(first)
            && digits(rest)
    })
}

/// Is the word a number with a decimal point? Versions have two points, or a name behind them.
fn is_pointed(token: &str) -> bool {
    let token = token.trim_end_matches('%');
    let digits = token.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    digits && token.matches('.').count() == 1 && token.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_become_points_where_all_are_decimal() {
        let read = |text: &'static str| pointed(Cow::Borrowed(text)).into_owned();
        let table = "              old    new  overhead\nread   0,8729   0,034   2452,3%\nstat  1,234  0,5\n";
        assert_eq!(read(table), table.replace(',', "."));
        let time = "real\t0m1,234s\nuser\t0m0,98s\nsys\t0m0,1s\n";
        assert_eq!(read(time), time.replace(',', "."));
        let groups = "a  1.487.148 ops/sec (+- 0,53%)\nb    141.394 ops/sec (+- 1,15%)\n";
        let right = "a    1487148 ops/sec (+- 0.53%)\nb     141394 ops/sec (+- 1.15%)\n";
        assert_eq!(read(groups), right);
        let unsure = "a  148.148 ops/sec (+- 0,53%)\nb    141.394 ops/sec (+- 1,15%)\n";
        assert_eq!(read(unsure), unsure);
        let grouped =
            "  7.414.924.848  cycles  ( +- 0,83% )\n  1,7229 seconds at 192.168.100.200\n";
        assert_eq!(
            read(grouped),
            "     7414924848  cycles  ( +- 0.83% )\n  1.7229 seconds at 192.168.100.200\n"
        );
        for text in [
            "a 12,345.6\nb 0,5\nc 1,5\n",
            "a 1,234\nb 2,345\n",
            "a 1,234,567\nb 0,5\nc 1,5\n",
            "a 1.5\nb 0,5\nc 1,5\n",
            "1,5\n2,6\n",
            "a,1,5\nb,2,5\n",
            "a 1,5\n",
        ] {
            assert_eq!(read(text), text);
        }
    }
}
