//! A plain implementation of the simulated caches that is written for reading: lists of lines, one access at a time.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_sim::{Hierarchy, Inclusion, IndexKind, LevelSpec, Replacement, Tally, WRITE, Writes};

/// A way of a set: the line, whether it is changed, and a number whose meaning the policy has.
#[derive(Clone, Copy, Default)]
struct Way {
    line: Option<u32>,
    changed: bool,
    mark: u64,
}

/// A cache.
struct Plain {
    spec: LevelSpec,
    sets: Vec<Vec<Way>>,
    /// The tree of each set under tree-PLRU, a bit a node, the root at 1.
    trees: Vec<Vec<bool>>,
    clock: u64,
    rng: SplitMix64,
    /// Is the line that is filled next kept for longer, under BRRIP?
    longer: bool,
    tally: Tally,
}

impl Plain {
    fn new(spec: &LevelSpec, seed: u64) -> Plain {
        let ways = spec.cache.ways as usize;
        let sets = spec.cache.lines as usize / ways;
        Plain {
            spec: spec.clone(),
            sets: vec![vec![Way::default(); ways]; sets],
            trees: vec![vec![false; ways]; sets],
            clock: 0,
            rng: SplitMix64::seed_from_u64(seed),
            longer: false,
            tally: Tally::default(),
        }
    }

    fn set(&self, line: u32) -> usize {
        match &self.spec.cache.index {
            IndexKind::Linear => line as usize % self.sets.len(),
            IndexKind::Hashed(masks) => {
                let bit =
                    |(at, mask): (usize, &u32)| ((line & mask).count_ones() as usize % 2) << at;
                masks.iter().enumerate().map(bit).sum()
            }
        }
    }

    fn find(&self, line: u32) -> Option<usize> {
        let mut ways = self.sets[self.set(line)].iter();
        ways.position(|way| way.line == Some(line))
    }

    fn used(&mut self, set: usize, at: usize, filled: bool) {
        self.clock += 1;
        let (clock, ways) = (self.clock, &mut self.sets[set]);
        match self.spec.cache.replacement {
            Replacement::Lru => ways[at].mark = clock,
            Replacement::BitPlru => {
                ways[at].mark = 1;
                if ways.iter().all(|way| way.mark == 1) {
                    ways.iter_mut().for_each(|way| way.mark = 0);
                    ways[at].mark = 1;
                }
            }
            Replacement::TreePlru => {
                let mut node = at + ways.len();
                while node > 1 {
                    // Away from the child that was used.
                    self.trees[set][node / 2] = node.is_multiple_of(2);
                    node /= 2;
                }
            }
            Replacement::Srrip => ways[at].mark = if filled { 2 } else { 0 },
            Replacement::Brrip if filled => ways[at].mark = if self.longer { 2 } else { 3 },
            Replacement::Brrip => ways[at].mark = 0,
            Replacement::Random => {}
        }
    }

    fn victim(&mut self, set: usize) -> usize {
        let count = self.sets[set].len();
        let drawn = match self.spec.cache.replacement {
            Replacement::Random => (((self.rng.next_u64() >> 32) * count as u64) >> 32) as usize,
            Replacement::Brrip => {
                self.longer = ((self.rng.next_u64() >> 32) * 32) >> 32 == 0;
                0
            }
            _ => 0,
        };
        if let Some(empty) = self.sets[set].iter().position(|way| way.line.is_none()) {
            return empty;
        }
        let ways = &mut self.sets[set];
        match self.spec.cache.replacement {
            Replacement::Lru => (0..count).min_by_key(|at| ways[*at].mark).unwrap(),
            Replacement::BitPlru => ways.iter().position(|way| way.mark == 0).unwrap_or(0),
            Replacement::TreePlru => {
                let mut node = 1;
                while node < count {
                    node = 2 * node + usize::from(self.trees[set][node]);
                }
                node - count
            }
            Replacement::Srrip | Replacement::Brrip => loop {
                if let Some(old) = ways.iter().position(|way| way.mark == 3) {
                    break old;
                }
                ways.iter_mut().for_each(|way| way.mark += 1);
            },
            Replacement::Random => drawn,
        }
    }

    fn touch(&mut self, line: u32, change: bool) -> bool {
        let (set, found) = (self.set(line), self.find(line));
        if let Some(at) = found {
            self.used(set, at, false);
            self.sets[set][at].changed |= change;
        }
        found.is_some()
    }

    fn fill(&mut self, line: u32, changed: bool) -> Option<(u32, bool)> {
        let set = self.set(line);
        let at = self.victim(set);
        let old = self.sets[set][at];
        (self.sets[set][at].line, self.sets[set][at].changed) = (Some(line), changed);
        self.used(set, at, true);
        old.line.map(|line| (line, old.changed))
    }

    fn remove(&mut self, line: u32) -> Option<bool> {
        let (set, at) = (self.set(line), self.find(line)?);
        let way = &mut self.sets[set][at];
        way.line = None;
        if self.spec.cache.replacement == Replacement::BitPlru {
            way.mark = 0;
        }
        Some(way.changed)
    }
}

/// Levels below each other, and what reached the memory.
pub(crate) struct Reference {
    levels: Vec<Plain>,
    memory: [u64; 2],
}

