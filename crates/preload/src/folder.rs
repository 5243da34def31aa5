//! The library and the shared file, for as long as programs use them.
#![allow(unsafe_code)]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// The library as built.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.so"));

/// A folder of this run's, removed at its end.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes one where programs can be loaded from. Memory comes first, as the shared file's pages
    /// must keep their frames; of others, files on a disk do so while they are in use.
    ///
    /// # Errors
    /// The last place's reason.
    pub(crate) fn new(seed: u64) -> io::Result<Folder> {
        let mut last = io::Error::from(io::ErrorKind::Unsupported);
        if LIBRARY.is_empty() {
            return Err(last);
        }
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let places = [Some("/dev/shm".into()), Some(std::env::temp_dir()), runtime];
        for place in places.into_iter().flatten().filter(|p| p.is_absolute()) {
            match Folder::within(&place, seed) {
                Ok(folder) => return Ok(folder),
                Err(why) => {
                    last = io::Error::new(why.kind(), format!("{}: {why}", place.display()));
                }
            }
        }
        Err(last)
    }

    fn within(place: &Path, seed: u64) -> io::Result<Folder> {
        let name = format!("whyslow-color-{}-{seed:016x}", std::process::id());
        let path = place.join(name);
        // Others may look in: a program may change its user and start more.
        DirBuilder::new().mode(0o755).create(&path)?;
        let folder = Folder { path };
        let library = folder.library();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o644);
        io::Write::write_all(&mut options.open(&library)?, LIBRARY)?;
        let file = File::open(&library)?;
        // Places may forbid what this is for.
        // SAFETY: a new mapping of a file, at an address of the kernel's choice.
        unsafe {
            let access = ProtFlags::READ | ProtFlags::EXEC;
            let map = mmap(null_mut(), 1, access, MapFlags::PRIVATE, &file, 0)?;
            munmap(map, 1)?;
        }
        Ok(folder)
    }

    /// The library's path.
    pub(crate) fn library(&self) -> PathBuf {
        self.path.join("color.so")
    }

    /// The shared file's path.
    pub(crate) fn shared(&self) -> PathBuf {
        self.path.join("shared")
    }

    /// Lets it stay behind, for programs that go on.
    pub(crate) fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.path)
    }

    /// Does a process that we may look at still use the library, or is it to?
    pub(crate) fn in_use(&self) -> bool {
        let name = self.library();
        let name = name.to_string_lossy();
        let Ok(processes) = fs::read_dir("/proc") else {
            return false;
        };
        // One that is about to load it has its name in the environment.
        processes.flatten().any(|process| {
            ["maps", "environ"].iter().any(|file| {
                let text = fs::read(process.path().join(file)).unwrap_or_default();
                text.windows(name.len()).any(|part| part == name.as_bytes())
            })
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // What cannot be removed stays behind, which harms nobody.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_at_the_end_unless_kept() {
        let folder = Folder::new(1).unwrap();
        let path = folder.path.clone();
        assert!(folder.library().exists() && !folder.in_use());
        drop(folder);
        assert!(!path.exists());
        let kept = Folder::new(2).unwrap().keep();
        assert!(kept.exists());
        fs::remove_dir_all(kept).unwrap();
    }
}
