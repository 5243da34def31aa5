//! The JSON output of `color map`, `color bench` and `color run`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Known;
use crate::summary::Interval;

/// The page colors of a second-level cache, found by timing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorMap {
    /// Number of colors.
    pub colors: u32,
    /// Pages of one color that the cache holds: its ways.
    pub ways: u32,
    /// How sharply the number of ways is determined: the share of trials in which one page fewer
    /// evicted another, and in which this many did. 0 and 1 on an idle machine with true LRU.
    pub ways_sharp: [f64; 2],
    /// Bytes of a base page.
    pub page_bytes: u64,
    /// The effective cache size: colors times ways times page size, bytes.
    pub cache_bytes: u64,
    /// The cache as reported by the kernel.
    pub claimed: Known<ClaimedCache>,
    /// The CPU that the cache belongs to.
    pub cpu: u32,
    /// How the colors were found.
    pub method: String,
    /// Pages examined.
    pub pages: u32,
    /// Of these, pages that match no color.
    pub without_color: u32,
    /// Pages found of each color.
    pub population: Vec<u32>,
    /// Time from touching the pages to the result, ms.
    pub took_ms: f64,
    /// Repeatability of the results.
    pub agreement: ColorAgreement,
    /// Whether frame numbers determine colors.
    pub frames: Known<FrameTruth>,
    /// Whether huge pages are contiguous in host memory.
    pub huge_pages: Known<HugePieces>,
    /// Share of pages that others evict within 100 us.
    pub disturbance: f64,
    /// Other CPUs, and whether they share the cache.
    pub neighbors: Known<Vec<CacheNeighbor>>,
    /// The mechanism for moving pages: `userfaultfd` or `mremap`.
    pub mechanism: Known<String>,
    /// The colors of the last-level cache.
    pub last_level: Known<u32>,
}

/// A cache as reported by the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClaimedCache {
    /// Bytes.
    pub bytes: u64,
    /// Ways.
    pub ways: u32,
    /// Size of one way over the page size.
    pub colors: u32,
}

/// Retests of pages against every color.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorAgreement {
    /// Pages tested.
    pub pages: u32,
    /// Pages that matched only their own color, with one vote.
    pub one_vote: u32,
    /// The same with the majority of three.
    pub three_votes: u32,
}

/// Comparison of frame numbers with colors found by timing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FrameTruth {
    /// Pages compared.
    pub pages: u32,
    /// Of pairs of pages with the same number modulo the colors, the share with the same color.
    pub same: f64,
    /// That share if frame numbers were uninformative.
    pub chance: f64,
    /// True if parities of bits of the number explain the colors.
    pub linear: bool,
    /// For each bit of the color, the mask of physical address bits whose parity it is; empty if none explain them.
    #[serde(default)]
    pub masks: Vec<u64>,
    /// Share of pages that have the color of the masks.
    #[serde(default)]
    pub masks_agree: Option<f64>,
}

/// The colors inside huge pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HugePieces {
    /// Huge pages examined.
    pub pages: u32,
    /// Mean chi-square of the colors in a huge page against an even spread: 0 if contiguous, the
    /// number of colors less one if its pieces are scattered.
    pub chi_square: f64,
    /// Groups of as many neighboring base pages as there are colors.
    pub groups: u32,
    /// Groups with every color in them.
    pub complete: u32,
    /// Contiguous (true), scattered (false), or neither (absent).
    pub contiguous: Option<bool>,
}

/// Another CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CacheNeighbor {
    /// Its number.
    pub cpu: u32,
    /// True if it shares the second-level cache.
    pub shares: bool,
    /// Share of pages evicted while it was idle.
    pub lost_idle: f64,
    /// Share evicted while it read memory of the cache size.
    pub lost_busy: f64,
}

/// No colors were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NoColors {
    /// The reason.
    pub refused: String,
    /// What each try of the search saw, in order; empty where none was made.
    #[serde(default)]
    pub tries: Vec<String>,
}

/// The same work on ordinary, colored and huge pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorBench {
    /// Number of colors of the cache.
    pub colors: u32,
    /// Its ways.
    pub ways: u32,
    /// Its effective size, bytes.
    pub cache_bytes: u64,
    /// The CPU.
    pub cpu: u32,
    /// The mechanism for moving pages.
    pub mechanism: String,
    /// Draws of each value, each with fresh pages.
    pub draws: u32,
    /// Draws of latency at the cache size.
    pub edge_draws: u32,
    /// Pages of colored memory with another color, or none.
    pub misplaced: u64,
    /// Pages of colored memory whose frame was migrated during measurement, as hosts do for their guests.
    /// Draws count up to then.
    pub moved: u64,
    /// Every value.
    pub points: Vec<ColorPoint>,
    /// Colored against ordinary pages, for each work and size.
    pub gains: Vec<ColorGain>,
    /// Effective cache size with a few colors.
    pub partitions: Vec<Partition>,
    /// Benefit and cost of coloring, in one line.
    pub verdict: String,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// One work of one size on one kind of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorPoint {
    /// `latency` (ns a load), `bandwidth` (GB/s), `matrix` (us a row) or `tree` (ns a lookup).
    pub work: String,
    /// `ordinary`, `colored`, `huge`, or a number of colors such as `4 colors`.
    pub pages: String,
    /// Working set, bytes.
    pub bytes: u64,
    /// Mean of logarithms over draws, with its 95 % interval.
    pub value: Interval,
    /// Standard deviation of the draws' logarithms; absent with one draw.
    pub spread: Option<f64>,
    /// Each draw: the median of its passes.
    pub draws: Vec<f64>,
    /// For each draw, the values measured in passes over all draws, in time order; null if the SMT sibling was
    /// busy and enough others remain.
    pub passes: Vec<Vec<Option<f64>>>,
}

