//! Sides whose rows have keys, tables, shares or names of their own for each figure; made-up figures.

use whyslow_import::sided;

use crate::common::titled;

fn both(text: &str, names: [&str; 2]) -> [Vec<String>; 2] {
    let found = sided(text.as_bytes(), "x.txt", names).unwrap();
    let found = found.unwrap_or_else(|| panic!("no sides in\n{text}"));
    found.map(|record| titled(&record))
}

#[test]
fn what_rows_were_measured_at_tells_them_apart() {
    // In front of a part of the row that names the side, in one case of letters or the other.
    let text = "BS | DEPTH | MODE | IOP/s | BW\n--- | --- | --- | --- | ---\n\
                4K | 1 | SYNC | 640 | 2.5MB\n1M | 16 | SYNC | 48 | 48MB\n\
                4k | 1 | NOSYNC | 7530 | 29.5MB\n1m | 16 | NOSYNC | 106 | 105MB\n";
    let [a, b] = both(text, ["| SYNC", "| NOSYNC"]);
    let titles = ["4k 1 IOP/s", "4k 1 BW", "1m 16 IOP/s", "1m 16 BW"];
    let values = |of: [f64; 4]| -> Vec<String> {
        let pairs = titles.iter().zip(of);
        pairs
            .map(|(title, value)| format!("{title}: {value}"))
            .collect()
    };
    assert_eq!(a, values([640.0, 2.5, 48.0, 48.0]));
    assert_eq!(b, values([7530.0, 29.5, 106.0, 105.0]));
    // Two columns together, of which neither does alone.
    let text = "kernel  Size  Thr  ops/s\nold     1     1    105.5\nold     1     8    405.5\nold     4     1    95.5\n\
                old     4     8    395.5\nnew     1     1    115.5\nnew     1     8    505.5\nnew     4     1    105.5\n\
                new     4     8    495.5\n";
    let [a, b] = both(text, ["old", "new"]);
    assert_eq!(a[1], "ops/s, Size 1, Thr 8: 405.5");
    assert_eq!(b[1], "ops/s, Size 1, Thr 8: 505.5");
    assert_eq!([a.len(), b.len()], [4, 4]);
}

#[test]
fn shares_below_the_name_of_a_quantity_are_measured() {
    let text = "Scripts 1  (see above)\n              Throughput    Std. Dev\n   2.6.1          100.0%         1.9%\n\
                \x20  2.6.1-x3        92.5%         1.8%\n\nScripts 2  (see above)\n              Throughput    Std. Dev\n\
                \x20  2.6.1          100.0%         0.4%\n   2.6.1-x3        88.5%         5.1%\n";
    let [a, b] = both(text, ["2.6.1", "2.6.1-x3"]);
    let titles = [
        "Scripts 1 (see above) Throughput",
        "Scripts 2 (see above) Throughput",
    ];
    assert_eq!(a, titles.map(|title| format!("{title}: 100")));
    assert_eq!(b[0], format!("{}: 92.5", titles[0]));
    assert_eq!(b[1], format!("{}: 88.5", titles[1]));
}

#[test]
fn figures_with_names_of_their_own_stand_behind_a_side() {
    let text = "User\nx/base: min: 651.5 max: 672.5 avg: 664.25 std: 8.01 runs: 6\n\
                x/next: min: 657.5 [100.8%] max: 668.5 [99.4%] avg: 663.25 [99.8%] std: 3.61 runs: 6\n";
    let [a, b] = both(text, ["x/base", "x/next"]);
    assert_eq!(a, ["min: 651.5", "max: 672.5", "avg: 664.25"]);
    assert_eq!(b, ["min: 657.5", "max: 668.5", "avg: 663.25"]);
    // One line of a tool behind each.
    let text = "two cores: 19.25user 151.5system 2:41.5elapsed 105%CPU (0avgtext+0avgdata 440maxresident)k\n\
                \x20one core: 3.25user 13.5system 0:16.5elapsed 99%CPU (0avgtext+0avgdata 441maxresident)k\n";
    let [a, b] = both(text, ["two cores:", "one core:"]);
    assert_eq!(a[..2], ["user: 19.25", "sys (system): 151.5"]);
    assert_eq!(b[..2], ["user: 3.25", "sys (system): 13.5"]);
    // Behind keys in one line, below what they were measured at.
    let text = "bench(size=32 bytes):\ncopy(near): fast=48ms plain=35 ms\n\nbench(size=64 bytes):\n\
                copy(near): fast=54ms plain=34 ms\n";
    let [a, b] = both(text, ["fast=", "plain="]);
    assert_eq!(a.len(), 2, "{a:?}");
    assert!(b[1].ends_with(": 34") && b[1].contains("64"), "{b:?}");
}

#[test]
fn lines_of_names_stand_apart_from_what_they_are_of() {
    // The names alone, with single spaces.
    let text = "       2.6.0 2.6.0-mm6\n  # of WHs      OPs/sec      OPs/sec    %diff\n---------- ------------ ------------ --------\n\
                \x20        1      9783.5      10093.5     3.16  *\n         4     33783.5      35763.5     5.86\n";
    let [a, b] = both(text, ["2.6.0", "2.6.0-mm6"]);
    assert!(
        a[0].ends_with(": 9783.5") && a[1].ends_with(": 33783.5"),
        "{a:?}"
    );
    assert!(
        b[0].ends_with(": 10093.5") && b[1].ends_with(": 35763.5"),
        "{b:?}"
    );
    // A bar between groups of columns.
    let text = "  [ seconds         ]    v3.7  other     |  numa/core    [ vs. v3.7]\n\
                \x20                                        |\n\
                \x20 numa01                340.5    192.5   |      139.5      +144.1%\n\
                \x20 numa02                 56.5     25.5   |       17.5      +220.5%\n";
    let [a, b] = both(text, ["v3.7", "numa/core"]);
    assert_eq!(a, ["numa01: 340.5", "numa02: 56.5"]);
    assert_eq!(b, ["numa01: 139.5", "numa02: 17.5"]);
    // Whole rows beside each other.
    let text = "Without patch                   With patch\n\t50th: 34           \t50th: 38\n\t90th: 54           \t90th: 60\n";
    let [a, b] = both(text, ["Without patch", "With patch"]);
    assert_eq!(a, ["50th: 34", "90th: 54"]);
    assert_eq!(b, ["50th: 38", "90th: 60"]);
    // Sizes as the names of columns, above rows whose figures grow too.
    let text = "| Payload | 100 bytes | 500 bytes | 1000 bytes |\n| --- | --- | --- | --- |\n\
                | plain | 159 µs | 167 µs | 174 µs |\n| tunnel | 223 µs (+64 µs) | 233 µs (+66 µs) | 245 µs (+71 µs) |\n";
    let [a, b] = both(text, ["plain", "tunnel"]);
    assert_eq!(a, ["100 bytes: 159", "500 bytes: 167", "1000 bytes: 174"]);
    assert_eq!(b, ["100 bytes: 223", "500 bytes: 233", "1000 bytes: 245"]);
}
