//! Runs a program with the counting library in front, and reads what it counted.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use whyslow_leftovers::Kind;
use whyslow_preload::{Cannot, LibraryFolder, check};

use crate::classes::{
    Count, FILL, NAME, NO_FILE, OBJECTS, OTHERS, Object, PROGRAMS, SIZES, STEP, Table, VARIABLE,
    WAYS, least_of,
};

/// The library as built.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/counter.so"));

/// Why there are no counts.
#[derive(Debug, thiserror::Error)]
pub enum NotCounted {
    /// No library can be preloaded into it.
    #[error("a static program")]
    Static,
    /// The loader preloads no library into it.
    #[error("a program that gains privileges at exec")]
    Privileged,
    /// The library does not match it.
    #[error("a program for another architecture")]
    Foreign,
    /// This build has no library.
    #[error("there is no counting library for this architecture")]
    Machine,
    /// None of its programs loaded the library.
    #[error(
        "no program loaded the counting library (LD_PRELOAD was dropped, or only static programs ran)"
    )]
    Dropped,
    /// It failed.
    #[error("the run ended with {0}")]
    Failed(ExitStatus),
    /// The user asked for the end.
    #[error("stopped")]
    Stopped,
    /// Required files could not be created or read.
    #[error("the counting library: {0}")]
    Files(#[from] io::Error),
    /// There is no such program, or the system did not start it.
    #[error(transparent)]
    Program(Cannot),
}

impl From<Cannot> for NotCounted {
    fn from(cannot: Cannot) -> NotCounted {
        match cannot {
            Cannot::Static(_) => NotCounted::Static,
            Cannot::Privileged(_) => NotCounted::Privileged,
            Cannot::Foreign(_) => NotCounted::Foreign,
            other => NotCounted::Program(other),
        }
    }
}

/// Whose code called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caller {
    /// That of this file.
    File(String),
    /// Code that is in no file: made while the program ran.
    NoFile,
    /// Of others, which there was no room for.
    Others,
}

/// What calls of a class did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// Whose code called.
    pub caller: Caller,
    /// The class of the distance of copies ([`crate::classes::distance_class`]); none of fills.
    pub distance: Option<usize>,
    /// The least size of the class, bytes.
    pub least: u64,
    /// The least size of the next class.
    pub next: u64,
}

/// Calls and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Calls.
    pub calls: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What a program and those that it started copied and filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Programs that loaded the library and were counted.
    pub programs: u64,
    /// Programs that loaded it when there was no room for more.
    pub beyond: u64,
    /// What they did.
    pub classes: BTreeMap<Class, Amount>,
}

/// Runs the program once, with nothing to read and its output to nowhere, and counts.
///
/// # Errors
/// Why there are no counts.
pub fn count(
    program: &OsStr,
    arguments: &[OsString],
    stop: &AtomicBool,
) -> Result<Counted, NotCounted> {
    if LIBRARY.is_empty() {
        return Err(NotCounted::Machine);
    }
    check(program)?;
    let folder = LibraryFolder::new(Kind::Routines, LIBRARY)?;
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(folder.shared())?;
    // With holes: only what is counted takes room.
    file.set_len((STEP * (PROGRAMS + 1)) as u64)?;
    let mut command = Command::new(program);
    command.args(arguments);
    folder.preload_in(&mut command);
    command.env(VARIABLE.to_string_lossy().as_ref(), folder.shared());
    let status = run(command, stop)?;
    let counted = read(&file)?;
    if folder.in_use() {
        // Programs go on with it.
        let _ = folder.keep();
    }
    match counted {
        _ if !status.success() => Err(NotCounted::Failed(status)),
        counted if counted.programs == 0 => Err(NotCounted::Dropped),
        counted => Ok(counted),
    }
}

/// Runs the program once in the same way without counting, and says how long it took.
///
/// # Errors
/// When it cannot be run, or fails.
pub fn time(
    program: &OsStr,
    arguments: &[OsString],
    stop: &AtomicBool,
) -> Result<Duration, NotCounted> {
    let mut command = Command::new(program);
    command.args(arguments);
    let begun = Instant::now();
    match run(command, stop)? {
        status if status.success() => Ok(begun.elapsed()),
        status => Err(NotCounted::Failed(status)),
    }
}

/// Runs a program, with nothing to read and its output to nowhere.
fn run(mut command: Command, stop: &AtomicBool) -> Result<ExitStatus, NotCounted> {
    command.process_group(0).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|why| {
        NotCounted::Program(Cannot::Start {
            program: PathBuf::from(command.get_program()),
            why,
        })
    })?;
    wait(&mut child, stop)
}

/// Waits for the end, and ends it where the user asks.
fn wait(child: &mut Child, stop: &AtomicBool) -> Result<ExitStatus, NotCounted> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.load(Ordering::Relaxed) {
            if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                // It may have ended meanwhile.
                let _ = kill_process_group(group, Signal::KILL);
            }
            child.wait()?;
            return Err(NotCounted::Stopped);
        }
        sleep(Duration::from_millis(2));
    }
}

/// A number of the table.
fn number(table: &[u8], at: usize) -> u64 {
    let bytes = table.get(at..).and_then(|rest| rest.first_chunk());
    bytes.copied().map_or(0, u64::from_ne_bytes)
}

fn read(file: &File) -> io::Result<Counted> {
    let mut head = [0; 8];
    file.read_exact_at(&mut head, 0)?;
    let loaded = u64::from_ne_bytes(head);
    let programs = loaded.min(PROGRAMS as u64);
    let mut counted = Counted {
        programs,
        beyond: loaded - programs,
        classes: BTreeMap::new(),
    };
    let mut table = vec![0; STEP];
    for own in 0..programs {
        file.read_exact_at(&mut table, STEP as u64 * (own + 1))?;
        add(&table, &mut counted.classes);
    }
    Ok(counted)
}

fn caller(table: &[u8], index: usize) -> Caller {
    let at = std::mem::offset_of!(Table, objects) + index * size_of::<Object>();
    let length = number(table, at + std::mem::offset_of!(Object, length));
    let name = table.get(at + std::mem::offset_of!(Object, name)..);
    let name = name.and_then(|name| name.get(..usize::try_from(length).ok()?.min(NAME)));
    match (index, name) {
        (NO_FILE, _) => Caller::NoFile,
        (OTHERS, _) | (_, None | Some([])) => Caller::Others,
        (_, Some(name)) => Caller::File(String::from_utf8_lossy(name).into_owned()),
    }
}

/// Adds what a table has.
fn add(table: &[u8], classes: &mut BTreeMap<Class, Amount>) {
    let counts = std::mem::offset_of!(Table, counts);
    for object in 0..OBJECTS {
        let caller = caller(table, object);
        for way in 0..WAYS {
            for size in 0..SIZES {
                let at = counts + ((object * WAYS + way) * SIZES + size) * size_of::<Count>();
                let (calls, bytes) = (number(table, at), number(table, at + 8));
                if calls == 0 {
                    continue;
                }
                let class = Class {
                    caller: caller.clone(),
                    distance: (way != FILL).then_some(way),
                    least: least_of(size),
                    next: least_of(size + 1),
                };
                let own = classes.entry(class).or_default();
                own.calls += calls;
                own.bytes += bytes;
            }
        }
    }
}
