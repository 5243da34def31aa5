//! Moving a page, with the frame under it, to another address.
#![allow(unsafe_code)]

use std::fmt;
use std::io;
use std::ops::Range;

use super::{Remap, Userfault};

/// A way to move pages.
pub trait Mechanism: fmt::Debug + Send {
    /// Its name, for reports.
    fn name(&self) -> &'static str;

    /// Prepares these addresses as a destination for pages. All of it is untouched memory of this
    /// process, and a thread that touches it before [`Mechanism::finish`] may wait until then.
    ///
    /// # Errors
    /// When the kernel refuses: nothing can be moved there.
    fn begin(&mut self, range: Range<usize>) -> io::Result<()>;

    /// Moves the page at `from` to `to`, which has no page yet. Content and frame stay the same, and
    /// `from` has no page afterwards.
    ///
    /// # Errors
    /// When this page cannot be moved. It is then unchanged.
    ///
    /// # Safety
    /// Both are starts of pages in private anonymous mappings of the same access, neither is used
    /// elsewhere, and `to` lies in a range that was begun.
    unsafe fn move_page(&mut self, from: *mut u8, to: *mut u8) -> io::Result<()>;

    /// Makes the range ordinary memory again; unfilled parts get ordinary pages on first touch.
    ///
    /// # Errors
    /// When the kernel refuses, which is not expected.
    fn finish(&mut self, range: Range<usize>) -> io::Result<()>;
}

/// Why pages cannot be moved here, by mechanism.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("pages cannot be moved on this kernel: userfaultfd: {userfaultfd}; mremap: {mremap}")]
pub struct Unavailable {
    /// Why `userfaultfd` does not work.
    pub userfaultfd: String,
    /// Why `mremap` does not work.
    pub mremap: String,
}

/// The best mechanism that works here: `UFFDIO_MOVE`, or `mremap` with its limit on mappings.
///
/// # Errors
/// When neither works, with the reasons.
pub fn mechanism() -> Result<Box<dyn Mechanism>, Unavailable> {
    let userfaultfd = match Userfault::open() {
        Ok(userfault) => return Ok(Box::new(userfault)),
        Err(why) => why,
    };
    match Remap::open() {
        Ok(remap) => Ok(Box::new(remap)),
        Err(mremap) => Err(Unavailable {
            userfaultfd,
            mremap,
        }),
    }
}
