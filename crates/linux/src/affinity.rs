//! The CPUs that the calling thread may run on.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Why a thread cannot be restricted to CPUs.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The mask of the system call has no bit for it.
    #[error("CPU {0} is beyond the kernel's affinity mask")]
    Beyond(u32),
    /// The kernel's error, for example because a CPU is offline or not allowed.
    #[error(transparent)]
    Kernel(#[from] io::Error),
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> io::Error {
        match refused {
            Refused::Beyond(_) => io::Error::new(io::ErrorKind::InvalidInput, refused),
            Refused::Kernel(error) => error,
        }
    }
}

/// Restricts the calling thread to `cpus`, until the next call. Allocates nothing.
///
/// # Errors
/// When a CPU is beyond the mask, or the kernel refuses.
pub fn restrict(cpus: &[u32]) -> Result<(), Refused> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(Refused::Beyond(cpu));
        }
        set.set(cpu as usize);
    }
    sched_setaffinity(None, &set).map_err(|e| Refused::Kernel(e.into()))
}

/// The CPUs that the calling thread may run on, ascending.
///
/// # Errors
/// When the kernel does not report it.
pub fn allowed() -> io::Result<Vec<u32>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .map(|cpu| cpu as u32)
        .collect())
}

/// The CPU that the calling thread runs on now.
pub fn current() -> u32 {
    sched_getcpu() as u32
}

/// The calling thread stays on one CPU until this is dropped.
#[derive(Debug)]
pub struct Pinned {
    before: CpuSet,
    cpu: u32,
}

impl Pinned {
    /// Pins to the current CPU.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn here() -> io::Result<Pinned> {
        Pinned::to(current())
    }

    /// Pins to the given CPU.
    ///
    /// # Errors
    /// When the kernel refuses, for example because this thread may not use the CPU.
    pub fn to(cpu: u32) -> io::Result<Pinned> {
        let before = sched_getaffinity(None)?;
        restrict(&[cpu])?;
        Ok(Pinned { before, cpu })
    }

    /// The CPU.
    pub fn cpu(&self) -> u32 {
        self.cpu
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // The previous set was allowed; if it no longer is, the thread stays pinned.
        let _ = sched_setaffinity(None, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_until_dropped() {
        let before = allowed().unwrap();
        let last = *before.last().unwrap();
        let pinned = Pinned::to(last).unwrap();
        assert_eq!(allowed().unwrap(), [last]);
        assert_eq!((current(), pinned.cpu()), (last, last));
        drop(pinned);
        assert_eq!(allowed().unwrap(), before);
    }

    #[test]
    fn no_such_cpu() {
        let beyond = restrict(&[u32::MAX]).unwrap_err();
        assert!(beyond.to_string().contains("beyond"), "{beyond}");
        assert_eq!(io::Error::from(beyond).kind(), io::ErrorKind::InvalidInput);
        // Without any CPU there is nothing to run on.
        assert!(matches!(restrict(&[]), Err(Refused::Kernel(_))));
    }
}
