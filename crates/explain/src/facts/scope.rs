//! What all that moved is about, and which causes stand near it: a container is spoken of, and only messages moved.

use std::borrow::Cow;

use whyslow_model::Record;
use whyslow_model::role::Role;
use whyslow_model::state::Change;

use super::sides::names;
use super::{Suspect, said};
use crate::case::Case;
use crate::cause::Cause;
use crate::causes;

/// What is no more than a candidate: the sides are called otherwise, and nothing else is said of them.
pub(super) fn named_apart<'c>(case: &'c Case<'_>) -> Option<Suspect<'c>> {
    const FILES: [Role; 3] = [Role::FileDevice, Role::FileMetadata, Role::FileCreate];
    /// Shorter ones are letters that files are called by.
    const LETTERS: usize = 4;
    /// Names that any two of anything have.
    const OF_ANY: [&str; 12] = [
        "bad", "bench", "first", "good", "left", "log", "other", "output", "result", "results",
        "right", "second",
    ];
    let called = |name: &Change| {
        let own = |text: &str, other: &str| {
            let others = words(other);
            let mut words = words(text).into_iter();
            words.any(|word| {
                let named = word.len() >= LETTERS && word.chars().all(char::is_alphabetic);
                named && !OF_ANY.contains(&word.as_str()) && !others.contains(&word)
            })
        };
        own(&name.before, &name.after) && own(&name.after, &name.before)
    };
    let name = names(case).into_iter().find(called)?;
    let cause = match is_all(case, &FILES) {
        true => &causes::file_system::CAUSE,
        false => &causes::compiler_or_library::CAUSE,
    };
    Some(Suspect {
        cause,
        change: Cow::Owned(name),
        strength: NAMED_APART,
        plainest: false,
        differs: true,
        in_front: false,
    })
}

/// The hypervisor below both sides, where a patch is known and no word of it: it may be one of the hypervisor.
pub(super) fn under_patch<'c>(case: &'c Case<'_>, found: &[Suspect<'c>]) -> Option<Suspect<'c>> {
    let cause = &causes::hypervisor::CAUSE;
    let of = |record: &Record| Some(record.origin.as_ref()?.stated.get("hypervisor")?.clone());
    let (a, b) = of(case.a).zip(of(case.b))?;
    let known = found.iter().any(|suspect| suspect.cause.id == cause.id);
    let patch = case
        .changes(&["patch"])
        .next()
        .filter(|_| a == b && !known)?;
    Some(Suspect {
        cause,
        change: Cow::Borrowed(patch),
        strength: UNDER_PATCH,
        plainest: false,
        differs: true,
        in_front: false,
    })
}

/// How plainly a patch on a guest speaks for what lies below: less than one that a word of says so.
const UNDER_PATCH: f64 = 0.3;

/// How plainly names alone speak: less than any word that is known.
pub(super) const NAMED_APART: f64 = 0.05;

/// From this share of what moved on all is about one thing.
const ALL: f64 = 0.75;

/// Words of what shares the kernel with its host: what lies between its messages and those of others is a network of its own.
const SHARES_THE_KERNEL: [&str; 8] = [
    "container",
    "docker",
    "podman",
    "kube",
    "pod",
    "wsl",
    "lxc",
    "k8s",
];

/// Machines, or what counts as one for a message.
const PLACES: [&str; 11] = [
    "node",
    "host",
    "machine",
    "vm",
    "server",
    "pod",
    "container",
    "zone",
    "rack",
    "instance",
    "region",
];

/// Words in front of a machine that say whether a message stays within it.
const RELATIONS: [&str; 21] = [
    "1",
    "2",
    "across",
    "another",
    "between",
    "both",
    "cross",
    "different",
    "inside",
    "inter",
    "intra",
    "local",
    "one",
    "other",
    "per",
    "remote",
    "same",
    "separate",
    "single",
    "two",
    "within",
];

/// Words between a relation and its machine, `single virtual machine`.
const BETWEEN: usize = 2;

/// What a machine is beside what lies in it or between it and others.
const BESIDE_MACHINE: f64 = 0.1;

/// Most of what moved, where it is of one of `roles`.
pub(super) fn is_all(case: &Case<'_>, roles: &[Role]) -> bool {
    let all: f64 = case.moved().map(|p| p.worse.abs()).sum();
    let own = case.moved().filter(|p| roles.contains(&p.role));
    all > 0.0 && own.map(|p| p.worse.abs()).sum::<f64>() >= ALL * all
}

/// Messages between processes, over whatever way.
pub(super) const MESSAGES: [Role; 2] = [Role::LocalLatency, Role::LocalBandwidth];

