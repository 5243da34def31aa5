//! Which causes know a setting, or what a sentence speaks of.

use whyslow_model::state::Change;

use super::said;
use super::vocabulary::words;
use crate::case::{Case, say};
use crate::cause::Cause;
use crate::causes::CAUSES;

/// Facts and settings that differ and that no cause knows of, one line each: suspects of no cause, and named all the same.
pub(crate) fn unknown(case: &Case<'_>) -> Vec<String> {
    let hosts = &case.comparison.hosts;
    let known = |change: &Change| {
        let mut causes = CAUSES.iter().flat_map(|cause| words(cause));
        causes.any(|word| change.what.starts_with(said::path(word)))
    };
    let changes = hosts.facts.iter().chain(&hosts.state);
    let mut lines: Vec<String> = changes
        .filter(|change| !known(change))
        .map(|change| format!("differs, and no cause knows of it: {}", say(change)))
        .collect();
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    if more > 0 {
        lines.push(format!(
            "and {more} more that differ, which the comparison lists"
        ));
    }
    lines
}

/// The causes that know a setting by its path, such as `memory.thp.enabled`: those that name most of the path, in the order
/// of the list; none where no cause knows it.
pub fn known_by(path: &str) -> Vec<&'static Cause> {
    let named = |cause: &&'static Cause| {
        let words = words(cause).iter().map(|word| said::path(word));
        let words = words.filter(|word| path.starts_with(word));
        words.map(str::len).max()
    };
    longest(named)
}

/// The causes that know what a sentence speaks of, by their longest word in it; none by short words, which may be there by
/// chance.
pub fn known_by_words(text: &str) -> Vec<&'static Cause> {
    let text = text.to_lowercase();
    let named = |cause: &&'static Cause| {
        let words = words(cause).iter().map(|word| said::path(word));
        let words = words.filter(|word| word.len() >= LONG && said::begins_a_word(&text, word));
        words.map(str::len).max()
    };
    longest(named)
}

/// The causes of which `named` gives the most, in the order of the list.
fn longest(named: impl Fn(&&'static Cause) -> Option<usize>) -> Vec<&'static Cause> {
    let most = CAUSES.iter().filter_map(&named).max();
    let known = CAUSES
        .iter()
        .filter(|cause| most.is_some() && named(cause) == most);
    known.copied().collect()
}

/// Letters of a word that is not there by chance.
const LONG: usize = 8;

/// Facts that no cause knows of, before the rest is counted.
const NAMED: usize = 3;

#[cfg(test)]
mod tests {
    use super::{known_by, known_by_words};

    #[test]
    fn settings_are_known_by_their_causes() {
        for (path, cause) in [
            ("cgroup.cpu_quota", "cpu-quota"),
            ("process.huge_pages", "tlb-reach"),
            ("process.open_file_slots", "fork"),
            ("memory.thp.enabled", "tlb-reach"),
            ("security.seccomp_filters", "seccomp"),
            ("environment.steering.LD_PRELOAD", "preload"),
            ("mitigations.spectre_v2", "syscall-entry"),
            ("clocksource.current", "clocksource"),
            ("scheduler.policy", "scheduling"),
            ("frequency.policies", "clock"),
            ("kernel.release", "kernel"),
        ] {
            let known = known_by(path);
            assert_eq!(known.first().map(|c| c.id), Some(cause), "{path}");
        }
        assert!(known_by("rlimits").is_empty());
        let said = known_by_words("the kernel put 0 B of 64 MiB on transparent huge pages");
        assert_eq!(said.first().map(|c| c.id), Some("tlb-reach"));
        assert!(known_by_words("no such file").is_empty());
    }
}
