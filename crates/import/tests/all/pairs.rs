//! Several figures of a side in one place: between strokes, behind each other, below each other.

use whyslow_import::{harmonize, import, phases, sided};
use whyslow_model::{Better, Record};

use crate::common::titled;

fn both(page: &str, names: [&str; 2]) -> [Record; 2] {
    sided(page.as_bytes(), "a page", names).unwrap().unwrap()
}

fn assert_rows(own: &[String], wanted: &[&str], page: &str) {
    let (mut own, mut wanted) = (own.to_vec(), wanted.to_vec());
    own.sort();
    wanted.sort_unstable();
    assert_eq!(own, wanted, "{page}");
}

fn rows(page: &str) -> Vec<String> {
    let found = import(page.as_bytes(), "a page", None).unwrap();
    assert_eq!(found.refused, 0, "{:?}", found.refusals);
    let mut rows: Vec<String> = found.systems.iter().flat_map(titled).collect();
    rows.sort();
    rows
}

#[test]
fn units_of_one_row_may_have_other_prefixes() {
    let page =
        "Setup A:\nBefore 625 Kpps\nAfter 3.125 Mpps\nSetup B:\nBefore 7.5 Kpps\nAfter 2.25 Mpps\n";
    let [a, mut b] = both(page, ["Before", "After"]);
    harmonize(&a, &mut b);
    assert_rows(
        &titled(&a),
        &["Setup A result: 625", "Setup B result: 7.5"],
        page,
    );
    assert_rows(
        &titled(&b),
        &["Setup A result: 3125", "Setup B result: 2250"],
        page,
    );
}

#[test]
fn a_line_says_whose_the_two_figures_of_each_cell_are() {
    let page = "m1:Throughput of tbench (6.1-slab/6.1-slub)\n\
                m1-             Min                         Average\n\
                m1-             --------------------------- ---------------------------\n\
                m1-clients-1      178.5/164.25   ( -8.63%)   204.5/186.25   ( -9.64%)\n\
                m1-clients-2      305.5/304.75   ( -0.27%)   346.5/341.25   ( -1.72%)\n";
    let [a, b] = both(page, ["6.1-slab", "6.1-slub"]);
    assert_rows(
        &titled(&a),
        &[
            "Min, m1-clients-1: 178.5",
            "Average, m1-clients-1: 204.5",
            "Min, m1-clients-2: 305.5",
            "Average, m1-clients-2: 346.5",
        ],
        page,
    );
    assert_rows(
        &titled(&b),
        &[
            "Min, m1-clients-1: 164.25",
            "Average, m1-clients-1: 186.25",
            "Min, m1-clients-2: 304.75",
            "Average, m1-clients-2: 341.25",
        ],
        page,
    );
    // Numbers without a stroke name the columns.
    let page = "  Policy index        : 2          10         100\n\
                \x20 Throughput          : Mbps/Mbps  Mbps/Mbps  Mbps/Mbps\n\
                \x20 (Before/After)\n\
                \x20 TX2                 : 300/290    230/290    70.5/290\n";
    let [a, b] = both(page, ["Before", "After"]);
    let values = |record: &Record| -> Vec<f64> {
        let own = record.processes.iter();
        own.flat_map(|process| process.outcome.numbers()).collect()
    };
    assert_eq!(values(&a), [300.0, 230.0, 70.5]);
    assert_eq!(values(&b), [290.0; 3]);
    assert!(
        titled(&a)[2].contains("Policy index 100"),
        "{:?}",
        titled(&a)
    );
    // Without names the places in the cell are names.
    let page = "case    time\nread    300/290 ms\nwrite   230/240 ms\n";
    let [a, b] = both(page, ["first of each cell", "second of each cell"]);
    assert_eq!(values(&a), [300.0, 230.0]);
    assert_eq!(values(&b), [290.0, 240.0]);
}

#[test]
fn no_figure_is_the_unit_of_the_one_before() {
    assert_eq!(
        rows("[ INFO ] own read: 145.5/2.5 Mops/s\n[ INFO ] own write: 3.5/160.5 Mops/s\n"),
        [
            "[ INFO ] own read figure 1: 145.5",
            "[ INFO ] own read figure 2: 2.5",
            "[ INFO ] own write figure 1: 3.5",
            "[ INFO ] own write figure 2: 160.5",
        ]
    );
    assert_eq!(
        rows("duration min/max/avg: 142/51,101/147 us\n"),
        [
            "duration avg: 147",
            "duration max: 51101",
            "duration min: 142"
        ]
    );
    assert_eq!(
        rows("(threads, peakflops(20)) = (12, 3.5e11)\n(threads, peakflops(20)) = (24, 7.5e11)\n"),
        [
            "threads 12 peakflops(20): 350000000000",
            "threads 24 peakflops(20): 750000000000",
        ]
    );
}

