//! Engines that are a process here for each node: it lives as long as the job, and its output brings the records.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{Engine, EngineError, Offered, State, Task};
use crate::launch::armor::unarmor;
use crate::launch::task::{is_whole, partial};

/// What is kept of complaints, bytes from the end.
const COMPLAINT: usize = 4 << 10;

/// What was asked to end has this long until it is killed.
const LEAVE: Duration = Duration::from_secs(3);

/// How often it is looked whether it has ended by then.
const LOOK: Duration = Duration::from_millis(20);

/// How a process for a node is started.
pub trait Starts {
    /// The nodes.
    ///
    /// # Errors
    /// When they are not known.
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError>;

    /// The command for a task.
    fn words(&self, task: &Task) -> Vec<String>;

    /// A file that the command reads from its standard input, which then stays open as long as the launch lives.
    fn input(&self) -> Option<&Path> {
        None
    }

    /// The command as it would be typed.
    fn shown(&self, task: &Task) -> String {
        let words = self.words(task);
        let quoted = words.iter().map(|word| whyslow_model::shell::quote(word));
        quoted.collect::<Vec<_>>().join(" ")
    }
}

/// An engine of processes.
pub struct Children<S> {
    starts: S,
    running: BTreeMap<String, Running>,
    /// Nodes whose records had arrived before.
    arrived: Vec<String>,
    /// Canceled processes that have yet to end.
    leaving: Vec<(Running, Instant)>,
}

/// A process, with what it writes.
struct Running {
    child: Child,
    task: Task,
    /// What it has sent, beside the first record.
    out: PathBuf,
    complaint: JoinHandle<String>,
    /// Keeps its standard input open.
    _input: Option<JoinHandle<Option<ChildStdin>>>,
}

impl<S> Children<S> {
    /// None so far.
    pub fn new(starts: S) -> Children<S> {
        Children {
            starts,
            running: BTreeMap::new(),
            arrived: Vec::new(),
            leaving: Vec::new(),
        }
    }

    /// Removes those that have ended, and kills those that should have.
    fn part(&mut self) {
        self.leaving.retain_mut(|(running, since)| {
            if running.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                // A part of a record is of no use.
                let _ = fs::remove_file(&running.out);
                return false;
            }
            if since.elapsed() > LEAVE {
                signal(&running.child, Signal::KILL);
            }
            true
        });
    }
}

/// Sends `what` to the process and to all that it started: it has a group of its own.
fn signal(child: &Child, what: Signal) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // It was not waited for yet, so the number is still its own; and one that has just ended needs no signal.
        let _ = kill_process_group(group, what);
    }
}

impl Running {
    fn start(words: &[String], task: &Task, input: Option<&Path>) -> io::Result<Running> {
        let (Some((program, rest)), Some(first)) = (words.split_first(), task.records.first())
        else {
            return Err(io::Error::other("there is no command"));
        };
        if let Some(folder) = first.parent() {
            fs::create_dir_all(folder)?;
        }
        let out = sent(first);
        let file = File::create(&out)?;
        let input = input.map(File::open).transpose()?;
        let mut child = Command::new(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(file)
            .stderr(Stdio::piped())
            // Ctrl-C is for the launch, which ends its processes itself.
            .process_group(0)
            .spawn()
            .map_err(|why| io::Error::new(why.kind(), format!("{program}: {why}")))?;
        let (mut stdin, stderr) = (child.stdin.take(), child.stderr.take());
        let input = thread::spawn(move || {
            if let (Some(mut input), Some(stdin)) = (input, &mut stdin) {
                // A process that does not read it says why.
                let _ = io::copy(&mut input, stdin);
            }
            stdin
        });
        Ok(Running {
            complaint: thread::spawn(move || stderr.map(end_of).unwrap_or_default()),
            child,
            task: task.clone(),
            out,
            _input: Some(input),
        })
    }

    /// Puts what it sent into place.
    fn settle(self, status: ExitStatus) -> Result<(), String> {
        let arrived = arrive(&self.task);
        let complaint = self.complaint.join().unwrap_or_default();
        let arrived = arrived.map_err(|why| why.to_string())?;
        let all = arrived >= self.task.records.len();
        match (status.success() || all, complaint.is_empty()) {
            (true, _) => Ok(()),
            (false, false) => Err(complaint),
            (false, true) => Err(status.to_string()),
        }
    }
}

/// Where it is kept what a node sends.
fn sent(record: &Path) -> PathBuf {
    partial(record).with_extension("sent")
}

/// Puts what a node has sent into place, and says how many records that were. Where they find no room, they stay as they
/// were sent, for the next launch.
fn arrive(task: &Task) -> io::Result<usize> {
    let Some(out) = task.records.first().map(|first| sent(first)) else {
        return Ok(0);
    };
    let text = fs::read(&out)?;
    let records = unarmor(&String::from_utf8_lossy(&text));
    for (record, place) in records.iter().zip(&task.records) {
        install(record, place)
            .map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", place.display())))?;
    }
    fs::remove_file(&out)?;
    Ok(records.len())
}

/// Writes a record whole or not at all.
pub(super) fn install(record: &[u8], place: &Path) -> io::Result<()> {
    let part = partial(place);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    let written = fs::write(&part, record).and_then(|()| match is_whole(&part) {
        true => fs::rename(&part, place),
        false => Err(io::Error::other("the record that arrived is damaged")),
    });
    if written.is_err() {
        // Half of it is of no use.
        let _ = fs::remove_file(&part);
    }
    written
}

/// The last line of what `from` says until it ends.
fn end_of(mut from: impl Read) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                kept.extend_from_slice(&piece[..count]);
                let more = kept.len().saturating_sub(COMPLAINT);
                kept.drain(..more);
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    last_line(&String::from_utf8_lossy(&kept))
}

