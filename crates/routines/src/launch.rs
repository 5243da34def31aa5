//! Starts a program with the library in front, waits for it, and says how many programs loaded it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use whyslow_leftovers::Kind;
use whyslow_preload::{Cannot, Ended, Held, LibraryFolder, check};

use crate::choice::Choice;
use crate::patch::{Lacks, Library};

/// The library as built.
pub(crate) const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/routines.so"));

/// Names the file in which programs are counted.
const VARIABLE: &str = "WHYSLOW_ROUTINES";

/// Why a program cannot be run on these routines.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is statically linked.
    #[error(
        "{} is statically linked: no library can be preloaded, so its memory routines stay its own; run it without `tune run`",
        .0.display()
    )]
    Static(PathBuf),
    /// It gains privileges at exec.
    #[error(
        "{} gains privileges at exec (set-user-id, set-group-id or capabilities): the loader preloads no library into such programs; run it without `tune run`",
        .0.display()
    )]
    Privileged(PathBuf),
    /// It is for another architecture.
    #[error(
        "{} is not built for this architecture ({}, 64 bits): the library does not match it; run it without `tune run`",
        .0.display(),
        std::env::consts::ARCH
    )]
    Foreign(PathBuf),
    /// This build has no library.
    #[error(
        "`tune run` is for x86-64 and aarch64; this machine is {}",
        std::env::consts::ARCH
    )]
    Machine,
    /// There is no such program, or the system did not start it.
    #[error(transparent)]
    Program(Cannot),
    /// Required files could not be created.
    #[error("the library for the program: {0}")]
    Files(#[from] io::Error),
    /// The library is not what it should be.
    #[error(transparent)]
    Library(#[from] Lacks),
}

impl From<Cannot> for Refused {
    fn from(cannot: Cannot) -> Refused {
        match cannot {
            Cannot::Static(program) => Refused::Static(program),
            Cannot::Privileged(program) => Refused::Privileged(program),
            Cannot::Foreign(program) => Refused::Foreign(program),
            other => Refused::Program(other),
        }
    }
}

/// Outcome of a program.
#[derive(Debug, Clone)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// Programs that loaded the library: it and those that it started.
    pub programs: u64,
    /// Where the library stays, if programs go on that use it.
    pub kept: Option<PathBuf>,
}

/// Whether the library can be put before a program at all, which is known before anything is measured.
///
/// # Errors
/// The reason if not.
pub fn check_program(program: &OsStr) -> Result<(), Refused> {
    if LIBRARY.is_empty() {
        return Err(Refused::Machine);
    }
    Ok(check(program)?)
}

/// The library's file with a choice in it.
///
/// # Errors
/// When the library as built lacks what the choice names.
pub fn library(choice: &Choice) -> Result<Library, Lacks> {
    let mut library = Library::read(LIBRARY)?;
    for (names, shape) in [
        (&["memcpy", "memmove"][..], &choice.copy),
        (&["memset"], &choice.set),
        (&["memcmp", "bcmp"], &choice.compare),
    ] {
        for name in names {
            library.let_be(name, shape)?;
        }
    }
    library.set_limits(&choice.limits())?;
    Ok(library)
}

/// Runs a program to completion, on these routines.
///
/// # Errors
/// When no library can be preloaded, or the program cannot be started.
pub fn run(program: &OsStr, arguments: &[OsString], choice: &Choice) -> Result<Ran, Refused> {
    check_program(program)?;
    let library = library(choice)?;
    // First and until the end, so that a signal does not leave the folder behind.
    let held = Held::new()?;
    let folder = LibraryFolder::new(Kind::Routines, library.bytes())?;
    // A page, which begins with the count.
    fs::write(folder.shared(), [0; 4096])?;
    let mut command = Command::new(program);
    command.args(arguments);
    held.release_in(&mut command);
    folder.preload_in(&mut command);
    command.env(VARIABLE, folder.shared());
    let failed = |why| {
        Refused::Program(Cannot::Start {
            program: PathBuf::from(program),
            why,
        })
    };
    let mut child = command.spawn().map_err(failed)?;
    let status = held.wait_for(&mut child).map_err(failed)?;
    let count = fs::read(folder.shared())?;
    let count = count.first_chunk().copied().map_or(0, u64::from_ne_bytes);
    let kept = match folder.in_use() {
        true => Some(folder.keep()),
        false => None,
    };
    Ok(Ran {
        ended: status.into(),
        programs: count,
        kept,
    })
}
