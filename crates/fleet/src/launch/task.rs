//! What one node is to do, and how it is asked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use whyslow_model::record::End;
use whyslow_model::store;

/// Longest that a job may take beyond the runs in it: reading the host, writing records, starting.
const BESIDES: Duration = Duration::from_secs(60);

/// The hidden command that runs on a node.
const COMMAND: &str = "__node";

/// The records that one node is to measure, in one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The node.
    pub node: String,
    /// Where its records belong, absolute.
    pub records: Vec<PathBuf>,
}

impl Task {
    /// Where a job that failed leaves what it said.
    pub fn log(&self) -> Option<PathBuf> {
        Some(self.records.first()?.with_extension("log"))
    }
}

/// What is the same for all nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The name of the launch, the same whenever it is gone on with.
    pub name: String,
    /// The program, as nodes find it.
    pub program: PathBuf,
    /// Arguments of `whyslow run`.
    pub run: Vec<String>,
    /// Longest time of one record.
    pub limit: Duration,
}

impl Setup {
    /// The name of a launch of the plan `id` into the folder at `path`: others may have begun in the same second.
    pub fn name(id: &str, path: &[u8]) -> String {
        let hash = blake3::hash(path).to_hex();
        format!("whyslow-{id}-{}", &hash[..8])
    }

    /// Longest time of a task.
    pub fn longest(&self, task: &Task) -> Duration {
        self.limit * task.records.len() as u32 + BESIDES
    }

    /// The command of a node that writes its records where they belong.
    pub fn writes(&self, task: &Task) -> Vec<String> {
        let into = task
            .records
            .iter()
            .flat_map(|path| ["--into".to_owned(), path.display().to_string()]);
        self.command(into.collect())
    }

    /// The command of a node that sends its records over its standard output, and ends early where its standard input
    /// does and `until_eof` is set.
    pub fn sends(&self, task: &Task, until_eof: bool) -> Vec<String> {
        let mut how = vec!["--send".to_owned(), task.records.len().to_string()];
        how.extend(until_eof.then(|| "--until-eof".to_owned()));
        self.command(how)
    }

    fn command(&self, how: Vec<String>) -> Vec<String> {
        let limit = self.limit.as_secs().to_string();
        let mut words = vec![self.program.display().to_string(), COMMAND.to_owned()];
        words.extend(["--limit".to_owned(), limit]);
        words.extend(how);
        words.push("--".to_owned());
        words.extend(self.run.iter().cloned());
        words
    }
}

/// Is there a record at `path` that was closed after all that was asked of it? Reading it checks its hash.
pub fn is_whole(path: &Path) -> bool {
    // Looked at first, so that the many that are not there yet cost little.
    path.is_file()
        && store::read(path).is_ok_and(|record| {
            let footer = record.footer.as_ref();
            footer.is_some_and(|footer| footer.end != End::Interrupted)
        })
}

/// Where a record is until it is whole: beside its place, under a name that no report looks at.
pub fn partial(record: &Path) -> PathBuf {
    let name = record.file_name().unwrap_or_default().to_string_lossy();
    record.with_file_name(format!(".{name}.part"))
}

/// A node as the engine has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// It can begin at once.
    Idle,
    /// It is at work for others.
    Busy,
    /// It takes no job, with the reason.
    Unusable(String),
}

/// What became of a task that was submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It has not begun, with the engine's reason where there is one.
    Waiting(Option<String>),
    /// It runs.
    Running,
    /// It has ended; with an error where it said one.
    Ended(Result<(), String>),
}

/// A node without its records, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The node.
    pub node: String,
    /// Why, in one line.
    pub why: String,
}
