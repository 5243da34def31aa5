//! The record: everything one run measured on one host.
//!
//! On disk it is a sequence of [`Line`]s; [`Record`] is the same content collected.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::state::{Neighbours, State};
use crate::{Better, Point, Unit};

/// Version of the line format; a reader refuses versions above its own.
pub const SCHEMA: u32 = 1;

/// One line of a record file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// First line: what was asked for, by which build.
    Header(Header),
    /// Where figures that whyslow did not measure come from.
    Origin(Origin),
    /// What the host is.
    Host(Box<Host>),
    /// What the host was set to, at the start and at the end.
    State(Box<StateAt>),
    /// What the clock can do.
    Clock(ClockFacts),
    /// What will be measured; written when the sizes are known.
    Plan(Plan),
    /// The iteration counts that every later process of a point uses.
    Calibration(Calibration),
    /// One worker process.
    Process(Box<Process>),
    /// Something the reader of the numbers must know.
    Note(Note),
    /// Who else used the CPUs during the run.
    Neighbours(Neighbours),
    /// Last line of a record that was closed.
    Footer(Footer),
}

/// What was asked for, by which build of whyslow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// Line format, see [`SCHEMA`].
    pub schema: u32,
    /// Version of whyslow.
    pub version: String,
    /// How this whyslow was built.
    pub build: Build,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// `quick`, `standard` or `rigorous`.
    pub intensity: String,
    /// Rounds asked for: processes a point.
    pub rounds: u32,
    /// Time budget in seconds, where there is one.
    pub budget_s: Option<f64>,
    /// Globs given with `--only`, empty for everything.
    pub only: String,
    /// Suite given with `--suite`, empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// Numbers of copies given with `--copies`; empty for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<u32>,
    /// Start of the run, RFC 3339 in UTC.
    pub started: String,
}

/// Where the figures of a record come from that another tool measured. Everything that the source
/// does not say stays unknown: such a record has no host and no state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Format that it was read as, such as `lmbench`.
    pub format: String,
    /// Name of the file it was read from, without its folder.
    pub file: String,
    /// What the source calls the machine or system, such as `ds10 Linux 2.4.23`; empty when it does
    /// not say.
    pub system: String,
    /// What was repeated, in the plural, such as `lmbench runs`.
    pub unit_of_repetition: String,
}

/// How the measuring binary was built; kernels of different builds are not comparable unseen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    /// Target architecture.
    pub arch: String,
    /// C library linked and how, such as `gnu dynamic` or `gnu static`.
    pub libc: String,
    /// `release` or `debug`.
    pub profile: String,
    /// `assembly`, or `portable` where this architecture has no measured loops in assembly.
    pub kernels: String,
}

/// The state at a moment of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateAt {
    /// `start` or `end`.
    pub when: String,
    /// The state.
    pub state: State,
}

/// What the clock and an empty loop cost here. A batch is at least 1,000 times `resolution_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockFacts {
    /// Smallest step between two readings that differ, ns.
    pub resolution_ns: f64,
    /// Time one reading takes, ns.
    pub cost_ns: f64,
    /// Time one turn of an empty loop takes, ns.
    pub loop_ns: f64,
    /// Effective clock of the core by a dependent chain, GHz; bounds the guards.
    pub ghz: f64,
}

/// The points of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Points to measure.
    pub points: Vec<Planned>,
    /// What was asked for and cannot be measured here, with the reason.
    pub skipped: Vec<Skipped>,
    /// Rounds planned.
    pub rounds: u32,
}

/// A point with what is needed to read its numbers without the registry that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Planned {
    /// The point.
    pub point: Point,
    /// Unit of its value.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// How the value follows from the series.
    pub value: ValueRule,
    /// Bytes in the working set, for memory points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Marks that belong to this point's work and therefore do not exclude a sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usual_marks: Vec<MarkKind>,
    /// What the source calls it, for figures that whyslow did not measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The source's own unit, such as `MB/s`, where `unit` is a plain number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// How a point's value follows from its series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueRule {
    /// There is one series.
    Single,
    /// The best series by its value over all processes; all are kept.
    Best,
    /// The first series less the second, within each process.
    Less {
        /// The whole.
        from: String,
        /// What is taken off.
        less: String,
    },
    /// Every series stands for itself; the point has no single value.
    Each,
}

/// A thing not measured, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The point, or the probe where no point could be formed.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// Iteration counts of one point, found once and shared by all its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// The point.
    pub point: Point,
    /// Iterations a batch, by series name.
    pub iterations: BTreeMap<String, u64>,
}

