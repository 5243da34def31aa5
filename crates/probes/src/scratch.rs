//! Files of this process in the run's temporary folder, and what they lie on.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use whyslow_host::HostRoot;
use whyslow_model::host::Known;

use crate::bench::Bench;
use crate::stop::Stop;

/// A path for a file of this process alone; what is there goes when this is dropped.
#[derive(Debug)]
pub struct OwnFile {
    path: PathBuf,
}

impl OwnFile {
    /// A path in the folder of `bench`'s job that ends in `name`.
    ///
    /// # Errors
    /// When the job has no folder.
    pub fn new(bench: &Bench<'_>, name: &str) -> Result<OwnFile, Stop> {
        let folder = bench.job.scratch.as_ref().ok_or_else(|| {
            Stop::Unavailable("no temporary folder could be made; set TMPDIR".into())
        })?;
        // The number tells apart the workers of one run, which may share the folder.
        let name = format!("{name}{}", std::process::id());
        Ok(OwnFile {
            path: Path::new(folder).join(name),
        })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names the file in what the system said.
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

    /// The file system that it would lie on, such as `ext4`.
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
        // It may never have been made; and the folder goes with the run.
        let _ = fs::remove_file(&self.path);
    }
}
