//! Launches on an engine that is made up, in time that is made up: what a node or the engine may do.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::*;
use crate::launch::task::Offered;

/// Seconds that a healthy node takes.
const TAKES: u64 = 60;

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Measures,
    Fails,
    Hangs,
    NeverStarts,
    /// Its job is gone, without a record.
    Vanishes,
    /// Its record is seen this many seconds after its end.
    Late(u64),
    Refused,
}

#[derive(Default)]
struct World {
    now: u64,
    /// Nodes with their records.
    records: BTreeSet<String>,
    /// Start of each job.
    jobs: BTreeMap<String, u64>,
    submitted: Vec<String>,
    canceled: Vec<String>,
    most: usize,
    /// The engine does not answer in this time.
    silent: std::ops::Range<u64>,
    /// It has accepted a job whose acceptance was not heard of.
    unheard: Option<String>,
    /// It takes no more jobs at once.
    limit: usize,
    stop_at: Option<u64>,
    events: Vec<String>,
}

struct Fake {
    world: Rc<RefCell<World>>,
    does: BTreeMap<String, Does>,
}

impl Fake {
    fn does(&self, node: &str) -> Does {
        self.does.get(node).copied().unwrap_or(Does::Measures)
    }
}

impl Engine for Fake {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        Ok(Vec::new())
    }

    fn submit(&mut self, task: &Task) -> Result<(), EngineError> {
        let mut world = self.world.borrow_mut();
        if world.jobs.contains_key(&task.node) {
            return Ok(());
        }
        if world.silent.contains(&world.now) {
            return Err(EngineError::Unanswered("no route".to_owned()));
        }
        if self.does(&task.node) == Does::Refused {
            return Err(EngineError::Refused("no such node".to_owned()));
        }
        if world.jobs.len() >= world.limit {
            return Err(EngineError::Full("MaxSubmit".to_owned()));
        }
        let now = world.now;
        world.jobs.insert(task.node.clone(), now);
        world.submitted.push(task.node.clone());
        world.most = world.most.max(world.jobs.len());
        match world.unheard.take_if(|node| *node == task.node) {
            Some(_) => Err(EngineError::Unanswered("timed out".to_owned())),
            None => Ok(()),
        }
    }

    fn look(&mut self) -> Result<Vec<(String, State)>, EngineError> {
        let mut world = self.world.borrow_mut();
        let now = world.now;
        if world.silent.contains(&now) {
            return Err(EngineError::Unanswered("no route".to_owned()));
        }
        let mut states = Vec::new();
        for (node, began) in world.jobs.clone() {
            let done = now >= began + TAKES;
            let state = match self.does(&node) {
                Does::NeverStarts => State::Waiting(Some("Resources".to_owned())),
                Does::Hangs => State::Running,
                _ if !done => State::Running,
                Does::Fails => State::Ended(Err("exit code 2".to_owned())),
                Does::Vanishes => {
                    world.jobs.remove(&node);
                    continue;
                }
                Does::Late(seconds) => {
                    if now >= began + TAKES + seconds {
                        world.records.insert(node.clone());
                    }
                    State::Ended(Ok(()))
                }
                Does::Measures | Does::Refused => {
                    world.records.insert(node.clone());
                    State::Ended(Ok(()))
                }
            };
            if matches!(state, State::Ended(_)) && world.records.contains(&node) {
                world.jobs.remove(&node);
            }
            states.push((node, state));
        }
        Ok(states)
    }

    fn cancel(&mut self, node: &str) -> Result<(), EngineError> {
        let mut world = self.world.borrow_mut();
        world.jobs.remove(node);
        world.canceled.push(node.to_owned());
        Ok(())
    }

    fn shown(&self, task: &Task) -> String {
        task.node.clone()
    }
}

struct Around(Rc<RefCell<World>>);

impl Surroundings for Around {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.borrow().now)
    }

    fn rest(&mut self, time: Duration) {
        self.0.borrow_mut().now += time.as_secs().max(1);
    }

    fn stopped(&self) -> bool {
        let world = self.0.borrow();
        world.stop_at.is_some_and(|at| world.now >= at)
    }

    fn is_done(&self, task: &Task) -> bool {
        self.0.borrow().records.contains(&task.node)
    }

    fn longest(&self, _: &Task) -> Duration {
        Duration::from_secs(300)
    }

    fn on(&mut self, event: Event<'_>) {
        self.0.borrow_mut().events.push(format!("{event:?}"));
    }
}

