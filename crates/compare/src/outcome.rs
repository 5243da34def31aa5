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
        Verdict::Slower { size } | Verdict::Faster { size } | Verdict::Differs { size } => {
            *size != Size::Negligible
        }
        Verdict::Modes { real } => *real,
        _ => false,
    }
}

/// How many points have which verdict. Every page that gives a count takes it from here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Really worse, and not negligible.
    pub worse: usize,
    /// Really better, and not negligible.
    pub better: usize,
    /// Really other and not negligible, where it is not known which direction is better.
    pub differ: usize,
    /// With really other shares of modes.
    pub other_modes: usize,
    /// Real but negligible.
    pub negligible: usize,
    /// Shown to be the same.
    pub same: usize,
    /// Neither shown to differ nor to be the same.
    pub undecided: usize,
    /// In modes that both sides share, with no real difference in their shares.
    pub in_modes: usize,
    /// Without a test.
    pub untested: usize,
    /// Not to be compared.
    pub not_comparable: usize,
}

impl Counts {
    /// Of all points of `comparison`.
    pub fn of(comparison: &Comparison) -> Counts {
        let mut counts = Counts::default();
        for point in &comparison.points {
            let count = match &point.verdict {
                Verdict::Slower { size } | Verdict::Faster { size } | Verdict::Differs { size }
                    if *size == Size::Negligible =>
                {
                    &mut counts.negligible
                }
                Verdict::Slower { .. } => &mut counts.worse,
                Verdict::Faster { .. } => &mut counts.better,
                Verdict::Differs { .. } => &mut counts.differ,
                Verdict::Modes { real: true } => &mut counts.other_modes,
                Verdict::Modes { real: false } => &mut counts.in_modes,
                Verdict::Same => &mut counts.same,
                Verdict::Undecided { .. } => &mut counts.undecided,
                Verdict::Untested { .. } => &mut counts.untested,
                Verdict::NotComparable { .. } => &mut counts.not_comparable,
            };
            *count += 1;
        }
        counts
    }

    /// Real differences that are not negligible, as [`is_real`] has them.
    pub fn real(&self) -> usize {
        self.worse + self.better + self.differ + self.other_modes
    }
}

/// The comparison in one word.
pub fn outcome(comparison: &Comparison, fail_on: FailOn) -> Outcome {
    let verdicts = || comparison.points.iter().map(|p| &p.verdict);
    let fails = |verdict: &Verdict| match fail_on {
        FailOn::Any => is_real(verdict),
        // Modes have no direction of their own: more often slow is not the same as slower. What may be faster as
        // well was not shown to be slower.
        FailOn::Slower => {
            is_real(verdict) && !matches!(verdict, Verdict::Faster { .. } | Verdict::Differs { .. })
        }
        FailOn::None => false,
    };
    let open = |verdict: &Verdict| {
        matches!(
            verdict,
            Verdict::Undecided { .. }
                | Verdict::Untested { .. }
                | Verdict::NotComparable { .. }
                | Verdict::Modes { real: false }
        ) || fail_on == FailOn::Slower
            && matches!(verdict, Verdict::Differs { .. })
            && is_real(verdict)
    };
    if verdicts().any(fails) {
        Outcome::Different
    } else if fail_on != FailOn::None && verdicts().any(open) {
        Outcome::Undecided
    } else {
        Outcome::Same
    }
}
