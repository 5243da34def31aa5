//! Memory of each kind of pages.

use super::{Kind, work};
use crate::arena::{Arena, HUGE, Kind as ArenaKind, page_size};
use crate::pool::{Policy, Pool, Reason, Region};

/// Memory of one kind.
pub(super) enum Memory {
    Mapped(Arena),
    Pooled(Region),
}

impl Memory {
    /// `bytes` of pages of one kind.
    pub(super) fn of(kind: Kind, bytes: usize, pool: &mut Pool) -> Result<Memory, Reason> {
        let policy = match kind {
            Kind::Ordinary => return Ok(Memory::Mapped(Arena::touched(bytes, ArenaKind::Small)?)),
            Kind::Huge => {
                let bytes = bytes.next_multiple_of(HUGE);
                return Ok(Memory::Mapped(Arena::huge(bytes)?));
            }
            Kind::Colored => Policy::ROUND_ROBIN,
            Kind::Few(few) => Policy::partition(few),
        };
        let region = pool.region(bytes, &policy)?;
        // Pages that could not be moved are faulted in before timing.
        for page in 0..region.len() / page_size() {
            work::touch(region.start().wrapping_add(page * page_size()));
        }
        Ok(Memory::Pooled(region))
    }

    pub(super) fn start(&self) -> *mut u8 {
        match self {
            Memory::Mapped(arena) => arena.start(),
            Memory::Pooled(region) => region.start(),
        }
    }

    pub(super) fn region(&self) -> Option<&Region> {
        match self {
            Memory::Mapped(_) => None,
            Memory::Pooled(region) => Some(region),
        }
    }
}
