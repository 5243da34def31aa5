//! Settings of the whole machine: each one or several files of the kernel that get one value.

use std::fs;
use std::path::Path;

use crate::error::ConditionError;
use crate::kernel_file::{KernelFile, POLICIES};
use crate::read_ahead::read_ahead;

/// A setting of the whole machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelSetting {
    /// The governor of all frequency policies.
    Governor,
    /// The energy preference of all frequency policies.
    EnergyPreference,
    /// Polling of idle CPUs in a guest.
    GuestHaltPoll,
    /// Polling of KVM for idle CPUs of its guests.
    HostHaltPoll,
    /// Which memory gets huge pages.
    ThpEnabled,
    /// Whether memory is compacted at once for a huge page.
    ThpDefrag,
    /// The scheduler's slice.
    Slice,
    /// Read-ahead of the device that the current folder is on.
    ReadAhead,
    /// Compaction in the background.
    Compaction,
    /// What is rather reclaimed.
    Swappiness,
}

impl KernelSetting {
    /// All of them.
    pub const ALL: [KernelSetting; 10] = [
        KernelSetting::Governor,
        KernelSetting::EnergyPreference,
        KernelSetting::GuestHaltPoll,
        KernelSetting::HostHaltPoll,
        KernelSetting::ThpEnabled,
        KernelSetting::ThpDefrag,
        KernelSetting::Slice,
        KernelSetting::ReadAhead,
        KernelSetting::Compaction,
        KernelSetting::Swappiness,
    ];

    /// Its name in a condition.
    pub fn name(self) -> &'static str {
        match self {
            KernelSetting::Governor => "governor",
            KernelSetting::EnergyPreference => "energy-preference",
            KernelSetting::GuestHaltPoll => "guest-halt-poll",
            KernelSetting::HostHaltPoll => "kvm-halt-poll",
            KernelSetting::ThpEnabled => "thp-enabled",
            KernelSetting::ThpDefrag => "thp-defrag",
            KernelSetting::Slice => "slice",
            KernelSetting::ReadAhead => "read-ahead",
            KernelSetting::Compaction => "compaction",
            KernelSetting::Swappiness => "swappiness",
        }
    }

    /// Its files, those of the kernel below `root`, for a program that is started in `folder`.
    ///
    /// # Errors
    /// Why there are none here.
    pub fn files(self, root: &Path, folder: &Path) -> Result<Vec<KernelFile>, ConditionError> {
        let one = |file: KernelFile, missing: &str| match file.exists(root) {
            true => Ok(vec![file]),
            false => Err(ConditionError::unavailable(missing)),
        };
        let of_policies = |file: fn(u32) -> KernelFile, missing: &str| {
            let files: Vec<KernelFile> = policies(root).into_iter().map(file).collect();
            let files: Vec<KernelFile> = files.into_iter().filter(|f| f.exists(root)).collect();
            match files.is_empty() {
                true => Err(ConditionError::unavailable(missing)),
                false => Ok(files),
            }
        };
        let no_huge_pages = "this kernel has no transparent huge pages";
        match self {
            KernelSetting::Governor => of_policies(
                KernelFile::Governor,
                "the kernel sets no frequencies here (no policy in /sys/devices/system/cpu/cpufreq)",
            ),
            KernelSetting::EnergyPreference => of_policies(
                KernelFile::EnergyPreference,
                "the CPUs here take no energy preference (no energy_performance_preference in \
                 /sys/devices/system/cpu/cpufreq)",
            ),
            KernelSetting::GuestHaltPoll => one(
                KernelFile::GuestHaltPoll,
                "the module haltpoll is not loaded; it is for guests",
            ),
            KernelSetting::HostHaltPoll => {
                one(KernelFile::HostHaltPoll, "the module kvm is not loaded")
            }
            KernelSetting::ThpEnabled => one(KernelFile::ThpEnabled, no_huge_pages),
            KernelSetting::ThpDefrag => one(KernelFile::ThpDefrag, no_huge_pages),
            KernelSetting::Slice => one(KernelFile::BaseSlice, missing_slice(root)),
            KernelSetting::ReadAhead => {
                let file = read_ahead(root, folder)?;
                let missing = format!("{} is missing", file.path());
                one(file, &missing)
            }
            KernelSetting::Compaction => one(
                KernelFile::Compaction,
                "this kernel has no vm.compaction_proactiveness (since Linux 5.9)",
            ),
            KernelSetting::Swappiness => {
                one(KernelFile::Swappiness, "there is no vm.swappiness here")
            }
        }
    }
}

/// The numbers of the frequency policies, ascending.
fn policies(root: &Path) -> Vec<u32> {
    let entries = fs::read_dir(root.join(POLICIES.trim_start_matches('/')));
    let names = entries.into_iter().flatten().flatten();
    let mut numbers: Vec<u32> = names
        .filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_prefix("policy")?
                .parse()
                .ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers
}

/// Why there is no slice to set.
fn missing_slice(root: &Path) -> &'static str {
    // Its folder is empty until it is mounted, and closed to users after that.
    let debug = fs::read_dir(root.join("sys/kernel/debug"));
    match debug.map(|mut entries| entries.next().is_none()) {
        Ok(false) => "this kernel shows no sched/base_slice_ns in debugfs (since Linux 6.6)",
        _ => {
            "debugfs is not mounted (mount -t debugfs debugfs /sys/kernel/debug), or closed to this user"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_here_says_why_and_policies_are_all_of_them() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let policy = |n: u32| root.join(format!("sys/devices/system/cpu/cpufreq/policy{n}"));
        let before = KernelSetting::ALL.map(|setting| setting.files(root, root));
        assert!(before.iter().all(Result::is_err), "{before:?}");
        let why = KernelSetting::Slice.files(root, root).unwrap_err();
        assert!(
            why.to_string().starts_with("debugfs is not mounted"),
            "{why}"
        );
        fs::create_dir_all(root.join("sys/kernel/debug/sched")).unwrap();
        let why = KernelSetting::Slice.files(root, root).unwrap_err();
        assert!(why.to_string().contains("since Linux 6.6"), "{why}");
        for number in [10, 0, 2] {
            fs::create_dir_all(policy(number)).unwrap();
            fs::write(policy(number).join("scaling_governor"), "powersave\n").unwrap();
        }
        let files = KernelSetting::Governor.files(root, root).unwrap();
        assert_eq!(files, [0, 2, 10].map(KernelFile::Governor));
        assert!(KernelSetting::EnergyPreference.files(root, root).is_err());
    }
}
