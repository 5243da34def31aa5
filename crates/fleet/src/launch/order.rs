//! Which nodes are measured, in which order: those that are idle first, none that has its records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread;

use whyslow_model::fleet::FleetPlan;

use super::plan::records;
use super::task::{Missing, Offered, Task, is_whole};

/// What there is to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// Tasks, those of idle nodes first.
    pub tasks: Vec<Task>,
    /// Nodes that have all their records.
    pub measured: Vec<String>,
    /// Nodes that take no job.
    pub unusable: Vec<Missing>,
}

/// Orders the nodes of `plan`, by what the engine offers of each.
pub fn order(
    folder: &Path,
    plan: &FleetPlan,
    offered: &[(String, Offered)],
    threads: usize,
) -> Order {
    let states: HashMap<&str, &Offered> = offered
        .iter()
        .map(|(node, state)| (node.as_str(), state))
        .collect();
    let mut found = Order::default();
    let mut busy = Vec::new();
    for (node, left) in left(folder, plan, threads) {
        if left.is_empty() {
            found.measured.push(node);
            continue;
        }
        let task = Task {
            node: node.clone(),
            records: left,
        };
        match states.get(node.as_str()) {
            Some(Offered::Idle) => found.tasks.push(task),
            Some(Offered::Busy) => busy.push(task),
            Some(Offered::Unusable(why)) => found.unusable.push(Missing {
                node,
                why: why.clone(),
            }),
            None => found.unusable.push(Missing {
                node,
                why: "not among the nodes".to_owned(),
            }),
        }
    }
    found.tasks.extend(busy);
    found
}

/// The nodes of a plan with the records that they lack. Thousands of records take long to read one after the other.
fn left(folder: &Path, plan: &FleetPlan, threads: usize) -> Vec<(String, Vec<PathBuf>)> {
    let lacks = |node: &String| {
        let records = records(folder, plan, node).into_iter();
        (
            node.clone(),
            records.filter(|path| !is_whole(path)).collect(),
        )
    };
    let share = plan.nodes.len().div_ceil(threads.max(1)).max(1);
    thread::scope(|scope| {
        let parts = plan.nodes.chunks(share);
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(lacks).collect::<Vec<_>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_default())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_nodes_come_first_and_others_say_why_not() {
        let place = tempfile::tempdir().unwrap();
        let plan = FleetPlan {
            schema: 1,
            id: "t".to_owned(),
            began: 0,
            run: Vec::new(),
            sessions: 2,
            confirm: false,
            nodes: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
        };
        let offered = [
            ("a", Offered::Busy),
            ("b", Offered::Idle),
            ("c", Offered::Unusable("drained: fan".to_owned())),
        ];
        let offered = offered.map(|(node, state)| (node.to_owned(), state));
        // A journal that was not closed is no record.
        let torn = place.path().join("b/t.whyslow");
        std::fs::create_dir(place.path().join("b")).unwrap();
        std::fs::write(torn, b"half").unwrap();
        let found = order(place.path(), &plan, &offered, 3);
        let nodes: Vec<&str> = found.tasks.iter().map(|t| t.node.as_str()).collect();
        assert_eq!(nodes, ["b", "a"]);
        assert!(found.tasks.iter().all(|task| task.records.len() == 2));
        let why: Vec<&str> = found.unusable.iter().map(|m| m.why.as_str()).collect();
        assert_eq!(why, ["drained: fan", "not among the nodes"]);
    }
}
