//! A cache with more than 16 ways and LRU: the lines of a set in the order of their use.

use super::{EMPTY, Gone, Store, Writes};
use crate::index::Index;

/// A way: the line, and whether it is changed.
type Way = (u32, bool);

/// Sets of many ways, such as fully associative TLBs.
pub(super) struct Wide {
    index: Index,
    ways: usize,
    writes: Writes,
    /// Set after set, the most recently used first, empty ways last.
    lines: Vec<Way>,
}

impl Wide {
    pub(super) fn new(index: Index, ways: u32, writes: Writes) -> Self {
        let ways = ways as usize;
        Wide {
            ways,
            writes,
            lines: vec![(EMPTY, false); index.sets() as usize * ways],
            index,
        }
    }

    fn set(&mut self, line: u32) -> &mut [Way] {
        let first = self.index.set(line) as usize * self.ways;
        &mut self.lines[first..first + self.ways]
    }
}

impl Store for Wide {
    fn writes(&self) -> Writes {
        self.writes
    }

    fn touch(&mut self, line: u32, change: bool) -> bool {
        let set = self.set(line);
        let at = set.iter().position(|(own, _)| *own == line);
        if let Some(at) = at {
            set[..=at].rotate_right(1);
            set[0].1 |= change;
        }
        at.is_some()
    }

    fn fill(&mut self, line: u32, changed: bool) -> Option<Gone> {
        let set = self.set(line);
        set.rotate_right(1);
        let (old, was) = std::mem::replace(&mut set[0], (line, changed));
        (old != EMPTY).then_some(Gone {
            line: old,
            changed: was,
        })
    }

    fn remove(&mut self, line: u32) -> Option<Gone> {
        let set = self.set(line);
        let at = set.iter().position(|(own, _)| *own == line)?;
        let changed = set[at].1;
        set[at..].rotate_left(1);
        let last = set.len() - 1;
        set[last] = (EMPTY, false);
        Some(Gone { line, changed })
    }
}
