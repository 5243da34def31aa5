//! Figures that Markdown marks as code beside their words: `| sort | \`1729.5\` ops/sec (\`±1.2%\`) |`.

use std::borrow::Cow;

use super::line_end;

/// `whole` with the figures in rows between bars as they are without the marks.
pub(super) fn uncoded(whole: Cow<'_, str>) -> Cow<'_, str> {
    let end = line_end(&whole);
    let coded = |line: &str| line.contains('|') && line.contains('`');
    if !whole.split(end).any(coded) {
        return whole;
    }
    let lines = whole.split(end).map(|line| match coded(line) {
        true => Cow::Owned(uncoded_line(line)),
        false => Cow::Borrowed(line),
    });
    Cow::Owned(lines.collect::<Vec<_>>().join(end))
}

/// Where the marks are no pairs the line is as it was.
fn uncoded_line(line: &str) -> String {
    let pieces: Vec<&str> = line.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    for (at, piece) in pieces.iter().enumerate() {
        let within = at % 2 == 1;
        let mark = if within && !is_figure(piece) { "`" } else { "" };
        out.push_str(mark);
        out.push_str(piece);
        out.push_str(mark);
    }
    out
}

fn is_figure(text: &str) -> bool {
    let part = |c: char| c.is_ascii_digit() || ".,%±+- ".contains(c);
    text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_alone_are_uncoded() {
        for (line, bare) in [
            (
                "| `sort 1` | `1729.5` ops/sec (`±1.2%`) |",
                "| `sort 1` | 1729.5 ops/sec (±1.2%) |",
            ),
            ("| `a` | 1 ` 2 |", "| `a` | 1 ` 2 |"),
            ("say `12`", "say `12`"),
        ] {
            assert_eq!(uncoded(Cow::Borrowed(line)), bare);
        }
    }
}
