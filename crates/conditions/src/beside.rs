//! Helper processes that run alongside the measured program.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::time::{ClockId, clock_gettime};
use whyslow_linux::affinity::{Refused, restrict};

use crate::error::ConditionError;
use crate::value::number;

/// A neighbor's message once it is running.
const READY: &str = "ready";

/// The hidden command that runs a helper.
const COMMAND: &str = "__beside";

/// Bytes that a memory hog copies, from one half to the other: enough to exceed the 32 MiB shared by a
/// core complex. Four times the largest cache of today's servers would be gigabytes.
const HOG_BYTES: usize = 256 << 20;

/// Starts this executable as a helper, and waits until it is ready.
pub(crate) fn start(own: &Path, args: &[&str]) -> Result<Child, ConditionError> {
    let failed = |e: std::io::Error| ConditionError::call("starting a neighbor", e);
    let mut child = Command::new(own)
        .arg(COMMAND)
        .args(args)
        .arg(std::process::id().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(failed)?;
    let mut said = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output)
            .read_line(&mut said)
            .map_err(failed)?;
    }
    if said.trim() == READY {
        return Ok(child);
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(ConditionError::Exited(
        "a neighbor exited before it was ready",
    ))
}

/// Runs the helper `args` until killed: `spin CPU`, `stream CPU` or `sleep CPU`, and the parent's
/// pid.
///
/// # Errors
/// When there is no such helper or CPU, or the parent has exited.
pub fn beside(args: &[String], mut out: impl Write) -> Result<(), ConditionError> {
    // Ends with its parent, even if that is killed.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let [part, cpu, parent] = args else {
        let needs = "a helper, a CPU and the parent's pid are required";
        return Err(ConditionError::bad_value(needs));
    };
    still(number(parent, "a process")?)?;
    only(&[number(cpu, "a CPU")?])?;
    let mut ready = || {
        out.write_all(format!("{READY}\n").as_bytes())
            .and_then(|()| out.flush())
            .map_err(|e| ConditionError::call("standard output", e))
    };
    match part.as_str() {
        "spin" => {
            ready()?;
            loop {
                black_box(0u64);
            }
        }
        "stream" => {
            let mut words = vec![1u64; HOG_BYTES / 8];
            ready()?;
            loop {
                let half = words.len() / 2;
                words.copy_within(..half, half);
                black_box(&mut words);
            }
        }
        "sleep" => {
            ready()?;
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
        other => Err(ConditionError::bad_value(format!(
            "'{other}' is not a helper; helpers are spin, stream and sleep"
        ))),
    }
}

/// Succeeds while `parent` is still the parent of this process, whose parent-death signal is set.
pub(crate) fn still(parent: i32) -> Result<(), ConditionError> {
    if getppid().map(Pid::as_raw_pid) == Some(parent) {
        Ok(())
    } else {
        Err(ConditionError::Exited("the parent process has exited"))
    }
}

/// Restricts the calling thread to `cpus`.
pub(crate) fn only(cpus: &[u32]) -> Result<(), ConditionError> {
    restrict(cpus).map_err(|refused| match refused {
        Refused::Kernel(e) => ConditionError::call(format!("running on CPUs {cpus:?}"), e),
        beyond => ConditionError::bad_value(beyond.to_string()),
    })
}

/// Spins for `span` and returns the share of it spent running on the CPU.
pub fn spin_share(span: Duration) -> f64 {
    let used = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    let (begun, before) = (Instant::now(), used());
    while begun.elapsed() < span {
        black_box(0u64);
    }
    (used() - before) / begun.elapsed().as_secs_f64()
}
