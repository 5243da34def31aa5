//! Directories for new files that are not slowed down by recently deleted files.
//!
//! ext4 without a journal does not reuse an inode for minutes after its file was deleted (from the
//! next whole second on). Each file creation scans all such inodes of the block group: 160 ns per
//! deleted file, regardless of which process deleted it. Files lie in the block group of their
//! directory, and subdirectories of one with the "top of a hierarchy" flag are spread over the
//! groups. Of several such directories, the one with the fastest trial files is used. On other file
//! systems they are all alike, and the choice changes nothing.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use whyslow_host::HostRoot;
use whyslow_model::host::Known;
use whyslow_model::job::Job;
use whyslow_model::state::Mount;

use crate::clock::Moment;
use crate::stop::Stop;

/// Candidate directories. Each point leaves one block group slow for minutes; one of six is good
/// unless nearly the whole file system is in that state.
const CANDIDATES: usize = 6;

/// Trial files in each. Kept until the run ends, because deleting them would slow the directory
/// down.
const TRIALS: usize = 4;

/// Files in one directory, as in lmbench, which keeps name lookup short.
const A_FOLDER: usize = 100;

/// A directory to create files in.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    /// Subdirectories so far.
    folders: usize,
}

impl Place {
    /// A directory with no recent deletions in its block group, if there is one; `name` distinguishes
    /// those of one process.
    ///
    /// # Errors
    /// When the job has no temporary directory, or nothing can be created in it.
    pub(crate) fn fresh(job: &Job, name: &str) -> Result<Place, Stop> {
        let scratch = job.scratch.as_ref().ok_or_else(|| {
            Stop::Unavailable("no temporary directory could be created; set TMPDIR".into())
        })?;
        // The seed keeps the workers of one run apart and varies the directories from run to run.
        let top = Path::new(scratch).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&top).map_err(|e| failed(&top, &e))?;
        spread(&top);
        let mut best: Option<(f64, Place)> = None;
        for k in 0..CANDIDATES {
            let folder = top.join(format!("{k}-{}", job.randomization.seed));
            let mut place = Place { folder, folders: 0 };
            let names = place.names(TRIALS)?;
            let start = Moment::now();
            for name in &names {
                make(name, &[])?;
            }
            let ns = Moment::now().since(start);
            if best.as_ref().is_none_or(|(least, _)| ns < *least) {
                best = Some((ns, place));
            }
        }
        best.map(|(_, place)| place)
            .ok_or_else(|| Stop::Unavailable("no directory to choose from".into()))
    }

    /// Paths of `n` files that do not exist yet, in subdirectories created for them.
    ///
    /// # Errors
    /// When a directory cannot be created.
    pub(crate) fn names(&mut self, n: usize) -> Result<Vec<CString>, Stop> {
        let mut names = Vec::with_capacity(n);
        while names.len() < n {
            let folder = self.folder.join(self.folders.to_string());
            self.folders += 1;
            fs::create_dir_all(&folder).map_err(|e| failed(&folder, &e))?;
            for k in 0..A_FOLDER.min(n - names.len()) {
                let path = folder.join(k.to_string());
                let name = CString::new(path.as_os_str().as_bytes());
                names.push(name.map_err(|e| failed(&folder, &e))?);
            }
        }
        Ok(names)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Best effort: leftovers are removed with the run's directory.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Stop {
    Stop::unavailable(&path.display().to_string(), error)
}

/// Spreads the subdirectories of `top` over the block groups, where the file system supports it.
fn spread(top: &Path) {
    // Other file systems refuse and need no spreading.
    if let Ok(folder) = File::open(top)
        && let Ok(flags) = ioctl_getflags(&folder)
    {
        let _ = ioctl_setflags(&folder, flags | IFlags::TOPDIR);
    }
}

/// Creates the file `name` with `content`, and closes it.
pub(crate) fn make(name: &CString, content: &[u8]) -> Result<(), Stop> {
    const FLAGS: libc::c_int = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC | libc::O_CLOEXEC;
    let refused = || {
        let error = io::Error::last_os_error();
        Stop::unavailable(&format!("creating {}", name.to_string_lossy()), error)
    };
    // SAFETY: a path that ends in zero.
    let file = unsafe { libc::open(name.as_ptr(), FLAGS, 0o600) };
    if file < 0 {
        return Err(refused());
    }
    let written = if content.is_empty() {
        0
    } else {
        // SAFETY: our file, and a valid buffer of that length.
        unsafe { libc::write(file, content.as_ptr().cast(), content.len()) }
    };
    // A full disk may write less, or report the error only here. SAFETY: our file, closed once.
    let closed = unsafe { libc::close(file) };
    if written != content.len() as isize || closed != 0 {
        return Err(refused());
    }
    Ok(())
}

/// Deletes the file `name`.
pub(crate) fn delete(name: &CString) -> Result<(), Stop> {
    // SAFETY: a path that ends in zero.
    match unsafe { libc::unlink(name.as_ptr()) } {
        0 => Ok(()),
        _ => Err(Stop::unavailable(
            "deleting a file",
            io::Error::last_os_error(),
        )),
    }
}

/// The file system of the run's temporary directory, as text.
pub(crate) fn lies_on(job: &Job) -> Option<String> {
    let folder = Path::new(job.scratch.as_ref()?);
    let host = HostRoot::live();
    let Known::Is(mount) = host.mount_of(folder) else {
        return None;
    };
    let journal = if avoids_deleted_inodes(&mount) {
        " without a journal"
    } else {
        ""
    };
    Some(format!("{}{journal}", mount.fs))
}

/// True for ext4 without a journal, which does not reuse the inodes of recently deleted files.
fn avoids_deleted_inodes(mount: &Mount) -> bool {
    let Some(device) = mount.source.strip_prefix("/dev/") else {
        return false;
    };
    let task = fs::read_to_string(format!("/sys/fs/ext4/{device}/journal_task"));
    mount.fs == "ext4" && task.is_ok_and(|task| task.trim() == "<none>")
}
