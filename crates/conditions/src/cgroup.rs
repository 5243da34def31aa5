//! Paths of control groups that were made here, and their removal.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, fstatfs, open};

use crate::error::ConditionError;
use crate::text::plain;

/// What file systems of control groups say that they are, version 1 and 2 (linux/magic.h).
const MAGIC: [i64; 2] = [0x0027_e0eb, 0x6367_7270];

/// A killed process may remain in its group for some milliseconds.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(4);

/// The answer to anything else.
const NOT_OURS: &str = "refused: not a control group of this program";

/// The path of a control group that was made here: absolute, and named by our scheme,
/// `whyslow-PID-RANDOM`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupPath(PathBuf);

impl GroupPath {
    /// A new one in `folder`.
    pub(crate) fn new(folder: &Path) -> GroupPath {
        let (pid, random) = (std::process::id(), whyslow_leftovers::unpredictable());
        GroupPath(folder.join(format!("whyslow-{pid}-{random:016x}")))
    }

    /// The path in the line of a journal; or why it is none of ours.
    pub(crate) fn parse(text: &str) -> Result<GroupPath, ConditionError> {
        let path = Path::new(text);
        let mut parts = path.components();
        let direct = parts.next() == Some(Component::RootDir)
            && parts.all(|part| matches!(part, Component::Normal(_)));
        let name = path.file_name().and_then(|name| name.to_str());
        let scheme = name.and_then(|name| {
            let rest = name.strip_prefix("whyslow-")?;
            // Those of former versions have no random part.
            let (pid, random) = rest.split_once('-').unwrap_or((rest, "0"));
            let number = !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit());
            let hex = !random.is_empty() && random.bytes().all(|b| b.is_ascii_hexdigit());
            (number && hex).then_some(())
        });
        match direct && scheme.is_some() {
            true => Ok(GroupPath(path.to_owned())),
            false => Err(ConditionError::not_believed(NOT_OURS)),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes it, if it is a control group, with the processes that are still in it moved out first.
    pub(crate) fn remove(&self) -> Result<(), ConditionError> {
        let at = |why: rustix::io::Errno| ConditionError::at(&self.0, why);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match open(&self.0, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(()),
            Err(why) => return Err(at(why)),
        };
        let kind = fstatfs(&folder).map_err(at)?.f_type;
        let inside = fs::canonicalize(&self.0).is_ok_and(|path| path == self.0);
        #[allow(clippy::unnecessary_cast)] // its type differs between architectures
        if !MAGIC.contains(&(kind as i64)) || !inside {
            let path = plain(&self.0.display().to_string());
            return Err(ConditionError::not_believed(format!("{path}: {NOT_OURS}")));
        }
        remove(&self.0)
    }
}

fn remove(path: &Path) -> Result<(), ConditionError> {
    let mut tried = 0;
    loop {
        let left = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
        if let Some(parent) = path.parent() {
            for pid in left.lines() {
                // It may have exited meanwhile; if not, the removal fails.
                let _ = fs::write(parent.join("cgroup.procs"), pid);
            }
        }
        match fs::remove_dir(path) {
            Ok(()) => return Ok(()),
            Err(e) if tried == TRIES => return Err(ConditionError::at(path, e)),
            Err(_) => sleep(PAUSE),
        }
        tried += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_control_groups_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().canonicalize().unwrap();
        let folder = folder.join("whyslow-1-0123456789abcdef");
        fs::create_dir(&folder).unwrap();
        let group = GroupPath::parse(folder.to_str().unwrap()).unwrap();
        let error = group.remove().unwrap_err();
        assert!(error.to_string().contains("refused"), "{error}");
        assert!(folder.exists());
        fs::remove_dir(&folder).unwrap();
        group.remove().unwrap();
        let made = GroupPath::new(Path::new("/sys/fs/cgroup"));
        let parsed = GroupPath::parse(made.path().to_str().unwrap());
        assert_eq!(parsed.unwrap(), made);
    }
}
