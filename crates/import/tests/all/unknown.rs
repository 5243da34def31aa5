//! Pages in layouts that no format knows: sides by the place of their names, and lines that two pages have in common.

use whyslow_import::{harmonize, pages, sided, with_rest};
use whyslow_model::Record;

/// Titles with their values.
fn shown(record: &Record) -> Vec<String> {
    let points = record.plan.points.iter().map(|planned| {
        let own = record.processes.iter().filter(|p| p.point == planned.point);
        let values: Vec<String> = own
            .flat_map(|p| p.outcome.numbers())
            .map(|value| value.to_string())
            .collect();
        let unit = planned.symbol.as_deref().unwrap_or_default();
        let title = planned.title.as_deref().unwrap_or_default();
        format!("{title}: {} {unit}", values.join(" "))
            .trim()
            .to_owned()
    });
    points.collect()
}

#[test]
fn names_stand_over_figures_with_remarks() {
    let two_lines = "netperf-x\n\
                     \x20                              6.1.0-rc5              6.1.0-rc5\n\
                     \x20                                stock             tweak-v1r1\n\
                     Hmean     send-64       211.25 (   0.00%)      228.50 *   8.17%*\n\
                     Hmean     send-128      413.50 (   0.00%)      458.00 *  10.76%*\n\
                     Stddev    send-128        3.50 (   0.00%)        8.00 *  10.76%*\n";
    let glued = "                          6.1.0                  6.1.0\n\
                 \x20                       stocktweak-scale-v2-long-r5\n\
                 Amean     2        10.50 (   0.00%)       11.25 *  -7.14%*\n\
                 Amean     4        12.50 (   0.00%)       13.25 (  -6.00%)\n";
    let behind = "0123456789abcdef 0fedcba98765432100000000000\n\
                  ---------------- ---------------------------\n\
                  \x20        %stddev     %change         %stddev\n\
                  \x20            \\          |                \\\n\
                  \x20     2000 ±  2%     +50.0%       3000        unixbench.score\n\
                  \x20  1.5e+09           -20.0%  1.2e+09 ±  3%  perf-stat.i.cycles\n";
    let spreads = "name            old time/op    new time/op    delta\n\
                   Sort-8            1.75s ± 2%     1.50s ±11%  -14.29%  (p=0.001 n=5+5)\n\
                   Print-8          26.5ns ± 1%    26.5ns ± ∞ ¹    ~     (p=0.841 n=5+5)\n";
    for (text, names, a, b) in [
        (
            two_lines,
            ["stock", "tweak-v1r1"],
            &["Hmean send-64: 211.25", "Hmean send-128: 413.5"][..],
            &["Hmean send-64: 228.5", "Hmean send-128: 458"][..],
        ),
        (
            glued,
            ["stock", "tweak-scale-v2-long-r5"],
            &["Amean 2: 10.5", "Amean 4: 12.5"],
            &["Amean 2: 11.25", "Amean 4: 13.25"],
        ),
        (
            behind,
            ["0123456789abcdef", "0fedcba98765432100000000000"],
            &["unixbench.score: 2000", "perf-stat.i.cycles: 1500000000"],
            &["unixbench.score: 3000", "perf-stat.i.cycles: 1200000000"],
        ),
        (
            spreads,
            ["old time/op", "new time/op"],
            &["Sort-8: 1.75 s", "Print-8: 26.5 ns"],
            &["Sort-8: 1.5 s", "Print-8: 26.5 ns"],
        ),
    ] {
        let found = sided(text.as_bytes(), "x.txt", names).unwrap();
        let [left, right] = found.unwrap_or_else(|| panic!("no sides in\n{text}"));
        assert_eq!([shown(&left), shown(&right)], [a, b], "{text}");
    }
}

/// What two pages have in common.
fn both(a: &str, b: &str) -> [Vec<String>; 2] {
    let found = pages([(a.as_bytes(), "a"), (b.as_bytes(), "b")]).unwrap();
    let found = found.unwrap_or_else(|| panic!("nothing in common in\n{a}"));
    found.each_ref().map(shown)
}

