//! What can go wrong: one line with file, line and what to do.

use whyslow_model::text::visible;

/// Why an input cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct ImportError {
    /// The file.
    pub file: String,
    /// The line, from 1, where it is one line's fault.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub what: String,
}

/// An error before the name of the file is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    line: Option<usize>,
    what: String,
}

impl Fault {
    /// About the input as a whole.
    pub(crate) fn whole(what: impl Into<String>) -> Self {
        Fault {
            line: None,
            what: what.into(),
        }
    }

    /// About one line, from 1; 0 is none in particular.
    pub(crate) fn at(line: usize, what: impl Into<String>) -> Self {
        Fault {
            line: Some(line).filter(|l| *l > 0),
            what: what.into(),
        }
    }

    /// About text that is not `what`, such as `JSON`.
    pub(crate) fn of_json(why: &serde_json::Error, what: &str) -> Self {
        // Its text ends with the place, which is said in front.
        let text = why.to_string();
        let said = text
            .rsplit_once(" at line")
            .map_or(text.as_str(), |(said, _)| said);
        Fault::at(
            why.line(),
            format!("not {what} ({said}); is the file whole?"),
        )
    }

    /// The line and what is wrong with it; the fault itself when it is about no line.
    pub(crate) fn of_line(self) -> Result<(usize, String), Fault> {
        match self.line {
            Some(line) => Ok((line, self.what)),
            None => Err(self),
        }
    }

    /// Names the file.
    pub(crate) fn within(self, file: &str) -> ImportError {
        ImportError {
            file: visible(file).into_owned(),
            line: self.line,
            // What a text quotes from the input must not break the one line.
            what: visible(&self.what).into_owned(),
        }
    }
}

/// `text` as an error may quote it: its start, on one line, with nothing hidden in it.
pub(crate) fn quote(text: &str) -> String {
    /// Enough to find the place, and short of filling a terminal.
    const LONGEST: usize = 60;
    let text = text.trim();
    let start: String = text.chars().take(LONGEST).collect();
    let cut = if start.len() < text.len() { "..." } else { "" };
    visible(&start).into_owned() + cut
}
