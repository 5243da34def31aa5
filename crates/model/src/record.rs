//! The record: everything one run measured on one host.
//!
//! On disk it is a sequence of [`Line`]s; [`Record`] is the same content collected.

mod plan;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Point;
use crate::host::Host;
use crate::state::{Neighbours, State};

pub use plan::{Estimator, Plan, Planned, SizedBy, Skipped, ValueRule};

/// Version of the line format; a reader refuses versions above its own.
pub const SCHEMA: u32 = 1;

/// One line of a record file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// First line: the request and the build.
    Header(Header),
    /// Source of figures that whyslow did not measure.
    Origin(Origin),
    /// Host facts.
    Host(Box<Host>),
    /// State of the host, at the start and at the end.
    State(Box<StateAt>),
    /// Clock properties.
    Clock(ClockFacts),
    /// The plan; written when the sizes are known.
    Plan(Plan),
    /// The iteration counts used by all later processes of a point.
    Calibration(Calibration),
    /// One worker process.
    Process(Box<Process>),
    /// A note for the reader of the numbers.
    Note(Note),
    /// CPU usage by other processes during the run.
    Neighbours(Neighbours),
    /// Last line of a closed record.
    Footer(Footer),
}

/// The request, and the build of whyslow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Header {
    /// Line format, see [`SCHEMA`].
    pub schema: u32,
    /// Version of whyslow.
    pub version: String,
    /// How this whyslow was built.
    pub build: Build,
    /// Seed of all random choices in the run.
    pub seed: u64,
    /// `quick`, `standard` or `rigorous`.
    pub intensity: String,
    /// Requested rounds: processes per point.
    pub rounds: u32,
    /// After the rounds, does the rest of the budget go into further processes of the points that need them most?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fill: bool,
    /// Time budget in seconds, if any.
    pub budget_s: Option<f64>,
    /// Globs given with `--only`, empty for everything.
    pub only: String,
    /// Suite given with `--suite`, empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// Numbers of copies given with `--copies`; empty for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<u32>,
    /// Hash of the record given with `--against`, or its start where it has no end: points whose difference from it was
    /// settled were measured no further. Empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub against: String,
    /// Start of the run, RFC 3339 in UTC.
    pub started: String,
}

/// Source of the figures in a record measured by another tool. Facts missing in the source stay
/// unknown: such a record has no host and no state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Origin {
    /// Input format, such as `lmbench`.
    pub format: String,
    /// Name of the input file, without its directory.
    pub file: String,
    /// Name of the machine or system in the source, such as `ds10 Linux 2.4.23`; empty if missing.
    pub system: String,
    /// What was repeated, in the plural, such as `lmbench runs`.
    pub unit_of_repetition: String,
    /// What the source or the person who imports it says of the machine, such as `kernel` or `hypervisor`, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stated: BTreeMap<String, String>,
}

/// How the measuring binary was built; kernels of different builds are not directly comparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Build {
    /// Target architecture.
    pub arch: String,
    /// C library and linkage, such as `gnu dynamic` or `gnu static`.
    pub libc: String,
    /// `release` or `debug`.
    pub profile: String,
    /// `assembly`, or `portable` where this architecture has no measured loops in assembly.
    pub kernels: String,
}

/// The state at one time in the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StateAt {
    /// `start` or `end`.
    pub when: String,
    /// The state.
    pub state: State,
}

/// Cost of the clock and of an empty loop. A batch is at least 1,000 times `resolution_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClockFacts {
    /// Smallest nonzero step between two readings, ns.
    pub resolution_ns: f64,
    /// Time of one reading, ns.
    pub cost_ns: f64,
    /// Time of one iteration of an empty loop, ns.
    pub loop_ns: f64,
    /// Effective core clock by a dependent chain, GHz; used by the guards.
    pub ghz: f64,
}

/// Iteration counts of one point, found once and shared by all its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Calibration {
    /// The point.
    pub point: Point,
    /// Iterations per batch, by series name.
    pub iterations: BTreeMap<String, u64>,
}

