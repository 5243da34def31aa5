//! The published tables that the tool was made for: what may be said of them, and no more.

use crate::common::{add, find, named, published};
use whyslow_compare::{FailOn, Options, Outcome, compare, is_real, outcome};
use whyslow_model::comparison::{Comparison, Repeated, Verdict};
use whyslow_model::{Better, Record, Unit};

/// Title, three values of 2.4.23, three of 2.4.23a.
type Row = (&'static str, [f64; 3], [f64; 3]);

/// lmbench 3.0 summary in microseconds, from "page coloring for 2.4.23 kernel", Jason Papadopoulos,
/// linux-kernel mailing list, 4 January 2004.
const TIMES: [Row; 30] = [
    ("null call", [0.32, 0.34, 0.32], [0.34, 0.35, 0.34]),
    ("null I/O", [0.64, 0.63, 0.64], [0.66, 0.65, 0.66]),
    ("stat", [3.27, 3.31, 3.43], [3.80, 3.68, 3.68]),
    ("open/close", [4.37, 4.29, 4.37], [4.67, 4.72, 4.61]),
    ("select TCP", [39.2, 43.1, 39.9], [43.9, 39.3, 39.4]),
    ("signal install", [1.15, 1.14, 1.16], [1.16, 1.07, 1.10]),
    ("signal handle", [3.34, 3.35, 3.38], [3.24, 3.31, 3.43]),
    ("fork proc", [517.0, 513.0, 544.0], [572.0, 548.0, 564.0]),
    (
        "exec proc",
        [3894.0, 3790.0, 4125.0],
        [3892.0, 3857.0, 3861.0],
    ),
    ("sh proc", [11e3, 11e3, 12e3], [12e3, 11e3, 12e3]),
    ("2p/0K ctxsw", [1.85, 1.46, 1.57], [1.54, 2.17, 1.46]),
    ("2p/16K ctxsw", [1.52, 2.23, 1.93], [1.17, 1.93, 1.58]),
    ("2p/64K ctxsw", [23.0, 14.2, 13.3], [13.8, 13.7, 13.9]),
    ("8p/16K ctxsw", [7.33, 7.80, 7.24], [7.98, 8.40, 8.63]),
    ("8p/64K ctxsw", [36.0, 40.1, 43.9], [34.6, 31.1, 18.2]),
    ("16p/16K ctxsw", [10.7, 10.6, 7.87], [11.3, 11.3, 11.7]),
    ("16p/64K ctxsw", [47.3, 56.7, 57.2], [37.2, 46.1, 47.3]),
    // The same measurement again, in the table of latencies.
    ("2p/0K ctxsw", [1.850, 1.460, 1.570], [1.540, 2.170, 1.460]),
    ("Pipe", [8.237, 8.644, 8.717], [8.296, 8.116, 8.182]),
    ("AF UNIX", [17.6, 16.8, 18.8], [15.0, 15.2, 15.9]),
    ("TCP", [42.6, 41.2, 41.0], [44.1, 45.5, 44.6]),
    ("TCP conn", [169.0, 171.0, 176.0], [173.0, 175.0, 178.0]),
    ("0K File Create", [30.5, 30.6, 30.6], [31.1, 31.7, 32.3]),
    ("0K File Delete", [10.2, 10.4, 10.2], [10.9, 10.9, 11.0]),
    (
        "10K File Create",
        [109.4, 110.4, 105.8],
        [108.6, 110.5, 108.3],
    ),
    ("10K File Delete", [31.9, 31.8, 31.5], [29.9, 29.7, 30.0]),
    (
        "Mmap Latency",
        [411.0, 412.0, 7143.0],
        [6745.0, 6978.0, 6924.0],
    ),
    ("Prot Fault", [0.958, 0.770, 1.020], [0.584, 0.899, 0.894]),
    (
        "Page Fault",
        [2.0145, 1.9861, 2.6675],
        [2.6946, 2.6442, 2.6363],
    ),
    ("100fd select", [34.7, 37.9, 35.9], [35.3, 35.6, 35.9]),
];

/// The same, MB/s.
const RATES: [Row; 9] = [
    ("Pipe", [378.0, 387.0, 362.0], [394.0, 390.0, 399.0]),
    ("AF UNIX", [257.0, 234.0, 270.0], [241.0, 280.0, 282.0]),
    ("TCP", [121.0, 132.0, 128.0], [114.0, 119.0, 114.0]),
    ("File reread", [258.4, 241.0, 256.3], [328.0, 326.3, 324.6]),
    ("Mmap reread", [588.8, 589.0, 588.9], [588.8, 588.8, 588.8]),
    ("Bcopy (libc)", [241.7, 243.4, 267.6], [261.0, 261.6, 261.2]),
    ("Bcopy (hand)", [215.6, 217.1, 232.9], [236.5, 237.6, 237.4]),
    ("Mem read", [359.0, 359.0, 359.0], [358.0, 359.0, 359.0]),
    ("Mem write", [320.8, 322.1, 334.4], [334.5, 334.9, 335.1]),
];

fn lmbench() -> (Record, Record) {
    let mut sides = [
        published("lmbench", "ds10 Linux 2.4.23", "lmbench runs"),
        published("lmbench", "ds10 Linux 2.4.23a", "lmbench runs"),
    ];
    let rows = TIMES.iter().map(|r| (r, "lmbench.time", Better::Lower));
    let rates = RATES.iter().map(|r| (r, "lmbench.rate", Better::Higher));
    for (i, ((title, a, b), probe, better)) in rows.chain(rates).enumerate() {
        for (record, values) in sides.iter_mut().zip([a, b]) {
            let name = format!("{probe}{{row={i}}}");
            add(record, &name, Unit::Count, better, Some(title), values);
        }
    }
    let [a, b] = sides;
    (a, b)
}

fn compared((a, b): &(Record, Record)) -> Comparison {
    compare(&[named("a", a)], &[named("b", b)], &Options::default()).unwrap()
}

#[test]
fn exactly_five_points_of_the_page_coloring_patch_are_real() {
    let comparison = compared(&lmbench());
    let mut real: Vec<String> = comparison
        .points
        .iter()
        .filter(|p| is_real(&p.verdict))
        .map(|p| {
            let percent = 100.0 * (p.ratio.unwrap() - 1.0);
            format!("{} {percent:+.1} %", p.title.as_ref().unwrap())
        })
        .collect();
    real.sort();
    assert_eq!(
        real,
        [
            "0K File Delete +6.5 %",
            "10K File Delete -5.9 %",
            "File reread +29.6 %",
            "open/close +7.4 %",
            "stat +11.5 %",
        ]
    );
    assert_eq!(outcome(&comparison, FailOn::Any), Outcome::Different);
    let slower = |title: &str| {
        let point = comparison.points.iter();
        let mut named = point.filter(|p| p.title.as_deref() == Some(title));
        matches!(named.next().unwrap().verdict, Verdict::Slower { .. })
    };
    assert!(slower("stat") && slower("open/close") && slower("0K File Delete"));
    assert!(!slower("10K File Delete") && !slower("File reread"));
}

#[test]
fn equal_titles_and_values_are_no_reason_to_leave_a_row_out() {
    let comparison = compared(&lmbench());
    let of_title =
        |p: &&whyslow_model::comparison::PointComparison| p.title.as_deref() == Some("2p/0K ctxsw");
    let found: Vec<_> = comparison.points.iter().filter(of_title).collect();
    // An importer that knows the table takes both columns for one point, as it declares them to be; see
    // `imported.rs`. Points apart stay apart.
    assert_eq!(found.len(), 2);
    assert_eq!(comparison.rules.tested, 39);
    assert_eq!(comparison.rules.real, 5);
    assert_eq!(comparison.points.len(), 39);
}

#[test]
fn two_modes_are_not_a_regression() {
    let comparison = compared(&lmbench());
    let mmap = find(&comparison, "lmbench.time{row=26}");
    assert_eq!(mmap.verdict, Verdict::Modes { real: false });
    let modes: Vec<(f64, u32, u32)> = (mmap.modes.iter())
        .map(|m| (m.value.round(), m.a, m.b))
        .collect();
    assert_eq!(modes, [(411.0, 2, 0), (6946.0, 1, 3)]);
}

#[test]
fn the_scope_is_three_runs() {
    let comparison = compared(&lmbench());
    assert_eq!(comparison.scope.level, Repeated::Runs);
    assert_eq!(comparison.scope.claims.len(), 2);
    assert!(comparison.scope.claims[0].starts_with("three lmbench runs a side"));
}

/// BYTE, in its own index units (larger is better): two nearly identical machines, from
/// "Context switching", CyberLife Labs, updated 31 January 2004.
const BYTE: [(&str, f64, f64); 27] = [
    (
        "Dhrystone 2 without register variables",
        3880692.0,
        4011065.9,
    ),
    ("Dhrystone 2 using register variables", 3860733.5, 4009818.1),
    ("Arithmetic Test (type = arithoh)", 7851836.7, 8163230.7),
    ("Arithmetic Test (type = register)", 356915.5, 370548.3),
    ("Arithmetic Test (type = short)", 342698.9, 355824.8),
    ("Arithmetic Test (type = int)", 356759.3, 370485.0),
    ("Arithmetic Test (type = long)", 350642.9, 370560.9),
    ("Arithmetic Test (type = float)", 794357.5, 826194.1),
    ("Arithmetic Test (type = double)", 794815.8, 826337.9),
    ("System Call Overhead Test", 755378.3, 740416.6),
    ("Pipe Throughput Test", 899956.5, 985937.3),
    ("Pipe-based Context Switching Test", 340616.2, 89968.4),
    ("Process Creation Test", 9790.1, 8763.2),
    ("Execl Throughput Test", 1338.0, 276.6),
    ("File Read (10 seconds)", 1783104.0, 1851455.0),
    ("File Write (10 seconds)", 40943.0, 11400.0),
    ("File Copy (10 seconds)", 36109.0, 11050.0),
    ("File Read (30 seconds)", 1797987.0, 1838905.0),
    ("File Write (30 seconds)", 38704.0, 11333.0),
    ("File Copy (30 seconds)", 36126.0, 10130.0),
    ("C Compiler Test", 2445.4, 333.7),
    ("Shell scripts (1 concurrent)", 3522.0, 337.0),
    ("Shell scripts (2 concurrent)", 1763.3, 168.0),
    ("Shell scripts (4 concurrent)", 889.0, 84.0),
    ("Shell scripts (8 concurrent)", 444.7, 40.0),
    ("Dc: sqrt(2) to 99 decimal places", 290604.9, 118030.2),
    ("Recursion Test--Tower of Hanoi", 56435.2, 58651.8),
];

/// RAMspeed on the same machines, as the page prints it: block size in KiB, then both columns of each.
const RAMSPEED: [(u32, [f64; 2], [f64; 2]); 15] = [
    (1, [11650.8, 7943.8], [12192.7, 8066.0]),
    (2, [11915.6, 7825.2], [12483.1, 8192.0]),
    (4, [11650.8, 7943.8], [12192.7, 8192.0]),
    (8, [11915.6, 7825.2], [12192.7, 8192.0]),
    (16, [11915.6, 7943.8], [12483.1, 8192.0]),
    (32, [12192.7, 7825.2], [12787.5, 8456.3]),
    (64, [11915.6, 7943.8], [12483.1, 8322.0]),
    (128, [4519.7, 4333.0], [5349.9, 4443.1]),
    (256, [4481.1, 4228.1], [4559.0, 4333.0]),
    (512, [853.9, 574.9], [849.7, 546.7]),
    (1024, [852.5, 576.1], [841.6, 547.9]),
    (2048, [848.4, 578.1], [838.9, 550.7]),
    (4096, [844.3, 578.1], [834.9, 548.4]),
    (8192, [844.3, 581.3], [834.9, 543.3]),
    (16384, [844.3, 581.9], [833.5, 545.6]),
];

fn machines(format: &str) -> (Record, Record) {
    let record = |system| published(format, system, "runs");
    (record("appserver.geo"), record("beastie.lab"))
}

fn groups(comparison: &Comparison) -> String {
    let mut text = String::new();
    for group in &comparison.groups {
        assert!(!group.real);
        text += &format!("{:.2} to {:.2}:", group.low, group.high);
        for kin in &group.members {
            text += &format!(
                " {} {:.2}-{:.2} x{};",
                kin.name,
                kin.low,
                kin.high,
                kin.points.len()
            );
        }
        text.push('\n');
    }
    text
}

#[test]
fn single_runs_are_grouped_and_nothing_is_claimed() {
    let (mut a, mut b) = machines("byte");
    for (i, (title, one, two)) in BYTE.iter().enumerate() {
        let name = format!("byte.row{i}");
        add(
            &mut a,
            &name,
            Unit::Count,
            Better::Higher,
            Some(title),
            &[*one],
        );
        add(
            &mut b,
            &name,
            Unit::Count,
            Better::Higher,
            Some(title),
            &[*two],
        );
    }
    let comparison = compared(&(a, b));
    assert!((comparison.points.iter()).all(|p| matches!(p.verdict, Verdict::Untested { .. })));
    assert_eq!(comparison.scope.level, Repeated::Nothing);
    assert_eq!(outcome(&comparison, FailOn::Any), Outcome::Undecided);
    insta::assert_snapshot!(groups(&comparison), @r"
    0.09 to 0.41: Shell scripts 0.09-0.10 x4; File Write 0.28-0.29 x2; File Copy 0.28-0.31 x2; C Compiler Test 0.14-0.14 x1; Execl Throughput Test 0.21-0.21 x1; Pipe-based Context Switching Test 0.26-0.26 x1; Dc 0.41-0.41 x1;
    0.90 to 0.90: Process Creation Test 0.90-0.90 x1;
    1.10 to 1.10: Pipe Throughput Test 1.10-1.10 x1;
    1.02 to 1.06: Arithmetic Test 1.04-1.06 x7; File Read 1.02-1.04 x2; Dhrystone 1.03-1.04 x2; Recursion Test--Tower of Hanoi 1.04-1.04 x1;
    0.98 to 0.98: System Call Overhead Test 0.98-0.98 x1;
    ");
}

#[test]
fn ramspeed_is_faster_in_cache_and_slower_in_memory() {
    let (mut a, mut b) = machines("ramspeed");
    for (column, title) in ["first", "second"].into_iter().enumerate() {
        for (kib, one, two) in RAMSPEED {
            let name = format!("ramspeed.{title}{{block={kib}}}");
            let title = format!("{title} column ({kib} KiB)");
            let put = |record, value| {
                add(
                    record,
                    &name,
                    Unit::Count,
                    Better::Higher,
                    Some(&title),
                    &[value],
                );
            };
            put(&mut a, one[column]);
            put(&mut b, two[column]);
        }
    }
    let comparison = compared(&(a, b));
    // Equal values in two rows are two rows.
    assert_eq!(comparison.points.len(), 30);
    insta::assert_snapshot!(groups(&comparison), @r"
    1.18 to 1.18: first column 1.18-1.18 x1;
    1.08 to 1.08: second column 1.08-1.08 x1;
    0.93 to 0.95: second column 0.93-0.95 x6;
    1.02 to 1.05: first column 1.02-1.05 x7; second column 1.02-1.05 x7;
    0.99 to 1.02: first column 0.99-1.02 x7; second column 1.02-1.02 x1;
    ");
}
