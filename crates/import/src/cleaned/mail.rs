//! Undoes what mails, logs and web pages do to a tool's lines, once for all formats. Numbers of lines stay: a line that
//! is joined to another leaves an empty one behind.

use std::borrow::Cow;

use super::framed::{COMMENTS, without_sign};
use super::line_end;

/// `whole` without quoted-printable, code fences, time stamps of the kernel's log, arrows that point at a row, and numbers
/// in front of all lines.
pub(crate) fn cleaned(whole: Cow<'_, str>) -> Cow<'_, str> {
    let whole = uncolored(whole);
    let end = line_end(&whole);
    let lines: Vec<&str> = whole.split(end).collect();
    let encoded = lines.iter().any(|line| {
        let line = line.trim_end();
        line.ends_with("=20") || line.contains("=3D") || line.contains("=C2=")
    });
    let barred = is_barred(&lines);
    let counted = is_counted(&lines);
    let added = is_added(&lines);
    let marked = is_marked(&lines);
    let commented = is_commented(&lines);
    let drawn = lines.iter().any(|line| is_rule(line));
    let mut changed = encoded;
    let mut cleaned: Vec<Cow<str>> = Vec::with_capacity(lines.len());
    for line in &lines {
        let mut line = *line;
        if barred {
            let rest = line.trim_start().trim_start_matches('|');
            line = rest.strip_prefix(' ').unwrap_or(rest);
        }
        if counted {
            line = without_count(line).unwrap_or(line);
        }
        if added {
            line = line.strip_prefix('+').unwrap_or(line);
        }
        if marked && line.starts_with(['+', '-', ' ']) {
            line = &line[1..];
        }
        if commented {
            line = without_comment(line).unwrap_or(line);
        }
        let next = match drawn && line.contains(is_drawn) {
            true => undrawn(line),
            false => plain_line(line),
        };
        changed |= barred || counted || added || marked || commented || next != line;
        cleaned.push(next);
    }
    if encoded {
        decode(&mut cleaned);
    }
    changed |= join_labels(&mut cleaned);
    if !changed {
        return whole;
    }
    Cow::Owned(cleaned.join(end))
}

/// `whole` without the colors of a terminal, `ESC[1;32m`, also where the page has lost the first character of them.
fn uncolored(whole: Cow<'_, str>) -> Cow<'_, str> {
    let lost = !whole.contains('\x1b') && whole.contains("[0m");
    if !lost && !whole.contains('\x1b') {
        return whole;
    }
    let open = if lost { "[" } else { "\x1b[" };
    let mut parts = whole.split(open);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let codes = part
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b';');
        let codes = codes.count();
        match part.as_bytes().get(codes) {
            Some(b'm') => plain += &part[codes + 1..],
            Some(end) if !lost && end.is_ascii_alphabetic() => {
                let rest = &part[codes + 1..];
                // What moves on the screen makes no number of two.
                let digits = [plain.chars().next_back(), rest.chars().next()];
                let of_number = |c: char| c.is_ascii_digit() || ".,".contains(c);
                if digits.iter().all(|c| c.is_some_and(of_number)) {
                    plain.push(' ');
                }
                plain += rest;
            }
            _ => {
                plain += open;
                plain += part;
            }
        }
    }
    Cow::Owned(plain)
}

/// Do the rows of a table have marks of a diff in front of their bars, `+| 01 | 1.5 |`?
fn is_marked(lines: &[&str]) -> bool {
    let rows = lines.iter().filter(|line| line.contains('|'));
    let begins = |line: &str, signs: &[char]| line.starts_with(signs) && line[1..].starts_with('|');
    let marks = rows
        .clone()
        .filter(|line| begins(line, &['+', '-']))
        .count();
    marks > 1 && rows.clone().all(|line| begins(line, &['+', '-', ' ']))
}

/// Do all lines begin as those that a patch adds?
fn is_added(lines: &[&str]) -> bool {
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty());
    lines.len() > 1 && filled.all(|line| line.starts_with('+'))
}

/// Do nearly all lines stand behind the sign of a comment, as results are kept in the script that made them? The others are
/// what was typed: figures among them would be the results, and the comments about them.
fn is_commented(lines: &[&str]) -> bool {
    /// Fewer lines are a remark.
    const FEWEST: usize = 4;
    let full = || lines.iter().filter(|line| !line.trim().is_empty());
    let commented = full().filter(|line| without_comment(line).is_some());
    let figure = |word: &str| word.parse::<f64>().is_ok();
    let mut others = full().filter(|line| without_comment(line).is_none());
    commented.clone().count() >= FEWEST
        && commented.count() * 4 >= full().count() * 3
        && !others.any(|line| line.split_whitespace().any(figure))
}

