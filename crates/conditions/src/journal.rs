//! What was changed beyond the own process, on disk before it is changed, so that a kill leaves nothing
//! that cannot be put back.
//!
//! A journal is a file of its process, locked as long as that lives; one that nobody has locked was left
//! behind. Its lines are changes, tab-separated, each on disk before the change is made. Undoing goes
//! from the last to the first, and what cannot be undone stays in the file.

use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// How journals are called, after the number of their process.
const SUFFIX: &str = ".changes";

/// Something that was made or set beyond the own process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A control group was made.
    Group(PathBuf),
    /// A file of the kernel was written.
    Setting {
        /// The file.
        path: PathBuf,
        /// What it said.
        before: String,
        /// What was written.
        after: String,
    },
}

/// What became of a change that was left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The change, in words.
    pub what: String,
    /// Was it put back; or why not.
    pub outcome: Result<(), String>,
}

impl Change {
    fn line(&self) -> String {
        match self {
            Change::Group(path) => format!("group\t{}\n", path.display()),
            Change::Setting {
                path,
                before,
                after,
            } => {
                format!("setting\t{}\t{before}\t{after}\n", path.display())
            }
        }
    }

    fn parse(line: &str) -> Option<Change> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["group", path] => Some(Change::Group(path.into())),
            ["setting", path, before, after] => Some(Change::Setting {
                path: path.into(),
                before: before.to_owned(),
                after: after.to_owned(),
            }),
            _ => None,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Change::Group(path) => format!("control group {}", path.display()),
            Change::Setting {
                path,
                before,
                after,
            } => {
                format!("{}: {after} back to {before}", path.display())
            }
        }
    }

    /// Puts it back. What somebody else changed since, or took away, is left as it is.
    pub(crate) fn undo(&self) -> Result<(), String> {
        match self {
            Change::Group(path) => crate::cgroup::remove(path),
            Change::Setting {
                path,
                before,
                after,
            } => crate::setting::put_back(path, before, after),
        }
    }
}

/// The journal of one process.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    changes: usize,
}

impl Journal {
    /// Makes the journal of this process in `folder`.
    ///
    /// # Errors
    /// When no file can be made or locked there: nothing may be changed then.
    pub fn open(folder: &Path) -> io::Result<Journal> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        for turn in 0u32.. {
            let path = folder.join(format!("{}-{turn}{SUFFIX}", std::process::id()));
            let made = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path);
            let file = match made {
                // A process of that number left one behind.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            // The name as well must outlive a crash of the machine.
            File::open(folder)?.sync_all()?;
            return Ok(Journal {
                path,
                file,
                changes: 0,
            });
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes a change down; it may be made once this returns.
    ///
    /// # Errors
    /// When the disk does not take it: the change must not be made.
    pub fn note(&mut self, change: &Change) -> io::Result<()> {
        self.file.write_all(change.line().as_bytes())?;
        self.file.sync_all()?;
        self.changes += 1;
        Ok(())
    }

    /// Undoes everything, the last change first, and removes the file when nothing is left.
    pub fn undo(&mut self) -> Vec<Undone> {
        undo(&self.path)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.changes == 0 {
            // Best effort: an empty journal is in nobody's way.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Undoes what stands in the journal at `path`; a file that is gone had nothing left.
pub fn undo(path: &Path) -> Vec<Undone> {
    let mut text = String::new();
    let read = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    // A last line without its end was never acted upon.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut done: Vec<Undone> = Vec::new();
    for line in whole.lines().rev().filter(|l| !l.is_empty()) {
        done.push(match Change::parse(line) {
            Some(change) => Undone {
                what: change.words(),
                outcome: change.undo(),
            },
            None => Undone {
                what: format!("'{line}' in {}", path.display()),
                outcome: Err("not understood: was it written by another version?".to_owned()),
            },
        });
    }
    if done.iter().all(|u| u.outcome.is_ok()) {
        // What stays behind is undone once more, to no effect.
        let _ = fs::remove_file(path);
    }
    done
}

/// Where journals lie: the user's folder for state, else the temporary one that outlives a boot.
pub fn state_folder() -> PathBuf {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/state"));
    let base = state.filter(|p| p.is_absolute()).or_else(home);
    match base.filter(|p| p.is_absolute()) {
        Some(base) => base.join("whyslow"),
        None => PathBuf::from(format!(
            "/var/tmp/whyslow-{}",
            rustix::process::getuid().as_raw()
        )),
    }
}

/// Journals in `folder` whose process is gone.
pub fn left_behind(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(SUFFIX))
        .filter(|path| {
            // Shared, so that two who look at the same time do not take each other for the owner.
            let file = File::open(path);
            file.is_ok_and(|f| flock(&f, FlockOperation::NonBlockingLockShared).is_ok())
        })
        .collect();
    found.sort();
    found
}

/// Undoes everything that was left behind in `folder`.
pub fn restore(folder: &Path) -> Vec<Undone> {
    left_behind(folder)
        .iter()
        .flat_map(|path| undo(path))
        .collect()
}
