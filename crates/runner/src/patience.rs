//! Is a worker that has not answered slow or hung? Slow is one that runs or waits for a CPU; hung is one
//! that does neither. On a busy machine, time on the wall alone says nothing.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// Between two looks at a worker that is late. Long enough for a queue of a busy CPU to come round, which
/// takes up to 0.1 s a competitor.
const LOOK: Duration = Duration::from_secs(2);

/// Less than this between two looks is not progress: a worker that only polls uses 0.1 ms.
const LEAST_NS: u64 = 1_000_000;

/// The tasks of a worker and its children: what each has run and waited for a CPU, ns.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tasks {
    by_id: BTreeMap<u32, [u64; 2]>,
    /// Is one of them on a CPU or in its queue?
    runnable: bool,
}

/// What is known of a worker that is late.
#[derive(Debug)]
pub(crate) struct Watch {
    group: u32,
    patience: Duration,
    begun: Instant,
    seen: Option<(Instant, Tasks)>,
}

/// What a look at a late worker tells.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It makes progress, or it is too early to tell.
    Slow,
    /// It makes none, and why that is said.
    Hung(String),
}

impl Watch {
    /// Watches the process group `group` from now on.
    pub(crate) fn new(group: u32, patience: Duration) -> Watch {
        Watch {
            group,
            patience,
            begun: Instant::now(),
            seen: None,
        }
    }

    /// How long nothing need be looked at: nothing is read while a worker is in time, as that would
    /// disturb what it measures.
    pub(crate) fn rest(&self) -> Duration {
        let last = self.seen.as_ref();
        let next = last.map_or(self.begun + self.patience, |(at, _)| *at + LOOK);
        next.saturating_duration_since(Instant::now())
    }

    /// Looks at the worker, once there is no rest left.
    pub(crate) fn look(&mut self) -> Seen {
        let now = Tasks::of(self.group);
        let seconds = self.begun.elapsed().as_secs_f64();
        let patience = self.patience.as_nanos() as u64;
        let [ran, waited] = now.most();
        let hung = match &self.seen {
            // It had a CPU for all of its patience: more of the same brings no answer.
            _ if ran > patience => Some(format!(
                "no answer after {:.1} s on a CPU; killed",
                ran as f64 / 1e9
            )),
            Some((_, before)) if !now.advanced(before) => Some(format!(
                "no answer within {seconds:.0} s, in which it waited {:.1} s for a CPU, and it neither runs \
                 nor waits for one; killed",
                waited as f64 / 1e9
            )),
            _ => None,
        };
        self.seen = Some((Instant::now(), now));
        hung.map_or(Seen::Slow, Seen::Hung)
    }

    /// In words, what the worker did until now, for one that is stopped before its answer.
    pub(crate) fn so_far(&self) -> String {
        let [ran, waited] = Tasks::of(self.group).most();
        format!(
            "after {:.1} s, of which it ran {:.1} s and waited {:.1} s for a CPU",
            self.begun.elapsed().as_secs_f64(),
            ran as f64 / 1e9,
            waited as f64 / 1e9
        )
    }
}

impl Tasks {
    /// The tasks of a process group. What cannot be read is left out: it has ended, or the kernel does not
    /// tell, and then only whether a task is runnable is known.
    fn of(group: u32) -> Tasks {
        let mut tasks = Tasks::default();
        let names = |folder: &str| -> Vec<u32> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let ids = entries.filter_map(|e| e.file_name().to_str()?.parse().ok());
            ids.collect()
        };
        for process in names("/proc") {
            if stat(&format!("/proc/{process}/stat")).is_none_or(|(_, of)| of != group) {
                continue;
            }
            for task in names(&format!("/proc/{process}/task")) {
                let folder = format!("/proc/{process}/task/{task}");
                let state = stat(&format!("{folder}/stat")).map(|(state, _)| state);
                tasks.runnable |= state == Some('R');
                let times = fs::read_to_string(format!("{folder}/schedstat")).unwrap_or_default();
                let mut times = times.split_whitespace().map(str::parse::<u64>);
                if let (Some(Ok(ran)), Some(Ok(waited))) = (times.next(), times.next()) {
                    tasks.by_id.insert(task, [ran, waited]);
                }
            }
        }
        tasks
    }

    /// The longest that any task has run, and waited, ns.
    fn most(&self) -> [u64; 2] {
        let most = |k: usize| self.by_id.values().map(|t| t[k]).max().unwrap_or(0);
        [most(0), most(1)]
    }

    /// Has a task run or waited for a CPU since `before`? A new task is the work of another.
    fn advanced(&self, before: &Tasks) -> bool {
        let grown = self
            .by_id
            .iter()
            .map(|(id, now)| match before.by_id.get(id) {
                Some(then) => {
                    let grown = |k: usize| now[k].saturating_sub(then[k]);
                    grown(0) + grown(1)
                }
                None => LEAST_NS,
            });
        // The time in a queue is counted when the task leaves it.
        self.runnable || grown.sum::<u64>() >= LEAST_NS
    }
}

/// State and process group of a task, by its `stat`.
fn stat(path: &str) -> Option<(char, u32)> {
    let text = fs::read_to_string(path).ok()?;
    // The name in parentheses may hold anything; what follows it is state, parent and group.
    let mut rest = text.get(text.rfind(')')? + 1..)?.split_whitespace();
    let state = rest.next()?.chars().next()?;
    Some((state, rest.nth(1)?.parse().ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// A shell in a process group of its own.
    fn shell(text: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", text]).process_group(0);
        command.spawn().unwrap()
    }

    /// What two looks tell once patience is over.
    fn looks(text: &str, patience: Duration) -> [Seen; 2] {
        let mut child = shell(text);
        let mut watch = Watch::new(child.id(), patience);
        let looks = [(); 2].map(|()| {
            std::thread::sleep(watch.rest());
            watch.look()
        });
        child.kill().unwrap();
        child.wait().unwrap();
        looks
    }

    #[test]
    fn a_worker_that_neither_runs_nor_waits_is_hung() {
        let [first, second] = looks("exec sleep 60", Duration::from_millis(200));
        assert_eq!(first, Seen::Slow, "one look cannot tell");
        assert!(matches!(second, Seen::Hung(why) if why.contains("neither")));
    }

    #[test]
    fn a_worker_that_is_busy_is_slow_until_it_had_a_cpu_for_all_of_its_patience() {
        let spins = "while :; do :; done";
        // It starts late: one that had a CPU all along has had it for all of its patience at the first look.
        let late = format!("sleep 1; {spins}");
        assert_eq!(looks(&late, Duration::from_secs(3))[0], Seen::Slow);
        let mut child = shell(spins);
        let mut watch = Watch::new(child.id(), Duration::from_millis(100));
        let end = (0..100).find_map(|_| {
            std::thread::sleep(watch.rest());
            match watch.look() {
                Seen::Slow => None,
                Seen::Hung(why) => Some(why),
            }
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(end.unwrap().contains("on a CPU"));
    }

    #[test]
    fn what_waits_in_a_queue_advances() {
        let tasks = |ran, waited, runnable| Tasks {
            by_id: BTreeMap::from([(1, [ran, waited])]),
            runnable,
        };
        let before = tasks(5, 7, false);
        assert!(tasks(5, 7 + LEAST_NS, false).advanced(&before));
        assert!(tasks(5 + LEAST_NS, 7, false).advanced(&before));
        assert!(tasks(5, 7, true).advanced(&before));
        assert!(!tasks(6, 7, false).advanced(&before));
    }
}
