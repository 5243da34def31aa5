//! From a folder of records to verdicts.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use whyslow_fleet::index::MemoryIndex;
use whyslow_fleet::{Assembled, Options, report, sync, why};
use whyslow_model::fleet::{FleetNode, NodeVerdict};
use whyslow_model::host::{Host, Known};
use whyslow_model::record::{
    Build, Draw, End, Header, Line, Outcome, Plan, Planned, Process, Randomization, SCHEMA, Series,
    StateAt, ValueRule,
};
use whyslow_model::store::Journal;
use whyslow_model::{Better, Unit};

/// Points of four families, with their usual times.
const POINTS: [(&str, f64); 12] = [
    ("os.null_call", 40.0),
    ("os.read", 60.0),
    ("os.write", 55.0),
    ("os.stat", 300.0),
    ("proc.fork", 90_000.0),
    ("proc.exec", 250_000.0),
    ("mem.latency{size=64MiB,order=random,pages=4k}", 90.0),
    ("mem.latency{size=128MiB,order=random,pages=4k}", 95.0),
    ("mem.latency{size=256MiB,order=random,pages=4k}", 100.0),
    ("mem.latency{size=16KiB,order=random,pages=4k}", 1.2),
    ("mem.latency{size=24KiB,order=random,pages=4k}", 1.2),
    ("mem.latency{size=32KiB,order=random,pages=4k}", 1.2),
];

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn normal(&mut self) -> f64 {
        let uniform = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
        (0..12).map(|_| uniform(self.0.next_u64())).sum::<f64>() - 6.0
    }
}

/// Writes a record of a node; `times` is by what each point takes longer, and `change` what is other about the host.
fn record(
    folder: &Path,
    node: &str,
    file: &str,
    times: impl Fn(&str) -> f64,
    change: impl FnOnce(&mut Host),
) {
    let path = folder.join(node).join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let seed = node.bytes().chain(file.bytes());
    let seed = seed.fold(7, |sum: u64, b| sum.wrapping_mul(31).wrapping_add(b.into()));
    let mut dice = Dice(Xoshiro256PlusPlus::seed_from_u64(seed));
    let mut journal = Journal::in_memory(&path);
    let mut add = |line: Line| journal.add(&line).unwrap();
    add(Line::Header(Header {
        schema: SCHEMA,
        version: "0.1.0".into(),
        build: Build {
            arch: "x86_64".into(),
            libc: "gnu dynamic".into(),
            profile: "release".into(),
            kernels: "assembly".into(),
        },
        seed: 1,
        intensity: "quick".into(),
        rounds: 5,
        fill: false,
        budget_s: None,
        only: String::new(),
        suite: String::new(),
        copies: Vec::new(),
        against: String::new(),
        started: format!("2026-01-{}T00:00:00Z", &file[..2]),
    }));
    let mut host: Host =
        serde_json::from_str(include_str!("../../report/tests/common/host.json")).unwrap();
    host.name = Known::Is(node.to_owned());
    node.clone_into(&mut host.id.id);
    change(&mut host);
    add(Line::Host(Box::new(host)));
    let state = include_str!("../../report/tests/common/state.json");
    add(Line::State(Box::new(StateAt {
        when: "start".into(),
        state: serde_json::from_str(state).unwrap(),
    })));
    let planned = POINTS.map(|(point, _)| Planned {
        estimator: Default::default(),
        between_runs: 0.0,
        point: point.parse().unwrap(),
        unit: Unit::Ns,
        better: Better::Lower,
        value: ValueRule::Single,
        size_bytes: None,
        usual_marks: Vec::new(),
        title: None,
        symbol: None,
    });
    add(Line::Plan(Plan {
        points: planned.to_vec(),
        rounds: 5,
        ..Plan::default()
    }));
    for (point, usual) in POINTS {
        let own = usual * times(point) * (0.01 * dice.normal()).exp();
        for round in 1..=5 {
            let ns = own * (0.01 * dice.normal()).exp();
            add(Line::Process(Box::new(Process {
                round,
                order: 0,
                point: point.parse().unwrap(),
                at_ms: 0.0,
                wall_ms: 1.0,
                randomization: Randomization::default(),
                ghz: None,
                slots: None,
                outcome: Outcome::Draws(vec![Draw {
                    frames: None,
                    series: vec![Series {
                        name: String::new(),
                        work: 1.0,
                        ns: vec![ns; 3],
                        marks: Vec::new(),
                        handover_ns: Vec::new(),
                        slots: Vec::new(),
                    }],
                }]),
            })));
        }
    }
    let finished = "2026-01-01T00:01:00Z".to_owned();
    journal.close(End::Complete, finished, &[]).unwrap();
}