#[test]
fn figures_that_are_the_same_tell_rows_apart() {
    let a = "  FSUse%        Count         Size    Files/sec\n     0        10000         4096        507.5\n     \
             0        20000         4096        527.5\n";
    let b = "  FSUse%        Count         Size    Files/sec\n     0        10000         4096       4124.5\n     \
             0        20000         4096       5506.5\n";
    let [a, b] = both(a, b);
    assert_eq!(a.len(), 2, "{a:?}");
    assert!(
        a[0].contains("10000") && a[0].ends_with(": 507.5 Files/sec"),
        "{a:?}"
    );
    assert!(
        b[1].contains("20000") && b[1].ends_with(": 5506.5 Files/sec"),
        "{b:?}"
    );
}

#[test]
fn words_beside_figures_name_them() {
    let a = "started worker [4242]\n  Time (mean):     250.5 ms ±   5.5 ms    [User: 1.5 s, System: 0.5 s]\n\
             8589934592 bytes (8.6 GB) copied, 4.5 s, 1.75 GB/s\n  50.0th: 1 (3556427 samples)\nlat: avg=12.5, max=40.5\n";
    let b = "started worker [777]\n  Time (mean):     125.5 ms ±   5.5 ms    [User: 1.25 s, System: 0.25 s]\n\
             8589934592 bytes (8.6 GB) copied, 9.5 s, 875 MB/s\n  50.0th: 1 (3507010 samples)\nlat: avg=25.5, max=80.5\n";
    let [a, b] = both(a, b);
    for (rows, wanted) in [
        (
            &a,
            ["(Time mean): 250.5 ms", "(User): 1.5 s", "(System): 0.5 s"],
        ),
        (
            &b,
            [
                "(Time mean): 125.5 ms",
                "(User): 1.25 s",
                "(System): 0.25 s",
            ],
        ),
    ] {
        for want in wanted {
            assert!(
                rows.iter().any(|row| row.ends_with(want)),
                "{want} not in {rows:?}"
            );
        }
        // What was told is part of the name, and how often it was measured is no result.
        assert!(
            rows.iter().any(|row| row.contains("8589934592")),
            "{rows:?}"
        );
        assert!(rows.iter().all(|row| !row.contains("3556427")), "{rows:?}");
        assert!(
            rows.iter()
                .any(|row| row == "50.0th: samples: 1" || row.ends_with(": 1")),
            "{rows:?}"
        );
        assert!(
            rows.iter()
                .all(|row| !row.contains("4242") && !row.contains("777")),
            "{rows:?}"
        );
    }
    assert!(
        a.iter()
            .any(|row| row.contains("avg") && row.ends_with("12.5")),
        "{a:?}"
    );
}

#[test]
fn units_of_two_pages_are_made_the_same() {
    let page =
        |value: &str| format!("latency of requests: {value}\nwork done in all: 100.5 units\n");
    let (a, b) = (page("1.5 s"), page("750.5 ms"));
    let [a, mut b] = pages([(a.as_bytes(), "a"), (b.as_bytes(), "b")])
        .unwrap()
        .unwrap();
    harmonize(&a, &mut b);
    assert!(
        shown(&b).contains(&"latency of requests: 0.7505 s".to_owned()),
        "{:?}",
        shown(&b)
    );
    assert!(b.notes.iter().any(|note| note.text.contains("converted")));
}

#[test]
fn lines_that_a_time_stands_beside_are_read() {
    let page = |taken: &str| {
        format!(
            "served the first of 5 in {taken} ms, then 9 in 2.5 ms\n\n\
             real    0m10.5s\nuser    0m2.25s\nsys     0m1.25s\n"
        )
    };
    let (a, b) = (page("77.5"), page("45.5"));
    let [a, b] = with_rest([(a.as_bytes(), "a"), (b.as_bytes(), "b")])
        .unwrap()
        .unwrap();
    assert!(
        shown(&a).iter().any(|row| row.ends_with(": 77.5 ms")),
        "{:?}",
        shown(&a)
    );
    // Both times, as two rows.
    assert_eq!(shown(&a).len(), 5, "{:?}", shown(&a));
    assert_eq!(shown(&b).len(), 5, "{:?}", shown(&b));
}

