//! Commands as child processes: elapsed time and resource usage, descendants included.
#![allow(unsafe_code)]

use std::io::{self, copy, sink};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open,
    test_kill_process_group, waitid,
};

use crate::clock::Moment;
use crate::shared::SharedCell;

/// Longest delay until a stop request is noticed, in case its signal arrives just before the wait.
const GLANCE: Duration = Duration::from_millis(500);

/// Polling interval where the kernel has no pidfd (before 5.3); real times are then up to this much
/// too long.
const LOOK: Duration = Duration::from_millis(1);

/// Grace period between SIGTERM and SIGKILL: compilers remove their temporary files.
const GRACE: Duration = Duration::from_secs(2);

/// A process in a pipeline may end shortly after the one that was waited for.
const MOMENT: Duration = Duration::from_millis(20);

/// Resource usage of a command and of the descendants it waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// CPU time in user mode, ns.
    pub user_ns: f64,
    /// CPU time in the kernel, ns.
    pub system_ns: f64,
    /// Peak resident set of any one of its processes, bytes.
    pub max_rss_bytes: f64,
    /// Minor page faults.
    pub minor_faults: f64,
    /// Major page faults.
    pub major_faults: f64,
    /// Voluntary context switches.
    pub voluntary: f64,
    /// Involuntary context switches.
    pub involuntary: f64,
}

impl Usage {
    fn of(raw: &libc::rusage) -> Usage {
        let ns = |t: libc::timeval| t.tv_sec as f64 * 1e9 + t.tv_usec as f64 * 1e3;
        Usage {
            user_ns: ns(raw.ru_utime),
            system_ns: ns(raw.ru_stime),
            // Linux reports KiB.
            max_rss_bytes: raw.ru_maxrss as f64 * 1024.0,
            minor_faults: raw.ru_minflt as f64,
            major_faults: raw.ru_majflt as f64,
            voluntary: raw.ru_nvcsw as f64,
            involuntary: raw.ru_nivcsw as f64,
        }
    }

    /// Combined with that of a concurrent command: sums, and the larger peak.
    fn and(self, other: Usage) -> Usage {
        Usage {
            user_ns: self.user_ns + other.user_ns,
            system_ns: self.system_ns + other.system_ns,
            max_rss_bytes: self.max_rss_bytes.max(other.max_rss_bytes),
            minor_faults: self.minor_faults + other.minor_faults,
            major_faults: self.major_faults + other.major_faults,
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }
}

/// Commands that ended on their own.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Exit status; of several, the first failure.
    pub status: ExitStatus,
    /// From just before the first program was executed until the last had ended, ns. The fork before
    /// it is excluded, because its cost depends on the size of this process.
    pub real_ns: f64,
    /// Total usage.
    pub usage: Usage,
    /// True if they left processes behind, which are not counted.
    pub left_behind: bool,
    /// Resident memory inherited by a child before exec, bytes; the reported peak is never below
    /// it. 0 if unknown.
    pub least_rss_bytes: f64,
}

/// How commands ended.
#[derive(Debug)]
pub enum ChildEnd {
    /// They exited.
    Ended(Ended),
    /// Killed on timeout.
    TooLate,
    /// Killed because `stop` was set.
    Stopped,
}

