//! What holds one machine back, against its own limits.

use whyslow_model::Record;
use whyslow_model::change::factor;
use whyslow_model::experiment::Experiment;
use whyslow_model::explanation::{
    CauseVerdict, Evidence, EvidenceKind, Explanation, Finding, NextStep, SCHEMA, Speaks,
};
use whyslow_model::id;
use whyslow_model::summary::{PointSummary, Summary};
use whyslow_stats::record::Slots;

use crate::cause::{Judgement, line, step};
use crate::causes::CAUSES;
use crate::causes::core_neighbor;
use crate::causes::page_placement::shape;
use crate::curve::{self, Placement, half, known, on_curve, rises};
use crate::explain::{tried, undone};
use crate::next::fill;
use crate::words;

/// A cache that gives less than this of what is claimed for it is held back.
const CLAIMED: f64 = 0.9;

/// Fewer processes than this have no spread to speak of, and a ratio of them is none.
const FEWEST: usize = 3;

/// An interval whose upper end is so many times its lower one says no more than the size of a value.
const WIDEST: f64 = 10.0;

/// A switch that costs this many times what it does on one CPU is worth a finding.
const SLOWER: f64 = 1.5;

/// [`explain_one`] with causes that were switched on and off on the live host; without a record, of those
/// alone.
pub fn explain_one_tried(
    record: Option<(&Record, &Summary)>,
    name: &str,
    experiments: &[Experiment],
) -> Explanation {
    let mut explanation = match record {
        Some((record, summary)) => explain_one(record, summary, name),
        None => Explanation {
            schema: SCHEMA,
            a: name.to_owned(),
            b: None,
            answer: match experiments {
                [] => "No cause was switched, so there is nothing to say.".to_owned(),
                _ => String::new(),
            },
            moved: Vec::new(),
            prices: Vec::new(),
            unpriced: Vec::new(),
            causes: Vec::new(),
            unexplained: Vec::new(),
            unexplained_share: None,
            cannot_show: Vec::new(),
            next: Vec::new(),
            experiments: Vec::new(),
            not_tried: Vec::new(),
        },
    };
    for experiment in experiments {
        let mut judgement = Judgement::new(CauseVerdict::CannotTell, 0.0);
        tried::live(experiment, &mut judgement);
        let cause = CAUSES.iter().find(|c| c.id == experiment.cause);
        let confirmed = judgement.verdict == CauseVerdict::Confirmed;
        let advice = cause.map_or(&[][..], |c| c.advice).iter();
        let finding = Finding {
            cause: experiment.cause.clone(),
            title: cause
                .map_or(experiment.cause.as_str(), |c| c.title)
                .to_owned(),
            verdict: judgement.verdict,
            weight: judgement.weight,
            share: experiment.effects.first().and_then(|e| e.share),
            covers: Vec::new(),
            evidence: judgement.evidence,
            advice: advice
                .filter(|_| confirmed)
                .map(|a| (*a).to_owned())
                .collect(),
        };
        explanation.causes.retain(|c| c.cause != experiment.cause);
        explanation.causes.push(finding);
    }
    explanation.causes.sort_by(|x, y| {
        x.verdict
            .cmp(&y.verdict)
            .then(y.weight.total_cmp(&x.weight))
    });
    let said = tried::sentence(experiments);
    explanation.answer = match explanation.answer.as_str() {
        "" => said,
        answer => format!("{said} {answer}").trim().to_owned(),
    };
    explanation.next = undone(explanation.next, experiments);
    explanation.experiments = experiments.to_vec();
    explanation
}

/// A value that a record shows, with what could be done about it.
struct CurveLook {
    findings: Vec<Finding>,
    next: Vec<NextStep>,
    cannot_show: Vec<String>,
}

/// Is a value known well enough to lead an answer?
fn is_known(point: &PointSummary) -> bool {
    let range = point.value.as_ref().and_then(|value| value.range);
    point.processes.len() >= FEWEST && range.is_some_and(|[lo, hi]| lo > 0.0 && hi <= WIDEST * lo)
}

