//! Who is beside the work on its cores, and waiting until he is not.

use whyslow_model::record::ClockFacts;

use crate::clock;
use crate::stop::Stop;
use crate::team::Team;

/// A clock of larger steps than these says too little of half a microsecond, ns.
const FINE: f64 = 50.0;

/// A look below this share of the best is beside somebody, who takes a quarter of the core or more.
const BESIDE: f64 = 0.9;

/// A process waits so many looks in all, some 4 ms: neighbors come and go within milliseconds, and whoever stays is
/// put up with. Fifteen batches take 15 ms.
const LOOKS: u32 = 120;

/// Members of a team that one look goes to; more would take longer than the batch it stands beside.
const MOST_MEMBERS: usize = 4;

/// Looks at the core that this thread is pinned to, or at those of a team.
pub(crate) struct Lookout<'j> {
    /// Instructions that do nothing which the core hands out a cycle now; of several, the least.
    slots: Box<dyn FnMut() -> Result<f64, Stop> + 'j>,
    best: f64,
    looks: u32,
}

impl<'j> Lookout<'j> {
    /// At this thread's core; absent where the clock is too coarse for a look.
    pub(crate) fn here(clock: &ClockFacts) -> Option<Self> {
        Lookout::new(clock, || Ok(clock::slots()))
    }

    /// At the cores of `team`.
    pub(crate) fn of(clock: &ClockFacts, team: impl AsRef<Team> + 'j) -> Option<Self> {
        Lookout::new(clock, move || least(team.as_ref()))
    }

    fn new(clock: &ClockFacts, slots: impl FnMut() -> Result<f64, Stop> + 'j) -> Option<Self> {
        (clock.resolution_ns <= FINE).then(|| Lookout {
            slots: Box::new(slots),
            best: 0.0,
            looks: LOOKS,
        })
    }

    /// What the core hands out now.
    ///
    /// # Errors
    /// When a member of the team died.
    pub(crate) fn look(&mut self) -> Result<f64, Stop> {
        let slots = (self.slots)()?;
        // What could not be read (a clock that stood still) says nothing of anybody.
        let slots = if slots.is_finite() { slots } else { self.best };
        self.best = self.best.max(slots);
        Ok(slots)
    }

    /// Waits while somebody is beside, as the look `last` found; that becomes the latest look. True if it waited.
    ///
    /// Nothing is known of who was beside from the first look on: then it does not wait.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub(crate) fn wait(&mut self, last: &mut f64) -> Result<bool, Stop> {
        let mut waited = false;
        while *last < BESIDE * self.best && self.looks > 0 {
            self.looks -= 1;
            *last = self.look()?;
            waited = true;
        }
        Ok(waited)
    }
}

/// The least that the cores of up to four members hand out. One after the other: members that share a core would
/// see each other.
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
        let fine = ClockFacts {
            resolution_ns: 20.0,
            cost_ns: 20.0,
            loop_ns: 0.3,
            ghz: 3.0,
        };
        let coarse = ClockFacts {
            resolution_ns: 4e3,
            ..fine
        };
        assert!(Lookout::here(&coarse).is_none());
        let mut core = Lookout::here(&fine).unwrap();
        let first = core.look().unwrap();
        assert!(first > 0.0 && !core.wait(&mut { first }).unwrap());
        // A core that no look will find as free as it was, as after a misread clock.
        core.best = first * 1e6;
        let mut last = first;
        assert!(core.wait(&mut last).unwrap() && core.looks == 0);
        assert!(!core.wait(&mut last).unwrap());
    }

    #[test]
    fn of_a_team_the_one_that_is_asked_answers() {
        let here = rustix::thread::sched_getcpu() as u32;
        let team = std::rc::Rc::new(Team::on(&[here; 3]).unwrap());
        let asked = |who| team.of_one(who, || std::thread::current().id()).unwrap();
        assert_eq!(asked(1), asked(1));
        assert!(asked(0) != asked(2) && asked(0) != std::thread::current().id());
        assert!(least(&team).unwrap() > 0.0);
    }
}
