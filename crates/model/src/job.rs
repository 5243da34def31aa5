//! What the runner tells a worker, and what the worker answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Point;
use crate::record::{ClockFacts, Draw, Failure, Luck, Note};

/// Everything a worker needs to measure one point and exit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The point.
    pub point: Point,
    /// What was drawn for this process.
    pub luck: Luck,
    /// Fresh allocations to make.
    pub draws: u32,
    /// Batches of each series in a draw.
    pub samples: u32,
    /// Length of a batch to calibrate for, ns.
    pub batch_ns: f64,
    /// Iterations a batch by series name; a series not named is calibrated by this worker.
    pub iterations: BTreeMap<String, u64>,
    /// What the clock can do; absent in the worker that finds it out.
    pub clock: Option<ClockFacts>,
    /// Bytes in the working set, for memory points.
    pub size_bytes: Option<u64>,
    /// Page colors of the second-level cache by its claimed geometry, where it has more than one.
    #[serde(default)]
    pub colors: Option<u32>,
    /// Largest cache claimed, bytes; 0 when none is.
    #[serde(default)]
    pub llc_bytes: u64,
    /// Bytes in a cache line.
    pub line_bytes: u32,
    /// A folder for files the work needs, made and removed by the runner.
    pub scratch: Option<String>,
    /// Which of several copies at once this worker is; absent for one that works alone, and for the
    /// one that is to start the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyOf>,
    /// Test hook: what this worker should do wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// One of several workers that measure the same point at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyOf {
    /// Its number, from 0.
    pub index: u32,
    /// How many there are.
    pub of: u32,
    /// Open file, inherited, whose memory they wait for each other in.
    pub meeting: i32,
}

/// Misbehaviour planted by tests of the runner.
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
    /// It measured.
    Measured(Measured),
    /// It could not, or must not.
    Failed(Failure),
}

/// What a worker measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Samples.
    pub draws: Vec<Draw>,
    /// Effective clock of the first CPU before and after the batches, GHz.
    pub ghz: Option<[f64; 2]>,
    /// Instructions that do nothing which the first CPU handed out a cycle, before and after the batches.
    pub slots: Option<[f64; 2]>,
    /// The iteration counts that were used.
    pub iterations: BTreeMap<String, u64>,
    /// What the reader of the numbers must know.
    pub notes: Vec<Note>,
}
