//! The core's clock: everything that takes cycles moves by the same factor.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, NextStep, Share, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement, line};
use crate::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "clock",
    title: "the clock of the core",
    what: "A core at another clock does everything that takes cycles in proportion: arithmetic, nearby caches, system calls. Memory does not follow.",
    advice: &[
        "Look at the governor and boost (whyslow host), at power and heat limits, and at what else runs on the package.",
    ],
    judge,
};

/// Work in the core and its first-level cache follows the clock to within this: what such rows of two
/// builds or two runs differ by otherwise.
const FOLLOWS: f64 = 0.02;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let compute = case.group(Role::Compute).or_else(|| case.group(Role::L1))?;
    let clock = case.group(Role::Clock);
    let memory = case
        .group(Role::MemoryLatency)
        .or_else(|| case.group(Role::MemoryBandwidth));
    let percent = |ln: f64| format!("{:+.1} %", ln.exp_m1() * 100.0);
    let mut evidence = Vec::new();
    // `worse` of the clock is a lower clock; work then takes as much longer.
    let follows = clock.map(|clock| (compute.worse - clock.worse).abs() <= FOLLOWS);
    if let Some(clock) = clock {
        evidence.push(line(
            if follows == Some(true) {
                Speaks::For
            } else {
                Speaks::Against
            },
            EvidenceKind::Signature,
            format!(
                "work in the core takes {}, the cycles themselves {}",
                percent(compute.worse),
                percent(clock.worse)
            ),
        ));
    }
    if let Some(memory) = memory {
        evidence.push(line(
            Speaks::Neither,
            EvidenceKind::Signature,
            format!(
                "memory, which does not follow the clock: {}",
                percent(memory.worse)
            ),
        ));
    }
    let moved = compute.moved * 2 > compute.points;
    let even = compute.range[1] - compute.range[0] <= 2.0 * FOLLOWS;
    let verdict = match (moved, follows) {
        (false, _) => CauseVerdict::Contradicted,
        (true, Some(true)) => CauseVerdict::Consistent,
        (true, Some(false)) => CauseVerdict::Contradicted,
        (true, None) if even => CauseVerdict::Consistent,
        (true, None) => CauseVerdict::CannotTell,
    };
    let covered: Vec<_> = case
        .points
        .iter()
        .filter(|p| p.moved && (p.worse - compute.worse).abs() <= 2.0 * FOLLOWS)
        .map(|p| p.name.clone())
        .collect();
    let whole = case.whole();
    Some(Judgement {
        verdict,
        weight: if moved { 0.5 } else { 0.0 },
        share: (whole > 0.0 && moved).then(|| Share {
            value: compute.worse.abs() / whole,
            range: None,
        }),
        covers: covered,
        evidence,
        next: vec![NextStep {
            settles: "whether the clock is it".into(),
            command: "whyslow run --only 'cpu.clock,os.null_call' on both, several times".into(),
        }],
    })
}
