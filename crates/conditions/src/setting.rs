//! A kernel setting that is written, and restored.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

use crate::journal::{Change, Journal, is_word};
use crate::state::{plain, state_folder};
use crate::under::Guard;

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

    /// Where it is below `root`, by a way without links.
    fn below(self, root: &Path) -> Result<PathBuf, String> {
        let at = |why: std::io::Error| format!("{}: {why}", self.path());
        let path = fs::canonicalize(root)
            .map_err(at)?
            .join(self.path().trim_start_matches('/'));
        match fs::canonicalize(&path).map_err(at)? == path {
            true => Ok(path),
            false => Err(format!("{}: a link leads elsewhere", self.path())),
        }
    }

    fn read(self, root: &Path) -> Result<String, String> {
        let text = fs::read_to_string(self.below(root)?);
        text.map(|text| chosen(&text))
            .map_err(|why| format!("{}: {why}", self.path()))
    }

    fn write(self, root: &Path, value: &str) -> Result<(), String> {
        let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = open(self.below(root)?, flags, Mode::empty()).map_err(std::io::Error::from);
        let written = file.and_then(|file| File::from(file).write_all(value.as_bytes()));
        written.map_err(|why| format!("{}: {why}", self.path()))
    }

    /// Writes `value` and reads it back.
    fn set(self, root: &Path, value: &str) -> Result<(), String> {
        self.write(root, value)?;
        self.says(root, value)
    }

    fn says(self, root: &Path, value: &str) -> Result<(), String> {
        let now = self.read(root)?;
        match now == value {
            true => Ok(()),
            false => Err(format!("{}: is {now} after writing {value}", self.path())),
        }
    }

    /// Writes `before` where the file still says `after`; what was written since stays.
    pub(crate) fn put_back(self, root: &Path, before: &str, after: &str) -> Result<(), String> {
        let now = self.read(root)?;
        if now == before || now != after {
            return Ok(());
        }
        self.set(root, before)
    }
}

/// A setting of the whole machine, changed until dropped.
#[derive(Debug)]
pub struct Setting {
    journal: Journal,
    root: PathBuf,
}

impl Setting {
    /// Writes `value` to `file`, which is read back, with what it said in a journal in `folder` first.
    /// The file is the one below `root`, which is `/` but in tests. `step` is called after each step;
    /// tests end the process there.
    ///
    /// # Errors
    /// When the file cannot be read or written, or then reads differently.
    pub fn change(
        file: KernelFile,
        value: &str,
        root: &Path,
        folder: &Path,
        step: &mut dyn FnMut(&'static str),
    ) -> Result<Setting, String> {
        let before = file.read(root)?;
        if let Some(odd) = [before.as_str(), value].into_iter().find(|v| !is_word(v)) {
            return Err(format!(
                "{}: '{}' could not be put back",
                file.path(),
                plain(odd)
            ));
        }
        let none = |why: String| format!("no journal can be kept: {why}");
        let mut journal = Journal::open(folder).map_err(none)?;
        step("opened");
        let change = Change::Setting {
            file,
            before,
            after: value.to_owned(),
        };
        journal.note(&change).map_err(none)?;
        step("noted");
        let setting = Setting {
            journal,
            root: root.to_owned(),
        };
        file.write(root, value)?;
        step("written");
        file.says(root, value)?;
        step("verified");
        Ok(setting)
    }

    /// The same for a knob, with the journal where it belongs.
    pub(crate) fn set(file: KernelFile, value: &str) -> Result<Setting, String> {
        Setting::change(file, value, Path::new("/"), &state_folder()?, &mut |_| ())
    }
}

impl Guard for Setting {}

impl Drop for Setting {
    fn drop(&mut self) {
        // What cannot be put back stays in the journal, for `whyslow restore`.
        self.journal.undo(&self.root);
    }
}

/// The value of a kernel file: the word in brackets if it lists choices, else all of it.
fn chosen(text: &str) -> String {
    let inside = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(word, _)| word).trim().to_owned()
}
