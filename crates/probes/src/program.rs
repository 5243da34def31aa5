//! Programs of the host, run in the worker's private directory.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bench::{Bench, Timed, Variant};
use crate::stop::Stop;
use crate::tools;

/// A private directory of this process, removed when dropped.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates one in the run's temporary directory.
    ///
    /// # Errors
    /// When there is no temporary directory.
    pub(crate) fn of(bench: &Bench<'_>) -> Result<Folder, Stop> {
        let scratch = bench.job.scratch.as_ref().ok_or_else(|| {
            Stop::Unavailable("no temporary directory could be created; set TMPDIR".into())
        })?;
        let path = Path::new(scratch).join(format!("program-{}", std::process::id()));
        fs::create_dir(&path).map_err(|e| Stop::unavailable(&path.display().to_string(), e))?;
        Ok(Folder(path))
    }

    /// The path of `name` in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), Stop> {
        let path = self.path(name);
        fs::write(&path, content).map_err(|e| Stop::unavailable(&path.display().to_string(), e))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, Stop> {
        let path = self.path(name);
        fs::read(&path).map_err(|e| Stop::unavailable(&path.display().to_string(), e))
    }

    /// Opens a file for a program to read.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(&self, name: &str) -> Result<fs::File, Stop> {
        let path = self.path(name);
        fs::File::open(&path).map_err(|e| Stop::unavailable(&path.display().to_string(), e))
    }

    /// Creates a file for a program to write.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn create(&self, name: &str) -> Result<fs::File, Stop> {
        let path = self.path(name);
        fs::File::create(&path).map_err(|e| Stop::unavailable(&path.display().to_string(), e))
    }

    /// A program of the host that runs here, as [`Folder::command`] does.
    ///
    /// # Errors
    /// When it is not installed.
    pub(crate) fn program(&self, name: &str) -> Result<Command, Stop> {
        Ok(self.command(&tools::find(name)?))
    }

    /// A command that runs here, with only the path of our environment, a fixed locale and its own
    /// home directory. Its output is discarded.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.0)
            .env_clear()
            .env("LC_ALL", "C")
            .env("HOME", &self.0)
            .env("TMPDIR", &self.0)
            .envs(env::var_os("PATH").map(|path| ("PATH", path)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Best effort: the run's directory is removed at its end.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs it to completion; it must succeed.
///
/// # Errors
/// When it fails or cannot be started.
pub(crate) fn run(command: &mut Command, what: &str) -> Result<(), Stop> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop::Unavailable(format!("{what} failed: {status}"))),
        Err(e) => Err(Stop::unavailable(what, e)),
    }
}

/// Its output; it must succeed.
///
/// # Errors
/// When it fails or cannot be started.
pub(crate) fn output(command: &mut Command, what: &str) -> Result<Vec<u8>, Stop> {
    let output = command
        .stdout(Stdio::piped())
        .output()
        .map_err(|e| Stop::unavailable(what, e))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(Stop::Unavailable(format!(
            "{what} failed: {}",
            output.status
        ))),
    }
}

/// Notes the versions of the programs that are measured.
pub(crate) fn note_versions(bench: &mut Bench<'_>, versions: &[String]) {
    bench.note(format!("programs: {}", versions.join("; ")));
}

/// Measures `once`, which does `work` units of the point's work.
///
/// # Errors
/// When it fails.
pub(crate) fn repeat(
    bench: &mut Bench<'_>,
    work: f64,
    mut once: impl FnMut() -> Result<(), Stop>,
) -> Result<(), Stop> {
    for _ in 0..bench.job.draws {
        bench.draw(&mut [Variant::new("", work, |n| {
            for _ in 0..n {
                once()?;
            }
            Ok(Timed::Outside)
        })])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The locale changes sort and grep by half; the caller's must not affect the result.
    #[test]
    fn nothing_of_the_callers_environment_comes_through() {
        let own = tempfile::tempdir().unwrap();
        let folder = Folder(own.path().join("program"));
        fs::create_dir(&folder.0).unwrap();
        let mut command = folder.program("env").unwrap();
        // A shell would add its own variables; `env` has none.
        let printed = output(&mut command, "env").unwrap();
        let mut names: Vec<&str> = std::str::from_utf8(&printed)
            .unwrap()
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name)
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["HOME", "LC_ALL", "PATH", "TMPDIR"]);
        // Cargo's variables are in our environment, so the test would see one that is not cleared.
        assert!(env::vars_os().count() > names.len());
        let locale = command.get_envs().find(|(name, _)| *name == "LC_ALL");
        assert_eq!(locale.and_then(|(_, value)| value), Some("C".as_ref()));
    }
}
