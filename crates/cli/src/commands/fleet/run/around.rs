//! What is around a launch: the clock, Ctrl-C, the records, and the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use whyslow_fleet::launch::{Event, Setup, Surroundings, Task, is_whole};

use crate::progress::Progress;

/// Longest sleep between two looks at whether the launch is to end.
const NAP: Duration = Duration::from_millis(100);

/// The surroundings of a real launch.
pub(super) struct Around {
    begun: Instant,
    stop: Arc<AtomicBool>,
    setup: Setup,
    progress: Progress,
    done: usize,
    total: usize,
}

impl Around {
    /// For so many tasks.
    pub(super) fn new(stop: Arc<AtomicBool>, setup: Setup, total: usize) -> Around {
        Around {
            begun: Instant::now(),
            stop,
            setup,
            progress: Progress::new(),
            done: 0,
            total,
        }
    }

    /// The bar is no longer wanted.
    pub(super) fn done(&self) {
        self.progress.done();
    }
}

impl Surroundings for Around {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn rest(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while !self.stopped() && Instant::now() < end {
            std::thread::sleep(NAP.min(end.saturating_duration_since(Instant::now())));
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn is_done(&self, task: &Task) -> bool {
        task.records.iter().all(|record| is_whole(record))
    }

    fn longest(&self, task: &Task) -> Duration {
        self.setup.longest(task)
    }

    fn on(&mut self, event: Event<'_>) {
        let said = match event {
            Event::Submitted(node) => {
                let text = format!("{node}: submitted");
                return self.progress.step(self.done, self.total, &text);
            }
            Event::Running(node) => {
                let text = format!("{node}: running");
                return self.progress.step(self.done, self.total, &text);
            }
            Event::Measured(node) => {
                self.done += 1;
                format!("{node}: measured ({} of {})", self.done, self.total)
            }
            Event::Missing(missing) => {
                self.done += 1;
                format!("{}: not measured: {}", missing.node, missing.why)
            }
            Event::Full(why) => format!("no further jobs are taken for now: {why}"),
            Event::Unanswered(Some(why)) => format!("no answer, trying again: {why}"),
            Event::Unanswered(None) => "answers again".to_owned(),
        };
        self.progress.note(&said);
        self.progress.step(self.done, self.total, &said);
    }
}
