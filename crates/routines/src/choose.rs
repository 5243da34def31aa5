//! Chooses by measuring: every shape on blocks of many sizes in each level of caches, in turns; then from which size on
//! string instructions and non-temporal stores gain over vectors.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::catalog::{self, Shape, Time};
use crate::choice::{Choice, Ways};
use crate::limits::{LIMITS, NEVER};
use crate::measure::{Area, Cell, calls};

/// Memory to measure in: twice the largest block, and more than most caches hold.
const AREA: usize = 120 << 20;

/// Rounds over all candidates; the fastest time of each counts, as what disturbs only adds.
const ROUNDS: usize = 5;

/// Nanoseconds of a sample for shapes, and for ways of large blocks at least.
const SAMPLE: f64 = 60e3;
const LARGE_SAMPLE: f64 = 300e3;

/// More than most caches hold: blocks that a program finds in memory.
const FAR: usize = 112 << 20;

/// Working sets of shapes: within a first-level and within a second-level cache, and in memory.
const SETS: [usize; 3] = [24 << 10, 320 << 10, FAR];

/// Weight of memory beside that of each cache: most blocks that small calls are about were just used.
const FAR_WEIGHT: f64 = 0.4;

/// Blocks that shapes are held against each other at, bytes; up to the first number also with random sizes.
const MIXED_TO: usize = 256;
const BLOCKS: [usize; 12] = [8, 16, 32, 64, 100, 128, 256, 400, 700, 1024, 2048, 8192];

/// Up to here, and in the first-level cache, results are read at once as well.
const READ_TO: usize = 128;

/// Distances within a page: alike, the one that CPUs are slow at, and half a page.
const DISTANCES: [usize; 3] = [0, 8, 2048];

/// Large blocks: each four times the one before would miss where curves cross.
const LARGE: std::ops::RangeInclusive<u32> = 12..=25;

/// Another way must gain this much in the mean of a size's cells, more than what disturbs such means. One cell counts as twice
/// as fast or slow at most: it may have been disturbed itself.
const GAIN: f64 = 1.05;
const MOST: f64 = 2.0;

/// What a cell loses counts so many times: a routine that is slower somewhere is noticed, one that is faster is not.
const LOSS_WEIGHT: f64 = 2.0;

/// Non-temporal stores leave nothing of a copy in the caches: they must gain more, and only large copies use them, as small
/// ones are often read soon, bytes.
const STREAMED_GAIN: f64 = 1.1;
const STREAMED_LEAST: u64 = 1 << 20;

/// Finds the choice for this CPU. Takes some seconds.
///
/// # Errors
/// When there is no memory to measure in.
pub fn choose() -> io::Result<Choice> {
    let area = Area::new(AREA)?;
    let none = || io::Error::from(io::ErrorKind::Unsupported);
    vectors_only();
    let copy = best(&area, &catalog::copies()).ok_or_else(none)?;
    let set = best(&area, &catalog::sets()).ok_or_else(none)?;
    let compare = best(&area, &catalog::compares()).ok_or_else(none)?;
    let (copies, sets) = match catalog::has_strings() {
        true => (
            ways(&area, copy.time, &COPY_LIMITS),
            ways(&area, set.time, &SET_LIMITS),
        ),
        false => (Ways::VECTORS, Ways::VECTORS),
    };
    vectors_only();
    Ok(Choice {
        copy: copy.name.to_owned(),
        set: set.name.to_owned(),
        compare: compare.name.to_owned(),
        copies,
        sets,
    })
}

