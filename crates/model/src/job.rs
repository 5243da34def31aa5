//! The runner's message to a worker, and the worker's answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Point;
use crate::record::{ClockFacts, Draw, Failure, Note, Randomization};

/// All that a worker needs to measure one point and exit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The point.
    pub point: Point,
    /// Randomized parameters of this process.
    pub randomization: Randomization,
    /// Fresh allocations to make.
    pub draws: u32,
    /// Batches of each series in a draw.
    pub samples: u32,
    /// Target length of a batch, ns.
    pub batch_ns: f64,
    /// Iterations per batch by series name; other series are calibrated by this worker.
    pub iterations: BTreeMap<String, u64>,
    /// The series to measure, where earlier processes showed that others cannot be the best; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_series: Vec<String>,
    /// Is the best of the series the value? Then those that are clearly slower are not measured as often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best_counts: bool,
    /// Clock properties; absent in the worker that measures them.
    pub clock: Option<ClockFacts>,
    /// Working set, bytes, for memory points.
    pub size_bytes: Option<u64>,
    /// Page colors of the second-level cache by its reported geometry, if more than one.
    #[serde(default)]
    pub colors: Option<u32>,
    /// Largest reported cache, bytes, or what is known to exceed the part of it that this run gets; 0 if none is reported.
    #[serde(default)]
    pub llc_bytes: u64,
    /// Cache line size, bytes.
    pub line_bytes: u32,
    /// A directory for files of the work, created and removed by the runner.
    pub scratch: Option<String>,
    /// Which of several concurrent copies this worker is; absent for a single worker, and for the
    /// one that starts the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyOf>,
    /// Test hook: what this worker should do wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

impl Job {
    /// One draw of one batch of 1 ms on `point`, of which nothing else is said.
    pub fn new(point: Point) -> Job {
        Job {
            point,
            randomization: Randomization::default(),
            draws: 1,
            samples: 1,
            batch_ns: 1e6,
            iterations: BTreeMap::new(),
            only_series: Vec::new(),
            best_counts: false,
            clock: None,
            size_bytes: None,
            colors: None,
            llc_bytes: 0,
            line_bytes: 64,
            scratch: None,
            copy: None,
            fault: None,
        }
    }
}

/// One of several workers that measure the same point at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyOf {
    /// Its number, from 0.
    pub index: u32,
    /// How many there are.
    pub of: u32,
    /// Inherited open file with the shared memory of their barrier.
    pub meeting: i32,
}

/// Misbehavior planted by tests of the runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Abort before answering.
    Crash,
    /// Never answer.
    Hang,
}

/// A worker's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The measurement.
    Measured(Measured),
    /// A failure or refusal.
    Failed(Failure),
}

/// What a worker measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Samples.
    pub draws: Vec<Draw>,
    /// Effective clock of the first CPU before and after the batches, GHz.
    pub ghz: Option<[f64; 2]>,
    /// No-op instructions dispatched per cycle by the first CPU, before and after the batches.
    pub slots: Option<[f64; 2]>,
    /// The iteration counts used.
    pub iterations: BTreeMap<String, u64>,
    /// Notes for the reader of the numbers.
    pub notes: Vec<Note>,
}
