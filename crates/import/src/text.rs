//! The input as lines of text, or a clear refusal of what is not text.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::Fault;
use crate::cleaned::{cleaned, line_end};

/// Largest input, bytes. Published results are kilobytes; more is a mistake. As many figures as are taken
/// have room in it, and the slowest format has read it within seconds.
pub const LARGEST: usize = 16 << 20;

/// Most lines: above the most figures that are taken, each on a line of its own.
const MOST_LINES: usize = 250_000;

/// Longest line, bytes: far above any table, and what keeps its words within some megabytes.
const LONGEST_LINE: usize = 1 << 20;

/// Bytes that tell whether an input is text at all.
const LOOKED_AT: usize = 64 << 10;

/// An input that is text.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    whole: Cow<'a, str>,
    /// Where each line begins and ends, without its line end.
    spans: Vec<(usize, usize)>,
    /// Does the last line have a line end?
    closed: bool,
    /// For each line the number of the last heading above it, 0 for none, once it was asked for: a log asks for each line.
    headings: OnceCell<Vec<usize>>,
}

impl<'a> Text<'a> {
    /// Takes `bytes` for text. Bytes that are not UTF-8 (old mails) are kept as marks of an unknown
    /// character: no number is made of them.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Fault> {
        refuse_what_is_not_text(bytes)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Text::of(cleaned(String::from_utf8_lossy(bytes)))
    }

    /// A text of these lines, which keep their numbers.
    pub(crate) fn of_lines(lines: &[Cow<'_, str>]) -> Result<Text<'static>, Fault> {
        let mut whole = lines.join("\n");
        whole.push('\n');
        Text::of(Cow::Owned(whole))
    }

    fn of(whole: Cow<'a, str>) -> Result<Self, Fault> {
        let mut spans = Vec::new();
        let mut start = 0;
        for (at, _) in whole.match_indices(line_end(&whole)) {
            spans.push((start, at));
            start = at + 1;
            if spans.len() > MOST_LINES {
                return Err(Fault::whole(format!(
                    "has more than {MOST_LINES} lines; cut out the results and import those"
                )));
            }
        }
        let closed = start == whole.len();
        if !closed {
            spans.push((start, whole.len()));
        }
        if let Some(at) = spans.iter().position(|(a, b)| b - a > LONGEST_LINE) {
            return Err(Fault::at(
                at + 1,
                "is longer than 1 MiB, which no result is; cut out the results and import those",
            ));
        }
        if whole.trim().is_empty() {
            return Err(Fault::whole("holds nothing but spaces"));
        }
        Ok(Text {
            whole,
            spans,
            closed,
            headings: OnceCell::new(),
        })
    }

    /// All of it.
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    /// The same with all lines empty but those that are wanted; numbers of lines stay.
    pub(crate) fn only(&self, wanted: impl Fn(usize) -> bool) -> Text<'_> {
        let spans = self.spans.iter().enumerate();
        Text {
            whole: Cow::Borrowed(&self.whole),
            spans: spans
                .map(|(i, &span)| if wanted(i + 1) { span } else { (0, 0) })
                .collect(),
            closed: self.closed,
            headings: OnceCell::new(),
        }
    }

    /// Lines with their numbers, from 1, without line ends, the marks of quoting in mails (`> `) and
    /// spaces at the end.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> + Clone {
        self.spans
            .iter()
            .enumerate()
            .map(|(i, &(start, end))| (i + 1, unquoted(&self.whole[start..end])))
    }

    /// The line of that number, empty behind the last.
    pub(crate) fn line(&self, number: usize) -> &str {
        let span = number.checked_sub(1).and_then(|i| self.spans.get(i));
        span.map_or("", |&(start, end)| unquoted(&self.whole[start..end]))
    }

    /// The line of that number as it stands, with its marks of quoting.
    pub(crate) fn quoted(&self, number: usize) -> &str {
        let span = number.checked_sub(1).and_then(|i| self.spans.get(i));
        span.map_or("", |&(start, end)| self.whole[start..end].trim_end())
    }

    /// The number of the last line above `number` that is a heading, as `is` says of each line.
    pub(crate) fn heading(&self, number: usize, is: fn(&str) -> bool) -> Option<usize> {
        let headings = self.headings.get_or_init(|| {
            let mut last = 0;
            let lines = self.lines().map(|(number, line)| {
                let above = last;
                if is(line) {
                    last = number;
                }
                above
            });
            lines.collect()
        });
        let above = number.checked_sub(1).and_then(|at| headings.get(at));
        above.copied().filter(|above| *above > 0)
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        self.spans.len()
    }

    /// Does the last line lack its end, so that its last number may be cut short?
    pub(crate) fn is_cut(&self) -> bool {
        !self.closed
    }
}

