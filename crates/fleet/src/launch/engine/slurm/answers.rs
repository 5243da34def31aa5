//! What the commands of Slurm say, in words that do not differ between its versions.

use std::collections::BTreeMap;

use crate::launch::engine::EngineError;
use crate::launch::engine::tool::Said;
use crate::launch::task::Offered;

/// The answer of a command, or what its complaint means.
pub(super) fn heard(said: Said) -> Result<String, EngineError> {
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
pub(super) fn nodes(text: &str) -> Vec<(String, String, Offered)> {
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
pub(super) fn queue(text: &str) -> impl Iterator<Item = (u64, String, String, String)> {
    text.lines().filter_map(|line| {
        let mut columns = line.splitn(4, '|').map(str::trim);
        let (id, node) = (columns.next()?.parse().ok()?, columns.next()?.to_owned());
        let (state, reason) = (columns.next()?.to_owned(), columns.next()?.to_owned());
        Some((id, node, state, reason))
    })
}

pub(super) enum Phase {
    Waiting,
    Running,
    Well,
    Badly,
}

/// What a state of squeue means.
pub(super) fn phase(state: &str) -> Phase {
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
}
