//! What is read from the recorded trees.

// A test that cannot go on should stop where it is.

use std::path::Path;

use crate::common::{Recorded, guest_cpuid};
use whyslow_host::placement;
use whyslow_model::host::{Cache, CacheKind, CpuSet, Host, Known, Limit, Placement};
use whyslow_model::state::State;

fn facts(tree: &str) -> Host {
    Recorded::new(&[tree]).root().facts()
}

fn state(recorded: &Recorded) -> State {
    recorded
        .root()
        .state(Path::new("/home/me"), Path::new("/tmp"))
}

fn set(text: &str) -> CpuSet {
    text.parse().unwrap()
}

fn cache(host: &Host, level: u32, kind: CacheKind) -> &Cache {
    let caches = host.caches.value().unwrap();
    let is_it = |cache: &&Cache| (cache.level, cache.kind) == (level, kind);
    caches.iter().find(is_it).unwrap()
}

#[test]
fn guest_facts() {
    let host = Recorded::new(&["guest"])
        .with(|live| live.cpuid = Known::Is(guest_cpuid()))
        .root()
        .facts();
    let l3 = cache(&host, 3, CacheKind::Unified);
    assert_eq!(l3.size_bytes, Known::Is(32 << 20));
    assert_eq!(
        (l3.ways.clone(), l3.sets.clone()),
        (Known::Is(16), Known::Is(32_768))
    );
    assert_eq!(l3.shared, Known::Is(vec![set("0-1")]));
    assert_eq!(
        cache(&host, 1, CacheKind::Data).shared,
        Known::Is(vec![set("0"), set("1")])
    );
    assert_eq!(host.topology.threads_per_core, Known::Is(1));
    assert_eq!(host.hypervisor.name, Known::Is("KVM".into()));
    assert_eq!(host.hypervisor.guest, Known::Is(true));
    assert_eq!(host.memory.total_bytes, Known::Is(24_684_092 * 1024));
    assert_eq!(host.pages.hugetlb_bytes, Known::Is(vec![2 << 20, 1 << 30]));
    assert_eq!(host.arch, Known::Is("x86_64".into()));
    let kinds = host.cpu.kinds.value().unwrap();
    assert_eq!(kinds.len(), 1);
    assert_eq!(
        (&kinds[0].family, &kinds[0].microcode),
        (&Known::Is(26), &Known::Is("0x1000065".into()))
    );
    let tlbs = host.tlbs.value().unwrap();
    assert!(
        tlbs.iter()
            .filter(|tlb| tlb.level == 1)
            .all(|tlb| tlb.entries.is_known())
    );
    assert_eq!(
        placement::classes(&host.topology, &set("0-1")),
        [Placement::SameCpu, Placement::SameLlc]
    );
}

#[test]
fn guest_state() {
    let recorded = Recorded::new(&["guest"]);
    let state = state(&recorded);
    assert_eq!(state.cgroup.version, Known::Is("hybrid".into()));
    assert_eq!(state.cgroup.cpu_quota, Known::Is(Limit::At(1.5)));
    assert_eq!(state.cgroup.cpuset, Known::Is(set("0-1")));
    // The limit stands in the group above the own one.
    assert_eq!(state.cgroup.memory_bytes, Known::Is(Limit::At(4 << 30)));
    // 4 GiB less 3.5 GiB used, of which 0.5 GiB can be dropped: 1 GiB is left.
    assert_eq!(state.now.memory_budget_bytes, Known::Is(512 << 20));
    assert_eq!(
        state.now.memory_budget_by,
        Known::Is("half of what the control group has left".into())
    );
    assert_eq!(state.memory.thp.enabled, Known::Is("madvise".into()));
    assert_eq!(state.memory.thp.sizes.value().unwrap().len(), 1);
    assert_eq!(state.memory.swap, Known::Is(vec![]));
    assert_eq!(
        state.clocksource.available,
        Known::Is(vec!["tsc".into(), "kvm-clock".into()])
    );
    assert_eq!(state.scheduler.preemption, Known::Is("voluntary".into()));
    assert_eq!(state.scheduler.policy, Known::Is("other".into()));
    assert_eq!(
        state.kernel.compiler,
        Known::Is("gcc (GCC) 15.3.0, GNU ld (GNU Binutils) 2.46".into())
    );
    assert_eq!(state.cpus.isolated, Known::Is(CpuSet::default()));
    let mounts = state.mounts;
    assert_eq!(mounts.work.value().unwrap().fs, "ext4");
    let temporary = mounts.temporary.into_value().unwrap();
    assert_eq!(
        (temporary.fs.as_str(), temporary.options.as_slice()),
        (
            "tmpfs",
            &["nosuid", "rw", "size=1048576k"].map(String::from)[..]
        )
    );
    // All but CAP_SYS_RESOURCE, number 24.
    let capabilities = state.security.capabilities.into_value().unwrap();
    assert_eq!(capabilities.len(), 40);
    assert!(!capabilities.contains(&"sys_resource".to_owned()));
    let limits = state.rlimits.into_value().unwrap();
    assert_eq!(limits["stack size"].soft, Limit::At(8 << 20));
    assert_eq!(limits["nice priority"].hard, Limit::At(0));
    assert!(
        state
            .frequency
            .boost
            .why()
            .unwrap()
            .contains("cpufreq/boost")
    );
}

