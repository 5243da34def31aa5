//! A journal of changes outside this process, written to disk before each change, so that everything
//! can be restored after a kill.
//!
//! A journal is a file of its process, locked as long as that lives; one that is not locked was left
//! behind. Its lines are changes, tab-separated, each on disk before the change is made. Undoing goes
//! from the last to the first, and what cannot be undone stays in the file. A line is only a claim: put
//! back is what a knob can have changed, and nothing else.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, openat, unlinkat};

use crate::cgroup::GroupPath;
use crate::error::ConditionError;
use crate::kernel_file::KernelFile;
use crate::state::{StateFolder, text};
use crate::text::plain;

/// Suffix of journal names, after the pid.
const SUFFIX: &str = ".changes";

/// Why the value of a line is not written.
const NO_VALUE: &str = "refused: not a value that such a file has";

/// A change outside this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A control group was made.
    Group(GroupPath),
    /// A file of the kernel was written.
    Setting {
        /// The file.
        file: KernelFile,
        /// What it said.
        before: String,
        /// The written content.
        after: String,
    },
    /// The kernel may change this file by itself when another is written.
    Moved {
        /// The file.
        file: KernelFile,
        /// What it said.
        before: String,
    },
}

/// Outcome of undoing a leftover change.
#[derive(Debug)]
pub struct Undone {
    /// The change, as text.
    pub what: String,
    /// Whether it was undone, or why not.
    pub outcome: Result<(), ConditionError>,
}

impl Change {
    fn line(&self) -> String {
        match self {
            Change::Group(group) => format!("group\t{}\n", group.path().display()),
            Change::Setting {
                file,
                before,
                after,
            } => format!("setting\t{}\t{before}\t{after}\n", file.path()),
            Change::Moved { file, before } => format!("moved\t{}\t{before}\n", file.path()),
        }
    }

    /// The change of a line; or why it is none that this version makes.
    fn parse(line: &str) -> Result<Change, ConditionError> {
        let none = |why: &str| ConditionError::not_believed(why);
        let known = |path: &str| {
            let file = KernelFile::parse(path);
            file.ok_or_else(|| none("refused: no knob of this version writes there"))
        };
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["group", path] => GroupPath::parse(path).map(Change::Group),
            ["setting", path, before, after] => {
                let file = known(path)?;
                if ![before, after].iter().all(|value| file.takes(value)) {
                    return Err(none(NO_VALUE));
                }
                Ok(Change::Setting {
                    file,
                    before: before.to_owned(),
                    after: after.to_owned(),
                })
            }
            ["moved", path, before] => {
                let file = known(path)?;
                let moved = matches!(file, KernelFile::EnergyPreference(_) | KernelFile::MinFree);
                if !moved {
                    return Err(none("refused: the kernel does not change it by itself"));
                }
                if !file.takes(before) {
                    return Err(none(NO_VALUE));
                }
                let before = before.to_owned();
                Ok(Change::Moved { file, before })
            }
            _ => Err(none("not understood: was it written by another version?")),
        }
    }

    /// In words.
    fn words(&self) -> String {
        match self {
            Change::Group(group) => format!("control group {}", group.path().display()),
            Change::Setting {
                file,
                before,
                after,
            } => format!("{}: {after} back to {before}", file.path()),
            Change::Moved { file, before } => format!("{}: back to {before}", file.path()),
        }
    }

    /// Puts it back, with the files of the kernel below `root`. What was changed or taken away since
    /// stays as it is.
    fn undo(&self, root: &Path) -> Result<(), ConditionError> {
        match self {
            Change::Group(group) => group.remove(),
            Change::Setting {
                file,
                before,
                after,
            } => file.put_back(root, before, Some(after)),
            Change::Moved { file, before } => file.put_back(root, before, None),
        }
    }
}

/// The journal of one process.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: StateFolder,
    name: OsString,
    file: File,
    changes: usize,
}

