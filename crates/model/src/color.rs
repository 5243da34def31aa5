//! What `color map`, `color bench` and `color run` print as JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Known;
use crate::summary::Interval;

/// The page colors of a second-level cache, as found by timing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColorMap {
    /// How many colors there are.
    pub colors: u32,
    /// Pages of one color that the cache holds: its ways.
    pub ways: u32,
    /// How sharp the number of ways is: the share of tries in which one page fewer pushed out another,
    /// and in which so many did. 0 and 1 on a quiet machine that always replaces the oldest line.
    pub ways_sharp: [f64; 2],
    /// Bytes of a base page.
    pub page_bytes: u64,
    /// The cache's size as it acts: colors times ways times page, bytes.
    pub cache_bytes: u64,
    /// What the kernel claims of that cache.
    pub claimed: Known<ClaimedCache>,
    /// The CPU whose cache it is.
    pub cpu: u32,
    /// How the colors were found.
    pub method: String,
    /// Pages looked at.
    pub pages: u32,
    /// Of these, pages that fit no color.
    pub without_color: u32,
    /// Pages found of each color.
    pub population: Vec<u32>,
    /// From touching the pages to knowing their colors, ms.
    pub took_ms: f64,
    /// How well answers repeat.
    pub agreement: ColorAgreement,
    /// Whether frame numbers tell colors.
    pub frames: Known<FrameTruth>,
    /// Whether huge pages are one piece of memory underneath.
    pub huge_pages: Known<HugePieces>,
    /// Share of pages that others push out within 100 us.
    pub disturbance: f64,
    /// Other CPUs, and whether they use the same cache.
    pub neighbors: Known<Vec<CacheNeighbor>>,
    /// How pages can be moved here: `userfaultfd` or `mremap`.
    pub mechanism: Known<String>,
    /// The colors of the last-level cache.
    pub last_level: Known<u32>,
}

/// A cache as the kernel describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimedCache {
    /// Bytes.
    pub bytes: u64,
    /// Ways.
    pub ways: u32,
    /// Size of one way over the page size.
    pub colors: u32,
}

/// Pages tested again against every color.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColorAgreement {
    /// Pages tested.
    pub pages: u32,
    /// Pages that had their color and no other, with one vote.
    pub one_vote: u32,
    /// The same with the majority of three.
    pub three_votes: u32,
}

/// Frame numbers held against colors found by timing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameTruth {
    /// Pages compared.
    pub pages: u32,
    /// Of pairs of pages with the same number modulo the colors, the share of the same color.
    pub same: f64,
    /// That share if numbers told nothing.
    pub chance: f64,
    /// Some exclusive-or of bits of the number explains every color.
    pub linear: bool,
}

/// The colors inside huge pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HugePieces {
    /// Huge pages looked at.
    pub pages: u32,
    /// Chi-square of the colors in a huge page against an even spread, mean: 0 if it is one piece, one
    /// less than there are colors if its pieces lie anywhere.
    pub chi_square: f64,
    /// Groups of as many neighboring base pages as there are colors.
    pub groups: u32,
    /// Groups with every color in them.
    pub complete: u32,
    /// One piece (true), scattered (false), or neither (absent).
    pub contiguous: Option<bool>,
}

/// Another CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheNeighbor {
    /// Its number.
    pub cpu: u32,
    /// It uses the same second-level cache.
    pub shares: bool,
    /// Share of pages lost while it was left alone.
    pub lost_idle: f64,
    /// Share lost while it went through memory of the cache's size.
    pub lost_busy: f64,
}

/// No colors were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoColors {
    /// The reason.
    pub refused: String,
    /// What each try of the search saw, in order; empty where none was made.
    #[serde(default)]
    pub tries: Vec<String>,
}

/// The same work on ordinary, colored and huge pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColorBench {
    /// How many colors the cache has.
    pub colors: u32,
    /// Its ways.
    pub ways: u32,
    /// Its size as it acts, bytes.
    pub cache_bytes: u64,
    /// The CPU.
    pub cpu: u32,
    /// How pages were moved.
    pub mechanism: String,
    /// Draws of each value: fresh pages each time.
    pub draws: u32,
    /// Draws of latency at the cache's size.
    pub edge_draws: u32,
    /// Pages of colored memory that got another color, or none.
    pub misplaced: u64,
    /// Pages of colored memory that got another frame while they were measured: a host does that beneath its
    /// guest. Draws count up to then.
    pub moved: u64,
    /// Every value.
    pub points: Vec<ColorPoint>,
    /// Colored against ordinary pages, for each work and size.
    pub gains: Vec<ColorGain>,
    /// What the cache acts as with a few colors of it.
    pub partitions: Vec<Partition>,
    /// What coloring gains and where it loses, in one line.
    pub verdict: String,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// One work of one size on one kind of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColorPoint {
    /// `latency` (ns a load), `bandwidth` (GB/s), `matrix` (us a row) or `tree` (ns a lookup).
    pub work: String,
    /// `ordinary`, `colored`, `huge`, or a number of colors such as `4 colors`.
    pub pages: String,
    /// Bytes worked on.
    pub bytes: u64,
    /// Mean of logarithms over draws, with its 95 % interval.
    pub value: Interval,
    /// Standard deviation of the draws' logarithms; absent with one draw.
    pub spread: Option<f64>,
    /// Each draw: the middle of its passes.
    pub draws: Vec<f64>,
    /// For each draw, the values measured in passes over all draws, in order of time; null where somebody else
    /// on the core disturbed it, and others are enough.
    pub passes: Vec<Vec<Option<f64>>>,
}

