//! A simple interface to a buffer on colored pages.

use crate::arena::page_size;
use crate::discovery::BUDGET;
use crate::pool::{Counts, Options, Policy, Pool, Reason, Region};

/// Additional pages: a pool's colors are not equally full, and some pages are kept for testing.
/// With an L2 of 1 MiB, 2,048 pages are eight times the cache.
const BESIDES: usize = 2_048;

/// Memory in which every page has the color chosen by a policy, if available.
///
/// Every page has its frame: the content is zero and the first write causes no fault.
#[derive(Debug)]
pub struct ColoredBuffer {
    region: Region,
    colors: usize,
}

impl ColoredBuffer {
    /// At least `bytes`. Finds the colors first, which takes a tenth of a second on a quiet machine;
    /// for several buffers create a [`Pool`] once and use [`ColoredBuffer::from_pool`].
    ///
    /// # Errors
    /// When no colors are found, pages cannot be moved, or there is no memory.
    pub fn new(bytes: usize, policy: &Policy, seed: u64) -> Result<ColoredBuffer, Reason> {
        let options = Options {
            pages: ColoredBuffer::pool_pages(bytes),
            seed,
            first_level_bytes: None,
            budget: BUDGET,
        };
        ColoredBuffer::from_pool(&mut Pool::new(&options)?, bytes, policy)
    }

    /// From a pool, whose pages it keeps.
    ///
    /// # Errors
    /// When the policy names nonexistent colors, or there is no memory.
    pub fn from_pool(
        pool: &mut Pool,
        bytes: usize,
        policy: &Policy,
    ) -> Result<ColoredBuffer, Reason> {
        Ok(ColoredBuffer {
            region: pool.region(bytes, policy)?,
            colors: pool.colors(),
        })
    }

    /// Pages that a pool should have for a buffer of `bytes` bytes, with all colors used equally.
    pub fn pool_pages(bytes: usize) -> usize {
        let needed = bytes.div_ceil(page_size());
        needed + needed / 2 + BESIDES
    }

    /// First byte, at the start of a page.
    pub fn start(&self) -> *mut u8 {
        self.region.start()
    }

    /// Length in bytes, a multiple of the page size.
    pub fn len(&self) -> usize {
        self.region.len()
    }

    /// Always false: it has at least one page.
    pub fn is_empty(&self) -> bool {
        self.region.is_empty()
    }

    /// The number of colors of the cache.
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// Outcome of its pages; `by_color` is its histogram of colors.
    pub fn counts(&self) -> &Counts {
        &self.region.counts
    }
}
