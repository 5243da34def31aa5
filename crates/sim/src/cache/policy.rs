//! Replacement policies of up to 16 ways, each with its state in one word.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Ways of a set, as the policies need them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    /// How many.
    pub(super) count: u32,
    /// A bit for each.
    pub(super) all: u32,
}

impl Ways {
    pub(super) fn new(count: u32) -> Ways {
        Ways {
            count,
            all: (1u32 << count) - 1,
        }
    }

    /// The first empty way, if there is one.
    #[inline(always)]
    fn empty(self, valid: u32) -> Option<u32> {
        let empty = !valid & self.all;
        (empty != 0).then(|| empty.trailing_zeros())
    }
}

/// How a set chooses what to replace.
pub(super) trait Policy: Send + Clone {
    /// Is a second access to the line that was accessed last without effect?
    const IDEMPOTENT: bool;

    fn new(seed: u64) -> Self;

    /// The state of an empty set.
    fn start(ways: Ways) -> u64;

    /// The way to fill after a miss that is kept, which `fills` says, and the state with what looking for it did. Empty ways
    /// come first.
    fn victim(&mut self, state: u64, valid: u32, ways: Ways, fills: bool) -> (u32, u64);

    /// The state after a hit in `way`.
    fn touched(state: u64, way: u32, ways: Ways) -> u64;

    /// The state after `way` was filled.
    fn filled(state: u64, way: u32, ways: Ways) -> u64;

    /// The state after the line in `way` was removed.
    fn removed(state: u64, way: u32, ways: Ways) -> u64;
}

/// Least recently used: the ways by recency, four bits each, the most recent lowest.
#[derive(Clone)]
pub(super) struct Lru;

/// One in each group of four bits.
const NIBBLES: u64 = 0x1111_1111_1111_1111;

/// Where `way` stands in an order: four times its place.
#[inline(always)]
fn place(order: u64, way: u32) -> u32 {
    // A zero group is found by carries that never leave their group: 7 + 7 is below 16.
    let low = 7 * NIBBLES;
    let differs = order ^ (u64::from(way) * NIBBLES);
    let zero = !(((differs & low) + low) | differs | low);
    zero.trailing_zeros() & !3
}

/// `way` moved to the front of an order.
#[inline(always)]
fn to_front(order: u64, way: u32) -> u64 {
    let before = (1u64 << place(order, way)) - 1;
    let moved = (before << 4) | 15;
    (order & !moved) | ((order & before) << 4) | u64::from(way)
}

impl Policy for Lru {
    const IDEMPOTENT: bool = true;

    fn new(_: u64) -> Self {
        Lru
    }

    fn start(ways: Ways) -> u64 {
        // Way 0 is filled first; ways beyond the last never move.
        let at = |place: u32| match place < ways.count {
            true => ways.count - 1 - place,
            false => place,
        };
        (0..16).fold(0, |order, place| {
            order | u64::from(at(place)) << (4 * place)
        })
    }

    #[inline(always)]
    fn victim(&mut self, state: u64, _: u32, ways: Ways, _: bool) -> (u32, u64) {
        // Empty ways are always at the end.
        ((state >> (4 * (ways.count - 1))) as u32 & 15, state)
    }

    #[inline(always)]
    fn touched(state: u64, way: u32, _: Ways) -> u64 {
        to_front(state, way)
    }

    #[inline(always)]
    fn filled(state: u64, way: u32, _: Ways) -> u64 {
        to_front(state, way)
    }

    fn removed(state: u64, way: u32, ways: Ways) -> u64 {
        let (at, last) = (place(state, way), 4 * (ways.count - 1));
        let below = (1u64 << at) - 1;
        let up_to_last = ((1u128 << (last + 4)) - 1) as u64;
        let between = up_to_last & !((below << 4) | 15);
        (state & below)
            | ((state & between) >> 4)
            | (u64::from(way) << last)
            | (state & !up_to_last)
    }
}

/// One bit for each way that says that it was used; when all are set, the others are cleared.
#[derive(Clone)]
pub(super) struct BitPlru;

impl Policy for BitPlru {
    const IDEMPOTENT: bool = true;

    fn new(_: u64) -> Self {
        BitPlru
    }

    fn start(_: Ways) -> u64 {
        0
    }

    #[inline(always)]
    fn victim(&mut self, state: u64, valid: u32, ways: Ways, _: bool) -> (u32, u64) {
        let unused = !(state as u32) & ways.all;
        let way = ways.empty(valid).unwrap_or(unused.trailing_zeros());
        // A way that is alone has its bit always set.
        (way.min(ways.count - 1), state)
    }

    #[inline(always)]
    fn touched(state: u64, way: u32, ways: Ways) -> u64 {
        let own = 1u64 << way;
        let used = state | own;
        match used == u64::from(ways.all) {
            true => own,
            false => used,
        }
    }

    #[inline(always)]
    fn filled(state: u64, way: u32, ways: Ways) -> u64 {
        Self::touched(state, way, ways)
    }

    fn removed(state: u64, way: u32, _: Ways) -> u64 {
        state & !(1u64 << way)
    }
}

/// A binary tree whose nodes point away from what was used. Node 1 is the root, 2n and 2n + 1 are below n.
#[derive(Clone)]
pub(super) struct TreePlru;