/// Colored against ordinary pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorGain {
    /// The work.
    pub work: String,
    /// Working set, bytes.
    pub bytes: u64,
    /// Time on colored pages over time on ordinary ones (inverse for bandwidth), draw by draw: below
    /// 1, coloring is faster.
    pub time_ratio: Interval,
    /// How much less draws of colored pages vary; absent if too few were measured often enough.
    pub steadier: Option<Steadier>,
    /// The intervals of the two values do not touch.
    pub apart: bool,
}

/// Spread between draws on ordinary pages over that on colored ones: standard deviations of logarithms
/// between draws, without the variation between passes over one draw.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Steadier {
    /// The ratio; absent if colored pages show no spread beyond that of passes.
    pub times: Option<f64>,
    /// Lower limit with 95 % confidence; up to 1, no difference is shown.
    pub at_least: f64,
}

/// Effective size of a few colors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Partition {
    /// Colors used.
    pub colors: u32,
    /// Their share of the cache, bytes.
    pub part_bytes: u64,
    /// The size at which latency has risen half of the way between 15/16 and 5/4 of that share, bytes;
    /// absent if it does not rise.
    pub acts_as_bytes: Option<f64>,
}

/// A program that was run on colored pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorRun {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How it ended.
    pub ended: ProgramEnd,
    /// Bytes of a base page: the size of all pages here.
    pub page_bytes: u64,
    /// The colors found. There is no search if no block of memory was large enough.
    pub colors: Known<RunColors>,
    /// Smallest block of memory to color, bytes.
    pub threshold_bytes: u64,
    /// Largest block, bytes.
    pub largest_bytes: u64,
    /// Programs that were started with the library preloaded.
    pub programs: u64,
    /// Processes with colored memory: programs and their forks.
    pub processes: u64,
    /// Blocks that were colored.
    pub blocks: u64,
    /// Pages that were colored: with the requested color, or another.
    pub colored: u64,
    /// Of these, pages with the requested color.
    pub hits: u64,
    /// Of these, pages with another color, because the requested one was unavailable.
    pub fallbacks: u64,
    /// Pages of each color.
    pub by_color: Vec<u64>,
    /// Pages of such blocks that already had a frame.
    pub present: u64,
    /// Pages that stayed ordinary, by reason.
    pub ordinary: Vec<OrdinaryPages>,
    /// The same for each process that requested such a block, most pages first.
    pub by_process: Vec<RunProcess>,
    /// Processes that did not fit the table; their blocks are in no row of it.
    pub other_processes: u64,
    /// Outcome of their pages.
    pub other_process_pages: RunPages,
    /// The same for each kind of block, most pages first.
    pub by_object: Vec<RunObject>,
    /// Pages of kinds that did not fit the table.
    pub other_object_pages: RunPages,
    /// Pages whose color was looked up.
    pub tested: u64,
    /// Of these, pages that matched none.
    pub without_color: u64,
    /// Its cost for the program.
    pub cost: ColorCost,
    /// Notes.
    pub notes: Vec<String>,
}

/// Outcome of the pages of some blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunPages {
    /// Requested blocks of at least the threshold.
    pub blocks: u64,
    /// Of these, blocks with colored pages.
    pub colored_blocks: u64,
    /// Whole pages of these blocks: the sum of the five that follow.
    pub pages: u64,
    /// Pages with the requested color.
    pub hits: u64,
    /// Pages with another color, because the requested one was unavailable.
    pub fallbacks: u64,
    /// Pages that already had a frame.
    pub present: u64,
    /// Pages that stayed ordinary, by reason.
    pub ordinary: Vec<OrdinaryPages>,
    /// Time spent on coloring them, ms.
    pub took_ms: f64,
}

/// A process of a program that ran on colored pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunProcess {
    /// Its process id; 0 if unknown.
    pub pid: u64,
    /// Its name in the kernel, at most 15 bytes, when it first requested a large block.
    pub name: String,
    /// Outcome of its pages.
    pub pages: RunPages,
}

/// Blocks of about one size, allocated by one call in all processes of one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunObject {
    /// The processes' name.
    pub name: String,
    /// The call that allocated them: malloc, calloc, realloc (only the growth of a block),
    /// aligned_alloc (and similar) or mmap.
    pub call: String,
    /// The smallest of them, bytes.
    pub least_bytes: u64,
    /// The largest, bytes; kinds are an eighth of a power of two wide.
    pub most_bytes: u64,
    /// Outcome of their pages.
    pub pages: RunPages,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Colors found for a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunColors {
    /// Number.
    pub colors: u32,
    /// Pages of one color that the cache holds.
    pub ways: u32,
    /// How long the search took, ms.
    pub took_ms: f64,
    /// Known from an earlier run on this host, and checked.
    #[serde(default)]
    pub kept: bool,
}

/// Pages that stayed ordinary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OrdinaryPages {
    /// The reason.
    pub why: String,
    /// Number.
    pub pages: u64,
}

/// Time that coloring took in a program, over all of its processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColorCost {
    /// Waiting for the colors to be found, ms.
    pub waiting_ms: f64,
    /// Looking up the colors of pages, ms.
    pub testing_ms: f64,
    /// Moving pages, ms.
    pub moving_ms: f64,
    /// The last two for each colored page, us; absent without any.
    pub page_us: Option<f64>,
}
