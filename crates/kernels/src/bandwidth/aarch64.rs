//! The shapes of aarch64.
//!
//! Each load and store is of a pair of registers, the widest that the base instruction set has: 16
//! bytes of two general registers, 32 of two vector ones. Four pairs are loaded before the first is
//! used, so that a core that executes in order does not wait for each of them.
//!
//! Left out: shapes of SVE (on most cores its vectors are 16 bytes long, half of such a pair; on
//! those where they are longer, these shapes may stay below what the core can do), the instructions
//! that set and copy memory by themselves (FEAT_MOPS), and several streams at once. `dc zva` fills
//! lines without reading them first, but it can only write zeros, and a write has to store any word.

mod copy;
mod historic;
mod pairs;
mod read;
mod write;

pub(super) use {copy::COPY, historic::HISTORIC, read::READ, write::WRITE};

/// Accesses of 16 bytes that a core completes in a cycle, at most. Large cores such as Neoverse V2
/// have three pipes for loads and two for stores, Cortex-X925 has four for loads. Stores get the same
/// room: a limit that is too low would refuse a true figure of a core to come, and that no byte is
/// counted untouched is proved by the checksums already.
const ACCESSES: u32 = 4;

/// Instructions that move `width` bytes a core completes in a cycle, at most: a pair of vectors is
/// two accesses, a pair of general registers one.
const fn per_cycle(width: u32) -> Option<u32> {
    Some(ACCESSES * 16 / width)
}
