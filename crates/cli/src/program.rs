//! This program, as one that starts itself again.

use std::path::{Path, PathBuf};

/// This program, to be started again as a worker. The link in /proc stays right when the file is
/// replaced during the run; without /proc the kernel has told us the name we were started by.
pub(crate) fn own_program() -> PathBuf {
    let link = Path::new("/proc/self/exe");
    if link.exists() {
        return link.to_owned();
    }
    let told = rustix::param::linux_execfn().to_string_lossy().into_owned();
    PathBuf::from(told)
}
