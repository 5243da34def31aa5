//! Slurm, within an allocation that is there: a step a node, by srun.

use super::{EngineError, Offered, Starts, Task};
use crate::launch::hosts::hosts;
use crate::launch::task::Setup;

/// srun, a process a node.
pub struct Steps {
    /// What is the same for all nodes.
    pub setup: Setup,
    /// The nodes of the allocation, as its variable `SLURM_JOB_NODELIST` has them.
    pub allocated: String,
    /// Those that were named; all without.
    pub named: Option<Vec<String>>,
}

impl Starts for Steps {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        let allocated =
            hosts(&self.allocated).map_err(|why| EngineError::Refused(why.to_string()))?;
        let Some(named) = &self.named else {
            let all = allocated.into_iter();
            return Ok(all.map(|node| (node, Offered::Idle)).collect());
        };
        let named = named.iter().map(|node| {
            let offered = match allocated.contains(node) {
                true => Offered::Idle,
                false => Offered::Unusable("not in this allocation".to_owned()),
            };
            (node.clone(), offered)
        });
        Ok(named.collect())
    }

    fn words(&self, task: &Task) -> Vec<String> {
        let mut words: Vec<String> = [
            "srun",
            "--nodes=1",
            "--ntasks=1",
            // All CPUs and all memory of the node, also where a shell of the allocation has some of them.
            "--whole",
            "--overlap",
            "--mem=0",
            "--cpu-bind=none",
            "--kill-on-bad-exit=1",
            "--quiet",
        ]
        .map(str::to_owned)
        .to_vec();
        words.push(format!("--nodelist={}", task.node));
        words.extend(self.setup.sends(task, false));
        words
    }
}
