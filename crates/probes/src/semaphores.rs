//! A pair of System V semaphores that is removed when this process ends.
#![allow(unsafe_code)]

use std::io;

use rustix::pipe::{PipeFlags, pipe_with};

/// A set of two semaphores, both at zero.
#[derive(Debug)]
pub(crate) struct Semaphores {
    id: SetId,
    /// The end of a pipe that the cleanup process watches; closed when this process ends in any
    /// way.
    _alive: std::os::fd::OwnedFd,
    undertaker: libc::pid_t,
}

/// The id of a set, which other processes may use too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetId(libc::c_int);

impl Semaphores {
    /// A new set. Call before starting any thread.
    pub(crate) fn pair() -> io::Result<Semaphores> {
        let (watched, alive) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: creates a private set.
        let id = unsafe { libc::semget(libc::IPC_PRIVATE, 2, libc::IPC_CREAT | 0o600) };
        if id < 0 {
            return Err(io::Error::last_os_error());
        }
        let id = SetId(id);
        // The kernel keeps a set until it is removed, even if this process is killed. A process in
        // its own session, which is not killed along, waits for this one to end and removes it.
        // SAFETY: no other thread exists, so the child may call anything; it ends by _exit.
        let undertaker = unsafe { libc::fork() };
        if undertaker == 0 {
            drop(alive);
            // SAFETY: always allowed.
            unsafe { libc::setsid() };
            let _ = rustix::io::read(&watched, &mut [0u8; 1]);
            id.remove();
            // SAFETY: ends the process without running the parent's clean-up.
            unsafe { libc::_exit(0) };
        }
        if undertaker < 0 {
            let error = io::Error::last_os_error();
            id.remove();
            return Err(error);
        }
        Ok(Semaphores {
            id,
            _alive: alive,
            undertaker,
        })
    }

    /// The id of the set.
    pub(crate) fn id(&self) -> SetId {
        self.id
    }
}

impl Drop for Semaphores {
    fn drop(&mut self) {
        self.id.remove();
        // SAFETY: signals and collects a child of our own that nothing else waits for.
        unsafe {
            libc::kill(self.undertaker, libc::SIGKILL);
            libc::waitpid(self.undertaker, std::ptr::null_mut(), 0);
        }
    }
}

impl SetId {
    /// Waits for the semaphore `take` and decrements it, then increments `give`.
    pub(crate) fn take_and_give(self, take: u16, give: u16) -> io::Result<()> {
        self.operate(&mut [step(take, -1), step(give, 1)])
    }

    /// Increments the semaphore `give`.
    pub(crate) fn give(self, give: u16) -> io::Result<()> {
        self.operate(&mut [step(give, 1)])
    }

    fn operate(self, steps: &mut [libc::sembuf]) -> io::Result<()> {
        // SAFETY: the count matches the array.
        match unsafe { libc::semop(self.0, steps.as_mut_ptr(), steps.len()) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn remove(self) {
        // SAFETY: removes our set; if it is already gone, the error changes nothing.
        unsafe { libc::semctl(self.0, 0, libc::IPC_RMID) };
    }
}

fn step(which: u16, by: i16) -> libc::sembuf {
    libc::sembuf {
        sem_num: which,
        sem_op: by,
        sem_flg: 0,
    }
}
