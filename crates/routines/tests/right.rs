//! Every shape against a plain reference: all small sizes, alignments and overlaps, protected pages at both ends of the
//! blocks, and random calls; with the limits at every way.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used)]

use std::ptr::null_mut;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_routines::catalog::{compares, copies, sets};
use whyslow_routines::limits::{LIMITS, NEVER};
use whyslow_routines::measure::{Compare, Copy, Set};

const PAGE: usize = 4096;

/// Whole pages between two that nothing may touch.
struct Guarded {
    start: *mut u8,
    bytes: usize,
}

impl Guarded {
    fn new(pages: usize) -> Guarded {
        let bytes = pages * PAGE;
        // Emulators of other architectures have larger pages than the machine, so that guards are of 64 KiB.
        let guard = 16 * PAGE;
        // SAFETY: a new mapping, within which a part is opened.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let all = libc::mmap(null_mut(), bytes + 2 * guard, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(all, libc::MAP_FAILED);
            let start = all.cast::<u8>().add(guard);
            let open = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(start.cast(), bytes, open), 0);
            start
        };
        Guarded { start, bytes }
    }

    #[allow(clippy::mut_from_ref, reason = "a test uses one slice at a time")]
    fn all(&self) -> &mut [u8] {
        // SAFETY: open pages that live as long as this.
        unsafe { slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

fn fill(bytes: &mut [u8], random: &mut Xoshiro256PlusPlus) {
    for chunk in bytes.chunks_mut(8) {
        let word = random.next_u64().to_le_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
}

/// Limits that lead through each way: none, string instructions, non-temporal stores.
const WAYS: [[u64; 4]; 3] = [
    [NEVER, NEVER, NEVER, NEVER],
    [0, 0, NEVER, NEVER],
    [0, NEVER, NEVER, 0],
];

/// One test at a time has the limits.
static ONE: Mutex<()> = Mutex::new(());

fn each_way(mut test: impl FnMut()) {
    let _one = ONE.lock().unwrap_or_else(|held| held.into_inner());
    for [large, from, to, streamed] in WAYS {
        let limits = &LIMITS;
        for (own, other, value) in [
            (&limits.copy_large_from, &limits.set_large_from, large),
            (&limits.copy_string_from, &limits.set_string_from, from),
            (&limits.copy_string_to, &limits.set_string_to, to),
            (
                &limits.copy_streamed_from,
                &limits.set_streamed_from,
                streamed,
            ),
        ] {
            own.store(value, Relaxed);
            other.store(value, Relaxed);
        }
        test();
    }
}

/// The area's bytes after a copy, by a plain loop out of what was there before.
#[allow(
    clippy::manual_memcpy,
    reason = "what is tested must not be the reference"
)]
fn copied(before: &[u8], to: usize, from: usize, bytes: usize) -> Vec<u8> {
    let mut after = before.to_vec();
    for i in 0..bytes {
        after[to + i] = before[from + i];
    }
    after
}

#[track_caller]
fn check_copy(name: &str, copy: Copy, area: &mut [u8], to: usize, from: usize, bytes: usize) {
    let wanted = copied(area, to, from, bytes);
    let start = area.as_mut_ptr();
    // SAFETY: both blocks lie in the area, as the copy above would have failed otherwise.
    let result = unsafe { copy(start.add(to), start.add(from), bytes) };
    assert_eq!(result.addr(), start.addr() + to);
    // A whole comparison first: the place of a difference is looked for only where there is one.
    if area != wanted.as_slice() {
        let at = area.iter().zip(&wanted).position(|(a, b)| a != b).unwrap();
        panic!("{name}: {bytes} bytes from {from} to {to}: wrong at {at}");
    }
}

#[track_caller]
fn check_set(name: &str, set: Set, area: &mut [u8], to: usize, value: i32, bytes: usize) {
    let mut wanted = area.to_vec();
    for byte in &mut wanted[to..to + bytes] {
        *byte = value as u8;
    }
    // SAFETY: the block lies in the area, as above.
    let result = unsafe { set(area.as_mut_ptr().add(to), value, bytes) };
    assert_eq!(result.addr(), area.as_ptr().addr() + to);
    if area != wanted.as_slice() {
        let at = area.iter().zip(&wanted).position(|(a, b)| a != b).unwrap();
        panic!("{name}: {bytes} bytes at {to}: wrong at {at}");
    }
}

#[track_caller]
fn check_compare(name: &str, compare: Compare, one: &[u8], other: &[u8]) {
    assert_eq!(one.len(), other.len());
    let wanted = one
        .iter()
        .zip(other)
        .find(|(a, b)| a != b)
        .map_or(0, |(a, b)| (i32::from(*a) - i32::from(*b)).signum());
    // SAFETY: two slices of this length.
    let result = unsafe { compare(one.as_ptr(), other.as_ptr(), one.len()) };
    assert_eq!(result.signum(), wanted, "{name}: {} bytes", one.len());
}

/// Sizes up to 1 KiB, all of them; every second to every 37th where a test has more dimensions.
fn sizes(step: usize) -> impl Iterator<Item = usize> {
    (0..=1024)
        .step_by(step)
        .chain([1024, 2047, 2048, 4095, 4097, 9000])
}

#[test]
fn copies_of_all_sizes_at_all_alignments_and_overlaps() {
    let area = Guarded::new(8);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    each_way(|| {
        for shape in copies() {
            let area = &mut area.all()[..24_000];
            fill(area, &mut random);
            let mut turn = 0;
            for bytes in sizes(1) {
                // Every alignment of either within a line meets every size; overlaps of all distances by turns.
                for align in 0..64 {
                    turn += 1;
                    let part = &mut area[..(2 * bytes + 256).min(24_000)];
                    check_copy(
                        shape.name,
                        shape.function,
                        part,
                        align,
                        64 + bytes + align * 7 % 64,
                        bytes,
                    );
                    let distance = turn % (bytes + 65);
                    let (near, far) = (align, align + distance);
                    let part = &mut area[..far + bytes + 64];
                    check_copy(shape.name, shape.function, part, near, far, bytes);
                    check_copy(shape.name, shape.function, part, far, near, bytes);
                }
            }
        }
    });
}

#[test]
fn copies_that_overlap_by_every_distance() {
    let area = Guarded::new(6);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    each_way(|| {
        for shape in copies() {
            let area = &mut area.all()[..20_000];
            fill(area, &mut random);
            for bytes in [129, 257, 513, 640, 1024, 4500] {
                let step = if bytes > 1024 { 3 } else { 1 };
                for distance in (0..=bytes + 1).step_by(step) {
                    let part = &mut area[..distance + bytes + 70];
                    check_copy(shape.name, shape.function, part, 5, 5 + distance, bytes);
                    check_copy(shape.name, shape.function, part, 5 + distance, 5, bytes);
                }
            }
        }
    });
}

#[test]
fn fills_of_all_sizes_at_all_alignments() {
    let area = Guarded::new(4);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    each_way(|| {
        for shape in sets() {
            let area = &mut area.all()[..10_000];
            fill(area, &mut random);
            for bytes in sizes(1) {
                for align in 0..64 {
                    let part = &mut area[..align + bytes + 64];
                    // Only the lowest byte counts.
                    let value = random.next_u32() as i32;
                    check_set(shape.name, shape.function, part, align, value, bytes);
                }
            }
        }
    });
}

#[test]
fn comparisons_find_the_first_difference_wherever_it_is() {
    let (one, other) = (Guarded::new(4), Guarded::new(4));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for shape in compares() {
        let (one, other) = (one.all(), other.all());
        for bytes in sizes(1) {
            for turn in 0..16_usize {
                let (a, b) = (turn * 5 % 64, turn * 11 % 64);
                fill(&mut one[a..a + bytes], &mut random);
                let (one, other) = (&mut one[a..a + bytes], &mut other[b..b + bytes]);
                other.copy_from_slice(one);
                check_compare(shape.name, shape.function, one, other);
                if bytes == 0 {
                    continue;
                }
                // The second difference is in the other direction.
                let first = random.next_u64() as usize % bytes;
                let second = first + random.next_u64() as usize % (bytes - first);
                (one[second], other[second]) = (9, 200);
                (one[first], other[first]) = (201, 7);
                check_compare(shape.name, shape.function, one, other);
                check_compare(shape.name, shape.function, other, one);
                // As unsigned bytes, by one.
                other[first] = 200;
                check_compare(shape.name, shape.function, one, other);
            }
            // Each place in turn.
            if bytes <= 600 {
                let (one, other) = (&mut one[3..3 + bytes], &mut other[9..9 + bytes]);
                one.fill(7);
                other.fill(7);
                for at in 0..bytes {
                    one[at] = 8;
                    check_compare(shape.name, shape.function, one, other);
                    one[at] = 7;
                }
            }
        }
    }
}

#[test]
fn nothing_beyond_a_block_is_touched() {
    let (a, b) = (Guarded::new(3), Guarded::new(3));
    let whole = 3 * PAGE;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    each_way(|| {
        fill(a.all(), &mut random);
        fill(b.all(), &mut random);
        for bytes in sizes(1) {
            // Each block at either end of its pages: the next byte is protected.
            for (at, of) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let place = |end: usize| if end == 0 { 0 } else { whole - bytes };
                let to = a.start.wrapping_add(place(at));
                let from = b.start.wrapping_add(place(of));
                // SAFETY: both blocks lie in open pages.
                unsafe {
                    for shape in copies() {
                        a.all()[place(at)..][..bytes].fill(0);
                        (shape.function)(to, from, bytes);
                        assert!(a.all()[place(at)..][..bytes] == b.all()[place(of)..][..bytes]);
                    }
                    for shape in compares() {
                        let name = shape.name;
                        assert_eq!((shape.function)(to, from, bytes), 0, "{name} {bytes}");
                    }
                    for shape in sets() {
                        (shape.function)(to, 77, bytes);
                        assert!(a.all()[place(at)..][..bytes].iter().all(|byte| *byte == 77));
                    }
                }
            }
        }
    });
}

