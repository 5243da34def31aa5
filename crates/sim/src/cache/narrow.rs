//! A cache of up to 16 ways: tags of a set in one line, state and marks in one more.

use super::policy::{Policy, Ways};
use super::{Asked, EMPTY, FOR_WRITE, Gone, KIND, Store, Tally, Writes, request};
use crate::index::Index;

/// The tags of a set.
pub(super) trait Tags: Copy + Send {
    const NONE: Self;

    /// The way that holds `line`, with [`FOUND`] added; 0 where none does.
    fn find(&self, line: u32) -> u32;

    fn get(&self, way: u32) -> u32;

    fn set(&mut self, way: u32, line: u32);
}

/// Added to a way that was found.
const FOUND: u32 = 16;

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
                // Without branches and alike in all ways, so that several are compared at once.
                let way = |way: usize| match self.0[way] == line {
                    true => FOUND | way as u32,
                    false => 0,
                };
                (0..$slots).fold(0, |found, at| found | way(at))
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

/// What a batch sent to the level below; the misses are those of caches that are not plain.
struct Sent {
    count: usize,
    read_misses: u64,
    write_misses: u64,
    written_back: u64,
}

/// No request.
const NONE: u64 = u64::MAX;

impl<T: Tags, P: Policy> Narrow<T, P> {
    pub(super) fn new(index: Index, ways: u32, writes: Writes, seed: u64) -> Self {
        let (sets, ways) = (index.sets() as usize, Ways::new(ways));
        Narrow {
            index,
            ways,
            writes,
            policy: P::new(seed),
            tags: vec![T::NONE; sets + 1],
            states: vec![Self::empty(ways); sets + 1],
            settled: NONE,
        }
    }

    fn empty(ways: Ways) -> State {
        State {
            order: P::start(ways),
            valid: 0,
            changed: 0,
        }
    }

    /// Serves the requests; `PLAIN` are those of a cache that keeps what is written.
    #[inline(always)]
    fn run<const PLAIN: bool>(
        &mut self,
        index: impl Fn(u32) -> u32,
        requests: &[u64],
        below: &mut [u64],
    ) -> Sent {
        let (ways, spare) = (self.ways, self.tags.len() - 1);
        let (allocates, through) = (self.writes.allocates(), self.writes.through());
        let (tags, states) = (&mut self.tags[..=spare], &mut self.states[..=spare]);
        let mut policy = self.policy.clone();
        let (mut next, mut settled) = (0, self.settled);
        let (mut read_misses, mut write_misses, mut written_back) = (0, 0, 0);
        for &asked in requests {
            if asked == settled {
                continue;
            }
            let (line, kind) = (asked as u32, asked >> 32 & KIND);
            let set = index(line) as usize;
            let found = tags[set].find(line);
            let miss = found == 0;
            let keeps = PLAIN || allocates || kind == 0;
            // A write that misses and is not kept leaves the set as it is.
            let home = if miss && !keeps { spare } else { set };
            let state = states[home];
            let (victim, aged) = policy.victim(state.order, state.valid, ways, miss && keeps);
            let way = if miss { victim } else { found } % FOUND;
            let old = tags[home].get(way);
            let order = if miss {
                P::filled(aged, way, ways)
            } else {
                P::touched(state.order, way, ways)
            };
            let lost = u32::from(miss) << way & state.changed;
            let replaced = lost != 0 && (PLAIN || keeps);
            let changes = u32::from(kind != 0 && (PLAIN || !through));
            states[home] = State {
                order,
                valid: state.valid | 1 << way,
                changed: state.changed ^ lost | changes << way,
            };
            tags[if miss { home } else { spare }].set(way, line);
            // A whole line that comes from above needs no fetch.
            below[next] = u64::from(line) | ((kind & 1) * FOR_WRITE) << 32;
            next += usize::from(miss & (kind < 2) & keeps);
            below[next] = request(old, Asked::Back);
            next += usize::from(replaced);
            if !PLAIN {
                below[next] = asked;
                next += usize::from(kind != 0 && (through || !keeps && miss));
                read_misses += u64::from(miss && kind == 0);
                write_misses += u64::from(miss && kind == 1);
                written_back += u64::from(replaced);
            }
            let repeats = (PLAIN || kind == 0) && (P::IDEMPOTENT || !miss);
            settled = if repeats { asked } else { NONE };
        }
        // What was in the spare set is of no set.
        tags[spare] = T::NONE;
        states[spare] = Self::empty(ways);
        self.policy = policy;
        self.settled = settled;
        Sent {
            count: next,
            read_misses,
            write_misses,
            written_back,
        }
    }

    fn place(&self, line: u32) -> (usize, u32) {
        let set = self.index.set(line) as usize;
        (set, self.tags[set].find(line))
    }
}

impl<T: Tags, P: Policy> Store for Narrow<T, P> {
    fn serve(&mut self, requests: &[u64], below: &mut Vec<u64>, tally: &mut Tally) -> usize {
        let index = self.index.clone();
        let plain = self.writes == Writes::Back;
        // Room for all that one request can send on, and for what is written there and not kept.
        let most = requests.len() * if plain { 2 } else { 3 } + 1;
        if below.len() < most {
            below.resize(most, 0);
        }
        let sent = match (plain, index.mask()) {
            (true, Some(mask)) => self.run::<true>(|line| line & mask, requests, below),
            (true, None) => self.run::<true>(|line| index.set(line), requests, below),
            (false, _) => self.run::<false>(|line| index.set(line), requests, below),
        };
        if plain {
            tally.add_plain(requests, &below[..sent.count]);
        } else {
            tally.add_asked(requests);
            tally.read_misses += sent.read_misses;
            tally.write_misses += sent.write_misses;
            tally.written_back += sent.written_back;
        }
        sent.count
    }

    fn writes(&self) -> Writes {
        self.writes
    }

    fn touch(&mut self, line: u32, change: bool) -> bool {
        self.settled = NONE;
        let (set, found) = self.place(line);
        if found != 0 {
            let way = found % FOUND;
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
        let (way, aged) = self
            .policy
            .victim(state.order, state.valid, self.ways, true);
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
        let way = found % FOUND;
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
