//! Tallies: counts for the whole run, for each process, and for each kind of block.
//!
//! Tables of fixed size in the shared file. Entries that do not fit are summed in a separate row, so
//! that the rows of a table always add up to the total. Lock-free and without allocation.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use super::reason::{COLORS, REASONS, Why};
use super::sys::Status;

/// Processes with their own row: a build starts thousands, but few of them have large blocks.
pub(crate) const PROCESSES: usize = 512;
/// Kinds of blocks with their own row: a program seldom has more than a dozen.
pub(crate) const KINDS: usize = 1024;
/// Entries probed for a kind before it gets no row.
const STEPS: usize = 64;
/// Size classes per power of two.
const PARTS: u32 = 8;

/// The call that allocated a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Call {
    Malloc = 1,
    Calloc,
    /// Only the growth of a block.
    Realloc,
    /// `posix_memalign`, `aligned_alloc` and `memalign`.
    Aligned,
    Mmap,
}

/// Bytes of a program's name, which the kernel cuts to 15.
pub(crate) const NAME: usize = 16;

/// A program's name, as two words.
pub(crate) type Name = [u64; NAME / 8];

/// Outcome of some pages, before it is added to the shared counts.
#[derive(Clone)]
pub(crate) struct Counts {
    /// Blocks requested, and those with colored pages.
    pub(crate) blocks: u64,
    pub(crate) colored_blocks: u64,
    /// Pages with the requested color, and those with another.
    pub(crate) hits: u64,
    pub(crate) fallbacks: u64,
    /// Pages that already had a frame.
    pub(crate) present: u64,
    pub(crate) ordinary: [u64; REASONS],
    /// Time spent on them.
    pub(crate) ns: u64,
    pub(crate) by_color: [u16; COLORS],
}

impl Counts {
    pub(crate) fn none() -> Counts {
        Counts {
            blocks: 0,
            colored_blocks: 0,
            hits: 0,
            fallbacks: 0,
            present: 0,
            ordinary: [0; REASONS],
            ns: 0,
            by_color: [0; COLORS],
        }
    }

    pub(crate) fn skip(&mut self, why: Why, pages: usize) {
        if let Some(count) = self.ordinary.get_mut(why as usize) {
            *count += pages as u64;
        }
    }
}

/// The shared form of [`Counts`].
#[repr(C)]
pub(crate) struct Tally {
    pub(crate) blocks: AtomicU64,
    pub(crate) colored_blocks: AtomicU64,
    pub(crate) hits: AtomicU64,
    pub(crate) fallbacks: AtomicU64,
    pub(crate) present: AtomicU64,
    pub(crate) ordinary: [AtomicU64; REASONS],
    pub(crate) ns: AtomicU64,
}

impl Tally {
    fn add(&self, counts: &Counts) {
        let add = |to: &AtomicU64, n: u64| {
            // Most are zero, and each addition transfers the cache line from another CPU.
            if n > 0 {
                to.fetch_add(n, Relaxed);
            }
        };
        add(&self.blocks, counts.blocks);
        add(&self.colored_blocks, counts.colored_blocks);
        add(&self.hits, counts.hits);
        add(&self.fallbacks, counts.fallbacks);
        add(&self.present, counts.present);
        for (to, n) in self.ordinary.iter().zip(counts.ordinary) {
            add(to, n);
        }
        add(&self.ns, counts.ns);
    }
}

/// The row of a process.
#[repr(C)]
pub(crate) struct ProcessLine {
    pub(crate) pid: AtomicU64,
    pub(crate) name: [AtomicU64; NAME / 8],
    pub(crate) tally: Tally,
}

/// The row of a kind of block: about one size, by one call, in programs of one name.
#[repr(C)]
pub(crate) struct KindLine {
    /// The key; zero while the row is free.
    key: AtomicU64,
    pub(crate) name: [AtomicU64; NAME / 8],
    pub(crate) call: AtomicU64,
    /// The smallest, inverted so that zero is "none yet", and the largest block, bytes.
    pub(crate) inverted_least: AtomicU64,
    pub(crate) most: AtomicU64,
    pub(crate) tally: Tally,
}

