//! What is asked of a run, and what it gives back.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use whyslow_model::glob::Globs;
use whyslow_model::record::Build;
use whyslow_model::store::StoreError;
use whyslow_model::{Point, Record};
use whyslow_probes::Intensity;

use crate::errors::{LookError, ScratchError, SpawnError};
use crate::load::error::LoadError;

/// Everything a run needs to be told.
#[derive(Debug, Clone)]
pub struct Request {
    /// How hard to try.
    pub intensity: Intensity,
    /// Processes a point, in place of the intensity's own number.
    pub rounds: Option<u32>,
    /// A share: the run ends after the round in which half of the points with a value are known within it.
    pub until: Option<f64>,
    /// Time for all of the run, from reading the host to closing the record; the last round may then be
    /// incomplete.
    pub budget: Option<Duration>,
    /// Does the budget hold for the first round too? One that the user gave does; the usual ones leave a
    /// slow machine more time for that round, within limits.
    pub firm: bool,
    /// Which points.
    pub only: Globs,
    /// The globs as given.
    pub only_text: String,
    /// The suite whose points are measured, in place of the default set.
    pub suite: Option<String>,
    /// Numbers of copies that points on one CPU are also measured with; empty for one copy alone.
    pub copies: Vec<u32>,
    /// The record that it is measured against: its points alone are measured, each until its difference is settled.
    pub against: Option<Arc<dyn Baseline>>,
    /// Seed of everything random.
    pub seed: u64,
    /// Where the record goes.
    pub target: Target,
    /// Version of whyslow.
    pub version: String,
    /// How this whyslow was built.
    pub build: Build,
    /// How to start a worker.
    pub worker: WorkerCommand,
    /// A worker that has not answered for this long, beyond what its work should take, hangs.
    pub patience: Duration,
    /// Set when the user wants the run to end.
    pub stop: Arc<AtomicBool>,
}

/// The record that a run is measured against. The runner knows when to look, and what it looks with is given to it:
/// comparing is none of its business.
pub trait Baseline: Debug + Send + Sync {
    /// What it is called in the header of the new record.
    fn name(&self) -> String;

    /// Most processes of `point`; `None` where the record lacks it.
    fn most(&self, point: &Point) -> Option<u32>;

    /// Of the points `asked`, those whose difference is not settled by `record` so far.
    fn open(&self, record: &Record, asked: &BTreeSet<Point>) -> BTreeSet<Point>;
}

/// Where a record goes.
#[derive(Debug, Clone)]
pub enum Target {
    /// To this file, which must not exist; nowhere else.
    File(PathBuf),
    /// To the first of these that can be made.
    FirstOf(Vec<PathBuf>),
    /// Onto this unfinished record.
    Resume(PathBuf),
}

/// The command that starts a worker: program, arguments and additions to the environment.
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// The program, which is this one.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Misbehaviour for some points, planted by tests.
    pub faults: Vec<(String, whyslow_model::job::Fault)>,
}

/// What a run brought.
#[derive(Debug)]
pub struct Finished {
    /// All that was measured.
    pub record: Record,
    /// Where it is, or why it could not be kept.
    pub kept: Result<PathBuf, StoreError>,
}

/// Why a run could not begin. Once it has begun it always brings a [`Finished`].
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The record cannot be made or resumed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing to measure.
    #[error("{0}")]
    Nothing(String),
    /// The record to resume does not fit this host.
    #[error("{path}: {why}")]
    Resume {
        /// The record.
        path: PathBuf,
        /// What does not fit, and what to do.
        why: String,
    },
    /// No worker can be started.
    #[error(transparent)]
    Worker(#[from] SpawnError),
    /// Files of an experiment have no place.
    #[error("no temporary folder: {0}")]
    Scratch(ScratchError),
    /// Conditions of an experiment cannot be.
    #[error(transparent)]
    Look(#[from] LookError),
    /// A command cannot be measured.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The user stopped it before there was anything.
    #[error("stopped")]
    Stopped,
}
