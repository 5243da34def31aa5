//! LRU of up to 16 ways with the vectors of AVX-512: the tags of a set by recency in one register.
//!
//! A hit or miss moves the tags before it by one place, which is one instruction under a mask. It is the loop that the
//! simulation of whole curves spends its time in; the same counts come from [`super::narrow`] on other CPUs.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    _mm512_cmpeq_epi32_mask, _mm512_load_si512, _mm512_mask_mov_epi32, _mm512_permutex2var_epi32,
    _mm512_set1_epi32, _mm512_setr_epi32, _mm512_store_si512,
};

use super::{Asked, EMPTY, Gone, KIND, Store, Tally, Writes, request};
use crate::index::Index;

/// The lines of a set, the most recently used first, empty ways last.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Order([u32; 16]);

/// A cache that keeps what is written.
pub(super) struct Vector {
    index: Index,
    ways: usize,
    orders: Vec<Order>,
    /// For each set, a bit for each place whose line is changed.
    changed: Vec<u32>,
    /// Was nothing written yet?
    clean: bool,
    /// The last request: to repeat it has no effect.
    settled: u64,
}

impl Vector {
    /// The cache, where this CPU has what it takes.
    pub(super) fn new(index: Index, ways: u32) -> Result<Vector, Index> {
        let able = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        if !able || !(1..=16).contains(&ways) {
            return Err(index);
        }
        let sets = index.sets() as usize;
        Ok(Vector {
            ways: ways as usize,
            orders: vec![Order([EMPTY; 16]); sets],
            changed: vec![0; sets],
            clean: true,
            settled: u64::MAX,
            index,
        })
    }

    /// Serves the requests; how many went on.
    ///
    /// # Safety
    /// The CPU must have these features, and `below` room for twice the requests and one more. `CLEAN` is for requests that
    /// only read from sets that only were read.
    #[target_feature(enable = "avx512f,bmi1,bmi2")]
    unsafe fn run<const MASKED: bool, const CLEAN: bool>(
        &mut self,
        requests: &[u64],
        below: &mut [u64],
        tally: &mut Tally,
    ) -> usize {
        let (mask, last) = (self.index.mask().unwrap_or(0), self.ways - 1);
        let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        // Each place takes what stood before it, and the first the lane of the second operand.
        let moves = _mm512_setr_epi32(16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        let index = &self.index;
        let (orders, all_changed) = (self.orders.as_mut_slice(), self.changed.as_mut_slice());
        let (mut next, mut settled) = (0, self.settled);
        for &asked in requests {
            if asked == settled {
                continue;
            }
            settled = asked;
            let line = asked as u32;
            let set = match MASKED {
                true => line & mask,
                false => index.set(line),
            } as usize;
            // SAFETY: an index function gives numbers below that of its sets, and there are as many of both.
            let (order, changed) = unsafe {
                (
                    orders.get_unchecked_mut(set),
                    all_changed.get_unchecked_mut(set),
                )
            };
            let oldest = order.0[last & 15];
            let sought = _mm512_set1_epi32(line as i32);
            // SAFETY: 64 bytes of an array that is aligned to as many.
            let tags = unsafe { _mm512_load_si512(order.0.as_ptr().cast()) };
            let found = u32::from(_mm512_cmpeq_epi32_mask(tags, sought));
            let miss = u32::from(found == 0);
            let at = found | miss << last;
            let moved = at | (at - 1);
            // A whole store: one under a mask could not be read again before it has reached the cache.
            let moves = _mm512_mask_mov_epi32(places, moved as u16, moves);
            let tags = _mm512_permutex2var_epi32(tags, moves, sought);
            // SAFETY: as above; the array is borrowed for writing.
            unsafe { _mm512_store_si512(order.0.as_mut_ptr().cast(), tags) };
            if CLEAN {
                // SAFETY: each request before this one has sent one on at most.
                unsafe { *below.get_unchecked_mut(next) = u64::from(line) };
                next += miss as usize;
                continue;
            }
            let before = *changed;
            let own = u32::from(before & at != 0);
            let replaced = own & miss;
            let first = own ^ replaced | u32::from(asked & KIND << 32 != 0);
            *changed = before & !moved | (before & moved >> 1) << 1 | first;
            // SAFETY: each request before this one has sent two on at most.
            unsafe {
                // A whole line that comes from above needs no fetch.
                *below.get_unchecked_mut(next) = u64::from(line) | (asked & 1 << 32) << 2;
                next += (u64::from(miss) & !(asked >> 33)) as usize;
                *below.get_unchecked_mut(next) = request(oldest, Asked::Back);
                next += replaced as usize;
            }
        }
        self.settled = settled;
        tally.add_plain(requests, &below[..next]);
        next
    }

    fn set(&self, line: u32) -> (usize, Option<usize>) {
        let set = self.index.set(line) as usize;
        let at = self.orders[set].0.iter().position(|own| *own == line);
        (set, at)
    }

    /// Takes what is at a place out of the set; the others move up.
    fn take(&mut self, set: usize, at: usize) -> Gone {
        self.settled = u64::MAX;
        let (order, changed) = (&mut self.orders[set].0, &mut self.changed[set]);
        let line = order[at];
        order[at..].rotate_left(1);
        order[15] = EMPTY;
        let (before, after) = ((1 << at) - 1, !1 << at);
        let was = *changed >> at & 1 != 0;
        *changed = *changed & before | (*changed & after) >> 1;
        Gone { line, changed: was }
    }

    fn put_first(&mut self, set: usize, line: u32, changed: bool) {
        self.settled = u64::MAX;
        self.orders[set].0.rotate_right(1);
        self.orders[set].0[0] = line;
        self.changed[set] = self.changed[set] << 1 | u32::from(changed);
        self.clean &= !changed;
    }
}

impl Store for Vector {
    fn serve(&mut self, requests: &[u64], below: &mut Vec<u64>, tally: &mut Tally) -> usize {
        // Room for all that one request can send on, and for what is written there and not kept.
        let most = 2 * requests.len() + 1;
        if below.len() < most {
            below.resize(most, 0);
        }
        self.clean &= requests.iter().fold(0, |all, asked| all | asked) >> 32 == 0;
        // SAFETY: `new` makes none on a CPU without these features; the room was made.
        unsafe {
            match (self.index.mask(), self.clean) {
                (Some(_), true) => self.run::<true, true>(requests, below, tally),
                (Some(_), false) => self.run::<true, false>(requests, below, tally),
                (None, true) => self.run::<false, true>(requests, below, tally),
                (None, false) => self.run::<false, false>(requests, below, tally),
            }
        }
    }

    fn writes(&self) -> Writes {
        Writes::Back
    }

    fn touch(&mut self, line: u32, change: bool) -> bool {
        let (set, at) = self.set(line);
        if let Some(at) = at {
            let gone = self.take(set, at);
            self.put_first(set, line, gone.changed || change);
        }
        at.is_some()
    }

    fn fill(&mut self, line: u32, changed: bool) -> Option<Gone> {
        let set = self.index.set(line) as usize;
        let oldest = self.take(set, self.ways - 1);
        self.put_first(set, line, changed);
        (oldest.line != EMPTY).then_some(oldest)
    }

    fn remove(&mut self, line: u32) -> Option<Gone> {
        let (set, at) = self.set(line);
        Some(self.take(set, at?))
    }
}
