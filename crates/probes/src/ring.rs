//! Processes in a ring, joined by pipes, that pass a token on.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::io::{read, write};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::pin;
use crate::probe::Stop;

/// A ring of processes: this one and its children. The children end when the ring is dropped.
#[derive(Debug)]
pub struct Ring {
    /// What this process writes the token to, and where it comes back.
    out: OwnedFd,
    back: OwnedFd,
    children: Vec<libc::pid_t>,
}

/// One end each.
type Pipe = (OwnedFd, OwnedFd);

fn pipe() -> Result<Pipe, Stop> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|e| Stop::unavailable("a pipe", e))
}

impl Ring {
    /// A ring of `processes`, this one included, the k-th pinned to `cpus[k % len]`, or to none
    /// where there are none. Call it before any thread is started.
    ///
    /// # Errors
    /// When a process or a pipe cannot be had.
    pub fn of(processes: usize, cpus: &[u32]) -> Result<Ring, Stop> {
        let (first, out) = pipe()?;
        let mut ring = Ring {
            out,
            back: first,
            children: Vec::new(),
        };
        for k in 1..processes {
            let (next, pass_on) = pipe()?;
            // SAFETY: no other thread exists, so the child may do anything; it passes tokens and
            // leaves by _exit.
            match unsafe { libc::fork() } {
                -1 => return Err(Stop::unavailable("fork", std::io::Error::last_os_error())),
                0 => child(
                    &ring,
                    &next,
                    &pass_on,
                    cpus.get(k % cpus.len().max(1)).copied(),
                ),
                pid => ring.children.push(pid),
            }
            ring.back = next;
        }
        Ok(ring)
    }

    /// Sends the token round `laps` times.
    ///
    /// # Errors
    /// When a process of the ring has gone.
    pub fn laps(&self, laps: u64) -> Result<(), Stop> {
        for _ in 0..laps {
            pass(&self.out, &self.back)?;
        }
        Ok(())
    }

    /// Processes in the ring.
    pub fn len(&self) -> usize {
        self.children.len() + 1
    }

    /// A ring is never empty.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// The same work without anybody to switch to: this process takes the token from a pipe that it
/// wrote it to itself.
#[derive(Debug)]
pub struct Alone(Pipe);

impl Alone {
    /// # Errors
    /// When a pipe cannot be had.
    pub fn new() -> Result<Alone, Stop> {
        pipe().map(Alone)
    }

    /// Writes and reads `times` times.
    ///
    /// # Errors
    /// When the pipe fails.
    pub fn pass(&self, times: u64) -> Result<(), Stop> {
        for _ in 0..times {
            pass(&self.0.1, &self.0.0)?;
        }
        Ok(())
    }
}

/// Writes the token to `out` and waits until it is in `back`.
fn pass(out: impl AsFd, back: impl AsFd) -> Result<(), Stop> {
    let mut token = [0u8; 1];
    let broken = |e: &dyn std::fmt::Display| Stop::unavailable("the ring broke", e);
    write(out, &token).map_err(|e| broken(&e))?;
    match read(back, &mut token) {
        Ok(1) => Ok(()),
        Ok(_) => Err(broken(&"a process of the ring has ended")),
        Err(e) => Err(broken(&e)),
    }
}

/// A child's life: pass tokens on until there are no more.
fn child(ring: &Ring, next: &OwnedFd, pass_on: &OwnedFd, cpu: Option<u32>) -> ! {
    let from = ring.back.as_fd();
    // The ends that belong to others must not keep their pipes open.
    // SAFETY: closing descriptors that this process uses no more; it leaves by _exit, so no owner
    // closes them again.
    unsafe {
        libc::close(ring.out.as_raw_fd());
        libc::close(next.as_raw_fd());
    }
    let pinned = cpu.map_or(Ok(()), pin::to);
    let mut token = [0u8; 1];
    while pinned.is_ok()
        && matches!(read(from, &mut token), Ok(1))
        && write(pass_on, &token).is_ok()
    {}
    // SAFETY: ends the process without running the parent's clean-up.
    unsafe { libc::_exit(0) }
}

impl Drop for Ring {
    fn drop(&mut self) {
        for &pid in &self.children {
            // SAFETY: signals and collects a child of our own that nobody else waits for.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, std::ptr::null_mut(), 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_comes_round() {
        for n in [2, 3, 8] {
            let ring = Ring::of(n, &[]).unwrap();
            assert_eq!(ring.len(), n);
            ring.laps(100).unwrap();
        }
        Alone::new().unwrap().pass(100).unwrap();
    }

    #[test]
    fn a_broken_ring_is_an_error_and_not_a_hang() {
        let ring = Ring::of(3, &[]).unwrap();
        // SAFETY: kills a child of the ring.
        unsafe { libc::kill(ring.children[0], libc::SIGKILL) };
        assert!((0..100).any(|_| ring.laps(1).is_err()));
    }
}
