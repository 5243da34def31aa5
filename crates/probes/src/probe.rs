//! The declaration of a probe.

use whyslow_model::record::{Estimator, MarkKind, SizedBy, Skipped, ValueRule};
use whyslow_model::role::Roles;
use whyslow_model::{Better, Point, Unit};

use crate::bench::Bench;
use crate::between_runs;

pub use crate::guard::Bounds;
pub use crate::stop::Stop;

/// One measurable thing.
#[derive(Debug)]
pub struct Probe {
    /// Id such as `mem.latency`; the part before the dot is the family.
    pub id: &'static str,
    /// A few words, for tables.
    pub title: &'static str,
    /// Unit of its values.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// What it measures, one sentence.
    pub what: &'static str,
    /// How it measures that, one sentence.
    pub how: &'static str,
    /// Required permissions, tools and kernel features; without them it is skipped.
    pub needs: &'static [&'static str],
    /// Parameters of its points and what they mean.
    pub params: &'static [(&'static str, &'static str)],
    /// Its names in the classic suites.
    pub names: Names,
    /// The roles of its points. Causes refer to roles, so these select the causes that can move it.
    pub roles: Roles,
    /// Values outside these are defects of the probe.
    pub bounds: Bounds,
    /// Marks that are part of the work and do not exclude a sample.
    pub usual_marks: &'static [MarkKind],
    /// Its points on a host.
    pub points: fn(&PlanContext) -> Vec<Offer>,
    /// Measures one point, in a worker.
    pub measure: fn(&mut Bench) -> Result<(), Stop>,
}

impl Probe {
    /// The family: the id up to its dot.
    pub fn family(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }
}

/// Names in other suites; empty where they have no such row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names {
    /// lmbench: programs and columns of its summary.
    pub lmbench: &'static [&'static str],
    /// BYTE and UnixBench.
    pub byte: &'static [&'static str],
    /// RAMspeed.
    pub ramspeed: &'static [&'static str],
}

impl Names {
    /// No row in any suite.
    pub const NONE: Names = Names {
        lmbench: &[],
        byte: &[],
        ramspeed: &[],
    };
}

/// The effort of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intensity {
    /// A screen: 3 processes a point, and more as far as a minute goes.
    Quick,
    /// For records that will be compared (the default): 10 processes a point.
    Standard,
    /// 30 processes a point.
    Rigorous,
}

impl Intensity {
    /// Least processes per point. With 1 % spread between processes, a true difference of 2 % is found
    /// with 61 % power at 5, 94 % at 10 and almost 100 % at 30.
    pub fn rounds(self) -> u32 {
        match self {
            Intensity::Quick => 3,
            Intensity::Standard => 10,
            Intensity::Rigorous => 30,
        }
    }

    /// The intensity called `name`.
    pub fn named(name: &str) -> Option<Intensity> {
        [Intensity::Quick, Intensity::Standard, Intensity::Rigorous]
            .into_iter()
            .find(|i| i.name() == name)
    }

    /// The name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Intensity::Quick => "quick",
            Intensity::Standard => "standard",
            Intensity::Rigorous => "rigorous",
        }
    }
}

/// Host facts available to a probe when it lists its points.
#[derive(Debug, Clone)]
pub struct PlanContext {
    /// The effort of the run.
    pub intensity: Intensity,
    /// Usable CPUs, ascending.
    pub cpus: Vec<u32>,
    /// Placement classes of pairs of those CPUs on this host.
    pub placements: Vec<PlacementClass>,
    /// Page colors of L2 by its reported geometry: sets times line size over the page size, if
    /// above 1.
    pub colors: Option<u32>,
    /// Cache line size, bytes.
    pub line_bytes: u32,
    /// Largest reported cache, bytes; 0 when none is reported.
    pub llc_bytes: u64,
    /// NUMA nodes, ascending by number; empty when the host reports none.
    pub nodes: Vec<MemoryNode>,
    /// The number of largest caches that the usable CPUs have in total.
    pub llcs: u32,
    /// The reported cache levels, nearest first.
    pub caches: Vec<CacheLevel>,
    /// Memory that a probe may use, bytes.
    pub memory_bytes: u64,
    /// The levels that points take sizes from; none before there was a look at the latency curve, and where neither
    /// the curve nor the kernel shows any.
    pub sized_by: Option<SizedBy>,
    /// Bytes that are known to exceed one last-level cache, where that is less than four times its reported size.
    pub beyond_bytes: Option<u64>,
    /// Ok if transparent huge pages are available, else why not.
    pub thp: Result<(), String>,
    /// The explicit huge pages, or why there are none.
    pub hugetlb: Result<HugePages, String>,
}

