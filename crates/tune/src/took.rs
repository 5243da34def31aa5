//! The manipulation check of settings: does a process that is started under one see it?

use std::path::Path;
use std::process::{Command, Stdio};

use whyslow_runner::UNDER;

use crate::setting::Candidate;

/// Holds that processes under `candidate` see it, and that others do not. `own` is this program.
///
/// # Errors
/// Why it is not to be tried: refused, already so, or without effect.
pub fn took(own: &Path, loader: Option<&str>, candidate: &Candidate) -> Result<(), String> {
    let mut already = true;
    for (shows, wanted) in &candidate.wanted {
        let program = shows.program(loader.unwrap_or_default());
        let nothing = ["nothing".to_owned()];
        let before = shows.value(&printed(own, &nothing, &program)?);
        let after = shows.value(&printed(own, &candidate.under(), &program)?);
        if after.as_ref() != Some(wanted) {
            return Err(match after {
                Some(after) => format!("it did not take: a process sees {after}, not {wanted}"),
                None => "it did not take: a process does not see it".to_owned(),
            });
        }
        already &= before == after;
    }
    match already {
        true => Err(match &candidate.machine {
            Some(machine) => format!("it is so already ({})", machine.value),
            None => "it is so already".into(),
        }),
        false => Ok(()),
    }
}

/// What `program` prints when it is started under `conditions`.
fn printed(own: &Path, conditions: &[String], program: &[String]) -> Result<String, String> {
    let output = Command::new(own)
        .arg(UNDER)
        .args(conditions)
        .arg("--")
        .args(program)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", own.display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    let last = last.unwrap_or("it ended without a word").trim();
    Err(last.trim_start_matches("whyslow: ").to_owned())
}
