//! What a cause declares.

use whyslow_model::explanation::{CauseVerdict, Evidence, EvidenceKind, NextStep, Share, Speaks};

use crate::case::Case;

/// A named mechanism that can make points differ.
#[derive(Debug)]
pub struct Cause {
    /// Id such as `page-placement`; probes name it in their `causes`.
    pub id: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// What it is, in one or two sentences.
    pub what: &'static str,
    /// What a user can do about it.
    pub advice: &'static [&'static str],
    /// Judges it by two sides; nothing when it does not bear on this case at all.
    pub judge: fn(&Case<'_>) -> Option<Judgement>,
}

/// What a cause makes of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: CauseVerdict,
    /// How well it fits, 0 to 1.
    pub weight: f64,
    /// Share of the whole difference that it covers.
    pub share: Option<Share>,
    /// Names of the groups that it covers.
    pub covers: Vec<String>,
    /// For and against.
    pub evidence: Vec<Evidence>,
    /// What would settle it.
    pub next: Vec<NextStep>,
}

/// A line of evidence.
pub(crate) fn line(speaks: Speaks, from: EvidenceKind, text: impl Into<String>) -> Evidence {
    Evidence {
        speaks,
        from,
        text: text.into(),
    }
}
