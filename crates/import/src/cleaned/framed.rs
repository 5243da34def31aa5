//! Takes off what stands in front of every line: the space that a block is set in by, marks of quoting, signs of comments,
//! stamps of logs. Numbers of lines stay, and so do the columns of what is within.

use std::borrow::Cow;

use super::line_end;

/// A quoted comment in a log has three frames; more are none.
const DEEPEST: usize = 6;

/// `whole` without its frames.
pub(crate) fn bare(whole: Cow<'_, str>) -> Cow<'_, str> {
    let end = line_end(&whole);
    let mut lines: Vec<&str> = whole.split(end).collect();
    let mut changed = false;
    for _ in 0..DEEPEST {
        let Some(frame) = FRAMES.iter().find_map(|frame| frame(&lines)) else {
            break;
        };
        changed = true;
        for (line, rest) in lines.iter_mut().zip(frame) {
            *line = rest;
        }
    }
    match changed {
        true => Cow::Owned(lines.join(end)),
        false => whole,
    }
}

/// What is left of each line, if all have this frame.
type Frame = for<'a> fn(&[&'a str]) -> Option<Vec<&'a str>>;

const FRAMES: [Frame; 5] = [indented, quoted, commented, of_one_job, stamped];

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// The lines without `front`, which all have that are not blank.
fn without<'a>(
    lines: &[&'a str],
    fewest: usize,
    front: impl Fn(&'a str) -> Option<&'a str>,
) -> Option<Vec<&'a str>> {
    let mut full = 0;
    let mut rests = Vec::with_capacity(lines.len());
    for line in lines {
        match is_blank(line) {
            true => rests.push(*line),
            false => {
                rests.push(front(line)?);
                full += 1;
            }
        }
    }
    (full >= fewest).then_some(rests)
}

/// Space that all lines begin with.
fn indented<'a>(lines: &[&'a str]) -> Option<Vec<&'a str>> {
    let mut full = lines.iter().filter(|line| !is_blank(line));
    let first = full.next()?;
    let mut common = &first[..first.len() - first.trim_start_matches([' ', '\t']).len()];
    for line in full {
        let same = common.bytes().zip(line.bytes());
        common = &common[..same.take_while(|(a, b)| a == b).count()];
    }
    match common.is_empty() {
        true => None,
        false => without(lines, 2, |line| line.strip_prefix(common)),
    }
}

/// `> text`, also where an answer stands below it. Beside `< text` it is the mark of a diff.
fn quoted<'a>(lines: &[&'a str]) -> Option<Vec<&'a str>> {
    let of = |line: &'a str| {
        let rest = line.strip_prefix('>').or_else(|| line.strip_prefix(" >"))?;
        Some(rest.strip_prefix(' ').unwrap_or(rest))
    };
    let compared = lines.iter().any(|line| line.trim_start().starts_with('<'));
    let any = lines.iter().any(|line| of(line).is_some()) && !compared;
    any.then(|| lines.iter().map(|line| of(line).unwrap_or(line)).collect())
}

/// `# text` and `// text`, and `#name : figure`.
fn commented<'a>(lines: &[&'a str]) -> Option<Vec<&'a str>> {
    /// Fewer are a remark.
    const FEWEST: usize = 4;
    let mut signs = COMMENTS.iter();
    let spaced = signs.find_map(|sign| without(lines, FEWEST, |line| without_sign(line, sign)));
    // `#name : 3.5 MB/s` in every line.
    spaced.or_else(|| {
        without(lines, FEWEST, |line| {
            let rest = line.strip_prefix('#')?;
            (rest.starts_with(char::is_alphabetic) && rest.contains(": ")).then_some(rest)
        })
    })
}

/// What begins the line of a comment.
pub(super) const COMMENTS: [&str; 2] = ["#", "//"];

/// The rest of a comment that `sign` begins; of a bare sign, nothing.
pub(super) fn without_sign<'a>(line: &'a str, sign: &str) -> Option<&'a str> {
    let rest = line.trim_end().strip_prefix(sign)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

/// `job<TAB>step<TAB>2024-05-01T10:11:12.345Z text`: the names in front of the stamps of a log of several jobs, of which
/// one was cut out.
fn of_one_job<'a>(lines: &[&'a str]) -> Option<Vec<&'a str>> {
    let first = lines.iter().find(|line| !is_blank(line))?;
    let mut tabs = first.match_indices('\t').map(|(at, _)| at + 1);
    let stamp = tabs.find(|at| without_stamp(&first[*at..]).is_some())?;
    let names = &first[..stamp];
    without(lines, 1, |line| line.strip_prefix(names))
}

