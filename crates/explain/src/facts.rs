//! Facts first: what differs between two machines, as recorded or as their publication says it, and the causes that it
//! makes the first suspects.

mod known;
mod meanings;
mod plain;
mod said;
mod scope;
mod sides;
mod text;
mod vocabulary;

use std::borrow::Cow;

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::role::Role;
use whyslow_model::state::Change;

use crate::case::{Case, Moved, say};
use crate::cause::{Cause, Judgement, by_fact, line};
use crate::causes;

pub(crate) use known::unknown;
pub use known::{known_by, known_by_words};
use plain::{PLAIN_TO_SEE, is_plain, is_thin, stands_still};
use sides::{OF_CALLS, is_compiled, is_of_kernel, names};

/// A cause that a fact speaks for.
struct Suspect<'c> {
    cause: &'static Cause,
    change: Cow<'c, Change>,
    /// How plainly: longer words are less likely to be there by chance.
    strength: f64,
    /// Does the fact speak for no other cause more plainly?
    plainest: bool,
    /// Is the fact a difference of it, rather than something that both sides say?
    differs: bool,
    /// Is it spoken of in front of the colon of a patch's title alone?
    in_front: bool,
}

/// Weight of a suspect that what moved fits, or does not tell: above any signature alone, below one with facts.
const FITS: f64 = 0.7;

/// Weight of one that names alone speak for: above what is often behind such rows, below all that anything else speaks for.
const CANDIDATE: f64 = 0.06;

/// Weight of one that what moved speaks against.
const AGAINST: f64 = 0.22;

/// What the plainest of what is said adds.
const MOST: f64 = 0.2;

/// What is left of the weight of a cause that both sides speak of alike, where something else differs.
const BESIDE: f64 = 0.8;

/// Another processor that is spoken of less plainly than this share of what is said most plainly is named in passing.
const IN_THE_OPEN: f64 = 0.4;

/// Suspects nearer than this are one as likely as the other.
const NEAR: f64 = 0.05;

/// Causes that move some work one way and some the other: each kind of work by its own amount.
const BOTH_WAYS: [&Cause; 5] = [
    &causes::compiler_or_library::CAUSE,
    &causes::copies::CAUSE,
    &causes::hardware::CAUSE,
    &causes::hypervisor::CAUSE,
    &causes::kernel::CAUSE,
];

/// From this share on what moved went one way.
const ONE_WAY: f64 = 0.75;

