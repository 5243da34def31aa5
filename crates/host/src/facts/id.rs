//! A name for the host that survives a reboot.
//!
//! It holds identity only. No clock, no bogomips and no exact amount of memory:
//! these are measured or computed anew at each boot, and a name that holds one
//! makes one host into two. Nothing that needs root either, so that every user
//! finds the same name; and no microcode, which is an update and not a host.

use whyslow_model::host::{Cache, Cpu, HostId, Known, Machine, Memory, Topology};

use crate::root::HostRoot;

/// Separates these hashes from all others, and keeps the machine id itself, which
/// machine-id(5) asks not to be published, from being found by trying. A new
/// choice of facts needs a new number here.
const CONTEXT: &str = "whyslow host id 1";

/// The name, and which facts were there to make it.
pub(super) fn host_id(
    root: &HostRoot,
    machine: &Machine,
    cpu: &Cpu,
    topology: &Topology,
    caches: &Known<Vec<Cache>>,
    memory: &Memory,
) -> HostId {
    let machine_id = root
        .line("/etc/machine-id")
        .or_else(|| root.line("/var/lib/dbus/machine-id"))
        // systemd writes this word into images that have not been booted yet.
        .and_then(|id| {
            if id == "uninitialized" {
                Known::unknown("not made yet")
            } else {
                Known::Is(id)
            }
        });
    let facts = [
        ("machine-id", machine_id),
        ("machine vendor", machine.vendor.clone()),
        ("machine product", machine.product.clone()),
        ("board", machine.board.clone()),
        ("core kinds", core_kinds(cpu)),
        ("caches", caches.as_ref().map(|caches| geometry(caches))),
        ("number of CPUs", cpu_count(topology)),
        (
            "memory, coarse",
            memory
                .total_bytes
                .as_ref()
                .map(|&bytes| coarse(bytes).to_string()),
        ),
    ];
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    let mut basis = vec![];
    for (name, fact) in facts {
        // Lengths separate adjacent facts.
        let mut put = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        if let Known::Is(fact) = fact {
            put(name);
            put(&fact);
            basis.push(name.to_owned());
        }
    }
    let hash = hasher.finalize().to_hex();
    HostId {
        // Half of the hash: 128 bits are far beyond chance among hosts.
        id: hash.chars().take(32).collect(),
        basis,
    }
}

/// Each kind of core once, without the CPUs of that kind, which change when one
/// is taken offline, and without the microcode.
fn core_kinds(cpu: &Cpu) -> Known<String> {
    cpu.kinds.as_ref().map(|kinds| {
        let mut texts: Vec<String> = kinds
            .iter()
            .map(|kind| {
                let number = |fact: &Known<u32>| fact.value().map_or("?".into(), u32::to_string);
                format!(
                    "{} {} {} {} {}",
                    kind.vendor.value().map_or("?", String::as_str),
                    kind.name.value().map_or("?", |name| without_clock(name)),
                    number(&kind.family),
                    number(&kind.model),
                    number(&kind.stepping),
                )
            })
            .collect();
        texts.sort_unstable();
        texts.dedup();
        texts.join("; ")
    })
}

/// The name for sale up to its ` @ 2.40GHz`: hypervisors are known to make that
/// part from the clock that they measured.
fn without_clock(name: &str) -> &str {
    name.split('@').next().unwrap_or(name).trim()
}

/// Every cache's form, without who shares it, which changes with SMT.
fn geometry(caches: &[Cache]) -> String {
    let mut texts: Vec<String> = caches
        .iter()
        .map(|cache| {
            format!(
                "{} {:?} {:?} {:?} {:?}",
                cache.level,
                cache.kind,
                cache.size_bytes.value(),
                cache.ways.value(),
                cache.line_bytes.value()
            )
        })
        .collect();
    texts.sort_unstable();
    texts.dedup();
    texts.join("; ")
}

/// CPUs that are plugged in, online or not.
fn cpu_count(topology: &Topology) -> Known<String> {
    topology
        .present
        .as_ref()
        .or_else(|| topology.online.as_ref())
        .map(|cpus| cpus.len().to_string())
}

/// Rounded up to a quarter of an octave (..., 16, 20, 24, 28, 32, 40, ... GiB).
///
/// What the kernel manages is the memory that was bought less a few percent that
/// differ with each kernel and its command line. Bought sizes nearly always lie
/// on these steps, and a step is at least an eighth of the size, so rounding up
/// gives the bought size each time.
fn coarse(bytes: u64) -> u64 {
    let step = 1 << bytes.max(8).ilog2().saturating_sub(2);
    bytes.div_ceil(step).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn memory_is_the_bought_size_whatever_the_kernel_keeps() {
        for bought in [
            1, 2, 4, 8, 16, 24, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
        ] {
            for kept_percent in [1, 3, 6] {
                let managed = bought * GIB / 100 * (100 - kept_percent);
                assert_eq!(coarse(managed), bought * GIB, "{bought} {kept_percent}");
            }
        }
        assert_eq!(coarse(0), 0);
        assert!(coarse(u64::MAX) >= u64::MAX / 2);
    }

    #[test]
    fn names_lose_their_clock() {
        assert_eq!(
            without_clock("Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz"),
            "Intel(R) Xeon(R) Gold 6230R CPU"
        );
        assert_eq!(without_clock("AMD EPYC"), "AMD EPYC");
    }
}
