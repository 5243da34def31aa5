//! What makes two nodes comparable: the facts that nodes of one group have in common.

use whyslow_model::fleet::HardwareFact;
use whyslow_model::host::{CacheKind, Host};
use whyslow_model::size;

/// A fact without a value.
pub(crate) const NOT_KNOWN: &str = "not known";

/// Reads one fact; none where the host does not say.
type Read = fn(&Host) -> Option<String>;

/// The facts, in the order of a report. Nodes that differ in one of them are not held against each other: what differs
/// here explains a difference by itself.
const FACTS: &[(&str, Read)] = &[
    ("machine", |host| host.machine.product.value().cloned()),
    ("hypervisor", |host| {
        match (host.hypervisor.guest.value(), host.hypervisor.name.value()) {
            (Some(false), _) => Some("none".to_owned()),
            (_, name) => name.cloned(),
        }
    }),
    ("architecture", |host| host.arch.value().cloned()),
    ("CPU", cpu),
    ("CPUs", |host| {
        let online = host.topology.online.value()?;
        Some(online.len().to_string())
    }),
    ("sockets", |host| {
        Some(host.topology.packages.value()?.len().to_string())
    }),
    ("threads a core", |host| {
        Some(host.topology.threads_per_core.value()?.to_string())
    }),
    ("memory nodes", |host| {
        Some(host.topology.nodes.value()?.len().to_string())
    }),
    ("caches", caches),
    ("memory", |host| {
        let bytes = *host.memory.total_bytes.value()?;
        Some(format!("{} GiB", memory_class(bytes)))
    }),
];

/// The facts of a host; of an unknown one all are not known.
pub fn hardware(host: Option<&Host>) -> Vec<HardwareFact> {
    let facts = FACTS.iter();
    facts
        .map(|(name, read)| HardwareFact {
            name: (*name).to_owned(),
            value: match host.and_then(read) {
                // One line without tabs, as an index keeps facts by lines, and no character that a database may refuse.
                Some(value) => value.replace(['\n', '\r', '\t', '\0'], " "),
                None => NOT_KNOWN.to_owned(),
            },
        })
        .collect()
}

/// Every kind of core with its stepping, as steppings of one model differ in their errata.
fn cpu(host: &Host) -> Option<String> {
    let kinds = host.cpu.kinds.value()?;
    let kind = |kind: &whyslow_model::host::CoreKind| {
        let name = kind.name.value().map_or("", String::as_str).trim();
        let stepping = kind.stepping.value();
        stepping.map_or_else(
            || name.to_owned(),
            |stepping| format!("{name} stepping {stepping}"),
        )
    };
    let kinds: Vec<String> = kinds.iter().map(kind).collect();
    Some(kinds.join(" + ")).filter(|text| !text.trim().is_empty())
}

/// Data caches by level, with how many of each there are.
fn caches(host: &Host) -> Option<String> {
    let caches = host.caches.value()?.iter();
    let caches: Vec<String> = caches
        .filter(|cache| cache.kind != CacheKind::Instruction)
        .filter_map(|cache| {
            let bytes = size::format(*cache.size_bytes.value()?);
            let count = cache.shared.value().map(Vec::len);
            let times = count.map_or_else(String::new, |count| format!(" x {count}"));
            Some(format!("L{} {bytes}{times}", cache.level))
        })
        .collect();
    Some(caches.join(", ")).filter(|text| !text.is_empty())
}

/// GiB of memory as installed: the kernel keeps a part for itself, another one after each boot. Rounded up to a
/// sixteenth of the next power of two.
fn memory_class(bytes: u64) -> u64 {
    let gib = bytes.div_ceil(1 << 30);
    let step = (gib.next_power_of_two() / 16).max(1);
    gib.div_ceil(step) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_the_kernel_kept_does_not_split_a_group() {
        for (gib, class) in [(251.5, 256), (377.0, 384), (23.4, 24), (15.6, 16), (0.9, 1)] {
            let bytes = (gib * f64::from(1 << 30)) as u64;
            assert_eq!(memory_class(bytes), class, "{gib}");
        }
        // A module of 32 GiB less is another machine.
        assert_ne!(memory_class(251 << 30), memory_class(220 << 30));
    }

    #[test]
    fn a_host_that_says_nothing_has_facts_without_values() {
        let facts = hardware(None);
        assert_eq!(facts.len(), FACTS.len());
        assert!(facts.iter().all(|fact| fact.value == NOT_KNOWN));
    }

    #[test]
    fn a_host_is_told_by_its_facts() {
        let text = include_str!("../../report/tests/common/host.json");
        let host: Host = serde_json::from_str(text).unwrap();
        let facts = hardware(Some(&host));
        let value = |name: &str| {
            let fact = facts.iter().find(|fact| fact.name == name).unwrap();
            fact.value.clone()
        };
        assert!(value("caches").starts_with("L1 "), "{facts:?}");
        let mut other = host.clone();
        other.boot_id = whyslow_model::host::Known::Is("another".to_owned());
        assert_eq!(hardware(Some(&other)), facts);
    }
}
