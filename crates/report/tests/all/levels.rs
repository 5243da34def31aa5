//! A record's levels are the same wherever they are shown, and memory has no size.

use crate::common::{header_only, plain};
use whyslow_compare::{Named, Options, compare};
use whyslow_model::record::{
    Draw, Outcome, Planned, Process, Randomization, Record, Series, ValueRule,
};
use whyslow_model::{Better, Point, Unit, size};
use whyslow_stats::record::summarise;

/// A curve over caches that end at `edges`, of which a neighbor takes the last to a quarter in half of the batches.
fn curve(edges: &[(u64, f64)], memory: f64) -> Record {
    let mut record = header_only();
    for bytes in (11..=28).flat_map(|k| [1u64 << k, 3 << (k - 1)]) {
        let point = Point::new("mem.latency")
            .with("size", size::format(bytes))
            .with("order", "random")
            .with("pages", "4k");
        record.plan.points.push(Planned {
            estimator: Default::default(),
            between_runs: 0.0,
            point: point.clone(),
            unit: Unit::Ns,
            better: Better::Lower,
            value: ValueRule::Single,
            size_bytes: Some(bytes),
            usual_marks: Vec::new(),
            title: None,
            symbol: None,
        });
        let at = |bytes: u64| {
            let level = edges.iter().find(|(end, _)| bytes <= *end);
            level.map_or(memory, |(_, ns)| *ns)
        };
        for round in 1..=4 {
            let own = at(bytes) * (1.0 + f64::from(round) * 1e-3);
            let beside = at(4 * bytes) * 1.5;
            record.processes.push(Process {
                round,
                order: 0,
                point: point.clone(),
                at_ms: 0.0,
                wall_ms: 1.0,
                randomization: Randomization {
                    cpus: vec![0],
                    ..Randomization::default()
                },
                ghz: None,
                slots: None,
                outcome: Outcome::Draws(vec![Draw {
                    series: vec![Series {
                        name: String::new(),
                        work: 1.0,
                        ns: vec![own, own, beside, beside, beside],
                        marks: Vec::new(),
                        handover_ns: Vec::new(),
                        slots: [6.0, 6.0, 3.0, 3.0, 3.0].map(|s| [6.0, s]).to_vec(),
                    }],
                    ..Draw::default()
                }]),
            });
        }
    }
    record
}

#[test]
fn a_comparison_has_the_levels_of_its_records() {
    let small = curve(&[(32 << 10, 1.0), (1 << 20, 4.0)], 90.0);
    let large = curve(&[(32 << 10, 1.0), (512 << 10, 4.0), (16 << 20, 15.0)], 90.0);
    let named = |name, record| [Named { name, record }];
    let options = Options {
        levels: true,
        ..Options::default()
    };
    let comparison = compare(&named("a", &small), &named("b", &large), &options).unwrap();
    let (a, b) = (summarise(&small), summarise(&large));
    assert_eq!((a.levels.len(), b.levels.len()), (3, 4), "{:?}", a.levels);
    // Without what ran with a busy SMT sibling, from whom the edges would be a quarter.
    assert_eq!(a.levels[1].capacity_bytes.unwrap().value as u64, 1 << 20);
    let curves = &comparison.curves[0];
    assert_eq!((&curves.a_levels, &curves.b_levels), (&a.levels, &b.levels));
    // Side by side by name: the third cache of one is not the memory of the other.
    let page = whyslow_report::comparison(&comparison, plain(100));
    let row = |name: &str| {
        let mut rows = page.lines().map(str::trim).filter(|l| l.starts_with(name));
        rows.next()
            .unwrap_or_else(|| panic!("{name}: {page}"))
            .to_owned()
    };
    assert!(
        row("L3 ").contains("none") && row("L3 ").contains("16.0 MiB"),
        "{page}"
    );
    assert!(
        row("DRAM").matches("90").count() == 2 && !row("DRAM").contains("iB"),
        "{page}"
    );
}