/// Starts `commands` at once, each in a process group of its own, and waits for all of them.
///
/// After `patience`, or when `stop` is set, their groups get SIGTERM, and SIGKILL 2 s later. The
/// commands are killed if the calling thread ends.
///
/// # Errors
/// When one cannot be started; those before it are killed.
pub fn run(
    commands: &mut [Command],
    patience: Option<Duration>,
    stop: &AtomicBool,
) -> io::Result<ChildEnd> {
    let deadline = patience.map(|p| Instant::now() + p);
    let least_rss_bytes = own_memory();
    let mut running = Vec::with_capacity(commands.len());
    let begun = Moment::now();
    let executed = SharedCell::new(AtomicU64::new(0))?;
    for command in commands.iter_mut() {
        match start(command, begun, &executed) {
            Ok(child) => running.push(child),
            Err(error) => {
                end_all(running)?;
                return Err(error);
            }
        }
    }
    for child in &mut running {
        match child.wait(deadline, stop)? {
            Wait::Ended => {}
            Wait::TooLate => return end_all(running).map(|()| ChildEnd::TooLate),
            Wait::Stop => return end_all(running).map(|()| ChildEnd::Stopped),
        }
    }
    // Waited for in turn, so after the last all have ended.
    let real_ns = Moment::now().since(begun) - executed.load(Ordering::Relaxed) as f64;
    let mut status = ExitStatus::from_raw(0);
    let mut usage = Usage::default();
    for child in &running {
        let (how, used) = reap(child.pid)?;
        if status.success() {
            status = how;
        }
        usage = usage.and(used);
    }
    let alive = || {
        running
            .iter()
            .any(|c| test_kill_process_group(c.pid).is_ok())
    };
    let left_behind = alive() && {
        thread::sleep(MOMENT);
        alive()
    };
    Ok(ChildEnd::Ended(Ended {
        status,
        real_ns,
        usage,
        left_behind,
        least_rss_bytes,
    }))
}

/// Private resident memory of this process, which a fork inherits, bytes. File pages are not mapped
/// in the child until touched.
fn own_memory() -> f64 {
    let pages = |text: String| -> Option<f64> {
        let mut fields = text.split(' ').skip(1).map(str::parse::<f64>);
        Some(fields.next()?.ok()? - fields.next()?.ok()?)
    };
    let found = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(pages);
    found.unwrap_or(0.0) * rustix::param::page_size() as f64
}

/// A child that was started and not yet reaped.
struct Running {
    pid: Pid,
    /// Signals its exit; absent before Linux 5.3.
    pidfd: Option<OwnedFd>,
}

enum Wait {
    Ended,
    TooLate,
    Stop,
}

/// Starts `command`. The first stores in `executed` the time just before its exec, in ns from
/// `begun`.
fn start(
    command: &mut Command,
    begun: Moment,
    executed: &SharedCell<AtomicU64>,
) -> io::Result<Running> {
    let executed = ptr::from_ref::<AtomicU64>(executed).expose_provenance();
    let in_the_copy = move || {
        // SAFETY: a system call with integers.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the mapping is shared with the forked child, which has it at the same address
        // until exec; the caller keeps it until then.
        let executed = unsafe { &*ptr::with_exposed_provenance::<AtomicU64>(executed) };
        let now = Moment::now().since(begun) as u64;
        let _ = executed.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        Ok(())
    };
    // A `pre_exec` closure also makes the standard library fork rather than vfork; with vfork the
    // kernel would count the resident set of this process as the command's. SAFETY: the closure
    // makes one system call, reads the clock, and allocates nothing.
    unsafe { command.pre_exec(in_the_copy) };
    let mut child = command.process_group(0).spawn()?;
    if let Some(mut output) = child.stdout.take() {
        // Reaches end of file when the last holder of the other end exits, possibly after our
        // child.
        thread::spawn(move || copy(&mut output, &mut sink()));
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("the child has no process id"))?;
    Ok(Running {
        pid,
        pidfd: pidfd_open(pid, PidfdFlags::empty()).ok(),
    })
}

impl Running {
    /// Waits for its exit without reaping it, so that its group id cannot be reused meanwhile.
    fn wait(&self, deadline: Option<Instant>, stop: &AtomicBool) -> io::Result<Wait> {
        loop {
            if self.has_ended()? {
                return Ok(Wait::Ended);
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(Wait::Stop);
            }
            let left = deadline.map_or(GLANCE, |d| d.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Ok(Wait::TooLate);
            }
            self.pause(left.min(GLANCE));
        }
    }

    /// Until exit, a signal or the timeout.
    fn pause(&self, longest: Duration) {
        let Some(pidfd) = &self.pidfd else {
            return thread::sleep(longest.min(LOOK));
        };
        let longest = Timespec {
            tv_sec: longest.as_secs() as i64,
            tv_nsec: i64::from(longest.subsec_nanos()),
        };
        // The caller checks what ended the wait.
        let _ = poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&longest));
    }

    fn has_ended(&self) -> io::Result<bool> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::Pid(self.pid), look)?.is_some())
    }
}