/// Judges the causes that what is stated of both machines makes suspects.
pub(crate) fn suspect(case: &Case<'_>, judged: &mut Vec<(&'static Cause, Judgement)>) {
    if case.knows_hosts() {
        return;
    }
    let mut found: Vec<(Suspect<'_>, Judgement)> = Vec::new();
    let mut all = suspects(case);
    for more in scope::beside(case, &all) {
        match all.iter_mut().find(|s| s.cause.id == more.cause.id) {
            Some(known) if known.strength >= more.strength => {}
            Some(known) => *known = more,
            None => all.push(more),
        }
    }
    // What carries the work is no part of the processor.
    let apart = |cause: &Cause| {
        cause.id == causes::file_system::CAUSE.id && scope::is_all(case, &[Role::FileDevice])
            || cause.id == causes::network::CAUSE.id && scope::is_all(case, &scope::MESSAGES)
    };
    for suspect in all {
        let before = judged.iter().find(|(c, _)| c.id == suspect.cause.id);
        let candidate = suspect.strength <= scope::NAMED_APART;
        // Where rows speak for anything, names alone add nothing.
        if candidate && judged.iter().any(|(c, j)| c.id != "nothing" && j.fits) {
            continue;
        }
        let mut judgement = judge(case, &suspect, before.map(|(_, j)| j.clone()));
        if candidate {
            judgement.weight = judgement.weight.min(CANDIDATE);
        }
        found.push((suspect, judgement));
    }
    if found.is_empty() {
        return;
    }
    // What both sides say is what the difference is beside.
    if found.iter().any(|(suspect, _)| suspect.differs) {
        for (suspect, judgement) in &mut found {
            judgement.weight *= if suspect.differs { 1.0 } else { BESIDE };
        }
    }
    // Another processor changes all that the others would.
    let hardware = found
        .iter()
        .position(|(s, _)| s.cause.id == causes::hardware::CAUSE.id);
    let most = found.iter().map(|(s, _)| s.strength).fold(0.0, f64::max);
    let hardware = hardware.filter(|at| found[*at].0.strength >= most * IN_THE_OPEN);
    if let Some(at) = hardware {
        for (i, (suspect, judgement)) in found.iter_mut().enumerate() {
            if i != at && !apart(suspect.cause) {
                judgement.weight /= 2.0;
            }
        }
    }
    found.sort_by(|(_, x), (_, y)| y.weight.total_cmp(&x.weight));
    let near = |judgement: &Judgement, of: f64| of - judgement.weight < NEAR;
    let best = found.first().map_or(0.0, |(_, j)| j.weight);
    let rivals = found.iter().filter(|(_, j)| near(j, best)).count();
    let beyond = found
        .first()
        .is_some_and(|(suspect, _)| is_beyond(case, suspect));
    // A general word, or one that is said in passing, makes a candidate.
    let spoken = found
        .first()
        .is_some_and(|(suspect, _)| suspect.strength >= ANSWER);
    // `hugetlbfs: use a semaphore for sharing`: the place of a change is no cause where what was done is spoken of.
    let done = found.iter().skip(1).any(|(suspect, _)| {
        let own = suspect.change.what == "patch" && suspect.differs && !suspect.in_front;
        own && suspect.strength >= ANSWER
    });
    let placed = found.first().is_some_and(|(suspect, _)| suspect.in_front) && done;
    // Where it is not known what the rows are made of, nothing that moved speaks for a word.
    let borne_out = found.first().is_some_and(|(suspect, _)| {
        let own = |p: &Moved| p.role != Role::Other && can_move(suspect.cause, p.role);
        said::is_specific(&suspect.change) || case.moved().any(own)
    });
    let told = is_plain(case)
        && rivals == 1
        && !is_thin(case)
        && !beyond
        && spoken
        && !placed
        && !is_ambiguous(&found)
        && borne_out;
    let of_program = found
        .iter()
        .all(|(suspect, _)| suspect.strength <= OF_PROGRAM);
    // Another kernel is a frame in which a finer cause may be at work.
    let kernel = found
        .first()
        .is_some_and(|(suspect, _)| suspect.cause.id == causes::kernel::CAUSE.id);
    for (at, (suspect, mut judgement)) in found.into_iter().enumerate() {
        let plain = suspect.plainest && suspect.differs;
        if judgement.verdict == CauseVerdict::Consistent {
            judgement.verdict = match at == 0 && told && plain {
                true if case.is_repeated() => CauseVerdict::Consistent,
                true => CauseVerdict::Suspected,
                false => CauseVerdict::CannotTell,
            };
        }
        match judged.iter_mut().find(|(c, _)| c.id == suspect.cause.id) {
            Some((_, known)) => *known = judgement,
            None => judged.push((suspect.cause, judgement)),
        }
    }
    // That a program was worked on does not say at what; rows that differ the more, the more work at once, do.
    if of_program {
        let lock = judged.iter_mut();
        let mut lock = lock.filter(|(c, j)| c.id == causes::lock_contention::CAUSE.id && j.fits);
        if let Some((_, judgement)) = lock.next() {
            judgement.weight = judgement.weight.max(FITS + MOST);
        }
    }
    if stands_still(case) {
        for (cause, judgement) in judged.iter_mut() {
            if cause.id != "nothing" && cause.id != "measurement" {
                judgement.weight *= STILL_WEIGHT;
            }
        }
    }
    if kernel {
        return;
    }
    // What only rows speak for is no answer beside what is said.
    for (cause, judgement) in judged.iter_mut() {
        let told = of_program && cause.id == causes::lock_contention::CAUSE.id;
        if !by_fact(&judgement.evidence)
            && !told
            && cause.id != "nothing"
            && cause.id != "measurement"
        {
            judgement.weight = judgement.weight.min(FITS - NEAR);
            if judgement.verdict == CauseVerdict::Consistent {
                judgement.verdict = CauseVerdict::CannotTell;
            }
        }
    }
}

/// How plainly a cause must be spoken of to be an answer. Of 1,300 names of sides that were written down by another hand
/// than these words, a cause that was spoken of alone was meant in 72 % with less, such as a word of four letters that one
/// side has, and in 91 % with more.
const ANSWER: f64 = 0.85;

/// Does one text speak of a second cause too? In names of two sides, and in titles of patches, the plainest of several
/// was meant in 48 % of those; a patch of the kernel is one of the kernel in any case.
fn is_ambiguous(found: &[(Suspect<'_>, Judgement)]) -> bool {
    let Some(((first, _), rest)) = found.split_first() else {
        return false;
    };
    let within = |cause: &Cause| cause.id == causes::kernel::CAUSE.id;
    !said::is_specific(&first.change)
        && rest.iter().any(|(other, _)| {
            other.change.what == first.change.what
                && other.differs
                && !within(other.cause)
                && other.strength >= AS_WELL * first.strength
        })
}

/// What is spoken of so much less plainly is spoken of in passing.
const AS_WELL: f64 = 0.3;

/// What is left of the weight of a cause where next to nothing differs: less than that of chance.
const STILL_WEIGHT: f64 = 0.1;

/// Does what moved go beyond what a hypervisor does: user time, which runs as on the host? Then the CPUs, or the work,
/// were not the same either. What emulates another machine does that by itself.
fn is_beyond(case: &Case<'_>, suspect: &Suspect<'_>) -> bool {
    let said = format!("{} {}", suspect.change.before, suspect.change.after).to_lowercase();
    let emulated = ["emulat", "qemu", "tcg", "rosetta", "amd64", "x86_64"];
    suspect.cause.id == causes::hypervisor::CAUSE.id
        && !emulated.iter().any(|word| said.contains(word))
        && case
            .moved()
            .any(|p| p.role == Role::UserTime && p.worse.abs() >= PLAIN_TO_SEE)
}

/// The plainest suspicion of each cause.
fn suspects<'c>(case: &'c Case<'_>) -> Vec<Suspect<'c>> {
    let mut found: Vec<Suspect<'c>> = Vec::new();
    // A patch is one of the kernel where a kernel is spoken of or does some of the work; else of a program.
    let roles = case.moved_roles();
    let of_kernel = case.known_kernels().is_some()
        || is_of_kernel(case)
        || case.kernels().is_some()
        || !is_compiled(case) && roles.iter().any(|role| OF_CALLS.contains(role));
    let facts = case.comparison.hosts.facts.iter().map(Cow::Borrowed);
    let patched = case.changes(&["patch"]).next().is_some();
    for change in facts.chain(names(case).into_iter().map(Cow::Owned)) {
        let of_program = change.what == "patch" && !of_kernel;
        let own = said::said(&change, of_program);
        let most = own.iter().map(|(_, said)| said.strength);
        let most = most.fold(0.0, f64::max);
        for (cause, said) in own {
            // A patch of the kernel's network is a change of the kernel's path, not of the way that packets are sent.
            let of_path = patched && cause.id == causes::network::CAUSE.id;
            // Nor is one of the kernel's drivers for guests another hypervisor: `virtio_net: …`, `KVM: …`.
            let of_guests = change.what == "patch" && cause.id == causes::hypervisor::CAUSE.id;
            let is_path = of_kernel && (of_path || of_guests);
            let mut strength = said.strength * if is_path { OF_KERNELS_PATH } else { 1.0 };
            if change.what == said::NAME && patched {
                strength *= BESIDE_PATCH;
            }
            let suspect = Suspect {
                cause,
                change: change.clone(),
                strength,
                plainest: strength >= most,
                differs: said.differs,
                in_front: said.in_front,
            };
            match found.iter_mut().find(|s| s.cause.id == cause.id) {
                Some(known) if known.strength >= strength => {}
                Some(known) => *known = suspect,
                None => found.push(suspect),
            }
        }
    }
    // A patch of a program of which no cause has a word makes it another program.
    let patch = case.changes(&["patch"]).next().filter(|_| !of_kernel);
    if let Some(change) = patch
        && !found.iter().any(|suspect| suspect.change.what == "patch")
    {
        let cause = &causes::compiler_or_library::CAUSE;
        match found.iter_mut().find(|s| s.cause.id == cause.id) {
            Some(known) => known.strength = known.strength.max(OF_PROGRAM),
            None => found.push(Suspect {
                cause,
                change: Cow::Borrowed(change),
                strength: OF_PROGRAM,
                plainest: false,
                differs: true,
                in_front: false,
            }),
        }
    }
    // A patch of a guest's or its host's kernel may be one of what lies between them.
    if of_kernel || patch.is_some() {
        found.extend(scope::under_patch(case, &found));
    }
    // So do two versions of one, or what it was before and after some work on it.
    if found.is_empty() && !of_kernel {
        let named = names(case).into_iter();
        let mut named = named.filter(|name| said::is_program(&name.before, &name.after));
        found.extend(named.next().map(|name| Suspect {
            cause: &causes::compiler_or_library::CAUSE,
            change: Cow::Owned(name),
            strength: OF_PROGRAM,
            plainest: false,
            differs: true,
            in_front: false,
        }));
    }
    if found.is_empty() && !of_kernel {
        found.extend(scope::named_apart(case));
    }
    found
}

/// How much of what is said of the network, or of guests, in a patch of the kernel speaks for these by themselves.
const OF_KERNELS_PATH: f64 = 0.3;

/// What the sides are called counts for less where it is said what was done.
const BESIDE_PATCH: f64 = 0.6;

/// How plainly a patch speaks for another program by itself.
const OF_PROGRAM: f64 = 0.4;

/// The roles that moved the way most did, and whether most did at all.
fn one_way(case: &Case<'_>) -> Option<Vec<Role>> {
    // What has no direction goes one way with its like alone.
    let directed = case.moved().any(Moved::is_directed);
    let own = || case.moved().filter(|p| p.is_directed() == directed);
    let moved: Vec<f64> = own().map(|p| p.worse).collect();
    let all: f64 = moved.iter().map(|w| w.abs()).sum();
    let worse: f64 = moved.iter().filter(|w| **w > 0.0).sum();
    let share = (worse / all).max(1.0 - worse / all);
    if moved.is_empty() || share < ONE_WAY {
        return None;
    }
    let sign = if worse * 2.0 >= all { 1.0 } else { -1.0 };
    let mean = |role: Role| {
        own()
            .filter(|p| p.role == role)
            .map(|p| p.worse)
            .sum::<f64>()
    };
    let roles = case.moved_roles().into_iter();
    Some(roles.filter(|role| mean(*role) * sign > 0.0).collect())
}

/// Can the cause move rows of that role at all?
fn can_move(cause: &Cause, role: Role) -> bool {
    cause.reaches.is_empty() || cause.reaches.contains(&role)
}

/// Share of what moved that the cause can move; of work that is not known all.
fn reached(case: &Case<'_>, cause: &Cause) -> f64 {
    if cause.reaches.is_empty() {
        return 1.0;
    }
    let all: f64 = case.moved().map(|p| p.worse.abs()).sum();
    let own = case
        .moved()
        .filter(|p| p.role == Role::Other || cause.reaches.contains(&p.role));
    if all > 0.0 {
        own.map(|p| p.worse.abs()).sum::<f64>() / all
    } else {
        1.0
    }
}

/// From this share of what moved on a cause may be the answer.
const MOSTLY: f64 = 0.5;

/// Below this share of what moved a cause is no suspect.
const HARDLY: f64 = 0.3;

/// What is said, held against what moved.
fn judge(case: &Case<'_>, suspect: &Suspect<'_>, before: Option<Judgement>) -> Judgement {
    let plain = MOST * (suspect.strength / said::BY_WORD).min(1.0);
    let mut judgement = before.unwrap_or_else(|| Judgement::new(CauseVerdict::CannotTell, 0.0));
    let said = line(Speaks::For, EvidenceKind::Fact, say(&suspect.change));
    if !judgement.evidence.iter().any(|e| e.text == said.text) {
        judgement.evidence.insert(0, said);
    }
    let moved = case.moved_roles();
    let reached = reached(case, suspect.cause);
    let contradicted = judgement.verdict == CauseVerdict::Contradicted && !moved.is_empty();
    let both_ways = BOTH_WAYS.iter().any(|cause| cause.id == suspect.cause.id);
    let way = if both_ways {
        Some(moved.clone())
    } else {
        one_way(case)
    };
    judgement.weight = (FITS + plain) * (0.5 + 0.5 * reached);
    judgement.verdict = CauseVerdict::CannotTell;
    if contradicted || reached < HARDLY {
        judgement.weight = AGAINST + plain / 2.0;
        judgement.covers.clear();
        judgement.fits = false;
    } else if let Some(roles) = way.filter(|roles| !roles.is_empty()) {
        judgement.fits = true;
        if judgement.covers.is_empty() {
            let own = |role: &&Role| can_move(suspect.cause, **role);
            judgement.covers = roles.iter().filter(own).map(|r| (*r, None)).collect();
        }
        // Where most of what moved is beyond its reach, something else was at work that may have moved the rest as well.
        if reached >= MOSTLY {
            judgement.verdict = CauseVerdict::Consistent;
        }
    } else if !moved.is_empty() {
        let text = "what moved went in both directions, which one change seldom does";
        let against = line(Speaks::Against, EvidenceKind::Signature, text);
        judgement.evidence.push(against);
    }
    judgement
}