/// Colored against ordinary pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColorGain {
    /// The work.
    pub work: String,
    /// Bytes worked on.
    pub bytes: u64,
    /// Time on colored pages over time on ordinary ones (for bandwidth the other way round), draw by
    /// draw: below 1, coloring gains.
    pub time_ratio: Interval,
    /// How much less draws of colored pages lie apart; absent where too few were measured often enough.
    pub steadier: Option<Steadier>,
    /// The intervals of the two values do not touch.
    pub apart: bool,
}

/// Spread between draws on ordinary pages over that on colored ones: of the standard deviations of logarithms
/// between draws, without what passes over the same draw differ by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steadier {
    /// The ratio; absent where colored pages show no spread beyond that of passes.
    pub times: Option<f64>,
    /// It is at least that, with 95 % confidence; up to 1, it is not known to differ.
    pub at_least: f64,
}

/// What a few colors act as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Partition {
    /// Colors used.
    pub colors: u32,
    /// Their part of the cache, bytes.
    pub part_bytes: u64,
    /// Where latency has risen half of the way from 15/16 of that part to 5/4 of it, bytes; absent if it
    /// does not rise.
    pub acts_as_bytes: Option<f64>,
}

/// A program that was run on colored pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColorRun {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How it ended.
    pub ended: ProgramEnd,
    /// Bytes of a base page: the size of all pages here.
    pub page_bytes: u64,
    /// The colors found. Nobody looks for them where no block of memory was worth it.
    pub colors: Known<RunColors>,
    /// Smallest block of memory that was to be colored, bytes.
    pub threshold_bytes: u64,
    /// Largest block, bytes.
    pub largest_bytes: u64,
    /// Programs that were started with the library in front.
    pub programs: u64,
    /// Processes with colored memory: programs, and what they forked.
    pub processes: u64,
    /// Blocks that were colored.
    pub blocks: u64,
    /// Pages that were colored: with the color wanted, or another.
    pub colored: u64,
    /// Of these, pages that got the color wanted.
    pub hits: u64,
    /// Of these, pages that got another, because there was none of the one wanted.
    pub fallbacks: u64,
    /// Pages of each color.
    pub by_color: Vec<u64>,
    /// Pages of such blocks that had a frame already.
    pub present: u64,
    /// Pages that stayed ordinary, by reason.
    pub ordinary: Vec<OrdinaryPages>,
    /// The same for each process that asked for such a block, most pages first.
    pub by_process: Vec<RunProcess>,
    /// Processes beyond those that the table has room for; their blocks are in no line of it.
    pub other_processes: u64,
    /// What became of their pages.
    pub other_process_pages: RunPages,
    /// The same for each kind of block, most pages first.
    pub by_object: Vec<RunObject>,
    /// Pages of kinds that the table had no room for.
    pub other_object_pages: RunPages,
    /// Pages whose color was looked up.
    pub tested: u64,
    /// Of these, pages that fitted none.
    pub without_color: u64,
    /// What it cost the program.
    pub cost: ColorCost,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// What became of the pages of some blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunPages {
    /// Blocks of at least the threshold that were asked for.
    pub blocks: u64,
    /// Of these, blocks with colored pages.
    pub colored_blocks: u64,
    /// Whole pages of these blocks: the sum of the five that follow.
    pub pages: u64,
    /// Pages that got the color wanted.
    pub hits: u64,
    /// Pages that got another, because there was none of the one wanted.
    pub fallbacks: u64,
    /// Pages that had a frame already.
    pub present: u64,
    /// Pages that stayed ordinary, by reason.
    pub ordinary: Vec<OrdinaryPages>,
    /// Time spent on coloring them, ms.
    pub took_ms: f64,
}

/// A process of a program that ran on colored pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunProcess {
    /// Its number; 0 where the kernel did not tell.
    pub pid: u64,
    /// Its name as the kernel has it, at most 15 bytes, when it first asked for a large block.
    pub name: String,
    /// What became of its pages.
    pub pages: RunPages,
}

/// Blocks of about one size, given by one call in all processes of one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunObject {
    /// The processes' name.
    pub name: String,
    /// The call that gave them: malloc, calloc, realloc (only what was added to a block),
    /// aligned_alloc (and its kin) or mmap.
    pub call: String,
    /// The smallest of them, bytes.
    pub least_bytes: u64,
    /// The largest, bytes; kinds are an eighth of a power of two wide.
    pub most_bytes: u64,
    /// What became of their pages.
    pub pages: RunPages,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Colors found for a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunColors {
    /// How many.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrdinaryPages {
    /// The reason.
    pub why: String,
    /// How many.
    pub pages: u64,
}

/// Time that coloring took from a program, all of its processes together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
