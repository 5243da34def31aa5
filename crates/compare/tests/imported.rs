//! The published tables, read by the importers as a user would, and compared.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use whyslow_compare::{Named, Options, compare, is_real};
use whyslow_model::Record;
use whyslow_model::comparison::{Comparison, PointComparison, Verdict};

fn systems(file: &str, text: &str) -> Vec<Record> {
    let imported = whyslow_import::import(text.as_bytes(), file, None).unwrap();
    assert_eq!(imported.systems.len(), 2, "{file}");
    imported.systems
}

fn compared(records: &[Record]) -> Comparison {
    let side = |record| {
        [Named {
            name: "table",
            record,
        }]
    };
    compare(&side(&records[0]), &side(&records[1]), &Options::default()).unwrap()
}

#[test]
fn the_page_coloring_patch() {
    let text = include_str!("../../../docs/seeds/seed2-lmbench.txt");
    let comparison = compared(&systems("seed2-lmbench.txt", text));
    let mut real: Vec<String> = comparison
        .points
        .iter()
        .filter(|p| is_real(&p.verdict))
        .map(|p| format!("{:+.1} %", 100.0 * (p.ratio.unwrap() - 1.0)))
        .collect();
    real.sort();
    assert_eq!(real, ["+11.5 %", "+29.6 %", "+6.5 %", "+7.4 %", "-5.9 %"]);
    // Printed in two tables; the importer already takes it for one point.
    let twice = |p: &&PointComparison| p.title.as_deref() == Some("2p/0K ctxsw");
    assert_eq!(comparison.points.iter().filter(twice).count(), 1);
    let blank = comparison.points.len() as u32 - comparison.rules.tested;
    assert_eq!((comparison.rules.real, blank), (5, 0));
    // Mostly stock landing now on one mode and now on the other, and patched always on one of them.
    let in_modes = |p: &&PointComparison| matches!(p.verdict, Verdict::Modes { real: false });
    let modes: Vec<&str> = (comparison.points.iter().filter(in_modes))
        .filter_map(|p| p.title.as_deref())
        .collect();
    assert_eq!(
        modes,
        [
            "select TCP",
            "Mmap Latency",
            "Page Fault",
            "Bcopy (hand)",
            "Mem write"
        ]
    );
    let mmap = |p: &&PointComparison| {
        p.title
            .as_deref()
            .is_some_and(|t| t.starts_with("Mmap Lat"))
    };
    let mmap = comparison.points.iter().find(mmap).unwrap();
    let counts: Vec<(f64, u32, u32)> = (mmap.modes.iter())
        .map(|m| (m.value.round(), m.a, m.b))
        .collect();
    assert_eq!(counts, [(411.0, 2, 0), (6946.0, 1, 3)]);
    assert!(comparison.scope.claims[0].starts_with("three lmbench runs a side"));
}

#[test]
fn two_nearly_identical_machines() {
    let text = include_str!("../../../docs/seeds/seed3-byte.txt");
    let comparison = compared(&systems("seed3-byte.txt", text));
    assert!((comparison.points.iter()).all(|p| matches!(p.verdict, Verdict::Untested { .. })));
    let slow = &comparison.groups[0];
    assert!(slow.high < 0.45 && slow.low < 0.1 && !slow.real);
    let near_one = comparison.groups.last().unwrap();
    assert!(near_one.low > 0.97 && near_one.high < 1.03);
}