#[test]
fn lines_of_two_sides_in_turns_are_told_apart_by_what_they_were_told() {
    let page = "one fill: 170 loops, 2 bytes/loop, 10 sec, 32 MB/sec\n\
                two fill: 238 loops, 2 bytes/loop, 10 sec, 45 MB/sec\n\
                =====\n\
                one fill: 182 loops, 4 bytes/loop, 10 sec, 69 MB/sec\n\
                two fill: 177 loops, 4 bytes/loop, 10 sec, 67 MB/sec\n\
                =====\n\
                one fill: 197 loops, 8 bytes/loop, 10 sec, 150 MB/sec\n\
                two fill: 187 loops, 8 bytes/loop, 10 sec, 135 MB/sec\n";
    let found = sided(page.as_bytes(), "page", ["one fill", "two fill"]).unwrap();
    let [a, b] = found.unwrap();
    let rates = |side: &Record| -> Vec<String> {
        let mut rates = shown(side);
        rates.retain(|row| row.ends_with("MB/sec") && row.contains(" bytes/loop ("));
        rates
    };
    let ends = |rows: &[String], wanted: [&str; 3]| {
        let mut pairs = rows.iter().zip(wanted);
        rows.len() == wanted.len() && pairs.all(|(row, end)| row.ends_with(end))
    };
    let (a, b) = (rates(&a), rates(&b));
    let of_a = [
        "2 bytes/loop (MB/sec): 32 MB/sec",
        "4 bytes/loop (MB/sec): 69 MB/sec",
        "8 bytes/loop (MB/sec): 150 MB/sec",
    ];
    let of_b = [
        "2 bytes/loop (MB/sec): 45 MB/sec",
        "4 bytes/loop (MB/sec): 67 MB/sec",
        "8 bytes/loop (MB/sec): 135 MB/sec",
    ];
    assert!(ends(&a, of_a), "{a:?}");
    assert!(ends(&b, of_b), "{b:?}");
}

#[test]
fn rows_of_trials_and_of_times_are_one() {
    let trials = "first disk\n\n\
                  trial | one disk (mb/s) | two disks (mb/s) |\n\
                  ---|---|---|\n\
                  1 | 121.5 | 639.5 |\n\
                  2 | 134.5 | 742.5 |\n";
    let found = sided(
        trials.as_bytes(),
        "page",
        ["one disk (mb/s)", "two disks (mb/s)"],
    )
    .unwrap();
    assert_eq!(shown(&found.unwrap()[1]), ["result: 639.5 742.5 mb/s"]);
    let log = "      Date & Time,  Trans Rate,  Throughput\n\
               2017-09-03 11:31:28, 25838.5,       25.5\n\
               2017-09-03 11:33:08, 26287.5,       25.75\n";
    let other = log.replace("25838.5", "15838.5");
    let [a, _] = pages([(log.as_bytes(), "a"), (other.as_bytes(), "b")])
        .unwrap()
        .unwrap();
    assert_eq!(
        shown(&a),
        ["Trans Rate: 25838.5 26287.5", "Throughput: 25.5 25.75"]
    );
}

#[test]
fn words_that_all_lines_of_a_page_have_are_its_side() {
    let a =
        "cc -o fib fib.c real 0m17.5s user 0m14.5s\ncc -O2 -o fib fib.c real 0m8.5s user 0m7.5s\n";
    let b = "cc -pipe -o fib fib.c real 0m17.0s user 0m14.0s\ncc -O2 -pipe -o fib fib.c real 0m8.0s user 0m7.0s\n";
    let [_, b] = pages([(a.as_bytes(), "a"), (b.as_bytes(), "b")])
        .unwrap()
        .unwrap();
    let rows = shown(&b);
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert!(
        rows.iter()
            .any(|row| row.contains("-O2") && row.ends_with(": 8 s")),
        "{rows:?}"
    );
}

