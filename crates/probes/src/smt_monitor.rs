//! Detects a busy SMT sibling and waits for it to go idle.

use whyslow_model::record::ClockFacts;

use crate::clock::{self, Moment};
use crate::stop::Stop;
use crate::team::Team;

/// Largest usable clock step, ns: half a microsecond must be resolved.
const FINE: f64 = 50.0;

/// A measurement below this share of the best means a busy SMT sibling, which uses a quarter of the
/// core or more.
pub(crate) const BESIDE: f64 = 0.9;

/// Longest that a process waits, ns: sibling load changes within milliseconds, and longer load is tolerated. Fifteen
/// batches take 15 ms.
const WAIT_NS: f64 = 4e6;

/// Most team members measured at a time; more would take longer than the batch.
const MOST_MEMBERS: usize = 4;

/// Watches the core that this thread is pinned to, or those of a team.
pub(crate) struct SmtMonitor<'j> {
    /// No-op instructions dispatched per cycle now; the minimum of several cores.
    slots: Box<dyn FnMut() -> Result<f64, Stop> + 'j>,
    best: f64,
    /// What is left of the wait, ns.
    left: f64,
}

impl<'j> SmtMonitor<'j> {
    /// For this thread's core; absent where the clock is too coarse.
    pub(crate) fn here(clock: &ClockFacts) -> Option<Self> {
        SmtMonitor::new(clock, || Ok(clock::slots()))
    }

    /// For the cores of `team`.
    pub(crate) fn of(clock: &ClockFacts, team: impl AsRef<Team> + 'j) -> Option<Self> {
        SmtMonitor::new(clock, move || least(team.as_ref()))
    }

    fn new(clock: &ClockFacts, slots: impl FnMut() -> Result<f64, Stop> + 'j) -> Option<Self> {
        (clock.resolution_ns <= FINE).then(|| SmtMonitor {
            slots: Box::new(slots),
            best: 0.0,
            left: WAIT_NS,
        })
    }

    /// Measures the current dispatch rate.
    ///
    /// # Errors
    /// When a member of the team died.
    pub(crate) fn look(&mut self) -> Result<f64, Stop> {
        let slots = (self.slots)()?;
        // An invalid reading (the clock did not advance) says nothing about the sibling.
        let slots = if slots.is_finite() { slots } else { self.best };
        self.best = self.best.max(slots);
        Ok(slots)
    }

    /// Waits while the SMT sibling is busy according to `last`, and updates `last`. True if it waited.
    ///
    /// A sibling that was busy from the first measurement on is not detected, so there is no wait.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub(crate) fn wait(&mut self, last: &mut f64) -> Result<bool, Stop> {
        let mut waited = false;
        while *last < BESIDE * self.best && self.left > 0.0 {
            let before = Moment::now();
            *last = self.look()?;
            self.left -= Moment::now().since(before);
            waited = true;
        }
        Ok(waited)
    }
}

/// The lowest dispatch rate of the cores of up to four members, measured in turn, because members on one core
/// would disturb each other.
fn least(team: &Team) -> Result<f64, Stop> {
    let some = team.len().min(MOST_MEMBERS);
    let mut least = f64::INFINITY;
    for k in 0..some {
        // Spread over the team, the first and the last included.
        let member = k * (team.len() - 1) / some.saturating_sub(1).max(1);
        least = least.min(team.of_one(member, clock::slots)?);
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_so_long_and_no_longer() {
        let [fine, coarse] = crate::tests::clocks();
        assert!(SmtMonitor::here(&coarse).is_none());
        let mut core = SmtMonitor::here(&fine).unwrap();
        let first = core.look().unwrap();
        assert!(first > 0.0 && !core.wait(&mut { first }).unwrap());
        // A best value that no measurement can reach again, as after a misread clock.
        core.best = first * 1e6;
        let mut last = first;
        assert!(core.wait(&mut last).unwrap() && core.left <= 0.0);
        assert!(!core.wait(&mut last).unwrap());
    }

    #[test]
    fn of_a_team_the_one_that_is_asked_answers() {
        let here = rustix::thread::sched_getcpu() as u32;
        let team = std::rc::Rc::new(Team::on(&[here; 3]).unwrap());
        let asked = |member| team.of_one(member, || std::thread::current().id()).unwrap();
        assert_eq!(asked(1), asked(1));
        assert!(asked(0) != asked(2) && asked(0) != std::thread::current().id());
        assert!(least(&team).unwrap() > 0.0);
    }
}
