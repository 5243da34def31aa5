//! What else uses the cores when a run begins.

use std::time::Duration;

use whyslow_linux::affinity::allowed;
use whyslow_model::record::ClockFacts;
use whyslow_probes::crowd::{Crowd, crowd};

use super::RunSession;
use crate::event::Event;

/// How long the looks take at most, and of a short budget at most this part of it.
const SPAN: Duration = Duration::from_millis(300);
const OF_BUDGET: u32 = 50;

/// From these shares on it is worth a line.
const BESIDE: f64 = 0.2;
const WAITED: f64 = 0.1;

impl RunSession<'_> {
    /// Says what else uses the cores, where it matters.
    pub(super) fn look_around(&mut self, clock: ClockFacts) {
        // Where the kernel does not report the CPUs, nothing can be pinned.
        let cpus = allowed().unwrap_or_default();
        let budget = self.request.budget.unwrap_or(Duration::MAX);
        let Some(text) =
            crowd(&cpus, &clock, SPAN.min(budget / OF_BUDGET)).and_then(|found| said(&found))
        else {
            return;
        };
        let told = format!("{text}; `whyslow doctor` shows what else runs on this host");
        self.book.tell(Event::Warning(&told));
        self.book.note("start", text);
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
