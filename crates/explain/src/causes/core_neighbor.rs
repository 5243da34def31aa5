//! Other work on the SMT sibling, the other hardware thread of the core.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_stats::record::Slots;

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::Signature;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "core-neighbor",
    title: "a neighbor on the core's other hardware thread",
    said: "smt; nosmt; hyperthread; hyper-thread; ht; htt; sibling; siblings; thread per core; threads per core; \
        hardware thread; smt off; smt on; simultaneous multithreading; stop0lite; same physical core; \
        sibling thread; two threads one core; logical processor; omp_places; places=threads; cpu_thread_policy; \
        hyper threads; sibling pair; virtual cores; logical cores; logical cpus; physical cores; nomultithread; \
        hint=multithread; thread per physical core; one thread per core; two threads per core; untrusted vcpus; \
        hwthread; bind-to hwthread; on siblings; busy smt sibling; force idle",
    reaches: &[],
    what: "Two hardware threads share the slots, the first two caches and the units of a core: when the other one is busy, everything that the core does by itself is slower, and the clock is not. In a guest nothing else shows it.",
    advice: &[
        "Ask for whole cores (dedicated hosts, core scheduling), or keep the sibling CPU idle; in a guest, move.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// What it does to a comparison.
const SIGNATURE: Signature = Signature {
    must: &[Role::Compute, Role::L1],
    may: &[
        Role::L2,
        Role::Llc,
        Role::MemoryBandwidth,
        Role::MemoryRoutines,
        Role::SystemCall,
        Role::FileMetadata,
        Role::FileCached,
        Role::FileCreate,
        Role::Descriptors,
        Role::Signal,
        Role::Fault,
        Role::SwitchSameCpu,
        Role::Fork,
        Role::ProgramStart,
        Role::Programs,
    ],
    spares: &[Role::Clock],
    facts: &[],
    shown: false,
};

/// The sides had their cores alike if what they handed out differs by less: readings of one side vary by
/// this much where neighbors come and go.
const ALIKE: f64 = 0.05;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    // Cores of two kinds hand out more or less anyhow.
    if !case.knows_hosts() || case.changes(&["cpu."]).next().is_some() {
        return None;
    }
    let (a, b) = (Slots::of(case.a)?.mean, Slots::of(case.b)?.mean);
    let text = format!("cores handed out {a:.1} instructions a cycle in A, {b:.1} in B");
    // Above zero: those of B had less.
    let fewer = (a / b).ln();
    if fewer.abs() < ALIKE {
        return Some(Judgement::new(CauseVerdict::Contradicted, 0.0).with(
            Speaks::Against,
            EvidenceKind::Counter,
            text,
        ));
    }
    let mut judgement = SIGNATURE.judge(case);
    let worse = case.group(SIGNATURE.must).map_or(0.0, |g| g.worse);
    if judgement.fits && worse * fewer > 0.0 {
        judgement = judgement.with(Speaks::For, EvidenceKind::Counter, text);
        // Seen on the core itself: before what rows alone suggest.
        judgement.weight = (judgement.weight + 0.25).min(1.0);
    } else {
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Counter, text);
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = judgement.weight.min(0.1);
        judgement.covers.clear();
        judgement.fits = false;
    }
    Some(judgement.then(
        "whether the core is shared; on both hosts, at another time",
        "whyslow run --only 'cpu.*' --rounds 20",
    ))
}
