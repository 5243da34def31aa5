//! What a cause declares, and what it makes of a case.

use whyslow_model::explanation::{CauseVerdict, Evidence, EvidenceKind, NextStep, Speaks};
use whyslow_model::share::Share;

use crate::case::Case;
use crate::planted::Plant;
use crate::switch::Switch;
use whyslow_model::role::Role;

/// A named mechanism that can make points differ.
#[derive(Debug)]
pub struct Cause {
    /// Id such as `page-placement`; probes name it in their `causes`.
    pub id: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// Words of what is said of two machines that make it the first suspect, where they are said of one side alone: names
    /// of settings, of patches, of programs. In lower case, parted by semicolons or ends of lines; they match at the beginning
    /// of a word.
    pub said: &'static str,
    /// Roles that it can move at all; empty where it can be any.
    pub reaches: &'static [Role],
    /// What it is, in one or two sentences.
    pub what: &'static str,
    /// What a user can do about it.
    pub advice: &'static [&'static str],
    /// Judges it by two sides; nothing when it does not bear on this case at all.
    pub judge: fn(&Case<'_>) -> Option<Judgement>,
    /// How to switch it on and off on a live host; nothing where that cannot be done.
    pub switch: Option<&'static Switch>,
    /// Ways to plant it on this host, for `whyslow selfcheck --causes`.
    pub plants: &'static [Plant],
}

/// What a cause makes of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: CauseVerdict,
    /// How well it fits, 0 to 1.
    pub weight: f64,
    /// Roles that it covers, and the logarithm that it accounts for in each; nothing for all of it.
    pub covers: Vec<(Role, Option<f64>)>,
    /// For and against.
    pub evidence: Vec<Evidence>,
    /// What would settle it.
    pub next: Vec<NextStep>,
    /// The share that it covers, where an experiment measured it.
    pub share: Option<Share>,
    /// Does what it must move fit so that only facts are missing?
    pub fits: bool,
}

impl Judgement {
    /// A verdict without anything covered.
    pub(crate) fn new(verdict: CauseVerdict, weight: f64) -> Self {
        Judgement {
            verdict,
            weight,
            covers: Vec::new(),
            evidence: Vec::new(),
            next: Vec::new(),
            share: None,
            fits: false,
        }
    }

    /// The same with a line of evidence.
    pub(crate) fn with(mut self, speaks: Speaks, from: EvidenceKind, text: String) -> Self {
        self.evidence.push(Evidence { speaks, from, text });
        self
    }

    /// The same with a next step.
    pub(crate) fn then(mut self, settles: &str, command: &str) -> Self {
        self.next.push(step(settles, command));
        self
    }
}

/// A next step.
pub(crate) fn step(settles: &str, command: &str) -> NextStep {
    NextStep {
        settles: settles.to_owned(),
        command: command.to_owned(),
    }
}

/// Does a fact or setting speak for it?
pub(crate) fn by_fact(evidence: &[Evidence]) -> bool {
    let mut lines = evidence.iter();
    lines.any(|e| e.from == EvidenceKind::Fact && e.speaks == Speaks::For)
}

/// A line of evidence.
pub(crate) fn line(speaks: Speaks, from: EvidenceKind, text: impl Into<String>) -> Evidence {
    Evidence {
        speaks,
        from,
        text: text.into(),
    }
}
