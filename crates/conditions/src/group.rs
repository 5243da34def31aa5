//! A private control group, for a limit on CPU time.

use std::fs;
use std::path::{Path, PathBuf};

use whyslow_linux::cgroup::{Groups, Hierarchy};

use crate::cgroup::GroupPath;
use crate::error::ConditionError;
use crate::journal::{Change, Journal};
use crate::setup::Guard;
use crate::state::state_folder;

/// Length of a period, µs: the kernel's own default.
const PERIOD_US: u64 = 100_000;

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
    pub(crate) fn enter(percent: Option<u32>) -> Result<Group, ConditionError> {
        let groups =
            Groups::own().map_err(|e| ConditionError::call("reading control groups", e))?;
        let places = places(&groups);
        let none = "no control group with a CPU controller is mounted here";
        let mut why = ConditionError::unavailable(none);
        for place in places {
            match Group::make(&place, percent) {
                Ok(group) => return Ok(group),
                Err(error) => why = error,
            }
        }
        Err(ConditionError::NoGroup(Box::new(why)))
    }

    fn make(place: &Place, percent: Option<u32>) -> Result<Group, ConditionError> {
        if place.unified && !hands_down_cpu(&place.folder) {
            return Err(ConditionError::unavailable(format!(
                "{} does not delegate the CPU controller",
                place.folder.display()
            )));
        }
        let new = GroupPath::new(&place.folder);
        let path = new.path().to_owned();
        let journal = |why| ConditionError::NoJournal(Box::new(why));
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
            ConditionError::at(&path, e)
        })?;
        let write = |name: &str, text: &str| {
            let file = path.join(name);
            fs::write(&file, text).map_err(|e| ConditionError::at(&file, e))
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

#[cfg(test)]
mod tests {
    use super::*;

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
