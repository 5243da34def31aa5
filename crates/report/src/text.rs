//! Text for a terminal: characters that each take one column, with a style.

/// How a piece of text stands out, where colors are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    Dim,
    /// For what is compared with the plain text, such as a second curve.
    Accent,
}

impl Style {
    /// The escape sequence that begins it.
    const fn begin(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Strong => "\x1b[1m",
            Style::Dim => "\x1b[2m",
            Style::Accent => "\x1b[36m",
        }
    }
}

/// Every escape sequence that whyslow writes: those that begin a style, and the one that ends it.
pub const STYLES: [&str; 4] = [
    Style::Strong.begin(),
    Style::Dim.begin(),
    Style::Accent.begin(),
    END,
];

/// The escape sequence that ends every style.
const END: &str = "\x1b[0m";

/// A space at which no line is broken.
pub(crate) const TIE: char = '\u{a0}';

/// Put where a line had to be cut.
const CUT: char = '…';

/// One line, or a paragraph before it is wrapped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text(Vec<(char, Style)>);

impl Text {
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Text::default().and(Style::Plain, text)
    }

    pub(crate) fn strong(text: impl AsRef<str>) -> Self {
        Text::default().and(Style::Strong, text)
    }

    pub(crate) fn dim(text: impl AsRef<str>) -> Self {
        Text::default().and(Style::Dim, text)
    }

    /// The same with `text` behind it.
    pub(crate) fn and(mut self, style: Style, text: impl AsRef<str>) -> Self {
        self.push(style, text.as_ref());
        self
    }

    /// The same with another text behind it.
    pub(crate) fn then(mut self, other: Text) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The one way in: what could move the cursor or take another width than one column is
    /// replaced here.
    pub(crate) fn push(&mut self, style: Style, text: &str) {
        self.0.extend(text.chars().map(|c| (clean(c), style)));
    }

    /// Spaces up to `column`.
    pub(crate) fn pad(mut self, column: usize) -> Self {
        if self.0.len() < column {
            self.0.resize(column, (' ', Style::Plain));
        }
        self
    }

    /// Columns.
    pub(crate) fn width(&self) -> usize {
        self.0.len()
    }

    /// Its characters without their style.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|(c, _)| *c).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first `columns` columns, with a sign where something was lost.
    fn cut(&self, columns: usize) -> Text {
        let mut cut = self.clone();
        if cut.0.len() > columns {
            cut.0.truncate(columns);
            if let Some(last) = cut.0.last_mut() {
                last.0 = CUT;
            }
        }
        cut
    }

    /// Lines of at most `columns` columns, broken at spaces, or within a word that is longer.
    pub(crate) fn wrap(&self, columns: usize) -> Vec<Text> {
        let columns = columns.max(1);
        let mut lines = vec![Text::default()];
        for word in self.0.split(|(c, _)| *c == ' ').filter(|w| !w.is_empty()) {
            let mut word = word;
            loop {
                let last = lines.len() - 1;
                let line = &mut lines[last].0;
                let gap = usize::from(!line.is_empty());
                if line.len() + gap + word.len() <= columns {
                    if gap == 1 {
                        let style = word.first().map_or(Style::Plain, |(_, style)| *style);
                        line.push((' ', style));
                    }
                    line.extend(word);
                    break;
                }
                if gap == 0 {
                    let (fits, rest) = word.split_at(breakable(word, columns));
                    line.extend(fits);
                    word = rest;
                }
                lines.push(Text::default());
            }
        }
        lines
    }

    /// As bytes for the terminal: cut to `columns`, no spaces at the end.
    pub(crate) fn render(&self, columns: usize, color: bool) -> String {
        let mut shown = self.clone();
        while shown.0.last().is_some_and(|(c, _)| matches!(*c, ' ' | TIE)) {
            shown.0.pop();
        }
        let chars = shown.cut(columns).0;
        let mut out = String::new();
        let mut now = Style::Plain;
        for (c, style) in chars {
            if color && style != now {
                if now != Style::Plain {
                    out.push_str(END);
                }
                out.push_str(style.begin());
                now = style;
            }
            out.push(if c == TIE { ' ' } else { c });
        }
        if now != Style::Plain {
            out.push_str(END);
        }
        out
    }
}

