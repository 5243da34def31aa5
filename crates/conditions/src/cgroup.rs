//! A control group of our own, for a limit on CPU time.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::journal::{Change, Journal, state_folder};
use crate::under::Guard;

/// Length of a period, µs: the kernel's own default.
const PERIOD_US: u64 = 100_000;

/// A process that was just killed may be in its group for some milliseconds more.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(4);

/// Where a group can be made, and how limits are written there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The folder that the new group goes into.
    folder: PathBuf,
    /// The group that this process is in now.
    own: PathBuf,
    /// Version 2?
    unified: bool,
}

/// This process in a group of its own, until dropped.
#[derive(Debug)]
pub(crate) struct Group {
    before: PathBuf,
    journal: Journal,
}

impl Group {
    /// Makes a group and moves this process into it. `percent` of one CPU is its quota; none is no limit.
    pub(crate) fn enter(percent: Option<u32>) -> Result<Group, String> {
        let mounts = fs::read_to_string("/proc/self/mounts").map_err(|e| e.to_string())?;
        let groups = fs::read_to_string("/proc/self/cgroup").map_err(|e| e.to_string())?;
        let places = places(&mounts, &groups);
        let mut why = "no control groups with CPU time are mounted here".to_owned();
        for place in places {
            match Group::make(&place, percent) {
                Ok(group) => return Ok(group),
                Err(error) => why = error,
            }
        }
        Err(format!(
            "{why}; as root, or where the group is delegated to you (systemd-run --user --scope), it can be had"
        ))
    }

    fn make(place: &Place, percent: Option<u32>) -> Result<Group, String> {
        if place.unified && !hands_down_cpu(&place.folder) {
            return Err(format!("{} hands down no CPU time", place.folder.display()));
        }
        let path = place.folder.join(format!("whyslow-{}", std::process::id()));
        let at = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        let folder = state_folder();
        let journal =
            |e: std::io::Error| format!("{}: no journal can be kept: {e}", folder.display());
        let mut kept = Journal::open(&folder).map_err(journal)?;
        kept.note(&Change::Group(path.clone())).map_err(journal)?;
        let mut group = Group {
            before: place.own.clone(),
            journal: kept,
        };
        fs::create_dir(&path).map_err(|e| {
            // Nothing was made, so nothing is to be undone but the journal.
            group.journal.undo();
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
        // A group can be removed once nobody is in it; failing that, `whyslow restore` does it.
        let _ = fs::write(
            self.before.join("cgroup.procs"),
            std::process::id().to_string(),
        );
        self.journal.undo();
    }
}

/// Does the group at `folder` give the groups in it CPU time to share out?
fn hands_down_cpu(folder: &Path) -> bool {
    let handed = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    handed.split_whitespace().any(|c| c == "cpu")
}

/// Where a group with a quota may be made, the best first, by what `mounts` and `groups` (of
/// /proc/self) say.
fn places(mounts: &str, groups: &str) -> Vec<Place> {
    let mut found = Vec::new();
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, at, kind, options, ..] = fields[..] else {
            continue;
        };
        let own = |wanted: &dyn Fn(&str) -> bool| {
            let line = groups.lines().find_map(|line| {
                let (_, rest) = line.split_once(':')?;
                let (controllers, path) = rest.split_once(':')?;
                wanted(controllers).then(|| path.trim_start_matches('/'))
            })?;
            Some(Path::new(at).join(line))
        };
        match kind {
            "cgroup" if options.split(',').any(|o| o == "cpu") => {
                if let Some(own) = own(&|c| c.split(',').any(|c| c == "cpu")) {
                    found.push(Place {
                        folder: own.clone(),
                        own,
                        unified: false,
                    });
                }
            }
            "cgroup2" => {
                let Some(own) = own(&|c| c.is_empty()) else {
                    continue;
                };
                // A group with processes hands nothing down, unless it is the topmost: beside it, then.
                let folders = own.ancestors().take_while(|p| p.starts_with(at));
                found.extend(folders.map(|folder| Place {
                    folder: folder.to_owned(),
                    own: own.clone(),
                    unified: true,
                }));
            }
            _ => {}
        }
    }
    found
}

/// Removes a group that was left behind, with whoever is still in it moved out first.
pub(crate) fn remove(path: &Path) -> Result<(), String> {
    if !path.exists() {
        return Ok(());
    }
    let mut tried = 0;
    loop {
        let left = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
        if let Some(parent) = path.parent() {
            for pid in left.lines() {
                // It may have ended meanwhile; if not, removing says so.
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
    fn version_1_makes_it_below_the_own_group() {
        let mounts = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n";
        let found = places(mounts, "4:memory:/a\n3:cpu,cpuacct:/user/me\n0::/\n");
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
        let found = places("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "0::/a/b\n");
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
        assert!(places("proc /proc proc rw 0 0\n", "0::/\n").is_empty());
    }
}
