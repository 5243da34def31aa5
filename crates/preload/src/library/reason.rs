//! Why pages stay ordinary, and how many colors there may be: what tallies are counted by.

/// Maximum number of colors. L2 caches have 8 to 64.
pub(crate) const COLORS: usize = 256;

/// Why a page stayed ordinary; an index into a tally's `ordinary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Why {
    /// The launcher found no colors, or did not answer.
    NoColors = 0,
    /// The block is too large for coloring to help.
    Large,
    /// Another thread was coloring.
    Busy,
    /// The time budget for coloring is used up.
    Time,
    /// The share of memory that coloring may populate in advance is used up, or zero.
    Memory,
    /// The kernel does not let this process move pages.
    Moving,
    /// Pages of this process match the colors too rarely.
    Colors,
    /// A system-call filter was set after the start.
    Filter,
    /// The launcher was still searching for colors.
    Late,
}

/// The number of reasons.
pub(crate) const REASONS: usize = 9;
