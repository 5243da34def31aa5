//! The peer: a process that serves this one, on its own CPU.
#![allow(unsafe_code)]

use crate::pin;
use crate::stop::Stop;

/// A forked process. It is killed when this is dropped and when this process ends in any way.
#[derive(Debug)]
pub struct Peer {
    pid: libc::pid_t,
}

impl Peer {
    /// Forks a process that runs `life`, pinned to `cpu` if given. What `life` owns is closed in
    /// this process, so that the end of the peer is detected. Call before starting any thread.
    ///
    /// # Errors
    /// When no process can be created.
    pub fn start<T>(cpu: Option<u32>, life: impl FnOnce() -> T) -> Result<Peer, Stop> {
        let parent = rustix::process::getpid();
        // SAFETY: no other thread exists, so the child may call anything; it ends by _exit.
        match unsafe { libc::fork() } {
            -1 => Err(Stop::unavailable("fork", std::io::Error::last_os_error())),
            0 => live(parent, cpu, life),
            pid => Ok(Peer { pid }),
        }
    }
}

/// Main function of a child. It never returns to the parent's code, not even by a panic.
fn live<T>(parent: rustix::process::Pid, cpu: Option<u32>, life: impl FnOnce() -> T) -> ! {
    let _leave = Leave;
    let killed =
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    // The parent may have exited before the line above.
    let orphan = rustix::process::getppid() != Some(parent);
    if killed.is_ok() && !orphan && cpu.is_none_or(|cpu| pin::to(cpu).is_ok()) {
        life();
    }
    leave()
}

/// Ends the process without running the parent's clean-up.
fn leave() -> ! {
    // SAFETY: _exit is always allowed, and nothing runs after it.
    unsafe { libc::_exit(0) }
}

/// Exits the process when a panic unwinds to it.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        leave()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SAFETY: signals and collects a child of our own that nothing else waits for.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn it_serves_and_ends_with_its_owner() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let peer = Peer::start(None, move || {
            let mut byte = [0];
            while there.read_exact(&mut byte).is_ok() && there.write_all(&[byte[0] + 1]).is_ok() {}
        })
        .unwrap();
        let mut answer = [0];
        here.write_all(&[41]).unwrap();
        here.read_exact(&mut answer).unwrap();
        assert_eq!(answer, [42]);
        drop(peer);
        assert_eq!(here.read(&mut answer).unwrap(), 0);
    }

    #[test]
    fn one_that_panics_is_seen_to_have_ended() {
        let (mut here, there) = UnixStream::pair().unwrap();
        let _peer = Peer::start(None, move || {
            let _there = there;
            // Not `panic!`: its message would look like this test's.
            std::panic::resume_unwind(Box::new("planted"))
        })
        .unwrap();
        assert_eq!(here.read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn a_peer_dies_when_its_parent_is_killed() {
        let (mut here, there) = UnixStream::pair().unwrap();
        // The middle process is killed; its child holds the other end and must exit too.
        let middle = Peer::start(None, move || {
            let _inner = Peer::start(None, move || {
                let mut there = there;
                there.write_all(b"!").unwrap();
                loop {
                    std::thread::park();
                }
            });
            loop {
                std::thread::park();
            }
        })
        .unwrap();
        here.read_exact(&mut [0]).unwrap();
        drop(middle);
        assert_eq!(here.read(&mut [0]).unwrap(), 0);
    }
}
