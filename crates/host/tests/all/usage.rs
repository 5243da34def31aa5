//! CPU usage by process, and the counters around a batch.

// A test that cannot go on should stop where it is.

use crate::common::Recorded;
use whyslow_host::{BatchCounters, CpuUse, HostRoot};
use whyslow_model::host::Known;

fn process(pid: u32, comm: &str, parent: u32, own: u64, reaped: u64, start: u64) -> String {
    format!(
        "{pid} ({comm}) R {parent} 1 1 0 -1 0 1 2 3 4 {own} 0 {reaped} 0 20 0 1 0 {start} \
         0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0\n"
    )
}

#[test]
fn ours_and_others_are_told_apart() {
    let recorded = Recorded::new(&["guest"]).with(|live| live.pid = 40);
    let start = CpuUse::take(&recorded.root());
    let put = |pid: u32, comm: &str, parent, own, reaped, begun| {
        let text = process(pid, comm, parent, own, reaped, begun);
        recorded.put(&format!("proc/{pid}/stat"), text.as_bytes());
    };
    // Ours: the runner went from 20 to 50 ticks. Its worker 41, which had 20,
    // ended with 70 and passed them on. A new worker used 5.
    put(40, "whyslow", 1, 50, 70, 700);
    std::fs::remove_dir_all(recorded.folder.path().join("proc/41")).unwrap();
    put(42, "worker", 40, 5, 0, 900);
    // Others: 50 is another process of the same number now. The compiler 52
    // ended with 60 after 40, which its parent got on top of its 100.
    put(50, "new", 1, 30, 0, 950);
    put(51, "make", 1, 2, 160, 310);
    std::fs::remove_dir_all(recorded.folder.path().join("proc/52")).unwrap();
    recorded.put(
        "proc/stat",
        b"cpu  7378 0 2547 140416 376 0 43 65 0 0\nprocs_running 1\n",
    );
    let found = CpuUse::take(&recorded.root()).since(&start);
    // 30 of the runner, 50 of the ended worker, 5 of the new one, at 100 a second.
    assert_eq!(found.ours_cpu_s, Known::Is(0.85));
    assert_eq!(found.others_cpu_s, Known::Is(2.5 - 0.85));
    let top = found.top.into_value().unwrap();
    let top: Vec<_> = top
        .iter()
        .map(|one| (one.comm.as_str(), one.cpu_s))
        .collect();
    assert_eq!(top, [("new", 0.3), ("make", 0.2)]);
    let host = found.host.into_value().unwrap();
    assert_eq!((host.total_s, host.busy), (4.0, 250.0 / 400.0));
    assert_eq!((host.steal, host.idle), (50.0 / 400.0, 100.0 / 400.0));
}

#[test]
fn this_host_sees_its_own_work() {
    let root = HostRoot::live();
    let start = CpuUse::take(&root);
    // Long enough for some ticks of 10 ms, whatever else runs here.
    let began = std::time::Instant::now();
    let mut ours = 0.0;
    while ours < 0.05 && began.elapsed().as_secs() < 20 {
        std::hint::black_box((0..1_000_000_u64).fold(0, |a, b| a ^ b));
        let found = CpuUse::take(&root).since(&start);
        match found.ours_cpu_s {
            Known::Is(seconds) => ours = seconds,
            // A sandbox may hide `/proc`; then there is a reason and nothing to see.
            Known::Unknown(unknown) => {
                assert!(!unknown.unknown.is_empty());
                return;
            }
        }
    }
    assert!(ours >= 0.05, "{ours}");
}

#[test]
fn counters_of_this_thread() {
    let root = HostRoot::live();
    let (mut counters, reasons) = BatchCounters::open(&root);
    let before = counters.read();
    let after = counters.read();
    // Each counter either works or has its reason.
    let given = [
        before.run_delay_ns.is_some(),
        before.steal_ticks.is_some(),
        before.cpu.is_some(),
    ];
    let missing = given.iter().filter(|given| !**given).count();
    assert_eq!(missing, reasons.len(), "{reasons:?}");
    assert!(after.run_delay_ns >= before.run_delay_ns);
    let delta = after.since(&before);
    assert_eq!(delta.moved, before.cpu.zip(after.cpu).map(|(a, b)| a != b));
}

#[test]
fn steal_means_nothing_over_two_cpus() {
    let at = |cpu, steal| whyslow_host::Counters {
        run_delay_ns: Some(5),
        steal_ticks: Some(steal),
        cpu: Some(cpu),
    };
    let same = at(1, 9).since(&at(1, 7));
    assert_eq!((same.steal_ticks, same.moved), (Some(2), Some(false)));
    let moved = at(0, 9).since(&at(1, 7));
    assert_eq!((moved.steal_ticks, moved.moved), (None, Some(true)));
}
