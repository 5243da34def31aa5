//! The content of `color map`: the colors of this host, their reliability, and their implications.
#![allow(unsafe_code)]

use std::time::{Duration, Instant};

use crate::arena::{Arena, HUGE, page_size};
use crate::discovery::{Agreement, Page, Palette, Timed, agreement, colors_of};
use crate::frames::{self, Truth};
use crate::huge::{self, Pieces};
use crate::pool::{Options, Reason, Unavailable, look, mechanism};
use crate::sharing::{self, Neighbor};
use whyslow_linux::affinity::{allowed, current};

/// Huge pages examined: 4,096 pieces of 4 KiB.
const HUGE_PAGES: usize = 8;

/// Most other CPUs tested for sharing the cache: on large machines nearby CPUs share it.
const NEIGHBORS: usize = 8;

/// The results.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The CPU whose cache it is.
    pub cpu: u32,
    /// Pages examined.
    pub pages: usize,
    /// The colors.
    pub palette: Palette,
    /// Time from touching the pages to the result.
    pub took: Duration,
    /// Repeatability of the results.
    pub agreement: Agreement,
    /// Whether frame numbers determine colors, or why this is unknown.
    pub frames: Result<Truth, String>,
    /// Whether huge pages are contiguous, or why this is unknown.
    pub huge: Result<Pieces, String>,
    /// Share of pages evicted by others within 100 us.
    pub disturbance: f64,
    /// Which CPUs share the cache.
    pub neighbors: Result<Vec<Neighbor>, String>,
    /// The mechanism for moving pages.
    pub mechanism: Result<&'static str, Unavailable>,
}

/// Examines the CPU that the thread runs on.
///
/// # Errors
/// The reason why no colors were found.
pub fn survey(options: &Options) -> Result<Survey, Reason> {
    let usable = allowed().unwrap_or_default();
    let begin = Instant::now();
    let (arena, mut cache, palette) = look(options)?;
    let took = begin.elapsed();
    let cpu = cache.cpu().unwrap_or_else(current);
    let testers: Vec<Page> = palette.sets.iter().flatten().copied().collect();
    let known: Vec<_> = palette
        .colors
        .iter()
        .enumerate()
        .filter_map(|(i, color)| Some((Page(i as u32), (*color)?)))
        // Pages in test sets are not a test of them.
        .filter(|(page, _)| !testers.contains(page))
        .collect();
    let agreement = agreement(&mut cache, &palette, &known);
    let neighbors = sharing::others(&usable, cpu, NEIGHBORS)
        .and_then(|others| sharing::neighbors(&mut cache, &palette.scale, palette.pages(), &others))
        .map_err(|e| e.to_string());
    Ok(Survey {
        cpu,
        pages: options.pages,
        took,
        agreement,
        frames: frame_truth(&arena, &palette, options.seed),
        huge: huge_pieces(&mut cache, &palette),
        disturbance: sharing::disturbance(&mut cache, &palette.scale),
        neighbors,
        mechanism: mechanism().map(|m| m.name()),
        palette,
    })
}

fn frame_truth(arena: &Arena, palette: &Palette, seed: u64) -> Result<Truth, String> {
    let numbers = frames::numbers(arena.pages().map(<*mut u8>::addr))
        .map_err(|e| format!("/proc/self/pagemap: {e}"))?;
    frames::truth(&numbers, &palette.colors, palette.len(), seed)
        .ok_or_else(|| "the kernel shows frame numbers to root only".to_owned())
}

fn huge_pieces(cache: &mut Timed, palette: &Palette) -> Result<Pieces, String> {
    if page_size() != 4096 {
        return Err(format!(
            "only for base pages of 4096 bytes, not {}",
            page_size()
        ));
    }
    let arena =
        Arena::huge(HUGE_PAGES * HUGE).map_err(|e| format!("no transparent huge pages: {e}"))?;
    let pages: Vec<Page> = arena
        .pages()
        // SAFETY: a page of the arena, which lives until the votes are over and is not used elsewhere.
        .map(|page| unsafe { cache.add(page) })
        .collect();
    let colors = colors_of(cache, palette, &pages);
    let colors: Vec<Option<usize>> = colors.into_iter().map(|c| c.map(usize::from)).collect();
    let huge: Vec<Vec<_>> = colors
        .chunks(HUGE / page_size())
        .map(<[_]>::to_vec)
        .collect();
    huge::pieces(&huge, palette.len()).ok_or_else(|| "their pieces match no color".to_owned())
}
