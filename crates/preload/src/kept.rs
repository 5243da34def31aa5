//! The colors of this machine, learned once: a file in the user's cache folder whose own pages are what tells colors.
//!
//! What a search finds are sets of frames, and frames cannot be written down: a guest does not know its own. But the
//! pages of a file stay in the kernel's page cache, with their frames, while there is memory for them. So the file
//! keeps sets of its own pages, and the next run holds fresh pages against these in some milliseconds. It checks what
//! comes out; pages that left the page cache, a machine that was started again, or a guest that was moved fail it, and
//! the colors are searched for anew. Nothing that the file's pages contain is ever read.

#![allow(unsafe_code)]

mod folder;
mod header;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::ptr::null_mut;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use whyslow_page_color::arena::page_size;
use whyslow_page_color::discovery::kept::{FRESH, Old, gather};
use whyslow_page_color::discovery::{Page, Palette, Timed};

use crate::library::reason::COLORS;
use crate::library::shared::SET_PAGES;
pub use folder::Folder;
use header::Header;
pub(crate) use header::identity;

/// The file.
const NAME: &str = "color-map";

/// Bytes before its pages: the header of a cache of the most colors has some 50 KB.
const HEAD: usize = 64 << 10;

/// Pages in it at most: three times a cache of 64 MiB.
const MOST_PAGES: usize = 3 << 14;

/// A mapping of some pages of a file.
struct Map {
    start: *mut u8,
    bytes: usize,
}

impl Map {
    fn of(file: &File, pages: usize, access: ProtFlags) -> io::Result<Map> {
        let bytes = pages * page_size();
        // Pages are not to be brought in by mapping them.
        let flags = MapFlags::SHARED;
        // SAFETY: a new mapping of a file, at an address of the kernel's choice.
        let start = unsafe { mmap(null_mut(), bytes, access, flags, file, HEAD as u64) }?;
        Ok(Map {
            start: start.cast(),
            bytes,
        })
    }

    fn page(&self, number: usize) -> *mut u8 {
        self.start.wrapping_add(number * page_size())
    }

    /// Is each of these pages in memory? One that had to be read again has another frame.
    fn resident(&self, mut pages: impl Iterator<Item = usize>) -> bool {
        let mut there = vec![0_u8; self.bytes.div_ceil(page_size())];
        // SAFETY: the mapping's range, and a byte for each of its pages.
        let asked = unsafe { libc::mincore(self.start.cast(), self.bytes, there.as_mut_ptr()) };
        asked == 0 && pages.all(|page| there.get(page).is_some_and(|there| there & 1 == 1))
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and nothing refers to it any more.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// Sets of an earlier search, in memory.
pub(crate) struct Kept {
    header: Header,
    map: Map,
}

impl Kept {
    /// What an earlier run kept, if it was on this machine since it was started, and is still in memory.
    pub(crate) fn open(identity: &str) -> Option<Kept> {
        let file = Folder::of_the_user()?.open(NAME)?;
        let mut head = vec![0; HEAD];
        file.read_exact_at(&mut head, 0).ok()?;
        let header = Header::parse(&head, identity)?;
        let limits = header.pages <= MOST_PAGES
            && header.old.sets.len() <= COLORS
            && header.old.sets.iter().map(Vec::len).sum::<usize>() <= SET_PAGES;
        let bytes = (HEAD + header.pages * page_size()) as u64;
        if !limits || file.metadata().ok()?.len() != bytes {
            return None;
        }
        let map = Map::of(&file, header.pages, ProtFlags::READ).ok()?;
        let pages = header.old.sets.iter().flatten().map(|page| page.0 as usize);
        map.resident(pages).then_some(Kept { header, map })
    }

    /// Pages that it takes to find all its colors in.
    pub(crate) fn fresh_pages(&self) -> usize {
        self.header.old.fresh_pages()
    }

    /// Adds its pages to `cache`, and gives its sets as pages of that.
    ///
    /// # Safety
    /// `cache` does not outlive `self`.
    pub(crate) unsafe fn add_to(&self, cache: &mut Timed) -> Old {
        let mut old = self.header.old.clone();
        for page in old.sets.iter_mut().flatten() {
            let start = self.map.page(page.0 as usize);
            // SAFETY: a page of the mapping (the header's pages lie in it, and the file has them), which only testers
            // of an old map are; these are never probed.
            *page = unsafe { cache.add_tester(start) };
        }
        old
    }
}

/// Keeps the colors that were found, for the next run. Whatever goes wrong, they are not kept.
pub(crate) fn save(identity: &str, palette: &Palette, cache: &mut Timed) -> Option<()> {
    let folder = Folder::of_the_user()?;
    let count = (palette.pages() * FRESH) as usize;
    if count > MOST_PAGES {
        return None;
    }
    let (file, name) = folder.create(NAME)?;
    let saved = fill(&file, identity, palette, cache, count);
    if saved.is_none() || folder.rename(&name, NAME).is_none() {
        folder.remove(&name);
        return None;
    }
    Some(())
}

/// Fills a new file with pages, and finds sets among them.
fn fill(
    file: &File,
    identity: &str,
    palette: &Palette,
    cache: &mut Timed,
    count: usize,
) -> Option<()> {
    let bytes = (HEAD + count * page_size()) as u64;
    file.set_len(bytes).ok()?;
    // Without room a write would be a signal.
    fallocate(file, FallocateFlags::empty(), 0, bytes).ok()?;
    let map = Map::of(file, count, ProtFlags::READ | ProtFlags::WRITE).ok()?;
    let first = (0..count)
        // SAFETY: pages of the mapping, of a file that no other process knows yet. They are not probed after this.
        .map(|page| unsafe { cache.add(map.page(page)) })
        .collect::<Vec<Page>>();
    let begin = first.first()?.0;
    let known = Old {
        sets: palette.sets.clone(),
        ways: palette.ways,
        scale: palette.scale,
        batch: palette.batch(),
    };
    let wanted = palette.sets.iter().map(Vec::len).max()?;
    let mut sets = gather(cache, &known, &first, wanted);
    let mut used = vec![false; count];
    for set in &mut sets {
        set.truncate(wanted);
        if set.len() < palette.ways.count as usize {
            return None;
        }
        for page in set {
            page.0 -= begin;
            used[page.0 as usize] = true;
            // SAFETY: a page of the mapping. What chains it held are addresses of this process, of no use to others.
            unsafe { map.page(page.0 as usize).write_bytes(0, page_size()) };
        }
    }
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    for page in (0..count).filter(|&page| !used[page]) {
        let at = (HEAD + page * page_size()) as u64;
        if fallocate(file, hole, at, page_size() as u64).is_err() {
            // SAFETY: as above.
            unsafe { map.page(page).write_bytes(0, page_size()) };
        }
    }
    let header = Header {
        pages: count,
        old: Old { sets, ..known },
    };
    let text = header.text(identity);
    if text.len() > HEAD {
        return None;
    }
    file.write_all_at(text.as_bytes(), 0).ok()
}