/// The table's numbers for one function: large, string from, string to, streamed from.
type Own = [&'static AtomicU64; 4];

static COPY_LIMITS: Own = [
    &LIMITS.copy_large_from,
    &LIMITS.copy_string_from,
    &LIMITS.copy_string_to,
    &LIMITS.copy_streamed_from,
];
static SET_LIMITS: Own = [
    &LIMITS.set_large_from,
    &LIMITS.set_string_from,
    &LIMITS.set_string_to,
    &LIMITS.set_streamed_from,
];

fn vectors_only() {
    for limit in COPY_LIMITS.iter().chain(&SET_LIMITS) {
        limit.store(NEVER, Relaxed);
    }
}

/// The cells that shapes are compared in.
fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for set in SETS {
        for block in BLOCKS {
            for distance in DISTANCES {
                for mixed in [false, true] {
                    let cell = Cell {
                        block,
                        mixed,
                        distance,
                        set,
                        read: false,
                    };
                    if !mixed || block <= MIXED_TO {
                        cells.push(cell);
                    }
                    if !mixed && block <= READ_TO && set == SETS[0] {
                        cells.push(Cell { read: true, ..cell });
                    }
                }
            }
        }
    }
    cells
}

/// The shape with the least geometric mean of times.
fn best<F: Copy>(area: &Area, shapes: &[Shape<F>]) -> Option<Shape<F>> {
    let mut sums = vec![0.0; shapes.len()];
    for cell in cells() {
        let (mut cursor, first) = (0, shapes.first()?.time);
        let calls = calls(SAMPLE, |calls| first(area, cell, &mut cursor, calls))?;
        let times = least(shapes.len(), |at| {
            (shapes[at].time)(area, cell, &mut cursor, calls)
        });
        for (sum, time) in sums.iter_mut().zip(times?) {
            *sum += if cell.set == FAR { FAR_WEIGHT } else { 1.0 } * time.ln();
        }
    }
    let order = |a: &usize, b: &usize| sums[*a].total_cmp(&sums[*b]);
    (0..shapes.len()).min_by(order).map(|at| shapes[at])
}

/// The fastest time of each of `count` candidates of all rounds. Each round begins with another one: what comes first may find
/// in a cache what was just used.
fn least(count: usize, mut time: impl FnMut(usize) -> Option<f64>) -> Option<Vec<f64>> {
    let mut times = vec![f64::INFINITY; count];
    for round in 0..ROUNDS {
        for turn in 0..count {
            let at = (turn + round) % count;
            times[at] = times[at].min(time(at)?);
        }
    }
    Some(times)
}

/// Times of one size by vectors, by string instructions and by non-temporal stores, cell by cell.
struct Size {
    bytes: u64,
    cells: Vec<[f64; 3]>,
}

impl Size {
    /// Logarithm of what the way at `at` gains beyond `gain` over the best of the ways before it.
    fn gains(&self, at: usize, gain: f64) -> f64 {
        let best = |times: &[f64; 3]| times[..at].iter().copied().fold(f64::INFINITY, f64::min);
        let logs = self.cells.iter().map(|times| {
            let over = (best(times) / times[at]).ln();
            let over = over.clamp(-MOST.ln(), MOST.ln());
            if over < 0.0 { LOSS_WEIGHT * over } else { over }
        });
        logs.sum::<f64>() / self.cells.len().max(1) as f64 - gain.ln()
    }
}

/// From which sizes on each way gains.
fn ways(area: &Area, time: Time, limits: &Own) -> Ways {
    let sizes = LARGE.filter_map(|power| size(area, time, limits, 1 << power));
    limits_of(&sizes.collect::<Vec<_>>())
}

fn limits_of(sizes: &[Size]) -> Ways {
    let large = sizes.iter().position(|size| size.bytes >= STREAMED_LEAST);
    let large = &sizes[large.unwrap_or(sizes.len())..];
    let gains: Vec<f64> = large.iter().map(|s| s.gains(2, STREAMED_GAIN)).collect();
    // Up to the largest size.
    let streamed = best_run(&gains, true).map(|run| large[run.start].bytes);
    let streamed_from = streamed.unwrap_or(NEVER);
    let below: Vec<&Size> = sizes
        .iter()
        .take_while(|s| s.bytes < streamed_from)
        .collect();
    let gains: Vec<f64> = below.iter().map(|s| s.gains(1, GAIN)).collect();
    let run = best_run(&gains, false);
    let string_from = run.as_ref().map_or(NEVER, |run| below[run.start].bytes);
    // Beyond the largest size that was measured it is as there.
    let string_to = run
        .filter(|run| run.end < below.len())
        .map_or(NEVER, |run| below[run.end].bytes);
    Ways {
        string_from,
        string_to,
        streamed_from,
    }
}

