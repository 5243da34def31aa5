//! One worker process: started, told its job, listened to, and killed if it hangs.

mod output;

use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use whyslow_model::job::{Answer, Job};
use whyslow_model::record::{Failure, FailureKind};

use crate::errors::SpawnError;
use crate::patience::{Seen, Watch};
use crate::request::WorkerCommand;
use output::Output;

/// Longest that a request to stop goes unseen, in case its signal comes just before the wait.
const GLANCE: Duration = Duration::from_secs(1);

/// A worker's end.
pub(crate) enum WorkerEnd {
    /// It answered.
    Answer(Box<Answer>),
    /// The user stopped the run first.
    Stopped,
    /// Its time was up first: how long it had run and waited.
    OutOfTime(String),
}

/// How long a worker may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// From then on one that neither runs nor waits for a CPU hangs.
    pub(crate) patience: Duration,
    /// It is stopped then, whatever it does.
    pub(crate) until: Option<Instant>,
}

/// Runs a worker over `job` and waits for its answer, within `limits`.
///
/// # Errors
/// When no worker can be started at all.
pub(crate) fn run(
    command: &WorkerCommand,
    job: &Job,
    limits: Limits,
    stop: &AtomicBool,
) -> Result<WorkerEnd, SpawnError> {
    let text = serde_json::to_vec(job).map_err(SpawnError::Job)?;
    let mut child = Command::new(&command.program)
        .args(&command.args)
        // Fills the environment by a length of the process's own randomization.
        .env(
            "WHYSLOW_LUCK",
            "x".repeat(job.randomization.env_bytes as usize),
        )
        // Its own group: Ctrl-C is for the runner alone, and a hung worker goes with its children.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| SpawnError::Start {
            program: command.program.clone(),
            error,
        })?;
    // A worker that died before it read its job is seen below as one that did not answer.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(&text);
    }
    let mut output = Output::of(&mut child);
    let mut watch = Watch::new(child.id(), limits.patience);
    let end = listen(&mut child, &mut output, &mut watch, limits.until, stop);
    if !matches!(end, Heard::All) {
        kill_group(&child);
    }
    let status = child.wait().map_err(SpawnError::Wait)?;
    let (answer, said) = output.into_parts();
    Ok(match end {
        Heard::All => match serde_json::from_slice(&answer) {
            Ok(answer) if status.success() => WorkerEnd::Answer(answer),
            _ => WorkerEnd::failed(FailureKind::Crashed, died(status, &said)),
        },
        Heard::Hung(why) => WorkerEnd::failed(FailureKind::Hung, why),
        Heard::OutOfTime(so_far) => WorkerEnd::OutOfTime(so_far),
        Heard::Stop => WorkerEnd::Stopped,
    })
}

impl WorkerEnd {
    /// No answer, and why.
    fn failed(how: FailureKind, why: String) -> WorkerEnd {
        WorkerEnd::Answer(Box::new(no_answer(how, why)))
    }
}

/// What stands for the answer of a worker that gave none.
pub(crate) fn no_answer(how: FailureKind, why: String) -> Answer {
    Answer::Failed(Failure { how, why })
}

/// What became of listening to a worker.
enum Heard {
    All,
    Hung(String),
    OutOfTime(String),
    Stop,
}

/// Reads the worker's outputs until it has closed that of its answer, and ended or closed the other.
fn listen(
    child: &mut Child,
    output: &mut Output,
    watch: &mut Watch,
    until: Option<Instant>,
    stop: &AtomicBool,
) -> Heard {
    loop {
        if output.ended() {
            return Heard::All;
        }
        // A child of its own may hold stderr open for longer than it lives.
        if output.answered() && !matches!(child.try_wait(), Ok(None)) {
            output.read_rest();
            return Heard::All;
        }
        if stop.load(Ordering::Relaxed) {
            return Heard::Stop;
        }
        let mut wait = watch.rest();
        if wait.is_zero() {
            if let Seen::Hung(why) = watch.look() {
                return Heard::Hung(why);
            }
            wait = watch.rest();
        }
        if let Some(until) = until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Heard::OutOfTime(watch.so_far());
            }
            wait = wait.min(left);
        }
        // An interrupted or empty wait comes back here to look at `stop` and the time.
        output.read(wait.min(GLANCE));
    }
}

/// Waits until a process has closed its output, and kills it where that takes longer than `patience`. What
/// it says must fit into a pipe.
pub(crate) fn wait_at_most(child: &mut Child, patience: Duration) {
    let deadline = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(_)) | Err(_) => return,
            Ok(None) if Instant::now() >= deadline => {
                let _ = child.kill();
                return;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn kill_group(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have gone by itself meanwhile.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// How a worker died, with the last line it said.
fn died(status: ExitStatus, said: &str) -> String {
    let how = match (status.signal(), status.code()) {
        (Some(9), _) => "killed by signal 9 (out of memory, or by hand)".to_owned(),
        (Some(signal), _) => format!("died of signal {signal}"),
        (None, Some(code)) => format!("ended with code {code} and no answer"),
        (None, None) => "ended without an answer".to_owned(),
    };
    match said.lines().rfind(|l| !l.trim().is_empty()) {
        Some(last) => format!("the worker {how}: {}", last.trim()),
        None => format!("the worker {how}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