/// What holds the machine of `record` back. `summary` is the record's, and `name` what it is called.
pub fn explain_one(record: &Record, summary: &Summary, name: &str) -> Explanation {
    let mut look = CurveLook {
        findings: Vec::new(),
        next: Vec::new(),
        cannot_show: vec![
            "one record: claims are held against measurements, nothing was switched on and off"
                .to_owned(),
        ],
    };
    look.placement(record, summary);
    look.caches(summary);
    look.switching(summary);
    look.bandwidth(record, summary);
    look.core(record);
    fill(&mut look.next, &[name.to_owned()], &[]);
    let findings = &mut look.findings;
    findings.sort_by(|x, y| {
        x.verdict
            .cmp(&y.verdict)
            .then(y.weight.total_cmp(&x.weight))
    });
    let held: Vec<String> = findings
        .iter()
        .filter(|f| f.verdict == CauseVerdict::Consistent)
        .filter_map(|f| Some(f.evidence.first()?.text.clone()))
        .collect();
    let answer = match held.as_slice() {
        [] if findings.is_empty() => {
            "This record has nothing to hold the machine against: no curve, no switching, no bandwidth by level.".to_owned()
        }
        [] => "Nothing measured here falls short of what this machine claims.".to_owned(),
        held => format!("What holds this machine back: {}.", held.join("; ")),
    };
    Explanation {
        schema: SCHEMA,
        a: name.to_owned(),
        b: None,
        answer,
        moved: Vec::new(),
        prices: Vec::new(),
        unpriced: Vec::new(),
        causes: look.findings,
        unexplained: Vec::new(),
        unexplained_share: None,
        cannot_show: look.cannot_show,
        next: look.next,
        experiments: Vec::new(),
        not_tried: Vec::new(),
    }
}

impl CurveLook {
    /// `held` is none where it is not known whether it holds the machine back.
    fn add(
        &mut self,
        cause: &str,
        held: Option<bool>,
        weight: f64,
        evidence: Vec<Evidence>,
        advice: &[&str],
    ) {
        let found = crate::causes::CAUSES.iter().find(|c| c.id == cause);
        self.findings.push(Finding {
            cause: cause.to_owned(),
            title: found.map_or(cause, |c| c.title).to_owned(),
            verdict: match held {
                Some(true) => CauseVerdict::Consistent,
                Some(false) => CauseVerdict::Contradicted,
                None => CauseVerdict::CannotTell,
            },
            weight: if held == Some(true) { weight } else { 0.0 },
            share: None,
            covers: Vec::new(),
            evidence,
            advice: advice
                .iter()
                .filter(|_| held == Some(true))
                .map(|a| (*a).to_owned())
                .collect(),
        });
    }

    /// The shape of each rise of the latency curve.
    fn placement(&mut self, record: &Record, summary: &Summary) {
        let mut sizes: Vec<curve::CurvePoint> = Vec::new();
        for point in &summary.points {
            let on = on_curve(&point.point, point.unit);
            if let Some(((_, bytes), value)) = on.zip(point.value.as_ref()) {
                sizes.push(curve::CurvePoint {
                    bytes,
                    ns: value.value,
                    spread: half(value),
                });
            }
        }
        let mut evidence = Vec::new();
        let mut chance = false;
        for rise in rises(&[sizes], &known(record)) {
            let Some(Ok(fit)) = rise.fits.first() else {
                continue;
            };
            let arbitrary = matches!(fit.placement, Placement::Arbitrary | Placement::Partly);
            chance |= arbitrary;
            let text = format!("level {}: {}", rise.level, shape(fit, rise.from_to.first()));
            let speaks = if arbitrary {
                Speaks::For
            } else {
                Speaks::Neither
            };
            evidence.push(line(speaks, EvidenceKind::Curve, text));
        }
        if evidence.is_empty() {
            return;
        }
        evidence.sort_by_key(|e| e.speaks != Speaks::For);
        let advice = [
            "Huge pages for large data, or `whyslow color run -- PROGRAM`, give the cache back its sharp end.",
        ];
        self.add("page-placement", Some(chance), 0.8, evidence, &advice);
        if chance {
            self.next.push(step(
                "what evenly spread pages give here",
                "whyslow color bench",
            ));
        }
    }

