//! Pinned threads that start a piece of work at the same moment.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};
use std::thread;

use whyslow_linux::affinity;

use crate::clock::Moment;
use crate::handover::Ways;
use crate::marks::{Happened, Watch, between};
use crate::pin;
use crate::stop::Stop;

/// Work for every member, given the member's number and how many iterations to do.
type Task = Arc<dyn Fn(usize, u64) + Send + Sync>;

/// What the members of a team do around a joint piece of work; nothing by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Around {
    /// Measure the paths between members right before and right after, without sleeping in between: a hypervisor
    /// may move vCPUs whenever they wake.
    pub label: bool,
    /// Iterations done untimed right before. While a member is idle, other users of a shared cache evict its lines.
    /// (On a crowded host, 0.2 ms of sleep before each 1 ms of reading cost two CPUs 6 % of the last-level cache
    /// bandwidth; the same time awake cost nothing measurable.)
    pub warm: u64,
}

/// The outcome of a piece of work.
#[derive(Debug)]
pub struct Worked {
    /// From the first start to the last end, ns.
    pub ns: f64,
    /// Events on any of the members.
    pub marks: Happened,
    /// Core-to-core latency before and after, one-way ns; only if requested and if all members took part.
    pub labels: Option<[f64; 2]>,
}

/// A request to a member.
struct Order {
    work: Task,
    iterations: u64,
    gathering: Arc<Gathering>,
    /// Paths to measure right before and right after the work.
    ways: Option<Arc<Ways>>,
    /// Iterations done untimed right before.
    warm: u64,
}

/// One member's report.
struct Stint {
    start: Moment,
    end: Moment,
    marks: Happened,
    /// Path latencies before and after.
    ways: Option<[f64; 2]>,
}

/// A barrier for the members.
struct Gathering {
    members: usize,
    arrived: AtomicUsize,
    /// Set when a member died: stop waiting.
    died: AtomicBool,
}

impl Gathering {
    fn of(members: usize) -> Arc<Gathering> {
        Arc::new(Gathering {
            members,
            arrived: AtomicUsize::new(0),
            died: AtomicBool::new(false),
        })
    }

