//! What counters of events say of a cause: more or fewer of them must go with more or less time.

use super::{Case, Moved};
use whyslow_model::role::Role;

/// A counter that moves less than this, as a logarithm of 1.5, says nothing.
const MUCH: f64 = 0.4;

impl Case<'_> {
    /// The counter with all of `parts` in its name that moved most, and what moved the other way by as much as matters:
    /// a sentence that speaks against the cause that it counts. Nothing where no such counter is there, or it agrees.
    pub(crate) fn counted_against(&self, parts: &[&str]) -> Option<String> {
        let named = |p: &&Moved<'_>| {
            let name = p.name.to_lowercase();
            p.role == Role::Count && parts.iter().all(|part| name.contains(part))
        };
        let counters = self.points.iter().filter(named);
        let most = counters.max_by(|x, y| x.worse.abs().total_cmp(&y.worse.abs()))?;
        let others = self.moved().filter(|p| p.role != Role::Count);
        let spent = others.max_by(|x, y| x.worse.abs().total_cmp(&y.worse.abs()))?;
        let against = most.worse.abs() > MUCH && most.worse * spent.worse < 0.0;
        against.then(|| {
            format!(
                "{}: {}, while {}: {}",
                most.name,
                most.said(),
                spent.name,
                spent.said()
            )
        })
    }
}
