//! Which process made a folder, and whether it still lives or anything is still used.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, test_kill_process};

/// A process, told apart from others of its number: by when it started, in which boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Its number.
    pub(crate) pid: u32,
    /// When it started, in ticks of the kernel since boot; none where there is no /proc.
    pub(crate) started: Option<u64>,
    /// The boot, as the kernel names it.
    pub(crate) boot: Option<String>,
    /// The space of process numbers, as the kernel names it.
    pub(crate) space: Option<String>,
    /// The name of its host, which tells another boot from another machine on a shared file system.
    pub(crate) host: String,
}

impl Owner {
    /// This one.
    pub(crate) fn own() -> Owner {
        let pid = std::process::id();
        Owner {
            pid,
            started: started(pid),
            boot: boot(),
            space: space(),
            host: host(),
        }
    }

    /// Is it dead? `None` where its number says nothing here, as it is one of another container.
    pub(crate) fn is_dead(&self) -> Option<bool> {
        let other = |own: &Option<String>, then: &Option<String>| {
            own.is_some() && then.is_some() && own != then
        };
        if other(&boot(), &self.boot) {
            return Some(self.host == host());
        }
        if other(&space(), &self.space) {
            return None;
        }
        Some(match (self.started, started(self.pid)) {
            _ if gone(self.pid) => true,
            (Some(then), Some(now)) => then != now,
            _ => false,
        })
    }
}

/// Is there no process of this number, or one that has ended and only waits to be collected?
pub(crate) fn gone(pid: u32) -> bool {
    let Some(number) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return true;
    };
    // Not being allowed to send a signal is a sign of life, too.
    if test_kill_process(number) == Err(rustix::io::Errno::SRCH) {
        return true;
    }
    let state = stat(pid).and_then(|fields| fields.into_iter().next());
    state.is_some_and(|state| state == "Z" || state == "X")
}

/// When the process `pid` started: the 22nd field (proc(5)).
fn started(pid: u32) -> Option<u64> {
    stat(pid)?.get(22 - 3)?.parse().ok()
}

/// What the kernel says of a process, from the third field on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, the second field, may hold spaces and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

fn host() -> String {
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    // It is one word of a line.
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

fn space() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_str()?.to_owned())
}

/// Does a process that may be looked at, other than this one, use a file below `folder`: has it loaded,
/// is it about to load one, or does it work there?
pub fn in_use(folder: &Path) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    let name = folder.as_os_str().as_bytes();
    let own = std::process::id().to_string();
    let mut others = processes.flatten().filter(|process| {
        let number = process.file_name();
        let digits = number.as_bytes().iter().all(u8::is_ascii_digit);
        digits && number.to_str() != Some(&own)
    });
    others.any(|process| {
        let process = process.path();
        // What is about to load a library has its name in the environment.
        let named = ["maps", "environ"].iter().any(|file| {
            let text = fs::read(process.join(file)).unwrap_or_default();
            text.windows(name.len()).any(|part| part == name)
        });
        named || fs::read_link(process.join("cwd")).is_ok_and(|at| at.starts_with(folder))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_what_differs_from_it_is_dead() {
        let own = Owner::own();
        assert!(own.started.is_some() && own.boot.is_some());
        assert_eq!(own.is_dead(), Some(false));
        let before = Owner {
            started: own.started.map(|s| s - 1),
            ..own.clone()
        };
        assert_eq!(
            before.is_dead(),
            Some(true),
            "its number was given to another"
        );
        let other_boot = Owner {
            boot: Some("0".into()),
            ..own.clone()
        };
        assert_eq!(other_boot.is_dead(), Some(true));
        let other_host = Owner {
            host: "another".into(),
            ..other_boot
        };
        assert_eq!(other_host.is_dead(), Some(false), "it may be alive there");
        let elsewhere = Owner {
            space: Some("pid:[1]".into()),
            ..own.clone()
        };
        assert_eq!(elsewhere.is_dead(), None);
        let gone = Owner {
            pid: u32::try_from(i32::MAX).unwrap(),
            ..own
        };
        assert_eq!(gone.is_dead(), Some(true));
    }

    #[test]
    fn a_process_that_waits_to_be_collected_is_gone() {
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .unwrap();
        assert!(!gone(child.id()));
        child.kill().unwrap();
        let begun = std::time::Instant::now();
        while !gone(child.id()) {
            assert!(begun.elapsed() < std::time::Duration::from_secs(60));
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_works_in_a_folder_uses_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        assert!(!in_use(&path));
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .current_dir(&path)
            .spawn()
            .unwrap();
        let used = in_use(&path);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(used);
    }
}
