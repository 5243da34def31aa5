//! Files of the kernel that are written, and restored.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::ConditionError;
use crate::journal::{Change, Journal, claimed};
use crate::kernel_file::KernelFile;
use crate::setup::Guard;
use crate::state::state_folder;
use crate::text::plain;

/// A setting of the whole machine, changed until dropped.
#[derive(Debug)]
pub struct Setting {
    journal: Journal,
    root: PathBuf,
    /// Keep other processes of this program away until all is put back.
    _locks: Vec<File>,
}

impl Setting {
    /// Writes `value` to all of `files`, which are read back, with what they said in a journal in `folder` first;
    /// without a value what they say anyway, with all that goes with a change. The files are those below `root`, which
    /// is `/` but in tests. `step` is called after each step; tests end the process there.
    ///
    /// # Errors
    /// When a file cannot be read or written, or then reads differently; when another process of this program changes
    /// it, or one that was killed left it changed.
    pub fn change(
        files: &[KernelFile],
        value: Option<&str>,
        root: &Path,
        folder: &Path,
        step: &mut dyn FnMut(&'static str),
    ) -> Result<Setting, ConditionError> {
        let mut changes = Vec::new();
        for file in files {
            let before = file.read(root)?;
            let after = value.unwrap_or(&before).to_owned();
            if let Some(odd) = [&before, &after].into_iter().find(|v| !file.takes(v)) {
                return Err(ConditionError::bad_value(format!(
                    "{}: '{}' could not be put back",
                    file.path(),
                    plain(odd)
                )));
            }
            changes.push((file, before, after));
        }
        let locks: Result<Vec<File>, _> = files.iter().map(|file| file.lock(root)).collect();
        let locks = locks?;
        // Read before the locks were had.
        for (file, before, _) in &changes {
            file.says(root, before)?;
        }
        let none = |why| ConditionError::NoJournal(Box::new(why));
        let claimed = claimed(folder).map_err(none)?;
        if let Some(file) = files.iter().find(|file| claimed.contains(file)) {
            return Err(ConditionError::LeftChanged(file.path()));
        }
        let journal = Journal::open(folder).map_err(none)?;
        let mut setting = Setting {
            journal,
            root: root.to_owned(),
            _locks: locks,
        };
        step("opened");
        // Undone last, after what may change it once more.
        for file in files.iter().filter_map(KernelFile::moves) {
            if file.exists(root) {
                let before = file.read(root)?;
                let change = Change::Moved { file, before };
                setting.journal.note(&change).map_err(none)?;
            }
        }
        for (file, before, after) in &changes {
            let change = Change::Setting {
                file: (*file).clone(),
                before: before.clone(),
                after: after.clone(),
            };
            setting.journal.note(&change).map_err(none)?;
        }
        step("noted");
        for (file, before, after) in &changes {
            file.write(root, after)?;
            step("written");
            if let Err(why) = file.says(root, after) {
                // The kernel made another value of it, which the journal does not know as written by us.
                file.write(root, before)?;
                return Err(why);
            }
            step("verified");
        }
        Ok(setting)
    }

    /// The same on this machine, with the journal where it belongs.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn set(files: &[KernelFile], value: Option<&str>) -> Result<Setting, ConditionError> {
        Setting::change(files, value, Path::new("/"), &state_folder()?, &mut |_| ())
    }
}

impl Guard for Setting {}

impl Drop for Setting {
    fn drop(&mut self) {
        // What cannot be put back stays in the journal, for `whyslow restore`.
        self.journal.undo(&self.root);
    }
}