const RULES: Rules = Rules {
    width: 3,
    wait: Duration::from_secs(600),
    patience: Duration::from_secs(900),
};

fn tasks(count: usize) -> Vec<Task> {
    let nodes = (1..=count).map(|at| Task {
        node: format!("n{at}"),
        records: Vec::new(),
    });
    nodes.collect()
}

/// Launches over ten nodes, of which some do what they should not.
fn launched(does: &[(&str, Does)], change: impl FnOnce(&mut World)) -> (Launched, World) {
    let mut world = World {
        limit: usize::MAX,
        ..World::default()
    };
    change(&mut world);
    let world = Rc::new(RefCell::new(world));
    let does = does.iter().map(|(node, does)| ((*node).to_owned(), *does));
    let mut engine = Fake {
        world: world.clone(),
        does: does.collect(),
    };
    let found = launch(&mut engine, tasks(10), &RULES, &mut Around(world.clone()));
    drop(engine);
    (found, world.replace(World::default()))
}

fn missing(found: &Launched) -> Vec<String> {
    let all = found.missing.iter();
    all.map(|m| format!("{}: {}", m.node, m.why)).collect()
}

#[test]
fn no_more_than_the_width_are_at_work_and_all_are_measured() {
    let (found, world) = launched(&[], |_| {});
    assert_eq!((found.measured.len(), world.most), (10, 3));
    assert_eq!(world.submitted[..3], ["n1", "n2", "n3"]);
    assert!(found.missing.is_empty() && !found.interrupted);
}

#[test]
fn each_node_that_fails_costs_one_node_and_says_why() {
    let does = [
        ("n1", Does::Hangs),
        ("n2", Does::Fails),
        ("n3", Does::NeverStarts),
        ("n4", Does::Vanishes),
        ("n5", Does::Refused),
        ("n6", Does::Late(20)),
    ];
    let (found, world) = launched(&does, |_| {});
    assert_eq!(found.measured.len(), 5, "{found:?}");
    let mut why = missing(&found);
    why.sort();
    assert_eq!(
        why,
        [
            "n1: no answer within 300 s",
            "n2: exit code 2",
            "n3: not begun within 600 s of waiting: Resources",
            "n4: ended without a record",
            "n5: no such node",
        ]
    );
    assert_eq!(world.canceled, ["n1", "n3"]);
}

#[test]
fn an_engine_that_is_away_for_a_time_costs_nothing() {
    let (found, world) = launched(&[], |world| world.silent = 30..700);
    assert_eq!(found.measured.len(), 10, "{found:?}");
    assert_eq!(world.submitted.len(), 10);
    let said = world.events.iter();
    let said = said.filter(|event| event.starts_with("Unanswered"));
    assert_eq!(said.count(), 2, "{:?}", world.events);
}

#[test]
fn an_engine_that_stays_away_ends_it_with_what_is_there() {
    let (found, world) = launched(&[], |world| world.silent = 100..u64::MAX);
    assert_eq!(found.measured.len() + found.missing.len(), 10);
    assert!(
        !found.measured.is_empty() && world.now < 1200,
        "{}",
        world.now
    );
    assert!(missing(&found)[0].contains("did not answer for 900 s"));
}

#[test]
fn a_job_whose_acceptance_was_not_heard_of_is_not_submitted_twice() {
    let (found, world) = launched(&[], |world| world.unheard = Some("n2".to_owned()));
    assert_eq!(found.measured.len(), 10);
    assert_eq!(world.submitted.len(), 10);
}

#[test]
fn a_limit_on_jobs_slows_it_down_and_is_said_once() {
    let (found, world) = launched(&[], |world| world.limit = 2);
    assert_eq!((found.measured.len(), world.most), (10, 2));
    let said = world.events.iter();
    let full = said.filter(|event| event.starts_with("Full")).count();
    assert!((1..=5).contains(&full), "{:?}", world.events);
}

#[test]
fn interrupted_it_cancels_what_runs_and_keeps_what_is_there() {
    let (found, world) = launched(&[], |world| world.stop_at = Some(90));
    assert!(found.interrupted);
    assert_eq!(found.measured.len(), 3, "{found:?}");
    assert_eq!(world.canceled.len(), 3);
    let why = missing(&found);
    assert_eq!(why.iter().filter(|w| w.ends_with("not begun")).count(), 4);
    assert!(world.jobs.is_empty());
}
