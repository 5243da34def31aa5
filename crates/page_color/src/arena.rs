//! Private memory on base pages, written, so that every page has its own frame.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr::null_mut;

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use whyslow_linux::smaps::anonymous_huge_at;

/// Bytes of a transparent huge page with 4 KiB base pages; this alignment suits all kinds of pages.
pub(crate) const HUGE: usize = 2 << 20;

/// A private mapping, unmapped when dropped.
#[derive(Debug)]
pub struct Arena {
    map: *mut u8,
    map_len: usize,
    start: *mut u8,
    len: usize,
}

// SAFETY: the arena owns its mapping, and a raw pointer to it is valid in any thread.
unsafe impl Send for Arena {}

/// Which pages to request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Base pages, with huge pages disabled.
    Small,
    /// Transparent huge pages, which the kernel may or may not grant.
    Huge,
}

/// Bytes of a base page.
pub fn page_size() -> usize {
    rustix::param::page_size()
}

impl Arena {
    /// Maps at least `bytes` (rounded up to pages) without touching them.
    ///
    /// # Errors
    /// When the kernel refuses the mapping, or huge pages are requested and there are none.
    pub fn reserve(bytes: usize, kind: Kind) -> io::Result<Arena> {
        let len = bytes.max(1).next_multiple_of(page_size());
        // Slack for the alignment.
        let map_len = len + if kind == Kind::Huge { HUGE } else { 0 };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new anonymous mapping at an address chosen by the kernel.
        let map = unsafe { mmap_anonymous(null_mut(), map_len, access, MapFlags::PRIVATE) }?;
        let map = map.cast::<u8>();
        let start = match kind {
            Kind::Small => map,
            Kind::Huge => map.map_addr(|a| a.next_multiple_of(HUGE)),
        };
        let arena = Arena {
            map,
            map_len,
            start,
            len,
        };
        let advice = match kind {
            Kind::Small => Advice::LinuxNoHugepage,
            Kind::Huge => Advice::LinuxHugepage,
        };
        // SAFETY: the mapping made above; both kinds of advice keep its content.
        let advised = unsafe { madvise(map.cast::<c_void>(), map_len, advice) };
        match advised {
            // EINVAL: a kernel without transparent huge pages, so all pages are small.
            Err(Errno::INVAL) if kind == Kind::Small => Ok(arena),
            advised => advised.map(|()| arena).map_err(io::Error::from),
        }
    }

    /// As [`Arena::reserve`], and writes a word to every page, so that each has a frame.
    ///
    /// # Errors
    /// As for [`Arena::reserve`].
    pub fn touched(bytes: usize, kind: Kind) -> io::Result<Arena> {
        let arena = Arena::reserve(bytes, kind)?;
        for page in arena.pages() {
            // SAFETY: the start of a page of this mapping, which nothing else uses yet. Not zero:
            // zero pages could be merged with others.
            unsafe { page.cast::<usize>().write_volatile(page.addr()) };
        }
        Ok(arena)
    }

    /// Transparent huge pages, verified to be present.
    ///
    /// # Errors
    /// When there are none, or the kernel allocated small ones.
    pub fn huge(bytes: usize) -> io::Result<Arena> {
        let arena = Arena::touched(bytes, Kind::Huge)?;
        let huge = anonymous_huge_at(arena.start().addr())?;
        if huge.is_some_and(|bytes| bytes >= arena.len() as u64) {
            Ok(arena)
        } else {
            Err(io::Error::other("the kernel allocated small pages"))
        }
    }

    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Length in bytes, a multiple of the page size.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: it has at least one page.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// From the first byte's address to the one after the last.
    pub fn addresses(&self) -> Range<usize> {
        let first = self.start.addr();
        first..first + self.len
    }

    /// The content. Pages that a pool moved away are read as ordinary ones.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the range is mapped for reading and writing, zero where it was never written, and
        // borrowed exclusively through `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }

    /// The pages' addresses, ascending.
    pub fn pages(&self) -> impl Iterator<Item = *mut u8> + use<> {
        let (start, page) = (self.start, page_size());
        (0..self.len / page).map(move |i| start.wrapping_add(i * page))
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and users of its addresses keep the arena alive. A failure
        // leaks it until the process exits.
        let _ = unsafe { munmap(self.map.cast::<c_void>(), self.map_len) };
    }
}
