//! The orders, colors and counts shared by the launcher and all processes it started.
//!
//! A file: this structure, then the pages whose colors the launcher found. Those pages are the same
//! frames in every process, so each process can test its own pages against them without a search.
//! Everything is atomic: no locks, and a killed process leaves its counts.

use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64};

use super::reason::COLORS;
use super::tally::Tallies;

/// The environment variable with the file's path.
pub(crate) const VARIABLE: &core::ffi::CStr = c"WHYSLOW_COLOR";

/// First word of the file: this layout.
pub(crate) const LAYOUT: u64 = 0x7768_7973_6c6f_7702;

/// Pages of all sets together: 1.5 times 24 ways, for each color.
pub(crate) const SET_PAGES: usize = COLORS * 36;
/// Lines of a page of 64 KiB, the largest base page.
pub(crate) const LINES: usize = 1024;
/// Lines of a walk.
pub(crate) const SAMPLES: usize = 16;
/// Words of the set of allowed colors.
pub(crate) const WORDS: usize = COLORS / 64;

/// No process has requested colors yet.
pub(crate) const IDLE: u32 = 0;
/// A process waits for them.
pub(crate) const WANTED: u32 = 1;
/// Colors are available.
pub(crate) const READY: u32 = 2;
/// There are no colors.
pub(crate) const REFUSED: u32 = 3;

/// See the module.
#[repr(C)]
pub(crate) struct Shared {
    pub(crate) layout: AtomicU64,
    /// Bytes from the start of the file to its pages, and of those.
    pub(crate) pages_at: AtomicU64,
    pub(crate) pages_bytes: AtomicU64,
    pub(crate) page_size: AtomicU64,

    // Orders.
    /// Smallest and largest block that is colored, bytes.
    pub(crate) least: AtomicU64,
    pub(crate) most: AtomicU64,
    pub(crate) order: AtomicU32,
    /// Colors to use, one bit each.
    pub(crate) allowed: [AtomicU64; WORDS],
    /// Number of system-call filters on the launcher.
    pub(crate) filters: AtomicU32,
    /// Pages that all processes together may fill.
    pub(crate) pages_limit: AtomicU64,
    /// Initial time budget of a process, ns, and the additional share of its age, as one over this.
    pub(crate) burst_ns: AtomicU64,
    pub(crate) age_share: AtomicU64,

    /// One of the four stages; processes wait for it to change.
    pub(crate) stage: AtomicU32,

    // Colors, once the stage is `READY`.
    pub(crate) colors: AtomicU32,
    pub(crate) ways: AtomicU32,
    /// A walk of more ticks missed.
    pub(crate) threshold: AtomicU32,
    /// Pages to test at once.
    pub(crate) batch: AtomicU32,
    pub(crate) sample_count: AtomicU32,
    pub(crate) samples: [AtomicU16; SAMPLES],
    pub(crate) line_count: AtomicU32,
    pub(crate) lines: [AtomicU16; LINES],
    /// Start of each color's set in `set_pages`.
    pub(crate) set_start: [AtomicU32; COLORS + 1],
    pub(crate) set_pages: [AtomicU32; SET_PAGES],

    // Counts.
    /// Programs that loaded the library, and processes that colored.
    pub(crate) programs: AtomicU64,
    pub(crate) coloring: AtomicU64,
    pub(crate) tallies: Tallies,
    /// Pages whose color was looked up, and those that matched none.
    pub(crate) tested: AtomicU64,
    pub(crate) strays: AtomicU64,
    /// Time for color lookup, for moving pages, and for waiting for the launcher, ns.
    pub(crate) testing_ns: AtomicU64,
    pub(crate) moving_ns: AtomicU64,
    pub(crate) waiting_ns: AtomicU64,
    /// Error of the last failed attempt to move pages.
    pub(crate) errno: AtomicU32,
}
