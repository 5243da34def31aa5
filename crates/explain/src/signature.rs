//! The usual way to judge a cause: facts that changed, roles that must move, roles that it spares.

use whyslow_model::explanation::{CauseVerdict, Evidence, EvidenceKind, Speaks};

use crate::case::{Case, Group, say};
use crate::cause::{Judgement, line};
use crate::words;
use whyslow_model::role::Role;

/// What a cause leaves behind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    /// Roles that move, each of them, in one direction.
    pub(crate) must: &'static [Role],
    /// Roles that may move with them.
    pub(crate) may: &'static [Role],
    /// Roles that it cannot move by itself.
    pub(crate) spares: &'static [Role],
    /// Facts and settings that make it possible, by the beginnings of their paths.
    pub(crate) facts: &'static [&'static str],
    /// Would it show among the facts and settings wherever it is at work?
    pub(crate) shown: bool,
}

// What several causes leave behind alike; their facts tell them apart.
impl Signature {
    /// Something that stands before every system call.
    pub(crate) const EVERY_CALL: Signature = Signature {
        must: &[Role::SystemCall],
        may: &[
            Role::FileMetadata,
            Role::FileCreate,
            Role::FileCached,
            Role::Descriptors,
            Role::Signal,
            Role::Fault,
            Role::SwitchSameCpu,
            Role::SwitchAnyCpu,
            Role::Fork,
            Role::ProgramStart,
            Role::Programs,
            Role::LocalLatency,
            Role::LocalBandwidth,
            Role::ReadClock,
            Role::Sleep,
            Role::SystemTime,
        ],
        spares: &[Role::Compute, Role::L1, Role::MemoryBandwidth],
        facts: &[],
        shown: false,
    };

    /// Something that every start of a program passes.
    pub(crate) const PROGRAM_START: Signature = Signature {
        must: &[Role::ProgramStart],
        may: &[Role::Programs, Role::Application],
        spares: &[
            Role::Compute,
            Role::SystemCall,
            Role::SwitchSameCpu,
            Role::MemoryBandwidth,
        ],
        facts: &[],
        shown: false,
    };
}

/// A spared role speaks against a cause from this share of what the cause should move; and what a cause must move is taken to
/// move by at least this share of what moves with it.
const AS_MUCH: f64 = 0.5;

/// A role that a cause reaches only through its own may move this much further than they did, as it may
/// do several of them at a time; the rest is not covered.
const BEYOND: f64 = 1.25;

/// Lines about facts, before the rest is counted: a kernel's configuration changes by the dozen.
const FACTS: usize = 3;

/// Weights by what speaks for a cause; only their order means something. Facts and signature together
/// come before a signature alone, and that before facts alone.
const BOTH: f64 = 0.7;
const SIGNATURE: f64 = 0.35;
const FACTS_ALONE: f64 = 0.2;

/// What a fact adds that the cause names by its whole path, of a path as long as any.
const PLAINLY: f64 = 0.02;
const LONG_PATH: f64 = 40.0;

/// How well a signature fits whose own roles only lean, beside one whose roles moved: enough to fit where all of them do.
const HALF_SHOWN: f64 = 0.6;

/// What a role must do beside the others for a cause to be told from them.
const PRECISION: f64 = 0.3;

/// Is a difference that matters not excluded? Only what was shown to be the same speaks against a fact that changed.
fn is_open(case: &Case<'_>, group: &Group) -> bool {
    group.reach() > case.comparison.rules.margin.ln_1p()
}

impl Signature {
    /// The judgement by this signature alone.
    pub(crate) fn judge(&self, case: &Case<'_>) -> Judgement {
        self.judged(case, false)
    }