    /// Waits until all have arrived for the `nth` time, from 1 on.
    fn meet(&self, nth: usize) {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        // Spins, so that all leave within one core-to-core latency. With fewer CPUs than members
        // the scheduler releases them, late.
        let mut spins = 0u32;
        while self.arrived.load(Ordering::Acquire) < nth * self.members
            && !self.died.load(Ordering::Relaxed)
        {
            spins += 1;
            if spins > 1 << 16 {
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

/// Reports a member that unwinds.
struct Attending(Arc<Gathering>);

impl Drop for Attending {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.died.store(true, Ordering::Relaxed);
        }
    }
}

/// Looks at a channel before its reader sleeps, some 0.5 ms.
const LOOKS: u32 = 10_000;

/// What `channel` gives next, awaited without sleeping for a while: those that began together end together, and to wake a
/// CPU that sleeps takes as long as a batch on some hosts. The other end may be gone.
fn soon<T>(channel: &Receiver<T>) -> Result<T, RecvError> {
    for _ in 0..LOOKS {
        match channel.try_recv() {
            Ok(next) => return Ok(next),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
    channel.recv()
}

/// Threads pinned one per CPU. They sleep between pieces of work, also for the sake of one that looks at its core: one that
/// waits awake on the same core takes a third of it.
pub struct Team {
    members: Vec<Member>,
    ways: Arc<Ways>,
}

enum Member {
    /// The thread that made the team: it need not wake another on its own CPU.
    Maker(RefCell<Watch>),
    Thread {
        work: Sender<Order>,
        done: Receiver<Stint>,
    },
}

impl Member {
    /// A thread pinned to `cpu`.
    fn thread(number: usize, cpu: u32) -> Result<Member, Stop> {
        let (work, orders) = channel();
        let (report, done) = channel();
        let (ready, started) = channel();
        thread::Builder::new()
            .spawn(move || {
                let pinned = pin::to(cpu);
                let good = pinned.is_ok();
                if ready.send(pinned).is_ok() && good {
                    serve(number, &orders, &report);
                }
            })
            .map_err(|e| Stop::unavailable("starting a thread", e))?;
        started
            .recv()
            .map_err(|e| Stop::unavailable("starting a thread", e))??;
        Ok(Member::Thread { work, done })
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Team of {}", self.members.len())
    }
}

impl Team {
    /// One member for each of `cpus`, in that order. The first is this thread if it is pinned to that CPU.
    ///
    /// # Errors
    /// When a thread cannot be created or pinned.
    pub fn on(cpus: &[u32]) -> Result<Team, Stop> {
        let pinned = affinity::allowed().ok();
        let here = |&(number, cpu): &(usize, u32)| number == 0 && pinned == Some(vec![cpu]);
        let members = cpus.iter().copied().enumerate().map(|member| {
            if here(&member) {
                return Ok(Member::Maker(RefCell::new(Watch::open().0)));
            }
            Member::thread(member.0, member.1)
        });
        Ok(Team {
            ways: Arc::new(Ways::of(cpus.len())),
            members: members.collect::<Result<_, _>>()?,
        })
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// True if there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Current core-to-core latency, one-way ns: the slowest of up to four pairs.
    ///
    /// # Errors
    /// When a member died.
    pub fn label(&self) -> Result<f64, Stop> {
        let everyone: Vec<usize> = (0..self.len()).collect();
        let (ways, stop) = (self.ways.clone(), AtomicBool::new(false));
        let (give, take) = channel();
        self.run(&everyone, move |me| {
            let ns = ways.walk(me, &stop);
            if me == 0 {
                // The receiver outlives the work and is the only one.
                let _ = give.send(ns);
            }
        })?;
        take.try_recv()
            .map_err(|e| Stop::unavailable("asking a thread of the team", e))
    }

    /// Runs `work` on the members in `on`, started together. Returns the ns from the first start to
    /// the last end, and the events on any of them.
    ///
    /// # Errors
    /// When a member died.
    pub fn run(
        &self,
        on: &[usize],
        work: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<(f64, Happened), Stop> {
        let once = move |me, _| work(me);
        let worked = self.work(on, Around::default(), 1, once)?;
        Ok((worked.ns, worked.marks))
    }

    /// The same with the steps of `around`, if `on` is all members. The work is given how many iterations to do, which are
    /// `iterations` but for those of the warm-up.
    ///
    /// # Errors
    /// When a member died.
    pub fn work(
        &self,
        on: &[usize],
        around: Around,
        iterations: u64,
        work: impl Fn(usize, u64) + Send + Sync + 'static,
    ) -> Result<Worked, Stop> {
        let gone = || Stop::Unavailable("a thread of the team died".into());
        let work: Task = Arc::new(work);
        let gathering = Gathering::of(on.len());
        let all = on.len() == self.len();
        let order = || Order {
            work: work.clone(),
            iterations,
            gathering: gathering.clone(),
            ways: (around.label && all).then(|| self.ways.clone()),
            warm: if all { around.warm } else { 0 },
        };
        let mut maker = None;
        for &i in on {
            match &self.members[i] {
                Member::Maker(watch) => maker = Some((i, watch)),
                Member::Thread { work, .. } => work.send(order()).map_err(|_| gone())?,
            }
        }
        // What this thread has to do itself, before it waits for the others.
        let mut own = maker.map(|(i, watch)| order().done(i, &mut watch.borrow_mut()));
        let takes_part = own.is_some();
        let mut stints = Vec::with_capacity(on.len());
        let mut labels = None;
        for &i in on {
            let stint = match &self.members[i] {
                Member::Maker(_) => own.take(),
                Member::Thread { done, .. } if takes_part => soon(done).ok(),
                Member::Thread { done, .. } => done.recv().ok(),
            };
            let stint = stint.ok_or_else(gone)?;
            // Of the first member.
            labels = if i == 0 { stint.ways } else { labels };
            stints.push(stint);
        }
        // All time stamps relative to one of them, so that the differences stay exact.
        let origin = stints.first().map(|first| first.start);
        let after = |moment: Moment| origin.map_or(0.0, |origin| moment.since(origin));
        let from = stints
            .iter()
            .map(|s| after(s.start))
            .fold(f64::INFINITY, f64::min);
        let to = stints.iter().map(|s| after(s.end)).fold(from, f64::max);
        Ok(Worked {
            ns: if stints.is_empty() { 0.0 } else { to - from },
            marks: stints.into_iter().flat_map(|s| s.marks).collect(),
            labels,
        })
    }

    /// The result of `ask` on member `on`, while the others sleep.
    ///
    /// # Errors
    /// When the member died.
    pub fn of_one<T: Send + 'static>(
        &self,
        on: usize,
        ask: impl Fn() -> T + Send + Sync + 'static,
    ) -> Result<T, Stop> {
        let (give, take) = channel();
        self.run(&[on], move |_| {
            // The receiver outlives the work and is the only one.
            let _ = give.send(ask());
        })?;
        take.try_recv()
            .map_err(|e| Stop::unavailable("asking a thread of the team", e))
    }

    /// The result of `make` on every member, in order: memory allocated there is local to the
    /// member's node.
    ///
    /// # Errors
    /// The first error of a member, or that a member died.
    pub fn gather<T: Send + 'static>(
        &self,
        make: impl Fn(usize) -> Result<T, Stop> + Send + Sync + 'static,
    ) -> Result<Vec<T>, Stop> {
        let everyone: Vec<usize> = (0..self.len()).collect();
        let (give, take) = channel();
        self.run(&everyone, move |me| {
            // The receiver outlives the work and is the only one.
            let _ = give.send((me, make(me)));
        })?;
        let mut made: Vec<(usize, Result<T, Stop>)> = take.try_iter().collect();
        made.sort_by_key(|(me, _)| *me);
        made.into_iter().map(|(_, made)| made).collect()
    }
}

/// Main loop of a member with a thread of its own: waits for work, does it, and reports.
fn serve(number: usize, orders: &Receiver<Order>, report: &Sender<Stint>) {
    let (mut watch, _) = Watch::open();
    while let Ok(order) = orders.recv() {
        if report.send(order.done(number, &mut watch)).is_err() {
            return;
        }
    }
}

impl Order {
    /// Done by member `number`: started together with the others.
    fn done(self, number: usize, watch: &mut Watch) -> Stint {
        let attending = Attending(self.gathering);
        let all = &attending.0;
        let times = Cell::new(0);
        let meet = || {
            times.set(times.get() + 1);
            all.meet(times.get());
        };
        let walk = || {
            self.ways.as_ref().map(|ways| {
                meet();
                ways.walk(number, &all.died)
            })
        };
        let way_before = walk();
        if self.warm > 0 {
            (self.work)(number, self.warm);
        }
        let before = watch.read();
        meet();
        let start = Moment::now();
        (self.work)(number, self.iterations);
        let end = Moment::now();
        let after = watch.read();
        let way_after = walk();
        Stint {
            start,
            end,
            marks: between(&before, &after),
            ways: way_before.zip(way_after).map(|(b, a)| [b, a]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    use super::*;

    /// On two CPUs if possible: on one, a transfer takes a scheduler time slice.
    fn team() -> Option<Team> {
        let cpus = whyslow_linux::affinity::allowed().unwrap();
        Some(Team::on(cpus.get(..2)?).unwrap())
    }

    const LABEL: Around = Around {
        label: true,
        warm: 0,
    };
    const WARM: Around = Around {
        label: false,
        warm: 2,
    };

    #[test]
    fn a_member_that_died_is_not_waited_for() {
        let Some(team) = team() else { return };
        let died = team.work(&[0, 1], LABEL, 1, |me, _| assert_eq!(me, 0, "planted"));
        assert!(died.is_err());
        assert!(team.run(&[0, 1], |_| ()).is_err());
    }

    #[test]
    fn the_maker_is_the_member_on_its_own_cpu() {
        let cpus = affinity::allowed().unwrap();
        let &[a, b, ..] = cpus.as_slice() else { return };
        let _pinned = affinity::Pinned::to(a).unwrap();
        let asked = |team: &Team, member| team.of_one(member, || thread::current().id()).unwrap();
        let own = thread::current().id();
        let team = Team::on(&[a, b]).unwrap();
        assert!(asked(&team, 0) == own && asked(&team, 1) != own);
        let worked = team.work(&[0, 1], LABEL, 1, |_, _| ()).unwrap();
        assert!(worked.labels.unwrap().iter().all(|ns| *ns > 0.0));
        // A first member elsewhere, and any other, have threads of their own.
        let team = Team::on(&[b, a]).unwrap();
        assert!(asked(&team, 0) != own && asked(&team, 1) != own);
        let died = team.run(&[0, 1], |me| assert_eq!(me, 0, "planted"));
        assert!(died.is_err());
    }

    #[test]
    fn a_label_is_of_work_that_all_did() {
        let Some(team) = team() else { return };
        assert!(
            team.work(&[1], LABEL, 1, |_, _| ())
                .unwrap()
                .labels
                .is_none()
        );
        let labels = team.work(&[0, 1], LABEL, 1, |_, _| ()).unwrap().labels;
        let [before, after] = labels.unwrap();
        let now = team.label().unwrap();
        assert!([before, after, now].iter().all(|ns| *ns > 0.0));
        let plain = team.work(&[0, 1], Around::default(), 1, |_, _| ());
        assert!(plain.unwrap().labels.is_none());
    }

    #[test]
    fn warming_is_done_by_all_and_not_timed() {
        let Some(team) = team() else { return };
        let (done, pause) = (Arc::new(AtomicU64::new(0)), Duration::from_millis(20));
        let run = |on: &[usize], around| {
            let done = done.clone();
            let worked = team.work(on, around, 5, move |_, iterations| {
                done.fetch_add(iterations, Ordering::Relaxed);
                // Slow only before.
                if iterations == WARM.warm {
                    thread::sleep(pause);
                }
            });
            worked.unwrap().ns
        };
        let ns = run(&[0, 1], WARM);
        assert_eq!(done.load(Ordering::Relaxed), 2 * (2 + 5));
        assert!(ns < pause.as_nanos() as f64, "{ns}");
        // Not for work that leaves a member out, and not afterwards.
        run(&[1], WARM);
        run(&[0, 1], Around::default());
        assert_eq!(done.load(Ordering::Relaxed), 2 * (2 + 5) + 5 + 2 * 5);
    }
}
