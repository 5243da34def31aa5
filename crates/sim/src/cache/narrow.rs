//! A cache of up to 16 ways: tags of a set in one line, state and marks in one more.

use super::policy::{Policy, Ways};
use super::{Asked, EMPTY, Gone, Store, Tally, Writes, request};
use crate::index::Index;

/// The tags of a set.
pub(super) trait Tags: Copy + Send {
    const NONE: Self;

    /// A bit for each way that holds `line`.
    fn find(&self, line: u32) -> u32;

    fn get(&self, way: u32) -> u32;

    fn set(&mut self, way: u32, line: u32);
}

macro_rules! tags {
    ($name:ident, $slots:literal, $align:literal, $what:literal) => {
        #[doc = $what]
        #[derive(Clone, Copy)]
        #[repr(align($align))]
        pub(super) struct $name([u32; $slots]);

        impl Tags for $name {
            const NONE: Self = $name([EMPTY; $slots]);

            #[inline(always)]
            fn find(&self, line: u32) -> u32 {
                // Without branches, so that the compiler compares several at once.
                let mut found = 0;
                for (way, tag) in self.0.iter().enumerate() {
                    found |= u32::from(*tag == line) << way;
                }
                found
            }

            #[inline(always)]
            fn get(&self, way: u32) -> u32 {
                self.0[way as usize % $slots]
            }

            #[inline(always)]
            fn set(&mut self, way: u32, line: u32) {
                self.0[way as usize % $slots] = line;
            }
        }
    };
}

tags!(Tags8, 8, 32, "Up to 8 ways.");
tags!(Tags16, 16, 64, "Up to 16 ways.");

/// What a set knows beside its tags.
#[derive(Clone, Copy)]
struct State {
    /// The policy's.
    order: u64,
    /// A bit for each way with a line.
    valid: u32,
    /// A bit for each way whose line is changed.
    changed: u32,
}

/// Tags and state of all sets, with one set more that takes what is not to be kept: so nothing in the loop has to branch on
/// hit or miss, which a predictor could not foresee.
pub(super) struct Narrow<T, P> {
    index: Index,
    ways: Ways,
    writes: Writes,
    policy: P,
    tags: Vec<T>,
    states: Vec<State>,
    /// The last request, where to repeat it has no effect.
    settled: u64,
}

/// No request.
const NONE: u64 = u64::MAX;

impl<T: Tags, P: Policy> Narrow<T, P> {
    pub(super) fn new(index: Index, ways: u32, writes: Writes, seed: u64) -> Self {
        let (sets, ways) = (index.sets() as usize, Ways::new(ways));
        let state = State {
            order: P::start(ways),
            valid: 0,
            changed: 0,
        };
        Narrow {
            index,
            ways,
            writes,
            policy: P::new(seed),
            tags: vec![T::NONE; sets + 1],
            states: vec![state; sets + 1],
            settled: NONE,
        }
    }

