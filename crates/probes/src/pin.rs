//! Pinning the calling thread.

use whyslow_linux::affinity::{Refused, restrict};

use crate::stop::Stop;

/// Pins the calling thread to `cpu`.
///
/// # Errors
/// When the CPU is not allowed or is offline.
pub(crate) fn to(cpu: u32) -> Result<(), Stop> {
    restrict(&[cpu]).map_err(|refused| match refused {
        Refused::Kernel(e) => Stop::unavailable(&format!("pinning to CPU {cpu}"), e),
        beyond => Stop::Unavailable(beyond.to_string()),
    })
}
