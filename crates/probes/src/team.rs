//! Threads pinned to CPUs that begin a piece of work at the same moment.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::clock::Moment;
use crate::handover::Ways;
use crate::marks::{Happened, Watch, between};
use crate::pin;
use crate::stop::Stop;

/// Work for every member, told its own number.
type Work = Arc<dyn Fn(usize) + Send + Sync>;

/// What the members of a team do around a piece of work that all of them have a part in; nothing by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Around {
    /// Measure the paths between them right before and right after, without sleeping in between: a host may move a
    /// guest's CPUs whenever they wake.
    pub label: bool,
    /// Do the work once untimed right before. A member that slept finds less in a shared cache than it left, because
    /// others on that cache did not sleep. (On a crowded host, 0.2 ms of sleep before each 1 ms of reading cost two
    /// CPUs 6 % of the bandwidth of a last-level cache; as much time awake cost nothing measurable.)
    pub warm: bool,
}

/// How a piece of work went.
#[derive(Debug)]
pub struct Worked {
    /// From the first start to the last end, ns.
    pub ns: f64,
    /// What happened to any of the members.
    pub marks: Happened,
    /// What the paths between them took before and after, ns one way; only where that was asked and all took part.
    pub labels: Option<[f64; 2]>,
}

/// What is asked of a member.
struct Order {
    work: Work,
    gathering: Arc<Gathering>,
    /// To be walked right before the work and right after it.
    ways: Option<Arc<Ways>>,
    /// Is it done once untimed, right before?
    warm: bool,
}

/// What one member saw.
struct Stint {
    start: Moment,
    end: Moment,
    marks: Happened,
    /// What the ways took before and after.
    ways: Option<[f64; 2]>,
}

/// Where members wait for each other.
struct Gathering {
    members: usize,
    arrived: AtomicUsize,
    /// One of them died: nobody waits for him.
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

    /// Waits until all are here for the `nth` time, from 1 on.
    fn meet(&self, nth: usize) {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        // Spinning, so that all leave within the time a line takes from CPU to CPU. With fewer
        // CPUs than members the scheduler gets us through, late.
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

/// A member who unwinds says so.
struct Attending(Arc<Gathering>);

impl Drop for Attending {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.died.store(true, Ordering::Relaxed);
        }
    }
}

/// Threads pinned one to a CPU. Between pieces of work they sleep.
pub struct Team {
    members: Vec<Member>,
    ways: Arc<Ways>,
}

struct Member {
    work: Sender<Order>,
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
            ways: Arc::new(Ways::of(members.len())),
            members,
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

    /// How long a line takes between the members now, ns one way: the slowest of up to four pairs.
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
                // The receiver outlives the work; nobody else listens.
                let _ = give.send(ns);
            }
        })?;
        take.try_recv()
            .map_err(|e| Stop::unavailable("asking a thread of the team", e))
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
        let worked = self.work(who, Around::default(), work)?;
        Ok((worked.ns, worked.marks))
    }

    /// The same with what is done around it, where `who` is all members.
    ///
    /// # Errors
    /// When a member died.
    pub fn work(
        &self,
        who: &[usize],
        around: Around,
        work: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Worked, Stop> {
        let gone = || Stop::Unavailable("a thread of the team died".into());
        let work: Work = Arc::new(work);
        let gathering = Gathering::of(who.len());
        let all = who.len() == self.len();
        for &i in who {
            self.members[i]
                .work
                .send(Order {
                    work: work.clone(),
                    gathering: gathering.clone(),
                    ways: (around.label && all).then(|| self.ways.clone()),
                    warm: around.warm && all,
                })
                .map_err(|_| gone())?;
        }
        let mut stints = Vec::with_capacity(who.len());
        let mut labels = None;
        for &i in who {
            let done = self.members[i].done.lock().map_err(|_| gone())?;
            let stint = done.recv().map_err(|_| gone())?;
            // The first member's.
            labels = if i == 0 { stint.ways } else { labels };
            stints.push(stint);
        }
        // All moments relative to one of them, so that the differences stay exact.
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
fn member(number: usize, orders: &Receiver<Order>, report: &Sender<Stint>) {
    let (mut watch, _) = Watch::open();
    while let Ok(Order {
        work,
        gathering,
        ways,
        warm,
    }) = orders.recv()
    {
        let attending = Attending(gathering);
        let all = &attending.0;
        let times = Cell::new(0);
        let meet = || {
            times.set(times.get() + 1);
            all.meet(times.get());
        };
        let walk = || {
            ways.as_ref().map(|ways| {
                meet();
                ways.walk(number, &all.died)
            })
        };
        let way_before = walk();
        if warm {
            work(number);
        }
        let before = watch.read();
        meet();
        let start = Moment::now();
        work(number);
        let end = Moment::now();
        let after = watch.read();
        let way_after = walk();
        let stint = Stint {
            start,
            end,
            marks: between(&before, &after),
            ways: way_before.zip(way_after).map(|(b, a)| [b, a]),
        };
        if report.send(stint).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// On two CPUs, if there are as many: on one, a hand-over takes as long as the scheduler's slices.
    fn team() -> Option<Team> {
        let allowed = rustix::thread::sched_getaffinity(None).unwrap();
        let mut cpus = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu));
        let two = [cpus.next()? as u32, cpus.next()? as u32];
        Some(Team::on(&two).unwrap())
    }

    const LABEL: Around = Around {
        label: true,
        warm: false,
    };
    const WARM: Around = Around {
        label: false,
        warm: true,
    };

    #[test]
    fn a_member_that_died_is_not_waited_for() {
        let Some(team) = team() else { return };
        let died = team.work(&[0, 1], LABEL, |me| assert_eq!(me, 0, "planted"));
        assert!(died.is_err());
        assert!(team.run(&[0, 1], |_| ()).is_err());
    }

    #[test]
    fn a_label_is_of_work_that_all_did() {
        let Some(team) = team() else { return };
        assert!(team.work(&[1], LABEL, |_| ()).unwrap().labels.is_none());
        let labels = team.work(&[0, 1], LABEL, |_| ()).unwrap().labels;
        let [before, after] = labels.unwrap();
        let now = team.label().unwrap();
        assert!([before, after, now].iter().all(|ns| *ns > 0.0));
        let plain = team.work(&[0, 1], Around::default(), |_| ());
        assert!(plain.unwrap().labels.is_none());
    }

    #[test]
    fn warming_is_done_by_all_and_not_timed() {
        let Some(team) = team() else { return };
        let (done, pause) = (Arc::new(AtomicUsize::new(0)), Duration::from_millis(20));
        let run = |who: &[usize], around| {
            let done = done.clone();
            let worked = team.work(who, around, move |_| {
                // Long the first time alone.
                if done.fetch_add(1, Ordering::Relaxed) < 2 {
                    thread::sleep(pause);
                }
            });
            worked.unwrap().ns
        };
        let ns = run(&[0, 1], WARM);
        assert_eq!(done.load(Ordering::Relaxed), 4);
        assert!(ns < pause.as_nanos() as f64, "{ns}");
        // Not of work that leaves one out, and not any more.
        run(&[1], WARM);
        run(&[0, 1], Around::default());
        assert_eq!(done.load(Ordering::Relaxed), 7);
    }
}