/// The last line of `text` that is not empty, without the name that ours begin with.
pub(super) fn last_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let last = lines.rfind(|line| !line.is_empty()).unwrap_or_default();
    last.strip_prefix("whyslow: ").unwrap_or(last).to_owned()
}

impl<S: Starts> Engine for Children<S> {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        self.starts.nodes()
    }

    fn submit(&mut self, task: &Task) -> Result<(), EngineError> {
        // Of a launch before, which found no room for them or was killed.
        if arrive(task).is_ok_and(|count| count >= task.records.len()) {
            self.arrived.push(task.node.clone());
            return Ok(());
        }
        let words = self.starts.words(task);
        let running = Running::start(&words, task, self.starts.input());
        let running = running.map_err(|why| EngineError::Refused(why.to_string()))?;
        self.running.insert(task.node.clone(), running);
        Ok(())
    }

    fn look(&mut self) -> Result<Vec<(String, State)>, EngineError> {
        self.part();
        let arrived = std::mem::take(&mut self.arrived).into_iter();
        let mut states: Vec<(String, State)> =
            arrived.map(|node| (node, State::Ended(Ok(())))).collect();
        let mut ended = Vec::new();
        for (node, running) in &mut self.running {
            match running.child.try_wait() {
                Ok(None) => states.push((node.clone(), State::Running)),
                Ok(Some(status)) => ended.push((node.clone(), Ok(status))),
                Err(why) => ended.push((node.clone(), Err(why.to_string()))),
            }
        }
        for (node, status) in ended {
            let running = self.running.remove(&node);
            let settled = match (running, status) {
                (Some(running), Ok(status)) => running.settle(status),
                (_, Err(why)) => Err(why),
                (None, Ok(_)) => Ok(()),
            };
            states.push((node, State::Ended(settled)));
        }
        Ok(states)
    }

    fn cancel(&mut self, node: &str) -> Result<(), EngineError> {
        if let Some(running) = self.running.remove(node) {
            signal(&running.child, Signal::TERM);
            self.leaving.push((running, Instant::now()));
        }
        Ok(())
    }

    fn shown(&self, task: &Task) -> String {
        self.starts.shown(task)
    }
}

impl<S> Drop for Children<S> {
    fn drop(&mut self) {
        let running = std::mem::take(&mut self.running).into_values();
        for running in running {
            signal(&running.child, Signal::TERM);
            self.leaving.push((running, Instant::now()));
        }
        while !self.leaving.is_empty() {
            self.part();
            thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell for each node.
    struct Shells(&'static str);

    impl Starts for Shells {
        fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
            Ok(Vec::new())
        }

        fn words(&self, _: &Task) -> Vec<String> {
            ["sh", "-c", self.0].map(str::to_owned).to_vec()
        }
    }

    fn ended(script: &'static str, folder: &Path) -> State {
        let mut children = Children::new(Shells(script));
        let task = Task {
            node: "n".to_owned(),
            records: vec![folder.join("n/a.whyslow")],
        };
        children.submit(&task).unwrap();
        loop {
            let states = children.look().unwrap();
            match states.into_iter().next() {
                Some((_, State::Running)) => thread::sleep(LOOK),
                other => return other.unwrap().1,
            }
        }
    }

    #[test]
    fn a_process_that_fails_is_told_by_its_last_words() {
        let folder = tempfile::tempdir().unwrap();
        let said = |script| match ended(script, folder.path()) {
            State::Ended(Err(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(said("echo first >&2; echo last >&2; exit 3"), "last");
        assert_eq!(said("exit 3"), "exit status: 3");
        assert_eq!(said("kill -9 $$"), "signal: 9 (SIGKILL)");
        let damaged = said(
            "printf -- '-----BEGIN WHYSLOW RECORD-----\nAAAA\n-----END WHYSLOW RECORD-----\n'",
        );
        assert!(damaged.contains("damaged"), "{damaged}");
        // Nothing but the folder of the node is left, and in it no record.
        let left: Vec<_> = fs::read_dir(folder.path().join("n")).unwrap().collect();
        assert!(left.iter().flatten().all(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().ends_with(".sent")
        }));
    }

    #[test]
    fn what_does_not_end_when_asked_is_killed_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("pid");
        let script = "trap '' TERM; sh -c 'echo $$ > PLACE; trap \"\" TERM; while :; do sleep 60; done'; exit 1";
        let script = script.replace("PLACE", &place.display().to_string());
        let mut children = Children::new(Shells(script.leak()));
        let task = Task {
            node: "n".to_owned(),
            records: vec![folder.path().join("n/a.whyslow")],
        };
        children.submit(&task).unwrap();
        let pid = loop {
            let said = fs::read_to_string(&place).unwrap_or_default();
            if let Ok(pid) = said.trim().parse::<i32>() {
                break pid;
            }
            thread::sleep(LOOK);
        };
        children.cancel("n").unwrap();
        drop(children);
        // Gone, or dead and not waited for yet by the process that it came to.
        let state = fs::read_to_string(format!("/proc/{pid}/stat"));
        assert!(state.is_err() || state.is_ok_and(|text| text.contains(") Z ")));
    }
}
