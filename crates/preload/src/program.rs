//! Which programs can be run with a preloaded library.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Why a program cannot be run on colored pages.
#[derive(Debug, thiserror::Error)]
pub enum Cannot {
    /// There is no such program.
    #[error("{}: {why}", program.display())]
    NotFound {
        /// As given.
        program: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
    /// It is statically linked.
    #[error(
        "{} is statically linked: no library can be preloaded, so its pages cannot be colored; run it without `color run`",
        .0.display()
    )]
    Static(PathBuf),
    /// It gains privileges at exec.
    #[error(
        "{} gains privileges at exec (set-user-id, set-group-id or capabilities): the loader preloads no library into such programs, so its pages cannot be colored; run it without `color run`",
        .0.display()
    )]
    Privileged(PathBuf),
    /// It is for another architecture.
    #[error(
        "{} is not built for this architecture ({}, 64 bits): the library does not match it; run it without `color run`",
        .0.display(),
        std::env::consts::ARCH
    )]
    Foreign(PathBuf),
    /// This build has no library.
    #[error(
        "`color run` is for x86-64 and aarch64; this machine is {}",
        std::env::consts::ARCH
    )]
    Machine,
    /// An invalid policy.
    #[error("{0}")]
    Policy(String),
    /// Required files could not be created.
    #[error("the library for the program: {0}")]
    Library(io::Error),
    /// The system did not start it.
    #[error("{}: {why}", program.display())]
    Start {
        /// As given.
        program: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

/// Nested script interpreters that the kernel follows.
const SCRIPTS: usize = 5;

/// Longest first line of a script read by the kernel.
const LINE: usize = 256;

/// Checks whether a library can be preloaded into `program`.
///
/// # Errors
/// The reason if not.
pub fn check(program: &OsStr) -> Result<(), Cannot> {
    let mut path = find(program, std::env::var_os("PATH").as_deref())?;
    for _ in 0..SCRIPTS {
        let failed = |why| Cannot::NotFound {
            program: path.clone(),
            why,
        };
        let status = fs::metadata(&path).map_err(failed)?;
        let mut head = Vec::new();
        match File::open(&path) {
            // Program headers are few, and directly follow the ELF header in all linker output.
            Ok(file) => file.take(4096).read_to_end(&mut head).map_err(failed)?,
            // An executable that is not readable cannot be checked; then the loader decides.
            Err(_) => return privileged(&path, &status),
        };
        if let Some(line) = head.strip_prefix(b"#!") {
            path = interpreter(line).ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
            continue;
        }
        return match elf(&head) {
            Elf::Dynamic => privileged(&path, &status),
            Elf::Static => Err(Cannot::Static(path)),
            Elf::Foreign => Err(Cannot::Foreign(path)),
            // Neither: exec reports the error.
            Elf::None => Ok(()),
        };
    }
    Ok(())
}

/// The file that would be run, as a shell finds it.
fn find(program: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, Cannot> {
    let not_found = |why| Cannot::NotFound {
        program: PathBuf::from(program),
        why,
    };
    if program.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(program));
    }
    let path = path.unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"));
    std::env::split_paths(path)
        .map(|folder| folder.join(program))
        .find(|file| {
            fs::metadata(file).is_ok_and(|s| s.is_file() && s.permissions().mode() & 0o111 != 0)
        })
        .ok_or_else(|| not_found(io::Error::from_raw_os_error(libc::ENOENT)))
}

fn interpreter(line: &[u8]) -> Option<PathBuf> {
    let line = line.get(..LINE.min(line.len()))?;
    let line = line.split(|c| *c == b'\n').next()?;
    let mut words = line
        .split(|c| c.is_ascii_whitespace())
        .filter(|w| !w.is_empty());
    let name = OsString::from_vec(words.next()?.to_vec());
    // `#!/usr/bin/env python3` runs python3 through a program that can itself be preloaded.
    Some(PathBuf::from(name))
}

fn privileged(path: &Path, status: &fs::Metadata) -> Result<(), Cannot> {
    let mode = status.permissions().mode();
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    let changes = mode & 0o4000 != 0 && status.uid() != user
        || mode & 0o2000 != 0 && status.gid() != group
        // Root has all capabilities already.
        || user != 0 && has_capabilities(path);
    if changes {
        return Err(Cannot::Privileged(path.to_owned()));
    }
    Ok(())
}

fn has_capabilities(path: &Path) -> bool {
    let mut none = [0_u8; 0];
    rustix::fs::getxattr(path, c"security.capability", &mut none).is_ok_and(|bytes| bytes > 0)
}

/// Kind of a file.
#[derive(Debug, PartialEq, Eq)]
enum Elf {
    Dynamic,
    Static,
    Foreign,
    None,
}

/// By its header: dynamic programs name their loader.
fn elf(head: &[u8]) -> Elf {
    const LOADER: u32 = 3;
    #[cfg(target_arch = "aarch64")]
    const MACHINE: u16 = 183;
    #[cfg(not(target_arch = "aarch64"))]
    const MACHINE: u16 = 62;
    let word = |at: usize| -> Option<u16> {
        let bytes = head.get(at..at + 2)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    };
    if !head.starts_with(b"\x7fELF") {
        return Elf::None;
    }
    // 64 bits, little-endian.
    if head.get(4..6) != Some(&[2, 1]) || word(18) != Some(MACHINE) {
        return Elf::Foreign;
    }
    let headers = || -> Option<bool> {
        let at = usize::try_from(u64::from_le_bytes(head.get(32..40)?.try_into().ok()?)).ok()?;
        let (size, count) = (usize::from(word(54)?), usize::from(word(56)?));
        for i in 0..count {
            let at = at.checked_add(i * size)?;
            let kind = head.get(at..at.checked_add(4)?)?;
            if u32::from_le_bytes(kind.try_into().ok()?) == LOADER {
                return Some(true);
            }
        }
        Some(false)
    };
    match headers() {
        Some(true) => Elf::Dynamic,
        Some(false) => Elf::Static,
        None => Elf::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_may_be_run_and_a_script_by_its_interpreter() {
        check(OsStr::new("sh")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        fs::write(&script, "#! /bin/sh -e\nexit 0\n").unwrap();
        check(script.as_os_str()).unwrap();
        fs::write(&script, "#!/no/such/shell\n").unwrap();
        let error = check(script.as_os_str()).unwrap_err().to_string();
        assert!(error.starts_with("/no/such/shell: "), "{error}");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = check(OsStr::new("no-such-program")).unwrap_err();
        assert!(
            error.to_string().starts_with("no-such-program: "),
            "{error}"
        );
    }

    #[test]
    fn static_and_foreign_programs_are_told_by_their_headers() {
        let mut head = fs::read("/proc/self/exe").unwrap();
        head.truncate(4096);
        let kind = elf(&head);
        assert!(kind == Elf::Dynamic || kind == Elf::Static);
        // Another machine, and 32 bits.
        for (at, value) in [(18, 8), (4, 1)] {
            let mut other = head.clone();
            other[at] = value;
            assert_eq!(elf(&other), Elf::Foreign);
        }
        // Without program headers there is no loader.
        let mut other = head.clone();
        other[56..58].fill(0);
        assert_eq!(elf(&other), Elf::Static);
        for cut in [0, 3, 17, 40, 60] {
            assert_ne!(elf(&head[..cut]), Elf::Dynamic);
        }
    }
}
