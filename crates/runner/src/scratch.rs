//! The folder for files that probes need.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};

/// A folder of our own, removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder in the first place that takes it and lets programs be run from it; failing
    /// that, in the first that takes it at all.
    pub(crate) fn make() -> Result<Scratch, String> {
        let name = format!("whyslow-{}", std::process::id());
        let mut places = vec![std::env::temp_dir()];
        for other in ["/tmp", "/var/tmp", "/dev/shm", "."] {
            if places[0] != Path::new(other) {
                places.push(other.into());
            }
        }
        // A stable sort: places that run programs first, else in the order above.
        places.sort_by_key(|place| !runs_programs(place));
        let mut why = String::new();
        for place in places {
            let folder = place.join(&name);
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Scratch(fs::canonicalize(&folder).unwrap_or(folder))),
                Err(e) if why.is_empty() => why = format!("{}: {e}", folder.display()),
                Err(_) => {}
            }
        }
        Err(why)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

fn runs_programs(place: &Path) -> bool {
    statvfs(place).is_ok_and(|fs| !fs.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort; what cannot be removed is a few KiB in a temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
