//! What a probe declares.

use whyslow_model::record::{MarkKind, Skipped, ValueRule};
use whyslow_model::role::Roles;
use whyslow_model::summary::Level;
use whyslow_model::{Better, Point, Unit};

use crate::bench::Bench;

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
    /// Which direction is good.
    pub better: Better,
    /// What it measures, one sentence.
    pub what: &'static str,
    /// How it measures that, one sentence.
    pub how: &'static str,
    /// Permissions, tools and kernel features without which it is skipped.
    pub needs: &'static [&'static str],
    /// Parameters of its points and what they mean.
    pub params: &'static [(&'static str, &'static str)],
    /// What the classic suites call it.
    pub names: Names,
    /// What its points are about: causes speak of roles, so these are the causes that can move it.
    pub roles: Roles,
    /// Values outside these are errors of the probe.
    pub bounds: Bounds,
    /// Marks that belong to the work itself and so do not exclude a sample.
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
    /// No such row anywhere.
    pub const NONE: Names = Names {
        lmbench: &[],
        byte: &[],
        ramspeed: &[],
    };
}

/// How hard a run tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intensity {
    /// A screen: 5 processes a point.
    Quick,
    /// The default for a record that will be compared: 10 processes a point.
    Standard,
    /// 30 processes a point.
    Rigorous,
}

impl Intensity {
    /// Processes a point. Source of the numbers: a true 2 % at 1 % spread between processes is
    /// found with 61 % power at 5, 94 % at 10 and all but surely at 30.
    pub fn rounds(self) -> u32 {
        match self {
            Intensity::Quick => 5,
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

/// What a probe may know of the host when it names its points.
#[derive(Debug, Clone)]
pub struct PlanContext {
    /// How hard the run tries.
    pub intensity: Intensity,
    /// CPUs that may be used, ascending.
    pub cpus: Vec<u32>,
    /// Placement classes of pairs of those CPUs that the host has.
    pub placements: Vec<PlacementClass>,
    /// Page colors of the second-level cache as claimed: sets by lines over the page, if over 1.
    pub colors: Option<u32>,
    /// Bytes a cache line.
    pub line_bytes: u32,
    /// Largest cache claimed, bytes; 0 when none is.
    pub llc_bytes: u64,
    /// Memory nodes, ascending by number; empty when the host does not tell.
    pub nodes: Vec<MemoryNode>,
    /// How many of the largest caches the usable CPUs have between them.
    pub llcs: u32,
    /// The claimed levels of cache, nearest first.
    pub caches: Vec<CacheLevel>,
    /// Memory that a probe may use, bytes.
    pub memory_bytes: u64,
    /// Levels found by the scout, smallest first; empty before the scout and when it failed.
    pub levels: Vec<Level>,
    /// Can transparent huge pages be had?
    pub thp: Result<(), String>,
    /// Can explicit huge pages be had?
    pub hugetlb: Result<HugePages, String>,
}

/// A level of cache as the kernel claims it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLevel {
    /// Size of the largest of that level, bytes, where it is told.
    pub bytes: Option<u64>,
    /// Most of the usable CPUs that share one.
    pub sharing: u32,
}

/// A memory node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryNode {
    /// The kernel's number of it.
    pub node: u32,
    /// Its CPUs that may be used; none where the node is memory alone.
    pub cpus: Vec<u32>,
    /// Its memory, bytes, where that is known.
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

/// A point that a probe offers, or the reason why it does not.
#[derive(Debug, Clone, PartialEq)]
pub enum Offer {
    /// Can be measured.
    Point(PointPlan),
    /// Cannot, and why.
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
    /// Where it runs.
    pub cpus: CpuChoice,
    /// Bytes in the working set of one thread, for memory points.
    pub size_bytes: Option<u64>,
    /// Fresh allocations a process.
    pub draws: u32,
    /// Batches a series and draw.
    pub samples: u32,
    /// Length of a batch, ns.
    pub batch_ns: f64,
    /// How the value follows from the series.
    pub value: ValueRule,
    /// Does it need a folder for files?
    pub scratch: bool,
    /// Measured only when a glob names its parameters or a suite has it, not in the default run.
    pub extra: bool,
    /// Suites it is measured in: names of [`crate::SUITES`]. When empty, a point that is not extra
    /// belongs to the suites that have a name for its probe.
    pub suites: &'static [&'static str],
}

/// Length of a batch of cheap operations, ns. Long against the clock (10 to 40 ns a step, so 50,000
/// steps), short against the time between two interruptions (1 to 4 ms), so most batches are clean.
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
            scratch: false,
            extra: false,
            suites: &[],
        }
    }
}

/// Which CPUs a point runs on; drawn anew for each process where there is a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuChoice {
    /// One CPU.
    One,
    /// A pair of a class; both members may be the same CPU.
    Pair(Vec<[u32; 2]>),
    /// That many CPUs for as many copies, each CPU again when there are more copies than CPUs.
    Copies(u32),
    /// All CPUs.
    All,
    /// Left to the scheduler.
    Free,
}

/// `skip` for one thing, for brevity in the families.
impl From<(String, String)> for Offer {
    fn from((what, why): (String, String)) -> Offer {
        Offer::Skip(Skipped { what, why })
    }
}
