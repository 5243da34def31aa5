//! `whyslow restore`: puts back what an interrupted experiment changed.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use whyslow_conditions::{left_behind, restore as undo_all, state_folder, undo};

use crate::output;

/// Something could not be put back.
const LEFT: u8 = 1;

/// Puts it back and says what.
pub(crate) fn restore() -> Result<ExitCode> {
    let folder = state_folder();
    let done = undo_all(&folder);
    let mut text = String::new();
    let mut left = false;
    for undone in &done {
        match &undone.outcome {
            Ok(()) => text += &format!("put back: {}\n", undone.what),
            Err(why) => {
                left = true;
                text += &format!("not put back: {}: {why}\n", undone.what);
            }
        }
    }
    if done.is_empty() {
        text += "nothing was left behind by an experiment\n";
    }
    output::print(&text)?;
    Ok(if left {
        ExitCode::from(LEFT)
    } else {
        ExitCode::SUCCESS
    })
}

/// Puts back what processes started meanwhile leave behind: a worker that is killed, because it hangs or
/// the user has had enough, cannot do it by itself.
pub(crate) struct PutBack {
    folder: PathBuf,
    /// What had been left behind before, by somebody else.
    others: Vec<PathBuf>,
}

impl PutBack {
    /// From here on.
    pub(crate) fn begin() -> PutBack {
        let folder = state_folder();
        let others = left_behind(&folder);
        PutBack { folder, others }
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        let ours = left_behind(&self.folder);
        let ours = ours.iter().filter(|path| !self.others.contains(path));
        for undone in ours.flat_map(|path| undo(path)) {
            if let Err(why) = undone.outcome {
                output::warn(&format!(
                    "not put back: {}: {why}; try again with: whyslow restore",
                    undone.what
                ));
            }
        }
    }
}

/// Warns of what an interrupted experiment left behind.
pub(crate) fn warn_of_left_behind() {
    if !left_behind(&state_folder()).is_empty() {
        output::warn(
            "an experiment was interrupted and left changes behind; put them back with: whyslow restore",
        );
    }
}