/// Sizes of random calls: small ones mostly, some up to the whole area.
fn random_size(random: &mut Xoshiro256PlusPlus, most: usize) -> usize {
    let bits = random.next_u32() % (usize::BITS - most.leading_zeros() + 1);
    (random.next_u64() as usize & ((1 << bits) - 1)).min(most)
}

/// So many random calls of every shape. `WHYSLOW_FUZZ=10000000` makes as many.
#[test]
fn random_calls() {
    let wanted = std::env::var("WHYSLOW_FUZZ").ok();
    let calls: u64 = wanted.map_or(20_000, |text| text.parse().expect("a number of calls"));
    const MOST: usize = 20_000;
    let (a, b) = (Guarded::new(10), Guarded::new(10));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6 + calls);
    let every = calls.div_ceil(WAYS.len() as u64);
    each_way(|| {
        let (a, b) = (a.all(), b.all());
        fill(a, &mut random);
        fill(b, &mut random);
        let (copies, sets, compares) = (copies(), sets(), compares());
        for call in 0..every {
            let bytes = random_size(&mut random, MOST);
            let any = |random: &mut Xoshiro256PlusPlus| {
                // Often at the very ends, often near each other.
                match random.next_u32() % 4 {
                    0 => 0,
                    1 => a.len() - bytes,
                    2 => 2048 + random.next_u64() as usize % 300,
                    _ => random.next_u64() as usize % (a.len() - bytes + 1),
                }
            };
            let (to, from) = (any(&mut random), any(&mut random));
            let value = random.next_u32();
            let shape = &copies[call as usize % copies.len()];
            // Within one area, seen from the lower of the two blocks to the end of the other, with some bytes around.
            let low = to.min(from).saturating_sub(70);
            let high = (to.max(from) + bytes + 70).min(a.len());
            check_copy(
                shape.name,
                shape.function,
                &mut a[low..high],
                to - low,
                from - low,
                bytes,
            );
            let shape = &sets[call as usize % sets.len()];
            let low = to.saturating_sub(70);
            let high = (to + bytes + 70).min(b.len());
            check_set(
                shape.name,
                shape.function,
                &mut b[low..high],
                to - low,
                value as i32,
                bytes,
            );
            let shape = &compares[call as usize % compares.len()];
            b[from..from + bytes].copy_from_slice(&a[to..to + bytes]);
            if bytes > 0 && value & 1 == 1 {
                let at = value as usize % bytes;
                b[from + at] = b[from + at].wrapping_add((value >> 8) as u8);
            }
            check_compare(
                shape.name,
                shape.function,
                &a[to..to + bytes],
                &b[from..from + bytes],
            );
        }
    });
}
