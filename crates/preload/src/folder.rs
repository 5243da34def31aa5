//! A library and the file that its processes share, kept as long as programs use them.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use whyslow_leftovers::{Kind, OwnFolder, in_use, sweep_all};

/// The directory of this run, removed at its end.
#[derive(Debug)]
pub struct Folder(OwnFolder);

impl Folder {
    /// Makes one with a library, where programs can be loaded from. Memory comes first, as the shared file's pages
    /// must keep their frames; of others, files on a disk do so while they are in use. What killed runs
    /// left behind goes.
    ///
    /// # Errors
    /// The last place's reason.
    pub fn new(kind: Kind, library: &[u8]) -> io::Result<Folder> {
        let mut last = io::Error::from(io::ErrorKind::Unsupported);
        if library.is_empty() {
            return Err(last);
        }
        sweep_all();
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let places = [Some("/dev/shm".into()), Some(std::env::temp_dir()), runtime];
        for place in places.into_iter().flatten().filter(|p| p.is_absolute()) {
            match Folder::within(&place, kind, library) {
                Ok(folder) => return Ok(folder),
                Err(why) => {
                    last = io::Error::new(why.kind(), format!("{}: {why}", place.display()));
                }
            }
        }
        Err(last)
    }

    fn within(place: &Path, kind: Kind, bytes: &[u8]) -> io::Result<Folder> {
        let folder = Folder(OwnFolder::make(place, kind)?);
        let library = folder.library();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o644);
        io::Write::write_all(&mut options.open(&library)?, bytes)?;
        let file = File::open(&library)?;
        // The location may forbid execution. SAFETY: a new mapping of a file, at an address chosen
        // by the kernel.
        unsafe {
            let access = ProtFlags::READ | ProtFlags::EXEC;
            let map = mmap(null_mut(), 1, access, MapFlags::PRIVATE, &file, 0)?;
            munmap(map, 1)?;
        }
        Ok(folder)
    }

    /// The library's path.
    pub fn library(&self) -> PathBuf {
        self.0.path().join("library.so")
    }

    /// Puts the library before the program of `command`. Libraries that the user preloads are kept, after this one.
    pub fn preload_in(&self, command: &mut Command) {
        let mut library = self.library().into_os_string();
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|o| !o.is_empty()) {
            library.push(":");
            library.push(others);
        }
        command.env("LD_PRELOAD", library);
    }

    /// The shared file's path.
    pub fn shared(&self) -> PathBuf {
        self.0.path().join("shared")
    }

    /// Lets it stay behind, for programs that go on; the next run after these removes it.
    pub fn keep(self) -> PathBuf {
        self.0.keep()
    }

    /// True if a visible process uses the library, or is about to.
    pub fn in_use(&self) -> bool {
        in_use(self.0.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_at_the_end_unless_kept() {
        let new = || Folder::new(Kind::Routines, b"no program loads it").unwrap();
        let folder = new();
        let path = folder.0.path().to_owned();
        assert!(folder.library().exists() && !folder.in_use());
        drop(folder);
        assert!(Folder::new(Kind::Routines, b"").is_err());
        assert!(!path.exists());
        let kept = new().keep();
        assert!(kept.exists());
        std::fs::remove_dir_all(kept).unwrap();
    }
}
