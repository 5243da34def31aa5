//! Published cases whose cause is known, and how well they are explained: read from `cases/`, scored by `explain`,
//! shown by `report`.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format of a [`CasesCheck`].
pub const SCHEMA: u32 = 1;

/// What `case.toml` says of a case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The case in a few words.
    pub title: String,
    /// Where the figures are published.
    pub source: String,
    /// When, as year or year and month.
    pub published: String,
    /// What kind of case it is.
    pub kind: CaseKind,
    /// How the cause is known: `experiment`, `review` or `likely`.
    #[serde(default)]
    pub known_by: String,
    /// Could a careful engineer name the cause from the figures and facts alone?
    pub knowable: bool,
    /// The cause, one line.
    #[serde(default)]
    pub cause: String,
    /// Values in all files together, counted by hand.
    pub values: u32,
    /// The baseline.
    pub a: CaseSide,
    /// What is held against it.
    pub b: CaseSide,
    /// What comparing must find.
    #[serde(default)]
    pub expect: Vec<Expected>,
    /// What explaining must find.
    #[serde(default)]
    pub explain: ExpectedCauses,
}

/// What kind of case it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// Its cause is known.
    Explained,
    /// Nothing differs.
    Null,
    /// Implausible or argued about: no cause may be claimed.
    Disputed,
}

/// A side of a case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSide {
    /// The files, in the case's folder; several are repeated runs.
    pub files: Vec<String>,
    /// What the publication calls it.
    pub label: String,
    /// The part of the files, where they hold both sides.
    #[serde(default)]
    pub part: String,
    /// What the publication says of the machine.
    #[serde(default)]
    pub facts: BTreeMap<String, Fact>,
}

/// A fact as TOML has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Fact {
    /// In words.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Number(f64),
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fact::Text(text) => f.write_str(text),
            Fact::Whole(number) => number.fmt(f),
            Fact::Number(number) => number.fmt(f),
        }
    }
}

/// What comparing must find of one row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Text that finds the row, as printed.
    pub row: String,
    /// How many times longer B takes.
    pub times: f64,
    /// The verdict.
    pub says: Says,
}

/// A verdict as a reader would give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// B takes longer.
    Slower,
    /// B takes less time.
    Faster,
    /// No difference.
    Same,
    /// Too few or too scattered values.
    Open,
}

/// What explaining must find.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCauses {
    /// Causes of which one comes first.
    #[serde(default)]
    pub right: Vec<String>,
    /// Causes that are fair as the second.
    #[serde(default)]
    pub second: Vec<String>,
    /// Causes that it is wrong to name as likely.
    #[serde(default)]
    pub never: Vec<String>,
    /// Ideas that the answer needs, for a reader.
    #[serde(default)]
    pub must_say: Vec<String>,
    /// Ideas that it must not have, for a reader.
    #[serde(default)]
    pub must_not_say: Vec<String>,
}

/// How well the cases of a folder are explained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CasesCheck {
    /// Format, see [`SCHEMA`].
    pub schema: u32,
    /// The folder.
    pub folder: String,
    /// Every case, by name.
    pub cases: Vec<CaseScore>,
}

/// How one case came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CaseScore {
    /// The case.
    pub name: String,
    /// The folder that it lies in, such as `open` or `sealed`.
    pub half: String,
    /// What kind of case it is.
    pub kind: CaseKind,
    /// Can its cause be known from its figures?
    pub knowable: bool,
    /// Files that were read.
    pub files_read: u32,
    /// Files.
    pub files: u32,
    /// Values that were taken.
    pub values_read: u32,
    /// Values that there are.
    pub values: u32,
    /// Rows that comparing found and judged as expected.
    pub rows_right: u32,
    /// Of these, rows of which only the ratio was found right, as it is not known which direction is better.
    #[serde(default)]
    pub rows_undirected: u32,
    /// Rows expected.
    pub rows: u32,
    /// The place of the right cause among those named, from 1; absent where none is named.
    pub rank: Option<u32>,
    /// Causes as named, the likeliest first.
    pub named: Vec<String>,
    /// Of these, causes that are named because they are often behind such rows, and for nothing else.
    #[serde(default)]
    pub named_by_rate: Vec<String>,
    /// The group of points that moved farthest.
    #[serde(default)]
    pub moved_most: Option<String>,
    /// Causes said to be likely that are wrong.
    pub wrong: Vec<String>,
    /// The answer, or why there is none.
    pub answer: String,
    /// What was not as expected, one line each.
    pub misses: Vec<String>,
}

impl CaseScore {
    /// Was every file read, with the values that are in it? They were counted by hand, to a tenth.
    pub fn is_imported(&self) -> bool {
        let off = self.values_read.abs_diff(self.values);
        self.files_read == self.files && off * 10 <= self.values
    }

    /// Was every expected row found and judged right?
    pub fn is_compared(&self) -> bool {
        self.rows_right == self.rows
    }

    /// Is its cause one to be found?
    pub fn has_cause(&self) -> bool {
        self.kind == CaseKind::Explained && self.knowable
    }

    /// Is the right cause the first or the second?
    pub fn is_explained(&self) -> bool {
        self.rank.is_some_and(|rank| rank <= 2)
    }

    /// Is the right cause the first or the second for no other reason than that it is often behind such rows?
    pub fn is_by_rate(&self) -> bool {
        let at = self.rank.filter(|_| self.is_explained());
        let named = at.and_then(|rank| self.named.get(rank as usize - 1));
        named.is_some_and(|cause| self.named_by_rate.contains(cause))
    }
}
