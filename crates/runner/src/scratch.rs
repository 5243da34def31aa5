//! The folder for files that probes need.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, StatVfsMountFlags, flock, statvfs};

/// How the folders are called, before the number of the process.
const PREFIX: &str = "whyslow-";

/// A folder younger than this may be one whose owner has not locked it yet.
const SETTLED: Duration = Duration::from_secs(60);

/// A folder of our own, removed when dropped. It is locked as long as we live, so that what a killed
/// run left behind can be told from what another run is using.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    /// Holds the lock; absent where the file system has none.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes the folder in the first place that takes it and lets programs be run from it; failing
    /// that, in the first that takes it at all.
    pub(crate) fn make() -> Result<Scratch, String> {
        let name = format!("{PREFIX}{}", std::process::id());
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
            sweep(&place);
            let folder = place.join(&name);
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => {
                    return Ok(Scratch {
                        _lock: lock(&folder),
                        path: fs::canonicalize(&folder).unwrap_or(folder),
                    });
                }
                Err(e) if why.is_empty() => why = format!("{}: {e}", folder.display()),
                Err(_) => {}
            }
        }
        Err(why)
    }

    /// Makes the folder in `place`.
    pub(crate) fn make_in(place: &Path) -> Result<Scratch, String> {
        sweep(place);
        let folder = place.join(format!("{PREFIX}{}", std::process::id()));
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Scratch {
            _lock: lock(&folder),
            path: fs::canonicalize(&folder).unwrap_or(folder),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Locks a folder; `None` if somebody else has, or it cannot be locked.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// Removes what killed runs left behind in `place`: settled folders of that name that nobody has
/// locked. Those of other users stay, as they cannot be removed.
fn sweep(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let ours = name
            .to_str()
            .and_then(|n| n.strip_prefix(PREFIX))
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        let settled = || {
            let age = entry.metadata().ok()?.modified().ok()?.elapsed().ok()?;
            Some(age > SETTLED)
        };
        // A link of that name is not followed: it is no folder of ours.
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours && folder && settled() == Some(true) && lock(&entry.path()).is_some() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn runs_programs(place: &Path) -> bool {
    statvfs(place).is_ok_and(|fs| !fs.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort; what cannot be removed is a few KiB in a temporary folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_only_what_is_old_and_unlocked() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str, old: bool| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            if old {
                let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
                File::open(&folder).unwrap().set_modified(hour_ago).unwrap();
            }
            folder
        };
        let left_behind = make("whyslow-1", true);
        let in_use = make("whyslow-2", true);
        let young = make("whyslow-3", false);
        let other = make("whyslow-notes", true);
        let _lock = lock(&in_use).unwrap();
        sweep(place.path());
        assert!(!left_behind.exists());
        assert!(in_use.exists() && young.exists() && other.exists());
    }
}
