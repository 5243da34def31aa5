//! Places for new files that no recently deleted file slows down.
//!
//! ext4 without a journal does not give an inode out again for minutes after its file was deleted
//! (from the next whole second on), and looks at every such inode of a block group, from the first,
//! at each new file there: 160 ns for each deleted file, whoever deleted it. Files lie in the block
//! group of their folder, and folders below one with the "top of a hierarchy" flag are spread over
//! the groups; so of several such folders the one is taken in which a few trial files are quickest.
//! On other file systems they are all alike, and taking one of them changes nothing.
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

/// Folders to choose from. Each point leaves one block group slow for minutes; with six to choose
/// from, one is good unless nearly all of the file system is in that state.
const CANDIDATES: usize = 6;

/// Trial files in each. They stay until the run ends, because deleting them would spoil the folder.
const TRIALS: usize = 4;

/// Files in one folder, as lmbench has it: the search for a name stays short.
const A_FOLDER: usize = 100;

/// A folder to make files in.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    /// Sub-folders so far.
    folders: usize,
}

impl Place {
    /// One with nothing deleted nearby, as far as there is one; `name` tells apart those of one process.
    ///
    /// # Errors
    /// When the job has no folder for files, or it takes none.
    pub(crate) fn fresh(job: &Job, name: &str) -> Result<Place, Stop> {
        let scratch = job.scratch.as_ref().ok_or_else(|| {
            Stop::Unavailable("no temporary folder could be made; set TMPDIR".into())
        })?;
        // The number tells apart the workers of one run, and moves the places from run to run.
        let top = Path::new(scratch).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&top).map_err(|e| failed(&top, &e))?;
        spread(&top);
        let mut best: Option<(f64, Place)> = None;
        for k in 0..CANDIDATES {
            let folder = top.join(format!("{k}-{}", job.luck.seed));
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
            .ok_or_else(|| Stop::Unavailable("no folder to choose from".into()))
    }

    /// Paths of `n` files that are not there yet, in sub-folders made for them.
    ///
    /// # Errors
    /// When a folder cannot be made.
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
        // Best effort: what stays goes with the run's folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Stop {
    Stop::unavailable(&path.display().to_string(), error)
}

/// Has folders below `top` spread over the block groups, where the file system knows that.
fn spread(top: &Path) {
    // Others say no, and need no spreading.
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
        // SAFETY: our file, and as many bytes as there are.
        unsafe { libc::write(file, content.as_ptr().cast(), content.len()) }
    };
    // A full disk may write less, or say so only here.
    // SAFETY: our file, closed once.
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

/// What the run's temporary folder lies on, in words.
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

/// Is it an ext4 that has no journal, and so does not give out the inodes of deleted files again?
fn avoids_deleted_inodes(mount: &Mount) -> bool {
    let Some(device) = mount.source.strip_prefix("/dev/") else {
        return false;
    };
    let task = fs::read_to_string(format!("/sys/fs/ext4/{device}/journal_task"));
    mount.fs == "ext4" && task.is_ok_and(|task| task.trim() == "<none>")
}
