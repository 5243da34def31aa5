//! Who else uses this cache: another CPU of ours, or somebody that we do not see.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use whyslow_kernels::color::sweep;

use crate::arena::{Arena, Kind, page_size};
use crate::discovery::{Cache, Page, Scale, Timed};
use crate::pin::{Pinned, allowed};

/// How long pages are left alone. In that time a neighbor that is busy brings in as many lines as a
/// second-level cache holds: at 10 ns each, 10,000.
const ALONE: Duration = Duration::from_micros(100);

/// How often.
const TIMES: usize = 40;

/// At least so much more is lost when the other CPU is busy in a shared cache. It should be nearly all;
/// noise moves it by a few percent.
const SHARED: f64 = 0.3;

/// What was found about one other CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// The CPU.
    pub cpu: usize,
    /// Share of pages lost while it was idle, or busy with somebody else's work.
    pub lost_idle: f64,
    /// Share lost while it went through memory of the size of the cache.
    pub lost_busy: f64,
}

impl Neighbor {
    /// Does it use the same cache?
    pub fn shares(&self) -> bool {
        self.lost_busy - self.lost_idle > SHARED
    }
}

/// Share of pages that leave the cache within 100 us in which nothing of ours is loaded: the work of
/// somebody that we may not see, such as another guest on the same core.
pub fn disturbance(cache: &mut Timed, scale: &Scale) -> f64 {
    let pages = (scale.half_at / 4).clamp(1, cache.pages());
    let pages: Vec<Page> = (0..pages).map(Page).collect();
    let (mut lost, mut walks) = (0, 0);
    for _ in 0..TIMES {
        for page in pages.iter().chain(&pages) {
            cache.probe(*page);
        }
        let begin = Instant::now();
        while begin.elapsed() < ALONE {
            std::hint::spin_loop();
        }
        let waited = begin.elapsed();
        let out = pages
            .iter()
            .filter(|page| cache.probe(**page) > scale.threshold);
        let out = out.count();
        // Somebody else had this CPU meanwhile: that is not sharing.
        if waited < 2 * ALONE {
            lost += out;
            walks += pages.len();
        }
    }
    lost as f64 / walks.max(1) as f64
}

/// Tests whether the CPUs `others` use the cache of the CPU that the thread is pinned to.
///
/// # Errors
/// When a thread cannot be started on one of them.
pub fn neighbors(
    cache: &mut Timed,
    scale: &Scale,
    cache_pages: u32,
    others: &[usize],
) -> io::Result<Vec<Neighbor>> {
    let mut found = Vec::new();
    for &cpu in others {
        let lost_idle = disturbance(cache, scale);
        // Twice the cache, but little enough for the next level, whose lines may pull ours along.
        let bytes = 2 * cache_pages as usize * page_size();
        let (stop, ready) = (AtomicBool::new(false), AtomicBool::new(false));
        let lost_busy = thread::scope(|scope| {
            let busy = scope.spawn(|| work(cpu, bytes, &ready, &stop));
            while !ready.load(Ordering::Acquire) && !busy.is_finished() {
                thread::yield_now();
            }
            let lost = disturbance(cache, scale);
            stop.store(true, Ordering::Release);
            match busy.join() {
                Ok(worked) => worked.map(|()| lost),
                Err(_) => Err(io::Error::other("a thread ended early")),
            }
        })?;
        found.push(Neighbor {
            cpu,
            lost_idle,
            lost_busy,
        });
    }
    Ok(found)
}

/// CPUs to test from `here`: the others that this thread may use, at most `most` of them.
///
/// # Errors
/// When the kernel does not say.
pub fn others(all: &[usize], here: usize, most: usize) -> io::Result<Vec<usize>> {
    let others = if all.is_empty() {
        allowed()?
    } else {
        all.to_vec()
    };
    Ok(others
        .into_iter()
        .filter(|cpu| *cpu != here)
        .take(most)
        .collect())
}

/// Goes through `bytes` on `cpu` until told to stop.
fn work(cpu: usize, bytes: usize, ready: &AtomicBool, stop: &AtomicBool) -> io::Result<()> {
    let _pinned = Pinned::to(cpu)?;
    let arena = Arena::touched(bytes, Kind::Small)?;
    let lines: Vec<u16> = (0..page_size() / 64).map(|i| (i * 64) as u16).collect();
    ready.store(true, Ordering::Release);
    while !stop.load(Ordering::Acquire) {
        for page in arena.pages() {
            // SAFETY: every offset lies in the page, which is the arena's.
            std::hint::black_box(unsafe { sweep(page, &lines) });
        }
    }
    Ok(())
}