    /// Caches as they act against what the kernel claims.
    fn caches(&mut self, summary: &Summary) {
        let mut evidence = Vec::new();
        let mut least: f64 = 1.0;
        let mut open = false;
        for level in &summary.levels {
            let Some((acts, claimed)) = level.capacity_bytes.zip(level.claimed_bytes) else {
                continue;
            };
            // Few sizes leave the end of a level open: what it may hold counts, not the least that fits.
            let [low, high] = acts.range.unwrap_or([acts.value; 2]);
            let share = high / claimed as f64;
            let is_open = low / (claimed as f64) < CLAIMED && share >= CLAIMED;
            open |= is_open;
            let size = match is_open {
                true => format!("{} to {}", words::bytes(low), words::bytes(high)),
                false => words::bytes(acts.value),
            };
            let claim = words::bytes(claimed as f64);
            let text = format!("{}'s effective size is {size} of {claim}", level.name);
            let speaks = if share < CLAIMED {
                Speaks::For
            } else {
                Speaks::Against
            };
            evidence.push((share, line(speaks, EvidenceKind::Curve, text)));
            least = least.min(share);
        }
        if evidence.is_empty() {
            return;
        }
        evidence.sort_by(|(x, _), (y, _)| x.total_cmp(y));
        let advice = [
            "A shared cache is shared with neighbors; in a guest ask what it is given (resctrl, cache allocation).",
        ];
        let lines = evidence.into_iter().map(|(_, e)| e).collect();
        self.add(
            "cache-size",
            (least < CLAIMED || !open).then_some(least < CLAIMED),
            1.0 - least,
            lines,
            &advice,
        );
    }

    /// Switches on one CPU against unpinned ones.
    fn switching(&mut self, summary: &Summary) {
        let mut evidence = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        let mut most: f64 = 1.0;
        for same in &summary.points {
            if same.point.get("cpus") != Some("same-cpu") {
                continue;
            }
            let mut free = same.point.clone();
            for (name, value) in &mut free.params {
                if name == "cpus" {
                    *value = "free".to_owned();
                }
            }
            let free = summary.points.iter().find(|p| p.point == free);
            let values = same.value.as_ref().zip(free.and_then(|f| f.value.as_ref()));
            let Some((one, any)) = values.filter(|(one, any)| one.value > 0.0 && any.value > 0.0)
            else {
                continue;
            };
            let known = free.is_some_and(|free| is_known(free) && is_known(same));
            if !known {
                unknown.push(same.point.probe.clone());
                continue;
            }
            let times = any.value / one.value;
            let text = format!(
                "{}: {} times as long unpinned as on one CPU ({} against {} µs)",
                same.title.as_deref().unwrap_or(&same.point.probe),
                factor(times),
                factor(any.value / 1e3),
                factor(one.value / 1e3)
            );
            // Surely: the least that the one takes is more than the most of the other.
            let apart = any
                .range
                .zip(one.range)
                .is_some_and(|(any, one)| any[0] > one[1]);
            let speaks = match times >= SLOWER {
                true if apart => Speaks::For,
                true => Speaks::Neither,
                false => Speaks::Against,
            };
            evidence.push((times, line(speaks, EvidenceKind::Signature, text)));
            if apart {
                most = most.max(times);
            }
        }
        unknown.dedup();
        if let Some(first) = unknown.first() {
            self.cannot_show.push(format!(
                "what switching costs away from one CPU ({}): it takes {FEWEST} processes whose values are of \
                 one size to be known",
                words::list(&unknown.iter().map(String::as_str).collect::<Vec<_>>())
            ));
            self.next.push(step(
                "whether switching between CPUs holds it back",
                &format!("whyslow run --standard --only '{first}'"),
            ));
        }
        if evidence.is_empty() {
            return;
        }
        // What is sure comes first: the first line is the answer.
        let doubtful = |e: &Evidence| e.speaks != Speaks::For;
        evidence.sort_by(|(x, a), (y, b)| doubtful(a).cmp(&doubtful(b)).then(y.total_cmp(x)));
        let held = most >= SLOWER;
        let advice = ["Pin processes that talk to each other to one CPU or one cache."];
        let open = evidence.iter().any(|(_, e)| e.speaks == Speaks::Neither);
        let lines = evidence.into_iter().map(|(_, e)| e).collect();
        let verdict = (held || !open).then_some(held);
        self.add(
            "cross-cpu-wakeup",
            verdict,
            1.0 - 1.0 / most,
            lines,
            &advice,
        );
        if held {
            let command = "whyslow explain {records} --experiment cross-cpu-wakeup";
            self.next
                .push(step("whether pinning takes it away", command));
        }
    }

