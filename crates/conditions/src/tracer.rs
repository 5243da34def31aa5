//! Stops a program and its descendants at every system call.
#![allow(unsafe_code)]

use std::io;
use std::ptr::null_mut;

use libc::{c_int, c_void, pid_t};

use crate::error::ConditionError;

/// All descendants are traced too, and are killed if the tracer exits.
const OPTIONS: c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_EXITKILL;

fn ptrace(request: i64, pid: pid_t, data: c_int) -> io::Result<()> {
    let data = std::ptr::without_provenance_mut::<c_void>(data as usize);
    // SAFETY: none of the requests used here writes to memory of this process: their data are plain
    // numbers, their address is ignored.
    match unsafe { libc::ptrace(request as _, pid, null_mut::<c_void>(), data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Waits for any child, or for `pid`. Returns its pid and status.
fn wait(pid: pid_t, options: c_int) -> io::Result<(pid_t, c_int)> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is ours and lives through the call.
        match unsafe { libc::waitpid(pid, &raw mut status, options) } {
            -1 => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            child => return Ok((child, status)),
        }
    }
}

/// Traces the child `pid`, which stops itself, and all its descendants, until it exits. Returns its
/// status.
pub(crate) fn until_the_end(pid: u32) -> Result<i32, ConditionError> {
    let main = pid as pid_t;
    let failed = |e: io::Error| ConditionError::call("tracing", e);
    wait(main, libc::WUNTRACED).map_err(failed)?;
    ptrace(i64::from(libc::PTRACE_SEIZE), main, OPTIONS).map_err(failed)?;
    // SAFETY: plain numbers; `main` is our child and not yet reaped.
    unsafe { libc::kill(main, libc::SIGCONT) };
    loop {
        let (child, status) = wait(-1, libc::__WALL).map_err(failed)?;
        if !libc::WIFSTOPPED(status) {
            if child == main {
                return Ok(status);
            }
            continue;
        }
        // One that was killed meanwhile is reported as exited at the next wait.
        let _ = go_on(child, status);
    }
}

/// Resumes a stopped child until its next system call.
fn go_on(child: pid_t, status: c_int) -> io::Result<()> {
    let event = status >> 16;
    let signal = libc::WSTOPSIG(status);
    let stops = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
    if event == libc::PTRACE_EVENT_STOP && stops.contains(&signal) {
        // Stopped by a signal, as without a tracer: it waits to be continued.
        return ptrace(i64::from(libc::PTRACE_LISTEN), child, 0);
    }
    // A system call or ptrace event is not a signal to deliver.
    let own = event != 0 || signal == libc::SIGTRAP | 0x80;
    let signal = if own { 0 } else { signal };
    ptrace(i64::from(libc::PTRACE_SYSCALL), child, signal)
}
