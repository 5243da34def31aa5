//! The core's clock: everything that takes cycles moves by the same factor.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::signature::told;
use whyslow_model::role::Role;

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "clock",
    title: "the clock of the core",
    said: include_str!("clock.txt"),
    reaches: &[],
    what: "A core at another clock does everything that takes cycles in proportion: arithmetic, nearby caches, system calls. Memory does not follow.",
    advice: &[
        "Look at the governor and boost (`whyslow host`), at power and heat limits, and at what else runs on the package.",
    ],
    judge,
    switch: None,
    plants: &[],
};

/// Work in the core and its first-level cache follows the clock to within this: what such rows of two
/// builds or two runs differ by otherwise.
const FOLLOWS: f64 = 0.02;

/// Below this share of what moved most, a clock is no answer.
const ENOUGH: f64 = 0.2;

/// The clocks of one processor are seldom further apart, as a logarithm: five times, from idle to boost. Where nothing is
/// said of it, other code is as likely.
const WIDEST: f64 = 1.61;

/// Arithmetic that moved further than this, a logarithm, did so by no chance of runs.
const LARGE: f64 = 0.2;

/// Weight of a clock that nothing is said of.
const MAY_BE: f64 = 0.15;

/// Roles that take cycles and little else.
const CYCLES: [Role; 12] = [
    Role::Compute,
    Role::Clock,
    Role::L1,
    Role::L2,
    Role::SystemCall,
    Role::FileMetadata,
    Role::Descriptors,
    Role::Signal,
    Role::Fault,
    Role::SwitchSameCpu,
    Role::Fork,
    Role::ProgramStart,
];

/// What makes arithmetic faster at one clock too.
const OTHERWISE: &[&str] = &[
    "cpu.",
    "cpus.",
    "load.copies",
    "compiler",
    "machine",
    "system",
];

/// How much lower the clock is by what is said of both machines, as a logarithm.
fn said_clock(case: &Case<'_>) -> Option<f64> {
    let change = case.changes(&["frequency.clock"]).next()?;
    let ghz = |text: &str| {
        text.trim_matches('"')
            .parse::<f64>()
            .ok()
            .filter(|g| *g > 0.0)
    };
    Some((ghz(&change.before)? / ghz(&change.after)?).ln())
}

/// Against the clock where all that moved did so further than clocks are apart, and nothing in the core was measured.
fn too_far(case: &Case<'_>) -> Option<Judgement> {
    let moved = case
        .points
        .iter()
        .filter(|p| p.moved && !p.role.is_stated());
    let least = moved.min_by(|x, y| x.worse.abs().total_cmp(&y.worse.abs()))?;
    if least.worse.abs() <= WIDEST {
        return None;
    }
    let text = format!(
        "{} is {}, and clocks of one processor are seldom more than five times apart",
        least.name,
        least.said()
    );
    let judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
    Some(judgement.with(Speaks::Against, EvidenceKind::Signature, text))
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let mut core = [Role::Compute, Role::L1].into_iter();
    let Some((role, work)) = core.find_map(|role| Some((role, case.group(&[role])?))) else {
        return too_far(case);
    };
    let clock = case.group(&[Role::Clock]);
    let stated = case.group(&[Role::StatedClock]);
    let largest = case
        .points
        .iter()
        .filter(|p| p.moved && !p.role.is_stated())
        .max_by(|x, y| x.worse.abs().total_cmp(&y.worse.abs()));
    let mut judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
    let all = format!("{}: {}", role.name(), work.span_said());
    judgement = judgement.with(Speaks::Neither, EvidenceKind::Signature, all);
    // `worse` of the clock is a lower clock; work then takes as much longer. Where it is no point of its
    // own, each process of ours still looked at it.
    let looked = case.comparison.clock.as_ref();
    let looked = looked.filter(|_| clock.is_none());
    let lower = clock.map(|clock| clock.worse).or_else(|| said_clock(case));
    let lower = lower.or(looked.map(|clock| (clock.ghz[0] / clock.ghz[1]).ln()));
    let follows = lower.map(|lower| (work.worse - lower).abs() <= FOLLOWS);
    if let Some(clock) = looked {
        let speaks = match follows {
            Some(true) => Speaks::Neither,
            _ => Speaks::Against,
        };
        let [a, b] = clock.ghz;
        let text = format!("the clock stood at {a:.2} GHz in A, {b:.2} in B");
        judgement = judgement.with(speaks, EvidenceKind::Counter, text);
    }
    if let Some(clock) = clock {
        let speaks = if follows == Some(true) && clock.moved > 0 {
            Speaks::For
        } else {
            Speaks::Neither
        };
        judgement = judgement.with(speaks, EvidenceKind::Signature, told(Role::Clock, &clock));
    }
    if let Some(stated) = stated {
        let says = format!(
            "the clock as stated is {}, arithmetic follows it to {:.1} %",
            stated.said(),
            (work.worse - stated.worse).abs() * 100.0
        );
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Fact, says);
    }
    for change in case.changes(&["frequency"]).take(2) {
        judgement = judgement.with(Speaks::For, EvidenceKind::Fact, crate::case::say(change));
    }
    let moved = work.moved * 2 > work.points || clock.is_some_and(|c| c.moved > 0);
    let enough = largest
        .map(|l| l.worse)
        .is_some_and(|l| l * work.worse > 0.0 && work.worse.abs() >= ENOUGH * l.abs());
    if let Some(largest) = largest.filter(|_| !enough) {
        let text = format!(
            "work in the core is {}, and the rows to be explained are up to {}",
            work.said(),
            largest.said()
        );
        judgement = judgement.with(Speaks::Against, EvidenceKind::Signature, text);
    }
    if !moved {
        return Some(judgement);
    }
    let even = work.span[1] - work.span[0] <= 2.0 * FOLLOWS;
    judgement.verdict = match follows {
        Some(true) => CauseVerdict::Consistent,
        // Rows of another processor, or of more copies, may go together for other reasons.
        None if even && case.changes(OTHERWISE).next().is_none() && work.points > 1 => {
            let said = case.changes(&["frequency"]).next().is_some();
            match said || work.worse.abs() <= WIDEST {
                true => CauseVerdict::Consistent,
                false => CauseVerdict::CannotTell,
            }
        }
        None => CauseVerdict::CannotTell,
        Some(false) => CauseVerdict::Contradicted,
    };
    if judgement.verdict == CauseVerdict::Consistent {
        judgement.fits = true;
        judgement.covers = CYCLES.iter().map(|&r| (r, Some(work.worse))).collect();
        judgement
            .covers
            .retain(|(r, _)| case.group(&[*r]).is_some_and(|g| g.moved > 0));
        // Arithmetic at another clock is explained wholly.
        for (r, ln) in &mut judgement.covers {
            if matches!(r, Role::Compute | Role::Clock) {
                *ln = None;
            }
        }
        let share = case.share(&judgement.covers).map_or(0.0, |s| s.value);
        judgement.weight = if enough { 0.5 + 0.5 * share } else { 0.1 };
    } else if judgement.verdict == CauseVerdict::CannotTell
        && work.moved == work.points
        && work.points > 1
        && enough
        && work.worse.abs() > LARGE
        && work.worse.abs() <= WIDEST
    {
        // All of it, and far: a clock does that, as other code does.
        judgement.weight = MAY_BE;
    }
    Some(judgement.then(
        "whether the clock is it; on both hosts",
        "whyslow run --only 'cpu.*,os.null_call' --rounds 10",
    ))
}