    /// The slots of the cores against the best that they did.
    fn core(&mut self, record: &Record) {
        let Some(slots) = Slots::of(record) else {
            return;
        };
        let held = slots.mean < CLAIMED * slots.best;
        let text = format!(
            "cores handed out {:.1} instructions a cycle and can do {:.1}: {:.0} % of the batches ran with the SMT sibling busy",
            slots.mean,
            slots.best,
            slots.shared * 100.0
        );
        let speaks = if held { Speaks::For } else { Speaks::Against };
        let evidence = vec![line(speaks, EvidenceKind::Counter, text)];
        let weight = 1.0 - slots.mean / slots.best;
        self.add(
            core_neighbor::CAUSE.id,
            Some(held),
            weight,
            evidence,
            core_neighbor::CAUSE.advice,
        );
    }

    /// Reads of the nearest cache against what the core's ports can carry.
    fn bandwidth(&mut self, record: &Record, summary: &Summary) {
        let ghz = summary
            .point(id::CPU_CLOCK)
            .and_then(|p| p.value.as_ref())
            .map(|v| v.value);
        let ghz = ghz.or(record.clock.map(|c| c.ghz)).filter(|g| *g > 0.0);
        let features = record.host.as_deref().and_then(|h| h.cpu.features.value());
        let wide = features.map(|all| {
            let has = |name: &str| all.iter().any(|f| f == name);
            match () {
                () if has("avx512f") => 64.0,
                () if has("avx2") => 32.0,
                () => 16.0,
            }
        });
        let read = summary.points.iter().find(|p| {
            let alone = matches!(p.point.get("cpus"), Some("1"));
            p.point.probe == id::MEM_BANDWIDTH
                && alone
                && p.point.get("op") == Some("read")
                && p.point.get("level") == Some("L1")
        });
        let (Some(ghz), Some(wide), Some(value)) = (ghz, wide, read.and_then(|p| p.value.as_ref()))
        else {
            return;
        };
        // Cores of the last decade load two vectors a cycle.
        let limit = 2.0 * wide;
        let cycle = value.value / ghz;
        let text = format!(
            "reads of the L1 move {cycle:.0} bytes a cycle, two loads of the widest vector are {limit:.0}"
        );
        let held = cycle < CLAIMED * limit && read.is_some_and(is_known);
        let speaks = match cycle < CLAIMED * limit {
            true if held => Speaks::For,
            true => Speaks::Neither,
            false => Speaks::Against,
        };
        let evidence = vec![line(speaks, EvidenceKind::Signature, text)];
        let verdict = (speaks != Speaks::Neither).then_some(held);
        self.add("load-ports", verdict, 0.3, evidence, &[]);
        if let Some(last) = self.findings.last_mut() {
            last.title = "the width of the load ports".to_owned();
        }
    }
}
