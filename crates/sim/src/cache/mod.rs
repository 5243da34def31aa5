//! One set-associative cache of line numbers.
//!
//! Lines are numbers below 2^32 - 1 (see [`crate::space`]), so a tag is the whole number in 32 bits and the 16 ways of a set
//! take one line of the machine that simulates.

mod narrow;
mod policy;
mod pool;
#[cfg(target_arch = "x86_64")]
mod vector;
mod wide;

use narrow::{Narrow, Tags8, Tags16};
use policy::{BitPlru, Brrip, Lru, Random, Srrip, TreePlru};
use pool::Pool;
use wide::Wide;

use crate::error::SimError;
use crate::index::{Index, IndexKind};

/// A way without a line.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Most ways of caches with any policy; with LRU there may be [`MOST_WAYS`], with random replacement any number.
const NARROW_WAYS: u32 = 16;

/// Most ways with LRU: the largest fully associative TLBs have a few hundred.
pub const MOST_WAYS: u32 = 4096;

/// How a set chooses the line to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// Least recently used.
    Lru,
    /// One bit a way, set by use; all but the last are cleared when all are set.
    BitPlru,
    /// A binary tree of bits that point away from what was used.
    TreePlru,
    /// Static re-reference interval prediction, two bits a way.
    Srrip,
    /// Bimodal re-reference interval prediction: part of what does not fit stays.
    Brrip,
    /// Any way, each as likely.
    Random,
}

/// What a cache does with writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// A written line is fetched and kept; it goes on when it is replaced.
    Back,
    /// A line that is there is kept and goes on when it is replaced; a write that misses goes on at once.
    BackNoAllocate,
    /// Every write goes on at once; a line that is not there is fetched.
    Through,
    /// Every write goes on at once; nothing is fetched for it.
    ThroughNoAllocate,
}

impl Writes {
    pub(crate) fn allocates(self) -> bool {
        matches!(self, Writes::Back | Writes::Through)
    }

    pub(crate) fn through(self) -> bool {
        matches!(self, Writes::Through | Writes::ThroughNoAllocate)
    }
}

/// Shape and policies of a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSpec {
    /// Lines that it holds.
    pub lines: u64,
    /// Lines in a set.
    pub ways: u32,
    /// Which set a line belongs to.
    pub index: IndexKind,
    /// What is replaced.
    pub replacement: Replacement,
    /// What happens to writes.
    pub writes: Writes,
}

/// What is asked of a cache; in a request above the line number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A read, or the fetch of a line for the level above.
    Read = 0,
    /// A write.
    Write = 1,
    /// A changed line that the level above replaced.
    Back = 2,
}

/// Bits of what is asked, in the upper half of a request.
pub(crate) const KIND: u64 = 3;

/// Added in the upper half to the fetch of a line that is to be written.
pub(crate) const FOR_WRITE: u64 = 4;

/// A request in one word: the line in the low half, what is asked above.
#[inline(always)]
pub(crate) fn request(line: u32, asked: Asked) -> u64 {
    u64::from(line) | (asked as u64) << 32
}

/// Counts of one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Reads, those of fetches for the level above included.
    pub reads: u64,
    /// Reads that missed.
    pub read_misses: u64,
    /// Writes.
    pub writes: u64,
    /// Writes that missed.
    pub write_misses: u64,
    /// Changed lines received from the level above.
    pub received: u64,
    /// Changed lines given to the level below.
    pub written_back: u64,
}

impl Tally {
    /// Adds what was asked of a cache that keeps what is written, and what it sent on. Counted beside the loop, which has
    /// enough to hold in registers.
    #[inline(always)]
    fn add_plain(&mut self, requests: &[u64], sent: &[u64]) {
        self.add_asked(requests);
        let [mut back, mut for_write] = [0, 0];
        for sent in sent {
            back += sent >> 33 & 1;
            for_write += sent >> 34 & 1;
        }
        self.read_misses += sent.len() as u64 - back - for_write;
        self.write_misses += for_write;
        self.written_back += back;
    }

    #[inline(always)]
    fn add_asked(&mut self, requests: &[u64]) {
        let [mut writes, mut received] = [0, 0];
        for asked in requests {
            writes += asked >> 32 & 1;
            received += asked >> 33 & 1;
        }
        self.writes += writes;
        self.received += received;
        self.reads += requests.len() as u64 - writes - received;
    }

    /// Reads and writes.
    pub fn accesses(&self) -> u64 {
        self.reads + self.writes
    }

    /// Reads and writes that missed.
    pub fn misses(&self) -> u64 {
        self.read_misses + self.write_misses
    }
}

/// A line that was replaced or removed, and whether it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) line: u32,
    pub(crate) changed: bool,
}

