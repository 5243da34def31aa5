//! The bar with the time left, on a terminal only.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use whyslow_model::text::visible;
use whyslow_runner::Event;

use crate::output;

/// Draws when an event comes and never by itself: between workers, so that nothing of ours runs
/// while a batch is timed.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new() -> Progress {
        let target = if stderr().is_terminal() && !output::is_dumb() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Progress(ProgressBar::with_draw_target(Some(0), target))
    }

    pub(crate) fn on(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun { what } => {
                self.style("{spinner} {msg}");
                self.0.set_message(visible(what).into_owned());
                self.0.tick();
            }
            Event::Planned { points, rounds } => {
                self.style("{bar:24} {msg}");
                self.0.set_length(*points as u64 * u64::from(*rounds));
            }
            Event::Step {
                done, left, next, ..
            } => {
                let seconds = left.as_secs();
                self.0.set_message(format!(
                    "{}:{:02} left  {}",
                    seconds / 60,
                    seconds % 60,
                    visible(&next.to_string())
                ));
                self.0.set_position(*done as u64);
            }
            Event::Warning(text) => self.0.suspend(|| output::warn(text)),
        }
    }

    /// Something without a known length.
    pub(crate) fn says(&self, text: &str) {
        self.style("{spinner} {msg}");
        self.0.set_message(visible(text).into_owned());
        self.0.tick();
    }

    /// One of `total` steps.
    pub(crate) fn step(&self, done: usize, total: usize, text: &str) {
        self.style("{bar:24} {pos}/{len} {msg}");
        self.0.set_length(total as u64);
        self.0.set_message(visible(text).into_owned());
        self.0.set_position(done as u64);
    }

    /// Does something that prints, with the bar out of the way.
    pub(crate) fn aside(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }

    /// One line about how far the work has come.
    pub(crate) fn note(&self, text: &str) {
        self.aside(|| output::note(text));
    }

    pub(crate) fn done(&self) {
        self.0.finish_and_clear();
    }

    fn style(&self, template: &str) {
        // The templates above are known to be well-formed; a plain bar would do otherwise.
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
    }
}
