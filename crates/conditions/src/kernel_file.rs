//! Files of the kernel that are written, and the only ones that are put back.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};

use crate::device::Device;
use crate::error::ConditionError;

/// The files of the kernel that are written, and the only ones that are put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelFile {
    /// What the time is read from.
    CurrentClocksource,
    /// What chooses the frequency of the CPUs of this policy.
    Governor(u32),
    /// What the CPUs of this policy prefer, speed or energy.
    EnergyPreference(u32),
    /// How long an idle CPU of a guest polls before it halts, ns.
    GuestHaltPoll,
    /// How long KVM polls before a guest's idle CPU sleeps, ns.
    HostHaltPoll,
    /// Which memory gets huge pages.
    ThpEnabled,
    /// Whether memory is compacted at once for a huge page.
    ThpDefrag,
    /// Memory that is kept free, KiB.
    MinFree,
    /// How long a task runs before others of its weight have their turn, ns.
    BaseSlice,
    /// What is read ahead from this device, KiB.
    ReadAhead(Device),
    /// What a file system without a device reads ahead, by the number of its own, KiB.
    ReadAheadOf(u32),
    /// How much memory is compacted in the background.
    Compaction,
    /// What is rather reclaimed, pages of processes or of files.
    Swappiness,
}

/// Those of which there is one.
const SINGLE: [KernelFile; 9] = [
    KernelFile::CurrentClocksource,
    KernelFile::GuestHaltPoll,
    KernelFile::HostHaltPoll,
    KernelFile::ThpEnabled,
    KernelFile::ThpDefrag,
    KernelFile::MinFree,
    KernelFile::BaseSlice,
    KernelFile::Compaction,
    KernelFile::Swappiness,
];

/// Where frequencies are set.
pub(crate) const POLICIES: &str = "/sys/devices/system/cpu/cpufreq";

/// What the files of devices are called below them.
const READ_AHEAD: &str = "queue/read_ahead_kb";

impl KernelFile {
    /// Where it is.
    pub fn path(&self) -> String {
        let thp = |name: &str| format!("/sys/kernel/mm/transparent_hugepage/{name}");
        match self {
            KernelFile::CurrentClocksource => {
                "/sys/devices/system/clocksource/clocksource0/current_clocksource".into()
            }
            KernelFile::Governor(policy) => format!("{POLICIES}/policy{policy}/scaling_governor"),
            KernelFile::EnergyPreference(policy) => {
                format!("{POLICIES}/policy{policy}/energy_performance_preference")
            }
            KernelFile::GuestHaltPoll => {
                "/sys/module/haltpoll/parameters/guest_halt_poll_ns".into()
            }
            KernelFile::HostHaltPoll => "/sys/module/kvm/parameters/halt_poll_ns".into(),
            KernelFile::ThpEnabled => thp("enabled"),
            KernelFile::ThpDefrag => thp("defrag"),
            KernelFile::MinFree => "/proc/sys/vm/min_free_kbytes".into(),
            KernelFile::BaseSlice => "/sys/kernel/debug/sched/base_slice_ns".into(),
            KernelFile::ReadAhead(device) => format!("/sys/block/{}/{READ_AHEAD}", device.name()),
            KernelFile::ReadAheadOf(number) => {
                format!("/sys/devices/virtual/bdi/0:{number}/read_ahead_kb")
            }
            KernelFile::Compaction => "/proc/sys/vm/compaction_proactiveness".into(),
            KernelFile::Swappiness => "/proc/sys/vm/swappiness".into(),
        }
    }

    /// The one at `path`, written as [`path`](Self::path) writes it.
    pub(crate) fn parse(path: &str) -> Option<KernelFile> {
        let number = |text: &str| text.parse::<u32>().ok();
        let between = |first: &str, last: &str| path.strip_prefix(first)?.strip_suffix(last);
        let policy = format!("{POLICIES}/policy");
        let of_policy = |file: &str| number(between(&policy, file)?);
        let found = [
            SINGLE.into_iter().find(|file| file.path() == path),
            of_policy("/scaling_governor").map(KernelFile::Governor),
            of_policy("/energy_performance_preference").map(KernelFile::EnergyPreference),
            between("/sys/block/", &format!("/{READ_AHEAD}"))
                .and_then(Device::parse)
                .map(KernelFile::ReadAhead),
            between("/sys/devices/virtual/bdi/0:", "/read_ahead_kb")
                .and_then(number)
                .map(KernelFile::ReadAheadOf),
        ];
        // Numbers have other spellings, which no journal of ours has.
        found.into_iter().flatten().find(|file| file.path() == path)
    }

