//! Text that did not come from whyslow, made safe to print.
//!
//! A record, an imported file or an argument may hold characters that a terminal obeys rather than
//! shows, or that change the order in which the others are read. All text that leaves the program has
//! them written out here, as JSON writes them: inside a JSON text they then still mean the same.

use std::borrow::Cow;
use std::fmt::Write;

/// Words beside a number of what works at once.
pub const AT_ONCE: [&str; 12] = [
    "thread",
    "threads",
    "proc",
    "procs",
    "processes",
    "clients",
    "tasks",
    "groups",
    "cpus",
    "cores",
    "jobs",
    "copies",
];

/// The signs that ministat draws its sides with, in the order of its files.
pub const MINISTAT_SIGNS: [&str; 8] = ["x", "+", "*", "%", "#", "@", "O", "-"];

/// Is it a character that a reader cannot see, and that a terminal or a reading order may obey: the
/// controls C0, DEL and C1, separators of lines and paragraphs, marks, embeddings, overrides and
/// isolates of direction, and what has no width?
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Time for a sentence: `150 ns`, `8.2 us`, `2.9 ms`.
pub fn time(ns: f64) -> String {
    let (value, digits, unit) = in_sentence(ns);
    format!("{value:.digits$} {unit}")
}

/// The same for a difference: `+150 ns`.
pub fn time_added(ns: f64) -> String {
    let (value, digits, unit) = in_sentence(ns);
    format!("{value:+.digits$} {unit}")
}

fn in_sentence(ns: f64) -> (f64, usize, &'static str) {
    let steps = [(1e9, "s"), (1e6, "ms"), (1e3, "us")];
    let (by, unit) = steps
        .into_iter()
        .find(|(by, _)| ns.abs() >= *by)
        .unwrap_or((1.0, "ns"));
    let value = ns / by;
    (value, usize::from(value.abs() < 9.95), unit)
}

/// The words of a name or a line, in lower case: letters and digits, and the dots, underscores and plus signs in them.
pub fn words(text: &str) -> Vec<String> {
    let of = text.split(|c: char| !(c.is_alphanumeric() || "._+".contains(c)));
    of.map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// `text` on one line with every hidden character written out, such as `\u001b`.
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, |_| false)
}

/// The same where lines and tabs are wanted.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |c| matches!(c, '\n' | '\t'))
}

/// The same where styles are wanted too: an escape stays where it begins one of `styles`.
pub fn visible_styled<'a>(text: &'a str, styles: &[&str]) -> Cow<'a, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out += &visible_lines(&rest[..at]);
        rest = &rest[at..];
        let style = styles.iter().find(|style| rest.starts_with(**style));
        let length = style.map_or(1, |style| style.len());
        match style {
            Some(style) => out.push_str(style),
            None => write_out(&mut out, '\u{1b}'),
        }
        rest = &rest[length..];
    }
    if out.is_empty() {
        return visible_lines(rest);
    }
    out += &visible_lines(rest);
    Cow::Owned(out)
}

fn written_out(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && !stays(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            write_out(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn write_out(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out() {
        assert_eq!(visible("a\x1b[31mb\n"), "a\\u001b[31mb\\u000a");
        assert_eq!(visible("\u{9b}2J\u{202e}\u{7f}"), "\\u009b2J\\u202e\\u007f");
        assert_eq!(visible_lines("a\tb\nc\r"), "a\tb\nc\\u000d");
        assert_eq!(visible("\u{e0041}"), "\\udb40\\udc41");
        assert!(matches!(
            visible("ns \u{b5}\u{a0}\u{2026}"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn only_known_styles_stay() {
        let styles = ["\x1b[0m", "\x1b[1m"];
        let text = "\x1b[1mA\x1b[0m\x1b[2J\x1b[31mB\x1b";
        assert_eq!(
            visible_styled(text, &styles),
            "\x1b[1mA\x1b[0m\\u001b[2J\\u001b[31mB\\u001b"
        );
        assert_eq!(visible_styled("\u{9b}", &styles), "\\u009b");
    }

    #[test]
    fn a_json_text_means_the_same() {
        let said = "a\u{9b}\u{202e}\u{7f}\u{e0041}\n";
        let json = serde_json::to_string(said).unwrap();
        let back: String = serde_json::from_str(&visible(&json)).unwrap();
        assert_eq!(back, said);
    }
}