fn unquoted(line: &str) -> &str {
    let mut line = line.trim_end();
    // Mailers put a space in front of a mark that is not theirs.
    while let Some(rest) = line.strip_prefix('>').or_else(|| line.strip_prefix(" >")) {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

fn refuse_what_is_not_text(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.is_empty() {
        return Err(Fault::whole("is empty"));
    }
    if bytes.len() > LARGEST {
        return Err(Fault::whole(
            "is larger than 16 MiB; cut out the results and import those",
        ));
    }
    let packed = [
        (&b"\x1f\x8b"[..], "gzip"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ", "xz"),
        (b"PK\x03\x04", "zip"),
    ];
    if let Some((_, how)) = packed.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(Fault::whole(format!(
            "is compressed ({how}); unpack it first"
        )));
    }
    if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
        return Err(Fault::whole(
            "is compressed (zstd); if it is a whyslow record, use it as it is, otherwise unpack it",
        ));
    }
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") || half_zero(start) {
        return Err(Fault::whole(
            "is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE",
        ));
    }
    let odd = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    if let Some(at) = bytes.iter().position(odd) {
        return Err(Fault::whole(format!(
            "is not text (byte {:#04x} at offset {at}); import takes the text that a tool printed",
            bytes[at]
        )));
    }
    Ok(())
}

/// Is every other byte zero, as in UTF-16 without a mark?
fn half_zero(bytes: &[u8]) -> bool {
    let zeros = |odd| {
        let side = bytes.iter().skip(odd).step_by(2);
        side.filter(|b| **b == 0).count()
    };
    // Nine in ten leaves room for letters outside of Latin.
    let most = bytes.len() / 2 * 9 / 10;
    bytes.len() >= 4 && (zeros(0) > most) != (zeros(1) > most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        let fault = Text::read(bytes).map(|_| ()).unwrap_err();
        fault.within("x").to_string()
    }

    #[test]
    fn refuses_what_is_not_text() {
        assert_eq!(refusal(b""), "x: is empty");
        assert_eq!(refusal(b" \n \r\n"), "x: holds nothing but spaces");
        let wide: Vec<u8> = "Copy: 1"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(refusal(&wide).contains("UTF-16"), "{}", refusal(&wide));
        assert!(refusal(b"\xff\xfea\0").contains("UTF-16"));
        assert!(refusal(b"\x7fELF\x02\x01\x01\0\0\0").contains("not text (byte"));
        assert!(refusal(b"\x1f\x8b\x08").contains("gzip"));
        assert!(refusal(&vec![b'\n'; MOST_LINES + 2]).contains("lines"));
    }

    #[test]
    fn takes_every_line_end_and_quoting() {
        for text in [
            "a\nb\n",
            "a\r\nb\r\n",
            "a\rb\r",
            "> a\n>> b\n",
            "\u{feff}a\nb",
        ] {
            let text = Text::read(text.as_bytes()).unwrap();
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(lines, [(1, "a"), (2, "b")]);
        }
    }
}
