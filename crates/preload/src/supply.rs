//! The launcher's side of the shared file: writes orders, provides colors on request, reads counts.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
use whyslow_page_color::arena::page_size;
use whyslow_page_color::discovery::kept::recognize;
use whyslow_page_color::discovery::{Page, Palette, Settings, Timed, discover};
use whyslow_page_color::pool::Order;

use crate::kept::{self, Kept};
use crate::library::choose;
use crate::library::reason::COLORS;
use crate::library::shared::{IDLE, LAYOUT, READY, REFUSED, SET_PAGES, Shared, WANTED};
use crate::library::sys;
use crate::limits;
use crate::request::Request;

/// Initial time budget of a process: some ten thousand pages, beyond which its working set no longer
/// fits an L2.
const BURST: Duration = Duration::from_millis(50);

/// After that, one part in this many of its age.
const AGE_SHARE: u64 = 100;

/// How often a wait for requests checks whether the program has exited.
const LOOK_UP: Duration = Duration::from_millis(200);

/// No further try of the search is begun after so long: it takes a CPU from the program.
const SEARCH: Duration = Duration::from_secs(2);

/// What was kept is held against fresh pages so often, some milliseconds each, before it is given up: other work may have
/// disturbed one of them.
const RECOGNIZED: usize = 3;

/// The colors, what they were found with, and for which machine they may be kept.
struct Looked {
    palette: Palette,
    cache: Timed,
    identity: Option<String>,
    kept: bool,
}

/// The shared file, mapped.
#[derive(Debug)]
pub(crate) struct Supply {
    file: File,
    map: *mut u8,
    bytes: usize,
    head: usize,
}

// SAFETY: the mapping lives as long as this; its first part is atomic, and the rest is used only by
// the discovering thread.
unsafe impl Sync for Supply {}
// SAFETY: as above.
unsafe impl Send for Supply {}

/// The colors found for the programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Colors, and ways.
    pub colors: usize,
    /// Pages of one color that the cache holds.
    pub ways: u32,
    /// Duration of the search.
    pub took: Duration,
    /// Known from an earlier run, and checked.
    pub kept: bool,
}

impl Supply {
    /// Creates the file with the orders.
    ///
    /// # Errors
    /// When it cannot be created or mapped.
    pub(crate) fn new(path: &Path, request: &Request) -> io::Result<Supply> {
        let mut options = OpenOptions::new();
        // Its content controls the memory of programs: writable by this user only.
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(path)?;
        let head = size_of::<Shared>().next_multiple_of(page_size());
        let bytes = head + request.pages * page_size();
        file.set_len(bytes as u64)?;
        // Without space a write would raise a signal.
        fallocate(&file, FallocateFlags::empty(), 0, head as u64)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping of a file that only programs of this run modify, through atomics.
        let map = unsafe { mmap(null_mut(), bytes, access, MapFlags::SHARED, &file, 0) }?;
        let supply = Supply {
            file,
            map: map.cast(),
            bytes,
            head,
        };
        supply.order(request);
        Ok(supply)
    }

    pub(crate) fn shared(&self) -> &Shared {
        // SAFETY: the mapping has this size and consists of atomics, for which any bits are valid.
        unsafe { &*self.map.cast::<Shared>() }
    }

    fn order(&self, request: &Request) {
        let shared = self.shared();
        shared.pages_at.store(self.head as u64, Relaxed);
        let pages = (self.bytes - self.head) as u64;
        shared.pages_bytes.store(pages, Relaxed);
        shared.page_size.store(page_size() as u64, Relaxed);
        shared.least.store(request.least, Relaxed);
        let most = request.most.min(limits::largest_block());
        shared.most.store(most, Relaxed);
        let order = match request.policy.order {
            Order::RoundRobin => choose::ROUND_ROBIN,
            Order::ByAddress => choose::BY_ADDRESS,
            Order::BestBin => choose::BEST_BIN,
            Order::Random => choose::RANDOM,
            Order::Worst => choose::WORST,
        };
        shared.order.store(order, Relaxed);
        for color in 0..COLORS {
            let only = request.policy.only.as_ref();
            if only.is_none_or(|only| only.colors().contains(&(color as u16))) {
                shared.allowed[color / 64].fetch_or(1 << (color % 64), Relaxed);
            }
        }
        let filters = sys::status().and_then(|status| status.filters);
        shared.filters.store(filters.unwrap_or(0), Relaxed);
        let limit = limits::fillable() / page_size() as u64;
        shared.pages_limit.store(limit, Relaxed);
        shared.burst_ns.store(BURST.as_nanos() as u64, Relaxed);
        shared.age_share.store(AGE_SHARE, Relaxed);
        shared.layout.store(LAYOUT, Release);
    }

    /// Waits until a process requests colors, and finds them. `None` if none did before `stop`.
    pub(crate) fn serve(
        &self,
        request: &Request,
        stop: &AtomicBool,
    ) -> Option<Result<Found, String>> {
        let stage = &self.shared().stage;
        while stage.load(Acquire) != WANTED {
            if stop.load(Acquire) {
                return None;
            }
            sys::wait(stage, IDLE, LOOK_UP.as_nanos() as u64);
        }
        let begun = Instant::now();
        let found = self.discover(request);
        let answer = if found.is_ok() { READY } else { REFUSED };
        stage.store(answer, Release);
        sys::wake(stage);
        let took = begun.elapsed();
        Some(found.map(|mut looked| {
            self.give_back(&looked.palette, request);
            let kept = looked.kept;
            if let Some(identity) = looked.identity.filter(|_| !kept) {
                // The program goes on meanwhile. Where nothing can be kept, the next run searches again.
                let _ = kept::save(&identity, &looked.palette, &mut looked.cache);
            }
            Found {
                colors: looked.palette.len(),
                ways: looked.palette.ways.count,
                took,
                kept,
            }
        }))
    }

