//! Other users of this cache: another CPU of this host, or an invisible one, such as another guest.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use whyslow_kernels::color::sweep;

use crate::arena::{Arena, Kind, page_size};
use crate::discovery::{Cache, Page, Scale, Timed};
use whyslow_linux::affinity::{Pinned, allowed};

/// Idle time of the pages. In that time a busy neighbor loads as many lines as an L2 holds: at 10
/// ns each, 10,000.
const ALONE: Duration = Duration::from_micros(100);

/// Repetitions.
const TIMES: usize = 40;

/// Least additional loss when the other CPU is busy in a shared cache. It should be nearly all; noise
/// changes it by a few percent.
const SHARED: f64 = 0.3;

/// Result for one other CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// The CPU.
    pub cpu: u32,
    /// Share of pages evicted while it was idle, or busy with other work.
    pub lost_idle: f64,
    /// Share evicted while it read memory of the size of the cache.
    pub lost_busy: f64,
}

impl Neighbor {
    /// True if it shares the cache.
    pub fn shares(&self) -> bool {
        self.lost_busy - self.lost_idle > SHARED
    }
}

/// Share of pages evicted within 100 us without loads of our own: the effect of other users, such as
/// another guest on the same core.
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
        // This CPU ran another process meanwhile: that is not sharing.
        if waited < 2 * ALONE {
            lost += out;
            walks += pages.len();
        }
    }
    lost as f64 / walks.max(1) as f64
}

/// Tests whether the CPUs `others` share the cache of the CPU that the thread is pinned to.
///
/// # Errors
/// When a thread cannot be started on one of them.
pub fn neighbors(
    cache: &mut Timed,
    scale: &Scale,
    cache_pages: u32,
    others: &[u32],
) -> io::Result<Vec<Neighbor>> {
    let mut found = Vec::new();
    for &cpu in others {
        let lost_idle = disturbance(cache, scale);
        // Twice the cache, but small compared with the next level, whose evictions may invalidate
        // our lines.
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
/// When the kernel does not report it.
pub fn others(all: &[u32], here: u32, most: usize) -> io::Result<Vec<u32>> {
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

/// Reads `bytes` on `cpu` until stopped.
fn work(cpu: u32, bytes: usize, ready: &AtomicBool, stop: &AtomicBool) -> io::Result<()> {
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
