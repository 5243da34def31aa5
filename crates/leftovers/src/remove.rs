//! Removing a folder with all that is in it, from its descriptor down: no link is followed, no mount is
//! entered.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, unlinkat};
use rustix::io::{Errno, Result};

use crate::mark;

/// Folders in folders: probes make three levels, and each open one takes a descriptor.
const DEEPEST: usize = 64;

/// Opens a folder in another, and no link to one.
pub(crate) fn folder(place: BorrowedFd<'_>, name: &std::ffi::OsStr) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(place, name, flags, Mode::empty())
}

/// Removes the folder `name` of `place`, which `open` is: its content, its mark, itself.
pub(crate) fn whole(place: BorrowedFd<'_>, name: &std::ffi::OsStr, open: &OwnedFd) -> Result<()> {
    let device = fstat(open)?.st_dev;
    empty(open.as_fd(), device, 0)?;
    match unlinkat(open, mark::FILE, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(why) => return Err(why),
    }
    unlinkat(place, name, AtFlags::REMOVEDIR)
}

/// Removes a folder that this process made.
pub(crate) fn own(path: &Path) -> std::io::Result<()> {
    let (Some(place), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let place = fs::File::open(place)?;
    let open = folder(place.as_fd(), name)?;
    Ok(whole(place.as_fd(), name, &open)?)
}

/// Removes what is in an open folder; the topmost keeps its mark, which goes last.
fn empty(open: BorrowedFd<'_>, device: u64, depth: usize) -> Result<()> {
    let names: Vec<_> = Dir::read_from(open)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_owned()))
        .filter(|name| !matches!(name.to_bytes(), b"." | b".."))
        .filter(|name| depth > 0 || name.to_bytes() != mark::FILE.as_bytes())
        .collect();
    for name in names {
        match unlinkat(open, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            // What the kernel and POSIX say of folders.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(why) => return Err(why),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let inner = openat(open, &name, flags, Mode::empty())?;
        let known = fstat(&inner)?;
        let is_folder = FileType::from_raw_mode(known.st_mode) == FileType::Directory;
        if depth == DEEPEST || known.st_dev != device || !is_folder {
            return Err(Errno::XDEV);
        }
        empty(inner.as_fd(), device, depth + 1)?;
        unlinkat(open, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(())
}