#[test]
fn units_name_the_figures_of_a_side() {
    let page =
        "  - before: 35 Gbps, 3.5 Mpps, 7800% CPU\n  - after:  41 Gbps, 4.25 Mpps, 2900% CPU\n";
    let [a, b] = both(page, ["before", "after"]);
    assert_rows(&titled(&a), &["% CPU: 7800", "Gbps: 35", "Mpps: 3.5"], page);
    assert_rows(
        &titled(&b),
        &["% CPU: 2900", "Gbps: 41", "Mpps: 4.25"],
        page,
    );
    let better = |of: &str| {
        let mut points = a.plan.points.iter();
        let point = points.find(|point| point.title.as_deref() == Some(of));
        point.map(|point| point.better)
    };
    assert_eq!(better("Gbps"), Some(Better::Higher));
    // The direction of the rates beside it is not that of a share.
    assert_eq!(better("% CPU"), Some(Better::Unsaid));
    let page = "Compared to baseline: 212 cycles(tsc) 53.5 ns\n\
                \x20- against this     : 184 cycles(tsc) 46.25 ns\n\
                \x20- Saving           : -28 cycles\n";
    let [a, b] = both(page, ["baseline", "against this"]);
    assert_rows(&titled(&a), &["cycles(tsc): 212", "ns: 53.5"], page);
    assert_rows(&titled(&b), &["cycles(tsc): 184", "ns: 46.25"], page);
}

#[test]
fn phases_are_paired_by_their_order() {
    let page = "before\n\n  wall time = 13.5 seconds\n  wall time = 205.5 seconds\n  wall time = 17.25 seconds\n\n\
                after\n\n  wall time = 31.5 seconds\n  wall time = 241.5 seconds\n  wall time = 43.25 seconds\n";
    let [mut a, mut b] = both(page, ["before", "after"]);
    phases(&mut a, &mut b);
    assert_rows(
        &titled(&a),
        &[
            "wall time, line 1: 13.5",
            "wall time, line 2: 205.5",
            "wall time, line 3: 17.25",
        ],
        page,
    );
    assert_rows(
        &titled(&b),
        &[
            "wall time, line 1: 31.5",
            "wall time, line 2: 241.5",
            "wall time, line 3: 43.25",
        ],
        page,
    );
    // Runs stay runs.
    let page = "before\n  wall time = 13.5 seconds\n  wall time = 13.25 seconds\n\n\
                after\n  wall time = 15.5 seconds\n  wall time = 15.25 seconds\n";
    let [mut a, mut b] = both(page, ["before", "after"]);
    let whole = (a.clone(), b.clone());
    phases(&mut a, &mut b);
    assert_eq!((a, b), whole);
}

#[test]
fn headings_of_old_tables_name_speeds() {
    let page = "name              old speed           new speed           delta\n\
                Iperf/Upload-16       950MB/s ± 7%        1.25GB/s ± 1%     ~     (p=0.690 n=5+5)\n\
                Iperf/Download-16     275GB/s ± 1%        330GB/s ± 3%  +18.50%  (p=0.008 n=5+5)\n";
    let [a, mut b] =
        <[Record; 2]>::try_from(import(page.as_bytes(), "a", None).unwrap().systems).unwrap();
    let name = |record: &Record| record.origin.as_ref().map(|origin| origin.system.clone());
    assert_eq!(
        [&a, &b].map(name),
        ["old", "new"].map(|name| Some(name.to_owned()))
    );
    harmonize(&a, &mut b);
    assert_rows(
        &titled(&a),
        &["Iperf/Upload-16: 950", "Iperf/Download-16: 275"],
        page,
    );
    assert_rows(
        &titled(&b),
        &["Iperf/Upload-16: 1250", "Iperf/Download-16: 330"],
        page,
    );
    assert!(
        b.plan
            .points
            .iter()
            .all(|point| point.better == Better::Higher)
    );
}

#[test]
fn counters_of_an_excerpt_are_rows_without_a_direction() {
    let table = |rows: usize| {
        let more: String = (0..rows)
            .map(|at| {
                format!("      {at}5 ±  0%     +10.0%    {at}75.5 ±  0%  vmstat.cpu{at}.in\n")
            })
            .collect();
        format!(
            "base             base+tweak\n---------------- --------------------------\n\
             \x20        %stddev     %change         %stddev\n\
             \x20            \\          |                \\\n\
             \x20  7040 ±  0%     +21.2%    8530 ±  0%  vm-scalability.throughput\n\
             \x20  3950 ±  0%     +14.9%    4540 ±  0%  vmstat.swap.so\n{more}"
        )
    };
    let read = |page: &str| {
        let found = import(page.as_bytes(), "a page", None).unwrap();
        let points = found.systems[0].plan.points.iter();
        let swap = points.filter(|point| point.title.as_deref() == Some("vmstat.swap.so"));
        (swap.map(|point| point.better).next(), found.refused)
    };
    assert_eq!(read(&table(0)), (Some(Better::Unsaid), 0));
    assert_eq!(read(&table(20)), (None, 21));
}
