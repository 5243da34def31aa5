//! `whyslow __node`: what `fleet run` has a node do. Runs `whyslow run` once or several times, and puts each record into
//! place when it is whole, or sends it.

use std::fs;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use whyslow_fleet::launch::{armor, is_whole, partial};
use whyslow_leftovers::{Kind, OwnFolder, places};

use crate::args::FleetNodeRun;
use crate::program::own_program;
use crate::{exit, output, signals};

/// Longest sleep between two looks at the flag, where no file descriptor tells of an end.
const NAP: Duration = Duration::from_secs(1);

/// A run that was asked to end has this long for its record.
const LEAVE: Duration = Duration::from_secs(10);

/// Why a run has ended.
enum Ended {
    /// By itself, with an exit code; none if a signal ended it.
    Itself(Option<i32>),
    /// It was asked to.
    Asked,
    /// Its time was over.
    Late,
}

/// Measures on this node.
pub(crate) fn node(args: &FleetNodeRun) -> Result<ExitCode> {
    let stop = signals::stop()?;
    if args.into.is_empty() {
        let folder = own_folder()?;
        let record = folder.path().join("record.whyslow");
        for _ in 0..args.send.unwrap_or(1) {
            if let Some(code) = measured(args, &record, &stop)? {
                return Ok(code);
            }
            let bytes = fs::read(&record).with_context(|| record.display().to_string())?;
            output::print(&armor(&bytes))?;
            fs::remove_file(&record)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for record in &args.into {
        let folder = record.parent().unwrap_or(Path::new("."));
        if !folder.is_dir() {
            bail!(
                "{} is not on this node: the folder of records has to be on a file system that all nodes share",
                folder.display()
            );
        }
        if is_whole(record) {
            continue;
        }
        let part = partial(record);
        // Of a job that was killed.
        let _ = fs::remove_file(&part);
        let code = measured(args, &part, &stop);
        let whole = matches!(code, Ok(None));
        let placed = match whole {
            true => fs::rename(&part, record),
            false => fs::remove_file(&part),
        };
        if let Some(code) = code? {
            return Ok(code);
        }
        placed.with_context(|| record.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A folder for a record that is sent: an image may have one place and no other.
fn own_folder() -> Result<OwnFolder> {
    let mut made = places()
        .into_iter()
        .map(|place| OwnFolder::make(&place, Kind::Run));
    let first = made.next();
    let found = first.into_iter().chain(made).find_map(Result::ok);
    found.context("no folder for temporary files can be written to; name one by TMPDIR")
}

/// Measures into `record`. An exit code where there is none, with the reason said.
fn measured(args: &FleetNodeRun, record: &Path, stop: &AtomicBool) -> Result<Option<ExitCode>> {
    let mut child = Command::new(own_program())
        .arg("run")
        .args(&args.run)
        .arg("--output")
        .arg(record)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .context("the run could not be started")?;
    let ended = watch(&mut child, args, stop)?;
    match ended {
        Ended::Itself(Some(0)) if is_whole(record) => Ok(None),
        Ended::Itself(Some(0)) => bail!("{} is no whole record", record.display()),
        // It has said why.
        Ended::Itself(Some(code)) => Ok(Some(ExitCode::from(
            u8::try_from(code).unwrap_or(exit::BAD),
        ))),
        Ended::Itself(None) => bail!("the run was killed"),
        Ended::Asked => Ok(Some(ExitCode::from(exit::INTERRUPTED))),
        Ended::Late => bail!("not measured within {} s", args.limit),
    }
}

/// Waits for the run, asleep: nothing of this may disturb what is measured.
fn watch(child: &mut Child, args: &FleetNodeRun, stop: &AtomicBool) -> Result<Ended> {
    let end = Instant::now() + Duration::from_secs(args.limit);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // An old kernel has none; then it is looked at every second.
    let process: Option<OwnedFd> = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::Itself(status.code()));
        }
        let left = end.saturating_duration_since(Instant::now());
        let closed = doze(process.as_ref(), args.until_eof, left.min(NAP));
        let asked = closed || stop.load(Ordering::Relaxed);
        if asked || left.is_zero() {
            leave(child, pid)?;
            return Ok(if asked { Ended::Asked } else { Ended::Late });
        }
    }
}

/// Sleeps until something happens. Was standard input, if it is `watched`, closed?
fn doze(process: Option<&OwnedFd>, watched: bool, longest: Duration) -> bool {
    let input = std::io::stdin();
    let mut on: Vec<PollFd<'_>> = Vec::new();
    if watched {
        on.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::IN));
    }
    on.extend(process.map(|process| PollFd::new(process, PollFlags::IN)));
    let longest = Timespec::try_from(longest).ok();
    // A signal ends it early, which the flag tells.
    let _ = poll(&mut on, longest.as_ref());
    let told = watched && on.first().is_some_and(|on| !on.revents().is_empty());
    // What is said there is of no interest.
    told && std::io::stdin()
        .read(&mut [0; 4096])
        .is_ok_and(|count| count == 0)
}

/// Ends the run, by force if it does not listen.
fn leave(child: &mut Child, pid: Option<Pid>) -> Result<()> {
    let until = Instant::now() + LEAVE;
    if let Some(pid) = pid {
        // It was not waited for yet, so the number is still its own; one that has just ended needs no signal.
        let _ = kill_process(pid, Signal::TERM);
    }
    while child.try_wait()?.is_none() {
        if Instant::now() > until {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