/// The rest of `# text` and `// text`.
fn without_comment(line: &str) -> Option<&str> {
    let mut signs = COMMENTS.iter();
    signs.find_map(|sign| without_sign(line, sign))
}

/// Joins labels that end with a colon and the figures that stand alone below them, `time per op:` over `  4.89 ns`, where
/// the page has several of them; says whether it did.
fn join_labels(lines: &mut [Cow<str>]) -> bool {
    /// One alone may be a heading.
    const FEWEST: usize = 3;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let figure = |line: &str| {
        let mut words = line.split_whitespace();
        let number = words.next().is_some_and(|word| word.parse::<f64>().is_ok());
        let unit = words
            .next()
            .is_some_and(|word| word.contains(char::is_alphabetic));
        number && unit && words.next().is_none()
    };
    let is = |at: &usize| {
        let (label, below) = (lines[*at].trim_end(), &lines[*at + 1]);
        label.ends_with(':') && figure(below) && indent(below) > indent(label)
    };
    let pairs: Vec<usize> = (0..lines.len().saturating_sub(1)).filter(is).collect();
    if pairs.len() < FEWEST {
        return false;
    }
    for at in pairs {
        let joined = format!("{} {}", lines[at].trim_end(), lines[at + 1].trim());
        lines[at] = Cow::Owned(joined);
        lines[at + 1] = Cow::Borrowed("");
    }
    true
}

/// Is it a sign that draws boxes?
fn is_drawn(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

/// Is it a rule of a drawn table, also where a mail quotes it? Tools that draw bars alone read them themselves.
fn is_rule(line: &str) -> bool {
    let level = |c: char| "─━═".contains(c);
    let empty = |c: char| is_drawn(c) || c.is_whitespace() || c == '>';
    line.chars().all(empty) && line.chars().filter(|c| level(*c)).count() > 2
}

/// A line of a drawn table with bars between its cells; empty where it is a rule of one.
fn undrawn(line: &str) -> Cow<'_, str> {
    if is_rule(line) {
        return Cow::Borrowed("");
    }
    let bar = |c: char| if UPRIGHT.contains(&c) { '|' } else { c };
    Cow::Owned(line.chars().map(bar).collect())
}

/// What stands between the cells of a drawn table.
const UPRIGHT: [char; 6] = ['│', '┃', '║', '╎', '┆', '┊'];

/// A line without what is put around it.
fn plain_line(line: &str) -> Cow<'_, str> {
    let bare = line.trim();
    if bare.starts_with("```") || bare.starts_with("~~~") {
        return Cow::Borrowed("");
    }
    if let Some(rest) = without_stamp(bare) {
        return Cow::Borrowed(rest);
    }
    // The stamp of a quoted log; the line stays quoted like those beside it.
    if let Some(rest) = bare.strip_prefix('>')
        && let Some(rest) = without_stamp(rest.trim_start_matches(['>', ' ']))
    {
        return Cow::Owned(format!("> {rest}"));
    }
    // The arrow that points at the row in question keeps its width: columns stay where they are. `==> a.txt <==` is a heading.
    for arrow in ["-->", "==>", "->", "=>"] {
        if let Some(rest) = bare.strip_prefix(arrow)
            && rest.starts_with([' ', '\t'])
            && !rest.ends_with('=')
        {
            return Cow::Owned(format!("   {rest}"));
        }
    }
    for arrow in ["<-", "<="] {
        if let Some((front, behind)) = line.rsplit_once(arrow)
            && behind.trim().chars().all(|c| "-= ".contains(c))
            && front.ends_with([' ', '\t'])
            && !front.trim().is_empty()
            && !front.trim_start().starts_with('=')
        {
            return Cow::Borrowed(front.trim_end());
        }
    }
    Cow::Borrowed(line)
}

/// The rest of `[   12.345678] text`.
fn without_stamp(line: &str) -> Option<&str> {
    let (stamp, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (seconds, micros) = stamp.trim().split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(seconds) && digits(micros) && micros.len() == 6).then_some(rest)
}

/// Are all lines quoted with a bar, as some mailers do? Tables have more than one bar a line.
fn is_barred(lines: &[&str]) -> bool {
    let mut full = lines
        .iter()
        .map(|line| line.trim())
        .filter(|l| !l.is_empty());
    let barred = |line: &str| {
        line.strip_prefix("| ")
            .is_some_and(|rest| !rest.contains('|'))
    };
    full.clone().count() >= 3 && full.all(barred)
}

/// Do all lines have their number in front, as an editor shows them?
fn is_counted(lines: &[&str]) -> bool {
    let full = || lines.iter().filter(|line| !line.trim().is_empty());
    let mut before = None;
    for line in full() {
        let Some((count, _)) = count_of(line) else {
            return false;
        };
        if before.is_some_and(|before| count != before + 1) {
            return false;
        }
        before = Some(count);
    }
    // Rows of a table may begin with 1, 2, 3; behind the number of a line stands its text.
    let named = full().filter(|line| {
        without_count(line).is_some_and(|rest| rest.trim_start().starts_with(char::is_alphabetic))
    });
    full().count() >= 4 && named.count() * 3 >= full().count() * 2
}

