//! What failed, and what is not tried again.

use std::collections::BTreeMap;

use whyslow_model::record::FailureKind;

/// What failed this often in a row is not tried again; each failure is a process and, for one that
/// hangs, its whole patience.
const TRIES: u32 = 2;

/// Failures in a row.
#[derive(Debug)]
pub(crate) struct Failures<K>(BTreeMap<K, u32>);

impl<K: Ord + Clone> Failures<K> {
    /// None yet.
    pub(crate) fn none() -> Self {
        Failures(BTreeMap::new())
    }

    /// It did well: what failed before was chance.
    pub(crate) fn did_well(&mut self, what: &K) {
        self.0.remove(what);
    }

    /// It failed. Is it not tried again?
    pub(crate) fn failed(&mut self, what: &K, how: FailureKind) -> bool {
        let count = self.0.entry(what.clone()).or_insert(0);
        // What a host cannot do it will not do later either.
        *count += if how == FailureKind::Unavailable {
            TRIES
        } else {
            1
        };
        *count >= TRIES
    }

    /// Is it not tried again?
    pub(crate) fn given_up(&self, what: &K) -> bool {
        self.0.get(what).is_some_and(|&n| n >= TRIES)
    }
}

/// What is said of something that is not tried again, after its name.
pub(crate) fn not_again() -> String {
    format!("failed {TRIES} times in a row; not tried again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_up_is_what_fails_in_a_row_or_cannot_be() {
        let mut failures = Failures::none();
        assert!(!failures.failed(&"a", FailureKind::Crashed));
        failures.did_well(&"a");
        assert!(!failures.failed(&"a", FailureKind::Hung));
        assert!(failures.failed(&"a", FailureKind::Hung));
        assert!(failures.failed(&"b", FailureKind::Unavailable));
        assert!(failures.given_up(&"a") && failures.given_up(&"b"));
        assert!(!failures.given_up(&"c"));
    }
}
