//! A record and its summary, with the look-ups that several parts of a page need.

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::Point;
use whyslow_model::host::Host;
use whyslow_model::record::{Mark, MarkKind, Outcome, Record, ValueRule};
use whyslow_model::state::State;
use whyslow_model::summary::{PointSummary, Summary};

/// What a page is made from.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) record: &'a Record,
    pub(crate) summary: &'a Summary,
    measured: BTreeMap<&'a Point, u64>,
}

/// The points that a page has shown already.
pub(crate) type Shown<'a> = BTreeSet<&'a Point>;

impl<'a> View<'a> {
    pub(crate) fn new(record: &'a Record, summary: &'a Summary) -> Self {
        let mut measured = BTreeMap::new();
        for process in &record.processes {
            if process.round > 0 && matches!(process.outcome, Outcome::Draws(_)) {
                *measured.entry(&process.point).or_insert(0) += 1;
            }
        }
        View {
            record,
            summary,
            measured,
        }
    }

    /// What the host is, if the run came that far.
    pub(crate) fn host(&self) -> Option<&'a Host> {
        self.record.host.as_deref()
    }

    /// The state at the start.
    pub(crate) fn state(&self) -> Option<&'a State> {
        self.record.states.first().map(|at| &at.state)
    }

    /// The points of a probe, in the order planned.
    pub(crate) fn probe(&self, id: &'a str) -> impl Iterator<Item = &'a PointSummary> {
        self.summary
            .points
            .iter()
            .filter(move |p| p.point.probe == id)
    }

    /// The first point of a probe that has all these parameters.
    pub(crate) fn find(&self, id: &'a str, params: &[(&str, &str)]) -> Option<&'a PointSummary> {
        self.probe(id).find(|p| has(p, params))
    }

    /// Processes that measured `point`.
    pub(crate) fn processes(&self, point: &Point) -> u64 {
        self.measured.get(point).copied().unwrap_or(0)
    }

    /// Fewest and most processes of the points that were measured at all.
    pub(crate) fn process_range(&self) -> Option<(u64, u64)> {
        let counts = || self.measured.values().copied();
        counts().min().zip(counts().max())
    }

    /// Points that the run planned and did not come to, failed ones apart.
    pub(crate) fn unreached(&self) -> u64 {
        let points = self.summary.points.iter();
        let missing =
            |p: &&PointSummary| p.failures.is_empty() && !self.measured.contains_key(&p.point);
        points.filter(missing).count() as u64
    }

    /// Was anything measured?
    pub(crate) fn processes_any(&self) -> bool {
        !self.measured.is_empty()
    }

    /// Samples taken, those left out, and of these those with a busy SMT sibling.
    pub(crate) fn samples(&self) -> [u64; 3] {
        let points = &self.summary.points;
        let sum = |of: fn(&PointSummary) -> u32| points.iter().map(|p| u64::from(of(p))).sum();
        [sum(|p| p.samples), sum(|p| p.left_out), sum(|p| p.beside)]
    }

    /// Marked samples by kind, most first, without the marks that belong to a point's own work.
    pub(crate) fn marks(&self) -> Vec<(MarkKind, u64)> {
        let mut counts: BTreeMap<MarkKind, u64> = BTreeMap::new();
        for mark in self.marks_by_series().flatten() {
            *counts.entry(mark.what).or_insert(0) += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// Samples with a mark of one of `kinds`.
    pub(crate) fn marked(&self, kinds: &[MarkKind]) -> u64 {
        let of_series = |marks: Vec<&Mark>| {
            let samples = marks.iter().filter(|m| kinds.contains(&m.what));
            samples.map(|m| m.sample).collect::<BTreeSet<_>>().len() as u64
        };
        self.marks_by_series().map(of_series).sum()
    }

    /// The marks of each series of the rounds, without those that belong to a point's own work.
    fn marks_by_series(&self) -> impl Iterator<Item = Vec<&Mark>> {
        let usual: BTreeMap<&Point, &[MarkKind]> = self
            .record
            .plan
            .points
            .iter()
            .map(|p| (&p.point, p.usual_marks.as_slice()))
            .collect();
        let processes = self.record.processes.iter().filter(|p| p.round > 0);
        processes.flat_map(move |process| {
            let usual = usual.get(&process.point).copied().unwrap_or_default();
            let draws = match &process.outcome {
                Outcome::Draws(draws) => draws.as_slice(),
                Outcome::Failed(_) => &[],
            };
            let series = draws.iter().flat_map(|d| &d.series);
            series.map(move |s| {
                let marks = s.marks.iter();
                marks.filter(|m| !usual.contains(&m.what)).collect()
            })
        })
    }

    /// Time from the first to the last process, or as the record's footer has it, s.
    pub(crate) fn seconds(&self) -> f64 {
        let measured = self.record.neighbours.as_ref().map(|n| n.wall_s);
        measured.unwrap_or_else(|| {
            let ends = self.record.processes.iter().map(|p| p.at_ms + p.wall_ms);
            ends.fold(0.0, f64::max) / 1e3
        })
    }

    /// How far the rounds came: `in round 4 of 5`.
    pub(crate) fn reached(&self) -> String {
        let rounds = self.record.processes.iter().map(|p| p.round);
        match rounds.max().unwrap_or(0) {
            0 => "before the first round".into(),
            last if last > self.record.header.rounds => {
                format!("after its {} rounds", self.record.header.rounds)
            }
            last => format!("in round {last} of {}", self.record.header.rounds),
        }
    }

    /// CPUs that the run could use, or that the host has.
    pub(crate) fn cpus(&self) -> Option<usize> {
        let usable = self.state().and_then(|s| s.cpus.usable.value());
        let online = self.host().and_then(|h| h.topology.online.value());
        usable.or(online).map(|set| set.len())
    }

    /// Do the series of a point each stand for themselves?
    pub(crate) fn is_each(&self, point: &Point) -> bool {
        let mut planned = self.record.plan.points.iter();
        planned.any(|p| p.point == *point && p.value == ValueRule::Each)
    }

    /// Why nothing of a probe was measured that belonged to the run; nothing where there are points of it,
    /// or it did not belong.
    pub(crate) fn why_absent(&self, id: &'a str) -> Option<String> {
        if self.probe(id).next().is_some() {
            return None;
        }
        let of_it = |what: &str| what.split('{').next() == Some(id);
        let mut reasons: Vec<&str> = Vec::new();
        for skip in self.record.plan.skipped.iter().filter(|s| of_it(&s.what)) {
            if !reasons.contains(&skip.why.as_str()) {
                reasons.push(&skip.why);
            }
        }
        (!reasons.is_empty()).then(|| format!("not measured: {}", reasons.join("; ")))
    }

    /// The same of several probes, each named, for the place of a section.
    pub(crate) fn all_absent(&self, ids: &[&'a str]) -> Option<String> {
        let each = ids
            .iter()
            .filter_map(|id| Some((*id, self.why_absent(id)?)));
        let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
        for (id, why) in each {
            match by_reason.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => names.push(id),
                None => by_reason.push((why, vec![id])),
            }
        }
        let parts: Vec<String> = by_reason
            .into_iter()
            .map(|(why, names)| format!("{} {why}", names.join(", ")))
            .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Why a point has no value.
    pub(crate) fn why_missing(&self, point: &PointSummary) -> String {
        if let Some(why) = point.failures.first() {
            return why.clone();
        }
        if self.processes(&point.point) == 0 {
            return "the run ended before it was measured".into();
        }
        match point.samples {
            0 => "its processes brought no samples".into(),
            n if n == point.left_out => "every sample was left out because of its marks".into(),
            _ => "its samples gave no value".into(),
        }
    }
}

/// Has the point all these parameters?
pub(crate) fn has(point: &PointSummary, params: &[(&str, &str)]) -> bool {
    params
        .iter()
        .all(|(name, value)| point.point.get(name) == Some(value))
}

/// What is said of a batch beside which the core's other hardware thread was busy.
pub(crate) const BESIDE: &str = "SMT sibling busy";

/// A mark in words.
pub(crate) fn mark(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Switches => "switched out",
        MarkKind::Migrations => "moved to another CPU",
        MarkKind::Faults => "page faults",
        MarkKind::RunDelayNs => "run-queue delay",
        MarkKind::StealTicks => "steal",
        MarkKind::StolenNs => "stolen",
    }
}
