//! Files that are opened, locked and put into place without a surprise.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FlockOperation, Mode, OFlags, RenameFlags, flock, linkat, openat, renameat_with,
};
use rustix::io::Errno;

use super::StoreError;

/// Names tried where one is taken: `name`, `name-2` and so on.
const MOST_NAMES: u32 = 1_000;

/// Opens a file to read it, or to go on with it where `write` is set.
///
/// # Errors
/// When there is none, or it is something else than a file: a pipe or a device may never end, and would be waited
/// for without a word.
pub fn open_file(path: &Path, write: bool) -> Result<File, StoreError> {
    // A pipe that nothing writes to would block the opening itself.
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .write(write)
        .custom_flags(flags.bits() as i32)
        .open(path)
        .map_err(|source| match source.kind() {
            io::ErrorKind::IsADirectory => not_a_file(path, "a folder"),
            _ => StoreError::io(path)(source),
        })?;
    let kind = file.metadata().map_err(StoreError::io(path))?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let what = if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(not_a_file(path, what))
}

fn not_a_file(path: &Path, what: &str) -> StoreError {
    let what = format!("is {what}, not a file; give the name of a file");
    StoreError::bad(path, what)
}

/// Which file this is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    fn from(metadata: &Metadata) -> Identity {
        Identity(metadata.dev(), metadata.ino())
    }

    pub(super) fn of(file: &File) -> Option<Identity> {
        file.metadata().ok().as_ref().map(Identity::from)
    }

    /// The file of that name now; a link counts as itself.
    pub(super) fn at(path: &Path) -> Option<Identity> {
        fs::symlink_metadata(path).ok().as_ref().map(Identity::from)
    }
}

/// Takes the lock of a record that is being written; it is held as long as the file is open.
///
/// # Errors
/// When another process writes that record. A file system without locks is no error: there is nothing to tell by.
pub(super) fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(StoreError::bad(
            path,
            "is being written by another whyslow; wait until it ends, or name another file",
        )),
        _ => Ok(()),
    }
}

/// `path`, and names beside it for where it is taken: `run.whyslow`, `run-2.whyslow`, ...
pub(super) fn names(path: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    (1..=MOST_NAMES).map(|turn| match turn {
        1 => path.to_owned(),
        turn => {
            let mut name = path.file_stem().unwrap_or_default().to_owned();
            name.push(format!("-{turn}"));
            if let Some(extension) = path.extension() {
                name.push(".");
                name.push(extension);
            }
            path.with_file_name(name)
        }
    })
}

/// Gives the file at `new` the name `path`, which no file has.
///
/// # Errors
/// When one has it, or the file system says no.
pub(super) fn rename_to_free(new: &Path, path: &Path) -> io::Result<()> {
    match renameat_with(CWD, new, CWD, path, RenameFlags::NOREPLACE) {
        // Not every file system knows that flag. A link is never made over a file either.
        Err(Errno::INVAL | Errno::NOSYS) => match fs::hard_link(new, path) {
            Ok(()) => fs::remove_file(new),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(e),
            // Nor does every one know links: what is left is to look first.
            Err(_) if Identity::at(path).is_none() => fs::rename(new, path),
            Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
        },
        renamed => Ok(renamed?),
    }
}

/// A new file in the folder of `path` that has no name, or nothing where the file system knows no such files or there
/// is no `/proc` to name one by later.
pub(super) fn unnamed(path: &Path) -> Option<File> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    // As for any new file: the umask takes away what it says.
    let mode = Mode::from_raw_mode(0o666);
    let file = File::from(openat(CWD, folder, flags, mode).ok()?);
    fs::symlink_metadata(by_descriptor(&file)).ok()?;
    Some(file)
}

/// Gives a file of [`unnamed`] the name `path`, which is not taken yet.
///
/// # Errors
/// When it is, or the file system says no.
pub(super) fn give_name(file: &File, path: &Path) -> io::Result<()> {
    Ok(linkat(
        CWD,
        by_descriptor(file),
        CWD,
        path,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

fn by_descriptor(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_before_the_extension() {
        let all: Vec<PathBuf> = names(Path::new("/a/run.whyslow")).take(3).collect();
        let expected = ["/a/run.whyslow", "/a/run-2.whyslow", "/a/run-3.whyslow"];
        assert_eq!(all, expected.map(PathBuf::from));
        assert_eq!(names(Path::new("r")).nth(1).unwrap(), Path::new("r-2"));
    }

    #[test]
    fn a_file_has_no_name_until_it_is_given_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r");
        let Some(mut file) = unnamed(&path) else {
            // A file system without such files: what is written has a name from the start there.
            return;
        };
        std::io::Write::write_all(&mut file, b"new").unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        give_name(&file, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let other = unnamed(&path).unwrap();
        let error = give_name(&other, &path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_name_that_is_taken_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let [new, taken, free] = ["new", "taken", "free"].map(|n| dir.path().join(n));
        fs::write(&new, "new").unwrap();
        fs::write(&taken, "precious").unwrap();
        let error = rename_to_free(&new, &taken).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&taken).unwrap(), b"precious");
        rename_to_free(&new, &free).unwrap();
        assert!(!new.exists());
        assert_eq!(fs::read(&free).unwrap(), b"new");
    }
}
