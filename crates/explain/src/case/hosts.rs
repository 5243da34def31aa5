//! What is known of the hosts: changes, kernels, neighbors, marks.

use whyslow_model::Record;
use whyslow_model::record::{MarkKind, Outcome, Process};
use whyslow_model::state::Change;

use super::Case;

/// Half of a CPU more is other work, not a host's own chores (0.03 at most in pairs of quiet runs).
const BUSY: f64 = 0.5;

/// Longest value of a fact in a line of evidence, characters.
const LONGEST: usize = 48;

/// Settings that the scheduler does not ask where a process is to run.
const PLACE_NOTHING: [&str; 5] = [
    "libc.",
    "environment.",
    "mounts.",
    "rlimits.",
    "clocksource.",
];

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

    /// Are both sides of one boot of one host?
    pub fn one_boot(&self) -> bool {
        let boot = |record: &Record| record.host.as_ref()?.boot_id.value().cloned();
        self.one_host() && boot(self.a).is_some() && boot(self.a) == boot(self.b)
    }

    /// Are both sides of one boot of one host, with nothing changed that has a say in where processes run?
    fn places_alike(&self) -> bool {
        let hosts = &self.comparison.hosts;
        let elsewhere = |change: &Change| PLACE_NOTHING.iter().any(|p| change.what.starts_with(p));
        self.knows_hosts()
            && self.one_boot()
            && hosts.facts.is_empty()
            && hosts.state.iter().all(elsewhere)
    }

    /// Points that moved though the scheduler alone decides where they run, with nothing changed that would
    /// tell it: it puts processes now on one CPU and now on two, for seconds, and between runs.
    pub fn placed_by_chance(&self) -> usize {
        match self.places_alike() {
            true => self
                .points
                .iter()
                .filter(|p| p.moved && p.is_free())
                .count(),
            false => 0,
        }
    }

    /// Do both sides say by what thresholds their C library copies?
    pub fn knows_routines(&self) -> bool {
        [self.a, self.b].into_iter().all(|record| {
            let state = record.states.first().map(|at| &at.state.libc);
            let routines = state.and_then(|libc| libc.routines.as_ref());
            routines.is_some_and(|known| known.value().is_some())
        })
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

    /// The kernels of both sides, where they differ.
    pub fn kernels(&self) -> Option<[String; 2]> {
        self.known_kernels().filter(|[a, b]| a != b)
    }

    /// The kernels of both sides, where they are known: as recorded, as stated, or as a published table names its
    /// systems.
    pub fn known_kernels(&self) -> Option<[String; 2]> {
        let sides = [
            (self.a, &self.comparison.a.systems),
            (self.b, &self.comparison.b.systems),
        ];
        let [a, b] = sides.map(|(record, systems)| {
            let state = record.states.first().map(|at| &at.state.kernel.release);
            let recorded = state.and_then(|release| release.value().cloned());
            let stated = record.origin.as_ref();
            let stated = stated.and_then(|origin| origin.stated.get("kernel").cloned());
            let recorded = recorded.or(stated);
            recorded.or_else(|| systems.first().and_then(|s| version(s)))
        });
        Some([a?, b?])
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

    /// CPUs' worth of time that others used in A and in B, where one side had other work beside it.
    pub fn somebody_came(&self) -> Option<[f64; 2]> {
        self.others_cpus().filter(|[a, b]| (b - a).abs() >= BUSY)
    }

    /// Share of batches during which a thread waited for its CPU, on each side, where batches were
    /// marked at all: of the processes with one CPU, or of all where none was.
    pub fn waited(&self) -> Option<[f64; 2]> {
        // Threads on several CPUs wait for half of their batches on a quiet host, and that share swings.
        let of = |one: bool| Some([waited(self.a, one)?, waited(self.b, one)?]);
        of(true).or_else(|| of(false))
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

/// Words in front of a kernel's version.
const OF_KERNELS: [&str; 24] = [
    "after", "base", "baseline", "before", "centos", "debian", "fedora", "kernel", "linus",
    "linux", "mainline", "new", "old", "patched", "plain", "rhel", "stable", "stock", "suse",
    "tip", "ubuntu", "upstream", "vanilla", "with",
];

/// What looks like a kernel's version in the name of a system, with all that follows it.
fn version(system: &str) -> Option<String> {
    let words: Vec<&str> = system.split_whitespace().collect();
    let at = words.iter().position(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.matches('.').count() >= 2
    })?;
    // `borg 1.0.12` is a program; what is called `linux 5.8.10`, `vanilla 5.8.10` or `ds10 2.4.23` is no other one.
    let before = at.checked_sub(1).map(|at| words[at].to_lowercase());
    let of_program = before.is_some_and(|before| {
        let bare = before.trim_matches(|c: char| !c.is_alphanumeric());
        bare.chars().all(char::is_alphabetic) && !OF_KERNELS.contains(&bare)
    });
    if of_program {
        return None;
    }
    Some(words.get(at..)?.join(" "))
}

/// Marks of a batch whose CPU went to another thread or guest.
const LATE: [MarkKind; 3] = [
    MarkKind::RunDelayNs,
    MarkKind::StealTicks,
    MarkKind::StolenNs,
];

/// Of all processes, or of those with `one` CPU.
fn waited(record: &Record, one: bool) -> Option<f64> {
    let (mut batches, mut hit) = (0usize, 0usize);
    let counted = |p: &&Process| p.round > 0 && (!one || p.randomization.cpus.len() == 1);
    for process in record.processes.iter().filter(counted) {
        let Outcome::Draws(draws) = &process.outcome else {
            continue;
        };
        for series in draws.iter().flat_map(|d| &d.series) {
            batches += series.ns.len();
            let mut samples: Vec<u32> = series
                .marks
                .iter()
                .filter(|m| LATE.contains(&m.what))
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
        assert_eq!(version("up1000 2.4.17").as_deref(), Some("2.4.17"));
        assert_eq!(version("borg 1.0.12"), None);
    }
}
