//! Levels of caches below each other, and the memory below them.

use crate::cache::{
    Asked, CacheSpec, Gone, KIND, Replacement, Store, Tally, Writes, build, request,
};
use crate::error::SimError;
use crate::index::IndexKind;

/// What a level holds of what the levels above hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inclusion {
    /// Whatever was fetched through it; nothing is enforced.
    Neither,
    /// All that levels above hold: what it replaces, they lose.
    Inclusive,
    /// Nothing that the level right above holds: it is filled by what that replaces, and a hit moves the line up.
    Exclusive,
}

/// A level of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelSpec {
    /// Its name, such as `L2`.
    pub name: String,
    /// Shape and policies.
    pub cache: CacheSpec,
    /// What it holds of the levels above; of no meaning for the first.
    pub inclusion: Inclusion,
    /// Does a read that misses also fetch the other line of the pair that is aligned to two lines? Not counted as accesses
    /// of this level or of those below, and of no effect in an exclusive level.
    pub pairs: bool,
}

impl LevelSpec {
    /// A cache with LRU and a linear index that keeps what is written, fetched through, without pairs.
    pub fn lru(name: &str, lines: u64, ways: u32) -> LevelSpec {
        LevelSpec {
            name: name.to_owned(),
            cache: CacheSpec {
                lines,
                ways,
                index: IndexKind::Linear,
                replacement: Replacement::Lru,
                writes: Writes::Back,
            },
            inclusion: Inclusion::Neither,
            pairs: false,
        }
    }
}

/// Most levels.
pub const MOST_LEVELS: usize = 4;

/// Accesses that go through one level before the next is looked at. A level's work on them stays in the caches of the
/// machine that simulates, and its loop is long enough to be foreseen.
pub(crate) const BATCH: usize = 2048;

/// Is shown what misses a level: the level's place, and what it sends on.
pub(crate) type Missed<'a> = dyn FnMut(usize, &[u64]) + 'a;

/// The caches of one core.
pub struct Hierarchy {
    levels: Vec<Level>,
    /// Are all levels fetched through only? Then no level depends on those below.
    simple: bool,
    /// Requests on their way between two levels.
    passing: [Vec<u64>; 2],
    memory: Tally,
    /// What reached the memory, where it is wanted.
    log: Option<Vec<u64>>,
}

struct Level {
    store: Box<dyn Store>,
    inclusion: Inclusion,
    pairs: bool,
    allocates: bool,
    through: bool,
    tally: Tally,
}

impl Hierarchy {
    /// Empty caches of these shapes, nearest first.
    ///
    /// # Errors
    /// When a shape cannot be, or there are too few or too many.
    pub fn new(levels: &[LevelSpec], seed: u64) -> Result<Hierarchy, SimError> {
        if levels.is_empty() || levels.len() > MOST_LEVELS {
            return Err(SimError::Shape {
                level: "caches".to_owned(),
                what: format!("{} levels; 1 to {MOST_LEVELS} are simulated", levels.len()),
            });
        }
        let fetched_through = |level: &LevelSpec| level.inclusion == Inclusion::Neither;
        let alone = levels.iter().all(|level| !level.pairs);
        let simple = alone && levels.iter().skip(1).all(fetched_through);
        let built = (0u64..).zip(levels).map(|(at, spec)| {
            Ok(Level {
                store: build(&spec.name, &spec.cache, seed ^ at, simple)?,
                inclusion: match at {
                    0 => Inclusion::Neither,
                    _ => spec.inclusion,
                },
                pairs: spec.pairs,
                allocates: spec.cache.writes.allocates(),
                through: spec.cache.writes.through(),
                tally: Tally::default(),
            })
        });
        Ok(Hierarchy {
            levels: built.collect::<Result<_, SimError>>()?,
            simple,
            log: None,
            passing: [Vec::new(), Vec::new()],
            memory: Tally::default(),
        })
    }

    /// Serves accesses in order; each is a line number, with [`WRITE`] added for a write.
    pub fn access(&mut self, accesses: &[u64]) {
        self.access_seen(accesses, &mut |_, _| {});
    }

    /// As [`Hierarchy::access`]; what misses a level is shown to `missed`, with the level's place.
    pub(crate) fn access_seen(&mut self, accesses: &[u64], missed: &mut Missed<'_>) {
        for batch in accesses.chunks(BATCH) {
            if self.simple {
                self.pass(batch, missed);
            } else {
                for &access in batch {
                    self.serve(access, missed);
                }
            }
        }
    }

    /// A batch through one level after another.
    fn pass(&mut self, batch: &[u64], missed: &mut Missed<'_>) {
        let [mut from, mut to] = std::mem::take(&mut self.passing);
        let mut requests = batch;
        for (at, level) in self.levels.iter_mut().enumerate() {
            let sent = level.store.serve(requests, &mut to, &mut level.tally);
            (from, to) = (to, from);
            requests = &from[..sent];
            missed(at, requests);
        }
        let reads = requests
            .iter()
            .map(|asked| u64::from(*asked >> 32 & KIND == 0));
        let reads: u64 = reads.sum();
        self.memory.reads += reads;
        self.memory.writes += requests.len() as u64 - reads;
        if let Some(log) = &mut self.log {
            log.extend_from_slice(requests);
        }
        self.passing = [from, to];
    }

