//! Threads pinned to CPUs that begin a piece of work at the same moment.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::clock::Moment;
use crate::marks::{Happened, Watch, between};
use crate::pin;
use crate::probe::Stop;

/// Work for every member, told its own number.
type Work = Arc<dyn Fn(usize) + Send + Sync>;

/// What one member saw.
struct Stint {
    start: Moment,
    end: Moment,
    marks: Happened,
}

/// Threads pinned one to a CPU. Between pieces of work they sleep.
pub struct Team {
    members: Vec<Member>,
    one_at_a_time: Mutex<()>,
}

struct Member {
    work: Sender<(Work, Arc<AtomicUsize>)>,
    done: Mutex<Receiver<Stint>>,
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Team of {}", self.members.len())
    }
}

impl Team {
    /// One member for each of `cpus`, in that order.
    ///
    /// # Errors
    /// When a thread cannot be made or pinned.
    pub fn on(cpus: &[u32]) -> Result<Team, Stop> {
        let mut members = Vec::new();
        for &cpu in cpus {
            let (work, orders) = channel();
            let (report, done) = channel();
            let (ready, started) = channel();
            let number = members.len();
            thread::Builder::new()
                .spawn(move || {
                    let pinned = pin::to(cpu);
                    let good = pinned.is_ok();
                    if ready.send(pinned).is_ok() && good {
                        member(number, &orders, &report);
                    }
                })
                .map_err(|e| Stop::unavailable("starting a thread", e))?;
            started
                .recv()
                .map_err(|e| Stop::unavailable("starting a thread", e))??;
            members.push(Member {
                work,
                done: Mutex::new(done),
            });
        }
        Ok(Team {
            members,
            one_at_a_time: Mutex::new(()),
        })
    }

    /// How many members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Runs `work` on the members numbered in `who`, begun together. Returns the ns from the first
    /// start to the last end, and what happened to any of them.
    ///
    /// # Errors
    /// When a member died.
    pub fn run(
        &self,
        who: &[usize],
        work: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<(f64, Happened), Stop> {
        let gone = || Stop::Unavailable("a thread of the team died".into());
        let _turn = self.one_at_a_time.lock().map_err(|_| gone())?;
        let work: Work = Arc::new(work);
        let waiting = Arc::new(AtomicUsize::new(who.len()));
        for &i in who {
            self.members[i]
                .work
                .send((work.clone(), waiting.clone()))
                .map_err(|_| gone())?;
        }
        let mut stints = Vec::with_capacity(who.len());
        for &i in who {
            let done = self.members[i].done.lock().map_err(|_| gone())?;
            stints.push(done.recv().map_err(|_| gone())?);
        }
        let Some(first) = stints.first() else {
            return Ok((0.0, Vec::new()));
        };
        // All moments relative to one of them, so that the differences stay exact.
        let origin = first.start;
        let from = stints
            .iter()
            .map(|s| s.start.since(origin))
            .fold(f64::INFINITY, f64::min);
        let to = stints
            .iter()
            .map(|s| s.end.since(origin))
            .fold(f64::NEG_INFINITY, f64::max);
        Ok((
            to - from,
            stints.into_iter().flat_map(|s| s.marks).collect(),
        ))
    }

    /// What `ask` answers on the member numbered `who`, while the others sleep.
    ///
    /// # Errors
    /// When the member died.
    pub fn of_one<T: Send + 'static>(
        &self,
        who: usize,
        ask: impl Fn() -> T + Send + Sync + 'static,
    ) -> Result<T, Stop> {
        let (give, take) = channel();
        self.run(&[who], move |_| {
            // The receiver outlives the work; nobody else listens.
            let _ = give.send(ask());
        })?;
        take.try_recv()
            .map_err(|e| Stop::unavailable("asking a thread of the team", e))
    }

    /// What `make` makes on every member, in their order: memory so made lies on the member's node.
    ///
    /// # Errors
    /// The first that a member had, or that a member died.
    pub fn gather<T: Send + 'static>(
        &self,
        make: impl Fn(usize) -> Result<T, Stop> + Send + Sync + 'static,
    ) -> Result<Vec<T>, Stop> {
        let everyone: Vec<usize> = (0..self.len()).collect();
        let (give, take) = channel();
        self.run(&everyone, move |me| {
            // The receiver outlives the work; nobody else listens.
            let _ = give.send((me, make(me)));
        })?;
        let mut made: Vec<(usize, Result<T, Stop>)> = take.try_iter().collect();
        made.sort_by_key(|(me, _)| *me);
        made.into_iter().map(|(_, made)| made).collect()
    }
}

/// A member's life: wait for work, meet the others, do it, report.
fn member(number: usize, orders: &Receiver<(Work, Arc<AtomicUsize>)>, report: &Sender<Stint>) {
    let (mut watch, _) = Watch::open();
    while let Ok((work, waiting)) = orders.recv() {
        let before = watch.read();
        waiting.fetch_sub(1, Ordering::AcqRel);
        // Spinning, so that all leave within the time a line takes from CPU to CPU. With fewer
        // CPUs than members the scheduler gets us through, late.
        let mut spins = 0u32;
        while waiting.load(Ordering::Acquire) != 0 {
            spins += 1;
            if spins > 1 << 16 {
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
        let start = Moment::now();
        work(number);
        let end = Moment::now();
        let after = watch.read();
        let stint = Stint {
            start,
            end,
            marks: between(&before, &after),
        };
        if report.send(stint).is_err() {
            return;
        }
    }
}