/// Twelve nodes, of which the last has 20 % slower memory.
fn fleet(folder: &Path) {
    for node in 0..12 {
        let memory = |point: &str| match node == 11 && point.contains("MiB") {
            true => 1.2,
            false => 1.0,
        };
        record(folder, &format!("n{node:02}"), "05.whyslow", memory, |_| {});
    }
}

fn judged(folder: &Path) -> Assembled {
    let mut index = MemoryIndex::default();
    sync(&mut index, folder, 2, false, &mut |_, _| {}).unwrap();
    report(&mut index, &Options::default()).unwrap()
}

fn node<'a>(found: &'a Assembled, name: &str) -> &'a FleetNode {
    let mut nodes = found.report.nodes.iter();
    nodes.find(|node| node.node == name).unwrap()
}

#[test]
fn a_slow_node_is_named_with_its_family_its_points_and_why() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    let mut found = judged(folder.path());
    let first = &found.report.nodes[0];
    assert_eq!(
        (first.node.as_str(), first.verdict),
        ("n11", NodeVerdict::Slow)
    );
    assert_eq!(found.report.counts.slow, 1, "{:#?}", found.report);
    let family = &first.families[0];
    assert_eq!(family.family, "memory latency");
    assert!(family.range[0] < 1.2 && family.range[1] > 1.2, "{family:?}");
    assert!(
        first.points.iter().all(|p| p.point.contains("MiB")),
        "{first:?}"
    );
    let again = found.report.again.clone().unwrap();
    assert!(again.suspects.contains(&"n11".to_owned()) && again.references.len() >= 4);
    why(&mut found, folder.path(), 10, 2);
    let told = found.report.nodes[0].why.clone().unwrap();
    assert!(told.answer.contains("memory latency"), "{told:?}");
    assert!(told.record.starts_with("n11/"), "{told:?}");
}

#[test]
fn other_hardware_is_another_group_and_too_few_nodes_are_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    for name in ["m1", "m2"] {
        record(
            folder.path(),
            name,
            "05.whyslow",
            |_| 3.0,
            |host| {
                let bytes = *host.memory.total_bytes.value().unwrap();
                host.memory.total_bytes = Known::Is(bytes / 2);
            },
        );
    }
    let found = judged(folder.path());
    let small = node(&found, "m1");
    assert_eq!(small.verdict, NodeVerdict::NotKnown);
    let reason = small.reason.as_deref().unwrap();
    assert!(
        reason.contains("only 2 nodes") && reason.contains("12 nodes differ only in: memory"),
        "{reason}"
    );
    assert_eq!(found.report.groups.len(), 2);
    assert_eq!(found.report.counts.slow, 1);
}

#[test]
fn old_records_and_damaged_files_do_not_count_and_are_said() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    // Slow a month ago, before a repair.
    record(folder.path(), "n03", "01.whyslow", |_| 2.0, |_| {});
    fs::write(folder.path().join("n04/06.whyslow"), b"no record").unwrap();
    let found = judged(folder.path());
    assert_eq!(node(&found, "n03").records, 1);
    assert_ne!(node(&found, "n03").verdict, NodeVerdict::Slow);
    let [unused] = &found.report.unused[..] else {
        panic!("{:?}", found.report.unused);
    };
    assert!(unused.contains("n04/06.whyslow"), "{unused}");
    assert_eq!(found.report.newest.as_deref(), Some("2026-01-05T00:00:00Z"));
}

#[test]
fn only_what_changed_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    let mut index = MemoryIndex::default();
    let bring =
        |index: &mut MemoryIndex| sync(index, folder.path(), 2, false, &mut |_, _| {}).unwrap();
    assert_eq!(bring(&mut index).read, 12);
    assert_eq!(bring(&mut index).read, 0);
    fs::remove_dir_all(folder.path().join("n11")).unwrap();
    record(folder.path(), "n12", "05.whyslow", |_| 1.0, |_| {});
    let synced = bring(&mut index);
    assert_eq!((synced.files, synced.read, synced.removed), (12, 1, 1));
    let found = report(&mut index, &Options::default()).unwrap();
    assert_eq!(found.report.counts.slow, 0);
}
