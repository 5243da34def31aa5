//! A kernel setting that is written, and restored.

use std::path::{Path, PathBuf};

use crate::error::ConditionError;
use crate::journal::{Change, Journal, is_word};
use crate::kernel_file::KernelFile;
use crate::setup::Guard;
use crate::state::state_folder;
use crate::text::plain;

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
    ) -> Result<Setting, ConditionError> {
        let before = file.read(root)?;
        if let Some(odd) = [before.as_str(), value].into_iter().find(|v| !is_word(v)) {
            return Err(ConditionError::bad_value(format!(
                "{}: '{}' could not be put back",
                file.path(),
                plain(odd)
            )));
        }
        let none = |why| ConditionError::NoJournal(Box::new(why));
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
    pub(crate) fn set(file: KernelFile, value: &str) -> Result<Setting, ConditionError> {
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
