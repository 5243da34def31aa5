//! Slurm: a batch job a node, by sinfo, sbatch, squeue and scancel.
//!
//! Jobs outlive the launch that submitted them. They are found again by their name, so that one whose acceptance was not
//! heard of, or that a killed launch left, is not submitted twice.

mod answers;

use std::collections::BTreeMap;
use std::fs;

use whyslow_model::shell::quote;

use super::children::last_line;
use super::tool::tool;
use super::{Engine, EngineError, Offered, State, Task};
use crate::launch::task::Setup;
use answers::{Phase, heard, nodes, phase, queue};

/// Slurm, by its commands.
pub struct Slurm {
    /// What is the same for all nodes.
    pub setup: Setup,
    /// The partition to submit to; without one, that of each node, its default first.
    pub partition: Option<String>,
    /// Nodes that were named; all without.
    pub named: Option<Vec<String>>,
    /// Partition of each node.
    partitions: BTreeMap<String, String>,
    /// Jobs by node: number and state, the newest of each node.
    jobs: BTreeMap<String, (u64, State)>,
    /// Tasks that were submitted, for what they left behind.
    tasks: BTreeMap<String, Task>,
}

impl Slurm {
    /// Of a partition, or of all.
    pub fn new(setup: Setup, partition: Option<String>, named: Option<Vec<String>>) -> Slurm {
        Slurm {
            setup,
            partition,
            named,
            partitions: BTreeMap::new(),
            jobs: BTreeMap::new(),
            tasks: BTreeMap::new(),
        }
    }

    /// The words of sbatch, which reads the script from its standard input.
    fn words(&self, task: &Task) -> Vec<String> {
        // Slurm counts minutes.
        let minutes = self.setup.longest(task).as_secs().div_ceil(60);
        let log = task.log().unwrap_or_default();
        let mut words: Vec<String> = [
            "sbatch",
            "--parsable",
            "--nodes=1",
            "--ntasks=1",
            // The whole node, with all of its memory.
            "--exclusive",
            "--mem=0",
            "--no-requeue",
        ]
        .map(str::to_owned)
        .to_vec();
        words.push(format!("--job-name={}", self.setup.name));
        words.push(format!("--nodelist={}", task.node));
        words.push(format!("--time={minutes}"));
        // A percent sign would stand for something else.
        let log = log.display().to_string().replace('%', "%%");
        words.push(format!("--output={log}"));
        let partition = self.partition.as_ref();
        let partition = partition.or_else(|| self.partitions.get(&task.node));
        words.extend(partition.map(|partition| format!("--partition={partition}")));
        words
    }

    fn script(&self, task: &Task) -> String {
        let command = self.setup.writes(task);
        let command: Vec<String> = command.iter().map(|word| quote(word)).collect();
        // As that very process, so that Slurm's signals reach it.
        format!("#!/bin/sh\nexec {}\n", command.join(" "))
    }

    /// Why the job of a node failed, as it said itself.
    fn complaint(&self, node: &str, state: &str) -> String {
        let log = self.tasks.get(node).and_then(Task::log);
        let said = log.and_then(|log| fs::read(log).ok());
        let said = said.map(|said| last_line(&String::from_utf8_lossy(&said)));
        match said.filter(|said| !said.is_empty()) {
            Some(said) => format!("{state}: {said}"),
            None => state.to_owned(),
        }
    }
}

