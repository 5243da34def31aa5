//! Finding what dead processes left behind, and removing it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, FlockOperation, flock, fstat, unlinkat};
use rustix::process::geteuid;

use crate::mark::{self, Found};
use crate::{process, remove};

/// A folder without a mark is younger than this while its process, a few system calls later, writes one.
const SETTLED: Duration = Duration::from_secs(2);

/// A folder that a dead process left behind.
struct Leftover {
    name: OsString,
    folder: OwnedFd,
    /// Held with its lock, so that two that sweep at once do not remove it twice.
    mark: Option<File>,
}

/// What became of sweeping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// Folders that are gone.
    pub removed: Vec<PathBuf>,
    /// Folders that could not be removed, and why.
    pub stay: Vec<(PathBuf, String)>,
}

/// Where folders are made, and so may have been left: the temporary folder, the usual ones, the current
/// one, and that of the session. Each once, without links, the best for files first.
pub fn places() -> Vec<PathBuf> {
    let session = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usual = ["/tmp", "/var/tmp", "/dev/shm", "."].map(PathBuf::from);
    let mut found: Vec<PathBuf> = Vec::new();
    for place in [std::env::temp_dir()]
        .into_iter()
        .chain(usual)
        .chain(session)
    {
        if let Ok(place) = fs::canonicalize(place)
            && !found.contains(&place)
        {
            found.push(place);
        }
    }
    found
}

/// What dead processes of this user left behind in `place`; nothing is changed.
pub fn left_behind(place: &Path) -> Vec<PathBuf> {
    let Ok((opened, path)) = open(place) else {
        return Vec::new();
    };
    let found = candidates(&path).into_iter().filter_map(|name| {
        let found = examine(opened.as_fd(), &path, &name)?;
        Some(path.join(found.name))
    });
    found.collect()
}

/// Removes what dead processes of this user left behind in `place`.
pub fn sweep(place: &Path) -> Swept {
    let mut swept = Swept::default();
    let Ok((opened, path)) = open(place) else {
        return swept;
    };
    for name in candidates(&path) {
        let Some(found) = examine(opened.as_fd(), &path, &name) else {
            continue;
        };
        let gone = match &found.mark {
            Some(_) => remove::whole(opened.as_fd(), &name, &found.folder),
            // Killed before it could write its mark: it goes only if there is nothing in it.
            None => {
                let _ = unlinkat(&found.folder, mark::FILE, AtFlags::empty());
                unlinkat(opened.as_fd(), &name, AtFlags::REMOVEDIR)
            }
        };
        match gone {
            Ok(()) => swept.removed.push(path.join(&name)),
            Err(why) => {
                let why = std::io::Error::from(why).to_string();
                swept.stay.push((path.join(&name), why));
            }
        }
    }
    swept
}

/// Removes what was left behind in all [`places`].
pub fn sweep_all() -> Swept {
    let mut all = Swept::default();
    for place in places() {
        let swept = sweep(&place);
        all.removed.extend(swept.removed);
        all.stay.extend(swept.stay);
    }
    all
}

fn open(place: &Path) -> std::io::Result<(File, PathBuf)> {
    let path = fs::canonicalize(place)?;
    Ok((File::open(&path)?, path))
}

/// Names that follow the scheme.
fn candidates(place: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries
        .map(|entry| entry.file_name())
        .filter(|name| mark::named(name).is_some())
        .collect();
    names.sort();
    names
}

/// The folder `name` in `place`, at `path`, if all says that a dead process of this user left it behind.
fn examine(place: BorrowedFd<'_>, path: &Path, name: &OsStr) -> Option<Leftover> {
    let (kind, pid) = mark::named(name)?;
    let folder = remove::folder(place, name).ok()?;
    let known = fstat(&folder).ok()?;
    if known.st_uid != geteuid().as_raw() || known.st_mode & 0o7777 != kind.mode() {
        return None;
    }
    let mark = match mark::find(folder.as_fd()) {
        Found::Mark(mark, file) => {
            let own = OsStr::new(&mark.name) == name && mark.kind == kind;
            if !own || mark.uid != known.st_uid || mark.process.pid != pid {
                return None;
            }
            let free = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            let dead = match mark.process.is_dead() {
                Some(dead) => dead && (free || !mark.locked),
                // Of another container: its lock alone tells.
                None => free && mark.locked,
            };
            if !dead || process::in_use(&path.join(name)) {
                return None;
            }
            Some(file)
        }
        Found::Empty | Found::Nothing if abandoned(&path.join(name), pid) => None,
        Found::Empty | Found::Nothing | Found::Other => return None,
    };
    Some(Leftover {
        name: name.to_owned(),
        folder,
        mark,
    })
}

/// Was a folder without a mark left by a process that died before it could write one? It holds nothing
/// else then.
fn abandoned(path: &Path, pid: u32) -> bool {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let bare = entries
        .map(|e| e.file_name())
        .all(|name| name == mark::FILE);
    let made = fs::symlink_metadata(path).and_then(|known| known.modified());
    let age = made.ok().and_then(|made| made.elapsed().ok());
    process::gone(pid) && bare && age.is_some_and(|age| age > SETTLED)
}

#[cfg(test)]
mod tests;
