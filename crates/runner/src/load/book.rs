//! The record of a load in the making, in memory and on disk.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use whyslow_host::{CpuUse, HostRoot};
use whyslow_model::Record;
use whyslow_model::host::Host;
use whyslow_model::record::{End, Line, Note, StateAt};
use whyslow_model::state::{State, diff};
use whyslow_model::store::Journal;

use crate::event::Event;
use crate::open::elsewhere;
use crate::request::{Finished, Target};
use crate::run::say;

/// Where whoever watches is told.
pub(super) type Tell<'a> = &'a mut dyn FnMut(Event<'_>);

/// Journal and record with the same lines.
pub(super) struct Book {
    journal: Journal,
    pub(super) record: Record,
    noted: BTreeSet<(String, String)>,
    usage: CpuUse,
    state: State,
}

impl Book {
    /// Opens with the header, the host and its state.
    pub(super) fn begin(
        journal: Journal,
        record: Record,
        root: &HostRoot,
        host: Host,
        here: &Path,
        on: Tell<'_>,
    ) -> Book {
        let state = root.state(here, &env::temp_dir());
        let mut book = Book {
            journal,
            noted: BTreeSet::new(),
            usage: CpuUse::take(root),
            state: state.clone(),
            record,
        };
        let header = book.record.header.clone();
        book.add(Line::Header(header), on);
        book.add(Line::Host(Box::new(host)), on);
        let when = "start".into();
        book.add(Line::State(Box::new(StateAt { when, state })), on);
        book
    }

    /// Can the record hold no more?
    pub(super) fn is_full(&self) -> bool {
        self.journal.is_full()
    }

    /// Where the journal is.
    pub(super) fn path(&self) -> &Path {
        self.journal.path()
    }

    /// Adds a line. A disk that fails costs a warning, not the numbers.
    pub(super) fn add(&mut self, line: Line, on: Tell<'_>) {
        if let Err(error) = self.journal.add(&line) {
            on(Event::Warning(&format!(
                "{error}; measuring goes on, the record is kept in memory"
            )));
        }
        self.record.add(line);
    }

    /// Adds a note, each text once.
    pub(super) fn note(&mut self, about: &str, text: impl Into<String>, on: Tell<'_>) {
        let note = Note {
            about: about.to_owned(),
            text: text.into(),
        };
        if self.noted.insert((note.about.clone(), note.text.clone())) {
            self.add(Line::Note(note), on);
        }
    }

    /// The state at the end, who else was there, and the footer.
    pub(super) fn finish(
        mut self,
        end: End,
        here: &Path,
        target: &Target,
        on: Tell<'_>,
    ) -> Finished {
        let root = HostRoot::live();
        let neighbours = CpuUse::take(&root).since(&self.usage);
        self.add(Line::Neighbours(neighbours), on);
        let state = root.state(here, &env::temp_dir());
        for change in diff(&self.state.clone(), &state) {
            self.note("state", format!("{} during the run", say(&change)), on);
        }
        let when = "end".into();
        self.add(Line::State(Box::new(StateAt { when, state })), on);
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
