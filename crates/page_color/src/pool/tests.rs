//! The pool never fails, whatever the mechanism does.
#![allow(unsafe_code)]

use std::io;
use std::ops::Range;

use super::*;
use crate::arena::{Arena, Kind, page_size};
use crate::discovery::{Color, Timed};

/// Copies instead of moving, and fails on request.
#[derive(Debug, Default)]
struct Copying {
    begin_fails: bool,
    finish_fails: bool,
    /// Moves that succeed before all others fail.
    works_for: Option<usize>,
}

impl Mechanism for Copying {
    fn name(&self) -> &'static str {
        "copying"
    }

    fn begin(&mut self, _: Range<usize>) -> io::Result<()> {
        if self.begin_fails {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
        Ok(())
    }

    unsafe fn move_page(&mut self, from: *mut u8, to: *mut u8) -> io::Result<()> {
        if let Some(left) = &mut self.works_for {
            *left = left
                .checked_sub(1)
                .ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?;
        }
        // SAFETY: two pages, by the contract of the trait.
        unsafe { to.copy_from_nonoverlapping(from, page_size()) };
        Ok(())
    }

    fn finish(&mut self, _: Range<usize>) -> io::Result<()> {
        if self.finish_fails {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        Ok(())
    }
}

/// 64 pages of 4 colors in turn.
fn pool(mechanism: impl Mechanism + 'static) -> Pool {
    let arena = Arena::touched(64 * page_size(), Kind::Small).unwrap();
    let mut cache = Timed::new(1);
    for page in arena.pages() {
        // SAFETY: a page of the arena, which the pool keeps.
        unsafe { cache.add(page) };
    }
    let colors = (0..64).map(|i| Some(i as Color % 4)).collect();
    Pool::of(arena, cache, colors, 4, Box::new(mechanism), 7)
}

/// Every page can be read and written, and was zero.
fn assert_usable(region: &Region) {
    // SAFETY: the region is mapped, and this test's.
    let bytes = unsafe { std::slice::from_raw_parts_mut(region.start(), region.len()) };
    assert!(bytes.iter().all(|b| *b == 0));
    bytes.fill(7);
}

#[test]
fn fills_by_policy_and_takes_back() {
    let mut pool = pool(Copying::default());
    for _ in 0..5 {
        let region = pool.region(24 * page_size(), &Policy::ROUND_ROBIN).unwrap();
        assert_eq!((region.counts.hits, region.counts.fallbacks), (24, 0));
        assert_eq!(region.counts.by_color, [6; 4]);
        assert_eq!(pool.left(), [10; 4]);
        assert_usable(&region);
        pool.take_back(region);
        assert_eq!(pool.left(), [16; 4]);
    }
    assert_eq!(pool.counts().hits, 120);
}

#[test]
fn other_colors_serve_when_one_is_used_up_and_ordinary_pages_last() {
    let mut pool = pool(Copying::default());
    let region = pool
        .region(80 * page_size(), &Policy::partition(1))
        .unwrap();
    assert_usable(&region);
    let counts = &region.counts;
    assert_eq!(
        (counts.hits, counts.fallbacks, counts.ordinary),
        (16, 48, 16)
    );
    assert_eq!(counts.by_color, [16; 4]);
}

#[test]
fn a_mechanism_that_is_forbidden_leaves_ordinary_pages() {
    let mut pool = pool(Copying {
        begin_fails: true,
        ..Copying::default()
    });
    let region = pool.region(10 * page_size(), &Policy::ROUND_ROBIN).unwrap();
    assert_usable(&region);
    assert_eq!((region.counts.hits, region.counts.ordinary), (0, 10));
    assert_eq!(pool.left(), [16; 4]);
}

#[test]
fn memory_that_runs_out_in_the_middle_leaves_ordinary_pages() {
    let mut pool = pool(Copying {
        works_for: Some(20),
        ..Copying::default()
    });
    let region = pool.region(50 * page_size(), &Policy::ROUND_ROBIN).unwrap();
    assert_usable(&region);
    assert_eq!((region.counts.hits, region.counts.ordinary), (20, 30));
    assert_eq!(pool.left().iter().sum::<usize>(), 44);
    // What cannot be taken back is lost to the pool; nothing else is.
    pool.take_back(region);
    assert_eq!(pool.left().iter().sum::<usize>(), 44);
}

#[test]
fn a_range_that_cannot_be_released_costs_the_mechanism() {
    let mut pool = pool(Copying {
        finish_fails: true,
        ..Copying::default()
    });
    let first = pool.region(8 * page_size(), &Policy::ROUND_ROBIN).unwrap();
    assert_eq!(first.counts.hits, 8);
    let second = pool.region(8 * page_size(), &Policy::ROUND_ROBIN).unwrap();
    assert_eq!((second.counts.hits, second.counts.ordinary), (0, 8));
    assert_usable(&second);
}

#[test]
fn colors_that_there_are_none_of_are_refused() {
    let mut pool = pool(Copying::default());
    let policy = Policy {
        order: Order::RoundRobin,
        only: Some("0-4".parse().unwrap()),
    };
    let error = pool.region(page_size(), &policy).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no color 4: this cache has colors 0 to 3"
    );
}

/// The kernel's own mechanisms keep content, and the region is ordinary memory afterwards.
#[test]
fn the_mechanisms_of_this_kernel_move_pages() {
    let mut mechanisms: Vec<Box<dyn Mechanism>> = Vec::new();
    match Userfault::open() {
        Ok(userfault) => mechanisms.push(Box::new(userfault)),
        Err(why) => assert!(!why.is_empty()),
    }
    match Remap::open() {
        Ok(remap) => mechanisms.push(Box::new(remap)),
        Err(why) => assert!(!why.is_empty()),
    }
    for mut mechanism in mechanisms {
        let from = Arena::touched(8 * page_size(), Kind::Small).unwrap();
        let to = Arena::reserve(8 * page_size(), Kind::Small).unwrap();
        mechanism.begin(to.addresses()).unwrap();
        for (i, (from, to)) in from
            .pages()
            .zip(to.pages())
            .enumerate()
            .filter(|(i, _)| i % 2 == 0)
        {
            // SAFETY: pages of the two arenas, not used elsewhere.
            unsafe {
                from.cast::<u64>().write(i as u64 + 100);
                mechanism.move_page(from, to).unwrap();
            }
        }
        mechanism.finish(to.addresses()).unwrap();
        for (i, page) in to.pages().enumerate() {
            // SAFETY: mapped; pages not filled are ordinary zero pages.
            let word = unsafe { page.cast::<u64>().read() };
            let expected = if i % 2 == 0 { i as u64 + 100 } else { 0 };
            assert_eq!(word, expected, "{} page {i}", mechanism.name());
        }
    }
}
