//! Several records of more nodes than are at work at once: a record of each in turn, so that all nodes are measured over the
//! same time. With all records of a node one after the other, what happens to the machines or around them for a
//! minute would be of one node alone.

use std::collections::HashSet;

use super::engine::Engine;
use super::run::{Launched, Rules, Surroundings, launch};
use super::task::{Missing, Task};

/// Turns that `tasks` are measured in; one where all are at work at once, or the engine takes a node once.
pub fn turns(engine: &dyn Engine, tasks: &[Task], rules: &Rules) -> usize {
    let most = tasks.iter().map(|task| task.records.len()).max();
    match tasks.len() > rules.width && engine.again() {
        true => most.unwrap_or(1).max(1),
        false => 1,
    }
}

/// Runs `tasks` in their order, in [turns](turns()).
pub fn in_turns(
    engine: &mut dyn Engine,
    tasks: Vec<Task>,
    rules: &Rules,
    around: &mut dyn Surroundings,
) -> Launched {
    let turns = turns(engine, &tasks, rules);
    if turns == 1 {
        return launch(engine, tasks, rules, around);
    }
    let mut left = tasks;
    let mut out = Launched::default();
    for turn in 0..turns {
        let own = left.iter().filter_map(|task| {
            Some(Task {
                node: task.node.clone(),
                records: vec![task.records.get(turn)?.clone()],
            })
        });
        let launched = launch(engine, own.collect(), rules, around);
        let missing: HashSet<&str> = launched.missing.iter().map(|m| m.node.as_str()).collect();
        left.retain(|task| !missing.contains(task.node.as_str()));
        out.missing.extend(launched.missing);
        if launched.interrupted {
            out.interrupted = true;
            let begun = |task: &Task| task.records.len() <= turn + 1;
            let (whole, rest) = left.into_iter().partition(begun);
            left = whole;
            let rest: Vec<Task> = rest;
            out.missing.extend(rest.into_iter().map(|task| Missing {
                node: task.node,
                why: "not all of its records".to_owned(),
            }));
            break;
        }
    }
    out.measured = left.into_iter().map(|task| task.node).collect();
    out
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;
    use crate::launch::engine::EngineError;
    use crate::launch::run::Event;
    use crate::launch::task::{Offered, State};

    /// What was measured, in its order, and by what time the launch is to end.
    #[derive(Default)]
    struct World {
        records: BTreeSet<PathBuf>,
        order: Vec<String>,
        now: u64,
        stop_at: Option<u64>,
    }

    /// An engine whose nodes take a second; `bad` fails at its second record.
    struct Fake {
        world: Rc<RefCell<World>>,
        again: bool,
        at_work: Vec<Task>,
    }

    impl Engine for Fake {
        fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
            Ok(Vec::new())
        }
        fn submit(&mut self, task: &Task) -> Result<(), EngineError> {
            let mut world = self.world.borrow_mut();
            let records = task.records.len();
            world.order.push(format!("{} {records}", task.node));
            self.at_work.push(task.clone());
            Ok(())
        }
        fn look(&mut self) -> Result<Vec<(String, State)>, EngineError> {
            let mut world = self.world.borrow_mut();
            let ended = self.at_work.drain(..).map(|task| {
                let second = |path: &PathBuf| path.ends_with("2");
                if task.node == "bad" && task.records.iter().any(second) {
                    return (task.node, State::Ended(Err("a fan".to_owned())));
                }
                world.records.extend(task.records);
                (task.node, State::Ended(Ok(())))
            });
            Ok(ended.collect())
        }
        fn cancel(&mut self, _: &str) -> Result<(), EngineError> {
            Ok(())
        }
        fn shown(&self, _: &Task) -> String {
            String::new()
        }
        fn again(&self) -> bool {
            self.again
        }
    }

    struct Time(Rc<RefCell<World>>, Cell<u64>);

    impl Surroundings for Time {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.borrow().now)
        }
        fn rest(&mut self, _: Duration) {
            self.0.borrow_mut().now += 1;
        }
        fn stopped(&self) -> bool {
            let world = self.0.borrow();
            world.stop_at.is_some_and(|at| world.now >= at)
        }
        fn is_done(&self, task: &Task) -> bool {
            let world = self.0.borrow();
            task.records.iter().all(|path| world.records.contains(path))
        }
        fn longest(&self, _: &Task) -> Duration {
            Duration::from_secs(100)
        }
        fn on(&mut self, _: Event<'_>) {
            self.1.set(self.1.get() + 1);
        }
    }

    fn launched(width: usize, again: bool, stop_at: Option<u64>) -> (Launched, Vec<String>) {
        let task = |node: &str| Task {
            node: node.to_owned(),
            records: (1..=3).map(|n| format!("/{node}/{n}").into()).collect(),
        };
        let world = Rc::new(RefCell::new(World {
            stop_at,
            ..World::default()
        }));
        let mut engine = Fake {
            world: Rc::clone(&world),
            again,
            at_work: Vec::new(),
        };
        let rules = Rules {
            width,
            wait: Duration::from_secs(1000),
            patience: Duration::from_secs(1000),
        };
        let tasks = vec![task("a"), task("bad"), task("c")];
        let mut around = Time(Rc::clone(&world), Cell::new(0));
        let out = in_turns(&mut engine, tasks, &rules, &mut around);
        let order = world.borrow().order.clone();
        (out, order)
    }

    #[test]
    fn more_nodes_than_are_at_work_at_once_are_measured_in_turns() {
        let (out, order) = launched(1, true, None);
        assert_eq!(
            order,
            ["a 1", "bad 1", "c 1", "a 1", "bad 1", "c 1", "a 1", "c 1"]
        );
        assert_eq!(out.measured, ["a", "c"]);
        assert_eq!(out.missing.len(), 1);
        assert_eq!(out.missing[0].why, "a fan");
        // All at once, or by an engine that takes a node once: all records in one job.
        for (width, again) in [(3, true), (1, false)] {
            assert_eq!(launched(width, again, None).1, ["a 3", "bad 3", "c 3"]);
        }
    }

    #[test]
    fn one_that_is_interrupted_says_which_nodes_lack_records() {
        let (out, _) = launched(1, true, Some(4));
        assert!(out.interrupted && out.measured.is_empty(), "{out:?}");
        let nodes: BTreeSet<&str> = out.missing.iter().map(|m| m.node.as_str()).collect();
        assert_eq!(nodes.len(), 3, "{out:?}");
    }
}
