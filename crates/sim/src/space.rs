//! Addresses of 64 bits as line numbers of 32.
//!
//! A program uses few regions of 4 GiB each: its text, heap, libraries and stack lie far apart, but little lies between. So
//! the upper half of an address is replaced by the number of its region, in the order in which regions appear; the lower
//! half, which all index functions work on, stays.

use crate::error::SimError;

/// Bits of an address within a region.
const REGION_BITS: u32 = 32;

/// Line numbers of the addresses of one program.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    line_log2: u32,
    regions: Vec<u64>,
    last: (u64, u32),
}

impl Space {
    /// Lines of `2^line_log2` bytes.
    pub(crate) fn new(line_log2: u32) -> Space {
        Space {
            line_log2,
            regions: Vec::new(),
            last: (u64::MAX, 0),
        }
    }

    /// Regions that fit beside each other; the last number would meet that of an empty way.
    fn most(&self) -> u32 {
        (1 << self.line_log2) - 1
    }

    /// The line of an address.
    #[inline(always)]
    pub(crate) fn line(&mut self, address: u64) -> Result<u32, SimError> {
        let upper = address >> REGION_BITS;
        if upper != self.last.0 {
            self.last = (upper, self.region(upper)?);
        }
        Ok(self.last.1 << (REGION_BITS - self.line_log2) | (address as u32) >> self.line_log2)
    }

    #[cold]
    fn region(&mut self, upper: u64) -> Result<u32, SimError> {
        if let Some(at) = self.regions.iter().position(|known| *known == upper) {
            return Ok(at as u32);
        }
        let most = self.most();
        if self.regions.len() as u32 >= most {
            return Err(SimError::Spread { most });
        }
        self.regions.push(upper);
        Ok(self.regions.len() as u32 - 1)
    }

    /// The address of a line.
    pub(crate) fn address(&self, line: u32) -> u64 {
        let within = REGION_BITS - self.line_log2;
        let upper = self.regions.get((line >> within) as usize);
        let lower = line & ((1u32 << within) - 1);
        upper.copied().unwrap_or(0) << REGION_BITS | u64::from(lower) << self.line_log2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_numbered_and_lower_halves_stay() {
        let mut space = Space::new(6);
        for address in [0, 0x7fff_1234_5678, 0x40, 0x7fff_1234_5640, u64::MAX] {
            let line = space.line(address).unwrap();
            assert_ne!(line, u32::MAX);
            assert_eq!(space.address(line), address & !63, "{address:#x}");
        }
        for region in 3..63u64 {
            assert!(space.line(region << 32).is_ok(), "{region}");
        }
        assert!(matches!(
            space.line(99 << 32),
            Err(SimError::Spread { most: 63 })
        ));
    }
}