/// A cache behind its shape and policy.
pub(crate) trait Store: Send {
    /// Serves requests in order. Those that go on to the level below are the first in `below`, as many as it returns: of
    /// each request the fetch, then the changed line that was replaced, then the write.
    fn serve(&mut self, requests: &[u64], below: &mut Vec<u64>, tally: &mut Tally) -> usize {
        below.clear();
        let (allocates, through) = (self.writes().allocates(), self.writes().through());
        for &asked in requests {
            let (line, kind) = (asked as u32, asked >> 32 & KIND);
            let hit = self.touch(line, kind != 0 && !through);
            let (seen, missed) = match kind {
                0 => (&mut tally.reads, Some(&mut tally.read_misses)),
                1 => (&mut tally.writes, Some(&mut tally.write_misses)),
                _ => (&mut tally.received, None),
            };
            *seen += 1;
            if let Some(missed) = missed {
                *missed += u64::from(!hit);
            }
            let keeps = allocates || kind == 0;
            if !hit && keeps {
                if kind < 2 {
                    below.push(request(line, Asked::Read));
                }
                let gone = self.fill(line, kind != 0 && !through);
                if let Some(gone) = gone.filter(|gone| gone.changed) {
                    below.push(request(gone.line, Asked::Back));
                    tally.written_back += 1;
                }
            }
            if kind != 0 && (through || !hit && !keeps) {
                below.push(asked);
            }
        }
        below.len()
    }

    /// What becomes of writes.
    fn writes(&self) -> Writes;

    /// Looks for a line, uses it where it is found, and marks it changed if asked to.
    fn touch(&mut self, line: u32, change: bool) -> bool;

    /// Fills a line that is not there; gives the line that it replaced.
    fn fill(&mut self, line: u32, changed: bool) -> Option<Gone>;

    /// Removes a line.
    fn remove(&mut self, line: u32) -> Option<Gone>;
}

/// Builds the cache of a shape; `batched` is one that serves whole batches only, as vectors do best.
///
/// # Errors
/// When the shape cannot be.
pub(crate) fn build(
    name: &str,
    spec: &CacheSpec,
    seed: u64,
    batched: bool,
) -> Result<Box<dyn Store>, SimError> {
    let wrong = |what: String| SimError::Shape {
        level: name.to_owned(),
        what,
    };
    let most = match spec.replacement {
        Replacement::Random => MOST_SETS * NARROW_WAYS,
        _ => MOST_WAYS,
    };
    if spec.ways == 0 || spec.ways > most {
        return Err(wrong(format!("{} ways; a set has 1 to {most}", spec.ways)));
    }
    if spec.lines == 0 || !spec.lines.is_multiple_of(u64::from(spec.ways)) {
        return Err(wrong(format!(
            "{} lines are no whole number of sets of {} ways",
            spec.lines, spec.ways
        )));
    }
    let sets = spec.lines / u64::from(spec.ways);
    let sets = u32::try_from(sets)
        .ok()
        .filter(|sets| *sets <= MOST_SETS)
        .ok_or_else(|| wrong(format!("{sets} sets; at most {MOST_SETS} are simulated")))?;
    let index = Index::new(&spec.index, sets).map_err(wrong)?;
    let (ways, writes) = (spec.ways, spec.writes);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = batched;
    if ways > NARROW_WAYS {
        return match spec.replacement {
            Replacement::Lru => Ok(Box::new(Wide::new(index, ways, writes))),
            Replacement::Random => Ok(Box::new(Pool::new(index, ways, writes, seed))),
            _ => Err(wrong(format!(
                "{ways} ways; above {NARROW_WAYS} the replacement is lru or random"
            ))),
        };
    }
    if spec.replacement == Replacement::TreePlru && !ways.is_power_of_two() {
        return Err(wrong(format!(
            "{ways} ways; tree-plru takes a power of two, bit-plru any number"
        )));
    }
    #[cfg(target_arch = "x86_64")]
    let index = match (spec.replacement, writes) {
        (Replacement::Lru, Writes::Back) if batched => match vector::Vector::new(index, ways) {
            Ok(vector) => return Ok(Box::new(vector)),
            Err(index) => index,
        },
        _ => index,
    };
    macro_rules! narrow {
        ($policy:ty) => {
            match ways {
                ..=8 => Box::new(Narrow::<Tags8, $policy>::new(index, ways, writes, seed)),
                _ => Box::new(Narrow::<Tags16, $policy>::new(index, ways, writes, seed)),
            }
        };
    }
    Ok(match spec.replacement {
        Replacement::Lru => narrow!(Lru),
        Replacement::BitPlru => narrow!(BitPlru),
        Replacement::TreePlru => narrow!(TreePlru),
        Replacement::Srrip => narrow!(Srrip),
        Replacement::Brrip => narrow!(Brrip),
        Replacement::Random => narrow!(Random),
    })
}

/// Most sets: 2 GiB of tags, far beyond the caches of today.
const MOST_SETS: u32 = 1 << 25;
