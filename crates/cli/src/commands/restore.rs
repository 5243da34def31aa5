//! `whyslow restore`: puts back what an interrupted experiment changed, and removes what killed runs left.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use whyslow_conditions::{left_behind, restore as undo_all, state_folder};
use whyslow_leftovers::sweep_all;

use crate::commands::put_back::{ROOT, journals};
use crate::exit;
use crate::output;

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

/// What is still to be put back: the files that say it.
pub(crate) fn outstanding() -> Vec<String> {
    let paths = journals().into_iter();
    paths.map(|path| path.display().to_string()).collect()
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