impl Policy for TreePlru {
    const IDEMPOTENT: bool = true;

    fn new(_: u64) -> Self {
        TreePlru
    }

    fn start(_: Ways) -> u64 {
        0
    }

    #[inline(always)]
    fn victim(&mut self, state: u64, valid: u32, ways: Ways, _: bool) -> (u32, u64) {
        let mut node = 1;
        while node < ways.count {
            node = 2 * node + (state >> node) as u32 % 2;
        }
        (ways.empty(valid).unwrap_or(node - ways.count), state)
    }

    #[inline(always)]
    fn touched(state: u64, way: u32, ways: Ways) -> u64 {
        let (mut state, mut node) = (state, way + ways.count);
        while node > 1 {
            let away = u64::from(!node & 1);
            node /= 2;
            state = state & !(1 << node) | away << node;
        }
        state
    }

    #[inline(always)]
    fn filled(state: u64, way: u32, ways: Ways) -> u64 {
        Self::touched(state, way, ways)
    }

    fn removed(state: u64, _: u32, _: Ways) -> u64 {
        state
    }
}

/// Static re-reference interval prediction (Jaleel et al. 2010), two bits a way: filled at 2, set to 0 by a hit; what
/// stands at 3 is replaced, and all age until one does.
#[derive(Clone)]
pub(super) struct Srrip;

/// One in each group of two bits.
const PAIRS: u64 = 0x5555_5555;

impl Policy for Srrip {
    /// The first hit after a fill matters.
    const IDEMPOTENT: bool = false;

    fn new(_: u64) -> Self {
        Srrip
    }

    fn start(_: Ways) -> u64 {
        0
    }

    #[inline(always)]
    fn victim(&mut self, state: u64, valid: u32, ways: Ways, _: bool) -> (u32, u64) {
        if let Some(way) = ways.empty(valid) {
            return (way, state);
        }
        let own = PAIRS & ((1u64 << (2 * ways.count)) - 1);
        let (low, high) = (state & own, state >> 1 & own);
        let mut at = low & high;
        let mut by = 0;
        for (oldest, steps) in [(high & !low, 1), (low & !high, 2), (own & !low & !high, 3)] {
            if at == 0 {
                (at, by) = (oldest, steps);
            }
        }
        (at.trailing_zeros() / 2, state + by * own)
    }

    #[inline(always)]
    fn touched(state: u64, way: u32, _: Ways) -> u64 {
        state & !(3 << (2 * way))
    }

    #[inline(always)]
    fn filled(state: u64, way: u32, _: Ways) -> u64 {
        state & !(3 << (2 * way)) | 2 << (2 * way)
    }

    fn removed(state: u64, _: u32, _: Ways) -> u64 {
        state
    }
}

/// Bimodal re-reference interval prediction (the same paper): as SRRIP, but a line is filled at 3, and only one in
/// [`LONGER`] at 2, so that a part of what does not fit stays.
#[derive(Clone)]
pub(super) struct Brrip(SplitMix64);

/// Fills of which one is kept for longer.
const LONGER: u64 = 32;

impl Policy for Brrip {
    /// The first hit after a fill matters.
    const IDEMPOTENT: bool = false;

    fn new(seed: u64) -> Self {
        Brrip(SplitMix64::seed_from_u64(seed))
    }

    fn start(_: Ways) -> u64 {
        0
    }

    #[inline(always)]
    fn victim(&mut self, state: u64, valid: u32, ways: Ways, fills: bool) -> (u32, u64) {
        if !fills {
            return (0, state);
        }
        let longer = ((self.0.next_u64() >> 32) * LONGER) >> 32 == 0;
        let (way, aged) = Srrip.victim(state, valid, ways, fills);
        (
            way,
            aged & !(3 << (2 * way)) | (3 - u64::from(longer)) << (2 * way),
        )
    }

    #[inline(always)]
    fn touched(state: u64, way: u32, ways: Ways) -> u64 {
        Srrip::touched(state, way, ways)
    }

    /// What was drawn with the victim stands there already.
    #[inline(always)]
    fn filled(state: u64, _: u32, _: Ways) -> u64 {
        state
    }

    fn removed(state: u64, _: u32, _: Ways) -> u64 {
        state
    }
}

/// Any way, each as likely.
#[derive(Clone)]
pub(super) struct Random(SplitMix64);

impl Policy for Random {
    const IDEMPOTENT: bool = true;

    fn new(seed: u64) -> Self {
        Random(SplitMix64::seed_from_u64(seed))
    }

    fn start(_: Ways) -> u64 {
        0
    }

    #[inline(always)]
    fn victim(&mut self, state: u64, valid: u32, ways: Ways, fills: bool) -> (u32, u64) {
        if !fills {
            return (0, state);
        }
        let drawn = ((self.0.next_u64() >> 32) * u64::from(ways.count)) >> 32;
        (ways.empty(valid).unwrap_or(drawn as u32), state)
    }

    #[inline(always)]
    fn touched(state: u64, _: u32, _: Ways) -> u64 {
        state
    }

    #[inline(always)]
    fn filled(state: u64, _: u32, _: Ways) -> u64 {
        state
    }

    fn removed(state: u64, _: u32, _: Ways) -> u64 {
        state
    }
}
