//! From which sizes on which way is taken: read by the shapes, and written into the library's file before it is loaded.

use core::sync::atomic::AtomicU64;

/// No block is as large.
pub const NEVER: u64 = u64::MAX;

/// How the table begins, by which it is found in the file of the library.
pub const MAGIC: [u8; 16] = *b"whyslow-limits-1";

/// Sizes in bytes, in the order in which the shapes' assembly reads them.
#[repr(C)]
pub struct Limits {
    /// [`MAGIC`].
    pub magic: [u8; 16],
    /// Copies: the least of the next and of `copy_streamed_from`, so that most copies are compared once.
    pub copy_large_from: AtomicU64,
    /// From here on by REP MOVSB.
    pub copy_string_from: AtomicU64,
    /// Up to here, exclusive.
    pub copy_string_to: AtomicU64,
    /// From here on by non-temporal stores.
    pub copy_streamed_from: AtomicU64,
    /// Fills: likewise.
    pub set_large_from: AtomicU64,
    /// From here on by REP STOSB.
    pub set_string_from: AtomicU64,
    /// Up to here, exclusive.
    pub set_string_to: AtomicU64,
    /// From here on by non-temporal stores.
    pub set_streamed_from: AtomicU64,
}

/// Numbers behind the magic.
pub const NUMBERS: usize = 8;

const _: () = assert!(size_of::<Limits>() == MAGIC.len() + 8 * NUMBERS);

/// The table. As built, everything is done by loops of vectors, which is right on every CPU.
#[used]
pub static LIMITS: Limits = Limits {
    magic: MAGIC,
    copy_large_from: AtomicU64::new(NEVER),
    copy_string_from: AtomicU64::new(NEVER),
    copy_string_to: AtomicU64::new(NEVER),
    copy_streamed_from: AtomicU64::new(NEVER),
    set_large_from: AtomicU64::new(NEVER),
    set_string_from: AtomicU64::new(NEVER),
    set_string_to: AtomicU64::new(NEVER),
    set_streamed_from: AtomicU64::new(NEVER),
};
