//! `whyslow restore`: puts back what an interrupted experiment changed, and removes what killed runs left.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use whyslow_conditions::{Undone, left_behind, restore as undo_all, state_folder, undo};
use whyslow_leftovers::sweep_all;

use crate::commands::guard::Guarded;
use crate::exit;
use crate::output;

/// Where the kernel's files are.
const ROOT: &str = "/";

/// Puts it back and says what.
pub(crate) fn restore() -> Result<ExitCode> {
    // Folders go whatever else is refused.
    let swept = sweep_all();
    let done = state_folder()
        .and_then(|folder| undo_all(&folder, Path::new(ROOT)))
        .map_err(|why| anyhow!("{why}; nothing was put back"));
    let mut text = String::new();
    for folder in &swept.removed {
        text += &format!("removed: {}\n", folder.display());
    }
    for (folder, why) in &swept.stay {
        text += &format!("not removed: {}: {why}\n", folder.display());
    }
    let mut left = !swept.stay.is_empty();
    for undone in done.as_ref().into_iter().flatten() {
        match &undone.outcome {
            Ok(()) => text += &format!("put back: {}\n", undone.what),
            Err(why) => {
                left = true;
                text += &format!("not put back: {}: {why}\n", undone.what);
            }
        }
    }
    if text.is_empty() && done.is_ok() {
        text += "nothing was left behind by an experiment or a run\n";
    }
    output::print(&text)?;
    done?;
    Ok(if left {
        ExitCode::from(exit::FOUND)
    } else {
        ExitCode::SUCCESS
    })
}

/// Journals of changes that were left behind. Those of a place that is not believed are none.
fn journals() -> Vec<PathBuf> {
    let found = state_folder().and_then(|folder| left_behind(&folder));
    found.unwrap_or_default()
}

/// What is still to be put back: the files that say it.
pub(crate) fn outstanding() -> Vec<String> {
    let paths = journals().into_iter();
    paths.map(|path| path.display().to_string()).collect()
}

/// Puts back what processes started meanwhile leave behind: a worker that is killed, because it hangs or
/// the user has had enough, cannot do it by itself.
pub(crate) struct PutBack {
    /// What had been left behind before, by other runs.
    others: Vec<PathBuf>,
    /// Does the same where this process is killed.
    guard: Option<Guarded>,
}

impl PutBack {
    /// From here on.
    pub(crate) fn begin() -> PutBack {
        let others = journals();
        PutBack {
            guard: Guarded::begin(&others),
            others,
        }
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        for undone in put_back(&self.others) {
            if let Err(why) = undone.outcome {
                output::warn(&format!(
                    "not put back: {}: {why}; try again with `whyslow restore`",
                    undone.what
                ));
            }
        }
        if let Some(guard) = self.guard.take() {
            guard.end();
        }
    }
}

/// Puts back what is left behind, but for what was before.
pub(crate) fn put_back(others: &[PathBuf]) -> Vec<Undone> {
    let ours = journals();
    let ours = ours.iter().filter(|path| !others.contains(path));
    ours.flat_map(|path| undo(path, Path::new(ROOT))).collect()
}

/// Warns of what an interrupted experiment left behind.
pub(crate) fn warn_of_left_behind() {
    match state_folder().and_then(|folder| left_behind(&folder)) {
        Ok(left) if left.is_empty() => {}
        Ok(_) => output::warn(
            "an experiment was interrupted and left changes behind; put them back with `whyslow restore`",
        ),
        Err(why) => output::warn(&why.to_string()),
    }
}