    fn serve(&mut self, access: u64, missed: &mut Missed<'_>) {
        let line = access as u32;
        if access >> 32 == Asked::Read as u64 {
            // The first level is never exclusive, so nothing is left to be kept.
            self.fetch(0, line, missed);
        } else {
            self.write(0, line, missed);
        }
    }

    /// Brings a line up to the level above `at`. True if it was changed and left an exclusive level.
    fn fetch(&mut self, at: usize, line: u32, missed: &mut Missed<'_>) -> bool {
        let Some(level) = self.levels.get_mut(at) else {
            self.reach(request(line, Asked::Read));
            return false;
        };
        level.tally.reads += 1;
        let exclusive = level.inclusion == Inclusion::Exclusive;
        if exclusive {
            if let Some(gone) = level.store.remove(line) {
                return gone.changed;
            }
        } else if level.store.touch(line, false) {
            return false;
        }
        level.tally.read_misses += 1;
        missed(at, &[request(line, Asked::Read)]);
        let changed = self.fetch(at + 1, line, missed);
        if exclusive {
            return changed;
        }
        self.fill(at, line, changed);
        if self.levels[at].pairs {
            self.prefetch(at, line ^ 1);
        }
        false
    }

    /// Brings a line into level `at` for which no access has asked yet; counted where it reaches the memory. True if it was
    /// changed and left an exclusive level.
    fn prefetch(&mut self, at: usize, line: u32) -> bool {
        let Some(level) = self.levels.get_mut(at) else {
            self.reach(request(line, Asked::Read));
            return false;
        };
        if level.inclusion == Inclusion::Exclusive {
            return match level.store.remove(line) {
                Some(gone) => gone.changed,
                None => self.prefetch(at + 1, line),
            };
        }
        if !level.store.touch(line, false) {
            let changed = self.prefetch(at + 1, line);
            self.fill(at, line, changed);
        }
        false
    }

    fn write(&mut self, at: usize, line: u32, missed: &mut Missed<'_>) {
        let Some(level) = self.levels.get_mut(at) else {
            self.reach(request(line, Asked::Write));
            return;
        };
        level.tally.writes += 1;
        let through = level.through;
        if !level.store.touch(line, !through) {
            level.tally.write_misses += 1;
            missed(at, &[request(line, Asked::Read)]);
            // A level that is filled by what the one above replaces takes no write for itself.
            if !level.allocates || level.inclusion == Inclusion::Exclusive {
                self.write(at + 1, line, missed);
                return;
            }
            let changed = self.fetch(at + 1, line, missed);
            self.fill(at, line, changed || !through);
        }
        if through {
            self.write(at + 1, line, missed);
        }
    }

    /// Fills a line that level `at` does not hold.
    fn fill(&mut self, at: usize, line: u32, changed: bool) {
        if let Some(gone) = self.levels[at].store.fill(line, changed) {
            self.replaced(at, gone);
        }
    }

    fn replaced(&mut self, at: usize, mut gone: Gone) {
        let (above, own) = self.levels.split_at_mut(at);
        let level = &mut own[0];
        if level.inclusion == Inclusion::Inclusive {
            for upper in above {
                let lost = upper.store.remove(gone.line);
                gone.changed |= lost.is_some_and(|lost| lost.changed);
            }
        }
        level.tally.written_back += u64::from(gone.changed);
        self.receive(at + 1, gone);
    }

    /// Level `at` gets a line that the level above replaced.
    fn receive(&mut self, at: usize, gone: Gone) {
        let Some(level) = self.levels.get_mut(at) else {
            if gone.changed {
                self.reach(request(gone.line, Asked::Back));
            }
            return;
        };
        let exclusive = level.inclusion == Inclusion::Exclusive;
        if !gone.changed && !exclusive {
            return;
        }
        level.tally.received += u64::from(gone.changed);
        let (allocates, through) = (level.allocates || exclusive, level.through);
        let keep = gone.changed && !through;
        let held = level.store.touch(gone.line, keep);
        if !held && allocates {
            self.fill(at, gone.line, keep);
        }
        if gone.changed && (through || !held && !allocates) {
            self.receive(at + 1, gone);
        }
    }

    /// A request reaches the memory.
    fn reach(&mut self, asked: u64) {
        let is_read = asked >> 32 == Asked::Read as u64;
        self.memory.reads += u64::from(is_read);
        self.memory.writes += u64::from(!is_read);
        if let Some(log) = &mut self.log {
            log.push(asked);
        }
    }

    /// Keeps what reaches the memory from now on.
    pub(crate) fn keep_log(&mut self) {
        self.log = Some(Vec::new());
    }

    /// What reached the memory since the last call: line numbers, and whether they were written.
    pub(crate) fn take_log(&mut self) -> impl Iterator<Item = (u32, bool)> {
        let log = self.log.as_mut().map(std::mem::take).unwrap_or_default();
        log.into_iter()
            .map(|asked| (asked as u32, asked >> 32 & KIND != 0))
    }

    /// Counts of each level, nearest first.
    pub fn tallies(&self) -> impl Iterator<Item = &Tally> {
        self.levels.iter().map(|level| &level.tally)
    }

    /// Reads and writes that reached the memory.
    pub fn memory(&self) -> &Tally {
        &self.memory
    }

    /// Forgets the counts, and keeps what the caches hold.
    pub fn reset(&mut self) {
        self.memory = Tally::default();
        for level in &mut self.levels {
            level.tally = Tally::default();
        }
    }
}

/// Added to the line number of an access that writes.
pub const WRITE: u64 = (Asked::Write as u64) << 32;
