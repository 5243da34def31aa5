//! Compares frame numbers, where the kernel shows them, with colors found by timing.
//!
//! In a guest these are guest frame numbers, which need not reflect host memory.

mod index;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::arena::page_size;
use crate::discovery::Color;

pub use index::Index;

/// Bytes of an entry of `/proc/self/pagemap` (kernel documentation, `admin-guide/mm/pagemap`).
const ENTRY: usize = 8;
/// Bits 0 to 54 are the frame number, zero without the privilege to see it.
const NUMBER: u64 = (1 << 55) - 1;
/// Bit 63 is set if the page is present.
const PRESENT: u64 = 1 << 63;

/// The frame numbers of the pages at these addresses, in order; none if the page is not present or the number is not shown.
///
/// # Errors
/// When pagemap cannot be read.
pub fn numbers(pages: impl Iterator<Item = usize>) -> io::Result<Vec<Option<u64>>> {
    let pagemap = File::open("/proc/self/pagemap")?;
    pages
        .map(|page| {
            let mut bytes = [0; ENTRY];
            pagemap.read_exact_at(&mut bytes, (page / page_size() * ENTRY) as u64)?;
            Ok(number(u64::from_ne_bytes(bytes)))
        })
        .collect()
}

fn number(entry: u64) -> Option<u64> {
    let number = entry & NUMBER;
    (entry & PRESENT != 0 && number != 0).then_some(number)
}

/// Whether frame numbers determine colors.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Pages whose number is shown and whose color was found.
    pub pages: u32,
    /// Of pairs of pages with the same color by frame number (modulo the colors), the share with
    /// the same color by timing.
    pub same: f64,
    /// That share if frame numbers were uninformative.
    pub chance: f64,
    /// Which bits of the frame number give the color; none if no such rule explains the colors.
    pub index: Option<Index>,
}

/// Compares the colors implied by frame numbers with those found by timing. `None` without pages
/// with both. The seed is that of the search for the index.
pub fn truth(
    frames: &[Option<u64>],
    colors: &[Option<Color>],
    count: usize,
    seed: u64,
) -> Option<Truth> {
    let known: Vec<(u64, Color)> = frames
        .iter()
        .zip(colors)
        .filter_map(|(frame, color)| Some(((*frame)?, (*color)?)))
        .collect();
    if known.is_empty() || count < 2 {
        return None;
    }
    // Pages by implied color and by measured color.
    let mut table = vec![vec![0_u64; count]; count];
    for (frame, color) in &known {
        table[(frame % count as u64) as usize][usize::from(*color)] += 1;
    }
    let pairs = |n: u64| n * n.saturating_sub(1) / 2;
    let all: u64 = table.iter().map(|row| pairs(row.iter().sum())).sum();
    let same: u64 = table.iter().flatten().map(|n| pairs(*n)).sum();
    let colors: Vec<u64> = (0..count)
        .map(|c| table.iter().map(|row| row[c]).sum())
        .collect();
    let chance: u64 = colors.iter().map(|n| pairs(*n)).sum();
    Some(Truth {
        pages: known.len() as u32,
        same: same as f64 / all.max(1) as f64,
        chance: chance as f64 / pairs(known.len() as u64).max(1) as f64,
        index: index::index(&known, count, seed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(color: impl Fn(u64) -> u64) -> Truth {
        // Scattered numbers: 2^20 frames.
        let frames: Vec<u64> = (1..2000_u64).map(|i| i * 0x9e37_79b9 % (1 << 20)).collect();
        let colors: Vec<_> = frames.iter().map(|f| Some(color(*f) as Color)).collect();
        let frames: Vec<_> = frames.into_iter().map(Some).collect();
        truth(&frames, &colors, 16, 1).unwrap()
    }

    #[test]
    fn low_bits_that_tell_the_truth() {
        let truth = judged(|frame| 15 - frame % 16);
        assert!(truth.same == 1.0 && truth.index.is_some(), "{truth:?}");
        assert!((truth.chance - 1.0 / 16.0).abs() < 0.01, "{truth:?}");
    }

    #[test]
    fn a_hash_of_bits_is_found_although_low_bits_say_nothing() {
        let truth = judged(|frame| (frame >> 5 ^ frame >> 9) % 16);
        assert!(truth.same < 0.1 && truth.index.is_some(), "{truth:?}");
    }

    #[test]
    fn a_guest_whose_numbers_mean_nothing() {
        let truth = judged(|frame| (frame.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 77) >> 57 & 15);
        assert!(truth.same < 0.1 && truth.index.is_none(), "{truth:?}");
    }

    #[test]
    fn hidden_numbers_give_no_answer() {
        assert_eq!(number(PRESENT), None);
        assert_eq!(number(7), None);
        assert_eq!(number(PRESENT | 7), Some(7));
        assert_eq!(truth(&[None, None], &[Some(1), Some(2)], 16, 1), None);
        assert_eq!(truth(&[Some(3)], &[None], 16, 1), None);
    }

    #[test]
    fn reads_its_own_pagemap() {
        let arena =
            crate::arena::Arena::touched(3 * page_size(), crate::arena::Kind::Small).unwrap();
        // Shown to root only; without privilege all are hidden, and none is wrong.
        let numbers = numbers(arena.pages().map(<*mut u8>::addr)).unwrap();
        assert_eq!(numbers.len(), 3);
        assert!(numbers.iter().all(Option::is_some) || numbers.iter().all(Option::is_none));
    }
}
