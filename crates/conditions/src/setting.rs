//! A file of the kernel that is written, and put back.

use std::fs;
use std::path::Path;

use crate::journal::{Change, Journal, state_folder};
use crate::under::Guard;

/// A setting of the whole machine, changed until dropped.
#[derive(Debug)]
pub struct Setting {
    journal: Journal,
}

impl Setting {
    /// Writes `value` to the file at `path`, which is read back, with what it said in the journal first.
    /// `step` is called after each step; tests end the process there.
    ///
    /// # Errors
    /// When the file cannot be read or written, or then says something else.
    pub fn change(
        path: &Path,
        value: &str,
        folder: &Path,
        step: &mut dyn FnMut(&'static str),
    ) -> Result<Setting, String> {
        let at = |e: std::io::Error| format!("{}: {e}", path.display());
        let before = chosen(&fs::read_to_string(path).map_err(at)?);
        let mut journal = Journal::open(folder)
            .map_err(|e| format!("{}: no journal can be kept: {e}", folder.display()))?;
        step("opened");
        let change = Change::Setting {
            path: path.to_owned(),
            before,
            after: value.to_owned(),
        };
        journal
            .note(&change)
            .map_err(|e| format!("{}: no journal can be kept: {e}", folder.display()))?;
        step("noted");
        let setting = Setting { journal };
        fs::write(path, value).map_err(at)?;
        step("written");
        let now = chosen(&fs::read_to_string(path).map_err(at)?);
        if now != value {
            return Err(format!(
                "{}: is {now} after writing {value}",
                path.display()
            ));
        }
        step("verified");
        Ok(setting)
    }

    /// The same for a knob, with the journal where it belongs.
    pub(crate) fn set(path: &str, value: &str) -> Result<Setting, String> {
        Setting::change(Path::new(path), value, &state_folder(), &mut |_| ())
    }
}

impl Guard for Setting {}

impl Drop for Setting {
    fn drop(&mut self) {
        // What cannot be put back stays in the journal, for `whyslow restore`.
        self.journal.undo();
    }
}

/// What a file of the kernel says: the word in brackets where it lists the choices, else all of it.
fn chosen(text: &str) -> String {
    let inside = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(word, _)| word).trim().to_owned()
}

/// Writes `before` where the file still says `after`; what somebody else wrote since stays.
pub(crate) fn put_back(path: &Path, before: &str, after: &str) -> Result<(), String> {
    let at = |e: std::io::Error| format!("{}: {e}", path.display());
    let now = chosen(&fs::read_to_string(path).map_err(at)?);
    if now == before || now != after {
        return Ok(());
    }
    fs::write(path, before).map_err(at)?;
    let now = chosen(&fs::read_to_string(path).map_err(at)?);
    if now == before {
        Ok(())
    } else {
        Err(format!(
            "{}: is {now} after writing {before}",
            path.display()
        ))
    }
}
