//! The part of a page below one of its headings.

use whyslow_model::text::words;

use crate::Text;
use crate::amount::{Cell, cell};

/// Characters that headings begin with.
const MARKS: [char; 7] = ['#', '=', '*', '-', '$', '>', '['];

/// How many of the words are numbers.
fn numbers(line: &str) -> usize {
    let cells = line.split_whitespace();
    cells
        .filter(|cell| cell.trim_matches([',', ':', '%']).parse::<f64>().is_ok())
        .count()
}

/// What headings of one kind have in common: the mark in front, of which several are a level below, the colon behind, or
/// else that the line before is empty or draws a line.
fn shape(lines: &[&str], at: usize) -> (Option<(char, usize)>, bool, bool) {
    let line = lines[at].trim();
    let mark = line.chars().next().filter(|c| MARKS.contains(c));
    let mark = mark.map(|mark| match mark {
        '#' => (mark, line.chars().take_while(|c| *c == mark).count()),
        _ => (mark, 1),
    });
    let colon = line.ends_with(':');
    let drawn = |c: char| "-=_*~+# ".contains(c);
    let apart = at == 0 || lines[at - 1].trim().chars().all(drawn);
    (mark, colon, apart && mark.is_none() && !colon)
}

/// Is the line at `at` a heading of the kind of that at `heading`, which is marked as one?
pub(crate) fn same_kind(lines: &[&str], heading: usize, at: usize) -> bool {
    let own = shape(lines, heading);
    let line = lines[at].trim();
    let marked = own.0.is_some() || own.1;
    marked
        && !line.is_empty()
        && shape(lines, at) == own
        && numbers(line) <= numbers(lines[heading])
}

/// Does a number in front make it one of several sections, `4. idle=poll`?
pub(crate) fn is_numbered(line: &str) -> bool {
    line.trim().split_once(". ").is_some_and(|(number, rest)| {
        let digits = (1..3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        digits && rest.starts_with(char::is_alphabetic)
    })
}

/// Does `text` hold `name` with no letter or digit before or behind it, signs between words aside?
pub(crate) fn is_within(text: &str, name: &str) -> bool {
    let name = name.trim();
    let letters = name.chars().filter(|c| c.is_alphanumeric()).count();
    let ends = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    letters > 2
        && text.match_indices(name).any(|(at, _)| {
            ends(text[..at].chars().next_back()) && ends(text[at + name.len()..].chars().next())
        })
}

/// The lines of `page` below the heading that `name` means, up to the next heading of its kind; nothing where no line
/// that is no row has these words, or it is no text.
pub fn headed(page: &[u8], name: &str) -> Option<String> {
    let text = Text::read(page).ok()?;
    let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
    let wanted = words(name);
    // A number alone stands in many rows.
    let letters = name.chars().any(char::is_alphabetic);
    let is = |line: &str| {
        let own = words(line);
        // A row has its figure behind the name.
        let measured = line.rsplit_once(": ").is_some_and(|(_, figure)| {
            matches!(cell(figure.trim_start_matches('~')), Cell::Amount(_, unit) if !unit.is_empty())
        });
        if measured {
            return false;
        }
        !wanted.is_empty()
            && own.windows(wanted.len()).any(|run| *run == wanted[..])
            && (letters || own.len() == wanted.len())
            && numbers(line) <= numbers(name)
    };
    let at = lines.iter().position(|line| is(line)).or_else(|| {
        // Within a longer word, `==> 2018_01_no_flags <==`, where no other heading has it too.
        let marked = |at: &usize| shape(&lines, *at).0.is_some() || shape(&lines, *at).1;
        let mut found = (0..lines.len()).filter(|at| marked(at) && is_within(lines[*at], name));
        found.next().filter(|_| found.next().is_none())
    })?;
    let own = shape(&lines, at);
    let is_heading = |i: usize| {
        let line = lines[i].trim();
        !line.is_empty() && shape(&lines, i) == own && numbers(line) <= numbers(lines[at])
    };
    // Without a mark, a colon or an empty line before it nothing tells where the next one is.
    let told = own.0.is_some() || own.1 || own.2;
    let end = (at + 2..lines.len()).find(|&i| told && is_heading(i));
    let part = lines[at + 1..end.unwrap_or(lines.len())].join("\n") + "\n";
    part.chars().any(|c| c.is_ascii_digit()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::headed;

    #[test]
    fn a_heading_has_what_is_below_it() {
        let page = "Stock kernel:\nreal 1.0\nuser 0.5\nPatched kernel:\nreal 0.8\nuser 0.4\n";
        assert_eq!(
            headed(page.as_bytes(), "stock kernel").as_deref(),
            Some("real 1.0\nuser 0.5\n")
        );
        assert_eq!(
            headed(page.as_bytes(), "Patched kernel:").as_deref(),
            Some("real 0.8\nuser 0.4\n")
        );
        assert_eq!(headed(page.as_bytes(), "another"), None);
        assert_eq!(
            headed("a-2 1.5us ± 0%\nb-2 2.5us ± 0%\n".as_bytes(), "-2"),
            None
        );
        assert_eq!(
            headed(b"8:\na 1\n16:\na 2\n", "16").as_deref(),
            Some("a 2\n")
        );
        let page = "before (run 1)\n\nCopy: 1\n\nafter (run 2)\n\nCopy: 2\n";
        assert_eq!(
            headed(page.as_bytes(), "after").as_deref(),
            Some("\nCopy: 2\n")
        );
        assert_eq!(
            headed(page.as_bytes(), "before").as_deref(),
            Some("\nCopy: 1\n\n")
        );
        let page = "====\nold pages\n1 GB/s\n====\nnew pages\n2 GB/s\n";
        assert_eq!(
            headed(page.as_bytes(), "old").as_deref(),
            Some("1 GB/s\n====\n")
        );
        let page = "==> 01_no_flags_a <==\n 1 MB/s\n==> 02_native_a <==\n 2 MB/s\n";
        assert_eq!(
            headed(page.as_bytes(), "no_flags_a").as_deref(),
            Some(" 1 MB/s\n")
        );
        assert_eq!(
            headed(page.as_bytes(), "flags"),
            Some(" 1 MB/s\n".to_owned())
        );
        assert_eq!(headed(page.as_bytes(), "native_b"), None);
        assert_eq!(headed(b"", "x"), None);
    }
}