/// The number in front of a line, up to its sign or gap, and where the text begins.
fn count_of(line: &str) -> Option<(u32, usize)> {
    let start = line.len() - line.trim_start().len();
    let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
    let count = line[start..start + digits].parse().ok()?;
    let rest = &line[start + digits..];
    let sign = rest.is_empty() || rest.starts_with([':', '\t']) || rest.starts_with("  ");
    sign.then(|| (count, start + digits + rest.len().min(1)))
}

fn without_count(line: &str) -> Option<&str> {
    count_of(line).and_then(|(_, at)| line.get(at..))
}

/// Decodes quoted-printable: joins what it broke, and puts characters back.
fn decode(lines: &mut [Cow<str>]) {
    for at in (0..lines.len()).rev() {
        let line = lines[at].trim_end_matches('\r');
        if let Some(start) = line.strip_suffix('=') {
            let next = lines.get(at + 1).map_or("", |next| next.trim_end());
            let next = next.trim_start_matches(['>', ' ']);
            let joined = format!("{start}{next}");
            lines[at] = Cow::Owned(joined);
            if let Some(next) = lines.get_mut(at + 1) {
                *next = Cow::Borrowed("");
            }
        }
    }
    for line in lines {
        if line.contains('=') {
            *line = Cow::Owned(decoded(line));
        }
    }
}

/// `=C2=B1` as `±`: two hexadecimal digits in upper case are a byte.
fn decoded(line: &str) -> String {
    let bytes = line.as_bytes();
    let digit = |at: usize| {
        let byte = *bytes.get(at)?;
        let known = byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte);
        known.then(|| (byte as char).to_digit(16)).flatten()
    };
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'=', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        // A digit or a letter is never encoded, so `size=64` is what it says.
        match byte.filter(|b| !b.is_ascii_alphanumeric() && *b != b'\n' && *b != 0) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        cleaned(Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn undoes_what_was_done_to_lines() {
        assert_eq!(clean("```\nPipe 1\n```\n"), "\nPipe 1\n\n");
        assert_eq!(clean("a=20\nb =3D 1.5=\n5 s\nc"), "a \nb = 1.55 s\n\nc");
        assert_eq!(clean("x =C2=B1 1=20\n"), "x ± 1 \n");
        assert_eq!(clean("[   12.345678] Pipe 1\n"), " Pipe 1\n");
        assert_eq!(clean("--> Pipe 1\nb 2\n"), "    Pipe 1\nb 2\n");
        let kept = "$ wrk -c100 x\n# Latency 1 ms\n# Req 2\n#\n# a 3\n";
        assert_eq!(
            clean(kept),
            "$ wrk -c100 x\n Latency 1 ms\n Req 2\n\n a 3\n"
        );
        assert_eq!(
            clean("a, 1 CPU:\n  1.5 ns\nb:\n  2 ns\nc:\n  3 ns\n"),
            "a, 1 CPU: 1.5 ns\n\nb: 2 ns\n\nc: 3 ns\n\n"
        );
        assert_eq!(
            clean("\x1b[1;32ma\x1b[0m 1\n\x1b[2Kb [3]\n"),
            "a 1\nb [3]\n"
        );
        assert_eq!(clean("[32ma[0m 1\nb[3] 2[m\n"), "a 1\nb[3] 2\n");
        assert_eq!(clean("| a 1\n| b 2\n| c 3\n"), "a 1\nb 2\nc 3\n");
        assert_eq!(
            clean("1: Pipe 1\n2: Fork 2\n3: Exec 3\n4:\n"),
            " Pipe 1\n Fork 2\n Exec 3\n\n"
        );
    }

    #[test]
    fn drawn_tables_have_bars() {
        let drawn = "╒═══╤═══╕\n│ a │ 1 │\n├───┼───┤\n┃ b ┃ 2 ┃\n╘═══╧═══╛\n";
        assert_eq!(clean(drawn), "\n| a | 1 |\n\n| b | 2 |\n\n");
        assert_eq!(clean("└─ a 1\n"), "└─ a 1\n");
    }

    #[test]
    fn leaves_tables_alone() {
        for text in [
            "| a | 1 |\n|---|---|\n| b | 2 |\n",
            "1  2.5\n2  3.5\n3  4.5\n4  5.5\n",
            "size=64 1\nsize=32 2\n",
            "[1.5] x\n",
            "# a 1\n# b 2\n# c 3\n# d 4\n8 1.5\n",
        ] {
            assert_eq!(clean(text), text);
        }
    }
}
