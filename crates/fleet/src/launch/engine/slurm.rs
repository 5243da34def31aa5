//! Slurm: a batch job a node, by sinfo, sbatch, squeue and scancel.
//!
//! Jobs outlive the launch that submitted them. They are found again by their name, so that one whose acceptance was not
//! heard of, or that a killed launch left, is not submitted twice.

use std::collections::BTreeMap;
use std::fs;

use whyslow_model::shell::quote;

use super::children::last_line;
use super::tool::{Said, tool};
use super::{Engine, EngineError, Offered, State, Task};
use crate::launch::task::Setup;

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
        self.tasks.insert(task.node.clone(), task.clone());
        let known = self.jobs.get(&task.node);
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

/// The answer of a command, or what its complaint means.
fn heard(said: Said) -> Result<String, EngineError> {
    /// Words of a controller that does not answer, or not in time.
    const SILENT: [&str; 9] = [
        "Unable to contact",
        "Socket timed out",
        "Connection refused",
        "Connection timed out",
        "Zero Bytes were transmitted",
        "Communication connection failure",
        "Unexpected message received",
        "not responding",
        "backup controller",
    ];
    /// Words of a controller that takes no further job of this user.
    const FULL: [&str; 5] = [
        "MaxSubmit",
        "submit limit",
        "temporarily unable to accept job",
        "Resource temporarily unavailable",
        "MaxJobCount",
    ];
    if said.ok {
        return Ok(said.out);
    }
    let has = |words: &[&str]| words.iter().any(|word| said.err.contains(word));
    // One line of it: those before it say that it was tried again.
    let why = said.err.rsplit("; ").next().unwrap_or_default().to_owned();
    Err(if has(&FULL) {
        EngineError::Full(why)
    } else if has(&SILENT) {
        EngineError::Unanswered(why)
    } else {
        EngineError::Refused(why)
    })
}

/// Nodes with a partition and a state each, from lines of sinfo. A node has a line for each of its partitions; the default
/// one, which a star marks, counts most.
fn nodes(text: &str) -> Vec<(String, String, Offered)> {
    let mut found: Vec<(String, String, Offered)> = Vec::new();
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        let mut columns = line.splitn(4, '|').map(str::trim);
        let (Some(node), Some(partition), Some(state)) =
            (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let reason = columns.next().unwrap_or_default();
        let plain = partition.trim_end_matches('*').to_owned();
        match at.get(node) {
            None => {
                at.insert(node, found.len());
                found.push((node.to_owned(), plain, offered(state, reason)));
            }
            Some(&at) if partition.ends_with('*') => found[at].1 = plain,
            Some(_) => {}
        }
    }
    found
}

/// What a state of sinfo means for a job.
fn offered(state: &str, reason: &str) -> Offered {
    let name = state.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let unusable = |what: &str| {
        Offered::Unusable(match reason {
            "" | "none" => what.to_owned(),
            reason => format!("{what}: {reason}"),
        })
    };
    // The sign of a node that does not answer.
    if state.ends_with('*') {
        return unusable(&format!("{name}, not responding"));
    }
    match name {
        "idle" | "planned" => Offered::Idle,
        "allocated" | "mixed" | "completing" | "reserved" => Offered::Busy,
        _ => unusable(name),
    }
}

/// Lines of squeue: number, node, state, reason.
fn queue(text: &str) -> impl Iterator<Item = (u64, String, String, String)> {
    text.lines().filter_map(|line| {
        let mut columns = line.splitn(4, '|').map(str::trim);
        let (id, node) = (columns.next()?.parse().ok()?, columns.next()?.to_owned());
        let (state, reason) = (columns.next()?.to_owned(), columns.next()?.to_owned());
        Some((id, node, state, reason))
    })
}

enum Phase {
    Waiting,
    Running,
    Well,
    Badly,
}

/// What a state of squeue means.
fn phase(state: &str) -> Phase {
    match state {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
        | "RESV_DEL_HOLD" | "SPECIAL_EXIT" => Phase::Waiting,
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT"
        | "RESIZING" => Phase::Running,
        "COMPLETED" => Phase::Well,
        _ => Phase::Badly,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn states_of_sinfo_are_told_with_their_reasons() {
        let text = "n1|long|idle|none\nn1|all*|idle|none\nn2|all*|mixed|none\nn3|all*|drained|fan | broken\n\
                    n4|all*|idle*|Not responding\nn5|all*|down~|none\nn6|all*|idle~|none\n";
        let found: Vec<String> = nodes(text)
            .into_iter()
            .map(|(node, partition, state)| format!("{node} {partition} {state:?}"))
            .collect();
        insta::assert_snapshot!(found.join("\n"), @r#"
        n1 all Idle
        n2 all Busy
        n3 all Unusable("drained: fan | broken")
        n4 all Unusable("idle, not responding: Not responding")
        n5 all Unusable("down")
        n6 all Idle
        "#);
    }

    #[test]
    fn complaints_are_told_apart() {
        let of = |err: &str| {
            heard(Said {
                ok: false,
                out: String::new(),
                err: err.to_owned(),
            })
            .unwrap_err()
        };
        assert!(matches!(
            of(
                "sbatch: error: AssocMaxSubmitJobLimit; sbatch: error: Batch job submission failed: Job violates \
                accounting/QOS policy (job submit limit, user's size and/or time limits)"
            ),
            EngineError::Full(_)
        ));
        assert!(matches!(
            of("slurm_load_jobs error: Unable to contact slurm controller (connect failure)"),
            EngineError::Unanswered(_)
        ));
        assert!(matches!(
            of(
                "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"
            ),
            EngineError::Unanswered(_)
        ));
        assert!(matches!(
            of("sbatch: error: Batch job submission failed: Invalid node name specified"),
            EngineError::Refused(_)
        ));
    }

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