    /// Ends a [`Supply::serve`] that was told to stop.
    pub(crate) fn wake(&self) {
        sys::wake(&self.shared().stage);
    }

    fn discover(&self, request: &Request) -> Result<Looked, String> {
        let identity = kept::identity(request.cache_bytes);
        let known = identity.as_deref().and_then(Kept::open);
        if let Some(known) = known
            && let Some(palette) = self.recognize(request, &known)
        {
            let cache = Timed::new(request.seed);
            return Ok(Looked {
                palette,
                cache,
                identity,
                kept: true,
            });
        }
        let (mut cache, _) = self.pages(request, request.pages)?;
        let mut settings = Settings::new(request.seed).with_budget(SEARCH);
        if let Some(bytes) = request.first_level_bytes {
            settings = settings.with_first_level(bytes, page_size() as u64);
        }
        let palette = discover(&mut cache, &settings).map_err(|refusal| refusal.to_string())?;
        self.publish(&palette, &cache, request)?;
        Ok(Looked {
            palette,
            cache,
            identity,
            kept: false,
        })
    }

    /// The first `count` pages of the file, to look for colors in.
    fn pages(&self, request: &Request, count: usize) -> Result<(Timed, Vec<Page>), String> {
        let text = |e: rustix::io::Errno| format!("memory for the pages to look at: {e}");
        let (head, bytes) = (self.head as u64, (count * page_size()) as u64);
        fallocate(&self.file, FallocateFlags::empty(), head, bytes).map_err(text)?;
        let mut cache = Timed::new(request.seed);
        cache.pin().map_err(|e| e.to_string())?;
        let start = self.map.wrapping_add(self.head);
        // Where there are no huge pages this fails, and all is well.
        // SAFETY: a part of the mapping; the advice keeps its content.
        let _ = unsafe { madvise(start.cast(), bytes as usize, Advice::LinuxNoHugepage) };
        let pages = (0..count)
            // SAFETY: a page of the mapping, which no other thread writes.
            .map(|page| unsafe { cache.add(start.wrapping_add(page * page_size())) });
        let pages = pages.collect();
        Ok((cache, pages))
    }

    /// The colors by what an earlier run kept, if that still fits.
    fn recognize(&self, request: &Request, known: &Kept) -> Option<Palette> {
        let count = known.fresh_pages();
        if count > request.pages {
            return None;
        }
        for _ in 0..RECOGNIZED {
            let (mut cache, fresh) = self.pages(request, count).ok()?;
            // SAFETY: the cache goes before `known`.
            let old = unsafe { known.add_to(&mut cache) };
            if let Some(palette) = recognize(&mut cache, &old, &fresh) {
                self.publish(&palette, &cache, request).ok()?;
                return Some(palette);
            }
        }
        None
    }

    /// Writes down what was found.
    fn publish(&self, palette: &Palette, cache: &Timed, request: &Request) -> Result<(), String> {
        let shared = self.shared();
        let total: usize = palette.sets.iter().map(Vec::len).sum();
        if palette.len() > COLORS || total > SET_PAGES {
            return Err(format!(
                "{} colors exceed the supported number",
                palette.len()
            ));
        }
        if let Some(last) = request
            .policy
            .only
            .as_ref()
            .and_then(|only| only.colors().last())
            && usize::from(*last) >= palette.len()
        {
            let most = palette.len() - 1;
            return Err(format!(
                "no color {last}: this cache has colors 0 to {most}"
            ));
        }
        let mut at = 0;
        for (color, set) in palette.sets.iter().enumerate() {
            shared.set_start[color].store(at, Relaxed);
            for page in set {
                shared.set_pages[at as usize].store(page.0, Relaxed);
                at += 1;
            }
        }
        shared.set_start[palette.len()].store(at, Relaxed);
        for (to, from) in shared.samples.iter().zip(cache.samples()) {
            to.store(*from, Relaxed);
        }
        for (to, from) in shared.lines.iter().zip(cache.lines()) {
            to.store(*from, Relaxed);
        }
        shared
            .sample_count
            .store(cache.samples().len() as u32, Relaxed);
        shared.line_count.store(cache.lines().len() as u32, Relaxed);
        shared.threshold.store(palette.scale.threshold, Relaxed);
        shared.batch.store(palette.batch() as u32, Relaxed);
        shared.ways.store(palette.ways.count, Relaxed);
        shared.colors.store(palette.len() as u32, Relaxed);
        Ok(())
    }

    /// Gives back the pages that are in no set.
    fn give_back(&self, palette: &Palette, request: &Request) {
        let mut used = vec![false; request.pages];
        for page in palette.sets.iter().flatten() {
            used[page.0 as usize] = true;
        }
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let mut page = 0;
        for run in used.chunk_by(|a, b| a == b) {
            let at = (self.head + page * page_size()) as u64;
            let bytes = (run.len() * page_size()) as u64;
            page += run.len();
            // Where files have no holes the memory is kept, which is all.
            if run.first() == Some(&false) && fallocate(&self.file, hole, at, bytes).is_err() {
                break;
            }
        }
    }
}

impl Drop for Supply {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and references to it end with `self`.
        let _ = unsafe { munmap(self.map.cast(), self.bytes) };
    }
}
