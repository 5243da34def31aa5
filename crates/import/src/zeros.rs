//! Columns of samples that are zero now and then. A zero is no amount, and the figures beside it alone would be too many,
//! so such columns are left out.

use std::collections::BTreeMap;

/// What was seen in each column.
pub(crate) struct Zeros<K>(BTreeMap<K, Seen>);

#[derive(Default)]
struct Seen {
    zero: bool,
    more: bool,
}

impl<K: Ord> Zeros<K> {
    pub(crate) fn new() -> Self {
        Zeros(BTreeMap::new())
    }

    pub(crate) fn add(&mut self, column: K, value: f64) {
        let seen = self.0.entry(column).or_default();
        match value > 0.0 {
            true => seen.more = true,
            false => seen.zero = true,
        }
    }

    /// Was the column seen at all?
    pub(crate) fn knows(&self, column: &K) -> bool {
        self.0.contains_key(column)
    }

    /// Is the column zero in some samples and not in others?
    pub(crate) fn mixed(&self, column: &K) -> bool {
        self.0.get(column).is_some_and(Seen::mixed)
    }

    pub(crate) fn any_mixed(&self) -> bool {
        self.0.values().any(Seen::mixed)
    }
}

impl Seen {
    fn mixed(&self) -> bool {
        self.zero && self.more
    }
}
