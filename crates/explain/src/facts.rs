//! Facts first: what differs between two machines, as recorded or as their publication says it, and the causes that it
//! makes the first suspects.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::role::Role;
use whyslow_model::state::Change;

use crate::case::{Case, say};
use crate::cause::{Cause, Judgement, line};
use crate::causes::CAUSES;

/// A cause that a fact speaks for.
struct Suspect<'c> {
    cause: &'static Cause,
    change: &'c Change,
    /// How plainly: longer words are less likely to be there by chance.
    strength: f64,
}

/// A name of a setting in a path, or of a program or patch in a value, says more than a general word.
const BY_PATH: f64 = 1.0;
const BY_WORD: f64 = 2.0;

/// Letters from which on a word is as plain as it gets.
const PLAIN: usize = 8;

/// What is said in passing.
const IN_PASSING: f64 = 0.5;

/// Weights of a suspect: what moved fits what is said, cannot be told, or speaks against it. Between the signature alone
/// and the signature with facts.
const FITS: f64 = 0.72;
const OPEN: f64 = 0.4;
const AGAINST: f64 = 0.08;

/// What the plainest of what is said adds.
const MOST: f64 = 0.2;

/// From this share on what moved went one way.
const ONE_WAY: f64 = 0.75;

/// Judges the causes that what is stated of both machines makes suspects.
pub(crate) fn suspect(case: &Case<'_>, judged: &mut Vec<(&'static Cause, Judgement)>) {
    if case.knows_hosts() {
        return;
    }
    for suspect in suspects(case) {
        let at = judged.iter().position(|(c, _)| c.id == suspect.cause.id);
        let before = at.and_then(|at| judged.get(at)).map(|(_, j)| j.clone());
        let judgement = judge(case, &suspect, before);
        match at.and_then(|at| judged.get_mut(at)) {
            Some((_, known)) => *known = judgement,
            None => judged.push((suspect.cause, judgement)),
        }
    }
}

/// Facts and settings that differ and that no cause knows of, one line each: nobody's suspects, and named all the same.
pub(crate) fn unknown(case: &Case<'_>) -> Vec<String> {
    let hosts = &case.comparison.hosts;
    let known = |change: &Change| {
        let mut causes = CAUSES.iter().flat_map(|cause| cause.said);
        causes.any(|path| change.what.starts_with(path))
    };
    let changes = hosts.facts.iter().chain(&hosts.state);
    let mut lines: Vec<String> = changes
        .filter(|change| !known(change))
        .map(|change| format!("differs, and no cause knows of it: {}", say(change)))
        .collect();
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    if more > 0 {
        lines.push(format!(
            "and {more} more that differ (whyslow compare lists them)"
        ));
    }
    lines
}

/// Facts that no cause knows of, before the rest is counted.
const NAMED: usize = 3;

/// The plainest suspicion of each cause.
fn suspects<'c>(case: &'c Case<'_>) -> Vec<Suspect<'c>> {
    let mut found: Vec<Suspect<'c>> = Vec::new();
    for change in &case.comparison.hosts.facts {
        for &cause in CAUSES {
            let Some(strength) = strength(cause, change) else {
                continue;
            };
            let suspect = Suspect {
                cause,
                change,
                strength,
            };
            match found.iter_mut().find(|s| s.cause.id == cause.id) {
                Some(known) if known.strength >= strength => {}
                Some(known) => *known = suspect,
                None => found.push(suspect),
            }
        }
    }
    found
}

/// How plainly `change` speaks for `cause`; nothing where it does not.
fn strength(cause: &Cause, change: &Change) -> Option<f64> {
    // That one publication is silent about its kernel or processor makes it no other one.
    let silent = [&change.before, &change.after].contains(&&"not stated".to_owned());
    const SPOKEN: [&str; 8] = [
        "kernel.",
        "cpu.",
        "cpus.",
        "memory.total",
        "compiler",
        "libc.",
        "system",
        "frequency.clock",
    ];
    let patch_or_setting = !SPOKEN.iter().any(|path| change.what.starts_with(path))
        || change.what.starts_with("compiler.flags");
    if silent && !patch_or_setting {
        return None;
    }
    let value = format!("{} {}", change.before, change.after).to_lowercase();
    let mut best: Option<f64> = None;
    for word in cause.said {
        let by_path = change.what.starts_with(word);
        let by_word = begins_a_word(&value, word);
        let plain = word.len().min(PLAIN) as f64 / PLAIN as f64;
        let is = match (by_path, by_word) {
            (_, true) => BY_WORD * plain,
            (true, false) => BY_PATH * plain,
            (false, false) => continue,
        };
        best = Some(best.map_or(is, |known| known.max(is)));
    }
    let passing = ["other", "system"].contains(&change.what.as_str());
    best.map(|is| if passing { is * IN_PASSING } else { is })
}

