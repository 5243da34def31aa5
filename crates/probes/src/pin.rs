//! Pinning the calling thread.

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::stop::Stop;

/// Pins the calling thread to `cpu`.
///
/// # Errors
/// When the CPU is not allowed or is offline.
pub(crate) fn to(cpu: u32) -> Result<(), Stop> {
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(Stop::Unavailable(format!(
            "CPU {cpu} is beyond the kernel's affinity mask"
        )));
    }
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    sched_setaffinity(None, &set)
        .map_err(|e| Stop::unavailable(&format!("pinning to CPU {cpu}"), e))
}