    /// The same of a cause that moves points of its roles both ways where one of `facts` changed.
    pub(crate) fn judge_both_ways(
        &self,
        case: &Case<'_>,
        facts: &'static [&'static str],
    ) -> Judgement {
        self.judged(case, case.changes(facts).next().is_some())
    }

    fn judged(&self, case: &Case<'_>, both_ways: bool) -> Judgement {
        let changes: Vec<_> = case.changes(self.facts).collect();
        let mut evidence: Vec<Evidence> = changes
            .iter()
            .take(FACTS)
            .map(|c| line(Speaks::For, EvidenceKind::Fact, say(c)))
            .collect();
        if changes.len() > FACTS {
            let more = format!(
                "and {} more facts and settings of the kind",
                changes.len() - FACTS
            );
            evidence.push(line(Speaks::For, EvidenceKind::Fact, more));
        }
        let changed = !changes.is_empty();
        let mut judgement = self.by_roles(case, [changed, both_ways], &mut evidence);
        // Of several causes that a fact speaks for, the one that names it most plainly comes first.
        let named = changes.iter().flat_map(|change| {
            let names = self
                .facts
                .iter()
                .filter(|fact| change.what.starts_with(**fact));
            names.map(|fact| fact.len())
        });
        if let Some(longest) = named.max().filter(|_| judgement.weight > 0.0) {
            judgement.weight += PLAINLY * (longest as f64 / LONG_PATH).min(1.0);
        }
        let same = case.knows_hosts() && !changed && !self.facts.is_empty();
        if self.shown && !changed && !case.knows_hosts() && judgement.fits {
            // Rows alone never show what only a setting does.
            let text = format!("not in these records: {}", words::list(self.facts));
            evidence.push(line(Speaks::Neither, EvidenceKind::Fact, text));
            judgement.weight = 0.01;
            judgement.covers.clear();
            judgement.fits = false;
        }
        if same && self.shown && judgement.fits {
            evidence.push(line(
                Speaks::Against,
                EvidenceKind::Fact,
                format!("the same on both sides: {}", words::list(self.facts)),
            ));
            judgement.verdict = CauseVerdict::Contradicted;
            judgement.weight = 0.0;
            judgement.covers.clear();
        }
        // The strongest first: what fits and was seen, then what is missing.
        evidence.sort_by_key(|e| match e.speaks {
            Speaks::For => 0,
            Speaks::Against => 1,
            Speaks::Neither => 2,
        });
        judgement.evidence = evidence;
        judgement
    }

    fn by_roles(
        &self,
        case: &Case<'_>,
        [changed, both_ways]: [bool; 2],
        evidence: &mut Vec<Evidence>,
    ) -> Judgement {
        let measured: Vec<(Role, Group)> = self
            .must
            .iter()
            .filter_map(|&role| Some((role, case.group(&[role])?)))
            .collect();
        if measured.is_empty() {
            let names: Vec<&str> = self.must.iter().map(|r| r.name()).collect();
            let text = format!("not measured on both sides: {}", words::list(&names));
            evidence.push(line(Speaks::Neither, EvidenceKind::Signature, text));
            let weight = if changed { FACTS_ALONE } else { 0.0 };
            return Judgement::new(CauseVerdict::CannotTell, weight);
        }
        let mut moved: Vec<&(Role, Group)> = measured.iter().filter(|(_, g)| g.moved > 0).collect();
        let mut fit = moved.len() as f64 / measured.len() as f64;
        if moved.is_empty() {
            moved = self.leaning(case, &measured);
            fit = HALF_SHOWN * moved.len() as f64 / measured.len() as f64;
        }
        for (role, group) in &measured {
            let speaks = match group.moved {
                0 if moved.iter().any(|(own, _)| own == role) => Speaks::For,
                0 if group.leans || changed && is_open(case, group) => Speaks::Neither,
                0 => Speaks::Against,
                _ => Speaks::For,
            };
            evidence.push(line(speaks, EvidenceKind::Signature, told(*role, group)));
        }
        let apart = self.must.iter().filter(|role| case.apart.contains(role));
        let apart: Vec<&str> = apart.map(|role| role.name()).collect();
        if changed && !apart.is_empty() {
            let text = format!("{}, in part: not comparable", words::list(&apart));
            evidence.push(line(Speaks::Neither, EvidenceKind::Signature, text));
        }
        let largest = moved
            .iter()
            .map(|(_, g)| g.worse)
            .max_by(|x, y| x.abs().total_cmp(&y.abs()));
        let Some(largest) = largest else {
            let open = !apart.is_empty() || measured.iter().any(|(_, g)| is_open(case, g));
            return match (changed, open) {
                (true, true) => Judgement::new(CauseVerdict::CannotTell, FACTS_ALONE),
                (true, false) => Judgement::new(CauseVerdict::Contradicted, 0.1),
                (false, _) => Judgement::new(self.unmoved(case, &measured, evidence), 0.0),
            };
        };
        let one_way = |group: &Group| group.span.iter().all(|w| w * largest > 0.0);
        let together = both_ways || moved.iter().all(|(_, group)| one_way(group));
        if !together {
            let text = "these moved in opposite directions, which one cause does not do";
            evidence.push(line(Speaks::Against, EvidenceKind::Signature, text));
        }
        let crossed = self.spared(case, largest, evidence);
        let covers = self.covered(case, largest);
        let share = case.share(&covers).map_or(0.0, |s| s.value);
        let fits = together && fit > 0.5 && (crossed == 0 || changed);
        let known = case.knows_hosts();
        let (verdict, base) = match (fits, changed) {
            (true, true) => (CauseVerdict::Consistent, BOTH),
            (true, false) if known => (CauseVerdict::Consistent, SIGNATURE),
            // A published table without facts: several causes leave the same rows.
            (true, false) => (CauseVerdict::CannotTell, SIGNATURE),
            (false, true) => (CauseVerdict::CannotTell, FACTS_ALONE),
            (false, false) if crossed > 0 || !together => (CauseVerdict::Contradicted, 0.0),
            (false, false) => (CauseVerdict::CannotTell, 0.05),
        };
        let precision = PRECISION * fit * share / (1.0 + crossed as f64);
        Judgement {
            covers: if fits { covers } else { Vec::new() },
            fits,
            ..Judgement::new(verdict, base + precision)
        }
    }

    /// What moved of what it may move.
    fn may_moved(&self, case: &Case<'_>) -> Vec<Group> {
        let may = self.may.iter().filter_map(|role| case.group(&[*role]));
        may.filter(|group| group.moved > 0).collect()
    }

    /// What it must move that leans the way of what it may move, where that did: too few values to be called a difference,
    /// and together with what else moved too many to be overlooked.
    fn leaning<'m>(
        &self,
        case: &Case<'_>,
        measured: &'m [(Role, Group)],
    ) -> Vec<&'m (Role, Group)> {
        let moved = self.may_moved(case);
        let with_it = |group: &Group| {
            let beside = |m: &Group| {
                m.worse * group.worse > 0.0 && group.worse.abs() >= AS_MUCH * m.worse.abs()
            };
            group.leans && moved.iter().any(beside)
        };
        measured.iter().filter(|(_, g)| with_it(g)).collect()
    }

    /// The verdict where nothing that it must move was shown to. What was not shown may be there all the same: it is
    /// excluded where that could not be as much as it would take to move any of the rest.
    fn unmoved(
        &self,
        case: &Case<'_>,
        measured: &[(Role, Group)],
        evidence: &mut Vec<Evidence>,
    ) -> CauseVerdict {
        let moved = self.may_moved(case);
        if moved.is_empty() {
            // None of the difference is its doing, whatever is hidden in what it must move.
            let text = "nothing that moved is what it moves";
            evidence.insert(0, line(Speaks::Against, EvidenceKind::Signature, text));
            return CauseVerdict::Contradicted;
        }
        let hidden = |rest: &Group| {
            let enough = AS_MUCH * rest.worse.abs();
            measured
                .iter()
                .all(|(_, g)| g.reach_toward(rest.worse) >= enough)
        };
        match moved.iter().any(hidden) {
            true => CauseVerdict::CannotTell,
            false => CauseVerdict::Contradicted,
        }
    }

    /// Says what it spares did; how many of them moved nonetheless.
    fn spared(&self, case: &Case<'_>, largest: f64, evidence: &mut Vec<Evidence>) -> usize {
        let mut crossed = 0;
        for &role in self.spares {
            let Some(group) = case.group(&[role]) else {
                continue;
            };
            let moved = group.moved * 2 > group.points;
            let as_much = group.worse.abs() >= AS_MUCH * largest.abs();
            let against = moved && as_much && group.worse * largest > 0.0;
            crossed += usize::from(against);
            let text = format!("{}, which it cannot move", told(role, &group));
            let speaks = match (against, moved) {
                (true, _) => Speaks::Against,
                (false, true) => Speaks::Neither,
                (false, false) if group.leans => Speaks::Neither,
                (false, false) => Speaks::For,
            };
            evidence.push(line(speaks, EvidenceKind::Signature, text));
        }
        crossed
    }

    /// Roles that moved the way its own did; of others no more than its own moved by.
    fn covered(&self, case: &Case<'_>, largest: f64) -> Vec<(Role, Option<f64>)> {
        let of = |role: &Role| {
            let group = case.group(&[*role])?;
            let more = group.worse.abs() > BEYOND * largest.abs() && !self.must.contains(role);
            (group.moved > 0 && group.worse * largest > 0.0)
                .then(|| (*role, more.then_some(largest)))
        };
        self.must.iter().chain(self.may).filter_map(of).collect()
    }
}

/// `system calls: 4.2 % longer [3.9, 4.5] (5 of 5 points)`.
pub(crate) fn told(role: Role, group: &Group) -> String {
    let range = group.range_said().filter(|_| group.moved <= 1);
    let range = range.map_or_else(String::new, |range| format!(" {range}"));
    let (name, points) = (role.name(), counted(group.points));
    match group.moved {
        0 if group.leans => format!(
            "{name}: {}{range} ({points}), undecided: too few values",
            group.said()
        ),
        0 => format!(
            "{name}: no difference shown ({}{range}, {points})",
            group.said()
        ),
        moved => format!("{name}: {}{range} ({moved} of {points})", group.span_said()),
    }
}

fn counted(points: usize) -> String {
    if points == 1 {
        "1 point".to_owned()
    } else {
        format!("{points} points")
    }
}
