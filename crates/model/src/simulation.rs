//! What was simulated: a trace or pattern, or the latency curve of a record.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of these documents' schema.
pub const SCHEMA: u32 = 1;

/// A simulated cache or TLB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SimulatedCache {
    /// Its name, such as `L2`.
    pub name: String,
    /// Bytes, or entries of a TLB.
    pub size: u64,
    /// Lines in a set.
    pub ways: u32,
    /// `lru`, `bit-plru`, `tree-plru`, `srrip`, `brrip` or `random`.
    pub replacement: String,
    /// Is its index a hash?
    pub hashed: bool,
}

/// Least, middle and most of what placements gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Spread {
    /// Least.
    pub least: f64,
    /// Median.
    pub median: f64,
    /// Most.
    pub most: f64,
}

impl Spread {
    /// The spread of values; none of no values.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            0 => (values[middle - 1] + values[middle]) / 2.0,
            _ => values[middle],
        };
        Some(Spread {
            least,
            median,
            most,
        })
    }
}

/// Counts of one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SimulatedLevel {
    /// The level.
    #[serde(flatten)]
    pub cache: SimulatedCache,
    /// Reads and writes that reached it, in the first placement.
    pub accesses: u64,
    /// Those that missed, in the first placement.
    pub misses: u64,
    /// Misses a thousand instructions, where instructions are known.
    pub mpki: Option<f64>,
    /// Changed lines given to the level below.
    pub written_back: u64,
    /// Misses over all placements.
    pub over_placements: Spread,
    /// The measured misses, where they were given, and the share of placements that have fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<[f64; 2]>,
}

/// Misses of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PageMisses {
    /// Address of its first byte, in the address space of the program.
    pub address: u64,
    /// Color of its frame.
    pub color: u32,
    /// Misses.
    pub misses: u64,
}

/// A trace or pattern, simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TraceSimulation {
    /// Version of the schema.
    pub schema: u32,
    /// What was simulated: a file, or a pattern and its size.
    pub source: String,
    /// Accesses, one for each line that one touches.
    pub accesses: u64,
    /// Instructions, where the source tells.
    pub instructions: Option<u64>,
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Policy of placement.
    pub policy: String,
    /// Placements simulated.
    pub placements: u32,
    /// Seed of the first.
    pub seed: u64,
    /// Caches, nearest first.
    pub levels: Vec<SimulatedLevel>,
    /// TLBs, nearest first.
    pub tlbs: Vec<SimulatedLevel>,
    /// Lines read from memory and written to it, in the first placement.
    pub memory: [u64; 2],
    /// Modeled ns an access over all placements, where latencies were given.
    pub latency_ns: Option<Spread>,
    /// The measured ns, and the share of placements that are faster.
    pub measured: Option<[f64; 2]>,
    /// The level that misses are attributed at, the one that pages are placed for.
    pub attributed: String,
    /// Its misses in each placement, fewest first.
    pub distribution: Vec<u64>,
    /// Its misses by color of the frame, in the first placement.
    pub by_color: Vec<u64>,
    /// Pages with the most of them.
    pub by_page: Vec<PageMisses>,
}

/// What a load costs, as fitted to the record's curve; each comes on top of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SimulatedCosts {
    /// What the cost is of, such as `L1` or `TLB 1 miss`.
    pub of: String,
    /// ns.
    pub ns: f64,
}

/// One size of the curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SimulatedSize {
    /// Bytes of the working set.
    pub bytes: u64,
    /// Measured ns a load, where the record has it for these pages.
    pub measured_ns: Option<f64>,
    /// Ends of its interval.
    pub measured_range: Option<[f64; 2]>,
    /// Simulated ns a load over placements.
    pub simulated_ns: Spread,
    /// Placements.
    pub placements: u32,
    /// Share of placements that are faster than what was measured.
    pub faster: Option<f64>,
    /// What the simulation says for this size when costs are fitted without it, against the measured value: 0.1 is 10 % more.
    pub error: Option<f64>,
    /// ns with what is asked for replaced, over placements.
    pub what_if_ns: Option<Spread>,
}

/// The latency curve of a record, simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CurveSimulation {
    /// Version of the schema.
    pub schema: u32,
    /// The record.
    pub record: String,
    /// Kind of pages that were simulated: `4k`, `colored` or `thp`.
    pub pages: String,
    /// Seed of the first placement.
    pub seed: u64,
    /// Caches, nearest first.
    pub caches: Vec<SimulatedCache>,
    /// TLBs, nearest first.
    pub tlbs: Vec<SimulatedCache>,
    /// Caches of the what-if; empty without one.
    pub what_if: Vec<SimulatedCache>,
    /// What a load costs.
    pub costs: Vec<SimulatedCosts>,
    /// By size, ascending.
    pub sizes: Vec<SimulatedSize>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}
