//! Which set a line belongs to, and which color a frame has by that.

/// How the set follows from the line number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexKind {
    /// The line number modulo the number of sets.
    Linear,
    /// Each bit of the set is the parity of the line number under a mask, the lowest bit first.
    Hashed(Vec<u32>),
}

/// Bits of a set's number at most.
const MOST_BITS: usize = 25;

/// An index function, ready for use.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    sets: u32,
    how: How,
}

#[derive(Debug, Clone)]
enum How {
    Mask(u32),
    Modulo,
    /// What each value of each byte of the line number contributes to the set's number: the parities are linear.
    Parts(Box<[[u32; 256]; 4]>),
}

impl Index {
    /// The function of `kind` for so many sets; in words why there is none.
    pub(crate) fn new(kind: &IndexKind, sets: u32) -> Result<Index, String> {
        let how = match kind {
            IndexKind::Linear if sets.is_power_of_two() => How::Mask(sets - 1),
            IndexKind::Linear => How::Modulo,
            IndexKind::Hashed(_) if !sets.is_power_of_two() => {
                return Err(format!(
                    "{sets} sets are no power of two, which a hashed index needs"
                ));
            }
            IndexKind::Hashed(masks) => {
                let bits = sets.ilog2() as usize;
                if masks.len() != bits || bits > MOST_BITS {
                    return Err(format!(
                        "{} masks for {sets} sets, which need {bits}",
                        masks.len()
                    ));
                }
                How::Parts(Box::new(parts(masks)))
            }
        };
        Ok(Index { sets, how })
    }

    pub(crate) fn sets(&self) -> u32 {
        self.sets
    }

    /// The mask of a linear index over a power of two.
    pub(crate) fn mask(&self) -> Option<u32> {
        match self.how {
            How::Mask(mask) => Some(mask),
            _ => None,
        }
    }

    /// The set of a line.
    #[inline(always)]
    pub(crate) fn set(&self, line: u32) -> u32 {
        match &self.how {
            How::Mask(mask) => line & mask,
            How::Modulo => line % self.sets,
            How::Parts(parts) => {
                let [a, b, c, d] = line.to_le_bytes();
                parts[0][usize::from(a)]
                    ^ parts[1][usize::from(b)]
                    ^ parts[2][usize::from(c)]
                    ^ parts[3][usize::from(d)]
            }
        }
    }
}

fn parts(masks: &[u32]) -> [[u32; 256]; 4] {
    let mut parts = [[0; 256]; 4];
    for (byte, part) in parts.iter_mut().enumerate() {
        for (value, set) in (0u32..).zip(part.iter_mut()) {
            let line = value << (8 * byte);
            let bit = |(at, mask): (usize, &u32)| ((line & mask).count_ones() & 1) << at;
            *set = masks.iter().enumerate().map(bit).sum();
        }
    }
    parts
}

/// Masks that mix higher bits of the line number into each bit of the set: bit `i` of the set is the parity of the line's
/// bits `i`, `i + bits`, `i + 2 bits` and so on, as a simple XOR fold does.
pub fn folded(sets: u32) -> Vec<u32> {
    let bits = sets.max(1).ilog2();
    let mask = |bit: u32| {
        let own = (bit..u32::BITS).step_by(bits.max(1) as usize);
        own.fold(0, |mask, at| mask | 1 << at)
    };
    (0..bits).map(mask).collect()
}

/// Colors of frames by an index function: two frames of one color cover the same sets.
///
/// The sets that the lines of a page cover are a coset of those that the lines of the first page cover, as long as the
/// function is linear over XOR, so a color stays well defined under a hashed index.
#[derive(Debug, Clone)]
pub(crate) struct Colors {
    index: Index,
    page_lines_log2: u32,
    /// Set numbers of a page's own lines, reduced to rows with distinct leading bits.
    own: Vec<u32>,
    /// Bits of a set's number that are left to tell colors by, lowest first.
    free: Vec<u32>,
}

impl Colors {
    /// Colors of pages with `2^page_lines_log2` lines.
    pub(crate) fn new(index: Index, page_lines_log2: u32) -> Colors {
        let mut own: Vec<u32> = Vec::new();
        if index.sets.is_power_of_two() {
            for bit in 0..page_lines_log2 {
                let mut row = index.set(1 << bit);
                for known in &own {
                    row = row.min(row ^ known);
                }
                if row != 0 {
                    own.push(row);
                    own.sort_unstable_by(|a, b| b.cmp(a));
                }
            }
        }
        let bits = index.sets.ilog2();
        let leading: u32 = own.iter().fold(0, |all, row| all | 1 << row.ilog2());
        let free = (0..bits).filter(|bit| leading >> bit & 1 == 0).collect();
        Colors {
            index,
            page_lines_log2,
            own,
            free,
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        match self.index.sets.is_power_of_two() {
            true => 1 << self.free.len(),
            false => (self.index.sets >> self.page_lines_log2).max(1),
        }
    }

    /// The color of a frame.
    pub(crate) fn of(&self, frame: u32) -> u32 {
        let mut set = self.index.set(frame << self.page_lines_log2);
        if !self.index.sets.is_power_of_two() {
            return (set >> self.page_lines_log2).min(self.count() - 1);
        }
        for row in &self.own {
            if set >> row.ilog2() & 1 == 1 {
                set ^= row;
            }
        }
        let bit = |(at, bit): (usize, &u32)| (set >> bit & 1) << at;
        self.free.iter().enumerate().map(bit).sum()
    }
}
