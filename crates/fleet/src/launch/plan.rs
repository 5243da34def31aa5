//! What a folder keeps of a launch until all of it is measured, and the lock that keeps a second launch out.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use whyslow_model::fleet::{FleetPlan, PLAN_SCHEMA};

/// The plan of a launch, as long as something of it is to be measured.
const PLAN: &str = ".whyslow-run.json";

/// Locked as long as a launch lives.
const LOCK: &str = ".whyslow-run.lock";

/// A launch that began longer ago is not gone on with, seconds: a report holds records of one time against each other.
const STALE: u64 = 24 * 3600;

/// Why a launch cannot begin or be gone on with. Every message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A file system error.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The lock is held.
    #[error("{0} is being filled by another `whyslow fleet run`; wait until it ends")]
    Taken(PathBuf),
    /// The plan cannot be understood.
    #[error("{0} is damaged or of a newer whyslow; --new begins a new run in its place")]
    Damaged(PathBuf),
    /// Other arguments than before.
    #[error(
        "{folder} has an unfinished run with {what}; give the same to go on with it, or --new to begin another"
    )]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What differs, as it was.
        what: String,
    },
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> PlanError + '_ {
    |source| PlanError::Io {
        path: path.to_owned(),
        source,
    }
}

/// A folder that this launch alone fills.
#[derive(Debug)]
pub struct Held {
    folder: PathBuf,
    _lock: File,
}

/// Makes `folder` if there is none, and holds it against other launches.
///
/// # Errors
/// When it cannot be written to, or is held by another.
pub fn hold(folder: &Path) -> Result<Held, PlanError> {
    fs::create_dir_all(folder).map_err(failed(folder))?;
    // Nodes look for it from wherever they are.
    let folder = fs::canonicalize(folder).map_err(failed(folder))?;
    let path = folder.join(LOCK);
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(false).write(true);
    let lock = options.open(&path).map_err(failed(&path))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(PlanError::Taken(folder)),
        // A file system without locks has nothing to tell by.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(Held {
            folder,
            _lock: lock,
        }),
    }
}

impl Held {
    /// The folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps `plan`, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, plan: &FleetPlan) -> Result<(), PlanError> {
        let path = self.folder.join(PLAN);
        let new = self.folder.join(format!("{PLAN}.new"));
        let text = serde_json::to_vec(plan).map_err(|why| failed(&path)(why.into()))?;
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
        written.map_err(|why| {
            // Half of it is of no use.
            let _ = fs::remove_file(&new);
            failed(&path)(why)
        })
    }

    /// All is measured: the next launch is a new one.
    ///
    /// # Errors
    /// When the plan cannot be removed.
    pub fn finish(&self) -> Result<(), PlanError> {
        let path = self.folder.join(PLAN);
        fs::remove_file(&path).map_err(failed(&path))
    }
}

/// What is to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Arguments of `whyslow run`.
    pub run: Vec<String>,
    /// Records a node.
    pub sessions: u32,
    /// Suspects and references again?
    pub confirm: bool,
}

/// The unfinished plan of `folder` that began less than a day before `now`, seconds since 1970.
///
/// # Errors
/// When it cannot be read.
pub fn unfinished(folder: &Path, now: u64) -> Result<Option<FleetPlan>, PlanError> {
    let path = folder.join(PLAN);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(failed(&path)(why)),
    };
    let plan: FleetPlan =
        serde_json::from_slice(&text).map_err(|_| PlanError::Damaged(path.clone()))?;
    // Its id becomes a part of paths.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if plan.schema != PLAN_SCHEMA || plan.id.is_empty() || !plan.id.chars().all(plain) {
        return Err(PlanError::Damaged(path));
    }
    Ok((now.saturating_sub(plan.began) < STALE).then_some(plan))
}

/// The plan to go by: the `old` one, or a new one without nodes, whose records have names that `name` makes of a time, and
/// that no record in `folder` has.
///
/// # Errors
/// When the old one is about something else.
pub fn plan(
    folder: &Path,
    old: Option<FleetPlan>,
    wanted: Wanted,
    now: u64,
    name: impl Fn(u64) -> String,
) -> Result<FleetPlan, PlanError> {
    let Some(plan) = old else {
        let mut at = now;
        while is_taken(folder, &name(at)) {
            at += 1;
        }
        return Ok(FleetPlan {
            schema: PLAN_SCHEMA,
            id: name(at),
            began: now,
            run: wanted.run,
            sessions: wanted.sessions,
            confirm: wanted.confirm,
            nodes: Vec::new(),
        });
    };
    let what = if plan.confirm != wanted.confirm {
        Some(match plan.confirm {
            true => "--confirm".to_owned(),
            false => "all nodes, without --confirm".to_owned(),
        })
    } else if plan.run != wanted.run {
        Some(match plan.run.as_slice() {
            [] => "no arguments of `whyslow run`".to_owned(),
            run => format!("the arguments -- {}", run.join(" ")),
        })
    } else if plan.sessions != wanted.sessions {
        Some(format!("--sessions {}", plan.sessions))
    } else {
        None
    };
    if let Some(what) = what {
        let folder = folder.to_owned();
        return Err(PlanError::Other { folder, what });
    }
    Ok(plan)
}

