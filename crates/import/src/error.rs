//! What can go wrong: one line with file, line and what to do.

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

    /// Names the file.
    pub(crate) fn within(self, file: &str) -> ImportError {
        ImportError {
            file: file.to_owned(),
            line: self.line,
            // What a text quotes from the input must not break the one line.
            what: self
                .what
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect(),
        }
    }
}

/// `text` as an error may quote it: its start, on one line.
pub(crate) fn quote(text: &str) -> String {
    /// Enough to find the place, and short of filling a terminal.
    const LONGEST: usize = 60;
    let text = text.trim();
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
