//! What this host lets settings change.

use std::fs;
use std::path::{Path, PathBuf};

use whyslow_conditions::{KernelFile, KernelSetting};
use whyslow_host::HostRoot;
use whyslow_leftovers::{Kind, OwnFolder};
use whyslow_linux::affinity::allowed;
use whyslow_linux::mounts::{self, holding};

/// What settings go by.
#[derive(Debug, Clone)]
pub struct Place {
    /// CPUs that are allowed, ascending.
    pub cpus: Vec<u32>,
    /// Whether programs here have a C library with tunables; or why not.
    pub tunables: Result<(), String>,
    /// Tunables that are set already.
    pub tunables_set: Option<String>,
    /// The loader of programs here.
    pub loader: Result<String, String>,
    /// When anonymous memory gets huge pages: always, madvise or never.
    pub huge_pages: Option<String>,
    /// A folder in memory for temporary files; or why there is none.
    pub memory_folder: Result<String, String>,
    /// The value of `LD_BIND_NOW`, if it is set to one.
    pub bind_now: Option<String>,
    /// The files of settings of the kernel; or why there are none.
    pub kernel: fn(KernelSetting) -> Result<Vec<KernelFile>, String>,
    /// What decides how idle CPUs wait.
    pub idle_governor: Option<String>,
}

/// Where folders in memory are.
const IN_MEMORY: &str = "/dev/shm";

impl Place {
    /// This host, and the folder in memory that lasts as long as it is held.
    pub fn live() -> (Place, Option<OwnFolder>) {
        let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let libc = HostRoot::live().state(&here, &std::env::temp_dir()).libc;
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let known = |why: Option<&str>| why.map_or(Ok(()), |why| Err(why.to_owned()));
        let folder = memory_folder();
        let place = Place {
            cpus: allowed().unwrap_or_default(),
            tunables: known(libc.tunables.why()),
            tunables_set: set("GLIBC_TUNABLES"),
            loader: match libc.loader.value() {
                Some(loader) => Ok(loader.clone()),
                None => Err(libc.loader.why().unwrap_or("no loader is known").to_owned()),
            },
            huge_pages: huge_pages(),
            memory_folder: folder
                .as_ref()
                .map(|folder| folder.path().display().to_string())
                .map_err(String::clone),
            bind_now: set("LD_BIND_NOW"),
            kernel: |setting| {
                let files = setting.files(Path::new("/"), Path::new("."));
                files.map_err(|why| why.to_string())
            },
            idle_governor: idle_governor(),
        };
        (place, folder.ok())
    }
}

/// The word in brackets of the kernel's file.
fn huge_pages() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// The governor of idle states.
fn idle_governor() -> Option<String> {
    let text = fs::read_to_string("/sys/devices/system/cpu/cpuidle/current_governor").ok()?;
    Some(text.trim().to_owned())
}

/// A folder in memory, unless temporary files lie there anyway.
fn memory_folder() -> Result<OwnFolder, String> {
    let mounts = mounts::own().map_err(|e| e.to_string())?;
    let in_memory = |path: &Path| {
        let path = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
        let held = holding(&mounts, &path.display().to_string());
        held.is_some_and(|mount| mount.fs == "tmpfs")
    };
    let usual = std::env::temp_dir();
    if in_memory(&usual) {
        let usual = usual.display();
        return Err(format!("temporary files are in memory already ({usual})"));
    }
    if !in_memory(Path::new(IN_MEMORY)) {
        return Err(format!("{IN_MEMORY} is not in memory here"));
    }
    OwnFolder::make(Path::new(IN_MEMORY), Kind::Run).map_err(|e| format!("{IN_MEMORY}: {e}"))
}

/// The udev rule that has this many KiB read ahead, by the files of that setting.
pub(crate) fn read_ahead_rule(files: &[KernelFile], value: &str) -> String {
    let (subsystem, name, attribute) = match files {
        [KernelFile::ReadAhead(device)] => {
            ("block", device.name().to_owned(), "queue/read_ahead_kb")
        }
        [KernelFile::ReadAheadOf(number)] => ("bdi", format!("0:{number}"), "read_ahead_kb"),
        _ => ("block", "*".to_owned(), "queue/read_ahead_kb"),
    };
    format!(
        "udev rule: SUBSYSTEM==\"{subsystem}\", ACTION==\"add|change\", KERNEL==\"{name}\", \
         ATTR{{{attribute}}}=\"{value}\""
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_ahead_is_kept_by_a_rule_for_its_device() {
        let rule = |file: KernelFile| read_ahead_rule(&[file], "64");
        let network = rule(KernelFile::ReadAheadOf(45));
        let wanted =
            r#"SUBSYSTEM=="bdi", ACTION=="add|change", KERNEL=="0:45", ATTR{read_ahead_kb}="64""#;
        assert!(network.ends_with(wanted), "{network}");
    }
}
