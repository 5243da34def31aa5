//! Forwards signals from the launcher to the program.
#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::ptr::null_mut;
use std::time::Duration;

/// The forwarded signals: those sent by users and service managers. Signals from the terminal go to
/// the whole process group, including the program.
const PASSED: [libc::c_int; 6] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// While it lives, these signals are held for `Held::next`, in this thread and those it starts.
pub struct Held {
    set: libc::sigset_t,
    before: libc::sigset_t,
}

impl Held {
    /// Holds them.
    ///
    /// # Errors
    /// The system's reason.
    pub fn new() -> io::Result<Held> {
        let mut set = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: the first call initializes a set, the second adds to it; all signals exist.
        let set = unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in PASSED {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            // Ends the wait when the program exits.
            libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
            set.assume_init()
        };
        // SAFETY: an initialized set, and space for another.
        let error = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, before.as_mut_ptr()) };
        if error != 0 {
            return Err(io::Error::from_raw_os_error(error));
        }
        // SAFETY: written by the call, which succeeded.
        let before = unsafe { before.assume_init() };
        Ok(Held { set, before })
    }

    /// Starts `command` with the original signal mask, because a new process inherits blocked
    /// signals.
    pub fn release_in(&self, command: &mut Command) {
        let before = self.before;
        let release = move || {
            // SAFETY: a set returned by the system; the call takes no lock.
            match unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut()) } {
                0 => Ok(()),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        };
        // SAFETY: `release` makes one system call with its argument, and allocates nothing.
        unsafe { command.pre_exec(release) };
    }

    /// Waits for the end of a program, and passes on to it the signals that come until then.
    ///
    /// # Errors
    /// The system's reason.
    pub fn wait_for(&self, child: &mut Child) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            // The end of the program is also a signal.
            if let Some(signal) = self.next(Duration::from_secs(1)) {
                send(child.id(), signal);
            }
        }
    }

    /// A signal that came within `time`, unless the terminal sent it to the program, too.
    fn next(&self, time: Duration) -> Option<libc::c_int> {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        let time = libc::timespec {
            tv_sec: time.as_secs() as _,
            tv_nsec: time.subsec_nanos().into(),
        };
        // SAFETY: an initialized set, space for the result, and a time.
        let signal = unsafe { libc::sigtimedwait(&self.set, info.as_mut_ptr(), &time) };
        // SAFETY: zeros are a valid value, and the call may have written another.
        let info = unsafe { info.assume_init() };
        // Codes above zero are the kernel's. A closed terminal tells the leader of its session alone.
        (signal > 0 && (info.si_code <= 0 || signal == libc::SIGHUP)).then_some(signal)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the previous mask.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, null_mut()) };
    }
}

/// Sends `signal` to a child that has not been reaped.
fn send(pid: u32, signal: libc::c_int) {
    // SAFETY: plain numbers; the child's pid is not reused until it is reaped.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}

/// Ends this process by the signal that ended the program, so that its parent sees the same status.
/// Returns only if the signal does not end a process.
pub fn end_by(signal: i32) {
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: plain numbers. The program's own core file, if there is one, must not be overwritten by
    // one of this process.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