/// All counts of a run.
#[repr(C)]
pub(crate) struct Tallies {
    pub(crate) all: Tally,
    /// Rows used in `processes`, and processes that got none.
    pub(crate) taken: AtomicU64,
    pub(crate) processes: [ProcessLine; PROCESSES],
    pub(crate) other_processes: Tally,
    pub(crate) kinds: [KindLine; KINDS],
    pub(crate) other_kinds: Tally,
    pub(crate) by_color: [AtomicU64; COLORS],
}

/// The row for processes without their own.
pub(crate) const NO_LINE: usize = usize::MAX;

/// The owner of counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    /// The row of the process; past the end if none was left.
    pub(crate) line: usize,
    pub(crate) name: Name,
}

impl Tallies {
    /// Claims a row for a process.
    pub(crate) fn enroll(&self, status: &Status) -> Owner {
        let line = self.taken.fetch_add(1, AcqRel) as usize;
        let name = words(status.name);
        if let Some(at) = self.processes.get(line) {
            at.pid.store(status.pid, Relaxed);
            store(&at.name, name);
        }
        Owner { line, name }
    }

    /// Returns a row if another thread was first. (If a process claimed one meanwhile, the row stays
    /// empty.)
    pub(crate) fn leave(&self, owner: &Owner) {
        let line = owner.line as u64;
        if owner.line < PROCESSES {
            let _ = self.taken.compare_exchange(line + 1, line, AcqRel, Relaxed);
        } else {
            self.taken.fetch_sub(1, AcqRel);
        }
    }

    /// The row for a block, past the end if there is no room.
    pub(crate) fn kind(&self, owner: &Owner, call: Call, bytes: usize) -> usize {
        let wanted = key(owner.name, call, bytes);
        let first = (mix(wanted) % KINDS as u64) as usize;
        for step in 0..STEPS {
            let at = (first + step) % KINDS;
            let Some(line) = self.kinds.get(at) else {
                break;
            };
            let mut found = line.key.load(Acquire);
            if found == 0 {
                found = match line.key.compare_exchange(0, wanted, AcqRel, Acquire) {
                    Ok(_) => wanted,
                    Err(other) => other,
                };
            }
            if found == wanted {
                // All writers with this key write the same, so the order does not matter.
                store(&line.name, owner.name);
                line.call.store(call as u64, Relaxed);
                line.inverted_least.fetch_max(!(bytes as u64), Relaxed);
                line.most.fetch_max(bytes as u64, Relaxed);
                return at;
            }
        }
        KINDS
    }

    /// Adds the outcome of some pages of a block.
    pub(crate) fn add(&self, owner: &Owner, kind: usize, counts: &Counts) {
        self.all.add(counts);
        let process = self.processes.get(owner.line).map(|line| &line.tally);
        process.unwrap_or(&self.other_processes).add(counts);
        let kind = self.kinds.get(kind).map(|line| &line.tally);
        kind.unwrap_or(&self.other_kinds).add(counts);
        for (to, n) in self.by_color.iter().zip(counts.by_color) {
            if n > 0 {
                to.fetch_add(n.into(), Relaxed);
            }
        }
    }

    /// Pages that all processes filled.
    pub(crate) fn filled(&self) -> u64 {
        self.all.hits.load(Relaxed) + self.all.fallbacks.load(Relaxed)
    }
}

fn store(to: &[AtomicU64; NAME / 8], name: Name) {
    for (to, word) in to.iter().zip(name) {
        to.store(word, Relaxed);
    }
}

fn words(name: [u8; NAME]) -> Name {
    let mut words = [0; NAME / 8];
    for (word, bytes) in words.iter_mut().zip(name.as_chunks().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    words
}

/// The key of a kind, never zero: 40 bits of the name, the call, and the size class.
fn key(name: Name, call: Call, bytes: usize) -> u64 {
    let [a, b] = name;
    let name = mix(a ^ mix(b)) >> 24;
    name << 24 | (call as u64) << 16 | u64::from(class(bytes))
}

/// Size classes: [`PARTS`] per power of two.
fn class(bytes: usize) -> u16 {
    let bytes = (bytes as u64).max(u64::from(PARTS));
    let power = bytes.ilog2();
    let part = (bytes >> (power - PARTS.ilog2())) as u32 % PARTS;
    (power * PARTS + part) as u16
}

/// Spreads the bits of a word (the last steps of splitmix64).
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
