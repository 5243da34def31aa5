//! The launch itself: as many nodes at work as may be, each given up alone.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::engine::{Engine, EngineError};
use super::task::{Missing, State, Task};

/// Shortest and longest time between two looks at the engine.
const LOOKS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(5)];

/// A file that a node wrote may be seen here this much later: that is how long network file systems keep names.
const GRACE: Duration = Duration::from_secs(30);

/// What a launch keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Most nodes that are submitted at once.
    pub width: usize,
    /// Longest that a node may stay in the engine's queue.
    pub wait: Duration,
    /// Longest that the engine may not answer.
    pub patience: Duration,
}

/// What is around a launch: the time, what asks it to end, and the records.
pub trait Surroundings {
    /// Time since some moment.
    fn now(&self) -> Duration;
    /// Lets time pass; shorter where the launch is to end.
    fn rest(&mut self, time: Duration);
    /// Is the launch to end?
    fn stopped(&self) -> bool;
    /// Are all records of the task there, and whole?
    fn is_done(&self, task: &Task) -> bool;
    /// The longest that the task may run.
    fn longest(&self, task: &Task) -> Duration;
    /// Something happened.
    fn on(&mut self, event: Event<'_>);
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The engine has the task of a node.
    Submitted(&'a str),
    /// It runs.
    Running(&'a str),
    /// Its records are there.
    Measured(&'a str),
    /// It is given up.
    Missing(&'a Missing),
    /// The engine takes no further jobs for now; the launch goes on with as many as it has.
    Full(&'a str),
    /// The engine does not answer, or does so again.
    Unanswered(Option<&'a str>),
}

/// What came of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launched {
    /// Nodes with all their records.
    pub measured: Vec<String>,
    /// Nodes that were given up.
    pub missing: Vec<Missing>,
    /// True if it was asked to end before all nodes were measured or given up.
    pub interrupted: bool,
}

/// A task that the engine has.
struct Active {
    task: Task,
    submitted: Duration,
    running: Option<Duration>,
    /// Since when the engine says that it has ended well, or no longer has it.
    ended: Option<Duration>,
}

/// Runs `tasks` in their order.
pub fn launch(
    engine: &mut dyn Engine,
    tasks: Vec<Task>,
    rules: &Rules,
    around: &mut dyn Surroundings,
) -> Launched {
    let mut launch = Launch {
        engine,
        rules,
        around,
        queue: tasks.into(),
        active: BTreeMap::new(),
        out: Launched::default(),
        silent: None,
        full: false,
    };
    launch.run();
    launch.out
}

struct Launch<'a> {
    engine: &'a mut dyn Engine,
    rules: &'a Rules,
    around: &'a mut dyn Surroundings,
    queue: VecDeque<Task>,
    active: BTreeMap<String, Active>,
    out: Launched,
    /// Since when the engine does not answer.
    silent: Option<Duration>,
    full: bool,
}

impl Launch<'_> {
    fn run(&mut self) {
        let [shortest, longest] = LOOKS;
        let mut pause = shortest;
        while !(self.queue.is_empty() && self.active.is_empty()) {
            if self.around.stopped() {
                return self.interrupt();
            }
            let before = (self.queue.len(), self.active.len());
            // An answer that was lost may have been "taken": what is there is looked at before more is submitted.
            if self.silent.is_none() {
                self.submit();
            }
            self.around.rest(pause);
            self.look();
            if self.is_lost() {
                return;
            }
            pause = match before == (self.queue.len(), self.active.len()) {
                true => longest.min(pause * 3 / 2),
                false => shortest,
            };
        }
    }

    fn submit(&mut self) {
        while self.active.len() < self.rules.width && !self.around.stopped() {
            let Some(task) = self.queue.pop_front() else {
                return;
            };
            // By a job of a launch before, which has ended meanwhile.
            if self.around.is_done(&task) {
                self.around.on(Event::Measured(&task.node));
                self.out.measured.push(task.node);
                continue;
            }
            match self.engine.submit(&task) {
                Ok(()) => {
                    self.full = false;
                    self.around.on(Event::Submitted(&task.node));
                    let active = Active {
                        submitted: self.around.now(),
                        running: None,
                        ended: None,
                        task,
                    };
                    self.active.insert(active.task.node.clone(), active);
                }
                Err(EngineError::Refused(why)) => self.give_up(task.node, why),
                Err(EngineError::Full(why)) => {
                    if !self.full {
                        self.around.on(Event::Full(&why));
                    }
                    self.full = true;
                    self.queue.push_front(task);
                    return;
                }
                Err(EngineError::Unanswered(why)) => {
                    self.queue.push_front(task);
                    return self.no_answer(&why);
                }
            }
        }
    }

    fn look(&mut self) {
        let states = match self.engine.look() {
            Ok(states) => states,
            Err(why) => return self.no_answer(&why.to_string()),
        };
        if self.silent.take().is_some() {
            self.around.on(Event::Unanswered(None));
        }
        let states: BTreeMap<String, State> = states.into_iter().collect();
        let nodes: Vec<String> = self.active.keys().cloned().collect();
        for node in nodes {
            self.settle(node, &states);
        }
    }

    /// Brings one node up to date.
    fn settle(&mut self, node: String, states: &BTreeMap<String, State>) {
        let now = self.around.now();
        let Some(active) = self.active.get_mut(&node) else {
            return;
        };
        let given_up = match states.get(&node) {
            Some(State::Waiting(reason)) => {
                let late = now.saturating_sub(active.submitted) > self.rules.wait;
                late.then(|| {
                    let reason = reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
                    format!(
                        "not begun within {} s of waiting{reason}",
                        self.rules.wait.as_secs()
                    )
                })
            }
            Some(State::Running) => {
                let since = *active.running.get_or_insert_with(|| {
                    self.around.on(Event::Running(&node));
                    now
                });
                let longest = self.around.longest(&active.task);
                let late = now.saturating_sub(since) > longest;
                late.then(|| format!("no answer within {} s", longest.as_secs()))
            }
            ended @ (Some(State::Ended(_)) | None) => {
                if self.around.is_done(&active.task) {
                    self.active.remove(&node);
                    self.around.on(Event::Measured(&node));
                    self.out.measured.push(node);
                    return;
                }
                let since = *active.ended.get_or_insert(now);
                let late = now.saturating_sub(since) > GRACE;
                match ended {
                    Some(State::Ended(Err(why))) => {
                        let why = why.clone();
                        self.active.remove(&node);
                        return self.give_up(node, why);
                    }
                    _ if late => {
                        self.active.remove(&node);
                        return self.give_up(node, "ended without a record".to_owned());
                    }
                    _ => None,
                }
            }
        };
        if let Some(why) = given_up {
            self.active.remove(&node);
            // The node is given up whether or not it can be told so.
            let _ = self.engine.cancel(&node);
            self.give_up(node, why);
        }
    }

    fn give_up(&mut self, node: String, why: String) {
        let missing = Missing { node, why };
        self.around.on(Event::Missing(&missing));
        self.out.missing.push(missing);
    }

    fn no_answer(&mut self, why: &str) {
        if self.silent.is_none() {
            self.silent = Some(self.around.now());
            self.around.on(Event::Unanswered(Some(why)));
        }
    }

    /// Gives all up where the engine does not answer for too long.
    fn is_lost(&mut self) -> bool {
        let now = self.around.now();
        let lost = self
            .silent
            .is_some_and(|since| now.saturating_sub(since) > self.rules.patience);
        if !lost {
            return false;
        }
        let why = format!(
            "the engine did not answer for {} s",
            self.rules.patience.as_secs()
        );
        for (node, active) in std::mem::take(&mut self.active) {
            match self.around.is_done(&active.task) {
                true => self.out.measured.push(node),
                false => self.give_up(node, why.clone()),
            }
        }
        for task in std::mem::take(&mut self.queue) {
            self.give_up(task.node, why.clone());
        }
        true
    }

    /// Ends what runs; records that are there stay.
    fn interrupt(&mut self) {
        self.out.interrupted = true;
        for (node, active) in std::mem::take(&mut self.active) {
            if self.around.is_done(&active.task) {
                self.out.measured.push(node);
                continue;
            }
            let canceled = self.engine.cancel(&node);
            let why = match canceled {
                Ok(()) => "canceled".to_owned(),
                Err(why) => format!("could not be canceled: {why}"),
            };
            self.give_up(node, why);
        }
        for task in std::mem::take(&mut self.queue) {
            self.out.missing.push(Missing {
                node: task.node,
                why: "not begun".to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