    /// Serves the requests, by index function and kind of writes.
    #[inline(always)]
    fn run<const PLAIN: bool>(
        &mut self,
        index: impl Fn(u32) -> u32,
        requests: &[u64],
        below: &mut Vec<u64>,
        tally: &mut Tally,
    ) {
        let each = if PLAIN { 2 } else { 3 };
        below.clear();
        below.resize(each * requests.len(), 0);
        let (mut next, spare) = (0, self.tags.len() - 1);
        let (ways, allocates, through) =
            (self.ways, self.writes.allocates(), self.writes.through());
        let (mut writes, mut received, mut missed, mut write_misses, mut received_misses, mut back) =
            (0u64, 0u64, 0u64, 0u64, 0u64, 0u64);
        let mut settled = self.settled;
        for &asked in requests {
            let (line, kind) = (asked as u32, asked >> 32);
            let (is_write, is_back) = (kind & 1, kind >> 1);
            writes += is_write;
            received += is_back;
            if asked == settled {
                continue;
            }
            let set = index(line) as usize;
            let found = self.tags[set].find(line);
            let miss = found == 0;
            let keeps = PLAIN || allocates || kind == 0;
            // A write that misses and is not kept leaves the set as it is.
            let home = if miss && !keeps { spare } else { set };
            let state = self.states[home];
            let (victim, aged) = self.policy.victim(state.order, state.valid, ways, miss);
            let way = if miss { victim } else { found.trailing_zeros() };
            let old = self.tags[home].get(way);
            let order = if miss {
                P::filled(aged, way, ways)
            } else {
                P::touched(state.order, way, ways)
            };
            let own = 1 << way;
            let replaced = miss && keeps && state.changed & own != 0;
            let kept = if miss { state.changed & !own } else { state.changed };
            let changes = kind != 0 && (PLAIN || !through);
            self.states[home] = State {
                order,
                valid: state.valid | own,
                changed: kept | if changes { own } else { 0 },
            };
            self.tags[if miss { home } else { spare }].set(way, line);
            // A whole line that comes from above needs no fetch.
            below[next] = request(line, Asked::Read);
            next += usize::from(miss && keeps && kind < 2);
            below[next] = request(old, Asked::Back);
            next += usize::from(replaced);
            if !PLAIN {
                below[next] = asked;
                next += usize::from(kind != 0 && (through || !keeps && miss));
            }
            missed += u64::from(miss);
            write_misses += u64::from(miss) & is_write;
            received_misses += u64::from(miss) & is_back;
            back += u64::from(replaced);
            let repeats = (PLAIN || kind == 0) && (P::IDEMPOTENT || !miss);
            settled = if repeats { asked } else { NONE };
        }
        // What was in the spare set is of no set.
        self.tags[spare] = T::NONE;
        self.states[spare] = State {
            order: P::start(ways),
            valid: 0,
            changed: 0,
        };
        self.settled = settled;
        below.truncate(next);
        tally.reads += requests.len() as u64 - writes - received;
        tally.writes += writes;
        tally.received += received;
        tally.read_misses += missed - write_misses - received_misses;
        tally.write_misses += write_misses;
        tally.written_back += back;
    }

    fn place(&self, line: u32) -> (usize, u32) {
        let set = self.index.set(line) as usize;
        (set, self.tags[set].find(line))
    }
}

impl<T: Tags, P: Policy> Store for Narrow<T, P> {
    fn serve(&mut self, requests: &[u64], below: &mut Vec<u64>, tally: &mut Tally) {
        let index = self.index.clone();
        match (self.writes == Writes::Back, index.mask()) {
            (true, Some(mask)) => self.run::<true>(|line| line & mask, requests, below, tally),
            (true, None) => self.run::<true>(|line| index.set(line), requests, below, tally),
            (false, _) => self.run::<false>(|line| index.set(line), requests, below, tally),
        }
    }

    fn touch(&mut self, line: u32, change: bool) -> bool {
        self.settled = NONE;
        let (set, found) = self.place(line);
        if found != 0 {
            let way = found.trailing_zeros();
            let state = &mut self.states[set];
            state.order = P::touched(state.order, way, self.ways);
            state.changed |= u32::from(change) << way;
        }
        found != 0
    }

    fn fill(&mut self, line: u32, changed: bool) -> Option<Gone> {
        self.settled = NONE;
        let set = self.index.set(line) as usize;
        let state = &mut self.states[set];
        let (way, aged) = self.policy.victim(state.order, state.valid, self.ways, true);
        let (old, own) = (self.tags[set].get(way), 1 << way);
        let gone = (old != EMPTY).then_some(Gone {
            line: old,
            changed: state.changed & own != 0,
        });
        self.tags[set].set(way, line);
        state.order = P::filled(aged, way, self.ways);
        state.valid |= own;
        state.changed = state.changed & !own | u32::from(changed) << way;
        gone
    }

    fn remove(&mut self, line: u32) -> Option<Gone> {
        self.settled = NONE;
        let (set, found) = self.place(line);
        if found == 0 {
            return None;
        }
        let way = found.trailing_zeros();
        self.tags[set].set(way, EMPTY);
        let state = &mut self.states[set];
        let own = 1 << way;
        let changed = state.changed & own != 0;
        state.order = P::removed(state.order, way, self.ways);
        state.valid &= !own;
        state.changed &= !own;
        Some(Gone { line, changed })
    }
}