/// One worker process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Process {
    /// Round, from 1. Round 0 is of points that are not planned, measured only to find sizes for others.
    pub round: u32,
    /// Position in the round.
    pub order: u32,
    /// What was measured.
    pub point: Point,
    /// Start, in milliseconds since the run began.
    pub at_ms: f64,
    /// Lifetime of the process, in milliseconds.
    pub wall_ms: f64,
    /// Its randomized parameters.
    #[serde(alias = "luck")]
    pub randomization: Randomization,
    /// Effective clock of its first CPU before and after its batches, GHz; different values mean that
    /// the clock changed meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ghz: Option<[f64; 2]>,
    /// No-op instructions dispatched per cycle by its first CPU, before and after its batches: lower than
    /// at other times if the SMT sibling was busy, with a thread of this host or of another guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<[f64; 2]>,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Randomized parameters, drawn anew for each process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Randomization {
    /// Seed of the process's random numbers.
    pub seed: u64,
    /// Bytes added to the environment.
    pub env_bytes: u32,
    /// Stack offset, bytes.
    pub stack_offset: u32,
    /// Offset of the buffers in their first page, bytes.
    pub buffer_offset: u32,
    /// CPUs the work was pinned to, in role order; empty when unpinned.
    pub cpus: Vec<u32>,
}

/// Outcome of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Samples, one entry per draw.
    Draws(Vec<Draw>),
    /// No usable result.
    Failed(Failure),
}

impl Outcome {
    /// The numbers of all its series as they stand there, one after the other: of what another tool printed, the values
    /// themselves. None of a process that failed.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let draws = match self {
            Outcome::Draws(draws) => draws.as_slice(),
            Outcome::Failed(_) => &[],
        };
        let series = draws.iter().flat_map(|draw| &draw.series);
        series.flat_map(|series| series.ns.iter().copied())
    }
}

/// Why a worker had no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Failure {
    /// Kind of failure.
    pub how: FailureKind,
    /// The reason, one line.
    pub why: String,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Not possible on this host: a missing permission, device, tool or kernel feature.
    Unavailable,
    /// A guard found the number impossible: a defect of the probe.
    Refused,
    /// The worker died.
    Crashed,
    /// The worker did not answer in time and was killed.
    Hung,
}

/// One fresh allocation inside a process, with its batches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Draw {
    /// How the memory of this draw maps to the sets of the second-level cache, if the kernel shows frame
    /// numbers. In a guest these are guest frame numbers, which may differ from the host's. With
    /// `pages=colored` and `pages=moved` the colors are those found by timing, regardless of frame
    /// numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Frames>,
    /// The series, one for each interleaved variant of the point.
    pub series: Vec<Series>,
}

/// Frames by color: the sets of a physically indexed cache that a frame maps to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Frames {
    /// Frames of each color, by number modulo the count of colors.
    pub by_color: Vec<u32>,
    /// Pages with an unknown frame.
    pub unknown: u32,
}

/// The batches of one variant within a draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Series {
    /// Name of the variant: a shape, a number of chains; empty for a single variant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Work in one batch: operations, bytes or cycles, as the unit has it.
    pub work: f64,
    /// Elapsed ns of each batch.
    pub ns: Vec<f64>,
    /// Batches with disturbances.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// Core-to-core latency, one-way ns, before and after each batch; for several CPUs the slowest pair
    /// measured. Threads that all work at once measure it themselves and do not sleep between it and the
    /// batch. Present for points that use two or more pinned CPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handover_ns: Vec<[f64; 2]>,
    /// No-op instructions dispatched per cycle by the core, before and after each batch, like [`Process::slots`]
    /// for the whole process; the minimum of several cores. Present for points that use one pinned CPU, or
    /// threads that all work at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<[f64; 2]>,
}

