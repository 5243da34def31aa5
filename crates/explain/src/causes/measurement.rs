//! A figure that cannot be right.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "measurement",
    title: "the measurement (figures that cannot be right)",
    said: include_str!("measurement.txt"),
    reaches: &[],
    what: "A loop that the compiler has removed, a counter that wrapped, a clock that stood, or two versions of a tool that count otherwise give figures that no machine reaches.",
    advice: &[
        "Measure again with one version of the tool on both sides, and see whether the time grows with the work.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Weight where such figures are all that moved.
const ALL: f64 = 0.95;

/// Weight where there are others.
const SOME: f64 = 0.3;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let set_aside: Vec<&str> = case.implausible.iter().map(String::as_str).collect();
    if set_aside.is_empty() {
        return None;
    }
    let alone = case.moved_roles().is_empty();
    let (verdict, weight) = match alone {
        true => (CauseVerdict::Consistent, ALL),
        false => (CauseVerdict::CannotTell, SOME),
    };
    let mut judgement = Judgement::new(verdict, weight);
    for text in set_aside {
        judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text.to_owned());
    }
    Some(judgement)
}