impl Reference {
    /// Empty caches of these shapes, nearest first.
    pub(crate) fn new(levels: &[LevelSpec], seed: u64) -> Reference {
        let plain = |(at, spec)| Plain::new(spec, seed ^ at);
        Reference {
            levels: (0u64..).zip(levels).map(plain).collect(),
            memory: [0; 2],
        }
    }

    /// Serves accesses in order, as [`Hierarchy::access`] does.
    pub(crate) fn access(&mut self, accesses: &[u64]) {
        for access in accesses {
            let line = *access as u32;
            match access & WRITE {
                0 => drop(self.read(0, line)),
                _ => self.write(0, line),
            }
        }
    }

    /// What differs from counts of the same accesses; nothing where all are equal.
    pub(crate) fn differs(&self, caches: &Hierarchy) -> Option<String> {
        for (own, plain) in caches.tallies().zip(&self.levels) {
            if own != &plain.tally {
                let name = &plain.spec.name;
                return Some(format!("{name}: {own:?}, plain: {:?}", plain.tally));
            }
        }
        let memory = [caches.memory().reads, caches.memory().writes];
        (memory != self.memory).then(|| format!("memory: {memory:?}, plain: {:?}", self.memory))
    }

    fn is_exclusive(&self, at: usize) -> bool {
        at > 0 && self.levels[at].spec.inclusion == Inclusion::Exclusive
    }

    fn writes(&self, at: usize) -> (bool, bool) {
        let writes = self.levels[at].spec.cache.writes;
        (
            matches!(writes, Writes::Back | Writes::Through),
            matches!(writes, Writes::Through | Writes::ThroughNoAllocate),
        )
    }

    /// Was the line changed where it left a level that is exclusive?
    fn read(&mut self, at: usize, line: u32) -> bool {
        if at == self.levels.len() {
            self.memory[0] += 1;
            return false;
        }
        self.levels[at].tally.reads += 1;
        if self.is_exclusive(at) {
            if let Some(changed) = self.levels[at].remove(line) {
                return changed;
            }
            self.levels[at].tally.read_misses += 1;
            return self.read(at + 1, line);
        }
        if !self.levels[at].touch(line, false) {
            self.levels[at].tally.read_misses += 1;
            let changed = self.read(at + 1, line);
            self.fill(at, line, changed);
            if self.levels[at].spec.pairs {
                self.bring(at, line ^ 1);
            }
        }
        false
    }

    /// Fetches a line that nothing asked for.
    fn bring(&mut self, at: usize, line: u32) -> bool {
        if at == self.levels.len() {
            self.memory[0] += 1;
            return false;
        }
        if self.is_exclusive(at) {
            let held = self.levels[at].remove(line);
            return held.unwrap_or_else(|| self.bring(at + 1, line));
        }
        if !self.levels[at].touch(line, false) {
            let changed = self.bring(at + 1, line);
            self.fill(at, line, changed);
        }
        false
    }

    fn write(&mut self, at: usize, line: u32) {
        if at == self.levels.len() {
            self.memory[1] += 1;
            return;
        }
        let (allocates, through) = self.writes(at);
        self.levels[at].tally.writes += 1;
        let mut goes_on = through;
        if !self.levels[at].touch(line, !through) {
            self.levels[at].tally.write_misses += 1;
            if allocates && !self.is_exclusive(at) {
                let changed = self.read(at + 1, line);
                self.fill(at, line, changed || !through);
            } else {
                goes_on = true;
            }
        }
        if goes_on {
            self.write(at + 1, line);
        }
    }

    fn fill(&mut self, at: usize, line: u32, changed: bool) {
        let Some((old, mut was)) = self.levels[at].fill(line, changed) else {
            return;
        };
        if at > 0 && self.levels[at].spec.inclusion == Inclusion::Inclusive {
            for above in 0..at {
                was |= self.levels[above].remove(old) == Some(true);
            }
        }
        self.levels[at].tally.written_back += u64::from(was);
        self.receive(at + 1, old, was);
    }

    fn receive(&mut self, at: usize, line: u32, changed: bool) {
        if at == self.levels.len() {
            self.memory[1] += u64::from(changed);
            return;
        }
        let exclusive = self.is_exclusive(at);
        if !changed && !exclusive {
            return;
        }
        self.levels[at].tally.received += u64::from(changed);
        let (allocates, through) = self.writes(at);
        let held = self.levels[at].touch(line, changed && !through);
        if !held && (allocates || exclusive) {
            self.fill(at, line, changed && !through);
        }
        if changed && (through || !(held || allocates || exclusive)) {
            self.receive(at + 1, line, true);
        }
    }
}

/// Accesses with something of all: lines used again soon, lines in a row, lines anywhere, writes, and repeats.
pub(crate) fn accesses(count: usize, seed: u64) -> impl Iterator<Item = u64> {
    let mut rng = SplitMix64::seed_from_u64(seed);
    let (mut row, mut last) = (0u32, 0u32);
    (0..count).map(move |_| {
        let drawn = rng.next_u64();
        let any = (drawn >> 40) as u32;
        last = match drawn % 8 {
            0 => last,
            1 | 2 => any % 200,
            3 | 4 => {
                row += 1;
                row % 3000
            }
            5 => any % 8192,
            6 => any % 1024,
            _ => any | 0x0200_0000,
        };
        u64::from(last) | if drawn >> 8 & 3 == 0 { WRITE } else { 0 }
    })
}
