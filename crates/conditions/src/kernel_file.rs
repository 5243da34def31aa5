//! Files of the kernel that knobs write.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

use crate::error::ConditionError;

/// The files of the kernel that knobs write, and the only ones that are put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelFile {
    /// What the time is read from.
    CurrentClocksource,
}

impl KernelFile {
    /// All of them.
    pub const ALL: [KernelFile; 1] = [KernelFile::CurrentClocksource];

    /// Where it is.
    pub fn path(self) -> &'static str {
        match self {
            KernelFile::CurrentClocksource => {
                "/sys/devices/system/clocksource/clocksource0/current_clocksource"
            }
        }
    }

    fn failed(self, why: std::io::Error) -> ConditionError {
        ConditionError::at(Path::new(self.path()), why)
    }

    /// Where it is below `root`, by a way without links.
    fn below(self, root: &Path) -> Result<PathBuf, ConditionError> {
        let at = |why: std::io::Error| self.failed(why);
        let path = fs::canonicalize(root)
            .map_err(at)?
            .join(self.path().trim_start_matches('/'));
        match fs::canonicalize(&path).map_err(at)? == path {
            true => Ok(path),
            false => Err(ConditionError::not_believed(format!(
                "{}: a link leads elsewhere",
                self.path()
            ))),
        }
    }

    pub(crate) fn read(self, root: &Path) -> Result<String, ConditionError> {
        let text = fs::read_to_string(self.below(root)?);
        text.map(|text| chosen(&text))
            .map_err(|why| self.failed(why))
    }

    pub(crate) fn write(self, root: &Path, value: &str) -> Result<(), ConditionError> {
        let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = open(self.below(root)?, flags, Mode::empty()).map_err(std::io::Error::from);
        let written = file.and_then(|file| File::from(file).write_all(value.as_bytes()));
        written.map_err(|why| self.failed(why))
    }

    /// Writes `value` and reads it back.
    fn set(self, root: &Path, value: &str) -> Result<(), ConditionError> {
        self.write(root, value)?;
        self.says(root, value)
    }

    pub(crate) fn says(self, root: &Path, value: &str) -> Result<(), ConditionError> {
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

    /// Writes `before` where the file still says `after`; what was written since stays.
    pub(crate) fn put_back(
        self,
        root: &Path,
        before: &str,
        after: &str,
    ) -> Result<(), ConditionError> {
        let now = self.read(root)?;
        if now == before || now != after {
            return Ok(());
        }
        self.set(root, before)
    }
}

/// The value of a kernel file: the word in brackets if it lists choices, else all of it.
fn chosen(text: &str) -> String {
    let inside = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(word, _)| word).trim().to_owned()
}
