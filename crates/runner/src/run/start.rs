//! What else uses the cores when a run begins.

use std::time::Duration;

use whyslow_linux::affinity::allowed;
use whyslow_model::record::{ClockFacts, Skipped};
use whyslow_probes::crowd::{Crowd, crowd};
use whyslow_probes::{PointPlan, Rank};

use super::RunSession;
use crate::event::Event;
use crate::plan::Selection;

/// How long the looks take at most, and of a short budget at most this part of it.
const SPAN: Duration = Duration::from_millis(300);
const OF_BUDGET: u32 = 50;

/// From these shares on it is worth a line.
const BESIDE: f64 = 0.2;
const WAITED: f64 = 0.1;

/// From this run-queue delay on, three processes of all that a quick run measures do not fit its time.
const CROWDED: f64 = 0.2;

/// A worker of a quick run takes 0.12 s on a usual machine, by ten runs of a guest, and twice that in a crowd.
const IN_A_CROWD: Duration = Duration::from_millis(250);

/// Why a point is left out in a crowd. A run that is resumed knows by it that it was begun in one.
const LEFT_OUT: &str =
    "others want the CPUs: the time goes to points that a section cannot do without";

/// In a crowd, no fewer batches than these: a median needs three.
const FEWEST_BATCHES: u32 = 3;

impl RunSession<'_> {
    /// Says what else uses the cores, where it matters, and from then on spends the time of a quick run accordingly.
    pub(super) fn look_around(&mut self, clock: ClockFacts) {
        if !self.book.record.plan.points.is_empty() {
            let skipped = &self.book.record.plan.skipped;
            self.crowded = skipped.iter().any(|skip| skip.why == LEFT_OUT);
            return;
        }
        // Where the kernel does not report the CPUs, nothing can be pinned.
        let cpus = allowed().unwrap_or_default();
        let budget = self.request.budget.unwrap_or(Duration::MAX);
        let Some(found) = crowd(&cpus, &clock, SPAN.min(budget / OF_BUDGET)) else {
            return;
        };
        let waited = found.waited.unwrap_or(0.0);
        self.crowded = self.book.record.header.fill && waited > CROWDED;
        let Some(text) = said(&found) else {
            return;
        };
        let told = format!("{text}; `whyslow doctor` shows what else runs on this host");
        self.book.tell(Event::Warning(&told));
        self.book.note("start", text);
    }

    /// In a crowd, leaves out what a section can do without, but for what the search for the caches has measured.
    pub(super) fn thin_out(&mut self, work: &mut Selection) {
        let workers = work.points.len() as u32 * self.book.record.header.rounds;
        let fits = self
            .request
            .budget
            .is_none_or(|budget| IN_A_CROWD * workers < budget);
        if !self.crowded || fits {
            return;
        }
        let processes = &self.book.record.processes;
        let measured = |plan: &PointPlan| processes.iter().any(|p| p.point == plan.point);
        let points = std::mem::take(&mut work.points);
        let (stays, goes): (Vec<_>, Vec<_>) = points
            .into_iter()
            .partition(|plan| plan.rank == Rank::Section || measured(plan));
        work.points = stays;
        work.skipped.extend(goes.into_iter().map(|plan| Skipped {
            what: plan.point.to_string(),
            why: LEFT_OUT.to_owned(),
        }));
    }

    /// How many batches do in a crowd where `samples` are planned.
    pub(super) fn fewer(&self, samples: u32) -> u32 {
        samples.div_ceil(2).max(FEWEST_BATCHES).min(samples)
    }
}

/// The line; nothing where the cores were hardly shared.
fn said(crowd: &Crowd) -> Option<String> {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut parts = Vec::new();
    if crowd.beside > BESIDE {
        let cpus: Vec<String> = crowd.cpus.iter().map(u32::to_string).collect();
        parts.push(format!(
            "SMT siblings are busy beside {} of the looks ({} {}): the dispatch rate varies by ±{}",
            percent(crowd.beside),
            if cpus.len() == 1 { "CPU" } else { "CPUs" },
            cpus.join(", "),
            percent(crowd.spread),
        ));
    }
    if let Some(waited) = crowd.waited.filter(|waited| *waited > WAITED) {
        parts.push(format!(
            "other threads want the CPUs: run-queue delay is {} of the time",
            percent(waited)
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn said_where_it_matters() {
        let crowd = |beside, waited| Crowd {
            beside,
            cpus: vec![0, 1],
            spread: 0.24,
            waited,
        };
        let text = |beside, waited| said(&crowd(beside, waited)).unwrap_or_default();
        assert_eq!(text(0.2, Some(0.1)), "");
        assert_eq!(text(0.0, None), "");
        let siblings = "SMT siblings are busy beside 68 % of the looks (CPUs 0, 1): the dispatch rate varies by ±24 %";
        let waiting = "other threads want the CPUs: run-queue delay is 14 % of the time";
        assert_eq!(text(0.68, None), siblings);
        assert_eq!(text(0.0, Some(0.14)), waiting);
        assert_eq!(text(0.68, Some(0.14)), format!("{siblings}; {waiting}"));
    }
}
