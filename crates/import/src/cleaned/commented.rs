//! Results that stand in a comment of a source file or of a patch.

use std::borrow::Cow;

use super::line_end;

/// What begins each line of one, in front of a space.
const MARKS: [&str; 6] = ["+#", "#", "+//", "//", "--", "+--"];

/// `whole` without the mark of a comment that all its lines begin with.
pub(super) fn uncommented(whole: Cow<'_, str>) -> Cow<'_, str> {
    /// Fewer may be a heading and a root's prompt.
    const FEWEST: usize = 3;
    let end = line_end(&whole);
    let filled = || whole.split(end).filter(|line| !line.trim().is_empty());
    if filled().take(FEWEST).count() < FEWEST {
        return whole;
    }
    let begins = |line: &str, mark: &str| {
        let rest = line.strip_prefix(mark);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    let Some(mark) = MARKS
        .iter()
        .find(|mark| filled().all(|line| begins(line, mark)))
    else {
        return whole;
    };
    let lines = whole
        .split(end)
        .map(|line| line.strip_prefix(mark).unwrap_or(line));
    Cow::Owned(lines.collect::<Vec<_>>().join(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_comment_begin_alike() {
        for (text, bare) in [
            ("+# a 1\n+#\n+#  b 2\n", " a 1\n\n  b 2\n"),
            ("# a 1\n\n# b 2\n# c 3", " a 1\n\n b 2\n c 3"),
            ("// a 1\n// b 2\n// c 3", " a 1\n b 2\n c 3"),
            ("# a\n1\n2\n", "# a\n1\n2\n"),
            ("## a\n# b\n# c\n", "## a\n# b\n# c\n"),
            ("# a\n# b\n", "# a\n# b\n"),
        ] {
            assert_eq!(uncommented(Cow::Borrowed(text)), bare);
        }
    }
}
