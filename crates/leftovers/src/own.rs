//! A folder of this process's own.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};

use crate::Kind;
use crate::mark::{self, Mark};
use crate::process::Owner;
use crate::remove;

/// A folder that no other process has, removed with all that is in it when dropped. Its mark is locked
/// until then, so that what a killed process left behind can be told from what is in use.
#[derive(Debug)]
pub struct OwnFolder {
    path: PathBuf,
    kept: bool,
    /// Holds the lock.
    _mark: File,
}

impl OwnFolder {
    /// Makes one in `place`, under a name that cannot be foreseen; never takes one that is there.
    ///
    /// # Errors
    /// When the place takes no folder, or no file in it.
    pub fn make(place: &Path, kind: Kind) -> io::Result<OwnFolder> {
        let name = mark::name(kind);
        let place = fs::canonicalize(place)?;
        let path = place.join(&name);
        DirBuilder::new().mode(kind.mode()).create(&path)?;
        let made = (|| {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let folder = File::from(open(&path, flags, Mode::empty())?);
            // Whatever the user's mask left of it.
            folder.set_permissions(Permissions::from_mode(kind.mode()))?;
            let file = mark::create(folder.as_fd())?;
            let locked = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            let mark = Mark {
                kind,
                name,
                uid: rustix::process::geteuid().as_raw(),
                process: Owner::own(),
                locked,
            };
            mark.write(&file)?;
            Ok(file)
        })();
        match made {
            Ok(file) => Ok(OwnFolder {
                path,
                kept: false,
                _mark: file,
            }),
            Err(why) => {
                // What was made just now holds an empty mark at most.
                let _ = fs::remove_file(path.join(mark::FILE));
                let _ = fs::remove_dir(&path);
                Err(why)
            }
        }
    }

    /// Where it is, absolute and without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets it stay for others that use it: it is removed by a later run, once none does.
    pub fn keep(mut self) -> PathBuf {
        self.kept = true;
        self.path.clone()
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed is left to the next run.
            let _ = remove::own(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_at_the_end_unless_kept() {
        let place = tempfile::tempdir().unwrap();
        for kind in Kind::ALL {
            let folder = OwnFolder::make(place.path(), kind).unwrap();
            let path = folder.path().to_owned();
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, kind.mode());
            fs::create_dir(path.join("some")).unwrap();
            fs::write(path.join("some/file"), "text").unwrap();
            drop(folder);
            assert!(!path.exists());
            let kept = OwnFolder::make(place.path(), kind).unwrap().keep();
            assert!(kept.exists());
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), Kind::ALL.len());
    }

    #[test]
    fn a_place_that_is_none_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        assert!(OwnFolder::make(&place.path().join("none"), Kind::Run).is_err());
    }
}