#[test]
fn intel_topology_and_placement() {
    let host = facts("intel");
    let topology = &host.topology;
    assert_eq!(
        topology.packages,
        Known::Is(vec![set("0,2,4,6"), set("1,3,5,7")])
    );
    assert_eq!(
        topology.llcs,
        Known::Is(vec![set("0,2,4,6"), set("1,3,5,7")])
    );
    assert_eq!(topology.threads_per_core, Known::Is(2));
    let nodes = topology.nodes.value().unwrap();
    assert_eq!(
        (nodes.len(), &nodes[1].distances),
        (2, &Known::Is(vec![21, 10]))
    );
    assert_eq!(nodes[1].memory_bytes, Known::Is(98_304_000 * 1024));
    for (a, b, class) in [
        (3, 3, Placement::SameCpu),
        (0, 4, Placement::Smt),
        (0, 6, Placement::SameLlc),
        (0, 1, Placement::CrossNode),
        (5, 4, Placement::CrossNode),
        (0, 99, Placement::CrossCpu),
    ] {
        assert_eq!(placement::of(topology, a, b), class, "{a} {b}");
        assert_eq!(placement::of(topology, b, a), class, "{b} {a}");
    }
    let all = set("0-7");
    assert_eq!(
        placement::classes(topology, &all),
        [
            Placement::SameCpu,
            Placement::Smt,
            Placement::SameLlc,
            Placement::CrossNode
        ]
    );
    let smt: Vec<_> = placement::pairs(topology, &all, Placement::Smt).collect();
    assert_eq!(smt, [(0, 4), (1, 5), (2, 6), (3, 7)]);
    // Every pair has exactly one class.
    let count: usize = Placement::ALL
        .into_iter()
        .map(|class| placement::pairs(topology, &all, class).count())
        .sum();
    assert_eq!(count, 8 + 8 * 7 / 2);
    // Two microcodes are two kinds, and only common features count.
    assert_eq!(host.cpu.kinds.value().unwrap().len(), 2);
    assert!(
        !host
            .cpu
            .features
            .value()
            .unwrap()
            .contains(&"avx512f".to_owned())
    );
    assert_eq!(host.machine.firmware, Known::Is("Dell Inc. 2.19.1".into()));
    assert_eq!(
        cache(&host, 3, CacheKind::Unified).size_bytes,
        Known::Is(36_608 << 10)
    );
}

#[test]
fn two_caches_on_one_node_are_cross_llc() {
    let recorded = Recorded::new(&["intel"]);
    recorded.put("sys/devices/system/node/node0/cpulist", b"0-7\n");
    recorded.put("sys/devices/system/node/node1/cpulist", b"\n");
    let topology = recorded.root().facts().topology;
    assert_eq!(placement::of(&topology, 0, 1), Placement::CrossLlc);
    assert_eq!(placement::of(&topology, 0, 2), Placement::SameLlc);
}