/// Date and time in front of all lines, also of those that are figures alone: of a table whose header has none they are
/// the labels of its rows.
fn stamped<'a>(lines: &[&'a str]) -> Option<Vec<&'a str>> {
    let rests = without(lines, 1, |line| {
        without_stamp(line.trim_start_matches('\u{feff}')).or_else(|| without_host(line))
    })?;
    let named = |rest: &&str| rest.contains(char::is_alphabetic);
    rests.iter().any(named).then_some(rests)
}

fn is_digits(part: &str, count: usize) -> bool {
    part.len() == count && part.bytes().all(|b| b.is_ascii_digit())
}

/// What follows `10:11:12`, with its fraction and zone.
fn without_clock(text: &str) -> Option<&str> {
    let clock = text.get(..8)?;
    let mut parts = clock.split(':');
    let own = parts.clone().count() == 3 && parts.all(|part| is_digits(part, 2));
    let zone = |c: char| c.is_ascii_digit() || ".,+:Z".contains(c);
    own.then(|| text[8..].trim_start_matches(zone))
}

/// What follows `2024-05-01T10:11:12.345Z`, `[01/05/2024 10:11:12]`, or `[10:11:12]`.
pub(crate) fn without_stamp(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let open = bare.strip_prefix(['[', '(']);
    let text = open.unwrap_or(bare);
    let date = text.get(..10).is_some_and(|date| {
        let mut parts = date.split(['-', '/', '.']);
        let own = [parts.next(), parts.next(), parts.next()].map(Option::unwrap_or_default);
        let begins = is_digits(own[0], 4) && is_digits(own[1], 2) && is_digits(own[2], 2);
        begins || (is_digits(own[0], 2) && is_digits(own[1], 2) && is_digits(own[2], 4))
    });
    let clock = match date {
        true => text[10..].strip_prefix(['T', ' ', '_'])?,
        false => open?,
    };
    let rest = without_clock(clock)?;
    let rest = match open {
        Some(_) => rest.strip_prefix([']', ')'])?,
        None => rest,
    };
    let rest = rest.strip_prefix([':', '-']).unwrap_or(rest);
    match rest.chars().next() {
        None => Some(rest),
        Some(' ' | '\t') => Some(&rest[1..]),
        Some(_) => None,
    }
}

/// What follows `May  1 10:11:12 host bench[123]: `.
fn without_host(line: &str) -> Option<&str> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (month, rest) = line.trim_start().split_once(' ')?;
    let (day, rest) = rest.trim_start().split_once(' ')?;
    let known = MONTHS.contains(&month) && day.parse::<u8>().is_ok();
    let rest = known.then(|| without_clock(rest)).flatten()?;
    let (host, rest) = rest.strip_prefix(' ')?.split_once(' ')?;
    let (program, rest) = rest.split_once(':')?;
    let one = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    (one(host) && one(program)).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        bare(Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn what_all_lines_begin_with_is_taken_off() {
        for (framed, wanted) in [
            ("    a  1\n\n      b  2\n", "a  1\n\n  b  2\n"),
            ("> a  1\n>\n>   b  2\n", "a  1\n\n  b  2\n"),
            ("  > > a  1\n  >\n  > >  b  2\n", "a  1\n\n b  2\n"),
            ("# a 1\n#\n# b 2\n# c 3\n# d 4\n", "a 1\n\nb 2\nc 3\nd 4\n"),
            (
                "2024-05-01T10:11:12.5Z size  ns\n2024-05-01T10:11:13.1Z   64   5\n",
                "size  ns\n  64   5\n",
            ),
            (
                "job\tRun\t2024-05-01T10:11:12.5Z a 1\njob\tRun\t2024-05-01T10:11:13.1Z  2 5\n",
                "a 1\n 2 5\n",
            ),
            (
                "May  1 10:11:12 box bench[17]: a 1\nMay  1 10:11:13 box bench[17]: 2 5\n",
                "a 1\n2 5\n",
            ),
            ("[10:11:12] a 1\n[10:11:14]  5 6\n", "a 1\n 5 6\n"),
        ] {
            assert_eq!(plain(framed), wanted, "{framed}");
        }
    }

    #[test]
    fn what_only_some_lines_begin_with_stays() {
        for text in [
            "a  1\n  b  2\n",
            "> a  1\n< b  2\n",
            "# a 1\n# b 2\n",
            "time  ns\n2024-05-01 10:11:12  5\n2024-05-01 10:11:13  6\n",
            "2024-05-01 10:11:12  5\n2024-05-01 10:11:13  6.5 -3%\n",
            "12:00:01 all 5.5\n12:00:02 all 5.6\n",
            "",
            "\n",
            "é 5\nè 6\n",
        ] {
            assert_eq!(plain(text), text);
        }
    }
}
