//! The library and the shared file, kept as long as programs use them.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use whyslow_leftovers::{Kind, OwnFolder, in_use, sweep_all};

/// The library as built.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.so"));

/// The directory of this run, removed at its end.
#[derive(Debug)]
pub(crate) struct Folder(OwnFolder);

impl Folder {
    /// Makes one where programs can be loaded from. Memory comes first, as the shared file's pages
    /// must keep their frames; of others, files on a disk do so while they are in use. What killed runs
    /// left behind goes.
    ///
    /// # Errors
    /// The last place's reason.
    pub(crate) fn new() -> io::Result<Folder> {
        let mut last = io::Error::from(io::ErrorKind::Unsupported);
        if LIBRARY.is_empty() {
            return Err(last);
        }
        sweep_all();
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let places = [Some("/dev/shm".into()), Some(std::env::temp_dir()), runtime];
        for place in places.into_iter().flatten().filter(|p| p.is_absolute()) {
            match Folder::within(&place) {
                Ok(folder) => return Ok(folder),
                Err(why) => {
                    last = io::Error::new(why.kind(), format!("{}: {why}", place.display()));
                }
            }
        }
        Err(last)
    }

    fn within(place: &Path) -> io::Result<Folder> {
        let folder = Folder(OwnFolder::make(place, Kind::Color)?);
        let library = folder.library();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o644);
        io::Write::write_all(&mut options.open(&library)?, LIBRARY)?;
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
    pub(crate) fn library(&self) -> PathBuf {
        self.0.path().join("color.so")
    }

    /// The shared file's path.
    pub(crate) fn shared(&self) -> PathBuf {
        self.0.path().join("shared")
    }

    /// Lets it stay behind, for programs that go on; the next run after these removes it.
    pub(crate) fn keep(self) -> PathBuf {
        self.0.keep()
    }

    /// True if a visible process uses the library, or is about to.
    pub(crate) fn in_use(&self) -> bool {
        in_use(self.0.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_at_the_end_unless_kept() {
        let folder = Folder::new().unwrap();
        let path = folder.0.path().to_owned();
        assert!(folder.library().exists() && !folder.in_use());
        drop(folder);
        assert!(!path.exists());
        let kept = Folder::new().unwrap().keep();
        assert!(kept.exists());
        std::fs::remove_dir_all(kept).unwrap();
    }
}