#[test]
fn intel_state() {
    let state = state(&Recorded::new(&["intel"]));
    assert_eq!(state.cgroup.version, Known::Is("v2".into()));
    assert_eq!(state.cgroup.cpu_quota, Known::Is(Limit::At(2.5)));
    assert_eq!(state.cgroup.memory_bytes, Known::Is(Limit::At(32 << 30)));
    assert_eq!(state.now.memory_budget_bytes, Known::Is(8 << 30));
    assert_eq!(state.cpus.usable, Known::Is(set("0-2,4-6")));
    assert_eq!(state.cpus.isolated, Known::Is(set("3,7")));
    assert_eq!(state.frequency.boost, Known::Is(true));
    let policies = state.frequency.policies.value().unwrap();
    assert_eq!((policies.len(), &policies[0].cpus), (2, &set("0-6")));
    assert_eq!(
        state.frequency.idle_states.value().unwrap()[1].disabled,
        Known::Is(true)
    );
    assert_eq!(state.scheduler.hz, Known::Is(250));
    assert_eq!(state.scheduler.preemption, Known::Is("voluntary".into()));
    let options = &state.kernel.config.value().unwrap().options;
    assert!(options.contains_key("TRANSPARENT_HUGEPAGE") && !options.contains_key("USB"));
    assert_eq!(
        state.security.capabilities,
        Known::Is(vec!["net_bind_service".into()])
    );
    assert_eq!(state.security.seccomp, Known::Is("filter".into()));
    assert_eq!(state.security.no_new_privs, Known::Is(true));
    assert_eq!(state.security.lsm.value().unwrap().len(), 4);
    assert_eq!(state.now.swap_used_bytes, Known::Is(512 << 10));
    let swap = &state.memory.swap.value().unwrap()[0];
    assert_eq!((swap.size_bytes, swap.priority), (8_388_604 << 10, -2));
}

#[test]
fn arm_has_no_cpuid_and_says_so() {
    let host = facts("arm");
    let kinds = host.cpu.kinds.value().unwrap();
    assert_eq!(kinds.len(), 2);
    assert_eq!(kinds[0].cpus, set("0-2"));
    assert_eq!(kinds[0].name, Known::Is("Neoverse-N1".into()));
    assert_eq!(kinds[0].vendor, Known::Is("0x41 Arm".into()));
    assert_eq!(kinds[0].stepping, Known::Is(0x31));
    assert_eq!(kinds[1].vendor, Known::Is("0x99".into()));
    assert!(kinds[1].name.why().unwrap().contains("not in our table"));
    assert_eq!(
        host.cpu.features,
        Known::Is(vec!["aes".into(), "asimd".into(), "fp".into()])
    );
    let l1 = cache(&host, 1, CacheKind::Data);
    assert_eq!(l1.size_bytes, Known::Is(64 << 10));
    assert!(l1.ways.why().unwrap().contains("given as 0"));
    assert!(l1.shared.why().is_some());
    assert!(
        cache(&host, 2, CacheKind::Unified)
            .size_bytes
            .why()
            .is_some()
    );
    assert!(host.tlbs.why().is_some());
    // Nothing says which caches are shared, and nothing is guessed.
    assert!(host.topology.llcs.why().is_some());
    assert!(host.topology.packages.why().is_some());
    assert_eq!(placement::of(&host.topology, 0, 1), Placement::CrossCpu);
    assert_eq!(host.machine.product, Known::Is("Example Arm Board".into()));
    assert_eq!(host.pages.hugetlb_bytes, Known::Is(vec![2 << 20]));
}

#[test]
fn container_without_sys_falls_back() {
    let recorded = Recorded::new(&["container"]).with(|live| live.cpuid = Known::Is(guest_cpuid()));
    let host = recorded.root().facts();
    let topology = &host.topology;
    assert_eq!(topology.source, Known::Is("cpuinfo and CPUID".into()));
    assert_eq!(topology.online, Known::Is(set("0-2")));
    // CPUID says that a last-level cache spans APIC numbers that differ in the lowest bit.
    assert_eq!(topology.llcs, Known::Is(vec![set("0-1"), set("2")]));
    assert_eq!(placement::of(topology, 0, 1), Placement::SameLlc);
    assert_eq!(placement::of(topology, 0, 2), Placement::CrossLlc);
    let l2 = cache(&host, 2, CacheKind::Unified);
    assert_eq!(
        (l2.size_bytes.clone(), l2.inclusive.clone()),
        (Known::Is(1 << 20), Known::Is(true))
    );
    assert!(l2.shared.why().is_some());
    assert_eq!(host.hypervisor.container, Known::Is("docker".into()));
    let state = state(&recorded);
    assert_eq!(state.cpus.usable, Known::Is(set("0,2")));
    assert_eq!(state.cgroup.cpu_quota, Known::Is(Limit::At(0.5)));
    assert_eq!(state.now.memory_budget_bytes, Known::Is(64 << 20));
    assert_eq!(state.scheduler.preemption, Known::Is("full".into()));
    assert!(state.memory.thp.enabled.why().is_some());
}