impl Journal {
    /// Creates the journal of this process in `folder`.
    ///
    /// # Errors
    /// When no file can be made or locked there, or others could have made the folder: nothing may be
    /// changed then.
    pub(crate) fn open(folder: &Path) -> Result<Journal, ConditionError> {
        let folder = StateFolder::make(folder)?;
        let path = folder.path().to_owned();
        let at = |why: io::Error| ConditionError::at(&path, why);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for turn in 0u32.. {
            let name = OsString::from(format!("{}-{turn}{SUFFIX}", std::process::id()));
            let made = openat(folder.descriptor(), &name, flags, Mode::RUSR | Mode::WUSR);
            let file = match made {
                // A process of that number left one behind.
                Err(rustix::io::Errno::EXIST) => continue,
                made => File::from(made.map_err(|why| at(why.into()))?),
            };
            flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|why| at(why.into()))?;
            // The name as well must outlive a crash of the machine.
            rustix::fs::fsync(folder.descriptor()).map_err(|why| at(why.into()))?;
            return Ok(Journal {
                folder,
                name,
                file,
                changes: 0,
            });
        }
        Err(at(io::ErrorKind::AlreadyExists.into()))
    }

    /// Records a change; it may be made once this returns.
    ///
    /// # Errors
    /// When the disk does not take it: the change must not be made.
    pub(crate) fn note(&mut self, change: &Change) -> Result<(), ConditionError> {
        let written = self.file.write_all(change.line().as_bytes());
        let written = written.and_then(|()| self.file.sync_all());
        written.map_err(|why| ConditionError::at(self.folder.path(), why))?;
        self.changes += 1;
        Ok(())
    }

    /// Undoes everything, the last change first, and removes the file when nothing is left.
    pub(crate) fn undo(&mut self, root: &Path) {
        if let Ok(mut file) = self.folder.read(&self.name) {
            undo_all(&self.folder, &self.name, &mut file, root);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.changes == 0 {
            // Best effort: an empty journal does no harm.
            let _ = unlinkat(self.folder.descriptor(), &self.name, AtFlags::empty());
        }
    }
}

/// Undoes what stands in an opened journal, and removes it where nothing is left.
fn undo_all(folder: &StateFolder, name: &OsStr, file: &mut File, root: &Path) -> Vec<Undone> {
    let path = folder.path().join(name);
    let text = match text(file) {
        Ok(text) => text,
        Err(why) => return vec![refused(&path, why)],
    };
    // A last line without its end was never acted upon.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut done: Vec<Undone> = Vec::new();
    for line in whole.lines().rev().filter(|l| !l.is_empty()) {
        done.push(match Change::parse(line) {
            Ok(change) => Undone {
                what: plain(&change.words()),
                outcome: change.undo(root),
            },
            Err(why) => Undone {
                what: format!(
                    "'{}' in {}",
                    plain(line),
                    plain(&path.display().to_string())
                ),
                outcome: Err(why),
            },
        });
    }
    if done.iter().all(|u| u.outcome.is_ok()) {
        // What stays behind is undone once more, to no effect.
        let _ = unlinkat(folder.descriptor(), name, AtFlags::empty());
    }
    done
}

fn refused(path: &Path, why: ConditionError) -> Undone {
    Undone {
        what: plain(&path.display().to_string()),
        outcome: Err(ConditionError::Refused(Box::new(why))),
    }
}

/// Undoes what stands in the journal at `path` of a process that is gone, with the files of the kernel
/// below `root`, which is `/` but in tests. A file that is gone, or whose process lives, had nothing left.
pub fn undo(path: &Path, root: &Path) -> Vec<Undone> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Vec::new();
    };
    let folder = match StateFolder::open(folder) {
        Ok(Some(folder)) => folder,
        Ok(None) => return Vec::new(),
        Err(why) => return vec![refused(path, why)],
    };
    match folder.read(name) {
        Ok(mut file) => match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => undo_all(&folder, name, &mut file, root),
            Err(_) => Vec::new(),
        },
        Err(_) if !path.exists() && !path.is_symlink() => Vec::new(),
        Err(why) => vec![refused(path, why)],
    }
}

/// Journals in `folder` whose process is gone, and what stands in place of one.
///
/// # Errors
/// When others could have made the folder: what is in it is not believed.
pub fn left_behind(folder: &Path) -> Result<Vec<PathBuf>, ConditionError> {
    let Some(folder) = StateFolder::open(folder)? else {
        return Ok(Vec::new());
    };
    let names = folder.names(SUFFIX).into_iter().filter(|name| {
        // Shared, so that two that look at the same time do not take each other for the owner.
        let free = |file: File| flock(&file, FlockOperation::NonBlockingLockShared).is_ok();
        folder.read(name).map_or(true, free)
    });
    Ok(names.map(|name| folder.path().join(name)).collect())
}

