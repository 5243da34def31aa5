//! Memory on pages of all colors in turn, for the points with `pages=colored`.

use whyslow_host::HostRoot;
use whyslow_model::host::{CacheKind, Known};
use whyslow_placement::buffer::ColoredBuffer;
use whyslow_placement::pool::{Options, Policy, Pool, Reason};

use crate::buffer::Buffer;
use crate::probe::Stop;

/// Pages of known color, from which the draws of a worker are made.
#[derive(Debug)]
pub(crate) struct Colored(Pool);

impl Colored {
    /// Finds the colors of enough pages for `bytes` in all, on the CPU that the thread is on.
    ///
    /// # Errors
    /// When no colors are found, or pages cannot be moved.
    pub(crate) fn new(bytes: usize, seed: u64) -> Result<Colored, Stop> {
        let options = Options {
            pages: ColoredBuffer::pool_pages(bytes),
            seed,
            first_level_bytes: first_level(),
        };
        Pool::new(&options).map(Colored).map_err(unavailable)
    }

    /// Memory of `len` bytes at `offset` bytes into a page.
    ///
    /// # Errors
    /// When a page did not get its color: what is measured on it would not be what the point says.
    pub(crate) fn buffer(&mut self, len: usize, offset: usize) -> Result<Buffer, Stop> {
        let memory = ColoredBuffer::from_pool(&mut self.0, len + offset, &Policy::ROUND_ROBIN);
        let memory = memory.map_err(unavailable)?;
        let counts = memory.counts();
        let wrong = counts.fallbacks + counts.ordinary;
        if wrong > 0 {
            return Err(Stop::Unavailable(format!(
                "pages=colored: {wrong} of {} pages did not get their color; try again on an idle machine",
                wrong + counts.hits
            )));
        }
        Ok(Buffer::colored(memory, len, offset))
    }
}

fn unavailable(reason: Reason) -> Stop {
    Stop::Unavailable(format!("pages=colored: {reason}"))
}

/// The claimed size of the first-level data cache, bytes.
fn first_level() -> Option<u64> {
    let host = HostRoot::live().facts();
    let Known::Is(caches) = &host.caches else {
        return None;
    };
    let first = caches
        .iter()
        .find(|c| c.level == 1 && c.kind != CacheKind::Instruction);
    first.and_then(|c| c.size_bytes.value().copied())
}
