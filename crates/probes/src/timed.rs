//! Times part of a batch, for work that needs untimed preparation.

use crate::bench::Timed;
use crate::clock::Moment;
use crate::marks::{Watch, between};
use crate::stop::Stop;

/// Times parts of batches and reads the counters around each, as the harness does around a whole
/// batch.
#[derive(Debug)]
pub(crate) struct Part(Watch);

impl Part {
    /// Counts what happens to the calling thread.
    pub(crate) fn new() -> Part {
        // The harness has already noted missing counters.
        Part(Watch::open().0)
    }

    /// Does `work`, timed.
    ///
    /// # Errors
    /// When `work` fails.
    pub(crate) fn time(&mut self, work: impl FnOnce() -> Result<(), Stop>) -> Result<Timed, Stop> {
        let before = self.0.read();
        let start = Moment::now();
        work()?;
        let end = Moment::now();
        let marks = between(&before, &self.0.read());
        Ok(Timed::Inside {
            ns: end.since(start),
            marks,
        })
    }
}

impl Default for Part {
    fn default() -> Part {
        Part::new()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_the_part_counts() {
        let mut part = Part::new();
        let asleep = |ms| std::thread::sleep(Duration::from_millis(ms));
        asleep(200);
        let timed = part.time(|| {
            asleep(2);
            Ok(())
        });
        let Ok(Timed::Inside { ns, .. }) = timed else {
            panic!("{timed:?}")
        };
        // At least the time slept; counting the preparation would give a hundred times as much.
        assert!((2e6..2e8).contains(&ns), "{ns}");
    }
}
