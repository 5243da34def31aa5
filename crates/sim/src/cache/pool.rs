//! A cache of many ways with random replacement: where a line lies is looked up in a table, as no set can be searched.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{EMPTY, Gone, Store, Writes};
use crate::index::Index;

/// Sets of any number of ways.
pub(super) struct Pool {
    index: Index,
    ways: u32,
    writes: Writes,
    rng: SplitMix64,
    /// Set after set; a line, and whether it is changed.
    slots: Vec<(u32, bool)>,
    /// The slot of each line.
    at: HashMap<u32, u32, BuildHasherDefault<Mixed>>,
    /// Empty ways of each set: all from a number on, and those that were emptied before it.
    empty: Vec<(u32, BinaryHeap<Reverse<u32>>)>,
}

impl Pool {
    pub(super) fn new(index: Index, ways: u32, writes: Writes, seed: u64) -> Self {
        let sets = index.sets() as usize;
        Pool {
            ways,
            writes,
            rng: SplitMix64::seed_from_u64(seed),
            slots: vec![(EMPTY, false); sets * ways as usize],
            at: HashMap::default(),
            empty: vec![(0, BinaryHeap::new()); sets],
            index,
        }
    }
}

impl Store for Pool {
    fn writes(&self) -> Writes {
        self.writes
    }

    fn touch(&mut self, line: u32, change: bool) -> bool {
        let slot = self.at.get(&line).copied();
        if let Some(slot) = slot {
            self.slots[slot as usize].1 |= change;
        }
        slot.is_some()
    }

    fn fill(&mut self, line: u32, changed: bool) -> Option<Gone> {
        let set = self.index.set(line);
        let drawn = ((self.rng.next_u64() >> 32) * u64::from(self.ways)) >> 32;
        let (from, emptied) = &mut self.empty[set as usize];
        let way = match emptied.pop() {
            Some(Reverse(way)) => way,
            None if *from < self.ways => {
                *from += 1;
                *from - 1
            }
            None => drawn as u32,
        };
        let slot = set * self.ways + way;
        let (old, was) = std::mem::replace(&mut self.slots[slot as usize], (line, changed));
        self.at.insert(line, slot);
        (old != EMPTY).then(|| {
            self.at.remove(&old);
            Gone {
                line: old,
                changed: was,
            }
        })
    }

    fn remove(&mut self, line: u32) -> Option<Gone> {
        let slot = self.at.remove(&line)?;
        let (_, changed) = std::mem::replace(&mut self.slots[slot as usize], (EMPTY, false));
        let way = slot % self.ways;
        self.empty[(slot / self.ways) as usize].1.push(Reverse(way));
        Some(Gone { line, changed })
    }
}

/// A hash of one number by a multiplication: lines of a program need no more.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}
