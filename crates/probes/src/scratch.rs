//! Files of this process in the run's temporary directory, and their file system.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use whyslow_host::HostRoot;
use whyslow_model::host::Known;

use crate::bench::Bench;
use crate::stop::Stop;

/// A path for a file private to this process; the file is removed when this is dropped.
#[derive(Debug)]
pub struct OwnFile {
    path: PathBuf,
}

impl OwnFile {
    /// A path in the directory of `bench`'s job that ends in `name`.
    ///
    /// # Errors
    /// When the job has no directory.
    pub fn new(bench: &Bench<'_>, name: &str) -> Result<OwnFile, Stop> {
        let folder = bench.job.scratch.as_ref().ok_or_else(|| {
            Stop::Unavailable("no temporary directory could be created; set TMPDIR".into())
        })?;
        // The seed distinguishes the workers of one run, which may share the directory.
        let name = format!("{name}{}", std::process::id());
        Ok(OwnFile {
            path: Path::new(folder).join(name),
        })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds the file name to a system error.
    pub fn failed(&self, error: io::Error) -> Stop {
        Stop::unavailable(&self.path.display().to_string(), error)
    }

    /// Opens it for reading.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(&self) -> Result<File, Stop> {
        File::open(&self.path).map_err(|e| self.failed(e))
    }

    /// The file system of the path, such as `ext4`.
    pub fn file_system(&self) -> Option<String> {
        let folder = self.path.parent()?;
        match HostRoot::live().mount_of(folder) {
            Known::Is(mount) => Some(mount.fs),
            Known::Unknown(_) => None,
        }
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        // It may never have been created, and the directory is removed with the run.
        let _ = fs::remove_file(&self.path);
    }
}
