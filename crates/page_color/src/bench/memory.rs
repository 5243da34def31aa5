//! Memory of each kind of pages.

use super::{Kind, work};
use crate::arena::{Arena, HUGE, Kind as ArenaKind};
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
        let mut region = pool.region(bytes, &policy)?;
        // Pages that could not be moved are faulted in before timing.
        work::touch(region.bytes());
        Ok(Memory::Pooled(region))
    }

    /// The first `bytes`, which start on a page.
    pub(super) fn first(&mut self, bytes: usize) -> &mut [u8] {
        match self {
            Memory::Mapped(arena) => &mut arena.bytes()[..bytes],
            Memory::Pooled(region) => &mut region.bytes()[..bytes],
        }
    }

    pub(super) fn region(&self) -> Option<&Region> {
        match self {
            Memory::Mapped(_) => None,
            Memory::Pooled(region) => Some(region),
        }
    }
}
