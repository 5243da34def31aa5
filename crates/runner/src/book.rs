//! The record of a run or a load in the making, in memory and on disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use whyslow_host::{CpuUse, HostRoot};
use whyslow_model::Record;
use whyslow_model::host::Host;
use whyslow_model::record::{End, Line, Note, StateAt};
use whyslow_model::state::{Change, State, diff};
use whyslow_model::store::Journal;

use crate::event::Event;
use crate::open::{Opened, elsewhere};
use crate::request::{Finished, Target};

/// Where the observer of a run is told.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(Event<'_>);

/// Why a run ended before its rounds did, where the record could hold no more.
const RECORD_FULL: &str = "the record is as large as one may be, which ended the run; measure fewer points or rounds in one record";

/// The state of the host before the first process.
pub(crate) struct Survey {
    pub(crate) state: State,
    /// How long it took to look, which closing the record does once more.
    pub(crate) took: Duration,
    usage: CpuUse,
    /// The folders whose file systems are looked at: where it was begun, and that for files.
    here: PathBuf,
    temporary: PathBuf,
}

impl Survey {
    /// Looks.
    pub(crate) fn take(root: &HostRoot, here: &Path, temporary: &Path) -> Survey {
        let begun = Instant::now();
        let state = root.state(here, temporary);
        let usage = CpuUse::take(root);
        Survey {
            state,
            took: begun.elapsed(),
            usage,
            here: here.to_owned(),
            temporary: temporary.to_owned(),
        }
    }
}

/// Journal and record with the same lines.
pub(crate) struct Book<'a> {
    journal: Journal,
    pub(crate) record: Record,
    noted: BTreeSet<(String, String)>,
    survey: Survey,
    on: Tell<'a>,
}

impl<'a> Book<'a> {
    /// Opens with the header, the host and its state; a resumed one with how that has changed.
    pub(crate) fn begin(
        journal: Journal,
        record: Record,
        opened: Opened,
        host: Host,
        survey: Survey,
        on: Tell<'a>,
    ) -> Book<'a> {
        let noted = record.notes.iter();
        let mut book = Book {
            journal,
            noted: noted.map(|n| (n.about.clone(), n.text.clone())).collect(),
            record,
            survey,
            on,
        };
        if opened == Opened::Resumed {
            let then = book.record.states.first().map(|s| s.state.clone());
            let now = book.survey.state.clone();
            book.note_changes(then.as_ref(), &now, "between the start and the resumption");
        } else {
            let header = book.record.header.clone();
            book.add(Line::Header(header));
            book.add(Line::Host(Box::new(host)));
            let (when, state) = ("start".into(), book.survey.state.clone());
            book.add(Line::State(Box::new(StateAt { when, state })));
        }
        book
    }

    /// Tells the observer.
    pub(crate) fn tell(&mut self, event: Event<'_>) {
        (self.on)(event);
    }

    /// Can the record hold no more? Then that is noted.
    pub(crate) fn is_full(&mut self) -> bool {
        let full = self.journal.is_full();
        if full {
            self.note("record", RECORD_FULL);
        }
        full
    }

    /// Removes the file of a record that has no values, where it is of our making.
    pub(crate) fn discard(&self, opened: Opened) {
        if opened == Opened::Created {
            // Best effort: an empty record of ours is of no use to anybody.
            let _ = std::fs::remove_file(self.journal.path());
        }
    }

    /// Adds a line. A disk that fails costs a warning, not the numbers.
    pub(crate) fn add(&mut self, line: Line) {
        if let Err(error) = self.journal.add(&line) {
            (self.on)(Event::Warning(&format!(
                "{error}; measuring goes on, the record is kept in memory"
            )));
        }
        self.record.add(line);
    }

    /// Adds a note, each text once.
    pub(crate) fn note(&mut self, about: &str, text: impl Into<String>) {
        let note = Note {
            about: about.to_owned(),
            text: text.into(),
        };
        if self.noted.insert((note.about.clone(), note.text.clone())) {
            self.add(Line::Note(note));
        }
    }

    fn note_changes(&mut self, then: Option<&State>, now: &State, when: &str) {
        for change in then.into_iter().flat_map(|then| diff(then, now)) {
            self.note("state", format!("{} {when}", say(&change)));
        }
    }

    /// The state at the end, who else was there, and the footer.
    pub(crate) fn finish(mut self, end: End, target: &Target) -> Finished {
        let root = HostRoot::live();
        let neighbours = CpuUse::take(&root).since(&self.survey.usage);
        self.add(Line::Neighbours(neighbours));
        let state = root.state(&self.survey.here, &self.survey.temporary);
        let before = self.survey.state.clone();
        self.note_changes(Some(&before), &state, "during the run");
        let when = "end".into();
        self.add(Line::State(Box::new(StateAt { when, state })));
        let elsewhere = elsewhere(target, self.journal.path());
        let finished = jiff::Timestamp::now().to_string();
        let mut record = self.record;
        let kept = self.journal.close(end, finished, &elsewhere);
        if let Ok(Ok(closed)) = kept.as_ref().map(|p| whyslow_model::store::read(p)) {
            // What is shown is what is on disk.
            record = closed;
        }
        Finished { record, kept }
    }
}

/// A change of the state in words.
fn say(change: &Change) -> String {
    format!(
        "{} changed from {} to {}",
        change.what, change.before, change.after
    )
}
