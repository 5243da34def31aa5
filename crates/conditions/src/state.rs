//! Where journals lie, and whom that place belongs to: what others could have made is not believed.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, open, openat};
use rustix::process::geteuid;

use crate::error::ConditionError;
use crate::text::plain;

/// A journal has some lines of a hundred bytes.
const LARGEST: u64 = 64 << 10;

/// A folder in which only this user could have made anything.
#[derive(Debug)]
pub(crate) struct StateFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl StateFolder {
    /// Opens the one at `path`; `None` where there is none.
    ///
    /// # Errors
    /// When what is there could be another user's.
    pub(crate) fn open(path: &Path) -> Result<Option<StateFolder>, ConditionError> {
        let refused = |why: &str| {
            let path = plain(&path.display().to_string());
            ConditionError::not_believed(format!("{path}: {why}"))
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match open(path, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
                return Err(refused(
                    "is no folder, or a link to one, and not believed; remove it, or set XDG_STATE_HOME",
                ));
            }
            Err(why) => return Err(ConditionError::at(path, why)),
        };
        let known = fstat(&folder).map_err(|why| ConditionError::at(path, why))?;
        if known.st_uid != geteuid().as_raw() {
            return Err(refused(
                "belongs to another user and is not believed; remove it, or set XDG_STATE_HOME",
            ));
        }
        if known.st_mode & 0o077 != 0 {
            return Err(refused(
                "is open to other users; look at what is in it, then: chmod 700",
            ));
        }
        let path = path.to_owned();
        Ok(Some(StateFolder { path, folder }))
    }

    /// Opens the one at `path`, which is made where there is none.
    ///
    /// # Errors
    /// When it cannot be made, or could be another user's.
    pub(crate) fn make(path: &Path) -> Result<StateFolder, ConditionError> {
        let at = |why: std::io::Error| ConditionError::at(path, why);
        if let Some(above) = path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(above)
                .map_err(at)?;
        }
        match DirBuilder::new().mode(0o700).create(path) {
            Err(why) if why.kind() != std::io::ErrorKind::AlreadyExists => return Err(at(why)),
            _ => {}
        }
        StateFolder::open(path)?.ok_or_else(|| at(std::io::ErrorKind::NotFound.into()))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its descriptor.
    pub(crate) fn descriptor(&self) -> &OwnedFd {
        &self.folder
    }

    /// The names in it that end in `suffix`, sorted.
    pub(crate) fn names(&self, suffix: &str) -> Vec<OsString> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut names: Vec<OsString> = entries
            .map(|entry| entry.file_name())
            .filter(|name| name.to_string_lossy().ends_with(suffix))
            .collect();
        names.sort();
        names
    }

    /// Opens a file of this folder for reading. Follows no link, and waits for no pipe.
    ///
    /// # Errors
    /// When it is not a plain file of this user that nothing else leads to, and of a size that a journal has.
    pub(crate) fn read(&self, name: &std::ffi::OsStr) -> Result<File, ConditionError> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let refused = |why: &str| ConditionError::not_believed(why);
        let file = openat(&self.folder, name, flags, Mode::empty()).map_err(|why| match why {
            rustix::io::Errno::LOOP => refused("a link, which is not followed"),
            // What a socket says.
            rustix::io::Errno::NXIO => refused("not a plain file"),
            why => ConditionError::Unreadable(why.into()),
        })?;
        let known = fstat(&file).map_err(|why| ConditionError::Unreadable(why.into()))?;
        if FileType::from_raw_mode(known.st_mode) != FileType::RegularFile {
            return Err(refused("not a plain file"));
        }
        if known.st_uid != geteuid().as_raw() {
            return Err(refused("of another user"));
        }
        if known.st_mode & 0o022 != 0 {
            return Err(refused("others may write to it"));
        }
        if known.st_nlink != 1 {
            return Err(refused("it has a second name"));
        }
        if u64::try_from(known.st_size).map_or(true, |size| size > LARGEST) {
            return Err(refused("larger than any journal"));
        }
        Ok(file.into())
    }
}

/// What is in an opened file, as text.
pub(crate) fn text(file: &mut File) -> Result<String, ConditionError> {
    let mut text = String::new();
    file.take(LARGEST)
        .read_to_string(&mut text)
        .map_err(ConditionError::Unreadable)?;
    Ok(text)
}

/// Where journals lie: the user's folder for state, where that is the user's own; else one that only
/// this user can make.
///
/// # Errors
/// When there is none: nothing may be changed then.
pub fn state_folder() -> Result<PathBuf, ConditionError> {
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME");
    let home = absolute("HOME").map(|home| home.join(".local/state"));
    // `sudo` may leave both as those of the user who called it.
    if let Some(base) = state.into_iter().chain(home).find(|base| is_ours(base)) {
        return Ok(base.join("whyslow"));
    }
    let uid = geteuid().as_raw();
    if uid == 0 {
        return Ok("/var/lib/whyslow".into());
    }
    let session = absolute("XDG_RUNTIME_DIR");
    let usual = PathBuf::from(format!("/run/user/{uid}"));
    if let Some(base) = session
        .into_iter()
        .chain([usual])
        .find(|base| is_ours(base))
    {
        return Ok(base.join("whyslow"));
    }
    // Anyone can make this one first; then it is not this user's, or a link.
    let public = PathBuf::from(format!("/var/tmp/whyslow-{uid}"));
    StateFolder::open(&public)?;
    Ok(public)
}

/// Does `path`, or what of it exists, belong to this user?
fn is_ours(path: &Path) -> bool {
    let known = path.ancestors().find_map(|above| fs::metadata(above).ok());
    known.is_some_and(|known| known.is_dir() && known.uid() == geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_is_made_for_its_user_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("some/state");
        assert!(StateFolder::open(&path).unwrap().is_none());
        let made = StateFolder::make(&path).unwrap();
        let mode = fs::metadata(made.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(StateFolder::make(&path).is_ok() && StateFolder::open(&path).unwrap().is_some());
    }

    #[test]
    fn a_folder_that_others_could_have_made_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state");
        let refused = |why: &str| {
            for error in [
                StateFolder::open(&path).unwrap_err(),
                StateFolder::make(&path).unwrap_err(),
            ] {
                assert!(error.to_string().contains(why), "{error}");
            }
        };
        fs::write(&path, "").unwrap();
        refused("no folder");
        fs::remove_file(&path).unwrap();
        let other = place.path().join("other");
        fs::create_dir(&other).unwrap();
        symlink(&other, &path).unwrap();
        refused("a link");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        refused("open to other users");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        if geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
            refused("another user");
        }
    }
}