/// Does `word` stand in `text` at the beginning of a word?
fn begins_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(char::is_alphanumeric)
    })
}

/// The roles that moved the way most did, and whether most did at all.
fn one_way(case: &Case<'_>) -> Option<Vec<Role>> {
    let moved: Vec<f64> = case
        .points
        .iter()
        .filter(|p| p.moved && !p.role.is_stated())
        .map(|p| p.worse)
        .collect();
    let all: f64 = moved.iter().map(|w| w.abs()).sum();
    let worse: f64 = moved.iter().filter(|w| **w > 0.0).sum();
    let share = (worse / all).max(1.0 - worse / all);
    if moved.is_empty() || share < ONE_WAY {
        return None;
    }
    let sign = if worse * 2.0 >= all { 1.0 } else { -1.0 };
    let roles = case.moved_roles().into_iter();
    Some(
        roles
            .filter(|role| case.group(&[*role]).is_some_and(|g| g.worse * sign > 0.0))
            .collect(),
    )
}

/// Share of what moved that the cause can move; of work that is not known all.
fn reached(case: &Case<'_>, cause: &Cause) -> f64 {
    if cause.reaches.is_empty() {
        return 1.0;
    }
    let moved = || {
        case.points
            .iter()
            .filter(|p| p.moved && !p.role.is_stated())
    };
    let all: f64 = moved().map(|p| p.worse.abs()).sum();
    let own = moved().filter(|p| p.role == Role::Other || cause.reaches.contains(&p.role));
    if all > 0.0 {
        own.map(|p| p.worse.abs()).sum::<f64>() / all
    } else {
        1.0
    }
}

/// Below this share of what moved a cause is no suspect.
const HARDLY: f64 = 0.3;

/// What is said, held against what moved.
fn judge(case: &Case<'_>, suspect: &Suspect<'_>, before: Option<Judgement>) -> Judgement {
    let plain = MOST * (suspect.strength / BY_WORD).min(1.0);
    let mut judgement = before.unwrap_or_else(|| Judgement::new(CauseVerdict::CannotTell, 0.0));
    let said = line(Speaks::For, EvidenceKind::Fact, say(suspect.change));
    if !judgement.evidence.iter().any(|e| e.text == said.text) {
        judgement.evidence.insert(0, said);
    }
    let nothing_moved = case.moved_roles().is_empty();
    let reached = reached(case, suspect.cause);
    let contradicted = judgement.verdict == CauseVerdict::Contradicted && !nothing_moved;
    let refuted = contradicted || reached < HARDLY;
    let way = one_way(case);
    (judgement.verdict, judgement.weight) = match (&way, refuted) {
        (_, true) => (CauseVerdict::CannotTell, AGAINST + plain / 2.0),
        (Some(roles), false) => {
            judgement.fits = true;
            if judgement.covers.is_empty() {
                judgement.covers = roles.iter().map(|r| (*r, None)).collect();
            }
            (
                CauseVerdict::Consistent,
                (FITS + plain) * (0.5 + 0.5 * reached),
            )
        }
        (None, false) => (CauseVerdict::CannotTell, OPEN * 0.5 + plain),
    };
    if way.is_none() && !nothing_moved {
        let text = "what moved went in both directions, which one change seldom does";
        judgement
            .evidence
            .push(line(Speaks::Against, EvidenceKind::Signature, text));
    }
    judgement
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(what: &str, before: &str, after: &str) -> Change {
        Change {
            what: what.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    fn strongest(change: &Change) -> &'static str {
        let mut found: Vec<(f64, &str)> = CAUSES
            .iter()
            .filter_map(|cause| Some((strength(cause, change)?, cause.id)))
            .collect();
        found.sort_by(|x, y| y.0.total_cmp(&x.0));
        found.first().map_or("", |(_, id)| id)
    }

    #[test]
    fn what_is_said_names_its_cause() {
        for (what, after, cause) in [
            (
                "compiler.flags",
                "\"--security-opt seccomp=unconfined\"",
                "seccomp",
            ),
            (
                "patch",
                "\"sched: place wake-ups on the last CPU\"",
                "scheduling",
            ),
            ("patch", "\"mm: a spinlock less\"", "lock-contention"),
            ("machine.hypervisor", "\"Xen 4.1\"", "hypervisor"),
            ("memory.thp", "\"always\"", "tlb-reach"),
            ("patch", "\"page coloring\"", "page-placement"),
        ] {
            assert_eq!(strongest(&change(what, "not stated", after)), cause);
        }
        let kernels = change("kernel.release", "\"4.10.0\"", "\"4.10.0-kaiser\"");
        assert_eq!(strongest(&kernels), "syscall-entry");
        let silent = change("kernel.release", "\"4.10.0\"", "not stated");
        assert_eq!(strongest(&silent), "");
    }
}
