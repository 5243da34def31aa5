//! What a run tells its observer.

use std::time::Duration;

use whyslow_model::Point;

/// Progress of a run. Sent between workers only.
#[derive(Debug)]
pub enum Event<'a> {
    /// The seed and the journal's place are known; measuring begins.
    Begun {
        /// What is done next, a few words.
        what: &'a str,
    },
    /// The rounds begin.
    Planned {
        /// Points in each.
        points: usize,
        /// Rounds.
        rounds: u32,
    },
    /// A worker is about to start.
    Step {
        /// Workers that have ended.
        done: usize,
        /// Workers in all.
        total: usize,
        /// Estimated time to the end.
        left: Duration,
        /// What it measures.
        next: &'a Point,
    },
    /// Something the user should know now.
    Warning(&'a str),
}
