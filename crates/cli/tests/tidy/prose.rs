//! The prose of a source: its comments, and the texts between quotes.

/// A piece of prose and the line where it begins, counted from one.
#[derive(Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) is_comment: bool,
}

/// Reads the characters of a source one by one.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
    pieces: Vec<Piece>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn take_until(&mut self, end: &str) -> &'a str {
        let bytes = self.rest.find(end).unwrap_or(self.rest.len());
        self.take(bytes)
    }

    fn comment(&mut self, end: &str) {
        let line = self.line;
        let text = self.take_until(end);
        self.pieces
            .extend(text.lines().enumerate().map(|(at, text)| Piece {
                line: line + at,
                text: text.trim().to_owned(),
                is_comment: true,
            }));
    }

    /// A text that ends with `end`; a line break after a backslash is none.
    fn literal(&mut self, end: &str, escapes: bool) {
        let line = self.line;
        let mut text = String::new();
        while !self.rest.is_empty() && !self.rest.starts_with(end) {
            let escaped = escapes && self.rest.starts_with('\\');
            let first = self.rest.chars().nth(usize::from(escaped));
            let bytes = usize::from(escaped) + first.map_or(0, char::len_utf8);
            let taken = self.take(bytes);
            text += if escaped { " " } else { taken };
        }
        self.take(end.len().min(self.rest.len()));
        self.pieces.push(Piece {
            line,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            is_comment: false,
        });
    }

    /// A character between quotes, or the quote of a lifetime.
    fn quote(&mut self) {
        let mut next = self.rest.chars().skip(1);
        let bytes = match (next.next(), next.next()) {
            (Some('\\'), Some(escaped)) => {
                let from = 2 + escaped.len_utf8();
                self.rest[from..].find('\'').map_or(1, |end| from + end + 1)
            }
            (Some(one), Some('\'')) => 2 + one.len_utf8(),
            _ => 1,
        };
        self.take(bytes);
    }

    /// Letters and digits, and the text behind the `r#` of a raw one.
    fn word(&mut self) {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let word = self.take(end);
        if matches!(word, "r" | "br" | "cr") {
            let marks = self.rest.len() - self.rest.trim_start_matches('#').len();
            if self.rest[marks..].starts_with('"') {
                self.take(marks + 1);
                self.literal(&format!("\"{}", "#".repeat(marks)), false);
            }
        }
    }
}

/// The comments and texts of a source in Rust or C, in their order.
pub(crate) fn pieces(source: &str) -> Vec<Piece> {
    let mut reader = Reader {
        rest: source,
        line: 1,
        pieces: Vec::new(),
    };
    while let Some(next) = reader.rest.chars().next() {
        match next {
            '/' if reader.rest.starts_with("//") => reader.comment("\n"),
            '/' if reader.rest.starts_with("/*") => reader.comment("*/"),
            '"' => {
                reader.take(1);
                reader.literal("\"", true);
            }
            '\'' => reader.quote(),
            c if c.is_alphanumeric() || c == '_' => reader.word(),
            c => {
                reader.take(c.len_utf8());
            }
        }
    }
    reader.pieces
}

#[test]
fn comments_and_texts_are_found() {
    let source = "let a = '\"'; // one \"two\"\n\
        fn f<'a>(s: &'a str) { g(\"three \\\n     four \\\"//\", '\\'', r#\"fi\"ve\"#); }\n\
        /// six\n";
    let found: Vec<_> = pieces(source)
        .into_iter()
        .map(|piece| (piece.line, piece.text, piece.is_comment))
        .collect();
    let piece = |line: usize, text: &str, is_comment| (line, text.to_owned(), is_comment);
    assert_eq!(
        found,
        [
            piece(1, "// one \"two\"", true),
            piece(2, "three four //", false),
            piece(3, "fi\"ve", false),
            piece(4, "/// six", true),
        ]
    );
}
