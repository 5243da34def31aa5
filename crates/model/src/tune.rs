//! What tuning found: thresholds of the C library's copies, and what they gain.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::Estimated;
use crate::host::Known;

/// Version of this document's schema.
pub const SCHEMA: u32 = 1;

/// How a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CopyPath {
    /// A loop of vector loads and stores.
    Vector,
    /// The string instruction REP MOVSB.
    RepMovsb,
    /// Non-temporal stores.
    NonTemporal,
}

/// One size of block at one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CopyCell {
    /// Bytes that a call copies.
    pub block_bytes: u64,
    /// From the source's to the destination's place within pages of 4096, bytes.
    pub distance: u64,
}

/// What a cell takes with the library as it is, and by each path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CopyRates {
    /// The cell.
    #[serde(flatten)]
    pub cell: CopyCell,
    /// As it is, GB/s (10^9 bytes read plus written).
    pub now: f64,
    /// By each path, GB/s.
    pub by_path: BTreeMap<CopyPath, f64>,
}

/// What the settings did to a cell, in blocks of default and candidate there and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CopyGain {
    /// The cell.
    #[serde(flatten)]
    pub cell: CopyCell,
    /// As it is, GB/s.
    pub before: f64,
    /// With the settings, GB/s.
    pub after: f64,
    /// How many times as fast it is with the settings, 95 % interval over blocks.
    pub times: Estimated,
    /// The same interval for all cells together: with 95 % confidence all of them lie within theirs (Bonferroni). The
    /// verdict is by these, as of many cells some are slower by chance.
    pub together: [f64; 2],
    /// Whether such a block goes by another path with the settings; where it stays what differs is noise.
    #[serde(default = "is_moved")]
    pub moved: bool,
}

/// Of files from before it was told.
fn is_moved() -> bool {
    true
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TuneVerdict {
    /// The settings gain, and nothing loses by them.
    Set,
    /// Nothing is to be gained.
    Nothing,
    /// The settings gain at some sizes and lose at others.
    Mixed,
    /// The library did not take the settings.
    NotTaken,
    /// The intervals are too wide to tell.
    Open,
}

/// Thresholds of the C library's copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LibcTuning {
    /// Version of the schema.
    pub schema: u32,
    /// The library, by its loader.
    pub library: Known<String>,
    /// Thresholds that it uses by itself.
    pub used: Known<BTreeMap<String, u64>>,
    /// Every cell with the library as it is and by each path.
    pub rates: Vec<CopyRates>,
    /// The settings that the paths speak for; empty where the library's own are as good.
    pub settings: Vec<String>,
    /// Thresholds that it uses with the settings.
    pub taken: Option<Known<BTreeMap<String, u64>>>,
    /// Every cell before and after; empty where there are no settings.
    pub gains: Vec<CopyGain>,
    /// What is to be done.
    pub verdict: TuneVerdict,
    /// What the user's own command copies, or why that was not counted; none where no command was given.
    pub copies: Option<Known<ProgramCopies>>,
    /// What the curves say of these copies.
    pub forecast: Option<CopyForecast>,
    /// What the settings did to the user's own command.
    pub command: Option<CommandGain>,
    /// What could not be measured, and why.
    pub notes: Vec<String>,
}

/// What a program copies and fills by calls of memcpy, memmove and memset, counted in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProgramCopies {
    /// Programs that were counted: it and those that it started. What they fork counts with them.
    pub programs: u64,
    /// Programs that there was no room to count.
    pub beyond: u64,
    /// Time of a run without counting, s.
    pub run_s: f64,
    /// The calls by class, most bytes first.
    pub classes: Vec<CopyClass>,
}

/// Calls of one size, distance and caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CopyClass {
    /// The file whose code called: the program or a library. The ten with the most bytes; the rest are together.
    pub caller: String,
    /// The distance of copies; none of fills.
    pub distance: Option<DistanceClass>,
    /// The least bytes of a call.
    pub least_bytes: u64,
    /// The least bytes of a call of the next class.
    pub next_bytes: u64,
    /// Calls.
    pub calls: u64,
    /// Bytes of all calls.
    pub bytes: u64,
}

/// From the source's to the destination's place within pages of 4096, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum DistanceClass {
    /// Alike.
    #[serde(rename = "0")]
    Alike,
    /// What string instructions of some CPUs are slow at.
    #[serde(rename = "1-31")]
    Short,
    /// Within a line.
    #[serde(rename = "32-63")]
    Line,
    /// All others.
    #[serde(rename = "64-4095")]
    Far,
}

impl DistanceClass {
    /// All of them, by distance.
    pub const ALL: [DistanceClass; 4] = [
        DistanceClass::Alike,
        DistanceClass::Short,
        DistanceClass::Line,
        DistanceClass::Far,
    ];
}

/// What the curves say of a program's copies: their time by the rates of the nearest block and distance. Fills are not
/// in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CopyForecast {
    /// Time in copies as it is, s.
    pub now_s: f64,
    /// With the settings, s; none where there are none to try.
    pub with_s: Option<f64>,
    /// The part of the run's time that the settings save at most; below 0 where they cost.
    pub less: Option<f64>,
}

/// What settings did to a command, in interleaved runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CommandGain {
    /// The command.
    pub command: String,
    /// Runs of each kind.
    pub runs: u32,
    /// Time of a run as it is, s.
    pub before_s: f64,
    /// Time of a run with the settings, s.
    pub after_s: f64,
    /// Time with the settings over time without, 95 % interval.
    pub ratio: Estimated,
}

/// Settings tried on a command, each against the command as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SettingsTuning {
    /// Version of the schema.
    pub schema: u32,
    /// The command.
    pub command: String,
    /// The time that all of it was to take at most, s.
    pub budget_s: f64,
    /// Time of a run as it is, s: the geometric mean over rounds; of the first run where no round is whole.
    pub run_s: f64,
    /// Rounds in which each was to run once; two are a block, there and back.
    pub rounds: u32,
    /// How many settings the intervals are corrected for (Bonferroni): together they cover 95 %.
    pub corrected_for: u32,
    /// False where the user or a failure ended it early.
    pub complete: bool,
    /// Settings that were tried, the largest gain first.
    pub tried: Vec<TriedSetting>,
    /// Settings that were not.
    pub untried: Vec<UntriedSetting>,
    /// What was odd.
    pub notes: Vec<String>,
}

/// A setting that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TriedSetting {
    /// Its name.
    pub name: String,
    /// What it does.
    pub what: String,
    /// Conditions under which the command was started.
    pub conditions: Vec<String>,
    /// Rounds with and without it.
    pub rounds: u32,
    /// Time with it over time without, with its corrected interval.
    pub ratio: Estimated,
    /// What that says.
    pub verdict: SettingVerdict,
    /// The line that makes it permanent; only where it gains.
    pub lasting: Option<String>,
}

/// What trying a setting says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SettingVerdict {
    /// Less time: the interval is below 1.
    Gains,
    /// Less time, but by too little to be worth a setting.
    Slight,
    /// No difference shown: the interval includes 1.
    NotShown,
    /// More time: the interval is above 1.
    Loses,
}

/// A setting that was not tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UntriedSetting {
    /// Its name.
    pub name: String,
    /// Why not.
    pub why: String,
}
