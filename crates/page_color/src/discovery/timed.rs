//! The real cache of this thread's core, probed by timed walks.
#![allow(unsafe_code)]

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use whyslow_kernels::color::{sweep, timed_walk};

use super::{Cache, Page, shuffle};
use crate::alone::Core;
use crate::arena::page_size;
use whyslow_linux::affinity::Pinned;

/// Bytes of a line. Where lines are longer, some are loaded twice, which is harmless.
const LINE: usize = 64;

/// Lines of a page in a walk: enough for a counter with 10 ns steps, few enough that prefetchers
/// detect no pattern. (With 64 lines, prefetchers hid a third.)
const SAMPLES: usize = 16;

/// Most measurements spent waiting, some 25 ms: a permanently busy sibling is tolerated, and so is a lower core
/// clock.
const MOST_LOOKS: u32 = 30_000;

/// Pages of this process, by number. The thread should stay on one CPU.
#[derive(Debug)]
pub struct Timed {
    pages: Vec<*mut u8>,
    /// Offsets of the sample lines, in the order of the walk.
    samples: Vec<u16>,
    /// Offsets of all lines, in random order.
    lines: Vec<u16>,
    core: Core,
    begun: Instant,
    /// Keeps the thread on its CPU.
    pinned: Option<Pinned>,
}

impl Timed {
    /// Without any pages yet.
    pub fn new(seed: u64) -> Timed {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Pages of 64 KiB, the largest base pages, still have offsets of 16 bits.
        let mut lines: Vec<u16> = (0..page_size() / LINE).map(|i| (i * LINE) as u16).collect();
        shuffle(&mut lines, &mut rng);
        // Spread over the page: one in each 16th, in random order.
        let share = (lines.len() / SAMPLES).max(1);
        let mut samples: Vec<u16> = (0..SAMPLES)
            .filter_map(|part| {
                let within = |&&at: &&u16| usize::from(at) / LINE / share == part;
                lines.iter().find(within).copied()
            })
            .collect();
        shuffle(&mut samples, &mut rng);
        Timed {
            pages: Vec::new(),
            samples,
            lines,
            core: Core::new(MOST_LOOKS),
            begun: Instant::now(),
            pinned: None,
        }
    }

    /// Has the calling thread stay on the CPU that it is on, but for pauses of the search, until
    /// [`Timed::unpin`] or the end of this.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn pin(&mut self) -> io::Result<()> {
        self.pinned = Some(Pinned::here()?);
        Ok(())
    }

    /// Lets the thread go.
    pub fn unpin(&mut self) {
        self.pinned = None;
    }

    /// The CPU that the thread stays on.
    pub fn cpu(&self) -> Option<u32> {
        self.pinned.as_ref().map(Pinned::cpu)
    }

    /// Adds a page, whose content is overwritten, and gives its number.
    ///
    /// # Safety
    /// `page` is the start of a writable page that, whenever it is probed, is mapped at that address
    /// and not written by others.
    pub unsafe fn add(&mut self, page: *mut u8) -> Page {
        self.pages.push(page);
        let number = Page(self.pages.len() as u32 - 1);
        // SAFETY: the contract is the caller's.
        unsafe { self.prepare(number) };
        number
    }

    /// Adds a page that is loaded to test others, and gives its number. Its content stays as it is, so it must never be
    /// probed.
    ///
    /// # Safety
    /// `page` is the start of a page that may be read, and stays mapped whenever it is loaded; it is never given to
    /// anything that probes it.
    pub unsafe fn add_tester(&mut self, page: *mut u8) -> Page {
        self.pages.push(page);
        Page(self.pages.len() as u32 - 1)
    }

    /// Writes the chain of a page again, after it held something else or was given another address.
    ///
    /// # Safety
    /// As for [`Timed::add`], for that page.
    unsafe fn prepare(&mut self, page: Page) {
        let start = self.pages[page.0 as usize];
        for (i, &at) in self.samples.iter().enumerate() {
            let next = self.samples[(i + 1) % self.samples.len()];
            let next = start.wrapping_add(usize::from(next));
            let at = start.wrapping_add(usize::from(at)).cast::<*mut u8>();
            // SAFETY: a line's start within the page guaranteed by the caller of `add`.
            unsafe { at.write(next) };
        }
    }

    /// Changes the address of a page to `address`.
    ///
    /// # Safety
    /// As for [`Timed::add`].
    pub unsafe fn relocate(&mut self, page: Page, address: *mut u8) {
        self.pages[page.0 as usize] = address;
        // SAFETY: the contract is the caller's.
        unsafe { self.prepare(page) };
    }

    /// Offsets of the lines in a walk, in order.
    pub fn samples(&self) -> &[u16] {
        &self.samples
    }

    /// Offsets of all lines, in the order in which they are loaded.
    pub fn lines(&self) -> &[u16] {
        &self.lines
    }
}

impl Cache for Timed {
    fn pages(&self) -> u32 {
        self.pages.len() as u32
    }

    fn probe(&mut self, page: Page) -> u32 {
        let first = self.samples.first().copied().unwrap_or(0);
        let start = self.pages[page.0 as usize].wrapping_add(usize::from(first));
        // SAFETY: `prepare` made a cycle of the page's sample lines.
        let walk = unsafe { timed_walk(start, self.samples.len() as u32) };
        u32::try_from(walk.ticks).unwrap_or(u32::MAX)
    }

    fn load(&mut self, page: Page) {
        // SAFETY: all offsets lie in the page, which the caller of `add` guarantees.
        let sum = unsafe { sweep(self.pages[page.0 as usize], &self.samples) };
        std::hint::black_box(sum);
    }

    fn traverse(&mut self, pages: &[Page]) {
        for page in pages {
            // SAFETY: all offsets lie in the page, which the caller of `add` guarantees.
            let sum = unsafe { sweep(self.pages[page.0 as usize], &self.lines) };
            std::hint::black_box(sum);
        }
    }

    fn alone(&mut self) -> bool {
        self.core.alone()
    }

    fn now(&mut self) -> Duration {
        self.begun.elapsed()
    }

    fn pause(&mut self, time: Duration) {
        let was = self.pinned.take().is_some();
        // A thread that wakes is given an idle CPU, where there is one.
        thread::sleep(time);
        if was {
            // A moment ago it was allowed; if it no longer is, other CPUs disturb, and the search finds out.
            self.pinned = Pinned::here().ok();
        }
    }
}
