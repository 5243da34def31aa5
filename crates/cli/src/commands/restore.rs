//! `whyslow restore`: puts back what an interrupted experiment changed.

use std::process::ExitCode;

use anyhow::Result;
use whyslow_conditions::{left_behind, restore as undo, state_folder};

use crate::output;

/// Something could not be put back.
const LEFT: u8 = 1;

/// Puts it back and says what.
pub(crate) fn restore() -> Result<ExitCode> {
    let folder = state_folder();
    let done = undo(&folder);
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

/// Warns of what an interrupted experiment left behind.
pub(crate) fn warn_of_left_behind() {
    if !left_behind(&state_folder()).is_empty() {
        output::warn(
            "an experiment was interrupted and left changes behind; put them back with: whyslow restore",
        );
    }
}
