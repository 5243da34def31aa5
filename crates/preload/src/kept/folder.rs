//! The user's cache folder, entered without following anything that another user could have put there.

use std::env;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, unlinkat,
};
use rustix::process::{geteuid, getuid};

/// Of the tool's own folder: no other user looks in.
const OWN: Mode = Mode::RWXU;
/// A user who may write a folder may put things there.
const WRITTEN_BY_OTHERS: Mode = Mode::WGRP.union(Mode::WOTH);
const FOR_OTHERS: Mode = Mode::RWXG.union(Mode::RWXO);

/// An open folder of the user's own.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// `whyslow` in the user's cache folder, made where it is missing. None without a home, and where one of the
    /// folders is another user's (as with root's privileges and the home of the one who asked for them), can be
    /// written by others, or is a symbolic link.
    pub fn of_the_user() -> Option<Folder> {
        if geteuid() != getuid() {
            return None;
        }
        let absolute = |name| {
            env::var_os(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
        let home = absolute("HOME");
        Folder::below(home.as_deref()?, absolute("XDG_CACHE_HOME").as_deref())
    }

    fn below(home: &Path, cache: Option<&Path>) -> Option<Folder> {
        // Homes are where the system says, by way of links too; what lies below is the user's to choose.
        let home = Folder::open_at(CWD, home, OFlags::empty())?;
        let cache = match cache {
            Some(path) => {
                let _ = mkdirat(CWD, path, OWN);
                Folder::open_at(CWD, path, OFlags::NOFOLLOW)?
            }
            None => home.inner(".cache")?,
        };
        let own = cache.inner("whyslow")?;
        let mode = Mode::from_raw_mode(fstat(&own.0).ok()?.st_mode);
        (!mode.intersects(FOR_OTHERS)).then_some(own)
    }

    /// A folder of the user's own that others cannot write.
    fn open_at(at: impl std::os::fd::AsFd, path: &Path, flags: OFlags) -> Option<Folder> {
        let flags = flags | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = openat(at, path, flags, Mode::empty()).ok()?;
        let status = fstat(&folder).ok()?;
        let mode = Mode::from_raw_mode(status.st_mode);
        let own = status.st_uid == geteuid().as_raw() && !mode.intersects(WRITTEN_BY_OTHERS);
        own.then_some(Folder(folder))
    }

    fn inner(&self, name: &str) -> Option<Folder> {
        // Most often it is there.
        let _ = mkdirat(&self.0, name, OWN);
        Folder::open_at(&self.0, Path::new(name), OFlags::NOFOLLOW)
    }

    /// A regular file of the user's own, for reading.
    pub fn open(&self, name: &str) -> Option<File> {
        // A pipe would be waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(&self.0, name, flags, Mode::empty()).ok()?;
        let status = fstat(&file).ok()?;
        let own = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
            && status.st_uid == geteuid().as_raw()
            && status.st_nlink == 1
            && !Mode::from_raw_mode(status.st_mode).intersects(FOR_OTHERS);
        own.then(|| File::from(file))
    }

    /// A new file, and its name, which begins with `name`.
    pub fn create(&self, name: &str) -> Option<(File, String)> {
        let name = format!("{name}.{}", std::process::id());
        // Of an earlier process of this number that was killed.
        self.remove(&name);
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, &name, flags, Mode::RUSR | Mode::WUSR).ok()?;
        Some((File::from(file), name))
    }

    /// Gives a file another name, in place of what had it.
    pub fn rename(&self, from: &str, to: &str) -> Option<()> {
        renameat(&self.0, from, &self.0, to).ok()
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) {
        // What cannot be removed stays, and is replaced by the next map.
        let _ = unlinkat(&self.0, name, AtFlags::empty());
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_is_made_and_files_come_and_go() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::below(home.path(), None).unwrap();
        let own = home.path().join(".cache/whyslow");
        assert_eq!(
            fs::metadata(&own).unwrap().permissions().mode() & 0o777,
            0o700
        );
        let (_, name) = folder.create("map").unwrap();
        assert!(folder.open("map").is_none());
        folder.rename(&name, "map").unwrap();
        assert!(folder.open("map").is_some());
        folder.remove("map");
        assert_eq!(fs::read_dir(own).unwrap().count(), 0);
        // The user's own choice of a cache folder.
        let cache = home.path().join("elsewhere");
        assert!(Folder::below(home.path(), Some(&cache)).is_some());
        assert!(cache.join("whyslow").exists());
    }

    #[test]
    fn what_others_could_have_put_there_is_not_entered() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("target");
        fs::create_dir_all(target.join("whyslow")).unwrap();
        mode(&target.join("whyslow"), 0o700);
        for part in [".cache", ".cache/whyslow"] {
            let home = place.path().join(part.replace('/', "-"));
            fs::create_dir_all(home.join(part).parent().unwrap()).unwrap();
            symlink(&target, home.join(part)).unwrap();
            assert!(Folder::below(&home, None).is_none(), "{part}");
        }
        assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
        for (part, bad) in [("", 0o777), (".cache", 0o770), (".cache/whyslow", 0o755)] {
            let home = tempfile::tempdir().unwrap();
            Folder::below(home.path(), None).unwrap();
            mode(&home.path().join(part), bad);
            assert!(Folder::below(home.path(), None).is_none(), "{part}");
        }
        assert!(Folder::below(&place.path().join("none"), None).is_none());
        let (home, link) = (tempfile::tempdir().unwrap(), place.path().join("link"));
        symlink(&target, &link).unwrap();
        assert!(Folder::below(home.path(), Some(&link)).is_none());
    }

    #[test]
    fn files_of_another_kind_or_owner_are_not_read() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::below(home.path(), None).unwrap();
        let own = home.path().join(".cache/whyslow");
        let file = own.join("file");
        fs::write(&file, "x").unwrap();
        mode(&file, 0o600);
        assert!(folder.open("file").is_some());
        symlink(&file, own.join("link")).unwrap();
        assert!(folder.open("link").is_none());
        fs::create_dir(own.join("folder")).unwrap();
        assert!(folder.open("folder").is_none());
        rustix::fs::mknodat(
            CWD,
            own.join("pipe"),
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(folder.open("pipe").is_none());
        mode(&file, 0o644);
        assert!(folder.open("file").is_none());
        mode(&file, 0o600);
        fs::hard_link(&file, own.join("second")).unwrap();
        assert!(folder.open("file").is_none());
        fs::remove_file(own.join("second")).unwrap();
        if geteuid().is_root() {
            chown(&file, Some(65_534), None).unwrap();
            assert!(folder.open("file").is_none());
            // Root with the home of another user.
            chown(home.path(), Some(65_534), None).unwrap();
            assert!(Folder::below(home.path(), None).is_none());
        }
    }
}
