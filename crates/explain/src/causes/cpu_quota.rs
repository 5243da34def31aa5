//! A limit on CPU time, and throttling.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};
use whyslow_model::host::Limit;
use whyslow_model::record::Outcome;

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::signature::told;
use crate::switch::{Switch, seen, tried};

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "cpu-quota",
    title: "a limit on CPU time (quota)",
    said: include_str!("cpu_quota.txt"),
    reaches: &[],
    what: "A group that used its quota waits for the next period: short work is not slower, long work stands still in between.",
    advice: &[
        "Raise cpu.max of the cgroup, or spread the work; nr_throttled in cpu.stat counts the waits.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "a quota of 50 % of a CPU",
        a: &["quota=none"],
        b: &["quota=50"],
    }],
};

const SWITCH: Switch = Switch {
    what: "a quota of 50 % of one CPU, in a control group of its own",
    needs: "a control group that may be written",
    moves: &["cpu.arith{type=double}"],
    off: &["quota=none"],
    doses: &[&["quota=75"]],
    on: &["quota=50"],
    first_cpu: true,
    // Two and a half periods: a shorter batch may fall between two waits.
    batch_ns: Some(2.5e8),
    took: |off, on| {
        let [off_times, on_times] =
            tried(off, on, "throttling of the control group", |t| t.throttled)?;
        let [less, more] = tried(on, off, "share of the CPU", |t| t.cpu_share)?.map(|x| x * 100.0);
        seen(
            on_times > 0.0 && off_times == 0.0,
            format!(
                "nr_throttled grew by {off_times} off and {on_times} on within 250 ms of spinning, which got {more:.0} % of its CPU off and {less:.0} % on"
            ),
        )
    },
    ..Switch::INHERITED
};

/// Waiting batches that grow by this go with a quota: a twentieth is more than a quiet host varies by.
const CAME: f64 = 0.05;

/// A side that has done less than this share of what the other did in the same time was held up.
const HELD_UP: f64 = 0.8;

/// In words, if the worse side got through less of the same plan in the same time.
fn less_done(case: &Case<'_>, worse: f64) -> Option<String> {
    let [a, b] = [case.a, case.b].map(|record| {
        let rounds = record.processes.iter().filter(|p| p.round > 0);
        rounds
            .filter(|p| matches!(p.outcome, Outcome::Draws(_)))
            .count()
    });
    let alike = case.a.plan.points.len() == case.b.plan.points.len()
        && case.a.header.budget_s.is_some()
        && case.a.header.budget_s == case.b.header.budget_s;
    let (worse, better) = if worse > 0.0 { (b, a) } else { (a, b) };
    (alike && (worse as f64) < HELD_UP * better as f64)
        .then(|| format!("in the same time {a} processes measured in A, {b} in B"))
}

fn judge(case: &Case<'_>) -> Option<Judgement> {
    if !case.knows_hosts() {
        return None;
    }
    let quota = |r: &whyslow_model::Record| {
        let known = r.states.first()?.state.cgroup.cpu_quota.value()?;
        Some(match known {
            Limit::At(cpus) => *cpus,
            Limit::None(_) => f64::INFINITY,
        })
    };
    let (a, b) = (quota(case.a)?, quota(case.b)?);
    let mut judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
    let words = [a, b].map(|cpus| {
        if cpus.is_finite() {
            format!("{cpus:.2} CPUs")
        } else {
            "no limit".to_owned()
        }
    });
    if a == b {
        let text = format!("the quota is the same on both sides: {}", words[0]);
        return Some(judgement.with(Speaks::Against, EvidenceKind::Fact, text));
    }
    let text = format!("the quota is {} in A, {} in B", words[0], words[1]);
    judgement = judgement.with(Speaks::For, EvidenceKind::Fact, text);
    // The side with less time is the worse one.
    let worse = if b < a { 1.0 } else { -1.0 };
    if let Some([a, b]) = case.waited() {
        let grew = (b - a) * worse >= CAME;
        let speaks = if grew { Speaks::For } else { Speaks::Neither };
        let text = format!(
            "{:.1} % of the batches waited for their CPU in A, {:.1} % in B",
            a * 100.0,
            b * 100.0
        );
        judgement = judgement.with(speaks, EvidenceKind::Counter, text);
    }
    let hit = case.worse_on(worse);
    for (role, _) in &hit {
        if let Some(group) = case.group(&[*role]) {
            let text = told(*role, &group);
            judgement = judgement.with(Speaks::For, EvidenceKind::Signature, text);
        }
    }
    judgement.fits = !hit.is_empty();
    judgement.covers = hit;
    let share = case.share(&judgement.covers).map_or(0.0, |s| s.value);
    let less = less_done(case, worse);
    (judgement.verdict, judgement.weight) = match (judgement.fits, &less) {
        (true, _) => (CauseVerdict::Consistent, 0.75 + 0.25 * share),
        (false, Some(_)) => (CauseVerdict::Consistent, 0.5),
        (false, None) => (CauseVerdict::CannotTell, 0.3),
    };
    if let Some(text) = less {
        judgement = judgement.with(Speaks::For, EvidenceKind::Counter, text);
    }
    Some(judgement.then(
        "whether a quota is it",
        "whyslow explain {records} --experiment cpu-quota",
    ))
}