/// One worker process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Round, from 1. Round 0 is the scout, which sizes the others and is not part of any value.
    pub round: u32,
    /// Position in the round.
    pub order: u32,
    /// What was measured.
    pub point: Point,
    /// Start, in milliseconds since the run began.
    pub at_ms: f64,
    /// Life of the process, in milliseconds.
    pub wall_ms: f64,
    /// What was drawn for it.
    pub luck: Luck,
    /// Effective clock of its first CPU before and after its batches, GHz; two values that differ say
    /// that the core sped up or was slowed down meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ghz: Option<[f64; 2]>,
    /// Instructions that do nothing which its first CPU handed out a cycle, before and after its batches:
    /// fewer than at other times where another thread of the core, of this host or of another guest, took
    /// its turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<[f64; 2]>,
    /// What came out.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What luck decides, drawn anew for each process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Luck {
    /// Seed of the process's own random numbers.
    pub seed: u64,
    /// Bytes added to the environment.
    pub env_bytes: u32,
    /// Bytes the stack was moved by.
    pub stack_offset: u32,
    /// Bytes the buffers were moved by within their first page.
    pub buffer_offset: u32,
    /// CPUs the work was pinned to, in role order; empty when left to the scheduler.
    pub cpus: Vec<u32>,
}

/// What came out of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Samples, one entry a draw.
    Draws(Vec<Draw>),
    /// Nothing usable.
    Failed(Failure),
}

/// Why a worker brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// What kind.
    pub how: FailureKind,
    /// The reason, one line.
    pub why: String,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// This host cannot do it: a missing permission, device, tool or kernel feature.
    Unavailable,
    /// A guard found the number impossible: an error of the probe.
    Refused,
    /// The worker died.
    Crashed,
    /// The worker did not answer in time and was killed.
    Hung,
}

/// One fresh allocation inside a process, with its batches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draw {
    /// How the memory of this draw lies on the sets of the second-level cache, where the kernel shows
    /// frame numbers. In a guest these are the guest's own, which need not be the host's. With
    /// `pages=colored` and `pages=moved` the colors are those found by timing, whatever the numbers say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Frames>,
    /// The series, one for each variant that the point measures side by side.
    pub series: Vec<Series>,
}

/// Frames by color: the sets of a physically indexed cache that a frame falls into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frames {
    /// Frames of each color, by number modulo the count of colors.
    pub by_color: Vec<u32>,
    /// Pages whose frame could not be told.
    pub unknown: u32,
}

/// The batches of one variant within a draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Name of the variant: a shape, a number of chains; empty when there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Work in one batch: operations, bytes or cycles, as the unit has it.
    pub work: f64,
    /// Elapsed ns of each batch.
    pub ns: Vec<f64>,
    /// Batches that something happened to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// One-way hand-over between the CPUs, ns, before and after each batch; for several CPUs the
    /// slowest pair tried. Threads that all work at once take it themselves and do not sleep between it and
    /// the batch. Present for points that use two or more pinned CPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handover_ns: Vec<[f64; 2]>,
    /// Instructions that do nothing which the core handed out a cycle, before and after each batch, as
    /// [`Process::slots`] has them of the whole process; of several cores, the least. Present for points that use
    /// one pinned CPU, or whose threads all work at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<[f64; 2]>,
}

/// Kinds of marks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// Involuntary context switches.
    Switches,
    /// The thread ended on another CPU than it began on.
    Migrations,
    /// Page faults.
    Faults,
    /// Nanoseconds spent runnable but not running.
    RunDelayNs,
    /// Clock ticks that the hypervisor took from this CPU.
    StealTicks,
    /// Nanoseconds in which the thread neither ran nor waited for its CPU, and did not sleep: the hypervisor ran
    /// something else there, or, where the kernel accounts for them, interrupts did.
    StolenNs,
}

/// One thing that happened during one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// Index of the batch in its series.
    pub sample: u32,
    /// What happened.
    pub what: MarkKind,
    /// How much of it.
    pub count: u64,
}

/// Something the reader of the numbers must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// What it is about: a point, a probe, or a part of the run such as `journal`.
    pub about: String,
    /// The text, one line.
    pub text: String,
}

/// Last line of a closed record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Footer {
    /// BLAKE3 of the bytes of all lines before, line ends included, in hex.
    pub hash: String,
    /// Why the run ended.
    pub end: End,
    /// End of the run, RFC 3339 in UTC.
    pub finished: String,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// What was asked for.
    pub header: Header,
    /// Where the figures come from, when whyslow did not measure them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What the host is; absent when the run ended before it was read.
    pub host: Option<Box<Host>>,
    /// States at the start and at the end.
    pub states: Vec<StateAt>,
    /// What the clock can do.
    pub clock: Option<ClockFacts>,
    /// What was to be measured.
    pub plan: Plan,
    /// Iteration counts.
    pub calibrations: Vec<Calibration>,
    /// All workers, in the order in which they ended.
    pub processes: Vec<Process>,
    /// What to know.
    pub notes: Vec<Note>,
    /// Who else used the CPUs.
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

    /// Adds a line. A later plan replaces an earlier one; a second header is ignored, as a resumed
    /// run goes on under the first.
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