#[test]
fn each_test_of_a_page_has_its_sides_again() {
    let page = "## one disk\n\
                2147483648 bytes (2.1 GB) copied, 51.5 s, 42.5 MB/s\n\
                ## two disks\n\
                2147483648 bytes (2.1 GB) copied, 24.5 s, 87.5 MB/s\n\
                ## three disks\n\
                2147483648 bytes (2.1 GB) copied, 30.5 s, 71.5 MB/s\n\
                ## one disk\n\
                Timing cached reads: 19390 MB in 2.00 seconds = 9706.5 MB/sec\n\
                ## two disks\n\
                Timing cached reads: 20126 MB in 2.00 seconds = 10074.5 MB/sec\n\
                ## three disks\n\
                Timing cached reads: 20058 MB in 2.00 seconds = 10040.5 MB/sec\n";
    let found = sided(page.as_bytes(), "page", ["one disk", "two disks"]).unwrap();
    assert_eq!(
        shown(&found.unwrap()[1]),
        [
            "copied, time: 24.5 s",
            "copied, rate: 87.5 MB/s",
            "Timing cached reads: 10074.5 MB/sec"
        ]
    );
}

#[test]
fn names_of_sides_stand_within_those_of_rows() {
    let page = "BenchPlain/get         9954225       117.5 ns/op\n\
                BenchTracepointNoMap/get  9098228       132.5 ns/op\n\
                BenchTracepointMap/get    7995439       152.5 ns/op\n\
                BenchKprobeNoMap/get      4725835       253.5 ns/op\n\
                BenchKprobeMap/get        4306387       277.5 ns/op\n";
    let found = sided(page.as_bytes(), "page", ["Tracepoint", "kprobe"]).unwrap();
    let times = found.unwrap().map(|side| {
        let mut rows = shown(&side);
        rows.retain(|row| row.ends_with("ns/op"));
        rows
    });
    assert_eq!(
        times,
        [
            [
                "BenchNoMap/get, column 2: 132.5 ns/op",
                "BenchMap/get, column 2: 152.5 ns/op"
            ],
            [
                "BenchNoMap/get, column 2: 253.5 ns/op",
                "BenchMap/get, column 2: 277.5 ns/op"
            ]
        ]
    );
}

#[test]
fn an_option_is_of_the_command_before_it() {
    let page = "create stat ls -R unlink\nv5 235s 205s 31s 356s\npatched 234s 182s 29s 317s\n";
    let found = sided(page.as_bytes(), "page", ["v5", "patched"]).unwrap();
    let [_, b] = found.unwrap();
    assert_eq!(
        shown(&b),
        [
            "create: 234 s",
            "stat: 182 s",
            "ls -R: 29 s",
            "unlink: 317 s"
        ]
    );
}

#[test]
fn figures_of_boxes_beside_each_other_are_not_paired_across_them() {
    let text = "|=====================|\n| BUILD, LOW LOAD     |\n|---------------------|\n\
                |  q=core   q=socket  |\n|  35.25    33.5      |\n\
                |---------------------|---------------------|\n\
                | BUILD, HIGH LOAD    | STREAM, HIGH LOAD   |\n\
                |---------------------|---------------------|\n\
                |  q=core   q=socket  |  q=core q=socket    |\n\
                |  18.25    18.5      |  23.25  23.5        |\n";
    let found = sided(text.as_bytes(), "boxes", ["q=core", "q=socket"]).unwrap();
    let [a, b] = found.unwrap();
    assert_eq!(shown(&a), ["result: 35.25"]);
    assert_eq!(shown(&b), ["result: 33.5"]);
}
