//! The control groups of a process, and the folders where these lie (cgroups(7)).

use std::fs;
use std::io;

use crate::mounts::{Mount, mounts};

/// Most levels followed: real hierarchies are not deeper, a damaged path might be.
const MOST_LEVELS: usize = 32;

/// A tree of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hierarchy<'a> {
    /// That of version 2.
    Unified,
    /// That of version 1 with this controller.
    Controller(&'a str),
}

impl std::fmt::Display for Hierarchy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Hierarchy::Unified => "version 2",
            Hierarchy::Controller(name) => name,
        })
    }
}

/// Why a group has no folder here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hidden {
    /// The process is in no group of the hierarchy.
    #[error("control groups, {0}: this process is in none")]
    NoMember(String),
    /// The hierarchy is not mounted.
    #[error("control groups, {0}: not mounted")]
    NotMounted(String),
    /// The group lies above what the control group namespace shows.
    #[error("control groups, {hierarchy}: {path} is outside of what can be seen")]
    Outside {
        /// The hierarchy.
        hierarchy: String,
        /// The group.
        path: String,
    },
}

/// A line of `/proc/self/cgroup`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Empty for version 2.
    pub controllers: Vec<String>,
    /// The group, counted from the root of its hierarchy.
    pub path: String,
}

impl Membership {
    /// True if it is one of `hierarchy`.
    pub fn is_of(&self, hierarchy: Hierarchy<'_>) -> bool {
        match hierarchy {
            Hierarchy::Unified => self.controllers.is_empty(),
            Hierarchy::Controller(name) => self.controllers.iter().any(|own| own == name),
        }
    }
}

fn memberships(text: &str) -> Vec<Membership> {
    let lines = text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let controllers = controllers.split(',').filter(|name| !name.is_empty());
        Some(Membership {
            controllers: controllers.map(str::to_owned).collect(),
            path: path.to_owned(),
        })
    });
    lines.collect()
}

/// The groups of a process, and what is mounted where it looks.
#[derive(Clone, Debug)]
pub struct Groups {
    memberships: Vec<Membership>,
    mounts: Vec<Mount>,
}

impl Groups {
    /// Those of the calling process.
    ///
    /// # Errors
    /// When `/proc` does not show them.
    pub fn own() -> io::Result<Groups> {
        let groups = fs::read_to_string("/proc/self/cgroup")?;
        let mountinfo = fs::read_to_string("/proc/self/mountinfo")?;
        Ok(Groups::parse(&groups, &mountinfo))
    }

    /// From the texts of `/proc/PID/cgroup` and `/proc/PID/mountinfo`.
    pub fn parse(groups: &str, mountinfo: &str) -> Groups {
        Groups {
            memberships: memberships(groups),
            mounts: mounts(mountinfo),
        }
    }

    /// One for each hierarchy, in the kernel's order.
    pub fn memberships(&self) -> &[Membership] {
        &self.memberships
    }

    /// The folders of the process's group in `hierarchy` and of all above it that can be seen, own
    /// group first; at least one.
    ///
    /// # Errors
    /// When it has no group there, or none that can be seen.
    pub fn folders(&self, hierarchy: Hierarchy<'_>) -> Result<Vec<String>, Hidden> {
        let membership = self.memberships.iter().find(|one| one.is_of(hierarchy));
        let membership = membership.ok_or_else(|| Hidden::NoMember(hierarchy.to_string()))?;
        folders(&self.mounts, hierarchy, &membership.path)
    }
}

fn folders(mounts: &[Mount], hierarchy: Hierarchy<'_>, path: &str) -> Result<Vec<String>, Hidden> {
    let shows = |mount: &&Mount| match hierarchy {
        Hierarchy::Unified => mount.fs == "cgroup2",
        Hierarchy::Controller(name) => {
            let mut options = mount.super_options.split(',');
            mount.fs == "cgroup" && options.any(|option| option == name)
        }
    };
    // Of several, the last one mounted is on top.
    let mount = mounts.iter().rev().find(shows);
    let mount = mount.ok_or_else(|| Hidden::NotMounted(hierarchy.to_string()))?;
    // In a container the mount may begin at the own group, with the path still
    // counted from the host's root; or the path may not lie below the mount at
    // all, and then the mount itself is the best that can be seen.
    let root = mount.root.trim_end_matches('/');
    let below = path
        .strip_prefix(root)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .unwrap_or("");
    if below.split('/').any(|part| part == "..") {
        return Err(Hidden::Outside {
            hierarchy: hierarchy.to_string(),
            path: path.to_owned(),
        });
    }
    let mut rest = below.trim_end_matches('/');
    let mut folders = vec![];
    while folders.len() < MOST_LEVELS {
        folders.push(format!("{}{rest}", mount.at.trim_end_matches('/')));
        match rest.rsplit_once('/') {
            Some((above, _)) => rest = above,
            None => break,
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mount(root: &str, at: &str) -> Vec<Mount> {
        mounts(&format!("9 1 0:9 {root} {at} rw - cgroup2 cgroup2 rw"))
    }

    #[test]
    fn folders_from_the_own_group_upwards() {
        let all = |mounts: &[Mount], path: &str| folders(mounts, Hierarchy::Unified, path);
        assert_eq!(
            all(&mount("/", "/sys/fs/cgroup"), "/a/b").unwrap(),
            ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]
        );
        assert_eq!(all(&mount("/", "/cg"), "/").unwrap(), ["/cg"]);
        // A container that sees its own group as the mount's root.
        assert_eq!(
            all(&mount("/docker/x", "/cg"), "/docker/x").unwrap(),
            ["/cg"]
        );
        assert_eq!(
            all(&mount("/docker/x", "/cg"), "/docker/x/y").unwrap(),
            ["/cg/y", "/cg"]
        );
        assert_eq!(
            all(&mount("/docker/x", "/cg"), "/docker/xy").unwrap(),
            ["/cg"]
        );
        assert!(all(&mount("/", "/cg"), "/../other").is_err());
        let none = all(&[], "/").unwrap_err();
        assert_eq!(none.to_string(), "control groups, version 2: not mounted");
    }

    #[test]
    fn each_hierarchy_has_its_own_group() {
        let groups = Groups::parse(
            "4:memory:/a\n3:cpu,cpuacct:/b/c:d\n0::/e\n",
            "\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
",
        );
        let own = |hierarchy| groups.folders(hierarchy).map(|all| all[0].clone());
        let controller = |name| own(Hierarchy::Controller(name));
        assert_eq!(
            controller("cpu").unwrap(),
            "/sys/fs/cgroup/cpu,cpuacct/b/c:d"
        );
        assert_eq!(own(Hierarchy::Unified).unwrap(), "/sys/fs/cgroup/unified/e");
        assert_eq!(
            controller("memory"),
            Err(Hidden::NotMounted("memory".into()))
        );
        assert_eq!(controller("pids"), Err(Hidden::NoMember("pids".into())));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "([0-9a-z:/,. ]|max|\n)*", root in "/[a-z/.]*") {
            let mount = format!("9 1 0:9 {root} /cg rw - cgroup2 cgroup2 rw");
            let _ = Groups::parse(&text, &mount).folders(Hierarchy::Unified);
        }
    }
}