/// The files of the kernel that journals in `folder` name whose process is gone.
///
/// # Errors
/// When others could have made the folder.
pub(crate) fn claimed(folder: &Path) -> Result<Vec<KernelFile>, ConditionError> {
    let Some(opened) = StateFolder::open(folder)? else {
        return Ok(Vec::new());
    };
    let left = left_behind(folder)?;
    let names = left.iter().filter_map(|path| path.file_name());
    let texts = names.filter_map(|name| text(&mut opened.read(name).ok()?).ok());
    let mut files = Vec::new();
    for line in texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
        if let Ok(Change::Setting { file, .. } | Change::Moved { file, .. }) = Change::parse(&line)
        {
            files.push(file);
        }
    }
    Ok(files)
}

/// Undoes everything that was left behind in `folder`, with the files of the kernel below `root`.
///
/// # Errors
/// When others could have made the folder.
pub fn restore(folder: &Path, root: &Path) -> Result<Vec<Undone>, ConditionError> {
    let left = left_behind(folder)?;
    Ok(left.iter().flat_map(|path| undo(path, root)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_knob_writes_is_a_change() {
        let clock = KernelFile::CurrentClocksource.path();
        let policy = "/sys/devices/system/cpu/cpufreq/policy";
        let good = [
            format!("setting\t{clock}\ttsc\tacpi_pm"),
            format!("setting\t{clock}\tkvm-clock\thpet"),
            format!("setting\t{policy}12/scaling_governor\tpowersave\tperformance"),
            format!("moved\t{policy}12/energy_performance_preference\t128"),
            "setting\t/sys/block/cciss!c0d0/queue/read_ahead_kb\t128\t4096".to_owned(),
            "setting\t/sys/devices/virtual/bdi/0:45/read_ahead_kb\t128\t4096".to_owned(),
            "setting\t/proc/sys/vm/swappiness\t60\t10".to_owned(),
            "moved\t/proc/sys/vm/min_free_kbytes\t67584".to_owned(),
        ];
        for line in good {
            let change = Change::parse(&line).unwrap();
            assert_eq!(change.line(), format!("{line}\n"));
        }
        let bad = [
            "setting\t/etc/passwd\tx\ty".to_owned(),
            "setting\t/sys/../etc/passwd\tx\ty".to_owned(),
            format!("setting\t{clock}/../current_clocksource\tx\ty"),
            format!("setting\t/{clock}\tx\ty"),
            format!("setting\t{clock}\t\ty"),
            format!("setting\t{clock}\ta b\ty"),
            format!("setting\t{clock}\tx\t\u{1b}"),
            format!("setting\t{clock}\tx\t{}", "y".repeat(65)),
            format!("setting\t{clock}\tx\ty\tz"),
            "setting\t/proc/sys/kernel/core_pattern\tx\ty".to_owned(),
            format!("setting\t{policy}/scaling_governor\tx\ty"),
            format!("setting\t{policy}012/scaling_governor\tx\ty"),
            format!("setting\t{policy}+1/scaling_governor\tx\ty"),
            format!("setting\t{policy}1/../scaling_governor\tx\ty"),
            format!("setting\t{policy}1/scaling_setspeed\tx\ty"),
            "setting\t/sys/block/../block/vda/queue/read_ahead_kb\t1\t2".to_owned(),
            "setting\t/sys/block/../queue/read_ahead_kb\t1\t2".to_owned(),
            "setting\t/sys/block/vda/queue/read_ahead_kb\t1\t-2".to_owned(),
            "setting\t/sys/block/vda/queue/scheduler\tx\ty".to_owned(),
            "setting\t/sys/devices/virtual/bdi/0:4/../0:5/read_ahead_kb\t1\t2".to_owned(),
            "setting\t/proc/sys/vm/swappiness\tmany\t10".to_owned(),
            "moved\t/proc/sys/vm/swappiness\t60".to_owned(),
            format!("moved\t{clock}\ttsc"),
            "moved\t/proc/sys/vm/min_free_kbytes\tx".to_owned(),
            "group\t/sys/fs/cgroup".to_owned(),
            "group\t/sys/fs/cgroup/cpu/system.slice".to_owned(),
            "group\t/sys/fs/cgroup/../../../tmp/whyslow-1-0123456789abcdef".to_owned(),
            "group\tsys/fs/cgroup/whyslow-1-0123456789abcdef".to_owned(),
            "moon\tfull".to_owned(),
            String::new(),
        ];
        for line in bad {
            assert!(Change::parse(&line).is_err(), "{line:?}");
        }
    }
}
