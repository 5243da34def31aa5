//! Pinning to one CPU while its caches are examined.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The calling thread stays on one CPU until this is dropped.
#[derive(Debug)]
pub struct Pinned {
    before: CpuSet,
    cpu: usize,
}

impl Pinned {
    /// Pins to the current CPU.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn here() -> io::Result<Pinned> {
        Pinned::to(sched_getcpu())
    }

    /// Pins to the given CPU.
    ///
    /// # Errors
    /// When the kernel refuses, for example because the CPU is not one that this process may use.
    pub fn to(cpu: usize) -> io::Result<Pinned> {
        let before = sched_getaffinity(None)?;
        let mut only = CpuSet::new();
        if cpu >= CpuSet::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        only.set(cpu);
        sched_setaffinity(None, &only)?;
        Ok(Pinned { before, cpu })
    }

    /// The CPU.
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // The previous set was allowed; if it no longer is, the thread stays pinned.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// The CPUs that this thread may use, ascending.
///
/// # Errors
/// When the kernel does not report it.
pub fn allowed() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect())
}