#[test]
fn without_cpuid_the_container_knows_no_caches() {
    let host = facts("container");
    assert!(host.caches.why().is_some());
    assert_eq!(host.topology.source, Known::Is("cpuinfo".into()));
    assert_eq!(placement::of(&host.topology, 0, 1), Placement::CrossCpu);
}

#[test]
fn one_host_has_one_id_over_two_boots_and_another_host_another() {
    let id = |trees: &[&str]| Recorded::new(trees).root().facts().id;
    let first = id(&["guest"]);
    assert_eq!(first, id(&["guest", "guest-second-boot"]));
    assert_eq!(first.id.len(), 32);
    let others = [id(&["intel"]), id(&["arm"]), id(&["container"])];
    for other in &others {
        assert_ne!(first.id, other.id);
    }
    // Every part of the identity counts.
    for (path, content) in [
        ("etc/machine-id", "aaaa1219c7c4c5404aaa1f6d2a48adfd"),
        ("sys/class/dmi/id/product_name", "Other"),
        ("sys/devices/system/cpu/present", "0-3"),
        ("sys/devices/system/cpu/cpu0/cache/index3/size", "16384K"),
        ("proc/meminfo", "MemTotal: 12345678 kB"),
    ] {
        let recorded = Recorded::new(&["guest"]);
        recorded.put(path, content.as_bytes());
        assert_ne!(recorded.root().facts().id.id, first.id, "{path}");
    }
}

#[test]
fn boots_differ_in_boot_id() {
    let boot = |trees: &[&str]| Recorded::new(trees).root().facts().boot_id;
    assert_ne!(boot(&["guest"]), boot(&["guest", "guest-second-boot"]));
}

#[test]
fn what_changed_between_two_looks() {
    let recorded = Recorded::new(&["guest"]);
    let before = state(&recorded);
    assert_eq!(whyslow_model::state::diff(&before, &state(&recorded)), []);
    recorded.put("proc/loadavg", b"9.00 9.00 9.00 3/96 6238\n");
    recorded.put(
        "sys/kernel/mm/transparent_hugepage/enabled",
        b"[always] madvise never\n",
    );
    std::fs::remove_file(recorded.folder.path().join("proc/sys/vm/swappiness")).unwrap();
    let changes = whyslow_model::state::diff(&before, &state(&recorded));
    let whats: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
    assert_eq!(whats, ["memory.swappiness", "memory.thp.enabled"]);
    assert_eq!(
        (changes[1].before.as_str(), changes[1].after.as_str()),
        (r#""madvise""#, r#""always""#)
    );
    assert!(changes[0].after.contains("no such file"));
}

/// A record of before says nothing of what every library has: that is no change of the machine.
#[test]
fn what_a_record_of_before_lacks_is_no_change() {
    let routines = |movsb: &str| {
        let text = format!("x86.cpu_features.rep_movsb_threshold={movsb}\n");
        let recorded = Recorded::new(&["guest"]);
        state(&recorded.with(|live| live.tools.loader_diagnostics = Known::Is(text)))
    };
    let (now, other) = (routines("0x840"), routines("0x800"));
    let mut before = now.clone();
    before.libc.routines = None;
    assert_eq!(whyslow_model::state::diff(&before, &now), []);
    assert_eq!(whyslow_model::state::diff(&now, &before), []);
    let changes = whyslow_model::state::diff(&now, &other);
    let whats: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
    assert_eq!(whats, ["libc.routines.rep_movsb_threshold"]);
}

#[test]
fn records_come_back_as_they_were() {
    for tree in ["guest", "intel", "arm", "container"] {
        let recorded = Recorded::new(&[tree]);
        let (host, state) = (recorded.root().facts(), state(&recorded));
        let text = serde_json::to_string(&(&host, &state)).unwrap();
        assert_eq!(
            serde_json::from_str::<(Host, State)>(&text).unwrap(),
            (host, state),
            "{tree}"
        );
    }
}