impl Engine for Slurm {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        let mut words: Vec<String> = ["sinfo", "--Node", "--noheader", "--format=%N|%P|%T|%E"]
            .map(str::to_owned)
            .to_vec();
        let partition = self.partition.iter();
        words.extend(partition.map(|partition| format!("--partition={partition}")));
        let said = heard(tool(&words, "")?)?;
        let known = nodes(&said);
        for (node, partition, _) in &known {
            self.partitions.insert(node.clone(), partition.clone());
        }
        let mut known: Vec<(String, Offered)> = known
            .into_iter()
            .map(|(node, _, state)| (node, state))
            .collect();
        if let Some(named) = &self.named {
            let mut states: BTreeMap<String, Offered> = known.into_iter().collect();
            let named = named.iter().map(|node| {
                let state = states.remove(node);
                let unknown = || Offered::Unusable("not known to Slurm".to_owned());
                (node.clone(), state.unwrap_or_else(unknown))
            });
            known = named.collect();
        }
        // What a launch before has left in the queue: such a node is at work for this one.
        self.look()?;
        for (node, state) in &mut known {
            let own = self.jobs.get(node);
            if own.is_some_and(|(_, state)| !matches!(state, State::Ended(_))) {
                *state = Offered::Idle;
            }
        }
        Ok(known)
    }

    fn submit(&mut self, task: &Task) -> Result<(), EngineError> {
        let before = self.tasks.insert(task.node.clone(), task.clone());
        let known = self.jobs.get(&task.node);
        // Of a task before, whose records are there; it may have left the queue before its end was seen.
        let known = known.filter(|_| before.is_none_or(|before| before == *task));
        if known.is_some_and(|(_, state)| !matches!(state, State::Ended(_))) {
            return Ok(());
        }
        if let Some(folder) = task.records.first().and_then(|record| record.parent()) {
            // Where it is missing, the folder is not on the node: that is how the node tells.
            fs::create_dir_all(folder)
                .map_err(|why| EngineError::Refused(format!("{}: {why}", folder.display())))?;
        }
        let said = heard(tool(&self.words(task), &self.script(task))?)?;
        // Number, and after a semicolon the cluster where there are several.
        let id = said.trim().split(';').next().and_then(|id| id.parse().ok());
        let Some(id) = id else {
            return Err(EngineError::Refused(format!(
                "sbatch said '{}'",
                said.trim()
            )));
        };
        self.jobs
            .insert(task.node.clone(), (id, State::Waiting(None)));
        Ok(())
    }

    fn look(&mut self) -> Result<Vec<(String, State)>, EngineError> {
        let words = [
            "squeue",
            "--noheader",
            "--states=all",
            "--format=%i|%n|%T|%r",
            &format!("--name={}", self.setup.name),
        ]
        .map(str::to_owned);
        let said = heard(tool(&words, "")?)?;
        let mut jobs: BTreeMap<String, (u64, String, String)> = BTreeMap::new();
        for (id, node, state, reason) in queue(&said) {
            let newer = jobs.get(&node).is_none_or(|(known, ..)| id > *known);
            // One that was just submitted is newer than what is seen, and the other way round after a lost answer.
            let ours = self.jobs.get(&node).is_none_or(|(known, _)| id >= *known);
            if newer && ours {
                jobs.insert(node, (id, state, reason));
            }
        }
        let states = jobs.into_iter().map(|(node, (id, state, reason))| {
            let state = match phase(&state) {
                Phase::Waiting => {
                    State::Waiting(Some(reason).filter(|reason| reason.as_str() != "None"))
                }
                Phase::Running => State::Running,
                Phase::Well => State::Ended(Ok(())),
                Phase::Badly => State::Ended(Err(self.complaint(&node, &state))),
            };
            (node, (id, state))
        });
        let states: Vec<(String, (u64, State))> = states.collect();
        for (node, (_, state)) in &states {
            // What it said is of no further use.
            if let (State::Ended(Ok(())), Some(log)) =
                (state, self.tasks.get(node).and_then(Task::log))
            {
                let _ = fs::remove_file(log);
            }
        }
        self.jobs.extend(states.iter().cloned());
        let states = states.into_iter();
        Ok(states.map(|(node, (_, state))| (node, state)).collect())
    }

    fn cancel(&mut self, node: &str) -> Result<(), EngineError> {
        let Some((id, _)) = self.jobs.get(node) else {
            return Ok(());
        };
        heard(tool(&["scancel".to_owned(), id.to_string()], "")?).map(drop)
    }

    fn shown(&self, task: &Task) -> String {
        let words = self.words(task);
        let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
        let command: Vec<String> = self.setup.writes(task).iter().map(|w| quote(w)).collect();
        format!("{} --wrap {}", words.join(" "), quote(&command.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_job_is_for_one_node_alone_and_runs_the_program_itself() {
        let setup = Setup {
            name: "whyslow-t-1".to_owned(),
            program: "/opt/whyslow".into(),
            run: vec!["--only".to_owned(), "os.*".to_owned()],
            limit: Duration::from_secs(90),
        };
        let slurm = Slurm::new(setup, Some("long".to_owned()), None);
        let task = Task {
            node: "n1".to_owned(),
            records: vec!["/f%/n1/t.whyslow".into()],
        };
        insta::assert_snapshot!(slurm.shown(&task), @r#"sbatch --parsable --nodes=1 --ntasks=1 --exclusive --mem=0 --no-requeue --job-name=whyslow-t-1 --nodelist=n1 --time=3 --output=/f%%/n1/t.log --partition=long --wrap '/opt/whyslow __node --limit 90 --into /f%/n1/t.whyslow -- --only '\''os.*'\'''"#);
        insta::assert_snapshot!(slurm.script(&task), @r#"
        #!/bin/sh
        exec /opt/whyslow __node --limit 90 --into /f%/n1/t.whyslow -- --only 'os.*'
        "#);
    }
}
