//! Programs installed on the host: paths and versions.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::stop::Stop;

/// Search path when `PATH` is not set, as in shells.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The path of the program `name`.
///
/// # Errors
/// When it is not installed.
pub fn find(name: &str) -> Result<PathBuf, Stop> {
    let path = env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|place| place.is_file())
        .ok_or_else(|| {
            Stop::Unavailable(format!(
                "{name} is not installed; install it to measure this point"
            ))
        })
}

/// The first line of `--version`, else the program's path.
///
/// # Errors
/// When it is not installed.
pub fn version(name: &str) -> Result<String, Stop> {
    let place = find(name)?;
    let answer = Command::new(&place)
        .arg("--version")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let first = answer.ok().filter(|a| a.status.success()).and_then(|a| {
        let text = String::from_utf8_lossy(&a.stdout).into_owned();
        let line = text.lines().next()?.trim().to_owned();
        (!line.is_empty()).then_some(line)
    });
    // A program without a version, such as dash: its real path and size identify the build.
    Ok(first.unwrap_or_else(|| {
        let real = place.canonicalize().unwrap_or(place);
        let bytes = real.metadata().map_or(0, |m| m.len());
        format!("{} ({bytes} bytes)", real.display())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_shell_and_says_what_is_missing() {
        assert!(find("sh").unwrap().is_absolute());
        assert!(!version("sh").unwrap().is_empty());
        let missing = find("no-such-program-here").unwrap_err().to_string();
        assert!(missing.contains("no-such-program-here"), "{missing}");
    }
}
