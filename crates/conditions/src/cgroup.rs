//! A private control group, for a limit on CPU time.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, fstatfs, open};
use whyslow_linux::cgroup::{Groups, Hierarchy};

use crate::journal::{Change, Journal};
use crate::state::state_folder;
use crate::under::Guard;

/// What file systems of control groups say that they are, version 1 and 2 (linux/magic.h).
const MAGIC: [i64; 2] = [0x0027_e0eb, 0x6367_7270];

/// Length of a period, µs: the kernel's own default.
const PERIOD_US: u64 = 100_000;

/// A killed process may remain in its group for some milliseconds.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(4);

/// Where a group can be created, and how limits are written there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The parent directory of the new group.
    folder: PathBuf,
    /// The current group of this process.
    own: PathBuf,
    /// Version 2?
    unified: bool,
}

/// This process in its own group, until dropped.
#[derive(Debug)]
pub(crate) struct Group {
    before: PathBuf,
    journal: Journal,
}

impl Group {
    /// Creates a group and moves this process into it. Its quota is `percent` of one CPU; none is no
    /// limit.
    pub(crate) fn enter(percent: Option<u32>) -> Result<Group, String> {
        let places = places(&Groups::own().map_err(|e| e.to_string())?);
        let mut why = "no control group with a CPU controller is mounted here".to_owned();
        for place in places {
            match Group::make(&place, percent) {
                Ok(group) => return Ok(group),
                Err(error) => why = error,
            }
        }
        Err(format!(
            "{why}; it requires root or a delegated group (systemd-run --user --scope)"
        ))
    }

    fn make(place: &Place, percent: Option<u32>) -> Result<Group, String> {
        if place.unified && !hands_down_cpu(&place.folder) {
            return Err(format!(
                "{} does not delegate the CPU controller",
                place.folder.display()
            ));
        }
        let new = GroupPath::new(&place.folder);
        let path = new.0.clone();
        let at = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        let journal = |why: String| format!("no journal can be kept: {why}");
        let folder = state_folder().map_err(journal)?;
        let mut kept = Journal::open(&folder).map_err(journal)?;
        kept.note(&Change::Group(new)).map_err(journal)?;
        let mut group = Group {
            before: place.own.clone(),
            journal: kept,
        };
        fs::create_dir(&path).map_err(|e| {
            // Nothing was made, so nothing is to be undone but the journal.
            group.journal.undo(Path::new("/"));
            at(&path, e)
        })?;
        let write = |name: &str, text: &str| {
            let file = path.join(name);
            fs::write(&file, text).map_err(|e| at(&file, e))
        };
        if let Some(percent) = percent {
            let quota = PERIOD_US * u64::from(percent) / 100;
            if place.unified {
                write("cpu.max", &format!("{quota} {PERIOD_US}"))?;
            } else {
                write("cpu.cfs_period_us", &PERIOD_US.to_string())?;
                write("cpu.cfs_quota_us", &quota.to_string())?;
            }
        }
        write("cgroup.procs", &std::process::id().to_string())?;
        Ok(group)
    }
}

impl Guard for Group {}

impl Drop for Group {
    fn drop(&mut self) {
        // A group can be removed once it is empty; failing that, `whyslow restore` does it.
        let _ = fs::write(
            self.before.join("cgroup.procs"),
            std::process::id().to_string(),
        );
        self.journal.undo(Path::new("/"));
    }
}

/// The path of a control group that was made here: absolute, and named by our scheme,
/// `whyslow-PID-RANDOM`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupPath(PathBuf);

impl GroupPath {
    /// A new one in `folder`.
    fn new(folder: &Path) -> GroupPath {
        let (pid, random) = (std::process::id(), whyslow_leftovers::unpredictable());
        GroupPath(folder.join(format!("whyslow-{pid}-{random:016x}")))
    }

    /// The path in the line of a journal; or why it is none of ours.
    pub(crate) fn parse(text: &str) -> Result<GroupPath, String> {
        let none = || "refused: not a control group of this program".to_owned();
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
            false => Err(none()),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes it, if it is a control group, with the processes that are still in it moved out first.
    pub(crate) fn remove(&self) -> Result<(), String> {
        let at = |why: &str| format!("{}: {why}", self.0.display());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match open(&self.0, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(()),
            Err(why) => return Err(at(&why.to_string())),
        };
        let kind = fstatfs(&folder).map_err(|why| at(&why.to_string()))?.f_type;
        let inside = fs::canonicalize(&self.0).is_ok_and(|path| path == self.0);
        #[allow(clippy::unnecessary_cast)] // its type differs between architectures
        if !MAGIC.contains(&(kind as i64)) || !inside {
            return Err(at("refused: not a control group of this program"));
        }
        remove(&self.0)
    }
}

/// True if the group at `folder` enables the CPU controller for its children.
fn hands_down_cpu(folder: &Path) -> bool {
    let handed = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    handed.split_whitespace().any(|c| c == "cpu")
}

/// Where a group with a quota may be created, the best first.
fn places(groups: &Groups) -> Vec<Place> {
    let own = |hierarchy| groups.folders(hierarchy).unwrap_or_default();
    let place = |folder: &String, own: &String, unified| Place {
        folder: folder.into(),
        own: own.into(),
        unified,
    };
    let limited = own(Hierarchy::Controller("cpu"));
    let mut found: Vec<Place> = limited
        .iter()
        .take(1)
        .map(|own| place(own, own, false))
        .collect();
    // A group with processes cannot delegate controllers, unless it is the root: use a sibling, then.
    let unified = own(Hierarchy::Unified);
    if let Some(own) = unified.first() {
        found.extend(unified.iter().map(|folder| place(folder, own, true)));
    }
    found
}

fn remove(path: &Path) -> Result<(), String> {
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
            Err(e) if tried == TRIES => return Err(format!("{}: {e}", path.display())),
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
        assert!(error.contains("refused"), "{error}");
        assert!(folder.exists());
        fs::remove_dir(&folder).unwrap();
        assert_eq!(group.remove(), Ok(()));
        let made = GroupPath::new(Path::new("/sys/fs/cgroup"));
        assert_eq!(GroupPath::parse(made.path().to_str().unwrap()), Ok(made));
    }

    #[test]
    fn version_1_makes_it_below_the_own_group() {
        let mounts = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
        let groups = "4:memory:/a\n3:cpu,cpuacct:/user/me\n0::/\n";
        let found = places(&Groups::parse(groups, mounts));
        let own = PathBuf::from("/sys/fs/cgroup/cpu,cpuacct/user/me");
        let wanted = Place {
            folder: own.clone(),
            own,
            unified: false,
        };
        assert_eq!(found, [wanted]);
    }

    #[test]
    fn version_2_makes_it_beside_the_own_group_or_above() {
        let mounts = "32 31 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let found = places(&Groups::parse("0::/a/b\n", mounts));
        let folders: Vec<_> = found.iter().map(|p| p.folder.to_str().unwrap()).collect();
        assert_eq!(
            folders,
            ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]
        );
        assert!(
            found
                .iter()
                .all(|p| p.own == Path::new("/sys/fs/cgroup/a/b"))
        );
    }

    #[test]
    fn without_control_groups_there_is_no_place() {
        let mounts = "23 1 0:5 / /proc rw - proc proc rw\n";
        assert!(places(&Groups::parse("0::/\n", mounts)).is_empty());
    }
}
