//! A comparison in one word, for exit codes.

use whyslow_model::comparison::{Comparison, Size, Verdict};

/// What makes a comparison fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailOn {
    /// A real difference in either direction.
    #[default]
    Any,
    /// Something really slower.
    Slower,
    /// Nothing.
    None,
}

/// A comparison in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No difference that matters, and every point settled.
    Same,
    /// A real difference of the kind that was asked about.
    Different,
    /// No such difference, but not every point is settled.
    Undecided,
}

/// Is it a real difference that is not negligible?
pub fn is_real(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Slower { size } | Verdict::Faster { size } => *size != Size::Negligible,
        Verdict::Modes { real } => *real,
        _ => false,
    }
}

/// The comparison in one word.
pub fn outcome(comparison: &Comparison, fail_on: FailOn) -> Outcome {
    let verdicts = || comparison.points.iter().map(|p| &p.verdict);
    let fails = |verdict: &Verdict| match fail_on {
        FailOn::Any => is_real(verdict),
        // Modes have no direction of their own: more often slow is not the same as slower.
        FailOn::Slower => is_real(verdict) && !matches!(verdict, Verdict::Faster { .. }),
        FailOn::None => false,
    };
    let open = |verdict: &Verdict| {
        matches!(
            verdict,
            Verdict::Undecided { .. }
                | Verdict::Untested { .. }
                | Verdict::NotComparable { .. }
                | Verdict::Modes { real: false }
        )
    };
    if verdicts().any(fails) {
        Outcome::Different
    } else if fail_on != FailOn::None && verdicts().any(open) {
        Outcome::Undecided
    } else {
        Outcome::Same
    }
}