/// Where to break a word longer than a line: behind the last comma or slash that fits, if that
/// leaves at least half of the line filled.
fn breakable(word: &[(char, Style)], columns: usize) -> usize {
    let fits = columns.min(word.len());
    word[..fits]
        .iter()
        .rposition(|(c, _)| matches!(c, ',' | '/' | ';'))
        .map(|at| at + 1)
        .filter(|&at| at * 2 >= columns)
        .unwrap_or(fits)
}

/// A character that takes one column and nothing else; a question mark for all others.
pub(crate) fn clean(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        ' '..='~' | TIE => c,
        // Latin, Greek and Cyrillic letters and signs, but for the soft hyphen and the marks that
        // combine with the letter before them.
        '\u{a1}'..='\u{ac}'
        | '\u{ae}'..='\u{2ff}'
        | '\u{370}'..='\u{482}'
        | '\u{48a}'..='\u{52f}' => c,
        // What this crate draws with: dashes, ellipsis, the arrow, box lines, blocks, triangles, braille.
        '\u{2013}'
        | '\u{2014}'
        | '\u{2026}'
        | '\u{2192}'
        | '\u{2500}'..='\u{25ff}'
        | '\u{2800}'..='\u{28ff}' => c,
        _ => '?',
    }
}

/// What stands for a character where there is only ASCII: as wide, and as like as can be.
pub(crate) fn ascii(c: char) -> char {
    /// The dots of braille patterns in the upper, middle and lower rows.
    const ROWS: [u32; 3] = [0x09, 0x36, 0xc0];
    match c {
        c if c.is_ascii() => c,
        'µ' | 'μ' => 'u',
        '×' => 'x',
        '→' => '>',
        '±' => '~',
        '–' | '—' | '─' | '━' => '-',
        '│' | '┤' | '├' => '|',
        '┬' | '└' | '┴' | '┼' | '┌' | '┐' | '┘' => '+',
        '▲' | '△' => '^',
        '▼' => 'v',
        '●' | '○' | '◆' => 'o',
        '…' | '·' => '.',
        '\u{2800}' => ' ',
        '\u{2801}'..='\u{28ff}' => {
            let dots = u32::from(c) - 0x2800;
            let [upper, middle, lower] = ROWS.map(|row| dots & row != 0);
            match (upper, middle, lower) {
                (true, false, false) => '\'',
                (false, false, true) => '.',
                (false, true, false) => '-',
                (true, _, true) => '|',
                (true, true, false) => '"',
                _ => ':',
            }
        }
        // Blocks of bars.
        '\u{2580}'..='\u{259f}' => '#',
        _ => '?',
    }
}

/// `text` with every character [`clean`].
pub(crate) fn cleaned(text: &str) -> String {
    text.chars().map(clean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, columns: usize) -> Vec<String> {
        Text::plain(text)
            .wrap(columns)
            .iter()
            .map(|l| l.render(columns, false))
            .collect()
    }

    #[test]
    fn wraps_at_spaces_and_in_long_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(
            wrapped("a bcd{e=1,f=2,g=3}", 12),
            ["a", "bcd{e=1,f=2,", "g=3}"]
        );
        assert_eq!(wrapped("12\u{a0}ns 3", 5), ["12 ns", "3"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn lets_nothing_move_the_cursor() {
        let hostile = "a\x1b[2Jb\u{9b}31mc\u{7}\u{202e}d\r\ne\u{301}\u{4e2d}\u{200b}\u{ad}";
        let shown = Text::plain(hostile).render(80, false);
        assert_eq!(shown, "a?[2Jb?31mc??d  e????");
    }

    #[test]
    fn colors_only_when_asked() {
        let text = Text::strong("a")
            .and(Style::Plain, " b")
            .and(Style::Dim, "c");
        assert_eq!(text.render(9, false), "a bc");
        assert_eq!(text.render(9, true), "\x1b[1ma\x1b[0m b\x1b[2mc\x1b[0m");
        assert_eq!(text.render(3, true), "\x1b[1ma\x1b[0m …");
    }
}
