//! Available pages, by color: memory of this process that a fork does not inherit.
#![allow(unsafe_code)]

use core::sync::atomic::Ordering::Relaxed;

use super::choose::{Turn, instead};
use super::classify::{self, LOOK, NONE};
use super::reason::COLORS;
use super::shared::{SAMPLES, Shared, WORDS};
use super::sys;

/// Most available pages: twice what a request of `CHUNK` pages of one color among 32 needs.
pub(crate) const SLOTS: usize = 8192;
/// The smallest pool: room for two rounds of classification.
const LEAST: usize = 2 * LOOK;
/// Pages kept after a block: twice what is classified together.
const KEEP: usize = 2 * LOOK;
/// Attempts to find a page of one color, each failing with probability (15/16)^256 at 16 colors.
const LOOKS: usize = 4;
/// One classified page in this many may match no color. In practice it is one in some thousands.
const STRAYS: usize = 4;
/// Consecutive rounds that may exceed this before the colors are considered invalid.
const BAD: u32 = 3;

/// State of a process. All zeros, as after a fork, is the empty state.
#[repr(C)]
pub(crate) struct Stock {
    /// The pool's first byte, and its number of slots.
    pub(crate) pool: usize,
    slots: usize,
    /// Slots without a page.
    holes: [u16; SLOTS],
    hole_count: usize,
    /// The first slot of each color, and the next of each slot.
    first: [u16; COLORS],
    next: [u16; SLOTS],
    left: [u32; COLORS],
    allowed: [u16; COLORS],
    allowed_count: usize,
    turn: Turn,
    bad: u32,
}

/// Why there is no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    /// No memory for a pool.
    Memory,
    /// Pages match no colors.
    Colors,
}

impl Stock {
    /// True if this process has a pool.
    pub(crate) fn is_open(&self) -> bool {
        self.pool != 0
    }

    /// Maps a pool.
    pub(crate) fn open(&mut self, shared: &Shared) -> Result<(), Empty> {
        let page = shared.page_size.load(Relaxed) as usize;
        // If the program's address space is limited, leave it to the program.
        let mut slots = if sys::limited() { LEAST } else { SLOTS };
        let pool = loop {
            if slots < LEAST {
                return Err(Empty::Memory);
            }
            let flags = sys::PRIVATE | sys::NORESERVE;
            match sys::map(slots * page, sys::WRITABLE, flags, usize::MAX, 0) {
                Some(pool) => break pool,
                None => slots /= 2,
            }
        };
        // SAFETY: the mapping just made; neither advice drops content. Without huge pages the first
        // fails harmlessly; without the second a fork would needlessly copy the pool.
        unsafe {
            sys::advise(pool, slots * page, sys::NOHUGEPAGE);
            sys::advise(pool, slots * page, sys::DONTFORK);
        }
        self.slots = slots;
        self.hole_count = slots;
        for (i, hole) in self.holes.iter_mut().enumerate().take(slots) {
            *hole = (slots - 1 - i) as u16;
        }
        self.first.fill(NONE);
        self.allowed_count = 0;
        let colors = shared.colors.load(Relaxed).min(COLORS as u32) as u16;
        for color in 0..colors {
            let word = shared.allowed.get(usize::from(color) / 64 % WORDS);
            let bits = word.map_or(0, |w| w.load(Relaxed));
            if bits >> (color % 64) & 1 == 1
                && let Some(slot) = self.allowed.get_mut(self.allowed_count)
            {
                *slot = color;
                self.allowed_count += 1;
            }
        }
        // Processes start at different colors, so that many small ones do not share the first few.
        let seed = sys::now() | 1;
        self.turn = Turn {
            next: (seed >> 4) as usize % usize::from(colors.max(1)),
            random: seed,
        };
        self.pool = pool as usize;
        Ok(())
    }

    /// The page in a slot.
    fn address(&self, slot: u16, page: usize) -> usize {
        self.pool + usize::from(slot) * page
    }

    /// A zeroed page for the address `to`: its address, its color, and whether that was the
    /// requested one.
    pub(crate) fn get(&mut self, shared: &Shared, to: usize) -> Result<(Got, u16), Empty> {
        let page = shared.page_size.load(Relaxed) as usize;
        let colors = (shared.colors.load(Relaxed) as usize).min(COLORS);
        let order = shared.order.load(Relaxed);
        let allowed = self.allowed;
        let allowed = allowed.get(..self.allowed_count).unwrap_or(&[]);
        let left = self.left;
        let left = left.get(..colors).unwrap_or(&[]);
        let wanted = self.turn.want(order, to / page.max(1), allowed, left);
        for _ in 0..LOOKS {
            if self.stock(wanted) > 0 || !self.look(shared)? {
                break;
            }
        }
        let left = self.left;
        let left = left.get(..colors).unwrap_or(&[]);
        let color = match self.stock(wanted) {
            0 => instead(wanted, allowed, left).ok_or(Empty::Colors)?,
            _ => wanted,
        };
        let slot = self.pop(color).ok_or(Empty::Colors)?;
        let at = self.address(slot, page);
        // SAFETY: a page of the pool, which is this process's and mapped.
        unsafe { core::ptr::write_bytes(at as *mut u8, 0, page) };
        let got = Got {
            at,
            color,
            hit: color == wanted,
        };
        Ok((got, slot))
    }