/// Sends SIGTERM to all, SIGKILL to their groups after the grace period, and reaps them.
fn end_all(running: Vec<Running>) -> io::Result<()> {
    // A group may already be gone.
    for child in &running {
        let _ = kill_process_group(child.pid, Signal::TERM);
    }
    let deadline = Instant::now() + GRACE;
    for child in &running {
        child.wait(Some(deadline), &AtomicBool::new(false))?;
        let _ = kill_process_group(child.pid, Signal::KILL);
        reap(child.pid)?;
    }
    Ok(())
}

/// Waits for `pid` to exit and returns its usage.
fn reap(pid: Pid) -> io::Result<(ExitStatus, Usage)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to local values of the types that the call fills.
        let got = unsafe {
            libc::wait4(
                pid.as_raw_nonzero().get(),
                &raw mut status,
                0,
                usage.as_mut_ptr(),
            )
        };
        if got > 0 {
            // SAFETY: all zeros are a valid rusage, and the kernel filled it.
            let usage = Usage::of(unsafe { usage.assume_init_ref() });
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    fn ended(commands: &mut [Command]) -> Ended {
        match run(commands, None, &AtomicBool::new(false)).unwrap() {
            ChildEnd::Ended(ended) => ended,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn counts_time_memory_and_descendants() {
        let idle = ended(&mut [sh("sleep 0.2")]);
        assert!(idle.status.success() && !idle.left_behind);
        assert!(
            idle.real_ns > 2e8 && idle.usage.voluntary >= 1.0,
            "{idle:?}"
        );
        assert!(idle.usage.user_ns + idle.usage.system_ns < 1e8, "{idle:?}");
        // A grandchild does the work: 40 MB in one line, which tail must keep in memory.
        let busy = ended(&mut [sh(
            "(head -c 40000000 /dev/zero | tail -n 1) | cat >/dev/null",
        )]);
        assert!(busy.usage.max_rss_bytes > 3.9e7, "{busy:?}");
        assert!(busy.usage.minor_faults > 1e3, "{busy:?}");
    }

    #[test]
    fn tells_what_of_ours_a_small_command_is_shown_with() {
        let ours = std::hint::black_box(vec![1u8; 64 << 20]);
        let small = ended(&mut [sh(":")]);
        let (least, peak) = (small.least_rss_bytes, small.usage.max_rss_bytes);
        assert!(least > 6.7e7 && peak > 0.9 * least, "{least} {peak}");
        // Its own peak is a megabyte or two; the rest would be inherited.
        assert!(peak < least + 4e6, "{least} {peak}");
        drop(ours);
    }

    #[test]
    fn several_at_once() {
        let both = ended(&mut [sh("sleep 0.3"), sh("sleep 0.3; exit 3")]);
        assert_eq!(both.status.code(), Some(3));
        assert!(both.real_ns > 3e8 && both.real_ns < 6e8, "{both:?}");
    }

    #[test]
    fn those_that_hang_go_with_their_children() {
        let begun = Instant::now();
        let patience = Some(Duration::from_millis(100));
        let marker = format!("{}.25", 300 + std::process::id() % 1000);
        let mut command = [sh(&format!("sleep {marker}; true"))];
        let end = run(&mut command, patience, &AtomicBool::new(false)).unwrap();
        assert!(matches!(end, ChildEnd::TooLate));
        assert!(begun.elapsed() < Duration::from_secs(60));
        let mut pgrep = Command::new("pgrep");
        if let Ok(found) = pgrep.args(["-f", &format!("^sleep {marker}")]).output() {
            assert!(!found.status.success(), "{found:?}");
        }
    }

    #[test]
    fn what_cannot_be_started_takes_the_others_along() {
        let mut commands = [sh("sleep 100"), Command::new("/nowhere/at/all")];
        let error = run(&mut commands, None, &AtomicBool::new(false)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn says_when_something_is_left_behind() {
        let left = ended(&mut [sh("sleep 0.5 &")]);
        assert!(left.left_behind);
    }

    #[test]
    fn stops_when_told() {
        let end = run(&mut [sh("sleep 100")], None, &AtomicBool::new(true)).unwrap();
        assert!(matches!(end, ChildEnd::Stopped));
    }
}
