//! What is known of the hosts: changes, kernels, neighbors, marks.

use whyslow_model::Record;
use whyslow_model::record::{MarkKind, Outcome};
use whyslow_model::state::Change;

use super::Case;

/// Longest value of a fact in a line of evidence, characters.
const LONGEST: usize = 48;

impl Case<'_> {
    /// Are facts and state of both sides known?
    pub fn knows_hosts(&self) -> bool {
        self.comparison.hosts.looked_at > 0
    }

    /// Are both sides of one host?
    pub fn one_host(&self) -> bool {
        let hosts = self.a.host.as_ref().zip(self.b.host.as_ref());
        hosts.is_some_and(|(a, b)| a.id.id == b.id.id)
    }

    /// Differences of facts and state whose path begins with one of `paths`.
    pub fn changes<'s>(&'s self, paths: &'s [&str]) -> impl Iterator<Item = &'s Change> {
        let hosts = &self.comparison.hosts;
        hosts
            .facts
            .iter()
            .chain(&hosts.state)
            .filter(move |c| paths.iter().any(|path| c.what.starts_with(path)))
    }

    /// The kernels of both sides, where they are known and differ: as recorded, or as a published
    /// table names its systems.
    pub fn kernels(&self) -> Option<[String; 2]> {
        let sides = [
            (self.a, &self.comparison.a.systems),
            (self.b, &self.comparison.b.systems),
        ];
        let [a, b] = sides.map(|(record, systems)| {
            let state = record.states.first().map(|at| &at.state.kernel.release);
            let recorded = state.and_then(|release| release.value().cloned());
            recorded.or_else(|| systems.first().and_then(|s| version(s)))
        });
        let both = [a?, b?];
        (both[0] != both[1]).then_some(both)
    }

    /// CPUs' worth of time that others used on each side, as recorded.
    pub fn others_cpus(&self) -> Option<[f64; 2]> {
        let of = |record: &Record| {
            let neighbours = record.neighbours.as_ref()?;
            let others = *neighbours.others_cpu_s.value()?;
            (neighbours.wall_s > 0.0).then(|| others / neighbours.wall_s)
        };
        Some([of(self.a)?, of(self.b)?])
    }

    /// Share of CPU time that the hypervisor took on each side.
    pub fn steal(&self) -> Option<[f64; 2]> {
        let of = |record: &Record| Some(record.neighbours.as_ref()?.host.value()?.steal);
        Some([of(self.a)?, of(self.b)?])
    }

    /// Share of batches during which a thread waited for its CPU, on each side, where batches were
    /// marked at all.
    pub fn waited(&self) -> Option<[f64; 2]> {
        Some([waited(self.a)?, waited(self.b)?])
    }
}

/// A change as a line: `memory.thp.enabled: always in A, never in B`.
pub(crate) fn say(change: &Change) -> String {
    let short = |json: &str| {
        let text: String = json.chars().filter(|c| *c != '"').collect();
        if text.chars().count() <= LONGEST {
            return text;
        }
        let cut: String = text.chars().take(LONGEST - 1).collect();
        format!("{cut}…")
    };
    let (before, after) = (short(&change.before), short(&change.after));
    format!("{}: {before} in A, {after} in B", change.what)
}

/// What looks like a kernel's version in the name of a system, with all that follows it.
fn version(system: &str) -> Option<String> {
    let words: Vec<&str> = system.split_whitespace().collect();
    let at = words.iter().position(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.matches('.').count() >= 2
    })?;
    Some(words.get(at..)?.join(" "))
}

fn waited(record: &Record) -> Option<f64> {
    let (mut batches, mut hit) = (0usize, 0usize);
    for process in record.processes.iter().filter(|p| p.round > 0) {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        for series in draws.iter().flat_map(|d| &d.series) {
            batches += series.ns.len();
            let mut samples: Vec<u32> = series
                .marks
                .iter()
                .filter(|m| matches!(m.what, MarkKind::RunDelayNs | MarkKind::StealTicks))
                .map(|m| m.sample)
                .collect();
            samples.dedup();
            hit += samples.len();
        }
    }
    (batches > 0 && record.origin.is_none()).then(|| hit as f64 / batches as f64)
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn systems_name_their_kernels() {
        assert_eq!(version("ds10 Linux 2.4.23a").as_deref(), Some("2.4.23a"));
        assert_eq!(version("1.3.37 SMP").as_deref(), Some("1.3.37 SMP"));
        assert_eq!(version("appserver.geo"), None);
        assert_eq!(version("Digital Unix"), None);
    }
}
