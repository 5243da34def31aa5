//! A pair of System V semaphores that does not outlive this process.
#![allow(unsafe_code)]

use std::io;

use rustix::pipe::{PipeFlags, pipe_with};

/// A set of two semaphores, both at zero.
#[derive(Debug)]
pub(crate) struct Semaphores {
    id: SetId,
    /// The end of a pipe that the undertaker watches; closed with us, however we end.
    _alive: std::os::fd::OwnedFd,
    undertaker: libc::pid_t,
}

/// The number of a set, which other processes may use too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetId(libc::c_int);

impl Semaphores {
    /// A new set. Call it before any thread is started.
    pub(crate) fn pair() -> io::Result<Semaphores> {
        let (watched, alive) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: makes a set that only its number leads to.
        let id = unsafe { libc::semget(libc::IPC_PRIVATE, 2, libc::IPC_CREAT | 0o600) };
        if id < 0 {
            return Err(io::Error::last_os_error());
        }
        let id = SetId(id);
        // The kernel keeps a set until somebody removes it, also when we are killed. A process of
        // its own session, so that it is not killed along with us, waits for our end and removes it.
        // SAFETY: no other thread exists, so the child may do anything; it leaves by _exit.
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

    /// Its number.
    pub(crate) fn id(&self) -> SetId {
        self.id
    }
}

impl Drop for Semaphores {
    fn drop(&mut self) {
        self.id.remove();
        // SAFETY: signals and collects a child of our own that nobody else waits for.
        unsafe {
            libc::kill(self.undertaker, libc::SIGKILL);
            libc::waitpid(self.undertaker, std::ptr::null_mut(), 0);
        }
    }
}

impl SetId {
    /// Takes one from the semaphore `take`, waiting for it, and gives one to `give`.
    pub(crate) fn take_and_give(self, take: u16, give: u16) -> io::Result<()> {
        self.operate(&mut [step(take, -1), step(give, 1)])
    }

    /// Gives one to the semaphore `give`.
    pub(crate) fn give(self, give: u16) -> io::Result<()> {
        self.operate(&mut [step(give, 1)])
    }

    fn operate(self, steps: &mut [libc::sembuf]) -> io::Result<()> {
        // SAFETY: as many steps as it is told.
        match unsafe { libc::semop(self.0, steps.as_mut_ptr(), steps.len()) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn remove(self) {
        // SAFETY: removes our set; one that is gone is an error that changes nothing.
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
