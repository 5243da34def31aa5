//! Moving pages by `mremap`: on kernels without `UFFDIO_MOVE`, and within the limit on mappings.
//!
//! Each moved page becomes its own mapping, so the limit is a few ten thousand pages. The source
//! must stay mapped, or an unrelated mapping could be placed in the hole, hence `MREMAP_DONTUNMAP`
//! (Linux 5.7).
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs;
use std::io;
use std::ops::Range;

use super::Mechanism;
use crate::arena::{Arena, Kind, page_size};

/// Mappings that a move may add: the page, and the other half of what it was put into.
const EACH: usize = 2;

/// The share of free mappings to use: the program needs some, too.
const SHARE: usize = 2;

/// Moves pages until the mappings are used up.
#[derive(Debug)]
pub struct Remap {
    /// Moves left.
    left: usize,
}

impl Remap {
    /// Reads the limit, and verifies the mechanism by moving a page.
    ///
    /// # Errors
    /// The reason, as text.
    pub fn open() -> Result<Remap, String> {
        let read = |path: &str| fs::read_to_string(path).map_err(|e| format!("{path}: {e}"));
        let most = read("/proc/sys/vm/max_map_count")?;
        let most: usize = most.trim().parse().map_err(|_| {
            format!(
                "/proc/sys/vm/max_map_count: {:?} is not a number",
                most.trim()
            )
        })?;
        let used = read("/proc/self/maps")?.lines().count();
        Remap::within(most.saturating_sub(used) / SHARE)
    }

    /// With the given number of mappings to use.
    fn within(mappings: usize) -> Result<Remap, String> {
        let failed = |e: io::Error| format!("a trial move failed: {e} (requires Linux 5.7)");
        let from = Arena::touched(page_size(), Kind::Small).map_err(failed)?;
        let to = Arena::reserve(page_size(), Kind::Small).map_err(failed)?;
        // SAFETY: pages of the two arenas, not used elsewhere.
        unsafe { remap(from.start(), to.start()) }.map_err(failed)?;
        match mappings / EACH {
            0 => Err("no mappings left (vm.max_map_count)".to_owned()),
            left => Ok(Remap { left }),
        }
    }
}

impl Mechanism for Remap {
    fn name(&self) -> &'static str {
        "mremap"
    }

    fn begin(&mut self, _: Range<usize>) -> io::Result<()> {
        Ok(())
    }

    unsafe fn move_page(&mut self, from: *mut u8, to: *mut u8) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            io::Error::other("the limit on mappings is reached (vm.max_map_count)")
        })?;
        // SAFETY: the contract is the caller's.
        unsafe { remap(from, to) }
    }

    fn finish(&mut self, _: Range<usize>) -> io::Result<()> {
        Ok(())
    }
}

/// Moves a page.
///
/// # Safety
/// As for [`Mechanism::move_page`], where no range needs to be begun.
unsafe fn remap(from: *mut u8, to: *mut u8) -> io::Result<()> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;
    let page = page_size();
    // SAFETY: both pages belong to the caller, by contract: the one at `to` is replaced, and the one at `from` stays mapped without content.
    let at = unsafe {
        libc::mremap(
            from.cast::<c_void>(),
            page,
            page,
            flags,
            to.cast::<c_void>(),
        )
    };
    if at == libc::MAP_FAILED {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_at_its_limit() {
        let mut remap = Remap::within(3 * EACH).unwrap();
        let from = Arena::touched(4 * page_size(), Kind::Small).unwrap();
        let to = Arena::reserve(4 * page_size(), Kind::Small).unwrap();
        let moved: Vec<bool> = from
            .pages()
            .zip(to.pages())
            // SAFETY: pages of the two arenas, not used elsewhere.
            .map(|(from, to)| unsafe { remap.move_page(from, to) }.is_ok())
            .collect();
        assert_eq!(moved, [true, true, true, false]);
        assert_eq!(
            Remap::within(1).unwrap_err(),
            "no mappings left (vm.max_map_count)"
        );
    }
}
