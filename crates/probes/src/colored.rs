//! Memory for the placement points. `pages=colored`: pages of all colors in turn. `pages=moved`: pages moved
//! the same way, with random colors. `pages=unmoved`: ordinary pages in a process that also searched for
//! colors. The color search succeeds only on an undisturbed core, so processes that did one run on quieter
//! cores: only such processes are comparable.

use std::time::Duration;

use whyslow_host::HostRoot;
use whyslow_page_color::buffer::ColoredBuffer;
use whyslow_page_color::pool::{Options, Order, Policy, Pool, Reason};

use crate::buffer::{Buffer, Pages};
use crate::stop::Stop;

/// A worker searches no longer: it is one process of many, and has its time to measure in.
const BUDGET: Duration = Duration::from_secs(2);

/// Pages of known color, from which the draws of a worker are made.
#[derive(Debug)]
pub(crate) struct Colored {
    pool: Pool,
    /// None: the kernel places the pages.
    policy: Option<Policy>,
    pages: &'static str,
}

impl Colored {
    /// Finds the colors of enough pages for `bytes` in total, on the thread's CPU; does nothing for
    /// kinds of pages that need none.
    ///
    /// # Errors
    /// When no colors are found, or pages cannot be moved.
    pub(crate) fn for_pages(
        pages: Pages,
        bytes: usize,
        seed: impl FnOnce() -> u64,
    ) -> Result<Option<Colored>, Stop> {
        let (pages, policy) = match pages {
            Pages::Colored => ("colored", Some(Policy::ROUND_ROBIN)),
            Pages::Moved => ("moved", Some(Policy::all(Order::Random))),
            Pages::Unmoved => ("unmoved", None),
            _ => return Ok(None),
        };
        Colored::new(bytes, seed(), pages, policy).map(Some)
    }

    fn new(
        bytes: usize,
        seed: u64,
        pages: &'static str,
        policy: Option<Policy>,
    ) -> Result<Colored, Stop> {
        let host = HostRoot::live().facts();
        let options = Options {
            pages: ColoredBuffer::pool_pages(bytes),
            seed,
            first_level_bytes: host.data_cache_bytes(1),
            budget: BUDGET,
        };
        let pool = Pool::new(&options).map_err(|why| unavailable(pages, &why))?;
        Ok(Colored {
            pool,
            policy,
            pages,
        })
    }

    /// Memory of `len` bytes at `offset` bytes into a page.
    ///
    /// # Errors
    /// When a page did not get its color, because the point would then be mislabeled.
    pub(crate) fn buffer(&mut self, len: usize, offset: usize) -> Result<Buffer, Stop> {
        let Some(policy) = &self.policy else {
            return Buffer::new(len, Pages::Unmoved, offset);
        };
        let memory = ColoredBuffer::from_pool(&mut self.pool, len + offset, policy);
        let memory = memory.map_err(|why| unavailable(self.pages, &why))?;
        let counts = memory.counts();
        let wrong = counts.fallbacks + counts.ordinary;
        if wrong > 0 {
            return Err(Stop::Unavailable(format!(
                "pages={}: {wrong} of {} pages did not get their color; try again on an idle machine",
                self.pages,
                wrong + counts.hits
            )));
        }
        Ok(Buffer::colored(memory, len, offset))
    }
}

fn unavailable(pages: &str, reason: &Reason) -> Stop {
    Stop::Unavailable(format!("pages={pages}: {reason}"))
}
