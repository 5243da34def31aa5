//! The published tables, read by the importers as a user would, and compared.

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
    let text = include_str!("../../../../docs/seeds/seed2-lmbench.txt");
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
    let text = include_str!("../../../../docs/seeds/seed3-byte.txt");
    let comparison = compared(&systems("seed3-byte.txt", text));
    assert!((comparison.points.iter()).all(|p| matches!(p.verdict, Verdict::Untested { .. })));
    let slow = &comparison.groups[0];
    assert!(slow.high < 0.45 && slow.low < 0.1 && !slow.real);
    let near_one = comparison.groups.last().unwrap();
    assert!(near_one.low > 0.97 && near_one.high < 1.03);
}

/// Rows that happen to be equal are rows nevertheless: what a source prints twice is told by its importer, which
/// knows the columns, and never by a value.
fn all_rows_stay(file: &str, text: &str, rows: usize) {
    let imported = || whyslow_import::import(text.as_bytes(), file, None).unwrap();
    let records = [imported().systems.remove(0), imported().systems.remove(0)];
    let comparison = compared(&records);
    assert_eq!(records[0].plan.points.len(), rows, "{file}");
    assert_eq!(comparison.points.len(), rows, "{file}");
}

#[test]
fn a_core_to_core_table_keeps_all_of_its_rows() {
    // Two half matrices of 32 cores, in whole nanoseconds of which few differ.
    let matrix = |more: usize| -> String {
        let row = |a: usize| {
            let cell = |b: usize| match b < a {
                true => (20 + (a / 8 + b / 8) % 4 * 30 + more).to_string(),
                false => String::new(),
            };
            (0..32).map(cell).collect::<Vec<_>>().join(",") + "\n"
        };
        (0..32).map(row).collect()
    };
    all_rows_stay("cores.csv", &(matrix(0) + &matrix(1)), 32 * 31 / 2);
}

#[test]
fn a_latency_curve_keeps_all_of_its_sizes() {
    // Two runs over 138 sizes, with the few digits that lat_mem_rd prints.
    let run = |by: f64| -> String {
        let line = |k: usize| {
            format!(
                "{:.5} {:.3}\n",
                0.0005 * 1.1f64.powi(k as i32),
                by * [1.0, 4.0, 60.0][k / 46]
            )
        };
        "\"stride=128\n".to_owned() + &(0..138).map(line).collect::<String>()
    };
    all_rows_stay("curve.txt", &(run(1.0) + "\n" + &run(1.01)), 138);
}