/// Kinds of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// Involuntary context switches.
    Switches,
    /// The thread ended on a different CPU than it started on.
    Migrations,
    /// Page faults.
    Faults,
    /// Run-queue delay, ns.
    RunDelayNs,
    /// Clock ticks stolen from this CPU by the hypervisor.
    StealTicks,
    /// Nanoseconds in which the thread was scheduled but did not run: stolen by the hypervisor, or, if the
    /// kernel accounts for them, spent in interrupts.
    StolenNs,
}

/// One disturbance of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Mark {
    /// Index of the batch in its series.
    pub sample: u32,
    /// Kind of disturbance.
    pub what: MarkKind,
    /// Amount.
    pub count: u64,
}

/// A note for the reader of the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Note {
    /// Subject: a point, a probe, or a part of the run such as `journal`.
    pub about: String,
    /// The text, one line.
    pub text: String,
}

/// Last line of a closed record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Footer {
    /// BLAKE3 of all previous lines including line ends, in hex.
    pub hash: String,
    /// Why the run ended.
    pub end: End,
    /// End of the run, RFC 3339 in UTC.
    pub finished: String,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All rounds were measured.
    Complete,
    /// The time budget was used up first.
    Budget,
    /// The user stopped it.
    Interrupted,
}

/// A whole record, collected from its lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Record {
    /// The request.
    pub header: Header,
    /// Source of the figures, when whyslow did not measure them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Host facts; absent when the run ended before they were read.
    pub host: Option<Box<Host>>,
    /// States at the start and at the end.
    pub states: Vec<StateAt>,
    /// Clock properties.
    pub clock: Option<ClockFacts>,
    /// The plan.
    pub plan: Plan,
    /// Iteration counts.
    pub calibrations: Vec<Calibration>,
    /// All workers, in order of completion.
    pub processes: Vec<Process>,
    /// Notes.
    pub notes: Vec<Note>,
    /// CPU usage by other processes.
    pub neighbours: Option<Neighbours>,
    /// Present when the record was closed.
    pub footer: Option<Footer>,
}

impl Record {
    /// An empty record under `header`.
    pub fn new(header: Header) -> Self {
        Record {
            header,
            origin: None,
            host: None,
            states: Vec::new(),
            clock: None,
            plan: Plan::default(),
            calibrations: Vec::new(),
            processes: Vec::new(),
            notes: Vec::new(),
            neighbours: None,
            footer: None,
        }
    }

    /// Adds a line. A later plan replaces an earlier one; a second header is ignored; the
    /// reader of files refuses it.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Header(_) => {}
            Line::Origin(origin) => self.origin = Some(origin),
            Line::Host(host) => self.host = Some(host),
            Line::State(state) => self.states.push(*state),
            Line::Clock(clock) => self.clock = Some(clock),
            Line::Plan(plan) => self.plan = plan,
            Line::Calibration(calibration) => self.calibrations.push(calibration),
            Line::Process(process) => self.processes.push(*process),
            Line::Note(note) => self.notes.push(note),
            Line::Neighbours(neighbours) => self.neighbours = Some(neighbours),
            Line::Footer(footer) => self.footer = Some(footer),
        }
    }

    /// The processes of `point` that count for its value: measured, and not of the scout.
    pub fn measured<'a>(
        &'a self,
        point: &'a Point,
    ) -> impl Iterator<Item = (&'a Process, &'a [Draw])> {
        self.processes.iter().filter_map(move |p| match &p.outcome {
            Outcome::Draws(draws) if p.round > 0 && &p.point == point => {
                Some((p, draws.as_slice()))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[test]
    fn processes_of_older_records_are_read() {
        let of = |name: &str| {
            format!(
                r#"{{"round":1,"order":2,"point":"os.read","at_ms":3.0,"wall_ms":4.0,
                "{name}":{{"seed":5,"env_bytes":6,"stack_offset":7,"buffer_offset":8,"cpus":[1]}},"draws":[]}}"#
            )
        };
        let [now, before] =
            ["randomization", "luck"].map(|name| serde_json::from_str::<Process>(&of(name)));
        assert_eq!(now.unwrap(), before.unwrap());
    }
}