    fn stock(&self, color: u16) -> u32 {
        self.left.get(usize::from(color)).copied().unwrap_or(0)
    }

    fn pop(&mut self, color: u16) -> Option<u16> {
        let first = self.first.get_mut(usize::from(color))?;
        let slot = *first;
        *first = *self.next.get(usize::from(slot))?;
        if let Some(left) = self.left.get_mut(usize::from(color)) {
            *left = left.saturating_sub(1);
        }
        Some(slot)
    }

    /// Makes a page available.
    pub(crate) fn push(&mut self, slot: u16, color: u16) {
        let (Some(first), Some(next), Some(left)) = (
            self.first.get_mut(usize::from(color)),
            self.next.get_mut(usize::from(slot)),
            self.left.get_mut(usize::from(color)),
        ) else {
            return;
        };
        *next = *first;
        *first = slot;
        *left += 1;
    }

    /// Marks a slot as empty.
    pub(crate) fn hole(&mut self, slot: u16) {
        if let Some(hole) = self.holes.get_mut(self.hole_count) {
            *hole = slot;
            self.hole_count += 1;
        }
    }

    /// Classifies some more pages; false if there is no room for them.
    fn look(&mut self, shared: &Shared) -> Result<bool, Empty> {
        let page = shared.page_size.load(Relaxed) as usize;
        let mut slots = [NONE; LOOK];
        let mut count = 0;
        while count < LOOK && self.hole_count > 0 {
            self.hole_count -= 1;
            slots[count] = self.holes.get(self.hole_count).copied().unwrap_or(0);
            count += 1;
        }
        let slots = slots.get(..count).unwrap_or(&[]);
        if slots.is_empty() {
            return Ok(false);
        }
        let begun = sys::now();
        let samples = shared.samples.each_ref().map(|s| s.load(Relaxed));
        let samples = samples
            .get(..(shared.sample_count.load(Relaxed) as usize).min(SAMPLES))
            .unwrap_or(&[]);
        let mut pages = [0_usize; LOOK];
        for (at, slot) in pages.iter_mut().zip(slots) {
            *at = self.address(*slot, page);
            // SAFETY: a page of the pool; samples are offsets of lines in a page.
            unsafe { classify::chain(*at, samples) };
        }
        let mut colors = [NONE; LOOK];
        let (pages, colors) = (pages.get(..count).unwrap_or(&[]), &mut colors[..count]);
        // SAFETY: pages with chains; the launcher's pages are mapped behind `shared`.
        unsafe { classify::colors(shared, samples, pages, colors) };
        let mut strays = 0;
        for (slot, color) in slots.iter().zip(colors.iter()) {
            if *color == NONE {
                strays += 1;
                self.release(*slot, page);
            } else {
                self.push(*slot, *color);
            }
        }
        shared.tested.fetch_add(count as u64, Relaxed);
        shared.strays.fetch_add(strays as u64, Relaxed);
        shared.testing_ns.fetch_add(sys::now() - begun, Relaxed);
        self.bad = if strays * STRAYS > count {
            self.bad + 1
        } else {
            0
        };
        if self.bad >= BAD {
            return Err(Empty::Colors);
        }
        Ok(true)
    }

    /// Returns a page to the kernel.
    fn release(&mut self, slot: u16, page: usize) {
        // SAFETY: an unused page of the pool.
        unsafe { sys::advise(self.address(slot, page) as *mut u8, page, sys::DONTNEED) };
        self.hole(slot);
    }

    /// Frees surplus pages, from the most plentiful colors.
    pub(crate) fn trim(&mut self, shared: &Shared) {
        let page = shared.page_size.load(Relaxed) as usize;
        let colors = (shared.colors.load(Relaxed) as usize).clamp(1, COLORS);
        let each = (KEEP / colors).max(1) as u32;
        let held: u32 = self.left.iter().sum();
        if held as usize <= KEEP {
            return;
        }
        for color in 0..colors as u16 {
            while self.stock(color) > each {
                let Some(slot) = self.pop(color) else { break };
                self.release(slot, page);
            }
        }
    }
}

/// A page from the stock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Got {
    pub(crate) at: usize,
    pub(crate) color: u16,
    pub(crate) hit: bool,
}