/// Adds those of `nodes` that the plan does not have.
pub fn add(plan: &mut FleetPlan, nodes: impl IntoIterator<Item = String>) {
    let mut known: HashSet<String> = plan.nodes.iter().cloned().collect();
    let further = nodes.into_iter();
    let further = further.filter(|node| known.insert(node.clone()));
    plan.nodes.extend(further);
}

/// Is there a record of that name?
fn is_taken(folder: &Path, id: &str) -> bool {
    let nodes = fs::read_dir(folder).into_iter().flatten().flatten();
    nodes
        .map(|node| node.path())
        .any(|node| record(&node, id, 1).exists())
}

fn record(node: &Path, id: &str, session: u32) -> PathBuf {
    node.join(match session {
        1 => format!("{id}.whyslow"),
        session => format!("{id}-{session}.whyslow"),
    })
}

/// Where the records of `node` belong.
pub(super) fn records(folder: &Path, plan: &FleetPlan, node: &str) -> Vec<PathBuf> {
    let sessions = 1..=plan.sessions;
    sessions
        .map(|session| record(&folder.join(node), &plan.id, session))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Wanted {
        Wanted {
            run: vec!["--quick".to_owned()],
            sessions: 2,
            confirm: false,
        }
    }

    fn name(at: u64) -> String {
        format!("t{at}")
    }

    #[test]
    fn it_is_kept_gone_on_with_and_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        let held = hold(&folder).unwrap();
        assert_eq!(unfinished(held.folder(), 100).unwrap(), None);
        let mut first = plan(held.folder(), None, wanted(), 100, name).unwrap();
        add(&mut first, ["n1".to_owned()]);
        held.keep(&first).unwrap();
        let read = unfinished(held.folder(), 200).unwrap();
        assert_eq!(read, Some(first.clone()));
        let mut on = plan(held.folder(), read, wanted(), 200, name).unwrap();
        add(&mut on, ["n2", "n1"].map(str::to_owned));
        assert_eq!((on.id.as_str(), on.nodes.len()), ("t100", 2));
        assert_eq!(
            records(&folder, &on, "n1")[1],
            folder.join("n1/t100-2.whyslow")
        );
        // Of yesterday.
        assert_eq!(unfinished(held.folder(), 100 + STALE).unwrap(), None);
        held.finish().unwrap();
        assert_eq!(unfinished(held.folder(), 200).unwrap(), None);
    }

    #[test]
    fn a_second_one_is_kept_out() {
        let place = tempfile::tempdir().unwrap();
        let held = hold(place.path()).unwrap();
        let why = hold(place.path()).unwrap_err().to_string();
        assert!(why.contains("another `whyslow fleet run`"), "{why}");
        drop(held);
        hold(place.path()).unwrap();
    }

    #[test]
    fn something_else_is_refused_and_says_what_it_was() {
        let place = tempfile::tempdir().unwrap();
        let old = plan(place.path(), None, wanted(), 5, name).unwrap();
        for (change, said) in [
            (
                Wanted {
                    run: Vec::new(),
                    ..wanted()
                },
                "-- --quick",
            ),
            (
                Wanted {
                    sessions: 3,
                    ..wanted()
                },
                "--sessions 2",
            ),
            (
                Wanted {
                    confirm: true,
                    ..wanted()
                },
                "without --confirm",
            ),
        ] {
            let why = plan(place.path(), Some(old.clone()), change, 6, name);
            let why = why.unwrap_err().to_string();
            assert!(why.contains(said) && why.contains("--new"), "{why}");
        }
    }

    #[test]
    fn a_name_that_records_have_is_not_used_again() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("n1")).unwrap();
        fs::write(place.path().join("n1/t5.whyslow"), "").unwrap();
        let new = plan(place.path(), None, wanted(), 5, name).unwrap();
        assert_eq!(new.id, "t6");
    }

    #[test]
    fn a_damaged_plan_says_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(PLAN);
        let held = hold(place.path()).unwrap();
        let mut kept = plan(place.path(), None, wanted(), 5, name).unwrap();
        kept.id = "../x".to_owned();
        held.keep(&kept).unwrap();
        for text in [fs::read_to_string(&path).unwrap(), "{".to_owned()] {
            fs::write(&path, text).unwrap();
            let why = unfinished(place.path(), 6).unwrap_err().to_string();
            assert!(why.contains("--new"), "{why}");
        }
    }
}