    /// Is it a value that the file may have, and a line of a journal hold?
    pub(crate) fn takes(&self, value: &str) -> bool {
        let word = (1..=64).contains(&value.len()) && value.chars().all(|c| c.is_ascii_graphic());
        match self {
            KernelFile::CurrentClocksource
            | KernelFile::Governor(_)
            | KernelFile::EnergyPreference(_)
            | KernelFile::ThpEnabled
            | KernelFile::ThpDefrag => word,
            _ => word && value.bytes().all(|b| b.is_ascii_digit()),
        }
    }

    /// What the kernel may change by itself when this is written, and does not change back.
    pub(crate) fn moves(&self) -> Option<KernelFile> {
        match self {
            KernelFile::Governor(policy) => Some(KernelFile::EnergyPreference(*policy)),
            KernelFile::ThpEnabled => Some(KernelFile::MinFree),
            _ => None,
        }
    }

    /// Does it go with what it sets: CPUs, devices and modules may be taken away?
    fn goes(&self) -> bool {
        matches!(
            self,
            KernelFile::Governor(_)
                | KernelFile::EnergyPreference(_)
                | KernelFile::GuestHaltPoll
                | KernelFile::HostHaltPoll
                | KernelFile::ReadAhead(_)
                | KernelFile::ReadAheadOf(_)
        )
    }

    fn failed(&self, why: std::io::Error) -> ConditionError {
        ConditionError::at(Path::new(&self.path()), why)
    }

    /// Where it is below `root`, by a way without links but that of the kernel from a device's name to it.
    fn below(&self, root: &Path) -> Result<PathBuf, ConditionError> {
        let at = |why: std::io::Error| self.failed(why);
        let root = fs::canonicalize(root).map_err(at)?;
        let path = root.join(self.path().trim_start_matches('/'));
        let real = fs::canonicalize(&path).map_err(at)?;
        let meant = match self {
            KernelFile::ReadAhead(device) => {
                let devices = root.join("sys/devices");
                let file = Path::new(device.name()).join(READ_AHEAD);
                real.starts_with(devices) && real.ends_with(file)
            }
            _ => real == path,
        };
        match meant {
            true => Ok(real),
            false => Err(ConditionError::not_believed(format!(
                "{}: a link leads elsewhere",
                self.path()
            ))),
        }
    }

    /// Is it there?
    pub(crate) fn exists(&self, root: &Path) -> bool {
        root.join(self.path().trim_start_matches('/')).exists()
    }

    pub(crate) fn read(&self, root: &Path) -> Result<String, ConditionError> {
        let text = fs::read_to_string(self.below(root)?);
        text.map(|text| KernelFile::value(&text))
            .map_err(|why| self.failed(why))
    }

    /// The value in the text of such a file: the word in brackets if it lists choices, else all of it.
    pub fn value(text: &str) -> String {
        let inside = text
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        inside.map_or(text, |(word, _)| word).trim().to_owned()
    }

    pub(crate) fn write(&self, root: &Path, value: &str) -> Result<(), ConditionError> {
        let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = open(self.below(root)?, flags, Mode::empty()).map_err(std::io::Error::from);
        let written = file.and_then(|file| File::from(file).write_all(value.as_bytes()));
        written.map_err(|why| self.failed(why))
    }

    /// Keeps other processes of this program from changing it, as long as the answer is held.
    pub(crate) fn lock(&self, root: &Path) -> Result<File, ConditionError> {
        let file = File::open(self.below(root)?).map_err(|why| self.failed(why))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            let path = self.path();
            ConditionError::unavailable(format!("{path}: changed by another whyslow at the moment"))
        })?;
        Ok(file)
    }

    /// Writes `value` and reads it back.
    fn set(&self, root: &Path, value: &str) -> Result<(), ConditionError> {
        self.write(root, value)?;
        self.says(root, value)
    }

    pub(crate) fn says(&self, root: &Path, value: &str) -> Result<(), ConditionError> {
        let now = self.read(root)?;
        match now == value {
            true => Ok(()),
            false => Err(ConditionError::WoundBack {
                path: self.path(),
                now,
                wanted: value.to_owned(),
            }),
        }
    }

    /// Writes `before` where the file still says `after`, or whatever it says where the kernel changed it (`None`);
    /// what was written since stays.
    pub(crate) fn put_back(
        &self,
        root: &Path,
        before: &str,
        after: Option<&str>,
    ) -> Result<(), ConditionError> {
        if self.goes() && !self.exists(root) {
            return Ok(());
        }
        let now = self.read(root)?;
        if now == before || after.is_some_and(|after| now != after) {
            return Ok(());
        }
        self.set(root, before)
    }
}
