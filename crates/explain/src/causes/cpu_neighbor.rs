//! Other work on the same CPUs.

use whyslow_model::explanation::{CauseVerdict, EvidenceKind, Speaks};

use crate::case::Case;
use crate::cause::{Cause, Judgement};
use crate::planted::Plant;
use crate::switch::{Switch, seen, tried};

/// The declaration.
pub const CAUSE: Cause = Cause {
    id: "cpu-neighbor",
    title: "a neighbor on the same CPUs (run delay, steal)",
    said: include_str!("cpu_neighbor.txt"),
    reaches: &[],
    what: "Another process, or another guest, takes turns on the CPU: batches are interrupted, threads wait while they could run.",
    advice: &[
        "Find it with the notes of `whyslow run` or with top; pin it elsewhere, or measure on isolated CPUs.",
    ],
    judge,
    switch: Some(&SWITCH),
    plants: &[Plant {
        name: "a busy process on each CPU",
        a: &["neighbor=0"],
        b: &["neighbor=1"],
    }],
};

const SWITCH: Switch = Switch {
    what: "two busy processes on each CPU",
    moves: &["cpu.arith{type=double}"],
    off: &["neighbor=0"],
    doses: &[&["neighbor=1"]],
    on: &["neighbor=2"],
    first_cpu: true,
    // Longer than the turns that the scheduler gives, so that every batch shares its CPU.
    batch_ns: Some(5e7),
    took: |off, on| {
        let [off, on] =
            tried(off, on, "waiting for the CPU", |t| t.waited_share)?.map(|x| x * 100.0);
        seen(
            on >= off + 30.0,
            format!("waited for its CPU {off:.0} % of the time off, {on:.0} % on"),
        )
    },
    ..Switch::INHERITED
};

/// Waiting batches or steal that grow by this say that other work came: a twentieth of the batches or of the
/// time is more than a quiet host varies by (pairs of runs on one CPU: 0.02 at most).
pub(super) const CAME: f64 = 0.05;

/// Growth from which on another thread took turns all the time: batches are shorter than turns, so that one busy
/// process on each CPU was met by 0.22 to 0.24 more of them; one on the other CPU by 0.03 to 0.10.
const TURNS: f64 = 0.2;

/// Weight of other work that was seen and made batches wait, where what is left moved otherwise: above what rows alone
/// speak for.
const BESIDE: f64 = 0.75;

fn judge(case: &Case<'_>) -> Option<Judgement> {
    let signs = [
        ("of the batches waited for their CPU", case.waited()),
        ("of CPU time was taken by the hypervisor", case.steal()),
    ];
    let mut judgement = Judgement::new(CauseVerdict::Contradicted, 0.0);
    let mut came: f64 = 0.0;
    for (what, sides) in signs {
        let Some([a, b]) = sides else { continue };
        let grew = (b - a).abs() >= CAME;
        let speaks = if grew { Speaks::For } else { Speaks::Against };
        let text = format!("{:.1} % {what} in A, {:.1} % in B", a * 100.0, b * 100.0);
        judgement = judgement.with(speaks, EvidenceKind::Counter, text);
        if grew && (b - a).abs() > came.abs() {
            came = b - a;
        }
    }
    if judgement.evidence.is_empty() {
        return None;
    }
    let waits_for_tracer = case.traced().is_some_and(|side| side * came > 0.0);
    if waits_for_tracer {
        judgement.verdict = CauseVerdict::CannotTell;
        judgement.weight = 0.1;
        let text = "the side that waits is traced, and a traced process waits for its tracer";
        judgement = judgement.with(Speaks::Neither, EvidenceKind::Fact, text.to_owned());
    } else if came != 0.0 {
        // Whatever runs on a CPU may be hit; the side with the neighbor is the slower one.
        let hit = case.worse_on(came);
        judgement.fits = !hit.is_empty();
        if judgement.fits {
            judgement.verdict = CauseVerdict::Consistent;
            // Some waiting comes and goes on any host that is not idle; what takes turns all the time
            // leaves much more.
            judgement.weight = 0.5 + 0.45 * (came.abs() / TURNS).min(1.0);
            judgement.covers = hit;
        } else if case
            .somebody_came()
            .is_some_and(|[a, b]| (b - a) * came > 0.0)
            && !case.moved_roles().is_empty()
        {
            // Other work waits and places processes otherwise; batches beside it are left out, so what is left may even be
            // better: that they were left out is the evidence.
            let text = "batches beside that work are left out of the values".to_owned();
            judgement = judgement.with(Speaks::For, EvidenceKind::Counter, text);
            judgement.verdict = CauseVerdict::Consistent;
            judgement.weight = BESIDE;
            judgement.covers = case.moved_roles().into_iter().map(|r| (r, None)).collect();
            judgement.fits = true;
        } else {
            judgement.verdict = CauseVerdict::CannotTell;
            // Where other work took turns all the time, above what is only known to be busy elsewhere.
            judgement.weight = 0.15 + 0.25 * (came.abs() / TURNS).min(1.0);
        }
    }
    Some(judgement.then(
        "whether a neighbor on the CPU is it",
        "whyslow explain {records} --experiment cpu-neighbor",
    ))
}
