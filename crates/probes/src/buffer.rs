//! Measured memory: fresh pages of a chosen kind, written before they are read.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::null_mut;

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use whyslow_page_color::buffer::ColoredBuffer;

use crate::guard;
use crate::stop::Stop;

/// Bytes of a base page; other kernel page sizes (16k, 64k on Arm) only make `small` larger.
const HUGE: usize = 2 << 20;

/// The kind of pages under a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// The kernel's base pages, with transparent huge pages disabled.
    Small,
    /// Transparent huge pages, verified to be present.
    Thp,
    /// Explicit huge pages from the pool.
    Hugetlb,
    /// Base pages of all colors of the second-level cache in turn.
    Colored,
    /// Base pages with random colors, moved like colored ones: the reference for coloring.
    Moved,
    /// Base pages as the kernel allocates them, next to a pool of colored ones: the reference for
    /// moving.
    Unmoved,
}

impl Pages {
    /// From the value of a point's `pages` parameter.
    ///
    /// # Errors
    /// When it is none of the kinds.
    pub fn parse(text: Option<&str>) -> Result<Pages, Stop> {
        match text {
            None | Some("4k") => Ok(Pages::Small),
            Some("thp") => Ok(Pages::Thp),
            Some("hugetlb") => Ok(Pages::Hugetlb),
            Some("colored") => Ok(Pages::Colored),
            Some("moved") => Ok(Pages::Moved),
            Some("unmoved") => Ok(Pages::Unmoved),
            Some(other) => Err(Stop::Unavailable(format!("pages={other} is not known"))),
        }
    }
}

/// A private mapping, unmapped when dropped.
#[derive(Debug)]
pub struct Buffer {
    map: *mut u8,
    map_len: usize,
    start: *mut u8,
    len: usize,
    /// The owner of the mapping, if not the buffer itself.
    colored: Option<ColoredBuffer>,
}

// SAFETY: the buffer owns its mapping, so its raw pointer is valid in any thread.
unsafe impl Send for Buffer {}
// SAFETY: shared access gives only raw pointers; code that writes through them justifies it there.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Maps `len` bytes at `offset` bytes into a page, and writes all of them.
    ///
    /// # Errors
    /// When the memory or that kind of page is not available, or is missing afterwards.
    pub fn new(len: usize, pages: Pages, offset: usize) -> Result<Buffer, Stop> {
        let buffer = Buffer::map(len, pages, offset)?;
        buffer.populate();
        buffer.write_all();
        guard::resident(buffer.start.addr(), len)?;
        if pages == Pages::Thp {
            guard::huge(buffer.start.addr(), len)?;
        }
        Ok(buffer)
    }

    /// On memory whose pages are already placed; writes all of it. `memory` has room for `offset` and
    /// `len` bytes.
    pub(crate) fn colored(memory: ColoredBuffer, len: usize, offset: usize) -> Buffer {
        let buffer = Buffer {
            map: memory.start(),
            map_len: memory.len(),
            start: memory.start().wrapping_add(offset),
            len,
            colored: Some(memory),
        };
        buffer.write_all();
        buffer
    }

    /// Pages by color, if placed by color.
    pub(crate) fn by_color(&self) -> Option<&[u64]> {
        self.colored
            .as_ref()
            .map(|memory| &memory.counts().by_color[..])
    }

    fn map(len: usize, pages: Pages, offset: usize) -> Result<Buffer, Stop> {
        // A huge-page buffer starts on a huge page; the slack allows for the alignment.
        let (align, flags) = match pages {
            Pages::Small | Pages::Colored | Pages::Moved | Pages::Unmoved => (1, MapFlags::PRIVATE),
            Pages::Thp => (HUGE, MapFlags::PRIVATE),
            Pages::Hugetlb => (HUGE, MapFlags::PRIVATE | MapFlags::HUGETLB),
        };
        let map_len = (len + offset).next_multiple_of(if align == 1 { 4096 } else { align })
            + if pages == Pages::Thp { HUGE } else { 0 };
        // SAFETY: a new anonymous mapping at an address chosen by the kernel.
        let map = unsafe {
            mmap_anonymous(
                null_mut(),
                map_len,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        }
        .map_err(|e| no_memory(map_len, pages, e))?
        .cast::<u8>();
        let base = map.map_addr(|a| a.next_multiple_of(align));
        let buffer = Buffer {
            map,
            map_len,
            start: base.wrapping_add(offset),
            len,
            colored: None,
        };
        let advice = match pages {
            Pages::Small | Pages::Colored | Pages::Moved | Pages::Unmoved => {
                Some(Advice::LinuxNoHugepage)
            }
            Pages::Thp => Some(Advice::LinuxHugepage),
            Pages::Hugetlb => None,
        };
        if let Some(advice) = advice {
            // SAFETY: the range is the mapping made above, and both kinds of advice keep its
            // content.
            let advised = unsafe { madvise(map.cast::<c_void>(), map_len, advice) };
            // EINVAL: a kernel without transparent huge pages, so pages are small anyway.
            if let Err(e) = advised
                && !(pages == Pages::Small && e == Errno::INVAL)
            {
                return Err(Stop::unavailable("madvise for huge pages", e));
            }
        }
        Ok(buffer)
    }

    /// Has the kernel place all pages in one call, in the order in which the first writes would: in a guest that takes
    /// under half of the time of a fault a page.
    fn populate(&self) {
        // SAFETY: the range is the mapping of this buffer, and its content stays. Linux before 5.14 does not know the
        // advice, and where memory is short the writes that follow fail as they would have without.
        let _ = unsafe {
            madvise(
                self.map.cast::<c_void>(),
                self.map_len,
                Advice::LinuxPopulateWrite,
            )
        };
    }

    /// Writes a pattern without a zero word to every byte.
    fn write_all(&self) {
        let words = self.len.div_ceil(8).min(self.room() / 8);
        // SAFETY: the words lie inside the mapping, 8-byte aligned by `offset`, and nothing else
        // refers to it yet.
        let words = unsafe { std::slice::from_raw_parts_mut(self.start.cast::<u64>(), words) };
        // 2^64 over the golden ratio.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut x = 0_u64;
        for word in words {
            // Distinct words, so that a checksum detects each; a sum, because a chain of products is four times as slow as
            // the memory.
            x = x.wrapping_add(STEP);
            *word = x | 1;
        }
    }

    /// Bytes from the start to the end of the mapping.
    fn room(&self) -> usize {
        self.map_len - (self.start.addr() - self.map.addr())
    }

    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The content.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the range is mapped, written, and borrowed exclusively through `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.colored.is_some() {
            return;
        }
        // SAFETY: the mapping is ours and nothing borrows from a buffer that is being dropped.
        // Failing to unmap leaks it until the worker exits, which is soon.
        let _ = unsafe { munmap(self.map.cast::<c_void>(), self.map_len) };
    }
}

fn no_memory(bytes: usize, pages: Pages, error: Errno) -> Stop {
    let what = match pages {
        Pages::Hugetlb => "explicit huge pages (vm.nr_hugepages)",
        Pages::Small | Pages::Thp | Pages::Colored | Pages::Moved | Pages::Unmoved => "memory",
    };
    Stop::unavailable(
        &format!("{} of {what}", whyslow_model::size::format(bytes as u64)),
        error,
    )
}
