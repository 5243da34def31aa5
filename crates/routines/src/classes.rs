//! The classes that copies are counted in, and the table of counts: shared by the counting library and the launcher.

use core::sync::atomic::{AtomicU8, AtomicU64};

/// Classes of sizes: two for each power of two. Blocks of 2^48 bytes and more do not occur.
pub const SIZES: usize = 96;

/// Classes of distances of copies.
pub const DISTANCES: usize = 4;

/// Ways: copies by distance, and fills, which have none.
pub const WAYS: usize = DISTANCES + 1;

/// The way of fills.
pub const FILL: usize = DISTANCES;

/// Callers that are told apart: the last is all others, the last but one code that is in no file.
pub const OBJECTS: usize = 32;

/// All other callers.
pub const OTHERS: usize = OBJECTS - 1;

/// Code without a file.
pub const NO_FILE: usize = OBJECTS - 2;

/// Bytes of the name of a caller: its path, or the end of it.
pub const NAME: usize = 232;

/// Programs that have a table; of more it is only known that they were.
pub const PROGRAMS: usize = 1024;

/// Names the file with the tables.
pub const VARIABLE: &core::ffi::CStr = c"WHYSLOW_COPIES";

/// The file begins with the number of programs, and has a table every so many bytes, a multiple of every size of pages.
pub const STEP: usize = 256 << 10;

/// Calls and their bytes.
#[repr(C)]
pub struct Count {
    /// Calls.
    pub calls: AtomicU64,
    /// Their bytes.
    pub bytes: AtomicU64,
}

/// A caller: the code of a file.
#[repr(C)]
pub struct Object {
    /// Its first address.
    pub start: AtomicU64,
    /// Behind its last; 0 until the rest is written.
    pub end: AtomicU64,
    /// Bytes of its name.
    pub length: AtomicU64,
    /// The file's path.
    pub name: [AtomicU8; NAME],
}

/// What a program counts, all of its processes until they start another: atomic additions, without a lock.
#[repr(C)]
pub struct Table {
    /// Callers so far.
    pub taken: AtomicU64,
    /// The callers.
    pub objects: [Object; OBJECTS],
    /// By caller, way and size.
    pub counts: [[[Count; SIZES]; WAYS]; OBJECTS],
}

const _: () = assert!(size_of::<Table>() <= STEP);

/// The class of a size: 0 of 0 bytes and 1 of 1; then 2 of 2, 3 of 3, 4 of 4 and 5, 5 of 6 and 7, 6 of 8 to 11 and so on.
pub const fn size_class(bytes: usize) -> usize {
    if bytes < 2 {
        return bytes;
    }
    let log = bytes.ilog2() as usize;
    let half = bytes >> (log - 1) & 1;
    let class = 2 * log + half;
    if class < SIZES { class } else { SIZES - 1 }
}

/// The least bytes of a class.
pub const fn least_of(class: usize) -> u64 {
    if class < 2 {
        return class as u64;
    }
    (2 + class as u64 % 2) << (class / 2 - 1)
}

/// The class of a copy's distance: that from the source's to the destination's place within pages of 4096 bytes.
pub const fn distance_class(to: usize, from: usize) -> usize {
    match to.wrapping_sub(from) % 4096 {
        0 => 0,
        1..32 => 1,
        32..64 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_is_in_the_class_whose_least_is_not_above_it() {
        for bytes in (0..5000_usize).chain([1 << 20, (1 << 20) + (1 << 19), usize::MAX >> 17]) {
            let class = size_class(bytes);
            assert!(least_of(class) <= bytes as u64, "{bytes}");
            assert!((bytes as u64) < least_of(class + 1), "{bytes}");
        }
        assert_eq!(size_class(16 << 10), 28);
        assert_eq!(least_of(28), 16 << 10);
        assert_eq!(least_of(29), 24 << 10);
        // Nothing is that large, and nothing is written beyond the table.
        assert_eq!(size_class(usize::MAX), SIZES - 1);
    }

    #[test]
    fn distances_are_those_within_pages() {
        for (to, from, class) in [
            (0, 0, 0),
            (8192, 4096, 0),
            (4097, 0, 1),
            (31, 4096, 1),
            (32, 0, 2),
            (4096 + 63, 0, 2),
            (64, 0, 3),
            // Before the source: 4088 within a page.
            (0, 8, 3),
            (8, usize::MAX - 4095, 1),
        ] {
            assert_eq!(distance_class(to, from), class, "{to} {from}");
        }
    }
}