/// The run of sizes whose gains add up to the most, if that is any: a size that was disturbed does not split it.
fn best_run(gains: &[f64], to_the_end: bool) -> Option<std::ops::Range<usize>> {
    let mut best = (0.0, None);
    for start in 0..gains.len() {
        let mut sum = 0.0;
        for (end, gain) in (start + 1..).zip(&gains[start..]) {
            sum += gain;
            if sum > best.0 && (!to_the_end || end == gains.len()) {
                best = (sum, Some(start..end));
            }
        }
    }
    best.1
}

fn size(area: &Area, time: Time, limits: &Own, block: usize) -> Option<Size> {
    let bytes = block as u64;
    // Numbers that lead to each way.
    let ways: [[u64; 4]; 3] = [[NEVER; 4], [0, 0, NEVER, NEVER], [0, NEVER, NEVER, 0]];
    let mut cells = Vec::new();
    for set in [2 * block, (8 * block).min(FAR), FAR] {
        // The slow distances are no question: shapes never use string instructions there.
        for distance in [0, 2048] {
            let cell = Cell {
                block,
                mixed: false,
                distance,
                set: set.max(2 * block),
                read: false,
            };
            if !area.fits(cell) {
                continue;
            }
            let mut cursor = 0;
            let calls = calls(LARGE_SAMPLE, |calls| time(area, cell, &mut cursor, calls))?;
            let times = least(ways.len(), |at| {
                for (limit, value) in limits.iter().zip(&ways[at]) {
                    limit.store(*value, Relaxed);
                }
                time(area, cell, &mut cursor, calls)
            })?;
            cells.push([times[0], times[1], times[2]]);
        }
    }
    vectors_only();
    Some(Size { bytes, cells })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(bytes: u64, times: [f64; 3]) -> Size {
        Size {
            bytes,
            cells: vec![times, times],
        }
    }

    #[test]
    fn no_candidate_is_first_in_every_round() {
        let mut order = Vec::new();
        let times = least(3, |at| {
            order.push(at);
            // What is called first finds its blocks in a cache.
            Some(if order.len() % 3 == 1 { 1.0 } else { 2.0 })
        });
        assert_eq!(times, Some(vec![1.0; 3]));
        assert_eq!(order[..6], [0, 1, 2, 1, 2, 0]);
    }

    #[test]
    fn ways_begin_where_they_gain() {
        let mut sizes = vec![
            size(1 << 12, [1.0, 1.5, 3.0]),
            size(1 << 14, [1.0, 1.2, 3.0]),
            size(1 << 16, [1.0, 0.7, 0.5]),
            // Disturbed: the run goes on.
            size(1 << 18, [1.0, 1.1, 0.5]),
            size(1 << 20, [1.0, 0.7, 0.7]),
            size(1 << 24, [1.0, 1.0, 0.7]),
        ];
        let wanted = Ways {
            string_from: 1 << 16,
            string_to: NEVER,
            streamed_from: 1 << 24,
        };
        assert_eq!(limits_of(&sizes), wanted);
        // Small copies are not streamed, whatever it gains; large ones not where others are slower for it.
        sizes[5].cells.push([1.0, 1.0, 2.0]);
        let wanted = Ways {
            string_from: 1 << 16,
            string_to: 1 << 24,
            streamed_from: NEVER,
        };
        assert_eq!(limits_of(&sizes), wanted);
        assert_eq!(limits_of(&[]), Ways::VECTORS);
    }

    #[test]
    fn what_is_chosen_is_a_shape_of_this_cpu_and_ways_are_in_order() {
        let choice = choose().unwrap();
        let copies = catalog::copies();
        assert!(copies.iter().any(|shape| shape.name == choice.copy));
        let ways = choice.copies;
        assert!(ways.string_from == NEVER || ways.string_from >= 1 << *LARGE.start());
        assert!(ways.streamed_from >= STREAMED_LEAST);
    }
}
