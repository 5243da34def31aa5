//! The shell commands around the runs of a load.

use whyslow_probes::child;

use super::{Flow, LoadSession};
use crate::event::Event;
use crate::load::cells::Cell;
use crate::load::error::LoadError;
use crate::load::start::{self, badly};

impl LoadSession<'_> {
    /// The different setups, each once.
    pub(super) fn set_up(&mut self) -> Result<Flow, LoadError> {
        for text in self.different(|cell| cell.hooks.setup.clone()) {
            if self.hook("--setup", &text)? == Flow::Stopped {
                return Ok(Flow::Stopped);
            }
        }
        Ok(Flow::On)
    }

    /// The different cleanups, each once; one that fails is told and no more.
    pub(super) fn clean_up(&mut self) {
        for text in self.different(|cell| cell.hooks.cleanup.clone()) {
            let why = match start::last_hook(self.request, &text, &self.place) {
                Ok(child::ChildEnd::Ended(ended)) if ended.status.success() => continue,
                Ok(child::ChildEnd::Ended(ended)) => badly(ended.status),
                Ok(_) => "was ended".into(),
                Err(why) => why.to_string(),
            };
            let text = format!("the --cleanup command '{text}' {why}");
            self.book.tell(Event::Warning(&text));
            self.book.note("load", text);
        }
    }

    fn different(&self, of: impl Fn(&Cell) -> Option<String>) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for text in self.cells.cells.iter().filter_map(of) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    pub(super) fn hook(&mut self, name: &str, text: &str) -> Result<Flow, LoadError> {
        match start::hook(self.request, text, &self.place)? {
            child::ChildEnd::Ended(ended) if ended.status.success() => Ok(Flow::On),
            child::ChildEnd::Ended(ended) => Err(LoadError::Hook {
                name: name.to_owned(),
                text: text.to_owned(),
                how: badly(ended.status),
            }),
            child::ChildEnd::TooLate | child::ChildEnd::Stopped => Ok(Flow::Stopped),
        }
    }
}