/// Causes that what moved makes suspects by what is said of others.
pub(super) fn beside<'c>(case: &'c Case<'_>, found: &[Suspect<'c>]) -> Vec<Suspect<'c>> {
    let mut more = Vec::new();
    let by = |cause: &str| found.iter().find(|s| s.cause.id == cause && s.differs);
    // What is said of one cause makes another one that stands beside it a suspect.
    let of = |cause: &'static Cause, suspect: &Suspect<'c>| Suspect {
        cause,
        change: suspect.change.clone(),
        strength: suspect.strength + BESIDE_MACHINE,
        plainest: true,
        differs: true,
        in_front: false,
    };
    if is_all(case, &MESSAGES) {
        more.extend(placed(case));
    }
    if let Some(suspect) = by(causes::hypervisor::CAUSE.id) {
        // A container enters the host's own kernel, by way of a filter of its calls; a guest of it reads the clock otherwise.
        let shared = is_shared(&suspect.change);
        let cause = if is_all(case, &MESSAGES) {
            shared.then_some(&causes::network::CAUSE)
        } else if is_all(case, &[Role::SystemCall]) && shared {
            Some(&causes::seccomp::CAUSE)
        } else if is_all(case, &[Role::ReadClock]) {
            Some(&causes::clocksource::CAUSE)
        } else {
            None
        };
        more.extend(cause.map(|cause| of(cause, suspect)));
    }
    // Another machine has another disk, and a processor has little part in what a disk does.
    if is_all(case, &[Role::FileDevice])
        && let Some(suspect) = by(causes::hardware::CAUSE.id)
    {
        more.push(of(&causes::file_system::CAUSE, suspect));
    }
    more
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    // `2perhost` is a number, a relation and a machine.
    words.flat_map(|word| apart(&word)).collect()
}

/// A word as the relation and the machine that it is written of, `perhost`, `internode`.
fn apart(word: &str) -> Vec<String> {
    let bare = word.trim_start_matches(|c: char| c.is_ascii_digit());
    for relation in RELATIONS.iter().filter(|relation| relation.len() > 2) {
        if let Some(rest) = bare.strip_prefix(relation).filter(|rest| is_place(rest)) {
            return vec![(*relation).to_owned(), rest.to_owned()];
        }
    }
    vec![word.to_owned()]
}

fn is_place(word: &str) -> bool {
    PLACES.contains(&word)
        || word
            .strip_suffix('s')
            .is_some_and(|one| PLACES.contains(&one))
}

/// Does the text say within which or between how many machines?
fn is_placed(text: &str) -> bool {
    let words = words(text);
    let place = |at: usize| {
        words
            .iter()
            .skip(at + 1)
            .take(BETWEEN + 1)
            .any(|w| is_place(w))
    };
    let relation = |word: &String| RELATIONS.contains(&word.as_str());
    words
        .iter()
        .enumerate()
        .any(|(at, word)| relation(word) && place(at))
}

/// The way of packets, where each side says between which machines they went, and each another.
fn placed<'c>(case: &'c Case<'_>) -> Option<Suspect<'c>> {
    let facts = case.comparison.hosts.facts.iter().map(Cow::Borrowed);
    let facts = facts.filter(|change| change.what == "other" || change.what == "system");
    let called = names(case).into_iter().map(Cow::Owned);
    let all: Vec<Cow<'c, Change>> = called.chain(facts).collect();
    let both = |change: &&Cow<'c, Change>| is_placed(&change.before) && is_placed(&change.after);
    let change = all.iter().find(both)?.clone();
    Some(Suspect {
        cause: &causes::network::CAUSE,
        change,
        strength: said::BY_WORD,
        plainest: true,
        differs: true,
        in_front: false,
    })
}

fn is_shared(change: &Change) -> bool {
    let said = format!("{} {}", change.before, change.after).to_lowercase();
    let mut words = SHARES_THE_KERNEL.iter();
    words.any(|word| said::begins_a_word(&said, word))
}

#[cfg(test)]
mod tests {
    use super::is_placed;

    #[test]
    fn where_messages_stay() {
        for text in [
            "openmpi-2perhost",
            "both ranks on one host",
            "Inside single virtual machine",
            "Two virtual machines (inside same Availability zone)",
            "inter-node",
            "intranode",
            "Kubenet, two nodes",
        ] {
            assert!(is_placed(text), "{text}");
        }
        for text in [
            "openmpi 4.0.1",
            "node 0",
            "host",
            "a faster machine was bought",
            "two runs",
        ] {
            assert!(!is_placed(text), "{text}");
        }
    }
}