impl PlanContext {
    /// What one last-level cache holds at the most, bytes: its reported size, or a quarter of what is known to exceed it.
    pub fn llc_at_most(&self) -> u64 {
        match self.beyond_bytes {
            Some(beyond) => self.llc_bytes.min(beyond / 4),
            None => self.llc_bytes,
        }
    }
}

/// A cache level as the kernel reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLevel {
    /// Size of the largest cache of that level, bytes, if reported.
    pub bytes: Option<u64>,
    /// The largest number of usable CPUs that share one.
    pub sharing: u32,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryNode {
    /// Its number in the kernel.
    pub node: u32,
    /// Its usable CPUs; none for a memory-only node.
    pub cpus: Vec<u32>,
    /// Its memory, bytes, if known.
    pub bytes: Option<u64>,
}

/// The pool of explicit huge pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HugePages {
    /// Size of one page, bytes.
    pub page_bytes: u64,
    /// Pages free.
    pub free: u64,
}

/// A class of CPU pairs, such as `same-llc`, with the pairs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementClass {
    /// Its name.
    pub name: String,
    /// Pairs of CPUs in it, each pair once.
    pub pairs: Vec<[u32; 2]>,
}

/// A point that a probe offers, or why it cannot.
#[derive(Debug, Clone, PartialEq)]
pub enum Offer {
    /// Measurable.
    Point(PointPlan),
    /// Not measurable, with the reason.
    Skip(Skipped),
}

impl Offer {
    /// How to measure the point, if it can be.
    pub fn plan(&self) -> Option<&PointPlan> {
        match self {
            Offer::Point(plan) => Some(plan),
            Offer::Skip(_) => None,
        }
    }
}

/// How to measure a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointPlan {
    /// The point.
    pub point: Point,
    /// CPU placement.
    pub cpus: CpuChoice,
    /// Working set of one thread, bytes, for memory points.
    pub size_bytes: Option<u64>,
    /// Draws per process.
    pub draws: u32,
    /// Batches per series and draw.
    pub samples: u32,
    /// Length of a batch, ns.
    pub batch_ns: f64,
    /// How the value is computed from the series.
    pub value: ValueRule,
    /// What the batches of a draw give.
    pub estimator: Estimator,
    /// Standard deviation between runs of one host, of the logarithm of the value.
    pub between_runs: f64,
    /// True if it needs a directory for files.
    pub scratch: bool,
    /// Measured only when a glob names its parameters or a suite includes it, not in the default
    /// run.
    pub extra: bool,
    /// What it is worth where the time is short.
    pub rank: Rank,
    /// Suites it is measured in: names of [`crate::SUITES`]. When empty, a point that is not extra
    /// belongs to the suites that have a name for its probe.
    pub suites: &'static [&'static str],
}

/// Batch length for cheap operations, ns. Long compared with the clock step (10 to 40 ns, so 50,000
/// steps), short compared with the time between interruptions (1 to 4 ms), so most batches are
/// clean.
pub(crate) const BATCH_NS: f64 = 1e6;

impl PointPlan {
    /// A point on one CPU with one series: three draws of five batches.
    pub fn new(point: Point) -> Self {
        PointPlan {
            point,
            cpus: CpuChoice::One,
            size_bytes: None,
            draws: 3,
            samples: 5,
            batch_ns: BATCH_NS,
            value: ValueRule::Single,
            estimator: Estimator::Middle,
            between_runs: between_runs::USUAL,
            scratch: false,
            extra: false,
            rank: Rank::Section,
            suites: &[],
        }
    }
}

/// Which points go first where there is not time for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A section of the answer needs it.
    Section,
    /// It takes long, and its section is whole without it: not measured where other work takes much of the CPUs.
    Spare,
    /// It lies between others that show the same: it has its processes after all others have theirs.
    Between,
}

/// The CPUs that a point runs on; randomized per process where there is a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuChoice {
    /// One CPU.
    One,
    /// A pair of a class; both members may be the same CPU.
    Pair(Vec<[u32; 2]>),
    /// One CPU for each of so many copies, reusing CPUs when there are more copies than CPUs.
    Copies(u32),
    /// All CPUs.
    All,
    /// Unpinned.
    Free,
}

/// Shorthand for one skipped offer.
impl From<(String, String)> for Offer {
    fn from((what, why): (String, String)) -> Offer {
        Offer::Skip(Skipped { what, why })
    }
}
