//! Where a run's record lies, and what a resumed run takes over from it.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use whyslow_model::Record;
use whyslow_model::glob::Globs;
use whyslow_model::host::Host;
use whyslow_model::record::{Header, SCHEMA};
use whyslow_model::store::Journal;
use whyslow_probes::Intensity;

use crate::request::{Request, RunError, Target};

/// Where a journal came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    /// A file that did not exist before.
    Created,
    /// No place took a file.
    InMemory,
    /// An unfinished record.
    Resumed,
}

/// The request that a resumed record was begun with: the same points, rounds and effort, or its
/// rounds would not be rounds; and its budget, where none is given anew.
pub(crate) fn as_begun(request: &Request, header: &Header) -> Request {
    Request {
        intensity: Intensity::named(&header.intensity).unwrap_or(request.intensity),
        rounds: Some(header.rounds),
        only: Globs::parse(&header.only),
        only_text: header.only.clone(),
        suite: Some(header.suite.clone()).filter(|suite| !suite.is_empty()),
        copies: header.copies.clone(),
        seed: header.seed,
        budget: request.budget.or(header
            .budget_s
            .and_then(|s| Duration::try_from_secs_f64(s).ok())),
        ..request.clone()
    }
}

/// Opens the journal.
pub(crate) fn open(request: &Request, host: &Host) -> Result<(Journal, Record, Opened), RunError> {
    let header = Header {
        schema: SCHEMA,
        version: request.version.clone(),
        build: request.build.clone(),
        seed: request.seed,
        intensity: request.intensity.name().to_owned(),
        rounds: request.rounds.unwrap_or(request.intensity.rounds()),
        fill: request.rounds.is_none()
            && request.intensity == Intensity::Quick
            && request.suite.is_none()
            && request.budget.is_some(),
        budget_s: request.budget.map(|b| b.as_secs_f64()),
        only: request.only_text.clone(),
        suite: request.suite.clone().unwrap_or_default(),
        copies: request.copies.clone(),
        against: request.against.as_ref().map_or(String::new(), |a| a.name()),
        started: jiff::Timestamp::now().to_string(),
    };
    match &request.target {
        Target::File(_) | Target::FirstOf(_) => create(&request.target, header),
        Target::Resume(path) => {
            let (journal, record) = Journal::resume(path)?;
            let no = |why: &str| RunError::Resume {
                path: path.clone(),
                why: why.to_owned(),
            };
            if record.header.suite == "load" {
                return Err(no(
                    "was made by `whyslow load`, which cannot be gone on with; start a new one",
                ));
            }
            if !record.header.against.is_empty() {
                return Err(no(
                    "was measured against another record, which is needed to go on; start a new one with --against",
                ));
            }
            match &record.host {
                Some(was) if was.id != host.id => {
                    return Err(no("was measured on another host; a record holds one host"));
                }
                Some(was) if was.boot_id != host.boot_id => {
                    return Err(no(
                        "was begun before the last boot; a record holds one boot, start a new one",
                    ));
                }
                Some(_) => {}
                None => return Err(no("ended before the host was read; start a new one")),
            }
            if record.header.build != request.build || record.header.version != request.version {
                return Err(no(
                    "was begun by another build of whyslow; a record holds one build",
                ));
            }
            Ok((journal, record, Opened::Resumed))
        }
    }
}

/// Makes the journal of a new record.
pub(crate) fn create(
    target: &Target,
    header: Header,
) -> Result<(Journal, Record, Opened), RunError> {
    let (journal, opened) = match target {
        Target::File(path) => (Journal::create(path)?, Opened::Created),
        Target::FirstOf(paths) => match paths.iter().find_map(|p| Journal::create_beside(p).ok()) {
            Some(journal) => (journal, Opened::Created),
            None => {
                let first = paths.first().map_or(Path::new("whyslow"), |p| p);
                (Journal::in_memory(first), Opened::InMemory)
            }
        },
        Target::Resume(path) => {
            let why = "a load cannot be gone on with; start a new one".to_owned();
            let path = path.clone();
            return Err(RunError::Resume { path, why });
        }
    };
    Ok((journal, Record::new(header), opened))
}

/// Where a record may go when its own place fails: beside nothing of the user's.
pub(crate) fn elsewhere(target: &Target, first: &Path) -> Vec<PathBuf> {
    let name = first
        .file_name()
        .map_or_else(|| "whyslow".into(), PathBuf::from);
    let mut places: Vec<PathBuf> = match target {
        Target::FirstOf(paths) => paths.clone(),
        Target::File(_) | Target::Resume(_) => Vec::new(),
    };
    places.push(env::temp_dir().join(&name));
    places.push(Path::new("/dev/shm").join(&name));
    places.retain(|p| p != first);
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::WorkerCommand;

    #[test]
    fn a_resumed_run_has_the_budget_that_it_began_with() {
        let request = |budget| Request {
            intensity: Intensity::Quick,
            rounds: None,
            until: None,
            budget,
            firm: false,
            only: Globs::default(),
            only_text: String::new(),
            suite: None,
            copies: Vec::new(),
            against: None,
            seed: 1,
            target: Target::FirstOf(Vec::new()),
            version: String::new(),
            build: whyslow_model::record::Build {
                arch: String::new(),
                libc: String::new(),
                profile: String::new(),
                kernels: String::new(),
            },
            worker: WorkerCommand {
                program: PathBuf::new(),
                args: Vec::new(),
                faults: Vec::new(),
            },
            patience: Duration::ZERO,
            stop: Default::default(),
        };
        let header = |budget_s| Header {
            fill: false,
            schema: SCHEMA,
            version: String::new(),
            build: request(None).build,
            seed: 2,
            intensity: "rigorous".into(),
            rounds: 30,
            budget_s,
            only: String::new(),
            suite: String::new(),
            copies: Vec::new(),
            against: String::new(),
            started: String::new(),
        };
        let (minute, day) = (Duration::from_secs(60), Duration::from_secs(86_400));
        let begun = |typed, budget_s| as_begun(&request(typed), &header(budget_s)).budget;
        assert_eq!(begun(None, None), None);
        assert_eq!(begun(None, Some(60.0)), Some(minute));
        assert_eq!(begun(Some(day), Some(60.0)), Some(day));
        assert_eq!(begun(None, Some(-1.0)), None);
        assert_eq!(
            as_begun(&request(None), &header(None)).intensity,
            Intensity::Rigorous
        );
    }
}
